"""Build single-hop minimal pairs, as in section 2.1 of the Syn-(QA)² paper.

For true triples (x, relation, y): replace x by the most similar x′ of which the relation does
not hold with y, and ask the same question of both.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field

from kgbuild.building import (
    Built,
    Evidence,
    Progress,
    Rejection,
    shuffled,
    split,
    stable_id,
)
from kgbuild.kg.association import Associations
from kgbuild.kg.hierarchy import Kinds
from kgbuild.kg.labels import Labels
from kgbuild.kg.overlap import Neighbour, Overlap
from kgbuild.kg.postings import Numbers
from kgbuild.kg.store import Graph
from kgbuild.relations import Catalog, Kind, Relation
from kgbuild.syn_qa.falsity import Facts
from kgbuild.syn_qa.questions import Questions
from kgbuild.syn_qa.risk import risk
from kgbuild.syn_qa.rows import DATASET, MOST_CONSIDERED, MOST_USES, Pair


@dataclass(frozen=True)
class Options:
    """What a user may choose: pairs a relation, shared values needed, the risk of truth, the seed.

    The risk is the probability that what a question is to assume falsely is true.
    """

    limit: int = 200
    min_overlap: int = 3
    max_risk: float = 0.01
    seed: int = 0


class _Left(Exception):  # noqa: N818
    """A candidate is left out for a reason."""

    def __init__(self, reason: str, detail: str = ""):
        self.rejection = (reason, detail)


def similarity(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties that tell how alike subjects of a relation are.

    The relation itself, and what says the same as it, does not count: it would find the very
    items for which the relation holds.
    """
    probed = {*relation.forward, *relation.backward}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in probed]


def build(
    graph: Graph,
    overlap: Overlap,
    associations: Associations,
    catalog: Catalog,
    relations: Sequence[Relation],
    options: Options,
    progress: Progress = lambda *_: None,
) -> Iterator[Built]:
    """Build the pairs of each relation, in turn. ``progress`` counts accepted pairs."""
    kinds = Kinds(graph, catalog.kinds)
    known = Labels(graph)
    for relation in relations:
        questions = Questions(relation, catalog, kinds, known)
        engines = (overlap, associations, questions)
        yield _Relation(graph, catalog, relation, options, *engines).build(progress)


@dataclass
class _Relation:
    """The build of one relation."""

    graph: Graph
    catalog: Catalog
    relation: Relation
    options: Options
    overlap: Overlap
    associations: Associations
    questions: Questions
    rejections: list[Rejection] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)
    asked: set[tuple[str, str]] = field(default_factory=set)

    def build(self, progress: Progress) -> Built:
        started = time.monotonic()
        pid = self.relation.pid
        triples = shuffled(
            self.graph.select("relation_pairs", property=pid),
            key=lambda pair: (pid, *pair),
            seed=self.options.seed,
        )
        facts = Facts(self.graph, self.relation, self.catalog.relations)
        pairs: list[Pair] = []
        taken: set[tuple[str, str]] = set()
        candidates = 0
        for x, y in triples:
            if len(pairs) == self.options.limit:
                break
            candidates += 1
            progress(pid, len(pairs), min(self.options.limit, len(triples)))
            try:
                self._check(x, y, taken)
                pairs.append(self._pair(x, y, facts, len(pairs)))
                taken.add((x, y))
            except _Left as left:
                self._reject(x, y, *left.rejection)
        return Built(
            relation=pid,
            tables={"syn_qa_pairs": [asdict(pair) for pair in pairs]},
            rejections=self.rejections,
            candidates=candidates,
            seconds=time.monotonic() - started,
        )

    def _reject(self, x: str, y: str, reason: str, detail: str) -> None:
        self.rejections.append(Rejection(f"{x} {self.relation.pid} {y}", reason, detail))

    def _check(self, x: str, y: str, taken: set[tuple[str, str]]) -> None:
        """Raise unless a question can be asked of x and y."""
        if self.relation.symmetric and (y, x) in taken:
            raise _Left("mirrored")
        if x == y:
            raise _Left("same item")
        for qid in (x, y):
            if not self.questions.label(qid):
                raise _Left("no label", qid)
        for qid, kind in ((x, self.questions.subject(x)), (y, self.questions.object(y))):
            if kind is None:
                raise _Left("wrong kind", qid)
        if self.questions.same_name(x, y):
            raise _Left("same name", self.questions.label(y))

    def _pair(self, x: str, y: str, facts: Facts, number: int) -> Pair:
        properties = similarity(self.relation, self.questions.subject(x))
        neighbour, risk = self._replacement(x, y, properties, facts)
        x2 = neighbour.qid
        self.uses[x2] += 1
        self.asked.add((x2, y))
        n = number % len(self.relation.syn_qa)
        others = facts.others(x2)
        question, false_question = (self.questions.ask(n, subject, y) for subject in (x, x2))
        return Pair(
            pair_id=stable_id(DATASET, self.relation.pid, x, x2, y, question, false_question),
            relation=self.relation.pid,
            relation_label=self.relation.label,
            template_id=f"{self.relation.pid}-{n + 1}",
            hops=1,
            subject_qid=x,
            subject_label=self.questions.label(x),
            bridge_qid=None,
            bridge_label=None,
            replacement_qid=x2,
            replacement_label=self.questions.label(x2),
            object_qid=y,
            object_label=self.questions.label(y),
            overlap=neighbour.overlap,
            shared=[
                {"property": pid, "value": value}
                for pid, value in self.overlap.shared(x, x2, properties)
            ],
            similarity="property_overlap",
            question=question,
            false_question=false_question,
            answer=None,
            falsity="closed" if others else "absent",
            risk=round(risk, 6),
            evidence=[Evidence(x, self.relation.pid, y)._asdict()],
            falsity_evidence=[other._asdict() for other in others],
            popularity=self._popularity(x),
            replacement_popularity=self._popularity(x2),
            source_id=None,
            split=split(x),
        )

    def _replacement(
        self, x: str, y: str, properties: Sequence[str], facts: Facts
    ) -> tuple[Neighbour, float]:
        """Return the most similar item that may replace x, and the risk of it."""
        neighbours = 0
        holders = self.associations.holders(facts.holders(y))
        similar = self.overlap.top(x, properties, MOST_CONSIDERED, self.options.min_overlap)
        for neighbour in similar:
            neighbours += 1
            try:
                self._check_replacement(x, y, neighbour.qid)
                self._check_plain(x, y, neighbour.qid, facts)
                self._check_false(y, neighbour.qid, facts)
                return neighbour, self._risk(x, neighbour.qid, holders, facts)
            except _Left as left:
                reason, detail = left.rejection
                self._reject(neighbour.qid, y, reason, f"for {x}; {detail}".removesuffix("; "))
        if neighbours:
            raise _Left("all similar items fell out", f"{neighbours} items")
        raise _Left("no similar item", f"needs {self.options.min_overlap} shared values")

    def _check_replacement(self, x: str, y: str, x2: str) -> None:
        """Raise unless the question about x can be asked about x2."""
        if x2 == y:
            raise _Left("is the object")
        if not self.questions.label(x2):
            raise _Left("no label", x2)
        if self.questions.subject(x2) != self.questions.subject(x):
            raise _Left("wrong kind", x2)
        if self.questions.same_name(x, y, x2):
            raise _Left("same name", self.questions.label(x2))
        if self.uses[x2] == MOST_USES:
            raise _Left("used often")
        if (x2, y) in self.asked:
            raise _Left("asked before")

    def _check_false(self, y: str, x2: str, facts: Facts) -> None:
        """Raise unless what the question then assumes is false, as far as the store can tell."""
        if says := facts.says(x2, y):
            raise _Left("holds", " ".join(says))
        if facts.has_unknown(x2):
            raise _Left("unknown value")
        for value in facts.partners(x2) if self.relation.within else ():
            if self.questions.may_be(value, y):
                raise _Left("holds", f"{value} may be {y}")

    def _risk(self, x: str, x2: str, holders: Numbers, facts: Facts) -> float:
        """Return how probable it is that the assumption is true all the same, if not too much."""
        same = {*self.relation.forward, *self.relation.backward}
        association = self.associations.of(x2, holders, x, same)
        found = risk(association, bool(facts.others(x2)))
        if found > self.options.max_risk:
            raise _Left("risky", f"{found:.3f}")
        return found

    def _check_plain(self, x: str, y: str, x2: str, facts: Facts) -> None:
        """Raise if one need know nothing of x2 to see that the assumption is false."""
        if lacks := facts.lacks(x2):
            raise _Left("lacks a property", ", ".join(lacks))
        if differs := facts.differs(x, x2):
            raise _Left("differs", ", ".join(differs))
        if bar := facts.barred(x2, y):
            raise _Left("absurd", " ".join(bar))

    def _popularity(self, qid: str) -> int:
        return sum(count for (count,) in self.graph.select("popularity", item=qid))
