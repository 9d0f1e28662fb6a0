"""The items of a store or an endpoint by their names."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.graph.source import AnyKnowledge
from kgbuild.store.labels import Spellings
from kgbuild.text.names import is_near, likeness, parts
from kgbuild.text.words import vocabulary
from kgbuild.wikidata import number

PERSON = "person"
_STATES = frozenset(("country", "state"))
"""Kinds of places whose names stand after a comma in the names of others."""
_CLASS = "P31"
_OF_PEOPLE = ("P19", "P20", "P26", "P106")
"""Properties that only people have: places of birth and death, spouse, occupation."""
_FACTS = ("P27", "P39", "P69", "P101", "P106", "P108", "P166", "P463", "P737", "P800")
"""Citizenship, offices, education, fields, occupations, employers, awards, memberships, works."""
_AROUND = ("P131", "P17")
"""Located in the administrative territorial entity, country."""
_MAX_KEPT = 1 << 16
"""Number of names and items above which those that were read are forgotten."""
_MOST_ALIASES = 4
"""Number of items with the name of a state as an alias, from which on it is no name of them."""
_MORE_NAMES = 6
"""How many times as many names begin with a given name as end with it."""
_LEAST_SURNAME = 3
"""The least number of letters of a surname that is looked up."""
_MOST_NAMESAKES = 20
"""Number of the most popular people of a surname who are compared."""


class Nearness(NamedTuple):
    """How a name differs from the label of an item; the lowest tuple is the best match."""

    is_alias: bool
    is_spelled_otherwise: bool


class Found(NamedTuple):
    """A person whose name a text shortens or misspells, and in how many words it does."""

    qid: str
    unlike: int


Items = Mapping[str, Nearness]
"""The items with a name, the likeliest first."""


class NameIndex:
    """The items with a name, and the people whose names are like it.

    Some aliases are no names, as lists of aliases were split at their commas: "Jr.", and the label
    of a state that the item lies in, or that many items have as an alias ("California").
    """

    def __init__(self, knowledge: AnyKnowledge, spellings: Spellings):
        self.knowledge = knowledge
        self._spellings = spellings
        self._bearers: dict[tuple[str, str], list[tuple[str, bool]]] = {}
        self.kinds = functools.cache(self._read_kinds)
        self.people = functools.lru_cache(_MAX_KEPT)(self._read_people)

    def read(self, names: Iterable[Sequence[str]]) -> list[Items]:
        """Return the items with each of some names, of which all forms are passed.

        All are read at once, which is faster than one after the other.
        """
        all_forms = [*names]
        self._spellings.prefetch(form for forms in all_forms for form in forms)
        pairs = [
            [*dict.fromkeys(p for form in forms for p in self._spellings.spellings(form))]
            for forms in all_forms
        ]
        self._read_bearers(pair for one in pairs for pair in one)
        return [self._items(forms[0], one) for forms, one in zip(all_forms, pairs, strict=True)]

    def items(self, *forms: str) -> Items:
        """Return the items with a name, of which all forms are passed."""
        return self.read([forms])[0]

    def popularity(self, qid: str) -> int:
        """Return the number of statements that point to an item."""
        return self.knowledge.statements.popularity(qid)

    def fame(self, qid: str) -> int:
        """Return how well an item is known: by what points to it, and what is said of a life."""
        values = self.knowledge.statements.values
        facts = sum(len(values(qid, pid)) for pid in _FACTS)
        facts += len(self.knowledge.labels.aliases(qid))
        return (self.popularity(qid) + 1) * (facts + 1)

    def label(self, qid: str) -> str:
        """Return the label of an item; "" if it has none."""
        return self.knowledge.labels.label(qid) or ""

    def is_known(self, qid: str) -> bool:
        """Return whether the store has a label or a statement of an item."""
        values = self.knowledge.statements.values
        return bool(self.label(qid) or self.popularity(qid) or values(qid, _CLASS))

    def _read_kinds(self, qid: str) -> Collection[str]:
        """Return the kinds of an item; an item without a class that acts like a person is one."""
        values, kinds = self.knowledge.statements.values, self.knowledge.kinds.names(qid)
        if not kinds and not values(qid, _CLASS) and any(values(qid, p) for p in _OF_PEOPLE):
            kinds = [PERSON]
        return kinds

    def is_person(self, qid: str) -> bool:
        """Return whether an item is a person."""
        return PERSON in self.kinds(qid)

    def is_in(self, qid: str, places: Collection[str]) -> bool:
        """Return whether an item is one of some places, or lies in one of them."""
        return bool(places) and not self.around(qid).isdisjoint(places)

    def around(self, qid: str) -> set[str]:
        """Return a place, and the places that it lies in."""
        reached, queue = {qid}, [qid]
        for one in queue:  # grows during the loop
            above = {v for pid in _AROUND for v in self.knowledge.statements.values(one, pid)}
            queue += sorted(above - reached)
            reached |= above
        return reached

    def like(self, words: Sequence[str], surname: str) -> list[Found]:
        """Return the people whose names are like some folded words, the likest first.

        The words are given names or initials, and a ``surname``; or a surname alone.
        """
        if len(surname) < _LEAST_SURNAME:
            return []
        found = self._like(words, self.people(surname))
        if found or not (len(words) == 1 or self._spellings.beginning_with(f"{words[0]} ")):
            return found  # a misspelt surname is looked for beside a given name, which is faster
        return self._like(words, self.people(surname, nearly=True))

    def _like(self, words: Sequence[str], people: Sequence[str]) -> list[Found]:
        self.knowledge.labels.read(people)
        found = []
        for qid in people:
            aliases = self.knowledge.labels.aliases(qid) if len(words) > 1 else ()
            name = parts(self.label(qid))
            further = {word for alias in aliases for word in parts(alias)} - {*name[-1:]}
            unlike = likeness(words, name, further)
            if unlike is not None:
                found.append(Found(qid, unlike))
        return sorted(found, key=lambda one: one.unlike)

    def _read_people(self, surname: str, *, nearly: bool = False) -> Sequence[str]:
        """Return the people whose labels end with a surname, the best known first.

        With ``nearly``, they are those with a surname that is spelled nearly so.
        """
        spellings = self._spellings
        if nearly:
            names = spellings.nearly_ending_with(surname, functools.partial(is_near, surname))
        else:
            names = spellings.ending_with(surname)
        # The country in "Christian IX of Denmark" is no surname.
        names = [pair for pair in names if fold(pair[0]).split()[-2:-1] != ["of"]]
        self._read_bearers(names)
        bearers = dict.fromkeys(
            qid for pair in names for qid, is_alias in self._bearers[pair] if not is_alias
        )
        people = [qid for qid in bearers if self.is_person(qid)]
        people.sort(key=lambda qid: (-self.popularity(qid), number(qid)))
        best = sorted(people[:_MOST_NAMESAKES], key=self.fame, reverse=True)
        return [*best, *people[_MOST_NAMESAKES:]]

    def _items(self, name: str, spellings: Sequence[tuple[str, str]]) -> Items:
        nearness: dict[str, Nearness] = {}
        for spelling, language in spellings:
            for qid, is_alias in self._bearers[spelling, language]:
                near = Nearness(is_alias, spelling != name.strip())
                nearness[qid] = min(nearness.get(qid, near), near)
        aliased = [qid for qid, near in nearness.items() if near.is_alias]
        states = {
            qid
            for qid, near in nearness.items()
            if aliased and not near.is_alias and not _STATES.isdisjoint(self.kinds(qid))
        }
        for qid in aliased:
            is_piece = len(aliased) >= _MOST_ALIASES or self.is_in(qid, states)
            if (states and is_piece) or fold(name).strip(".") in vocabulary().abbreviations:
                del nearness[qid]
        return dict(
            sorted(
                nearness.items(), key=lambda one: (one[1], -self.popularity(one[0]), number(one[0]))
            )
        )

    def is_given(self, word: str) -> bool:
        """Return whether many more names begin with a word than end with it, as given names do."""
        if len(word) < _LEAST_SURNAME:
            return False
        last = self._spellings.ending_with(word)
        return len(self._spellings.beginning_with(f"{word} ")) > _MORE_NAMES * len(last)

    def _read_bearers(self, spellings: Iterable[tuple[str, str]]) -> None:
        """Read the items with one of the (spelling, language) pairs, in one query."""
        if len(self._bearers) > _MAX_KEPT:
            self._bearers = {}
        missing = [pair for pair in dict.fromkeys(spellings) if pair not in self._bearers]
        if missing:
            self._bearers |= {pair: [] for pair in missing}
            rows = self.knowledge.graph.select("items_by_name", name=missing)
            for spelling, qid, matched in rows:
                pair = (spelling.text, spelling.language)
                self._bearers[pair].append((qid, matched == "alias"))
