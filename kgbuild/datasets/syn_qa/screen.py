"""Mark similar items by their values, which is much faster than to check each item.

``screened`` decides by the marks. The screen is for paths of one relation whose facts need no
search.
"""

import functools
import itertools
import operator
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.sexes import SEX
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import COUNTRIES, Relation
from kgbuild.store.arrays import Flags, Numbers, Positions

PERSON = "person"
LIFESPAN = 100
"""Maximum number of years after a person's birth in which an item can begin that has to do with
the person: Goethe gets no Soviet award."""
_CLASS = "P31"
_CACHE_SIZE = 1 << 12
"""Maximum number of countries whose keys are kept in memory."""

# The bits of marks. Items have UNDECIDED if a statement joins them to the subject, the object or an
# item that the object may share, or if they have another class than the subject.
UNDECIDED, NEAR, ALIKE, UNALIKE, OF_OBJECTS_COUNTRY, _OF_COUNTRY = (1 << n for n in range(6))
_SAME_COUNTRY = {pid: 1 << n for n, pid in enumerate(COUNTRIES, 6)}
_OTHER_COUNTRY = {pid: 1 << n for n, pid in enumerate(COUNTRIES, 6 + len(COUNTRIES))}
ANY_COUNTRY = functools.reduce(
    operator.or_,
    (*_SAME_COUNTRY.values(), *_OTHER_COUNTRY.values(), OF_OBJECTS_COUNTRY, _OF_COUNTRY),
)
_FIRST_CLASS, _MAX_BIT = 6 + 2 * len(COUNTRIES), 62


class Marked(NamedTuple):
    """The marks of the rows of similar items, and what they must have to be decided.

    ``classes`` are the marks of all classes of the subject. ``compares_country`` is whether the
    country of the object matters, since the subject has it.
    """

    marks: Positions
    classes: int
    compares_country: bool


class Screen:
    """Marks the similar items of the subjects of one path.

    ``applies`` is whether marks can decide about items.
    """

    def __init__(self, knowledge: Knowledge, facts: PathFacts):
        self._index = knowledge.postings
        self._statements = knowledge.statements
        self._marks = knowledge.marks
        self._facts = facts
        last = facts.path.last
        relations = [last, *(catalog().relations[pid] for pid in last.broader)]
        self.applies = (
            facts.first is None
            and not last.required_properties
            and not any(map(_needs_search, relations))
        )
        self._country_keys = functools.lru_cache(_CACHE_SIZE)(self._read_country_keys)

    def mark(self, chain: Chain, rows: Positions) -> Marked:
        """Return the marks of the rows of items that are similar to the subject of a chain."""
        by_key, by_property, classes = self._marks_of_values(chain.subject)
        add = functools.partial(_add, by_key, by_property, self._index.properties)
        compares_country = self.applies and self._compares_country(chain)
        linking = self._linking(chain) if self.applies else []
        if self.applies and SEX in self._facts.path.last.matching_properties:
            add(self._sex_marks(chain.subject))
        for country in self._countries(chain.object) if compares_country else ():
            add(dict.fromkeys(self._country_keys(country), OF_OBJECTS_COUNTRY))
        for qid in linking:
            add(dict.fromkeys(self._statements.keys_to(qid).tolist(), UNDECIDED))
        marks = self._marks.of(rows, by_key, by_property)
        if linked := self._values(linking):
            items = self._index.items[rows].tolist()
            marks[[n for n, item in enumerate(items) if item in linked]] |= UNDECIDED
        return Marked(marks, classes, compares_country)

    def _marks_of_values(self, subject: str) -> tuple[dict[int, int], dict[str, int], int]:
        """Return the marks of the keys of a subject, of other keys by property, and of classes."""
        index, start, last = self._index, self._facts.path.start, self._facts.path.last
        row = index.row(subject)
        keys = index.row_keys[:0] if row is None else index.keys(row)
        pids = [f"P{number}" for number in index.properties[keys].tolist()]
        bits = itertools.chain(range(_FIRST_CLASS, _MAX_BIT), itertools.repeat(0))
        by_key: dict[int, int] = {}
        classes = 0
        for key, pid in zip(keys.tolist(), pids, strict=True):
            is_alike = pid in last.matching_properties and pid != SEX
            by_key[key] = (
                _SAME_COUNTRY.get(pid, 0)
                | NEAR * (pid in start.preferred_properties)
                | ALIKE * is_alike
            )
            if pid == _CLASS:
                by_key[key] |= 1 << next(bits)  # the bit of UNDECIDED if there is no other
                classes |= by_key[key]
        by_property = {
            pid: _OTHER_COUNTRY[pid] if pid in pids else _OF_COUNTRY for pid in COUNTRIES
        }
        return by_key, {**by_property, _CLASS: UNDECIDED}, classes

    def _compares_country(self, chain: Chain) -> bool:
        """Return whether the subject has a country of the object, so a replacement must have it."""
        if self._facts.path.last.pid in COUNTRIES:
            return False
        return not self._countries(chain.object).isdisjoint(self._countries(chain.subject))

    def _countries(self, qid: str) -> set[str]:
        return {value for pid in COUNTRIES for value in self._statements.values(qid, pid)}

    def _read_country_keys(self, country: str) -> list[int]:
        """Return the keys with a country as value."""
        keys = self._statements.keys_to(country)
        pids = self._index.properties[keys].tolist()
        return [key for key, pid in zip(keys.tolist(), pids, strict=True) if f"P{pid}" in COUNTRIES]

    def _sex_marks(self, subject: str) -> dict[int, int]:
        """Return the marks of all sexes: whether they are that of the subject.

        The subject must state a single sex, or else all marks are undecided.
        """
        values = self._statements.values(subject, SEX)
        if len(values) != 1:
            return dict.fromkeys(self._sexes, UNDECIDED)
        own = _pronoun(values[0])
        return {key: ALIKE if sex == own else UNALIKE for key, sex in self._sexes.items()}

    @functools.cached_property
    def _sexes(self) -> dict[int, str]:
        """The pronoun, or else the id, of each sex, by key."""
        index = self._index
        (keys,) = np.nonzero(index.properties == np.int32(wikidata.number(SEX)))
        return {key: _pronoun(f"Q{index.values[key]}") for key in keys.tolist()}

    def _linking(self, chain: Chain) -> list[str]:
        """Return the items to which a statement of a replacement leaves the checks undecided."""
        partners = self._facts.last.shared_partners(chain.object)
        return [*dict.fromkeys((chain.subject, chain.object, *partners))]

    def _values(self, qids: Iterable[str]) -> set[int]:
        """Return the numbers of all values of some items."""
        index = self._index
        rows = (row for qid in qids if (row := index.row(qid)) is not None)
        return {number for row in rows for number in index.values[index.keys(row)].tolist()}


def are_near(marks: Positions) -> Flags:
    """Return whether the marks are those of items near the subject."""
    are_near: Flags = marks & NEAR != 0
    return are_near


def are_foreign(marks: Positions) -> Flags:
    """Return whether the marks are those of items that differ in a country from the subject."""
    are_foreign: Flags = np.zeros(len(marks), np.bool_)
    for pid in COUNTRIES:
        both = _SAME_COUNTRY[pid] | _OTHER_COUNTRY[pid]
        are_foreign |= marks & both == _OTHER_COUNTRY[pid]
    return are_foreign


def _needs_search(relation: Relation) -> bool:
    """Return whether other statements than those about two items may join them."""
    return relation.transitive or relation.groups or relation.within


def _pronoun(sex: str) -> str:
    """Return the pronoun for a sex, or its id if it has none."""
    return next((pronoun for pronoun, sexes in lexicon().sexes.items() if sex in sexes), sex)


def _add(
    by_key: dict[int, int],
    by_property: Mapping[str, int],
    properties: Numbers,
    marks: Mapping[int, int],
) -> None:
    """Add marks of keys; a key without a mark has that of its property already."""
    for key, mark in marks.items():
        if key not in by_key:
            by_key[key] = by_property.get(f"P{properties[key]}", 0)
        by_key[key] |= mark
