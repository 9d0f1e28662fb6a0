"""Find the items that a question is about, and distinguish namesakes."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.retrieval.candidates import Candidates
from kgbuild.datasets.biokalma.retrieval.entities import Entities
from kgbuild.datasets.biokalma.retrieval.incomplete_names import IncompleteNames
from kgbuild.datasets.biokalma.retrieval.names import Name, find_names, without_overlaps
from kgbuild.datasets.biokalma.retrieval.pipeline import Recogniser
from kgbuild.datasets.biokalma.retrieval.shared_names import SharedNames
from kgbuild.datasets.biokalma.retrieval.surnames import Surnames
from kgbuild.datasets.biokalma.retrieval.words import Question, split, vocabulary
from kgbuild.english.normalize import fold
from kgbuild.errors import EmptyQuestionError
from kgbuild.graph.source import AnyKnowledge
from kgbuild.store.labels import Spellings

_WELL_KNOWN = 100
"""Number of statements that point to a thing above which its name is nobody's surname."""


class Retrieved(NamedTuple):
    """An entity of a question and its item.

    ``matched`` has the ids of the neighbours that the question mentions, in its order;
    ``candidates`` is the number of items with the name of the entity.
    """

    text: str
    qid: str
    matched: tuple[str, ...]
    candidates: int


class _Entity(NamedTuple):
    """A name in a question, and the items that it may mean."""

    name: Name
    items: Sequence[str]


class _Link(NamedTuple):
    """A name in a question, and the item that it means."""

    name: Name
    item: Retrieved


class Retriever:
    """Finds the items that a question is about.

    Of the items with a name, the one with the most neighbours in the question is chosen; then a
    person rather than a thing, unless the thing is much better known or follows a preposition of
    places or a possessive; then the item with the closest spelling, the most statements that point
    to it, and the smallest id. If the question names people, it is about them, and things only
    distinguish them. A surname or a first name beside the full name is the same person.

    ``is_person`` returns whether an item is a person, ``is_known`` whether it is in the store.
    ``model`` is an installed spaCy pipeline, or a folder of one, that recognises entities and their
    types; without it, names are looked up.

    Source: sections 3.1 and 3.2 of the BioKaLMA paper.

    Raises:
        MissingExtraError: a model is named, but spaCy is not installed.
        NoPipelineError: the pipeline is not installed.
    """

    def __init__(self, knowledge: AnyKnowledge, names: Spellings, model: str | None = None):
        self._knowledge = knowledge
        self._table = names
        self._candidates = Candidates(knowledge)
        self.is_person, self.is_known = self._candidates.is_person, self._candidates.is_known
        self._surnames = Surnames(names, self._candidates)
        self._recogniser = Recogniser(model) if model else None

    def retrieve(self, text: str) -> list[Retrieved]:
        """Return the items that a question is about, in the order of their mentions.

        Raises:
            EmptyQuestionError: the question is empty.
        """
        if not text.strip():
            raise EmptyQuestionError
        question = split(text.encode("utf-8", "replace").decode())  # without lone surrogates
        names = find_names(question, self._table)
        self._candidates.read(names)
        if self._recogniser:
            entities = [
                _Entity(name, self._candidates.of_type(name, entity_type))
                for name, entity_type in self._recogniser.entities(question, names)
            ]
            return self._subjects(self._link(question, entities, names))
        links = self._link(question, self._entities(question, names), names)
        relatives = self._relatives(question, links)
        others = [link for link in links if not any(link.name.overlaps(r.name) for r in relatives)]
        return self._subjects([*relatives, *others])

    def _entities(self, question: Question, names: Sequence[Name]) -> list[_Entity]:
        """Return the names in a question that are written like names, and their items."""
        shared = SharedNames(question, self._table, self._surnames, self._candidates)
        chosen = Entities(question, self._candidates.names_person).choose(names)
        completed = [
            name
            for name in (*shared.coordinated(), *shared.rulers())
            if not any(name.overlaps(other) and other.length > name.length for other in chosen)
        ]
        chosen = [name for name in chosen if not any(map(name.overlaps, completed))]
        incomplete = IncompleteNames(question, names, self._table, self._surnames, self._candidates)
        entities = [_Entity(name, self._meant(incomplete, name, chosen)) for name in chosen]
        entities += [_Entity(name, self._candidates.items(name)) for name in completed]
        # "daryl hannah" is a person, even if "hannah" is a thing.
        firm = [
            name
            for name, items in entities
            if question.is_cased or name.length > 1 or any(map(self.is_person, items))
        ]
        persons = [_Entity(*found) for found in incomplete.people(firm)]
        entities = [
            entity
            for entity in entities
            if not any(entity.name.overlaps(person.name) for person in persons)
        ]
        entities += persons
        for name, people in incomplete.siblings():
            entities = [entity for entity in entities if not entity.name.overlaps(name)]
            entities += [_Entity(name, [person]) for person in people]
        return sorted(entities)

    def _meant(
        self, incomplete: IncompleteNames, name: Name, others: Sequence[Name]
    ) -> Sequence[str]:
        """Return the items that a name means, and the person whose surname it is.

        A person whose alias the surname is must not be known less than the one who bears it.
        """
        items = self._candidates.meant(name)
        if name.length > 1 or self._is_firm(name, items):
            return items
        bearers = incomplete.of_surname(name, (other for other in others if other != name))
        people = [*filter(self.is_person, items)]
        popularity = self._candidates.popularity
        if people and bearers and popularity(bearers[0]) <= max(map(popularity, people)):
            return items
        return [*bearers, *(qid for qid in items if qid not in people)] if bearers else items

    def _is_firm(self, name: Name, items: Sequence[str]) -> bool:
        """Return whether a name is the label of a person, or a thing is better known than any."""
        return any(
            self._candidates.popularity(qid) > _WELL_KNOWN
            or (self.is_person(qid) and self._candidates.is_label(name, qid))
            for qid in items
        )

    def _link(
        self, question: Question, entities: Sequence[_Entity], names: Sequence[Name]
    ) -> list[_Link]:
        """Return the entities that can mean an item, each with the likeliest one."""
        outside = without_overlaps(
            name for name in names if not any(name.overlaps(entity.name) for entity in entities)
        )
        mentions = {
            fold(name.text): name
            for name in sorted((*(entity.name for entity in entities), *outside), reverse=True)
        }
        return [
            _Link(entity.name, item)
            for entity in entities
            if (item := self._choose(question, entity, sorted(mentions.values())))
        ]

    def _choose(
        self, question: Question, entity: _Entity, mentions: Iterable[Name]
    ) -> Retrieved | None:
        name, items = entity
        related = [mention for mention in mentions if fold(mention.text) != fold(name.text)]
        ranked = self._candidates.rank(name, items, _follows_thing(question, name))
        matched = {qid: self._candidates.neighbours(qid, name, related) for qid in ranked}
        # Of several candidates with equally many neighbours, max returns the first, the likeliest.
        best = max(ranked, key=lambda qid: len(matched[qid]), default=None)
        return Retrieved(name.text, best, matched[best], len(items)) if best else None

    def _relatives(self, question: Question, links: Sequence[_Link]) -> list[_Link]:
        """Return the relatives of people whom a question names by their given names."""
        people = [
            (link.name, link.item.qid)
            for link in links
            if self.is_person(link.item.qid) and link.name.length > 1
        ]
        shared = SharedNames(question, self._table, self._surnames, self._candidates)
        relatives: dict[Name, _Link] = {}
        for name, relative, qid in shared.given_names(people):
            relatives.setdefault(name, _Link(name, Retrieved(name.text, relative, (qid,), 1)))
        return list(relatives.values())

    def _subjects(self, links: Iterable[_Link]) -> list[Retrieved]:
        """Return the people among linked items, or all items if there are none, once each."""
        linked = list(dict.fromkeys(link.item for link in sorted(links)))  # a name may be repeated
        subjects = [item for item in linked if self.is_person(item.qid)] or linked
        items: dict[str, Retrieved] = {}
        for item in subjects:
            if not any(self._is_part(item, related) for related in subjects):
                items.setdefault(item.qid, item)
        return [*items.values()]

    def _is_part(self, item: Retrieved, related: Retrieved) -> bool:
        """Return whether the name of an item is the surname or first name of another item.

        A full label of an item with neighbours in the question is not a part.
        """
        name, whole = fold(item.text), fold(related.text)
        if " " not in name and self.is_person(item.qid) and whole.startswith(f"{name} "):
            return True
        is_label = fold(self._candidates.label(item.qid)) == name
        return whole.endswith(f" {name}") and not (item.matched and is_label)


def _follows_thing(question: Question, name: Name) -> bool:
    """Return whether a name follows what precedes places or works: "in Lincoln", "X's Ed Wood"."""
    if not name.first:
        return False
    before, word = question.words[name.first - 1], question.words[name.first]
    follows_place = name.length == 1 and before.folded in vocabulary().place_prepositions
    return follows_place or before.is_clitic or word.gap in ("' ", "’ ")
