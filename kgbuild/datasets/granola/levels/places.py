"""Find the places of today that contain a place, each with the triples that prove it.

The places around a place are those that its statements name, up to its country and its continent.
Where no statement names the country, the description of one of these places does ("city in Texas,
United States"). Which places no longer exist says ``History``.
"""

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.classes import Proof, reached
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION, Descriptions
from kgbuild.datasets.granola.levels.history import (
    AREA_OF,
    CACHE_SIZE,
    COUNTRY,
    COUNTRY_OF,
    PARTS,
    SEATS,
    History,
)
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

PLACE = "place"
"""The dimension of places."""
COUNTRY_TIER, STATE, DISTRICT = 100, 200, 300
TOWN, BOROUGH, QUARTER = 400, 450, 500
"""The tiers of places: a state is a part of a country, a district of a state; a continent has 0."""
COUNTRIES = {COUNTRY, "Q3624078"}
"""The classes of countries and of sovereign states."""
CONTINENT = "P30"
_CAPITAL_OF = "P1376"
_CLASS, _CONTINENTS, _EURASIA = "P31", "Q5107", "Q5401"
_SAME_AS_TOWN = re.compile(r"^(?:Greater|(?:City|Municipality|Free Hanseatic City) of) ")
"""The beginning of the name of an area that is a town with its surroundings."""

Areas: TypeAlias = dict[str, Proof]
"""The places around a place, the nearest first, each with the triples that lead to it."""


class Places:
    """The places that contain a place, and their tiers: a state is coarser than any town."""

    def __init__(self, knowledge: Knowledge):
        self._values = knowledge.statements.values
        self._subjects = knowledge.statements.subjects
        self._kinds = knowledge.kinds
        self._labels = knowledge.labels
        self.history = History(knowledge)
        self.descriptions = Descriptions(knowledge, self.history)
        self._above = functools.lru_cache(CACHE_SIZE)(self._read_above)
        self._tables = tables = read_toml("datasets/granola/levels/place_exceptions.toml")
        self.tier = functools.cache(self._read_tier)
        self._tier_of_class = {
            **dict.fromkeys(tables["quarters"], QUARTER),
            **dict.fromkeys(tables["boroughs"], BOROUGH),
        }

    def above(self, place: str, seated: bool = False) -> Areas:
        """Return all places of today around a place, the nearest first.

        The continent comes last. ``seated`` items, such as companies, are not places, but have a
        seat in a place.
        """
        return self._above(place, seated)

    def _read_above(self, place: str, seated: bool) -> Areas:
        found = self._collect(place, seated)
        for qid, path in self._by_words({**found}):
            for outer, further in self._collect(qid, False).items():
                found.setdefault(outer, path + further)
        for continent, path in self._continent(place, found).items():
            found.setdefault(continent, path)
        others = (qid for qid in found if qid != place and not self._is_same(qid, found))
        return {qid: found[qid] for qid in others}

    def _collect(self, start: str, seated: bool) -> Areas:
        """Return a place and the places around it, the nearest first."""
        return reached(start, lambda qid: self._steps(qid, seated and qid == start))

    def _steps(self, place: str, seated: bool) -> Iterator[tuple[str, Proof]]:
        """Yield the places around a place that statements or its description name."""
        is_former = self.history.is_former
        areas: Areas = {
            area: (Evidence(place, pid, area),)
            for pid in (*(SEATS if seated else ()), AREA_OF)
            for area in self._values(place, pid)
            if self.may_contain(area, place)
            and not is_former(area)
            and not (seated and self.is_country(area))
        }
        certain = self._with_others(place, self._without_alternatives(areas), seated)
        yield from certain.items()
        countries = [
            country
            for country in self._values(place, COUNTRY_OF)
            if self.may_contain(country, place) and not is_former(country)
        ]
        if country := self._country(place, countries, areas | certain):
            yield country, (Evidence(place, COUNTRY_OF, country),)

    def _with_others(self, place: str, areas: Areas, seated: bool) -> Areas:
        """Return areas of today that a place names, with those that it does not name.

        A place that names none is in the area that has it as a part. A description says where it is
        now: of a seat only if there is no area, and of a town no other town, which may be near. If
        there is still no area, a town lies in the one that it rules, unless it is a part of the
        country itself: Moscow rules an area beside it.
        """
        is_part_of_country = any(map(self.is_country, areas))
        if self._are_countries(areas):
            kinds = {*self._values(place, _CLASS)}
            wholes = [
                Evidence(area, PARTS, place)
                for area in self._subjects(place, PARTS)
                if kinds.isdisjoint(self._values(area, _CLASS))  # Maine was in Massachusetts
            ]
            areas = self._joined(place, areas, {proof.subject: proof for proof in wholes})
        if not seated or self._are_countries(areas):
            proof = self._description(place)
            described = self._described(place, without_towns=not self._are_countries(areas))
            areas = self._joined(place, areas, dict.fromkeys(described, proof))
        if not is_part_of_country and self._are_countries(areas):
            ruled = self._values(place, _CAPITAL_OF)
            proofs = {area: Evidence(place, _CAPITAL_OF, area) for area in ruled}
            areas = self._joined(place, areas, proofs)
        return areas

    def _are_countries(self, areas: Iterable[str]) -> bool:
        return all(map(self.is_country, areas))

    def _joined(self, place: str, areas: Areas, others: Mapping[str, Evidence]) -> Areas:
        """Return areas with others of today that may contain a place and are no alternatives."""
        fitting = [
            area
            for area in others
            if self.may_contain(area, place)
            and not (self.history.is_former(area) or self.is_country(area))
            and "bloc" not in self._kinds.names(area)
        ]
        return areas | {
            area: (others[area],)
            for area in fitting
            if not any(self._are_apart(area, one) for one in (*areas, *fitting))
        }

    def _without_alternatives(self, areas: Areas) -> Areas:
        """Return the areas of which a place is certainly in all.

        A town with several counties is in one of them, but not certainly in any: areas of one class
        that do not contain each other. What lies around all of them counts instead.
        """
        apart = [area for area in areas if any(self._are_apart(area, one) for one in areas)]
        certain = {area: path for area, path in areas.items() if area not in apart}
        if apart:
            first, *others = apart
            certain |= {
                qid: areas[first] + path
                for qid, path in self._collect(first, False).items()
                if all(qid in self._collect(other, False) for other in others)
            }
        return certain

    def _are_apart(self, first: str, second: str) -> bool:
        """Return whether two areas have a class in common, and do not contain each other."""
        around = self.history.around
        are_alike = not {*self._values(first, _CLASS)}.isdisjoint(self._values(second, _CLASS))
        are_nested = first in around(second) or second in around(first)
        return first != second and are_alike and not are_nested

    def _country(self, place: str, countries: Sequence[str], areas: Areas) -> str | None:
        """Return the country of today that statements give to a place, if it is certain.

        It is the one that the description names. If it names none, and statements give several, an
        area of the place has it, too: Florence has the statement that its country is France, which
        it was for six years.
        """
        around, named = self.history.around, set[str]()
        is_place = "place" in self._kinds.names(place)  # "a French company" says less of its seat
        if is_place and (described := self._described_country(place)):
            named = {described, *around(described)}
        if len(countries) > 1 and not named:
            nearby = {qid for area in areas for qid in (area, *around(area))}
            named = {country for qid in nearby for country in self._values(qid, COUNTRY_OF)}
            named |= nearby | {place}
        certain = [country for country in countries if not named or country in named]
        return certain[0] if len(certain) == 1 else None

    def _by_words(self, around: Areas) -> Iterator[tuple[str, Proof]]:
        """Yield the country that a description names, where no statement does.

        The nearest place counts. A country within the country, such as England, counts, too.
        """
        found = next(filter(self._is_present, around), None)
        if not found:
            steps = (
                (country, (*path, self._description(qid)))
                for qid, path in around.items()
                if (country := self._described_country(qid))
            )
            step = next(steps, None)
            if not step:
                return
            yield step
            found, _ = step
        for qid, path in around.items():
            inner = self.descriptions.country(qid)
            if inner and inner != qid and found in self._values(inner, COUNTRY_OF) != (inner,):
                yield inner, (*path, self._description(qid))

    def _described_country(self, place: str) -> str | None:
        """Return the country of today that the description of a place names."""
        country = self.descriptions.country(place)
        if country is None or self.history.is_former(country):
            return None
        return str(self._tables["same"].get(country, country))

    def _description(self, place: str) -> Evidence:
        return Evidence(place, DESCRIPTION, self._labels.description(place) or "")

    def _is_present(self, place: str) -> bool:
        """Return whether a place is a country of today."""
        return self.is_country(place) and not self.history.is_former(place)

    def is_country(self, place: str) -> bool:
        """Return whether a place is a country, of today or former."""
        classes = self._values(place, _CLASS)
        return place in self._values(place, COUNTRY_OF) or not COUNTRIES.isdisjoint(classes)

    def is_continent(self, place: str) -> bool:
        """Return whether a place is a continent."""
        return _CONTINENTS in self._values(place, _CLASS)

    def may_contain(self, item: str, place: str) -> bool:
        """Return whether an item may contain a place: a place may, but an organisation may not."""
        kinds = self._kinds.names(item)
        table = self._tables["not_in"]
        keys = (place, *self._values(place, _CLASS))
        is_beside = any(item in table[key] for key in keys if key in table)
        is_area = self._tables["not_areas"].keys().isdisjoint(self._values(item, _CLASS))
        is_place = is_area and (not kinds or ("place" in kinds and "water" not in kinds))
        return is_place and item != place and not self.is_continent(item) and not is_beside

    def _described(self, place: str, without_towns: bool) -> Iterator[str]:
        """Yield the areas that the description of a place names, without other towns of a town."""
        is_town = without_towns and "city" in self._kinds.names(place)
        description = self.descriptions.read(place)
        for area in description.places if description else ():
            if not (is_town and "city" in self._kinds.names(area)):
                yield area

    def _is_same(self, area: str, nested: Collection[str]) -> bool:
        """Return whether an area is a nearer one of some places by another name: Greater London."""
        if self._tables["same"].get(area) in nested:
            return True
        name, is_beginning = _SAME_AS_TOWN.subn("", self._labels.label(area) or "")
        return bool(is_beginning) and any(self._labels.label(qid) == name for qid in nested)

    def _continent(self, place: str, around: Areas) -> Areas:
        """Return the continent of a place, or nothing if it is unclear.

        ``around`` are the place and the places around it. The nearest of them with a continent
        decides; it must have only one. Countries come last, because Hawaii is not on the continent
        of its country.
        """
        overseas = self._tables["overseas"]
        description = self._labels.description(place) or ""
        is_overseas = not overseas.keys().isdisjoint(around) or any(
            name in description for name in overseas.values()
        )
        for qid in sorted(around, key=self.is_country):
            if continents := self._continents_of(qid, is_overseas):
                if len(continents) > 1:
                    return {}
                (continent,) = continents
                return {continent: (*around[qid], Evidence(qid, CONTINENT, continent))}
        return {}

    def _continents_of(self, place: str, is_overseas: bool) -> set[str]:
        """Return the continents of a place; for a country of today, that of its mainland."""
        continents = {*self._values(place, CONTINENT)} - {_EURASIA}
        if not self.is_country(place):
            return continents
        if is_overseas or self.history.is_former(place):
            return set()
        return continents & {self._tables["mainland"].get(place)} or continents

    def _read_tier(self, place: str) -> int:
        """Return the tier of a place: that of a state for a country in another one, as England."""
        if self.is_continent(place):
            return 0
        if self.is_country(place):
            return STATE if self._is_in_country(place) else COUNTRY_TIER
        classes = self._values(place, _CLASS)
        if known := [self._tier_of_class[key] for key in classes if key in self._tier_of_class]:
            return max(known)
        if "city" in self._kinds.names(place):
            return TOWN
        is_in_area = any(
            not self.is_continent(qid) and (not self.is_country(qid) or self._is_in_country(qid))
            for qid in self.above(place)
        )
        return DISTRICT if is_in_area else STATE

    def _is_in_country(self, country: str) -> bool:
        """Return whether a country lies in another one, such as England in the United Kingdom.

        Both are present, or both former: a former state had the extent of the present one.
        """
        is_former = self.history.is_former
        return any(
            self.is_country(qid) and is_former(qid) == is_former(country)
            for qid in self.above(country)
        )
