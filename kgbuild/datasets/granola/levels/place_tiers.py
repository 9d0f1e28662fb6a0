"""Compare places of different countries: a state is coarser than a town, wherever they are."""

import re

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.places import Places
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years

CONTINENT, COUNTRY, STATE, DISTRICT, SUBDISTRICT = 0, 100, 200, 300, 350
TOWN, BOROUGH, QUARTER = 400, 450, 500
"""The tiers of places: a state is a part of a country, a district of a state."""
_BY_DESCRIPTION = {
    QUARTER: re.compile(r"^(?:area|neighbou?rhood|suburb|special ward)\b"),
    TOWN: re.compile(
        r"^(?:capital |historic |university )*"
        r"(?:city|commune|county (?:seat|town)|hamlet|municipality|town|village)\b"
    ),
}
"""The first words of the descriptions of parts of towns, and of towns."""


class PlaceTiers:
    """The tiers of places."""

    def __init__(self, knowledge: Knowledge, places: Places):
        self._values = knowledge.statements.values
        self._kinds = knowledge.kinds
        self._labels = knowledge.labels
        self._places = places
        self._tiers: dict[tuple[str, Years | None], int] = {}
        tables = read_toml("granola", "levels/places")
        self._by_class = {
            **dict.fromkeys(tables["quarters"], QUARTER),
            **dict.fromkeys(tables["boroughs"], BOROUGH),
            **dict.fromkeys(tables["subdistricts"], SUBDISTRICT),
        }

    def tier(self, place: str, when: Years | None) -> int:
        """Return the tier of a place in the years ``when``.

        A country in another country, such as England, has the tier of a state.
        """
        key = place, self._places.relevant(place, when)
        if key not in self._tiers:
            self._tiers[key] = self._read(*key)
        return self._tiers[key]

    def _read(self, place: str, when: Years | None) -> int:
        if self._places.is_continent(place):
            return CONTINENT
        if self._places.is_country(place):
            return STATE if self._is_in_country(place, when) else COUNTRY
        classes = self._values(place, "P31")
        if known := [self._by_class[key] for key in classes if key in self._by_class]:
            return max(known)
        if "city" in self._kinds.names(place):
            return TOWN
        text = "" if classes else self._labels.description(place) or ""
        if described := [tier for tier, words in _BY_DESCRIPTION.items() if words.match(text)]:
            return described[0]
        is_in_area = any(
            not self._places.is_continent(qid)
            and (not self._places.is_country(qid) or self._is_in_country(qid, when))
            for qid, _ in self._places.above(place, when)
        )
        return DISTRICT if is_in_area else STATE

    def _is_in_country(self, country: str, when: Years | None) -> bool:
        """Return whether a country lies in another one, such as England in the United Kingdom.

        Both are present, or both former: a former state had the extent of the present one.
        """
        is_former = self._places.history.is_former
        return any(
            self._places.is_country(qid) and is_former(qid) == is_former(country)
            for qid, _ in self._places.above(country, when)
        )
