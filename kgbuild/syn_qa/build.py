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
from kgbuild.kg import labels
from kgbuild.kg.hierarchy import Kinds
from kgbuild.kg.overlap import Neighbour, Overlap
from kgbuild.kg.store import Graph
from kgbuild.relations import Catalog, Kind, Relation
from kgbuild.syn_qa.falsity import Facts

DATASET = "syn_qa"
MOST_USES = 5
"""In how many pairs of a relation one replacement may stand, else a few replace everybody."""

REASONS = {
    "mirrored": "the same pair the other way round was taken before",
    "same item": "subject and object are one item",
    "no label": "an end has no label in English",
    "wrong kind": "an end is not of the kind that the questions are made for",
    "no similar item": "no item of the same class shares enough values",
    "all similar items fell out": "each similar item was left out, for its own reason",
    "holds": "the store says, or comes near to saying, that the assumption is true",
    "unknown value": "the replacement has a value that nobody knows",
    "same name": "two of subject, object and replacement have one name",
    "used often": f"the replacement already stands in {MOST_USES} pairs of the relation",
    "is the object": "the replacement is the object itself",
}


@dataclass(frozen=True)
class Options:
    """What a user may choose: pairs a relation, shared values needed, the seed of the order."""

    limit: int = 200
    min_overlap: int = 3
    seed: int = 0


@dataclass(frozen=True)
class Pair:
    """A row of ``syn_qa_pairs``; the columns are described in docs/tables.md."""

    pair_id: str
    relation: str
    relation_label: str
    template_id: str
    hops: int
    subject_qid: str
    subject_label: str
    bridge_qid: str | None
    bridge_label: str | None
    replacement_qid: str
    replacement_label: str
    object_qid: str
    object_label: str
    overlap: int
    shared: list[dict[str, str]]
    similarity: str
    question: str
    false_question: str
    answer: str | None
    falsity: str
    risk: float | None
    evidence: list[dict[str, str]]
    falsity_evidence: list[dict[str, str]]
    popularity: int
    replacement_popularity: int
    source_id: str | None
    split: str


class _Left(Exception):  # noqa: N818
    """A candidate is left out for a reason."""

    def __init__(self, reason: str, detail: str = ""):
        self.rejection = (reason, detail)


def similarity(relation: Relation, kind: Kind) -> list[str]:
    """Return the properties that tell how alike subjects of a relation are.

    The relation itself, and what says the same as it, does not count: it would find the very
    items for which the relation holds.
    """
    probed = {*relation.forward, *relation.backward}
    return [pid for pid in kind.similarity if pid not in probed]


def build(
    graph: Graph,
    catalog: Catalog,
    relations: Sequence[Relation],
    options: Options,
    progress: Progress = lambda *_: None,
) -> Iterator[Built]:
    """Build the pairs of each relation, in turn. ``progress`` counts accepted pairs."""
    kinds = Kinds(graph, catalog.kinds)
    names = [name for relation in relations for name in relation.subject]
    properties = {pid for name in names for pid in catalog.kinds[name].similarity}
    overlap = Overlap(graph, kinds, properties)
    known = labels.Labels(graph)
    for relation in relations:
        yield _Relation(graph, catalog, relation, options, kinds, overlap, known).build(progress)


@dataclass
class _Relation:
    """The build of one relation."""

    graph: Graph
    catalog: Catalog
    relation: Relation
    options: Options
    kinds: Kinds
    overlap: Overlap
    labels: labels.Labels
    rejections: list[Rejection] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)

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
        seen: set[tuple[str, str]] = set()
        for x, y in triples:
            if len(pairs) == self.options.limit:
                break
            progress(pid, len(pairs), min(self.options.limit, len(triples)))
            try:
                self._check(x, y, seen)
                pairs.append(self._pair(x, y, facts, len(pairs)))
            except _Left as left:
                self._reject(x, y, *left.rejection)
            seen.add((x, y))
        return Built(
            relation=pid,
            tables={"syn_qa_pairs": [asdict(pair) for pair in pairs]},
            rejections=self.rejections,
            candidates=len(seen),
            seconds=time.monotonic() - started,
        )

    def _reject(self, x: str, y: str, reason: str, detail: str) -> None:
        self.rejections.append(Rejection(f"{x} {self.relation.pid} {y}", reason, detail))

    def _check(self, x: str, y: str, seen: set[tuple[str, str]]) -> None:
        """Raise unless a question can be asked of x and y."""
        if self.relation.symmetric and (y, x) in seen:
            raise _Left("mirrored")
        if x == y:
            raise _Left("same item")
        for qid in (x, y):
            if not self.labels.label(qid):
                raise _Left("no label", qid)
        self._kind(x, self.relation.subject)
        self._kind(y, self.relation.object)
        self._check_names(x, y)

    def _check_names(self, *qids: str) -> None:
        """Raise if two of the items have the same name: a reader would mix them up."""
        names = [labels.fold(self._label(qid)) for qid in qids]
        if len(set(names)) < len(names):
            raise _Left("same name", self._label(qids[-1]))

    def _kind(self, qid: str, allowed: Sequence[str]) -> Kind:
        """Return the kind of an item, or raise if it is none of those allowed.

        Items are of the first kind that fits; a kind without classes fits everything.
        """
        for kind in map(self.catalog.kinds.__getitem__, allowed):
            if not kind.classes:
                return kind
        found = [name for name in self.kinds.of(qid) if name in allowed]
        if not found:
            raise _Left("wrong kind", qid)
        return self.catalog.kinds[found[0]]

    def _pair(self, x: str, y: str, facts: Facts, number: int) -> Pair:
        kind = self._kind(x, self.relation.subject)
        properties = similarity(self.relation, kind)
        neighbour = self._replacement(x, y, kind, properties, facts)
        x2 = neighbour.qid
        self.uses[x2] += 1
        n = number % len(self.relation.syn_qa)
        others = facts.others(x2)
        question, false_question = (self._ask(n, subject, y) for subject in (x, x2))
        return Pair(
            pair_id=stable_id(DATASET, self.relation.pid, x, x2, y, question, false_question),
            relation=self.relation.pid,
            relation_label=self.relation.label,
            template_id=f"{self.relation.pid}-{n + 1}",
            hops=1,
            subject_qid=x,
            subject_label=self._label(x),
            bridge_qid=None,
            bridge_label=None,
            replacement_qid=x2,
            replacement_label=self._label(x2),
            object_qid=y,
            object_label=self._label(y),
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
            risk=None,
            evidence=[Evidence(x, self.relation.pid, y)._asdict()],
            falsity_evidence=[other._asdict() for other in others],
            popularity=self._popularity(x),
            replacement_popularity=self._popularity(x2),
            source_id=None,
            split=split(x),
        )

    def _replacement(
        self, x: str, y: str, kind: Kind, properties: Sequence[str], facts: Facts
    ) -> Neighbour:
        """Return the most similar item that may replace x; note why better ones may not."""
        neighbours = 0
        for neighbour in self.overlap.neighbours(x, properties, self.options.min_overlap):
            neighbours += 1
            try:
                self._check_replacement(x, y, neighbour.qid, kind, facts)
                return neighbour
            except _Left as left:
                reason, detail = left.rejection
                self._reject(neighbour.qid, y, reason, f"for {x}; {detail}".removesuffix("; "))
        if neighbours:
            raise _Left("all similar items fell out", f"{neighbours} items")
        raise _Left("no similar item", f"needs {self.options.min_overlap} shared values")

    def _check_replacement(self, x: str, y: str, x2: str, kind: Kind, facts: Facts) -> None:
        if x2 == y:
            raise _Left("is the object")
        if not self.labels.label(x2):
            raise _Left("no label", x2)
        if kind.classes and kind.name not in self.kinds.of(x2):
            raise _Left("wrong kind", x2)
        self._check_names(x, y, x2)
        if self.uses[x2] == MOST_USES:
            raise _Left("used often")
        if says := facts.says(x2, y):
            raise _Left("holds", " ".join(says))
        if facts.has_unknown(x2):
            raise _Left("unknown value")

    def _label(self, qid: str) -> str:
        return self.labels.label(qid) or qid

    def _ask(self, n: int, subject: str, y: str) -> str:
        """Fill a template. Labels are put in at once, so that one may hold braces."""
        words = {
            "{subject}": self._kind(subject, self.relation.subject).phrase(self._label(subject)),
            "{object}": self._kind(y, self.relation.object).phrase(self._label(y)),
        }
        return fill(self.relation.syn_qa[n], words)

    def _popularity(self, qid: str) -> int:
        return sum(count for (count,) in self.graph.select("popularity", item=qid))


def fill(template: str, words: dict[str, str]) -> str:
    """Return a template with its placeholders replaced, whatever the labels hold.

    >>> fill("When did {subject} marry {object}?", {"{subject}": "{object}", "{object}": "B"})
    'When did {object} marry B?'
    """
    first, second = sorted(words, key=template.index)
    start, rest = template.split(first)
    middle, end = rest.split(second)
    return start + words[first] + middle + words[second] + end
