"""Build minimal pairs from a store, as in section 2.1 of the Syn-(QA)² paper, over one hop or two.

For true triples (x, relation, y): replace x by the most similar x′ of which the relation does
not hold with y, and ask the same question of both. Over two hops, (x, first, z) and (z, last, y),
the one z of x and the one z′ of x′ bridge them, and the question is about z without its name.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kgbuild import catalog as relations
from kgbuild.catalog import Catalog, Kind, Path, Relation
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.syn_qa.falsity import Facts
from kgbuild.datasets.syn_qa.grade import Grade, grade
from kgbuild.datasets.syn_qa.questions import Questions
from kgbuild.datasets.syn_qa.risk import risk
from kgbuild.datasets.syn_qa.rows import DATASET, MOST_CONSIDERED, MOST_USES, Pair
from kgbuild.graph.association import Association, Holders
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.lifetimes import Lifetimes
from kgbuild.graph.similarity import Neighbour
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, shuffled, split, stable_id


@dataclass(frozen=True)
class Options:
    """What a user may choose: pairs a relation, shared values needed, the risk of truth, the seed.

    The risk is the probability that what a question is to assume falsely is true.
    """

    limit: int = 200
    min_overlap: int = 3
    max_risk: float = 0.02
    seed: int = 0


def similarity(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties that tell how alike subjects of a relation are.

    The relation itself, and what says the same as it, does not count: it would find the very
    items for which the relation holds.
    """
    probed = {*relation.forward, *relation.backward}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in probed]


def build(
    known: Knowledge,
    catalog: Catalog,
    paths: Sequence[Path],
    options: Options,
    progress: Progress = lambda *_: None,
) -> Iterator[Built]:
    """Build the pairs of each path, in turn. ``progress`` counts accepted pairs."""
    lifetimes = Lifetimes(known.graph)
    for path in paths:
        yield _Path(known, catalog, path, options, lifetimes).build(progress)


def path_builder(options: Options, known: Knowledge) -> BuildPart[Path]:
    """Return what builds the pairs of one path."""
    lifetimes = Lifetimes(known.graph)
    return lambda path, progress: _Path(known, relations.catalog(), path, options, lifetimes).build(
        progress
    )


@dataclass
class _Path:
    """The build of one path."""

    known: Knowledge
    catalog: Catalog
    path: Path
    options: Options
    lifetimes: Lifetimes
    rejections: list[Rejection] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)
    asked: set[tuple[str, str]] = field(default_factory=set)
    held: dict[str, Holders] = field(default_factory=dict)

    @cached_property
    def questions(self) -> Questions:
        return Questions(self.path, self.catalog, self.known.kinds, self.known.labels)

    @cached_property
    def facts(self) -> Facts:
        """What is known of the last relation, which the question asks about."""
        return Facts(self.known, self.path.last, self.catalog.relations)

    @cached_property
    def first(self) -> Facts | None:
        """What is known of the relation that leads to the bridge, if there is one."""
        first = self.path.first
        return Facts(self.known, first, self.catalog.relations) if first else None

    def build(self, progress: Progress) -> Built:
        started = time.monotonic()
        name = self.path.name
        triples = shuffled(
            self._triples(), key=lambda triple: (name, *triple), seed=self.options.seed
        )
        pairs: list[Pair] = []
        taken: set[tuple[str, str]] = set()
        candidates = 0
        for x, y in triples:
            if len(pairs) == self.options.limit:
                break
            candidates += 1
            progress(name, len(pairs), min(self.options.limit, len(triples)))
            try:
                self._check(x, y, taken)
                pairs.append(self._pair(x, y))
                taken.add((x, y))
            except Rejected as rejected:
                self._reject(x, y, rejected.reason, rejected.detail)
        return Built(
            relation=name,
            tables={"syn_qa_pairs": [vars(pair) for pair in pairs]},
            rejections=self.rejections,
            candidates=candidates,
            seconds=time.monotonic() - started,
        )

    def _triples(self) -> list[tuple[str, str]]:
        """Return x and y of all that the path holds of."""
        statements, last = self.known.statements, self.path.last.pid
        pairs = statements.pairs(self.path.start.pid)
        if self.path.first is None:
            return pairs
        return sorted({(x, y) for x, z in pairs for y in statements.values(z, last)})

    def _reject(self, x: str, y: str, reason: str, detail: str) -> None:
        self.rejections.append(Rejection(f"{x} {self.path.name} {y}", reason, detail))

    def _only(self, x: str) -> str | None:
        """Return the only item that the first relation joins to x; over one hop, x itself."""
        if self.first is None:
            return x
        bridges = self.first.partners(x)
        return bridges[0] if len(bridges) == 1 and not self.first.has_unknown(x) else None

    def _bridge(self, x: str) -> str:
        """Return the only item that the first relation joins to x, or raise."""
        if bridge := self._only(x):
            return bridge
        raise Rejected("no single bridge", x)

    def _check(self, x: str, y: str, taken: set[tuple[str, str]]) -> None:
        """Raise unless a question can be asked of x and y."""
        if self.path.start.symmetric and (y, x) in taken:
            raise Rejected("mirrored")
        z = self._bridge(x)
        if len({x, z, y}) <= self.path.hops:
            raise Rejected("same item")
        for qid, kind in (
            (x, self.questions.subject(x)),
            (z, self.questions.bridge(z)),
            (y, self.questions.object(y)),
        ):
            if kind is None:
                raise Rejected("wrong kind", qid)

    def _pair(self, x: str, y: str) -> Pair:
        properties = similarity(self.path.start, self.questions.subject(x))
        neighbour, z2, risk = self._replacement(x, y, properties)
        z, x2 = self._bridge(x), neighbour.qid
        self.uses[x2] += 1
        self.asked.add((x2, y))
        # By the statement alone, so that the wording stays when others come or go.
        n = int(stable_id("template", x, y), 16) % len(self.path.last.syn_qa)
        falsity, against = self._grade(z2, y)
        question, false_question = (self.questions.ask(n, subject, y) for subject in (x, x2))
        label = self.questions.label
        return Pair(
            pair_id=stable_id(DATASET, self.path.name, x, x2, y, question, false_question),
            relation=self.path.name,
            relation_label=self.path.label,
            template_id=f"{self.path.name}-{n + 1}",
            hops=self.path.hops,
            subject_qid=x,
            subject_label=label(x),
            bridge_qid=z if self.first else None,
            bridge_label=label(z) if self.first else None,
            replacement_qid=x2,
            replacement_label=label(x2),
            object_qid=y,
            object_label=label(y),
            overlap=neighbour.overlap,
            shared=[
                {"property": pid, "value": value}
                for pid, value in self.known.similarity.shared_values(x, x2, properties)
            ],
            similarity="property_overlap",
            question=question,
            false_question=false_question,
            answer=None,
            falsity=falsity,
            risk=round(risk, 6),
            evidence=[e._asdict() for e in (*self._led(x), Evidence(z, self.path.last.pid, y))],
            falsity_evidence=[e._asdict() for e in dict.fromkeys((*self._led(x2), *against))],
            popularity=self.known.statements.popularity(x),
            replacement_popularity=self.known.statements.popularity(x2),
            source_id=None,
            split=split(x),
        )

    def _led(self, x: str) -> list[Evidence]:
        """Return the triple that leads from x to its bridge; none over one hop."""
        return self.first.others(x)[:1] if self.first else []

    def _grade(self, z: str, y: str) -> Grade:
        about = (z, self.questions.bridge(z)), (y, self.questions.object(y))
        return grade(self.path.last, self.facts, self.lifetimes, *about)

    def _replacement(
        self, x: str, y: str, properties: Sequence[str]
    ) -> tuple[Neighbour, str, float]:
        """Return the most similar item that may replace x, its bridge, and the risk of it."""
        similar = self.known.similarity.most_similar(
            x, properties, MOST_CONSIDERED, self.options.min_overlap
        )
        if not similar:
            raise Rejected("no similar item", f"needs {self.options.min_overlap} shared values")
        z = self._bridge(x)
        self._check_names(x, z, y)
        for neighbour, association in zip(similar, self._foretold(similar, z, y), strict=True):
            try:
                self._check_fresh(y, neighbour.qid)
                self._check_kind(x, neighbour.qid)
                z2 = self._bridge(neighbour.qid)
                self._check_bridge(x, y, z2)
                risk = self._check_false(z, y, z2, association)
                self._check_names(x, z, y, neighbour.qid, z2)
                self._check_alike(x, y, neighbour.qid, z2)
                return neighbour, z2, risk
            except Rejected as rejected:
                detail = f"for {x}; {rejected.detail}".removesuffix("; ")
                self._reject(neighbour.qid, y, rejected.reason, detail)
        raise Rejected("all similar items fell out", f"{len(similar)} items")

    def _foretold(self, similar: Sequence[Neighbour], z: str, y: str) -> list[Association]:
        """Return how well what each of some items has, or its bridge, foretells y."""
        if y not in self.held:
            same = {*self.path.last.forward, *self.path.last.backward}
            self.held[y] = self.known.associations.holders(self.facts.holders(y), same)
        bridges = (self._only(neighbour.qid) or neighbour.qid for neighbour in similar)
        return self.known.associations.estimate(bridges, self.held[y], z)

    def _check_fresh(self, y: str, x2: str) -> None:
        """Raise if a question about x2 and y, or too many about x2, were asked before."""
        if self.uses[x2] == MOST_USES:
            raise Rejected("used often")
        if (x2, y) in self.asked:
            raise Rejected("asked before")
        if x2 == y:
            raise Rejected("is the object")

    def _check_kind(self, x: str, x2: str) -> None:
        """Raise unless the question about x can be asked about x2."""
        if self.questions.subject(x2) != self.questions.subject(x):
            raise Rejected("wrong kind", x2)

    def _check_bridge(self, x: str, y: str, z2: str) -> None:
        """Raise unless what bridges x2 and y is another item of the same kind."""
        if self.first:
            z = self._bridge(x)
            if z2 in (x, z, y):
                raise Rejected("same bridge")
            if self.questions.bridge(z2) != self.questions.bridge(z):
                raise Rejected("wrong kind", z2)
            classes = self.known.kinds.classes
            if not {*classes(z)} & {*classes(z2)}:
                raise Rejected("wrong kind", z2)

    def _check_names(self, *qids: str) -> None:
        """Raise unless each of the items has a name, and one of its own."""
        items = dict.fromkeys(qids)
        for qid in items:
            if not self.questions.label(qid):
                raise Rejected("no label", qid)
        if self.questions.same_name(*items):
            raise Rejected("same name", ", ".join(items))

    def _check_alike(self, x: str, y: str, x2: str, z2: str) -> None:
        """Raise if y may be, by names, what the relation does hold of: of a sequel, say."""
        if self.questions.in_one_series(x, x2):
            raise Rejected("one series", self.questions.label(x2))
        for value in self.facts.partners(z2) if self.path.last.within else ():
            if self.questions.may_be(value, y):
                raise Rejected("holds", f"{value} may be {y}")

    def _check_false(self, z: str, y: str, z2: str, association: Association) -> float:
        """Return the risk that the assumption is true, or raise if it is, or is absurd."""
        self._check_plain(z, z2)
        facts = self.facts
        if facts.has_unknown(z2):
            raise Rejected("unknown value")
        # What the store says outright, and the risk, are quickly told; the rest takes longer.
        if says := facts.states(z2, y):
            raise Rejected("holds", " ".join(says))
        found = risk(association, bool(facts.others(z2)))
        if found > self.options.max_risk:
            raise Rejected("risky", f"{found:.3f}")
        if says := facts.says(z2, y):
            raise Rejected("holds", " ".join(says))
        if joining := self.known.statements.between(z2, y):
            raise Rejected("joined", " ".join(joining[0]))
        return found

    def _check_plain(self, z: str, z2: str) -> None:
        """Raise if one need know nothing of z2 to see that the assumption is false."""
        if lacks := self.facts.lacks(z2):
            raise Rejected("lacks a property", ", ".join(lacks))
        if differs := self.facts.differs(z, z2):
            raise Rejected("differs", ", ".join(differs))
