"""Estimate how probable it is that an assumption is true although the store does not say so."""

import math

from kgbuild.graph.association import Association

_INTERCEPT, _BEST, _SECOND, _HAS_VALUE = 1.85, 1.53, 1.30, -0.42
"""Fitted by logistic regression: 30 % of the statements of a real slice were hidden (at random,
by the seed 101, which no benchmark uses), and candidates for 61 relations were drawn; those whose
statement was among the hidden ones are true."""
_FLOOR = 0.05
"""What is added to each share, as a share of zero has no logarithm."""


def risk(association: Association, has_value: bool) -> float:
    """Estimate P(the item has the value | its other values).

    ``has_value`` says whether the store has another value of the relation: then it is less
    probable that one is missing.
    """
    x = _INTERCEPT + _HAS_VALUE * has_value
    x += _BEST * math.log(association.best + _FLOOR)
    x += _SECOND * math.log(association.second + _FLOOR)
    return 1 / (1 + math.exp(-x))
