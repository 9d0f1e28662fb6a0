"""Find the facets of people in vectors, to count them among millions of possible answers.

``Profiles`` reads people one by one, in a tenth of a millisecond. Their facets are their
occupations, with superclasses, and their nationalities, from statements and descriptions, and the
same in all years. Here the statements of many people are joined with what follows from their
values, which is read once for each value. Only the beginnings of descriptions are read one by one.
``Profiles`` reads the items of which it is unclear whether they are people; its facets of the
others are the same, which the tests compare.
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.granola.levels.classes import CLASS, OCCUPATION, Classes, added_values
from kgbuild.datasets.granola.levels.descriptions import PEOPLE, Descriptions, added_people
from kgbuild.datasets.granola.plain_facets import FacetNumbers, PlainFacets, Tell, in_batches
from kgbuild.datasets.granola.plain_links import Links, groups, joined, keys_of
from kgbuild.datasets.granola.questions.namesakes import PERSON
from kgbuild.graph.knowledge import Knowledge
from kgbuild.store.arrays import Flags, Numbers, Positions, are_among

CITIZENSHIP = "P27"
_BATCH = 1 << 14
"""Number of items that are read at a time."""
_CACHE_SIZE = 1 << 15
"""Maximum number of descriptions that are kept in memory; many people have the same one."""


class PlainPeople:
    """Finds the people among items, and their facets.

    ``demonym`` returns the demonym of a country, or None.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        classes: Classes,
        descriptions: Descriptions,
        demonym: Callable[[str], str | None],
    ):
        self._index = knowledge.postings
        self._texts = knowledge.columns.descriptions
        self._kinds = knowledge.kinds
        self._classes = classes
        self._descriptions = descriptions
        self._demonym = demonym
        self._numbers = FacetNumbers()
        self._described = functools.lru_cache(_CACHE_SIZE)(self._read_description)
        self._occupation = functools.cache(self._read_occupation)

    def among(self, items: Numbers, tell: Tell) -> PlainFacets:
        """Return those of some items that are people, in their order, with their facets."""
        return in_batches(items, _BATCH, self._read, tell)

    def _read(self, items: Numbers) -> PlainFacets:
        """Return the result of ``among`` for some items."""
        keys = keys_of(self._index, items)
        properties = self._index.properties[keys.numbers]
        classes, occupations, countries = (
            keys.where(properties == np.int32(wikidata.number(pid)))
            for pid in (CLASS, OCCUPATION, CITIZENSHIP)
        )
        (people,) = np.nonzero(self._are_people(items, classes, occupations))
        ranks = np.full(len(items), -1, np.int64)
        ranks[people] = np.arange(len(people))
        stated = _Stated(self._values(occupations, ranks), len(people))
        citizens = _Stated(self._values(countries, ranks), len(people))
        demonyms = [self._demonym(country) for country in citizens.values]
        facets = joined(
            [
                stated.links.followed([*map(self._occupation, stated.values)]),
                citizens.links.followed([*map(self._nationality, demonyms)]),
                self._by_description(items[people], stated, citizens, demonyms),
            ]
        )
        return PlainFacets(items[people], self._numbers.holders(facets))

    def _are_people(self, items: Numbers, classes: Links, occupations: Links) -> Flags:
        """Return which items are people, by their classes, or else by a stated occupation."""
        group_of, examples = groups(classes, len(items))
        names = [self._kinds.names(f"Q{number}")[:1] for number in items[examples].tolist()]
        have_occupation = np.zeros(len(items), np.bool_)
        have_occupation[occupations.places] = True
        are_of_kind = np.array([*(name == [PERSON] for name in names), False], np.bool_)
        are_of_none = np.array([*(not name for name in names), True], np.bool_)
        are_people: Flags = are_of_kind[group_of] | (are_of_none[group_of] & have_occupation)
        return are_people

    def _values(self, links: Links, ranks: Positions) -> Links:
        """Return people, by their positions among the people, with the values of some keys."""
        people = ranks[links.places]
        values = self._index.values[links.numbers].astype(np.int64)
        return Links(people, values).where(people >= 0)

    def _by_description(
        self,
        people: Numbers,
        occupations: "_Stated",
        citizenships: "_Stated",
        demonyms: Sequence[str | None],
    ) -> Links:
        """Return the facets that descriptions add to those stated."""
        keys = people.astype(np.int64)
        described = np.flatnonzero(are_among(keys, self._texts.keys))
        rows = self._texts.rows(keys[described])
        links: list[tuple[int, int]] = []
        for person, row in zip(described.tolist(), rows.tolist(), strict=True):
            text = self._texts.text_at(row)
            nationality, named = self._described(text)
            numbers: list[int] = []
            if named:
                for value in added_values(named, occupations.of(person)):
                    numbers += self._occupation(value)
            if nationality:
                stated = [name for n in citizenships.indexes(person) if (name := demonyms[n])]
                numbers += self._nationality(added_people(nationality, text, stated))
            links += [(person, number) for number in numbers]
        return Links(*np.array(links, np.int64).reshape(-1, 2).T)

    def _read_description(self, text: str) -> tuple[str | None, Sequence[str]]:
        """Return the demonym at the beginning of a description, and its occupations."""
        people, nouns = self._descriptions.beginning(text)
        return people, self._classes.described(nouns, OCCUPATION)

    def _read_occupation(self, value: str) -> list[int]:
        """Return the numbers of the facets of an occupation."""
        superclasses = self._classes.superclasses(value, OCCUPATION)
        return self._numbers.of((OCCUPATION, qid) for qid in (value, *superclasses))

    def _nationality(self, demonym: str | None) -> list[int]:
        """Return the number of the facet of a demonym, if it is one."""
        return self._numbers.of([(PEOPLE, demonym)] if demonym else [])


class _Stated:
    """The values that some people have by statements; ``links`` has their indexes in ``values``.

    People are their positions; the values are ids.
    """

    def __init__(self, links: Links, people: int):
        numbers, indexes = np.unique(links.numbers, return_inverse=True)
        self.values = [f"Q{number}" for number in numbers.tolist()]
        self.links = Links(links.places, indexes)
        self._ends = links.places.searchsorted(np.arange(people), "right").tolist()
        self._indexes: list[int] = indexes.tolist()

    def indexes(self, person: int) -> list[int]:
        """Return the indexes of the values of somebody."""
        return self._indexes[self._ends[person - 1] if person else 0 : self._ends[person]]

    def of(self, person: int) -> list[str]:
        """Return the values of somebody."""
        return [self.values[index] for index in self.indexes(person)]
