"""Find the places that contain a place at a time, each with the triples that lead there.

A truthy dump has no qualifiers, so its statements have no dates: ``history`` decides which former
places count. If a place has several present countries, only those count that the areas around it
confirm.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.descriptions import DESCRIPTION, Descriptions
from kgbuild.datasets.granola.history import AREA_OF, COUNTRY, COUNTRY_OF, SEATS, History
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence

CONTINENT = "P30"
COUNTRIES = {COUNTRY, "Q3624078"}
"""The classes of countries and of sovereign states."""
_CONTINENTS = "Q5107"
"""The class of continents."""
_EURASIA = "Q5401"
_CAPITAL, _CAPITAL_OF = "P36", "P1376"


class Ancestor(NamedTuple):
    """A place that contains another place, and the triples that lead from that place to it."""

    qid: str
    evidence: tuple[Evidence, ...]


_Step: TypeAlias = tuple[str, tuple[Evidence, ...]]
"""A place around another one, and the triples that lead to it."""


class Places:
    """The places that contain a place, and the times at which places existed."""

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._values = knowledge.statements.values
        self._kinds = knowledge.kinds
        self._labels = knowledge.labels
        self.history = History(knowledge)
        self._ancestors: dict[tuple[str, Years | None, bool], list[Ancestor]] = {}
        tables = read_toml("granola", "places")
        self.descriptions = Descriptions(
            knowledge, self.history.is_former, tuple(tables["states"]), tuple(tables["cities"])
        )

    def above(self, place: str, when: Years | None, seated: bool = False) -> list[Ancestor]:
        """Return all places that contained a place in some years, the nearest first.

        ``when`` is None for now. The places of today are always among them; former places are if
        they contained the place then. The continent comes last. ``seated`` items, such as
        companies, are not places, but have a seat in a place.
        """
        key = place, self.relevant(place, when), seated
        if key not in self._ancestors:
            reached = self._reached(*key, is_certain=True)
            for continent in self._continents([*reached.values()]):
                reached.setdefault(continent.qid, continent)
            self._ancestors[key] = [*reached.values()][1:]
        return self._ancestors[key]

    def _reached(
        self, start: str, when: Years | None, seated: bool, is_certain: bool
    ) -> dict[str, Ancestor]:
        """Return a place and all that is around it, the nearest first.

        With ``is_certain``, only what is around it for sure: see ``_certain``.
        """
        reached = {start: Ancestor(start, ())}
        queue = [start]
        for qid in queue:  # grows during the loop: breadth first
            steps = self._steps(start, qid, when, seated and qid == start)
            for target, path in self._certain(qid, steps, when) if is_certain else steps:
                if target not in reached:
                    reached[target] = Ancestor(target, (*reached[qid].evidence, *path))
                    queue.append(target)
        return reached

    def relevant(self, place: str, when: Years | None) -> Years | None:
        """Return some years, or None if the places around a place were always those of today."""
        return when if self.history.has_past(place) else None

    def _steps(self, start: str, place: str, when: Years | None, seated: bool) -> list[_Step]:
        """Return the places directly around a place, each with the triple that states it.

        ``start`` is the place whose ancestors are looked up.
        """
        stated = [
            (value, pid)
            for pid in _area_properties(seated)
            for value in self._values(place, pid)
            if pid == AREA_OF or not self.is_country(value)  # "the United States" is no seat
        ]
        stated += [(value, COUNTRY_OF) for value in self._countries(place, seated)]
        stated = [step for step in stated if self._may_contain(step[0], place)]
        history = self.history
        steps: list[_Step] = [
            (value, (Evidence(place, pid, value),))
            for value, pid in stated
            if not history.is_former(value) or history.was_around(value, start, when)
        ]
        # A description states where a place is now, not where Königsberg was in 1880.
        if all(history.had_ended(value, when) for value, _ in stated):
            steps += self._described(place)
        return steps

    def _certain(self, place: str, steps: Sequence[_Step], when: Years | None) -> list[_Step]:
        """Return the steps that are certain: a town of several counties may lie in any of them.

        Of rivals only the area counts whose capital the place is, else what is around all of them.
        """
        targets = dict.fromkeys(target for target, _ in steps)
        rivals = {
            one: [other for other in targets if self._are_rivals(one, other)] for one in targets
        }
        capital = {target for target in targets if self._is_capital(place, target)}
        certain: list[_Step] = []
        for target, path in steps:
            if not rivals[target] or target in capital:
                certain.append((target, path))
            elif capital.isdisjoint(rivals[target]):
                around, *others = (
                    self._reached(qid, when, False, is_certain=False)
                    for qid in (target, *rivals[target])
                )
                certain += [
                    (qid, path + ancestor.evidence)
                    for qid, ancestor in around.items()
                    if all(qid in other for other in others)
                ]
        return certain

    def _are_rivals(self, one: str, other: str) -> bool:
        """Return whether a place can lie in only one of two areas of today.

        They have a class in common, and do not contain each other.
        """
        if one == other or any(map(self.history.is_former, (one, other))):
            return False
        has_same_class = not {*self._values(one, "P31")}.isdisjoint(self._values(other, "P31"))
        around = self.history.around
        return has_same_class and one not in around(other) and other not in around(one)

    def _is_capital(self, place: str, area: str) -> bool:
        return place in self._values(area, _CAPITAL) or area in self._values(place, _CAPITAL_OF)

    def is_country(self, place: str) -> bool:
        """Return whether a place is a country, of today or former."""
        classes = self._values(place, "P31")
        return place in self._values(place, COUNTRY_OF) or not COUNTRIES.isdisjoint(classes)

    def _may_contain(self, other: str, place: str) -> bool:
        """Return whether a place may lie in another item: in a place, not an organisation."""
        kinds = self._kinds.names(other)
        is_continent = _CONTINENTS in self._values(other, "P31")
        is_beside = other in read_toml("granola", "places")["apart"].get(place, ())
        return (not kinds or "place" in kinds) and not is_continent and not is_beside

    def _described(self, place: str) -> list[_Step]:
        """Return the place that the description of a place names."""
        description = self.descriptions.read(place)
        where = description.where if description else None
        if not description or not where or where == place or self.history.is_former(where):
            return []
        return [(where, (Evidence(place, DESCRIPTION, description.text),))]

    def _countries(self, place: str, seated: bool) -> list[str]:
        """Return the countries of a place, at any time.

        Several present countries count only if an area around the place confirms them: Florence
        has the country France, to which it belonged for six years.
        """
        is_former = self.history.is_former
        expected = self._countries_of_classes(place)
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

    def _countries_of_classes(self, place: str) -> set[str]:
        """Return the countries that the classes of a place name: "municipality of Finland"."""
        labels = (self._labels.label(qid) for qid in self._values(place, "P31"))
        countries = (self.descriptions.country_of(label) for label in labels if label)
        return {country for country in countries if country}

    def _areas(self, place: str, seated: bool) -> set[str]:
        """Return the areas around a place, at any time."""
        areas = {value for pid in _area_properties(seated) for value in self._values(place, pid)}
        return areas.union(*(above(self._statements, area, [AREA_OF]) for area in areas))

    def _continents(self, chain: Sequence[Ancestor]) -> list[Ancestor]:
        """Return the continent of the nearest place that states any; none if it states several.

        Countries come last, since Hawaii is on another continent than its country.
        """
        overseas = read_toml("granola", "places")["overseas"]
        description = self._labels.description(chain[0].qid) or ""
        is_overseas = any(place.qid in overseas for place in chain) or any(
            name in description for name in overseas.values()
        )
        for place in sorted(chain, key=lambda place: self.is_country(place.qid)):
            if continents := self._stated_continents(place.qid, is_overseas):
                steps = [Evidence(place.qid, CONTINENT, qid) for qid in continents]
                several = [Ancestor(step.object, (*place.evidence, step)) for step in steps]
                return several if len(several) == 1 else []
        return []

    def _stated_continents(self, place: str, is_overseas: bool) -> set[str]:
        """Return the continents of a place; of a country of today, only that of its mainland."""
        continents = {*self._values(place, CONTINENT)} - {_EURASIA}
        if not self.is_country(place):
            return continents
        if is_overseas or self.history.is_former(place):
            return set()
        return continents & {read_toml("granola", "places")["mainland"].get(place)} or continents


def _area_properties(seated: bool) -> tuple[str, ...]:
    return (*(SEATS if seated else ()), AREA_OF)
