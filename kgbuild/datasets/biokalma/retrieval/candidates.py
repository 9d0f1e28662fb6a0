"""Rank the items with a name: which one a question means."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.datasets.biokalma.retrieval.names import Name
from kgbuild.english.normalize import fold
from kgbuild.graph.source import AnyKnowledge
from kgbuild.store.labels import Nearness

PERSON = "person"
KINDS: Mapping[str, Sequence[str]] = {
    "PERSON": (PERSON, "character"),
    "PER": (PERSON, "character"),
    "GPE": ("place",),
    "LOC": ("place", "water"),
    "ORG": ("organisation", "ensemble", "team", "league", "army"),
    "WORK_OF_ART": ("screen", "music", "writing", "artwork"),
    "EVENT": ("event", "conflict", "league", "award"),
    "LANGUAGE": ("language",),
}
"""Kinds in relations.toml that items may have, by spaCy's type of the entity.

Items of entities with another type may have any kind.
"""
_FAR = Nearness(is_spelled_otherwise=True, is_alias=True)
"""How a shortened name differs from a label."""
_CACHE_SIZE = 1 << 16
"""Maximum number of names whose items, and of items whose kinds, are cached."""
_OF_PEOPLE = ("P19", "P20", "P26", "P106")
"""Properties that only people have: places of birth and death, spouse, occupation."""
_FAMILY = ("P22", "P25", "P26", "P40", "P451", "P1038", "P3373")
"""Father, mother, spouse, child, partner, relative, sibling."""
_FACTS = ("P27", "P39", "P69", "P101", "P106", "P108", "P166", "P463", "P737", "P800")
"""Citizenship, offices, education, fields, occupations, employers, awards, memberships, works."""
_CLASS = "P31"
_SEX = "P21"
_FEMALE = ("Q6581072", "Q1052281")
_MORE_POPULAR = 8
"""How many times as popular a thing is as a person of the same name, to be meant by it."""


class Renown(NamedTuple):
    """How well a person is known.

    ``fame`` is the product of the number of statements that point to the person and of those on the
    life, each plus 1: many point to any actor, but few tell of one. ``aliases`` count where no
    statement points to the person.
    """

    fame: int
    aliases: int


class Candidates:
    """The items with a name, and their kinds, popularity and distance to other items."""

    def __init__(self, knowledge: AnyKnowledge):
        self._knowledge = knowledge
        self._bearers: dict[tuple[str, str], list[tuple[str, bool]]] = {}
        self._named = functools.lru_cache(_CACHE_SIZE)(self._read_named)
        self._nearness = functools.lru_cache(_CACHE_SIZE)(self._read_nearness)
        self.kinds = functools.lru_cache(_CACHE_SIZE)(self._read_kinds)

    def items(self, name: Name) -> Sequence[str]:
        """Return the items with a name, the likeliest first.

        Exact spellings of labels come first, then other spellings, aliases, and popular items.
        """
        return self._named(name.text, name.spellings)

    def read(self, names: Iterable[Name]) -> None:
        """Read the items with several names at once, which is faster than one after the other."""
        if len(self._bearers) > _CACHE_SIZE:
            self._bearers = {}
        self._read_bearers(pair for name in names for pair in name.spellings)

    def meant(self, name: Name) -> Sequence[str]:
        """Return the items that a name means: not people whose given name it is.

        A given name may be an alias of somebody. Initials, and names with capitals of nobody and
        nothing else, may be that alias.
        """
        items = self.items(name)
        is_unique = len(items) == 1 and not name.text.islower()
        if name.length > 1 or name.text.isupper() or is_unique:
            return items
        return [qid for qid in items if not self._is_given_name(name, qid)]

    def is_label(self, name: Name, qid: str) -> bool:
        """Return whether a name is the label of an item, rather than an alias."""
        return not self._nearness(name.text, name.spellings)[qid].is_alias

    def _is_given_name(self, name: Name, qid: str) -> bool:
        if not self.is_person(qid) or self.is_label(name, qid):
            return False
        *others, surname = fold(self.label(qid)).replace("-", " ").split() or [""]
        return bool(others) and surname != fold(name.text)

    def of_type(self, name: Name, entity_type: str) -> Sequence[str]:
        """Return the items with a name that can be entities of a type of spaCy; "" is any."""
        kinds = KINDS.get(entity_type)
        return [
            qid
            for qid in self.items(name)
            if kinds is None or not self.kinds(qid).isdisjoint(kinds)
        ]

    def rank(self, name: Name, items: Sequence[str], is_thing: bool) -> Sequence[str]:
        """Return items with a name, the likeliest first: people, unless a thing is better known.

        ``is_thing`` if what precedes the name says that it is not a person.
        """
        nearness = self._nearness(name.text, name.spellings)
        people = [qid for qid in items if self.is_person(qid)]
        popularity = self.popularity
        most_popular = max(map(popularity, people), default=0)
        things = [qid for qid in items if qid not in people]
        best_thing = max(map(popularity, things), default=0)
        is_thing = is_thing and most_popular <= _MORE_POPULAR * (best_thing + 1)

        def key(qid: str) -> tuple[bool, Nearness, int, int]:
            is_known = popularity(qid) > _MORE_POPULAR * (most_popular + 1)
            is_preferred = self.is_person(qid) != is_thing or (is_known and not is_thing)
            return not is_preferred, nearness.get(qid, _FAR), -popularity(qid), wikidata.number(qid)

        return sorted(items, key=key)

    def is_person(self, qid: str) -> bool:
        """Return whether an item is a person, by its class or else by its statements."""
        return PERSON in self.kinds(qid)

    def names_person(self, name: Name) -> bool:
        """Return whether a person has a name."""
        return any(map(self.is_person, self.items(name)))

    def is_known(self, qid: str) -> bool:
        """Return whether the store has a label or a statement of an item."""
        values = self._knowledge.statements.values
        return bool(self.label(qid) or self.popularity(qid) or values(qid, _CLASS))

    def label(self, qid: str) -> str:
        """Return the label of an item; "" if it has none."""
        return self._knowledge.labels.label(qid) or ""

    def read_labels(self, items: Sequence[str]) -> None:
        """Read the labels of several items at once, which is faster than one after the other."""
        self._knowledge.labels.read(items)

    def description(self, qid: str) -> str:
        """Return the description of an item; "" if it has none."""
        return self._knowledge.labels.description(qid) or ""

    def popularity(self, qid: str) -> int:
        """Return the number of statements that point to an item."""
        return self._knowledge.statements.popularity(qid)

    def renown(self, qid: str) -> Renown:
        """Return how well a person is known."""
        values = self._knowledge.statements.values
        popularity = self.popularity(qid)
        facts = sum(len(values(qid, pid)) for pid in _FACTS)
        aliases = 0 if popularity else len(self._knowledge.labels.aliases(qid))
        return Renown((popularity + 1) * (facts + 1), aliases)

    def is_female(self, qid: str) -> bool:
        """Return whether a statement says that a person is a woman."""
        return any(sex in _FEMALE for sex in self._knowledge.statements.values(qid, _SEX))

    def count_between(self, qid: str, names: Sequence[Name]) -> int:
        """Return the number of statements that connect an item with items of other names."""
        between = self._knowledge.statements.between
        others = {item for name in names for item in self.items(name)}
        return sum(len(between(qid, other)) for other in others if other != qid)

    def connected(self, items: Sequence[str], pid: str) -> list[str]:
        """Return the first of the items that has a property to others of them, and those."""
        values = self._knowledge.statements.values
        for qid in items:
            others = [other for other in items if other in values(qid, pid)]
            if others:
                return [qid, *others]
        return []

    def family(self, qid: str) -> list[str]:
        """Return the relatives that the statements of a person name."""
        values = self._knowledge.statements.values
        return [*dict.fromkeys(relative for pid in _FAMILY for relative in values(qid, pid))]

    def neighbours_of(self, qid: str, items: Sequence[str]) -> list[str]:
        """Return the items that a statement connects with an item."""
        between = self._knowledge.statements.between
        return [item for item in items if item != qid and between(qid, item)]

    def neighbours(self, qid: str, name: Name, mentions: Sequence[Name]) -> tuple[str, ...]:
        """Return the neighbours of an item that are mentioned: the first for each mention.

        The class of an item must be mentioned beside its ``name``, as in "the film Gandhi".
        """
        between = self._knowledge.statements.between
        neighbours: list[str] = []
        for mention in mentions:
            is_beside = mention.last + 1 == name.first or name.last + 1 == mention.first
            for item in self.items(mention):
                pids = {pid for _, pid, _ in between(qid, item)}
                if pids and (is_beside or pids != {_CLASS}):
                    neighbours.append(item)
                    break
        return tuple(dict.fromkeys(neighbours))

    def _read_kinds(self, qid: str) -> frozenset[str]:
        """Return the kinds of an item; an item without a class that acts like a person is one."""
        kinds = frozenset(self._knowledge.kinds.names(qid))
        if kinds or self._knowledge.statements.values(qid, _CLASS):
            return kinds
        values = self._knowledge.statements.values
        return frozenset((PERSON,)) if any(values(qid, pid) for pid in _OF_PEOPLE) else kinds

    def _read_named(self, text: str, spellings: tuple[tuple[str, str], ...]) -> Sequence[str]:
        nearness = self._nearness(text, spellings)
        popularity = self._knowledge.statements.popularity
        return sorted(
            nearness, key=lambda qid: (nearness[qid], -popularity(qid), wikidata.number(qid))
        )

    def _read_nearness(
        self, text: str, spellings: tuple[tuple[str, str], ...]
    ) -> dict[str, Nearness]:
        self._read_bearers(spellings)
        nearness: dict[str, Nearness] = {}
        for pair in spellings:
            for qid, is_alias in self._bearers[pair]:
                distance = Nearness(pair[0] != text.strip(), is_alias)
                nearness[qid] = min(nearness.get(qid, distance), distance)
        return nearness

    def _read_bearers(self, spellings: Iterable[tuple[str, str]]) -> None:
        """Read the items with one of the (spelling, language) pairs, in one query."""
        missing = [pair for pair in dict.fromkeys(spellings) if pair not in self._bearers]
        if missing:
            self._bearers |= {pair: [] for pair in missing}
            for spelling, qid, matched in self._knowledge.graph.select(
                "items_by_name", name=missing
            ):
                pair = (spelling.text, spelling.language)
                self._bearers[pair].append((qid, matched == "alias"))
