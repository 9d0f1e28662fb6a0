"""Find the items that a question is about; their subgraphs are the retrieved knowledge.

A mention is a name in the question. An entity is a mention that can be an item the question is
about; a neighbour of an item is an item that a statement connects with it.
"""

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
"""Maximum number of names whose items are cached."""
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
"""Kinds in relations.toml that items may have, by spaCy's type of the entity.

Items of entities with another type may have any kind.
"""


class Retrieved(NamedTuple):
    """An entity of a question and its item.

    ``matched`` has the ids of the neighbours that the question mentions, in its order;
    ``candidates`` is the number of items with the name of the entity.
    """

    text: str
    qid: str
    matched: tuple[str, ...]
    candidates: int


def accuracy(outcomes: Sequence[tuple[Set[str], Set[str]]]) -> dict[str, Estimate]:
    """Return the metrics of retrieval; outcomes are the subjects and the retrieved items.

    ``accuracy``: the share of subjects that are retrieved. ``all_found``: the share of questions
    whose subjects are all retrieved. ``further``: the mean number of other retrieved items per
    question. There must be at least one question.

    Source: section 5.3 of the BioKaLMA paper, which reports ``accuracy``.
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

    Candidates for an entity are the items with its name and with a kind that its type allows. The
    candidate with the maximum number of neighbours in the question is chosen; ties are broken by
    the spelling of the label, then by popularity, then by the smallest id. Two sorts of entities
    are left out: topics (items that are not people, but values of a person in the question) and
    surnames (names at the end of another entity's name).

    ``model`` is the spaCy pipeline of the ``Reader`` that recognises entities; None is a pipeline
    that looks up names only.

    Source: sections 3.1 and 3.2 of the paper.

    Raises:
        NoPipelineError: the pipeline is not installed.
    """

    def __init__(self, knowledge: AnyKnowledge, names: Spellings, model: str | None = None):
        self._knowledge = knowledge
        self._names = names
        self._items = functools.lru_cache(_CACHE_SIZE)(self._rank_items)
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
        entities, other_mentions = self._reader.read(question)
        mentions = _by_name(sorted((*entities, *other_mentions), key=lambda mention: mention.start))
        matches = [self._match(entity, mentions) for entity in _by_name(entities).values()]
        items = [match for match in matches if match]
        return [
            item
            for item in items
            if not any(
                self._is_topic(item, related) or self._is_surname(item, related)
                for related in items
            )
        ]

    def _match(self, entity: Mention, mentions: Mapping[str, Mention]) -> Retrieved | None:
        """Return the item of an entity; None if no item has its name and kind.

        ``mentions`` are all mentions in the question, by normalised name.
        """
        kinds = _KINDS.get(entity.kind)
        candidates = [
            qid
            for qid in self._items(entity.text)
            if kinds is None or not self._kinds(qid).isdisjoint(kinds)
        ]
        entity_name = fold(entity.text)
        other_names = [mention.text for name, mention in mentions.items() if name != entity_name]
        matched = {qid: self._neighbours(qid, other_names) for qid in candidates}
        # Of several candidates with equally many neighbours, max returns the first, the likeliest.
        best = max(candidates, key=lambda qid: len(matched[qid]), default=None)
        return Retrieved(entity.text, best, matched[best], len(candidates)) if best else None

    def _neighbours(self, qid: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the neighbours of an item that have one of ``names``: the first for each name."""
        between = self._knowledge.statements.between
        neighbours = []
        for name in names:
            neighbours += [item for item in self._items(name) if between(qid, item)][:1]
        return tuple(neighbours)

    def _is_surname(self, item: Retrieved, related: Retrieved) -> bool:
        """Return whether the name of an item is the end of the name of another item, a surname.

        A full label of an item with neighbours in the question is not a surname.
        """
        name = fold(item.text)
        is_label = fold(self._knowledge.labels.label(item.qid) or "") == name
        return fold(related.text).endswith(f" {name}") and not (item.matched and is_label)

    def _is_topic(self, item: Retrieved, related: Retrieved) -> bool:
        """Return whether an item is not a person, but a value of another item that is a person."""
        kinds = self._kinds(item.qid)
        if not kinds or _PERSON in kinds or _PERSON not in self._kinds(related.qid):
            return False
        statements = self._knowledge.statements.between(related.qid, item.qid)
        return any(subject == related.qid for subject, _, _ in statements)

    def _kinds(self, qid: str) -> frozenset[str]:
        return frozenset(self._knowledge.kinds.names(qid))

    def _spellings(self, name: str) -> Sequence[str]:
        """Return the spellings of a name in the store, with any sort of apostrophe."""
        straight = name.translate(_STRAIGHT)
        variants = dict.fromkeys((straight, straight.replace("'", "’")))
        return [spelling for form in variants for spelling, _ in self._names.spellings(form)]

    def _prefetch(self, names: Sequence[str]) -> None:
        self._names.prefetch(
            variant for name in names for variant in spelling_variants(name.translate(_STRAIGHT))
        )

    def _rank_items(self, name: str) -> Sequence[str]:
        """Return the items with a name, the likeliest first."""
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
"""A table for ``str.translate`` that replaces curly apostrophes and quotes by straight ones."""
