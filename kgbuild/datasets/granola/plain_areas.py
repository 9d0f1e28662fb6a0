"""Find out what lies around an area, once for all places that are in it: see ``plain_places``."""

from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.places import Places
from kgbuild.datasets.granola.levels.same_extent import may_be_same
from kgbuild.graph.knowledge import Knowledge

_NONE = frozenset[str]()


class Area(NamedTuple):
    """An area with the places around it, and its classes.

    ``is_plain`` is whether these places are the same at all times, and for all places in it.
    ``inner`` has the number of the continents that are stated of the area, or of a place around it
    that is no country; ``outer`` that of those of its countries. Both may be empty.
    """

    around: frozenset[str]
    classes: int
    is_plain: bool
    is_country: bool
    inner: tuple[int, ...]
    outer: tuple[int, ...]


class PlainAreas:
    """The areas of a store, each by its number in ``all``."""

    def __init__(self, knowledge: Knowledge, places: Places):
        self._values = knowledge.statements.values
        self._labels = knowledge.labels
        self._places = places
        self._overseas = read_toml("granola", "levels/places")["overseas"]
        self._numbers: dict[str, int] = {}
        self._class_sets: dict[frozenset[str], int] = {}
        self._continents: dict[frozenset[str], int] = {}
        self.all: list[Area] = []

    def number(self, qid: str) -> int:
        """Return the number of an area."""
        if qid not in self._numbers:
            self._numbers[qid] = len(self.all)
            self.all.append(self._read(qid))
        return self._numbers[qid]

    def have_common_class(self, first: int, second: int) -> bool:
        """Return whether areas with these numbers of classes have a class in common."""
        class_sets = [*self._class_sets]
        return not class_sets[first].isdisjoint(class_sets[second])

    def continents(self) -> list[frozenset[str]]:
        """Return the sets of continents by their numbers."""
        return [*self._continents]

    def _read(self, area: str) -> Area:
        around = frozenset(self._places.collect(area, None, False, only_certain=True))
        possible = self._places.collect(area, None, False, only_certain=False)
        countries = {place for place in around if self._places.is_country(place)}
        inner, outer = (
            {frozenset(self._places.continents_of(place, False)) for place in group} - {_NONE}
            for group in (around - countries, countries)
        )
        names = around.union(*inner, *outer)
        history = self._places.history
        is_plain = (
            not history.is_former(area)
            and not any(map(history.has_past, possible))
            and around.isdisjoint(self._overseas)
            and not may_be_same(names, self._labels.label, self._values)
            and len(inner or outer) < 2
        )
        return Area(
            around,
            _number(self._class_sets, frozenset(self._values(area, "P31"))),
            is_plain,
            area in countries,
            tuple(_number(self._continents, qids) for qids in inner),
            tuple(_number(self._continents, qids) for qids in outer),
        )


def _number(numbers: dict[frozenset[str], int], qids: frozenset[str]) -> int:
    """Return the number of a set of items, which gets one if it has none."""
    return numbers.setdefault(qids, len(numbers))
