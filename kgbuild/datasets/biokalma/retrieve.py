"""Find the items that a question is about; their subgraphs are the retrieved knowledge."""

import functools
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.english.normalize import fold
from kgbuild.errors import EmptyQuestionError
from kgbuild.evaluate.bootstrap import Estimate, Share, estimates
from kgbuild.graph.source import AnyKnowledge
from kgbuild.models.nlp import Mention, Reader
from kgbuild.store.labels import Spellings, items_named, spelling_variants

_CACHE_SIZE = 1 << 16
_PERSON = "person"
_KINDS: Mapping[str, Sequence[str]] = {
    "PERSON": (_PERSON, "character"),
    "PER": (_PERSON, "character"),
    "GPE": ("place",),
    "LOC": ("place", "water"),
    "ORG": ("organisation", "ensemble", "team", "league", "army"),
    "WORK_OF_ART": ("screen", "music", "writing", "artwork"),
    "EVENT": ("event", "conflict", "league", "award"),
    "LANGUAGE": ("language",),
}
"""The kinds of relations.toml that entities of a type may have; other types allow any kind."""


class Retrieved(NamedTuple):
    """An entity of a question and its item.

    ``matched`` are the neighbours of the item that the question names, in its order;
    ``candidates`` is the number of items with the name of the entity.
    """

    text: str
    qid: str
    matched: tuple[str, ...]
    candidates: int


def accuracy(outcomes: Sequence[tuple[Set[str], Set[str]]]) -> dict[str, Estimate]:
    """Return the metrics of retrieval from outcomes: the subjects, and the retrieved items.

    ``accuracy``: the share of subjects that were retrieved. ``all_found``: the share of questions
    with all subjects retrieved. ``further``: the mean number of other retrieved items of a
    question. There must be at least one question.

    Source: section 5.3 of the paper, which reports ``accuracy``.
    """
    counted = [
        {
            "accuracy": Share(len(subjects & retrieved), len(subjects)),
            "all_found": Share(subjects <= retrieved, 1),
            "further": Share(len(retrieved - subjects), 1),
        }
        for subjects, retrieved in outcomes
    ]
    return estimates(counted, unbounded=["further"])


class Retriever:
    """Finds the items that a question is about.

    An entity means the item with its name, and of a kind that its type allows, that has the most
    neighbours in the question. Ties are broken by the spelling of the label, then by popularity,
    then by the smallest id. Two sorts of entities are left out: topics (not people, but values in
    the subgraph of a person in the question) and surnames (names at the end of another entity's
    name).

    ``model`` is the language model of the ``Reader`` that finds entities.

    Source: sections 3.1 and 3.2 of the paper.

    Raises:
        NoPipelineError: as for ``Reader``.
    """

    def __init__(self, knowledge: AnyKnowledge, names: Spellings, model: str | None = None):
        self._knowledge = knowledge
        self._names = names
        self._items = functools.lru_cache(_CACHE_SIZE)(self._items_of)
        spellings = functools.lru_cache(_CACHE_SIZE)(self._spellings)
        self._reader = Reader(
            spellings, lambda name: next(iter(self._items(name)), ""), model, self._prefetch
        )

    def retrieve(self, question: str) -> list[Retrieved]:
        """Return the items that a question is about, in the order of their mentions.

        Raises:
            EmptyQuestionError: the question is empty.
        """
        if not question.strip():
            raise EmptyQuestionError
        entities, others = self._reader.read(question)
        mentions = _by_name(sorted((*entities, *others), key=lambda mention: mention.start))
        matches = [self._match(entity, mentions) for entity in _by_name(entities).values()]
        items = [match for match in matches if match]
        return [
            item
            for item in items
            if not any(
                self._is_topic(item, other) or self._is_surname(item, other) for other in items
            )
        ]

    def _match(self, entity: Mention, mentions: Mapping[str, Mention]) -> Retrieved | None:
        """Return the item of an entity; None if no item has its name and kind.

        ``mentions`` are all names in the question.
        """
        kinds = _KINDS.get(entity.kind)
        candidates = [
            qid
            for qid in self._items(entity.text)
            if kinds is None or not self._kinds(qid).isdisjoint(kinds)
        ]
        others = [mention.text for name, mention in mentions.items() if name != fold(entity.text)]
        matched = {qid: self._neighbours(qid, others) for qid in candidates}
        # max takes the first of several best candidates, which is the likeliest.
        best = max(candidates, key=lambda qid: len(matched[qid]), default=None)
        return Retrieved(entity.text, best, matched[best], len(candidates)) if best else None

    def _neighbours(self, qid: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the neighbours of an item that have one of ``names``: the first for each name."""
        between = self._knowledge.statements.between
        by_name = ((item for item in self._items(name) if between(qid, item)) for name in names)
        return tuple(filter(None, (next(items, None) for items in by_name)))

    def _is_surname(self, item: Retrieved, other: Retrieved) -> bool:
        """Return whether a name ends a longer name, and is not the full name of a relative."""
        name = fold(item.text)
        is_full = bool(item.matched) and fold(self._knowledge.labels.label(item.qid) or "") == name
        return fold(other.text).endswith(f" {name}") and not is_full

    def _is_topic(self, item: Retrieved, other: Retrieved) -> bool:
        """Return whether an item is not a person, but a value of another item that is a person."""
        kinds = self._kinds(item.qid)
        if not kinds or _PERSON in kinds or _PERSON not in self._kinds(other.qid):
            return False
        statements = self._knowledge.statements.between(other.qid, item.qid)
        return any(subject == other.qid for subject, _, _ in statements)

    def _kinds(self, qid: str) -> frozenset[str]:
        return frozenset(self._knowledge.kinds.names(qid))

    def _spellings(self, name: str) -> Sequence[str]:
        """Return the spellings of a name in the store, whatever its apostrophes."""
        straight = name.translate(_STRAIGHT)
        variants = dict.fromkeys((straight, straight.replace("'", "’")))
        return [spelling for form in variants for spelling, _ in self._names.spellings(form)]

    def _prefetch(self, names: Sequence[str]) -> None:
        self._names.prefetch(
            variant for name in names for variant in spelling_variants(name.translate(_STRAIGHT))
        )

    def _items_of(self, name: str) -> Sequence[str]:
        """Return the items of a name, the likeliest first."""
        nearness = items_named(self._knowledge.graph, self._names, name.translate(_STRAIGHT))
        popularity = self._knowledge.statements.popularity
        return sorted(
            nearness, key=lambda qid: (nearness[qid], -popularity(qid), wikidata.number(qid))
        )


def _by_name(mentions: Iterable[Mention]) -> dict[str, Mention]:
    """Return the first mention of each name, in their order."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        first.setdefault(fold(mention.text), mention)
    return first


_STRAIGHT = str.maketrans("’“”", '\'""')
