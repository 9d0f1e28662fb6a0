"""Estimate the probability that an assumption is true although the store does not state it."""

import functools
import itertools
import operator
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from kgbuild.graph.association import Association, Shares

_FLOOR = 0.02
"""Number that is added to each share, because a share of zero has no logarithm."""

_MIN_LOG_ODDS = -700.0
"""Smaller log odds would overflow: a 64-bit float holds exp(700), but not exp(710)."""


class Signals(NamedTuple):
    """Features of items, from which the probability that they have a value is estimated.

    ``association`` has shares of items with the value, among similar items that state the relation.
    ``values`` is the number of values of each item; ``mean_values`` is their mean over all items
    that state the relation.
    """

    association: Association
    values: Shares
    mean_values: float


def risk(signals: Signals) -> Shares:
    """Estimate P(item has the value | its other values) of each item by logistic regression.

    risk.toml has the weights, and ``unforeseen``: the minimum probability.
    """
    constants = _constants()
    # Added in order, as NumPy's sums depend on the number of items in the last bit.
    log_odds = sum(map(operator.mul, constants["weights"], features(signals)))
    unforeseen: float = constants["unforeseen"]
    exponent = -np.maximum(log_odds, _MIN_LOG_ODDS)
    risks: Shares = unforeseen + (1 - unforeseen) / (1 + np.exp(exponent))
    return risks


def features(signals: Signals) -> Shares:
    """Return 1, the logarithms of the signals, and the products of two of these, as rows."""
    (best, second), values, mean_values = signals
    single = (
        (values > 0).astype(np.float64),
        np.log(best + _FLOOR),
        np.log(second + _FLOOR),
        np.log1p(values),
        np.full(len(values), np.log(mean_values)),
    )
    products = (a * b for a, b in itertools.combinations_with_replacement(single, 2))
    # The first one has only the values 0 and 1, so its square is itself.
    return np.stack([np.ones(len(values)), *single, *itertools.islice(products, 1, None)])


@functools.cache
def _constants() -> Mapping[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("risk.toml").read_text("utf-8"))
