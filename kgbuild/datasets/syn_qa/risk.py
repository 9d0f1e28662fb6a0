"""Estimate how probable it is that an assumption is true although the store does not say so."""

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
"""What is added to each share, as a share of zero has no logarithm."""


class Signals(NamedTuple):
    """What the store says about how likely each of some items has a value of a relation.

    ``association`` are the shares of items with the value among similar ones that state the
    relation; ``values`` counts each item's own values of the relation; ``mean_values`` is their
    average over the items that state it.
    """

    association: Association
    values: Shares
    mean_values: float


def risk(signals: Signals) -> Shares:
    """Estimate P(item has the value | its other values) of each, by the constants of the file."""
    constants = _constants()
    # Added in order, as NumPy's sums depend on the number of items in the last bit.
    odds = sum(map(operator.mul, constants["weights"], features(signals)))
    unforeseen: float = constants["unforeseen"]
    risks: Shares = unforeseen + (1 - unforeseen) / (1 + np.exp(-np.maximum(odds, -700.0)))
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
