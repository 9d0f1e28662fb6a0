"""Estimate how probable it is that an assumption is true although the store does not say so."""

import math
from typing import NamedTuple

from kgbuild.graph.association import Association


class Signals(NamedTuple):
    """What the store says about how likely an item has a value of a relation.

    ``association`` are the shares of items with the value among similar ones that state the
    relation; ``values`` counts the item's own values of the relation; ``mean_values`` is their
    average over the items that state it.
    """

    association: Association
    values: int
    mean_values: float


_UNFORESEEN = 0.0020
"""The risk where nothing speaks for the value."""
_INTERCEPT, _BEST, _SECOND = 1.2038, 1.6852, 0.8663
_STATED, _VALUES, _MEAN_VALUES = -3.8543, 0.5310, 0.4075
"""Fitted by ``benchmarks/risk.py`` on statements that were removed from a real slice: at random,
all of a relation about an item, all of a relation about a group of items. Only items whose whole
relation is stated in the slice count, since of no other is it certain what they lack."""
FLOOR = 0.02
"""What is added to each share, as a share of zero has no logarithm."""


def risk(signals: Signals) -> float:
    """Estimate P(the item has the value | its other values)."""
    association, values, mean_values = signals
    x = _INTERCEPT + _STATED * (values > 0)
    x += _BEST * math.log(association.best + FLOOR)
    x += _SECOND * math.log(association.second + FLOOR)
    x += _VALUES * math.log1p(values) + _MEAN_VALUES * math.log(mean_values)
    return _UNFORESEEN + (1 - _UNFORESEEN) / (1 + math.exp(-x))
