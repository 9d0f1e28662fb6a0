"""Estimate how probable it is that an assumption is true although the store does not say so."""

import functools
import itertools
import math
import operator
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from kgbuild.graph.association import Association

_FLOOR = 0.02
"""What is added to each share, as a share of zero has no logarithm."""


class Signals(NamedTuple):
    """What the store says about how likely an item has a value of a relation.

    ``association`` are the shares of items with the value among similar ones that state the
    relation; ``values`` counts the item's own values of the relation; ``mean_values`` is their
    average over the items that state it.
    """

    association: Association
    values: int
    mean_values: float


def risk(signals: Signals) -> float:
    """Estimate P(the item has the value | its other values), by the constants of ``risk.toml``."""
    constants = _constants()
    odds = sum(map(operator.mul, constants["weights"], features(signals)))
    unforeseen: float = constants["unforeseen"]
    return unforeseen + (1 - unforeseen) / (1 + math.exp(-max(odds, -700.0)))


def features(signals: Signals) -> Sequence[float]:
    """Return 1, the logarithms of the signals, and the products of two of these."""
    (best, second), values, mean_values = signals
    single = (
        float(values > 0),
        math.log(best + _FLOOR),
        math.log(second + _FLOOR),
        math.log1p(values),
        math.log(mean_values),
    )
    products = (a * b for a, b in itertools.combinations_with_replacement(single, 2))
    # The first one has only the values 0 and 1, so its square is itself.
    return [1.0, *single, *itertools.islice(products, 1, None)]


@functools.cache
def _constants() -> Mapping[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("risk.toml").read_text("utf-8"))
