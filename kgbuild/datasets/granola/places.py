"""Find the places that contain a place at a time, each with the triples that lead there.

A truthy dump has no qualifiers, so its statements have no dates. A place that no longer exists
counts only if its beginning and its end are stated. If a place has several present countries, only
those count that the areas around it confirm.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.descriptions import DESCRIPTION, Descriptions
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence

CONTINENT = "P30"
COUNTRY = "Q6256"
"""The class of countries."""
COUNTRIES = {COUNTRY, "Q3624078"}
"""The classes of countries and of sovereign states."""
_AREA, _COUNTRY = "P131", "P17"
_SEATS = ("P159", "P276")
"""Headquarters location and location of items that have a seat, such as companies."""
_CONTINENTS = "Q5107"
"""The class of continents."""
_EURASIA = "Q5401"
_BEGINS, _ENDS, _REPLACED_BY = "P571", "P576", "P1366"
_FORMER = re.compile(
    r"\b(?:former|historical|abolished|defunct|dissolved|eyalet|sanjak|uyezd|vilayet"
    r"|(?:of|in) (?:the )?(?:East Germany|German Democratic Republic|Prussia|Kingdom of Bavaria"
    r"|Czechoslovakia|Soviet Union|Yugoslavia|imperial territory"
    r"|(?:Russian|Ottoman|Austrian|Austro-Hungarian|Roman) Empire))\b",
    re.IGNORECASE,
)
"""Words in names and descriptions of places that no longer exist."""


class Ancestor(NamedTuple):
    """A place that contains another place, and the triples that lead from that place to it."""

    qid: str
    evidence: tuple[Evidence, ...]


class Places:
    """The places that contain a place, and the times at which places existed."""

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._values = knowledge.statements.values
        self._years = knowledge.times.years
        self._kinds = knowledge.kinds
        self._labels = knowledge.labels
        self._former: dict[str, bool] = {}
        self._ancestors: dict[tuple[str, Years | None, bool], list[Ancestor]] = {}
        tables = read_toml("granola", "places")
        self.descriptions = Descriptions(
            knowledge, self.is_former, tuple(tables["states"]), tuple(tables["cities"])
        )

    def above(self, place: str, when: Years | None, seated: bool = False) -> list[Ancestor]:
        """Return all places that contained a place in some years, the nearest first.

        ``when`` is None for now. A place that did not exist then is left out, with all that
        only it leads to. Only countries lead to continents. ``seated`` items, such as companies,
        are not places, but have a seat in a place.
        """
        key = place, when, seated
        if key not in self._ancestors:
            reached = {place: Ancestor(place, ())}
            queue = [place]
            for qid in queue:  # grows during the loop: breadth first
                for target, step in self._steps(reached[qid], when, seated and qid == place):
                    if target not in reached:
                        reached[target] = Ancestor(target, (*reached[qid].evidence, step))
                        if step.property != CONTINENT:
                            queue.append(target)
            self._ancestors[key] = list(reached.values())[1:]
        return self._ancestors[key]

    def _steps(
        self, reached: Ancestor, when: Years | None, seated: bool
    ) -> list[tuple[str, Evidence]]:
        """Return the places directly around a place, each with the triple that states it."""
        place = reached.qid
        stated = [
            (value, pid)
            for pid in _area_properties(seated)
            for value in self._values(place, pid)
            if pid == _AREA or not self._is_country(value)  # "the United States" is no seat
        ]
        stated += [(value, _COUNTRY) for value in self._countries(place, seated)]
        stated = [step for step in stated if self._may_contain(step[0], place)]
        steps = [
            (value, Evidence(place, pid, value))
            for value, pid in stated
            if self.existed(value, when)
        ]
        # A description states where a place is now, not where Königsberg was in 1880.
        if all(self.had_ended(value, when) for value, _ in stated):
            steps += self._described(place, when)
        if self._is_country(place):
            steps += [(qid, Evidence(place, CONTINENT, qid)) for qid in self._continents(reached)]
        return steps

    def _is_country(self, place: str) -> bool:
        classes = self._values(place, "P31")
        return place in self._values(place, _COUNTRY) or not COUNTRIES.isdisjoint(classes)

    def _may_contain(self, other: str, place: str) -> bool:
        """Return whether a place may lie in another item: in a place, not an organisation."""
        kinds = self._kinds.names(other)
        is_continent = _CONTINENTS in self._values(other, "P31")
        is_beside = other in read_toml("granola", "places")["apart"].get(place, ())
        return (not kinds or "place" in kinds) and not is_continent and not is_beside

    def _described(self, place: str, when: Years | None) -> list[tuple[str, Evidence]]:
        """Return the place that the description of a place names."""
        description = self.descriptions.read(place)
        where = description.where if description else None
        if not description or not where or where == place or not self.existed(where, when):
            return []
        return [(where, Evidence(place, DESCRIPTION, description.text))]

    def _countries(self, place: str, seated: bool) -> list[str]:
        """Return the countries of a place, at any time.

        Several present countries count only if an area around the place confirms them: Florence
        has the country France, to which it belonged for six years.
        """
        is_former = self.is_former
        expected = self._countries_of_classes(place)
        countries = [
            country
            for country in self._values(place, _COUNTRY)
            if not expected or country in expected or is_former(country)
        ]
        if sum(not is_former(country) for country in countries) < 2:
            return countries
        areas = self._areas(place, seated)
        confirmed = {country for area in areas for country in self._values(area, _COUNTRY)}
        confirmed.update(areas, [place])
        return [country for country in countries if is_former(country) or country in confirmed]

    def _countries_of_classes(self, place: str) -> set[str]:
        """Return the countries that the classes of a place name: "municipality of Finland"."""
        labels = (self._labels.label(qid) for qid in self._values(place, "P31"))
        countries = (self.descriptions.country_of(label) for label in labels if label)
        return {country for country in countries if country}

    def _areas(self, place: str, seated: bool) -> set[str]:
        """Return the areas around a place, at any time."""
        areas = {value for pid in _area_properties(seated) for value in self._values(place, pid)}
        return areas.union(*(above(self._statements, area, [_AREA]) for area in areas))

    def _continents(self, country: Ancestor) -> Sequence[str]:
        """Return the continent of a country, unless a place on the way is on another one."""
        continents = self._values(country.qid, CONTINENT)
        if len(continents) > 1:
            mainland = read_toml("granola", "places")["mainland"].get(country.qid)
            continents = tuple(qid for qid in continents if qid == mainland)
        on_the_way = (self._values(step.subject, CONTINENT) for step in country.evidence)
        stated = {continent for values in on_the_way for continent in values} - {_EURASIA}
        return [qid for qid in continents if not stated or qid in stated]

    def is_former(self, place: str) -> bool:
        """Return whether a place no longer exists."""
        if place not in self._former:
            self._former[place] = self._is_former(place)
        return self._former[place]

    def existed(self, place: str, when: Years | None) -> bool:
        """Return whether a place existed in some years, or exists now if ``when`` is None."""
        if when is None:
            return not self.is_former(place)
        begins, ends = (self._years(place, pid) for pid in (_BEGINS, _ENDS))
        if self.is_former(place) and not (begins and ends):
            return False
        first = min((years[0] for years in begins), default=self._first_year(place, when[1]))
        last = max((years[1] for years in ends), default=when[0])
        return first <= when[1] and when[0] <= last

    def had_ended(self, place: str, when: Years | None) -> bool:
        """Return whether a place no longer exists, and had ended before the years ``when``."""
        ends = [years[1] for years in self._years(place, _ENDS)]
        was_over = when is None or (ends and max(ends) <= when[0])
        return bool(self.is_former(place) and was_over)

    def _is_former(self, place: str) -> bool:
        if self._years(place, _ENDS):
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
            or not read_toml("granola", "places")["former"].keys().isdisjoint(classes)
        )

    def _first_year(self, place: str, default: int) -> int:
        """Return the first year of an area in places.toml, which lists areas and classes."""
        table = read_toml("granola", "places")["begun"]
        keys = (place, *self._values(place, "P31"))
        return max((table[key] for key in keys if key in table), default=default)


def _area_properties(seated: bool) -> tuple[str, ...]:
    return (*(_SEATS if seated else ()), _AREA)
