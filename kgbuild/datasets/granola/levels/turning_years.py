"""Find the years in which the places around a place changed."""

import functools
from bisect import bisect_right
from collections.abc import Callable, Sequence

from kgbuild.datasets.granola.levels.history import CACHE_SIZE, LONG_AGO, History
from kgbuild.graph.times import Years

CONTINENT = "P30"
_FIRST_YEAR = -(10**18)
"""A year before all others, also before that in which places without a beginning began."""


class TurningYears:
    """The years in which places around a place began or ended.

    ``values`` returns the values of an item and a property, ``described_place`` the place that the
    description of a place names.
    """

    def __init__(
        self,
        values: Callable[[str, str], Sequence[str]],
        history: History,
        described_place: Callable[[str], str | None],
    ):
        self._values = values
        self._history = history
        self._described_place = described_place
        self._latest_beginning = functools.lru_cache(CACHE_SIZE)(self._read_latest_beginning)
        self._turns = functools.lru_cache(CACHE_SIZE)(self._read_turns)

    def relevant(self, place: str, when: Years | None) -> Years | None:
        """Return years in which the places around a place are the same as in the years ``when``.

        They are None if these places have always been the same. Otherwise they begin and end when
        these places changed, so that there are few of them.
        """
        if when and (self._history.has_past(place) or self._latest_beginning(place) > when[1]):
            turns = self._turns(place)
            first, last = (turns[bisect_right(turns, year) - 1] for year in when)
            return first, last
        return None

    def _read_turns(self, place: str) -> list[int]:
        """Return the years with which ``when`` is compared, and those after them, sorted.

        They are those in which the places around a place, at any time, began or ended.
        """
        reached = {place}
        queue = [place]
        for qid in queue:  # grows during the loop
            continents = self._values(qid, CONTINENT)
            new = {*self._described(qid), *continents, *self._history.around(qid)} - reached
            reached |= new
            queue += new
        turns = {year for qid in reached for year in self._history.turns(qid)}
        return sorted({_FIRST_YEAR, LONG_AGO, *turns, *(year + 1 for year in turns)})

    def _read_latest_beginning(self, place: str) -> int:
        """Return the latest year in which a place, or one around it, began."""
        reached = dict.fromkeys((place, *self._history.around(place)))
        queue = [*reached]
        for qid in queue:  # grows during the loop
            places = self._described(qid)
            new = [area for where in places for area in (where, *self._history.around(where))]
            queue += [area for area in new if area not in reached]
            reached |= dict.fromkeys(new)
        return max(map(self._history.beginning, reached))

    def _described(self, place: str) -> list[str]:
        where = self._described_place(place)
        return [where] if where else []
