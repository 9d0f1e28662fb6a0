"""Find the items that a question is about, and distinguish namesakes."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.errors import WrongCallError
from kgbuild.graph.source import AnyKnowledge
from kgbuild.models.local.nlp import load_pipeline
from kgbuild.store.labels import Spellings
from kgbuild.text.index import NameIndex, Nearness
from kgbuild.text.linking import NameLinker
from kgbuild.text.names import parts
from kgbuild.text.people import People
from kgbuild.text.spans import ItemName, without_overlaps
from kgbuild.text.words import Text, split
from kgbuild.wikidata import number

KINDS: Mapping[str, Sequence[str]] = {
    "PERSON": ("person", "character"),
    "PER": ("person", "character"),
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
_FAMILY = ("P22", "P25", "P26", "P40", "P451", "P1038", "P3373")
"""Father, mother, spouse, child, partner, relative, sibling."""
_CLASS = "P31"


class Retrieved(NamedTuple):
    """An entity of a question and its item.

    ``matched`` has the ids of the neighbours that the question mentions, in its order;
    ``candidates`` is the number of items with the name of the entity.
    """

    text: str
    qid: str
    matched: tuple[str, ...]
    candidates: int


class _Link(NamedTuple):
    """A name in a question, and the item that it means."""

    name: ItemName
    item: Retrieved


class Retriever:
    """Finds the items that a question is about.

    Of the items with a name, the one with the most neighbours in the question is chosen; then a
    person rather than a thing, the item with the closest spelling, the most statements that point
    to it, and the smallest id. If the question names people, it is about them, and things only
    distinguish them. A surname or a first name beside the full name is the same person.

    ``is_person`` returns whether an item is a person, ``is_known`` whether it is in the store.
    ``model`` is an installed spaCy pipeline, or a folder of one, that recognises entities and their
    types; without it, names are looked up.

    Source: sections 3.1 and 3.2 of the BioKaLMA paper.

    Raises:
        KgbuildError: a model is named, but spaCy is not installed.
        WrongCallError: the pipeline is not installed.
    """

    def __init__(self, knowledge: AnyKnowledge, names: Spellings, model: str | None = None):
        self._statements = knowledge.statements
        self._index = NameIndex(knowledge, names)
        self._linker = NameLinker(self._index)
        self._people = People(self._index)
        self.is_person, self.is_known = self._index.is_person, self._index.is_known
        self._pipeline = load_pipeline(model) if model else None

    def retrieve(self, text: str) -> list[Retrieved]:
        """Return the items that a question is about, in the order of their mentions.

        Raises:
            WrongCallError: the question is empty.
        """
        if not text.strip():
            raise WrongCallError("The question is empty. Type a question.")
        question = split(text.encode("utf-8", "replace").decode())  # without lone surrogates
        names = self._linker.names(question)
        entities = (
            self._recognised(question, names, self._pipeline)
            if self._pipeline
            else self._entities(question, names)
        )
        outside = [name for name in names if not any(map(name.overlaps, entities))]
        mentions = sorted(
            {fold(n.text): n for n in (*without_overlaps(outside), *entities)}.values()
        )
        links = [_Link(name, self._choose(name, mentions)) for name in entities if name.items]
        relatives = [] if self._pipeline else self._relatives(question, links)
        named = {link.name.first for link in relatives}
        return self._subjects([*relatives, *(one for one in links if one.name.first not in named)])

    def _entities(self, question: Text, names: Sequence[ItemName]) -> list[ItemName]:
        """Return the names in a question that are written like names, without overlaps."""
        shared = [*self._people.coordinated(question)]
        whole = [
            name
            for name in self._linker.whole(question, names)
            if not any(map(name.overlaps, shared))
        ]
        people = [
            name
            for name in self._people.completed(question, whole)
            if name.length > 1 or not any(map(name.overlaps, shared))
        ]
        bearers = {name.first: name.items for name in people if name.length == 1}
        whole = [self._with_bearer(name, bearers.get(name.first, {})) for name in whole]
        return without_overlaps([*whole, *people, *shared])

    def _with_bearer(self, name: ItemName, bearer: Mapping[str, Nearness]) -> ItemName:
        """Return a name of one word with the person whose surname it is, but nobody's alias."""
        if name.length > 1 or not bearer:
            return name
        kept = {
            qid: near
            for qid, near in name.items.items()
            if not (self.is_person(qid) and near.is_alias)
        }
        return name._replace(items={**kept, **bearer})

    def _recognised(
        self, question: Text, names: Sequence[ItemName], pipeline: Callable[[str], Any]
    ) -> list[ItemName]:
        """Return the names in a question that spaCy finds, with the items of the entity's type."""
        by_position = {
            (question.words[name.first].start, question.words[name.last].end): name
            for name in names
        }
        entities = []
        for entity in pipeline(question.text).ents:
            text = entity.text.rstrip(".")
            name = by_position.get((entity.start_char, entity.start_char + len(text)))
            if name:
                kinds = KINDS.get(entity.label_)
                items = {
                    qid: near
                    for qid, near in name.items.items()
                    if kinds is None or not {*self._index.kinds(qid)}.isdisjoint(kinds)
                }
                entities.append(name._replace(items=items))
        return entities

    def _choose(self, name: ItemName, mentions: Iterable[ItemName]) -> Retrieved:
        others = [mention for mention in mentions if fold(mention.text) != fold(name.text)]
        ranked = self._ranked(name.items)
        matched = {qid: self._neighbours(qid, name, others) for qid in ranked}
        # Of several candidates with equally many neighbours, max returns the first, the likeliest.
        best = max(ranked, key=lambda qid: len(matched[qid]))
        return Retrieved(name.text, best, matched[best], len(name.items))

    def _ranked(self, items: Mapping[str, Nearness]) -> Sequence[str]:
        """Return items, the likeliest first: people before things."""
        popularity = self._index.popularity

        def key(qid: str) -> tuple[bool, Nearness, int, int]:
            return not self.is_person(qid), items[qid], -popularity(qid), number(qid)

        return sorted(items, key=key)

    def _neighbours(
        self, qid: str, name: ItemName, mentions: Sequence[ItemName]
    ) -> tuple[str, ...]:
        """Return the neighbours of an item that are mentioned: the first for each mention.

        The class of an item must be mentioned beside its ``name``, as in "the film Gandhi".
        """
        neighbours: list[str] = []
        for mention in mentions:
            is_beside = mention.last + 1 == name.first or name.last + 1 == mention.first
            for item in mention.items:
                pids = {pid for _, pid, _ in self._statements.between(qid, item)}
                if pids and (is_beside or pids != {_CLASS}):
                    neighbours.append(item)
                    break
        return tuple(dict.fromkeys(neighbours))

    def _relatives(self, question: Text, links: Sequence[_Link]) -> list[_Link]:
        """Return the people whom a question names by a given name beside somebody joined to them.

        They share the surname, or are of the family: "Ira Gershwin's brother George".
        """
        taken = [n for n, item in links if n.length > 1 or self.is_person(item.qid)]
        people = sorted({item.qid for _, item in links if self.is_person(item.qid)})
        found = []
        for index, word in enumerate(question.words):
            is_name = word.is_capital if question.is_cased else not word.is_common
            if not is_name or any(name.first <= index <= name.last for name in taken):
                continue
            namesakes = (
                (other, qid)
                for qid in people
                for other in self._index.items(
                    f"{word.text} {self._index.label(qid).rpartition(' ')[2]}"
                )
                if self.is_person(other) and self._statements.between(qid, other)
            )
            family = (
                (other, qid)
                for qid, pid in itertools.product(people, _FAMILY)
                for other in self._statements.values(qid, pid)
                if parts(self._index.label(other))[:1] == [word.folded]
            )
            for other, qid in itertools.islice(itertools.chain(namesakes, family), 1):
                item = Retrieved(word.text, other, (qid,), 1)
                found.append(_Link(ItemName(index, index, word.text, {}), item))
        return found

    def _subjects(self, links: Iterable[_Link]) -> list[Retrieved]:
        """Return the people among linked items, or all items if there are none, once each."""
        linked = [link.item for link in sorted(links, key=lambda link: link.name.first)]
        subjects = [item for item in linked if self.is_person(item.qid)] or linked
        items: dict[str, Retrieved] = {}
        for item in subjects:  # a name may be repeated
            items.setdefault(item.qid, item)
        return [*items.values()]
