"""Find the facets of most places in vectors, to count them among millions of possible answers.

``Profiles`` reads the places around a place one by one, in a third of a millisecond. Most places
are plain: statements say in which areas they lie, these exist today, and none excludes another. The
places around a plain place are those around its areas, in all years. So the areas are read, and the
places are only joined with them. ``Profiles`` reads all other places; its facets of the plain ones
are the same, which the tests compare.
"""

from collections.abc import Sequence

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS, OCCUPATION, Classes
from kgbuild.datasets.granola.levels.history import AREA_OF, COUNTRY_OF
from kgbuild.datasets.granola.levels.places import PLACE, Places
from kgbuild.datasets.granola.levels.turning_years import CONTINENT
from kgbuild.datasets.granola.plain_areas import PlainAreas
from kgbuild.datasets.granola.plain_classes import PlaceClass, PlainClasses
from kgbuild.datasets.granola.plain_facets import FacetNumbers, PlainFacets, Tell, in_batches
from kgbuild.datasets.granola.plain_links import Links, groups, joined, keys_of
from kgbuild.graph.knowledge import Knowledge
from kgbuild.store.arrays import Flags, Numbers, Positions, are_among, distinct

_BATCH = 1 << 16
"""Number of items that are read at a time."""
_CLASS = wikidata.number(CLASS)
_FOREIGN = [wikidata.number(pid) for pid in (CONTINENT, OCCUPATION)]
"""Properties that no plain place has."""
_RULED_OUT, _NO_AREA = -2, -1
"""Instead of the number of an area: a country that is ruled out, and what contains no place."""


class PlainPlaces:
    """Finds the plain places among items, and their facets."""

    def __init__(self, knowledge: Knowledge, places: Places, classes: Classes):
        self._index = knowledge.postings
        self._description = knowledge.labels.description
        self._places = places
        self._areas = PlainAreas(knowledge, places)
        self._classes = PlainClasses(knowledge, places, classes)
        tables = read_toml("granola", "levels/places")
        names = {qid for name in ("not_in", "overseas") for qid in tables[name]}
        self._exceptions = np.array(sorted(map(wikidata.number, names)), np.int32)
        self._overseas = tuple(tables["overseas"].values())
        self._numbers = FacetNumbers()

    def among(self, items: Numbers, tell: Tell) -> PlainFacets:
        """Return the plain places among items, in their order, with their facets.

        Each place is a facet of itself, too, which the facets may lack.
        """
        return in_batches(items, _BATCH, self._read, tell)

    def _read(self, items: Numbers) -> PlainFacets:
        """Return the result of ``among`` for some items."""
        keys = keys_of(self._index, items)
        properties = self._index.properties[keys.numbers]
        are_plain = np.bincount(keys.places, minlength=len(items)) > 0
        are_plain &= ~are_among(items, self._exceptions)
        are_plain[keys.places[np.isin(properties, _FOREIGN)]] = False
        are_of_class = (properties == _CLASS) & are_plain[keys.places]
        group_of, examples = groups(keys.where(are_of_class), len(items))
        classes = [self._classes.read(f"Q{number}") for number in items[examples].tolist()]
        are_plain &= np.array([*(each.is_plain for each in classes), False])[group_of]
        inside = self._inside(items, keys, group_of, classes, are_plain)
        inside = joined([inside, self._described(items, inside, are_plain)]).distinct()
        self._rule_out(inside, are_plain)
        continents = self._continents(items, inside, are_plain)
        (plain,) = np.nonzero(are_plain)
        facets_of_classes = [self._numbers.of(each.facets) for each in classes]
        facets = joined(
            [
                Links(plain, group_of[plain]).followed(facets_of_classes),
                inside.where(are_plain[inside.places]).followed(self._around()),
                continents.where(are_plain[continents.places]),
            ]
        )
        ranks = np.cumsum(are_plain) - 1
        return PlainFacets(
            items[plain], self._numbers.holders(Links(ranks[facets.places], facets.numbers))
        )

    def _inside(
        self,
        items: Numbers,
        keys: Links,
        group_of: Positions,
        classes: Sequence[PlaceClass],
        are_plain: Flags,
    ) -> Links:
        """Return the numbers of the areas and countries in which places lie directly.

        A place in several countries, or in itself, is no longer plain.
        """
        properties, values = self._index.properties, self._index.values
        parts: list[Links] = []
        for pid in (AREA_OF, COUNTRY_OF):
            are_stated = properties[keys.numbers] == np.int32(wikidata.number(pid))
            links = keys.where(are_stated & are_plain[keys.places])
            are_plain[links.places[values[links.numbers] == items[links.places]]] = False
            links = links.where(are_plain[links.places])
            cases, which = np.unique(
                group_of[links.places] << 32 | links.numbers, return_inverse=True
            )
            areas = [
                self._area(classes[case >> 32], pid, f"Q{values[case & 0xFFFFFFFF]}")
                for case in cases.tolist()
            ]
            parts.append(Links(links.places, np.array(areas, np.int64)[which]))
        _, countries = parts
        are_possible = countries.numbers != _RULED_OUT
        counts = np.bincount(countries.places[are_possible], minlength=len(items))
        are_plain &= counts < 2
        inside = joined(parts)
        return inside.where((inside.numbers >= 0) & are_plain[inside.places])

    def _area(self, of_class: PlaceClass, pid: str, value: str) -> int:
        """Return the number of the area that a value of a property of places of a class is."""
        is_elsewhere = of_class.countries and value not in of_class.countries
        if pid == COUNTRY_OF and is_elsewhere and not self._places.history.is_former(value):
            return _RULED_OUT
        is_area = self._places.may_contain(value, of_class.example)
        return self._areas.number(value) if is_area else _NO_AREA

    def _described(self, items: Numbers, inside: Links, are_plain: Flags) -> Links:
        """Return the numbers of the areas that descriptions name, for places without an area.

        A country in a description adds nothing to a country that is stated.
        """
        are_in_area, are_in_country = np.zeros((2, len(items)), np.bool_)
        are_countries = np.array([area.is_country for area in self._areas.all], np.bool_)
        are_in_area[inside.places[~are_countries[inside.numbers]]] = True
        are_in_country[inside.places[are_countries[inside.numbers]]] = True
        links = [
            (place, self._areas.number(where))
            for place in np.flatnonzero(are_plain & ~are_in_area).tolist()
            if (where := self._places.described_place(f"Q{items[place]}"))
            and not (are_in_country[place] and self._places.is_country(where))
        ]
        return Links(*np.array(links, np.int64).reshape(-1, 2).T)

    def _rule_out(self, inside: Links, are_plain: Flags) -> None:
        """Mark as not plain the places whose areas are not plain, or may be alternatives."""
        areas = self._areas.all
        are_unclear = ~np.array([area.is_plain for area in areas], np.bool_)
        are_plain[inside.places[are_unclear[inside.numbers]]] = False
        class_of = np.array([area.classes for area in areas], np.int64)[inside.numbers]
        for shift in range(1, len(inside.places)):  # all pairs of areas of a place
            are_pairs = inside.places[shift:] == inside.places[:-shift]
            if not are_pairs.any():
                break
            pairs = class_of[:-shift][are_pairs] << 32 | class_of[shift:][are_pairs]
            cases, which = np.unique(pairs, return_inverse=True)
            are_alike = [
                self._areas.have_common_class(case >> 32, case & 0xFFFFFFFF)
                for case in cases.tolist()
            ]
            places = inside.places[shift:][are_pairs]
            are_plain[places[np.array(are_alike, np.bool_)[which]]] = False

    def _continents(self, items: Numbers, inside: Links, are_plain: Flags) -> Links:
        """Return the facets of the continents of places; places that may have two are not plain.

        Countries come last, and only if the place is not overseas by its description.
        """
        inner, outer = (
            inside.followed([getattr(area, name) for area in self._areas.all]).distinct()
            for name in ("inner", "outer")
        )
        are_inner = np.zeros(len(items), np.bool_)
        are_inner[inner.places] = True
        outer = outer.where(~are_inner[outer.places])
        for place in distinct(outer.places[are_plain[outer.places]]).tolist():
            text = self._description(f"Q{items[place]}") or ""
            if any(name in text for name in self._overseas):
                are_plain[place] = False
        continents = joined([inner, outer])
        are_plain &= np.bincount(continents.places, minlength=len(items)) < 2
        # Of several continents that are stated of one area, none counts.
        single = [qids if len(qids) == 1 else () for qids in self._areas.continents()]
        return continents.followed(
            [self._numbers.of((PLACE, qid) for qid in qids) for qids in single]
        )

    def _around(self) -> list[list[int]]:
        """Return the numbers of the facets of each area, with those of the places around it."""
        return [self._numbers.of((PLACE, qid) for qid in area.around) for area in self._areas.all]
