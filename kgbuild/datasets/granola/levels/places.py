"""Find the places that contain a place at a time, each with the triples that prove it.

A truthy dump has no qualifiers, so its statements have no dates: ``history`` decides which former
places count. If a place has several present countries, a country counts only if the areas around
the place confirm it. Years are a pair of the first and the last year; None is the present.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION, Descriptions
from kgbuild.datasets.granola.levels.history import (
    AREA_OF,
    CACHE_SIZE,
    COUNTRY,
    COUNTRY_OF,
    SEATS,
    History,
)
from kgbuild.datasets.granola.levels.same_extent import of_same_extent
from kgbuild.datasets.granola.levels.turning_years import CONTINENT, TurningYears
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence

PLACE = "place"
"""The dimension of places."""
COUNTRIES = {COUNTRY, "Q3624078"}
"""The classes of countries and of sovereign states."""
_CONTINENTS = "Q5107"
"""The class of continents."""
_EURASIA = "Q5401"
_CAPITAL, _CAPITAL_OF = "P36", "P1376"


class Ancestor(NamedTuple):
    """A place around another place, and the triples from the inner place to it."""

    qid: str
    evidence: tuple[Evidence, ...]


_Step: TypeAlias = tuple[str, tuple[Evidence, ...]]
"""A place directly around another place, and the triples that state it."""


class Places:
    """The places that contain a place, and the times at which places existed.

    ``relevant`` is that of ``TurningYears``.
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._values = knowledge.statements.values
        self._kinds = knowledge.kinds
        self._labels = knowledge.labels
        self.history = History(knowledge)
        self._ancestors = functools.lru_cache(CACHE_SIZE)(self._read_ancestors)
        tables = read_toml("granola", "levels/places")
        self._dependent = frozenset(tables["dependent"])
        self._not_areas = frozenset(tables["not_areas"])
        self.descriptions = Descriptions(
            knowledge, self.history.is_former, tuple(tables["states"]), tuple(tables["cities"])
        )
        self.relevant = TurningYears(self._values, self.history, self.described_place).relevant

    def above(self, place: str, when: Years | None, seated: bool = False) -> list[Ancestor]:
        """Return all places around a place in the years ``when``, the nearest first.

        The places of today are always among them, former places only if they contained the place in
        these years. The continent comes last. ``seated`` items, such as companies, are not places,
        but have a seat in a place.
        """
        return self._ancestors(place, self.relevant(place, when), seated)

    def _read_ancestors(self, place: str, when: Years | None, seated: bool) -> list[Ancestor]:
        ancestors = self.collect(place, when, seated, only_certain=True)
        for continent in self._continents([*ancestors.values()]):
            ancestors.setdefault(continent.qid, continent)
        _, *outer = ancestors.values()  # without the place itself
        same = of_same_extent(ancestors, self._labels.label, self._values)
        return [ancestor for ancestor in outer if ancestor.qid not in same]

    def collect(
        self, start: str, when: Years | None, seated: bool, only_certain: bool
    ) -> dict[str, Ancestor]:
        """Return a place and the places around it by id, the nearest first.

        ``only_certain`` leaves out steps to one of several alternatives: see ``_certain``.
        """
        reached = {start: Ancestor(start, ())}
        queue = [start]
        for qid in queue:  # grows during the loop: breadth first
            is_seat = seated and qid == start
            steps = self._steps(start, qid, when, is_seat)
            for target, path in self._certain(qid, steps, when, is_seat) if only_certain else steps:
                if target not in reached:
                    reached[target] = Ancestor(target, (*reached[qid].evidence, *path))
                    queue.append(target)
        return reached

    def _steps(self, start: str, place: str, when: Years | None, seated: bool) -> list[_Step]:
        """Return the places directly around a place, each with the triple that states it.

        ``start`` is the place whose ancestors are collected.
        """
        triples = [
            Evidence(place, pid, value)
            for pid in _area_properties(seated)
            for value in self._values(place, pid)
            if pid == AREA_OF or not self.is_country(value)  # a country is not a seat
        ]
        triples += [
            Evidence(place, COUNTRY_OF, country) for country in self._countries(place, seated)
        ]
        triples = [triple for triple in triples if self.may_contain(triple.object, place)]
        history = self.history
        steps: list[_Step] = [
            (triple.object, (triple,))
            for triple in triples
            if not history.is_former(triple.object) or history.contained(triple.object, start, when)
        ]
        # A description says where a place is now, not where Königsberg was in 1880.
        is_unstated = all(history.had_ended(triple.object, when) for triple in triples)
        has_area = any(not self.is_country(triple.object) for triple in triples)
        steps += [
            (where, path)
            for where, path in self._step_by_description(place)
            if is_unstated or not (has_area or self.is_country(where))
        ]
        return steps

    def _certain(
        self, place: str, steps: Sequence[_Step], when: Years | None, seated: bool
    ) -> list[_Step]:
        """Return the steps that are certain.

        A town with several counties is in one of them, but not certainly in any. Of such
        alternatives, the area counts whose capital the place is. If there is none, the places
        around all alternatives count.
        """
        targets = dict.fromkeys(target for target, _ in steps)
        alternatives = {
            target: [area for area in targets if self._are_alternatives(target, area, seated)]
            for target in targets
        }
        with_capital = {target for target in targets if self._is_capital(place, target)}
        certain: list[_Step] = []
        for target, path in steps:
            if not alternatives[target] or target in with_capital:
                certain.append((target, path))
            elif with_capital.isdisjoint(alternatives[target]):
                ancestors, *ancestors_of_alternatives = (
                    self.collect(qid, when, False, only_certain=False)
                    for qid in (target, *alternatives[target])
                )
                certain += [
                    (qid, path + ancestor.evidence)
                    for qid, ancestor in ancestors.items()
                    if all(qid in qids for qids in ancestors_of_alternatives)
                ]
        return certain

    def _are_alternatives(self, first: str, second: str, seated: bool) -> bool:
        """Return whether a place can lie in only one of two areas of today.

        They do not contain each other, and have a class in common unless they are seats: companies
        have several.
        """
        if first == second or any(map(self.history.is_former, (first, second))):
            return False
        around = self.history.around
        # Of a place with nothing around it, it is unknown where it lies.
        are_seats = seated and all(
            around(area) and not self.is_country(area) for area in (first, second)
        )
        has_same_class = are_seats or not {*self._values(first, "P31")}.isdisjoint(
            self._values(second, "P31")
        )
        are_apart = first not in around(second) and second not in around(first)
        return has_same_class and are_apart

    def _is_capital(self, place: str, area: str) -> bool:
        """Return whether a place is the capital of an area."""
        return place in self._values(area, _CAPITAL) or area in self._values(place, _CAPITAL_OF)

    def is_country(self, place: str) -> bool:
        """Return whether a place is a country, of today or former."""
        classes = self._values(place, "P31")
        return place in self._values(place, COUNTRY_OF) or not COUNTRIES.isdisjoint(classes)

    def is_continent(self, place: str) -> bool:
        """Return whether a place is a continent."""
        return _CONTINENTS in self._values(place, "P31")

    def may_contain(self, item: str, place: str) -> bool:
        """Return whether an item may contain a place: a place may, but an organisation may not."""
        kinds = self._kinds.names(item)
        table = read_toml("granola", "levels/places")["not_in"]
        keys = (place, *self._values(place, "P31"))
        is_beside = any(item in table[key] for key in keys if key in table)
        is_area = self._not_areas.isdisjoint(self._values(item, "P31"))
        is_place = is_area and (not kinds or "place" in kinds)
        return is_place and not self.is_continent(item) and not is_beside

    def described_place(self, place: str) -> str | None:
        """Return the place of today that the description of a place names, or None."""
        description = self.descriptions.read(place)
        where = description.where if description else None
        return None if where == place or (where and self.history.is_former(where)) else where

    def _step_by_description(self, place: str) -> list[_Step]:
        """Return the place that the description of a place names."""
        where, description = self.described_place(place), self.descriptions.read(place)
        if not where or not description:
            return []
        return [(where, (Evidence(place, DESCRIPTION, description.text),))]

    def _countries(self, place: str, seated: bool) -> list[str]:
        """Return the countries of a place, at any time.

        If there are several present countries, only countries of an area around the place count:
        Florence has the statement that its country is France, which it was for six years. A colony
        or a mandate has none: the power over it is not around it.
        """
        if not self._dependent.isdisjoint(self._values(place, "P31")):
            return []
        is_former = self.history.is_former
        expected = self.countries_of_classes(place)
        countries = [
            country
            for country in self._values(place, COUNTRY_OF)
            if not expected or country in expected or is_former(country)
        ]
        if sum(not is_former(country) for country in countries) < 2:
            return countries
        areas = self._areas(place, seated)
        confirmed = {country for area in areas for country in self._values(area, COUNTRY_OF)}
        confirmed.update(areas, [place])
        return [country for country in countries if is_former(country) or country in confirmed]

    def countries_of_classes(self, place: str) -> set[str]:
        """Return the countries that the classes of a place name: "municipality of Finland"."""
        labels = (self._labels.label(qid) for qid in self._values(place, "P31"))
        countries = (self.descriptions.country_of(label) for label in labels if label)
        return {country for country in countries if country}

    def _areas(self, place: str, seated: bool) -> set[str]:
        """Return the areas around a place, at any time."""
        areas = {value for pid in _area_properties(seated) for value in self._values(place, pid)}
        return areas.union(*(above(self._statements, area, [AREA_OF]) for area in areas))

    def _continents(self, places: Sequence[Ancestor]) -> list[Ancestor]:
        """Return the continent of a place, or an empty list if it is unclear.

        ``places`` are the place and the places around it, the nearest first. The nearest of them
        with a continent decides; it must have only one. Countries come last, because Hawaii is not
        on the continent of its country.
        """
        overseas = read_toml("granola", "levels/places")["overseas"]
        description = self._labels.description(places[0].qid) or ""
        is_overseas = any(place.qid in overseas for place in places) or any(
            name in description for name in overseas.values()
        )
        for place in sorted(places, key=lambda place: self.is_country(place.qid)):
            if continents := self.continents_of(place.qid, is_overseas):
                if len(continents) > 1:
                    return []
                triple = Evidence(place.qid, CONTINENT, *continents)
                return [Ancestor(triple.object, (*place.evidence, triple))]
        return []

    def continents_of(self, place: str, is_overseas: bool) -> set[str]:
        """Return the continents of a place; for a country of today, that of its mainland."""
        continents = {*self._values(place, CONTINENT)} - {_EURASIA}
        if not self.is_country(place):
            return continents
        if is_overseas or self.history.is_former(place):
            return set()
        return (
            continents & {read_toml("granola", "levels/places")["mainland"].get(place)}
            or continents
        )


def _area_properties(seated: bool) -> tuple[str, ...]:
    return (*(SEATS if seated else ()), AREA_OF)
