"""Estimate the probability that an assumption is true although the store does not state it."""

import functools
import tomllib
from importlib import resources
from typing import Annotated, NamedTuple

import numpy as np

from kgbuild.graph.association import Association, Shares
from kgbuild.native.kernel import kernel

_FLOOR = 0.02
"""Number that is added to each share, because a share of zero has no logarithm."""

_SIGNALS = 5
_PRODUCTS = 14
"""Number of products of two signals that are features: all but the square of the first signal."""
_MIN_LOG_ODDS = -700.0
"""Smaller log odds would overflow: a 64-bit float holds exp(700), but not exp(710)."""


_STEPS = 16
"""Number of shares from 0 to 1, at equal distances of their logarithms, at which risks are read."""
_MARGIN = 1.05
"""Maximum factor by which a risk may be lower between these shares than at the nearest ones.

The logarithm of the odds is a quadratic function of the logarithms of both shares; between two
steps it bends by a hundredth.
"""
MANY_VALUES = 16
"""The number of values of an item from which on ``always_above`` says nothing."""


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
    weights, unforeseen = _constants()
    log_odds = np.empty(len(signals.values))
    _weigh(log_odds, features(signals), weights)
    exponent = -np.maximum(log_odds, _MIN_LOG_ODDS)
    risks: Shares = unforeseen + (1 - unforeseen) / (1 + np.exp(exponent))
    return risks


def always_above(max_risk: float, mean_values: float) -> Shares:
    """Return a share for each number of values: above ``max_risk`` is each risk of such an item.

    That is so if both of its shares of holders are at least this share. It is infinite where no
    share is high enough, and for ``MANY_VALUES``.
    """
    shares = np.geomspace(_FLOOR, 1 + _FLOOR, _STEPS) - _FLOOR
    best, second = np.tril_indices(_STEPS)
    pairs = Association(*(np.tile(shares[steps], MANY_VALUES) for steps in (best, second)))
    values = np.repeat(np.arange(MANY_VALUES, dtype=np.float64), len(best))
    risks = risk(Signals(pairs, values, mean_values)).reshape(MANY_VALUES, -1)
    first = np.where(risks > max_risk * _MARGIN, 0, second + 1).max(axis=1)
    limits: Shares = np.append(np.append(shares, np.inf)[first], np.inf)
    return limits


def features(signals: Signals) -> Shares:
    """Return 1, the logarithms of the signals, and the products of two of these, as rows."""
    (best, second), values, mean_values = signals
    result = np.empty((1 + _SIGNALS + _PRODUCTS, len(values)))
    result[0] = 1
    result[1] = values > 0
    np.log(best + _FLOOR, out=result[2])
    np.log(second + _FLOOR, out=result[3])
    np.log1p(values, out=result[4])
    result[5] = np.log(mean_values)
    _multiply(result)
    return result


@kernel
def _multiply(features: Annotated[Shares, 2]) -> None:
    """Write the products of two signals after the signals."""
    product = _SIGNALS
    for first in range(1, _SIGNALS + 1):
        for second in range(first, _SIGNALS + 1):
            if second > 1:  # the first one has only the values 0 and 1, so its square is itself
                product += 1
                for n in range(features.shape[1]):
                    features[product, n] = features[first, n] * features[second, n]


@kernel
def _weigh(sums: Shares, features: Annotated[Shares, 2], weights: Shares) -> None:
    """Write the sums of the weighted features.

    They are added in order, as NumPy's sums depend on the number of items in the last bit.
    """
    for n in range(sums.size):
        sums[n] = 0.0
    for feature in range(weights.size):
        for n in range(sums.size):
            sums[n] += weights[feature] * features[feature, n]


@functools.cache
def _constants() -> tuple[Shares, float]:
    """Return the weights, and the minimum probability."""
    text = resources.files(__package__).joinpath("risk.toml").read_text("utf-8")
    constants = tomllib.loads(text)
    return np.array(constants["weights"], np.float64), constants["unforeseen"]
