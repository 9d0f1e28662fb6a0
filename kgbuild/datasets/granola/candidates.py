"""Choose among items with the same name, by evidence."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.catalog import Catalog
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.store.labels import Nearness
from kgbuild.wikidata import number

Score: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns how well each description fits a question: the larger, the better."""

_RULES = ("answer", "relation", "class")
"""The rules of the three kinds of evidence, in their order."""


class Evidences(NamedTuple):
    """The evidence for an item: it has the answer, or the relation, or a fitting kind."""

    has_answer: bool
    has_relation: bool
    is_of_kind: bool


class Candidate(NamedTuple):
    """An item with the name, and the evidence for it."""

    relation: Relation
    qid: str
    near: Nearness
    evidence: Evidences


class Chooser:
    """Chooses among candidates. ``score`` compares descriptions with questions, if it is given."""

    def __init__(self, knowledge: Knowledge, catalog: Catalog, score: Score | None):
        self._labels = knowledge.labels
        self._names_of_kinds = knowledge.kinds.names
        self._kinds = catalog.kinds
        self._score = score

    def is_of_kind(self, qid: str, kinds: Sequence[str]) -> bool:
        """Tell whether an item is of one of some kinds."""
        return not {*kinds}.isdisjoint(self._names_of_kinds(qid))

    def is_possible(self, candidate: Candidate, kinds: Sequence[str]) -> bool:
        """Tell whether a candidate may be meant where items of some kinds are expected.

        It is not if there is no evidence and it is of another kind: the only item called "Two" is
        a number, and released no music.
        """
        accepts_all = any(not self._kinds[name].classes for name in kinds)
        return accepts_all or any(candidate.evidence) or not self._names_of_kinds(candidate.qid)

    def choose(self, candidates: Sequence[Candidate], question: str) -> tuple[Candidate, str]:
        """Return the best candidate, and the rule that left no other one."""
        left = list(candidates)
        for n, rule in enumerate(_RULES):
            left = [one for one in left if one.evidence[n]] or left
            if len(left) == 1 and left[0].evidence[n]:
                return left[0], rule
        left = [one for one in left if one.relation.pid == left[0].relation.pid]
        if self._score and len(left) > 1:
            descriptions = [self._labels.description(one.qid) or "" for one in left]
            scores = self._score(question, descriptions)
            best = max(scores)
            left = [one for one, score in zip(left, scores, strict=True) if score == best]
            if len(left) == 1:
                return left[0], "description"
        nearest = min(one.near for one in left)
        left = [one for one in left if one.near == nearest]
        return min(left, key=lambda one: number(one.qid)), "name" if len(left) == 1 else "number"
