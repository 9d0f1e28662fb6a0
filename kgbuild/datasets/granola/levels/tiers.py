"""The kinds of coarser answers, and their order."""

from collections.abc import Iterable

from kgbuild.datasets.granola.levels.classes import BROADER, CLASS, OCCUPATION, Facet
from kgbuild.datasets.granola.levels.institutions import WHOLE

_DIMENSIONS = {CLASS: "class", OCCUPATION: "occupation", WHOLE: "item"}
TIERS = {
    "item": 900,
    "people + occupation": 400,
    "place + class": 300,
    "occupation": 200,
    "class": 100,
    "people": 0,
    "place": 0,
}
"""The tiers of the kinds of answers, to which that of a place is added.

A finer answer has a higher tier: "a British record label" (300 + 100), "a record label" (100).
"""

HEAD = 50
"""What is added to the tier of an occupation or a class that describes an item best."""


def kind_of(facets: Iterable[Facet]) -> str:
    """Return the kind of an answer by its facets, such as "place" or "people + occupation"."""
    dimensions = (dimension for dimension, _ in facets)
    return " + ".join(
        "class" if key.startswith(BROADER) else _DIMENSIONS.get(key, key) for key in dimensions
    )
