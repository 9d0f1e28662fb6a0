"""Find out when places existed, and which former states contained a place at a time.

A truthy dump has no qualifiers, so its statements have no dates. A former state counts only if its
beginning and its end are stated.
"""

import functools
import itertools
import re
from collections.abc import Iterable

from kgbuild.datasets.base import read_toml
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years

COUNTRY = "Q6256"
"""The class of countries."""
AREA_OF, COUNTRY_OF = "P131", "P17"
"""The properties from a place to an area and to a country that contain it."""
SEATS = ("P159", "P276")
"""Headquarters location and location of items that have a seat, such as companies."""
_BEGINS, _ENDS, _REPLACED_BY, _REPLACES = "P571", "P576", "P1366", "P1365"
_DIED, _DEATH = "P570", frozenset({"P20", "P119", "P509", "P1196"})
"""Date of death; place, burial, cause and manner of death."""
LONG_AGO = -(10**6)
"""The year in which a place began whose beginning is unknown."""
_MAX_LIFE = 200
"""Maximum number of years that a former state lasted; over longer times, its area changed."""
CACHE_SIZE = 1 << 16
"""Maximum number of places whose surroundings are kept in memory."""
_FORMER = re.compile(
    r"\b(?:former|historical|abolished|defunct|dissolved|eyalet|sanjak|uyezd|vilayet"
    r"|(?:of|in) (?:the )?(?:East Germany|German Democratic Republic|Prussia|Kingdom of Bavaria"
    r"|Czechoslovakia|Soviet Union|Yugoslavia|imperial territory"
    r"|(?:Russian|Ottoman|Austrian|Austro-Hungarian|Roman) Empire))\b",
    re.IGNORECASE,
)
"""Words in names and descriptions of places that no longer exist."""


class History:
    """The times at which places existed.

    Years are a pair of the first and the last year; None is the present. ``is_former`` returns
    whether a place no longer exists, ``around`` all places that statements put around a place or a
    seat, and ``has_past`` whether one of these is former; all are cached.
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._values = knowledge.statements.values
        self._years = knowledge.times.years
        self._labels = knowledge.labels
        self.is_former = functools.lru_cache(CACHE_SIZE)(self._is_former)
        self.around = functools.lru_cache(CACHE_SIZE)(self._read_around)
        self.has_past = functools.lru_cache(CACHE_SIZE)(self._read_has_past)

    def began_after(self, place: str, when: Years | None) -> bool:
        """Return whether a place of today began after the years ``when``."""
        return when is not None and not self.is_former(place) and self.beginning(place) > when[1]

    def has_end(self, place: str) -> bool:
        """Return whether an end is stated of a place or an item, or the death of a person."""
        if not _DEATH.isdisjoint(self._statements.by_property(place)):
            return True
        return bool(self._years(place, _ENDS) or self._years(place, _DIED))

    def kept_name(self, place: str, former: Iterable[str]) -> bool:
        """Return whether a country had its name before: Italy was the Kingdom of Italy.

        ``former`` are former countries where it is now.
        """
        tables = read_toml("granola", "levels/places")
        if place in tables["moved"]:
            return False  # a town of the German Empire was in no Poland
        name = self._labels.label(place) or place
        labels = (
            self._labels.label(qid) or "" for qid in (*former, *self._values(place, _REPLACES))
        )
        return place in tables["kept_names"] or any(
            label == name or label.endswith(f" {name}") or label.startswith(f"{name} of ")
            for label in labels
        )

    def contained(self, state: str, place: str, when: Years | None) -> bool:
        """Return whether a former state contained a place in all of the years ``when``.

        The years must be between the first and the last year of the state, which must not have
        lasted too long. If another state of the place began later and still existed, the place was
        in that state, unless one of the two states was a part of the other.
        """
        begins, ends = (self._years(state, pid) for pid in (_BEGINS, _ENDS))
        if when is None or not begins or not ends:
            return False
        first_year, last_year = when
        beginning, end = max(last for _, last in begins), min(first for first, _ in ends)
        if not beginning < first_year or not last_year < end or end - beginning > _MAX_LIFE:
            return False
        later_states = (
            country
            for country in self._states(place) - {state}
            if not self.had_ended(country, when)
            and any(
                beginning < first and last <= first_year
                for first, last in self._years(country, _BEGINS)
            )
        )
        return all(
            country in self.around(state)
            or (self.is_former(country) and state in self.around(country))
            for country in later_states
        )

    def _states(self, place: str) -> set[str]:
        """Return the countries of a place and of all places around it, at any time."""
        return {
            country
            for area in (place, *self.around(place))
            for country in self._values(area, COUNTRY_OF)
        }

    def had_ended(self, place: str, when: Years | None) -> bool:
        """Return whether a place no longer exists, and had ended before the years ``when``."""
        last_years = [last for _, last in self._years(place, _ENDS)]
        ended_before = when is None or (last_years and max(last_years) <= when[0])
        return bool(self.is_former(place) and ended_before)

    def _read_has_past(self, place: str) -> bool:
        return any(map(self.is_former, self.around(place)))

    def _read_around(self, place: str) -> frozenset[str]:
        """Return all places that statements put around a place or a seat, at any time."""
        seats = frozenset(value for pid in SEATS for value in self._values(place, pid))
        pids = (AREA_OF, COUNTRY_OF)
        return seats.union(*(above(self._statements, qid, pids) for qid in (place, *seats)))

    def _is_former(self, place: str) -> bool:
        """Return whether a place no longer exists."""
        if self.has_end(place):
            return True
        classes = self._values(place, "P31")
        if COUNTRY in classes:  # Canada is also a dominion of the British Empire
            return False
        texts = (
            self._labels.description(place),
            *map(self._labels.label, classes),
            self._labels.label(place),
        )
        return (
            bool(self._values(place, _REPLACED_BY))
            or any(text and _FORMER.search(text) for text in texts)
            or not read_toml("granola", "levels/places")["former"].keys().isdisjoint(classes)
        )

    def turns(self, place: str) -> list[int]:
        """Return the years in which a place may have begun or ended."""
        spans = (span for pid in (_BEGINS, _ENDS) for span in self._years(place, pid))
        return [self.beginning(place), *itertools.chain.from_iterable(spans)]

    def beginning(self, place: str) -> int:
        """Return the first year of a place, by its statements or by places.toml.

        The areas of a class in places.toml have a year, too. Without a year, it is long ago.
        """
        tables = read_toml("granola", "levels/places")
        if place in tables["moved"]:
            return int(tables["moved"][place])
        if years := self._years(place, _BEGINS):
            return min(first for first, _ in years)
        table = tables["first_years"]
        keys = (place, *self._values(place, "P31"))
        return max((table[key] for key in keys if key in table), default=LONG_AGO)
