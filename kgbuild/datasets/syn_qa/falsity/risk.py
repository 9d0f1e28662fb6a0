"""Estimate the probability that an assumption is true although the store does not state it."""

import functools
from typing import NamedTuple

import numpy as np

from kgbuild.data_files import read_toml
from kgbuild.graph.association import Association, Shares

FEATURES = ("best", "second", "stated", "closed", "mean_values")
"""The features, in the order of ``features``."""
SIGNS = (1, 1, -1, -1, 1)
"""The sign of the weight of each feature: the risk is monotone in each signal."""
_LEAST_SHARE = 0.02
"""Number that is added to each share, because a share of zero has no logarithm."""


class Signals(NamedTuple):
    """What the probability that items have a value is estimated from.

    ``association`` has shares of items with the value, among items with another value of the item
    that state the relation. ``values`` is the number of values of each item; ``mean_values`` is
    their mean over all items that state the relation.
    """

    association: Association
    values: Shares
    mean_values: float


def risk(signals: Signals) -> Shares:
    """Estimate P(item has the value | its other values) of each item by logistic regression.

    The risk rises with both shares and with the mean number of values, and is lower for an item
    that has a value, the more so the fewer values are usual. risk.toml has the weights.
    """
    constant, weights = _constants()
    log_odds = np.full(len(signals.values), constant)
    for weight, feature in zip(weights, features(signals), strict=True):
        log_odds += weight * feature  # in order, unlike a sum over an axis: the last bit is stable
    risks: Shares = 1 / (1 + np.exp(-log_odds))
    return risks


def features(signals: Signals) -> Shares:
    """Return the features of each item, as rows in the order of ``FEATURES``."""
    (best, second), values, mean_values = signals
    result = np.empty((len(FEATURES), len(values)))
    np.log(best + _LEAST_SHARE, out=result[0])
    np.log(second + _LEAST_SHARE, out=result[1])
    result[2] = values > 0
    result[3] = result[2] / mean_values
    result[4] = np.log(mean_values)
    return result


@functools.cache
def _constants() -> tuple[float, list[float]]:
    """Return the constant and the weights of the features."""
    constants = read_toml("datasets/syn_qa/falsity/risk.toml")
    return constants["constant"], [constants[name] for name in FEATURES]
