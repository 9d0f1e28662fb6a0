"""Find out what the classes of a place say about it, once for all places of these classes."""

from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS, Classes, Facet
from kgbuild.datasets.granola.levels.places import COUNTRIES, Places
from kgbuild.datasets.granola.levels.same_extent import is_consolidated
from kgbuild.graph.knowledge import Knowledge

PLACES = (None, "place", "water")
"""Kinds of items that are places, and items of no kind; all others have a seat in a place."""


class PlaceClass(NamedTuple):
    """The classes of a place: their facets, and whether a place of them can be plain.

    If ``countries`` are not empty, the place is in one of them. ``example`` is a place of them.
    """

    example: str
    facets: frozenset[Facet]
    is_plain: bool
    countries: frozenset[str]


class PlainClasses:
    """The classes of the places of a store."""

    def __init__(self, knowledge: Knowledge, places: Places, classes: Classes):
        self._values = knowledge.statements.values
        self._kinds = knowledge.kinds
        self._places = places
        self._classes = classes
        self._unusual = COUNTRIES.union(read_toml("granola", "levels/places")["dependent"])

    def read(self, place: str) -> PlaceClass:
        """Return the classes of a place, which has at least one by its statements."""
        classes = self._values(place, CLASS)
        kind = next(iter(self._kinds.names(place)), None)
        is_unusual = not self._unusual.isdisjoint(classes) or is_consolidated(place, self._values)
        return PlaceClass(
            place,
            frozenset(self._classes.with_superclasses(self._classes.direct(place, CLASS))),
            kind in PLACES and not is_unusual,
            frozenset(self._places.countries_of_classes(place)),
        )
