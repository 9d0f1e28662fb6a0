"""The baseline that retrieves: from a question to the items whose subgraphs answer it."""

import functools
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.english.normalize import fold
from kgbuild.errors import EmptyQuestionError
from kgbuild.evaluate.bootstrap import Estimate, Share, estimates
from kgbuild.graph.source import AnyKnowledge
from kgbuild.models.nlp import Mention, Reader
from kgbuild.store.labels import Spellings, forms, named

_REMEMBERED = 1 << 16
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
"""Which kinds of relations.toml an entity of a type may be; other types tell nothing."""


class Retrieved(NamedTuple):
    """An entity of a question, and the item that it is taken for.

    ``matched`` are the item's neighbours that the question names, in its order; ``candidates``
    counts the items of that name.
    """

    text: str
    qid: str
    matched: tuple[str, ...]
    candidates: int


def accuracy(outcomes: Sequence[tuple[Set[str], Set[str]]]) -> dict[str, Estimate]:
    """Return how well retrieval does: for each question what it is about, and what was retrieved.

    ``accuracy``: the subgraphs that were retrieved, of those of all subjects. ``all_found``: the
    questions of which all were. ``further``: how many a question were retrieved that it is not
    about. There is a question at least.

    Source: section 5.3 of the paper, which reports the first of the figures.
    """
    counted = [
        {
            "accuracy": Share(len(about & found), len(about)),
            "all_found": Share(about <= found, 1),
            "further": Share(len(found - about), 1),
        }
        for about, found in outcomes
    ]
    return estimates(counted, unbounded=["further"])


class Retriever:
    """Finds the items that a question is about.

    Each entity that ``reader`` finds is taken for the item of that name, and of a kind that its
    type allows, of whose neighbours the question names the most; ties go to the one that is
    called so by its label, as it is spelled, then to the one to which more statements point,
    then to the smallest id. Of what is no person, but is a value in the subgraph of one that the
    question is about, the own subgraph is left out: it is a topic, not a subject. So is
    that of what is called as another entity's name ends: that one's surname is meant.

    ``model`` is that of a ``Reader``.

    Source: sections 3.1 and 3.2 of the paper.

    Raises:
        NoPipelineError: as for ``Reader``.
    """

    def __init__(self, knowledge: AnyKnowledge, names: Spellings, model: str | None = None):
        self._knowledge = knowledge
        self._names = names
        self._spellings = functools.lru_cache(_REMEMBERED)(self._spelled)
        self._bearers = functools.lru_cache(_REMEMBERED)(self._called)
        self._reader = Reader(self._spellings, self._first, model, self._expect)

    def retrieve(self, question: str) -> list[Retrieved]:
        """Return the items that a question is about, in the order of their mentions.

        Raises:
            EmptyQuestionError: nothing is asked.
        """
        if not question.strip():
            raise EmptyQuestionError
        entities, others = self._reader.read(question)
        told = _by_name(sorted((*entities, *others), key=lambda mention: mention.start))
        found = [self._best(entity, told) for entity in _by_name(entities).values()]
        return self._subjects([one for one in found if one])

    def _best(self, entity: Mention, told: Mapping[str, Mention]) -> Retrieved | None:
        """Return the item that an entity is taken for, None if none has its name and kind.

        ``told`` is all that is mentioned, by its name.
        """
        kinds = _KINDS.get(entity.kind)
        candidates = [
            qid
            for qid in self._bearers(entity.text)
            if kinds is None or not self._kinds(qid).isdisjoint(kinds)
        ]
        others = [other.text for name, other in told.items() if name != fold(entity.text)]
        if not candidates:
            return None
        matched = {qid: self._matched(qid, others) for qid in candidates}
        # Of several, max takes the first, which is the likeliest.
        best = max(candidates, key=lambda qid: len(matched[qid]))
        return Retrieved(entity.text, best, matched[best], len(candidates))

    def _matched(self, qid: str, others: Iterable[str]) -> tuple[str, ...]:
        """Return the neighbours of an item that are mentioned, one for each name."""
        joining = self._knowledge.statements.between
        joined = ((one for one in self._bearers(name) if joining(qid, one)) for name in others)
        return tuple(filter(None, (next(ones, None) for ones in joined)))

    def _subjects(self, found: Sequence[Retrieved]) -> list[Retrieved]:
        return [
            one
            for one in found
            if not any(
                self._is_topic(one.qid, other.qid) or self._is_surname(one, other)
                for other in found
            )
        ]

    def _is_surname(self, one: Retrieved, other: Retrieved) -> bool:
        """Tell whether a name stands for a longer one, unless it is all that a relative has."""
        name = fold(one.text)
        is_own = bool(one.matched) and fold(self._knowledge.labels.label(one.qid) or "") == name
        return fold(other.text).endswith(f" {name}") and not is_own

    def _is_topic(self, qid: str, of: str) -> bool:
        """Tell whether an item is known to be no person, and is a value in a person's subgraph."""
        kinds = self._kinds(qid)
        if not kinds or _PERSON in kinds or _PERSON not in self._kinds(of):
            return False
        return any(subject == of for subject, _, _ in self._knowledge.statements.between(of, qid))

    def _kinds(self, qid: str) -> frozenset[str]:
        return frozenset(self._knowledge.kinds.names(qid))

    def _spelled(self, name: str) -> Sequence[str]:
        """Return how a name is really spelled, with whichever marks it is written here."""
        straight = name.translate(_STRAIGHT)
        tried = dict.fromkeys((straight, straight.replace("'", "’")))
        return [spelling for form in tried for spelling, _ in self._names.spellings(form)]

    def _expect(self, names: Sequence[str]) -> None:
        self._names.expect(form for name in names for form in forms(name.translate(_STRAIGHT)))

    def _called(self, name: str) -> Sequence[str]:
        """Return the items of a name, the likeliest first."""
        found = named(self._knowledge.graph, self._names, name.translate(_STRAIGHT))
        popularity = self._knowledge.statements.popularity
        return sorted(found, key=lambda qid: (found[qid], -popularity(qid), wikidata.number(qid)))

    def _first(self, name: str) -> str:
        return next(iter(self._bearers(name)), "")


def _by_name(mentions: Iterable[Mention]) -> dict[str, Mention]:
    """Return the first mention of each name, in their order."""
    found: dict[str, Mention] = {}
    for mention in mentions:
        found.setdefault(fold(mention.text), mention)
    return found


_STRAIGHT = str.maketrans("’“”", '\'""')
