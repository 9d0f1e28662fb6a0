"""Build minimal pairs from a store, as in section 2.1 of the Syn-(QA)² paper, over one hop or two.

For a true statement (x, relation, y): replace the subject x by the most similar item x′ that the
relation does not join to y, and ask the same question about both. Over two hops, (x, first, z) and
(z, last, y), the bridge z is the only item that the first relation joins x to, as z′ is of x′; the
question is about z and does not name it.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.syn_qa.checks import Checks
from kgbuild.datasets.syn_qa.falsity import grade
from kgbuild.datasets.syn_qa.path_facts import Chain, PathFacts
from kgbuild.datasets.syn_qa.rows import DATASET, MOST_CONSIDERED, MOST_USES, Pair
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.similarity import Neighbour
from kgbuild.graph.times import Lifetimes
from kgbuild.relations import Kind, Relation
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, shuffled, split, stable_id


@dataclass(frozen=True)
class Options:
    """The pairs of a relation at most, the values to share at least, the highest risk, the seed.

    The risk is the probability that the false assumption is true.
    """

    limit: int = 200
    min_overlap: int = 3
    max_risk: float = 0.02
    seed: int = 0


def path_builder(options: Options, knowledge: Knowledge) -> BuildPart[Path]:
    """Return what builds the pairs of one path, and counts them."""
    lifetimes = Lifetimes(knowledge.graph)
    return lambda path, progress: _PathBuilder(knowledge, path, options, lifetimes).build(progress)


def similarity_properties(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties by which subjects of a relation are compared.

    The relation itself, and others that say the same, do not count: similar would be just the
    items that the relation joins to the same object.
    """
    excluded = {*relation.forward, *relation.backward}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in excluded]


class _Replacement(NamedTuple):
    """The item that replaces a subject, its chain, and the risk that the assumption is true."""

    neighbour: Neighbour
    chain: Chain
    risk: float


class _PathBuilder:
    """Builds the pairs of one path."""

    def __init__(self, knowledge: Knowledge, path: Path, options: Options, lifetimes: Lifetimes):
        self._knowledge = knowledge
        self._path = path
        self._options = options
        self._lifetimes = lifetimes
        self._facts = PathFacts(knowledge, catalog(), path)
        self._questions = self._facts.questions
        self._checks = Checks(knowledge, self._facts, options.max_risk)
        self._rejections: list[Rejection] = []
        self._uses: Counter[str] = Counter()
        self._assumed: set[tuple[str, str]] = set()

    def build(self, progress: Progress) -> Built:
        started = time.monotonic()
        name, limit = self._path.name, self._options.limit
        ends = shuffled(self._facts.ends(), lambda pair: (name, *pair), self._options.seed)
        pairs: dict[tuple[str, str], Pair] = {}
        candidates = 0
        for x, y in ends:
            if len(pairs) == limit:
                break
            candidates += 1
            progress(name, len(pairs), min(limit, len(ends)))
            try:
                if self._path.start.symmetric and (y, x) in pairs:
                    raise Rejected("mirrored")
                pairs[x, y] = self._pair(x, y)
            except Rejected as rejected:
                self._reject(x, y, rejected.reason, rejected.detail)
        return Built(
            relation=name,
            tables={"syn_qa_pairs": [vars(pair) for pair in pairs.values()]},
            rejections=self._rejections,
            candidates=candidates,
            seconds=time.monotonic() - started,
        )

    def _reject(self, x: str, y: str, reason: str, detail: str) -> None:
        self._rejections.append(Rejection(f"{x} {self._path.name} {y}", reason, detail))

    def _pair(self, x: str, y: str) -> Pair:
        chain = self._facts.chain(x, y)
        self._checks.check_statement(chain)
        properties = similarity_properties(self._path.start, self._questions.subject(x))
        replacement = self._replacement(chain, properties)
        self._uses[replacement.chain.subject] += 1
        self._assumed.add((replacement.chain.subject, y))
        return self._row(chain, replacement, properties)

    def _replacement(self, chain: Chain, properties: Sequence[str]) -> _Replacement:
        """Return the most similar item that can replace the subject."""
        x, y, least = chain.subject, chain.object, self._options.min_overlap
        similar = self._knowledge.similarity.most_similar(x, properties, MOST_CONSIDERED, least)
        if not similar:
            raise Rejected("no similar item", f"needs {least} shared values")
        self._checks.check_names(chain)
        associations = self._facts.associations((one.qid for one in similar), chain)
        for neighbour, association in zip(similar, associations, strict=True):
            try:
                self._check_unused(neighbour.qid, y)
                self._checks.check_kind(x, neighbour.qid)
                false = self._facts.chain(neighbour.qid, y)
                risk = self._checks.risk(chain, false, association)
                return _Replacement(neighbour, false, risk)
            except Rejected as rejected:
                detail = f"for {x}; {rejected.detail}".removesuffix("; ")
                self._reject(neighbour.qid, y, rejected.reason, detail)
        raise Rejected("all similar items fell out", f"{len(similar)} items")

    def _check_unused(self, replacement: str, y: str) -> None:
        if self._uses[replacement] == MOST_USES:
            raise Rejected("used often")
        if (replacement, y) in self._assumed:
            raise Rejected("asked before")
        if replacement == y:
            raise Rejected("is the object")

    def _row(self, true: Chain, replacement: _Replacement, properties: Sequence[str]) -> Pair:
        path, label, statements = self._path, self._questions.label, self._knowledge.statements
        (x, z, y), (x2, z2, _) = true, replacement.chain
        # By the statement alone, so that the wording stays when other statements come or go.
        n = int(stable_id("template", x, y), 16) % len(path.last.syn_qa)
        question, false_question = (self._questions.ask(n, qid, y) for qid in (x, x2))
        dated = (z2, self._questions.bridge(z2)), (y, self._questions.object(y))
        falsity, against = grade(path.last, self._facts.last, self._lifetimes, *dated)
        evidence = (*self._facts.bridge_evidence(x), Evidence(z, path.last.pid, y))
        against = [*dict.fromkeys((*self._facts.bridge_evidence(x2), *against))]
        shared = self._knowledge.similarity.shared_values(x, x2, properties)
        return Pair(
            pair_id=stable_id(DATASET, path.name, x, x2, y, question, false_question),
            relation=path.name,
            relation_label=path.label,
            template_id=f"{path.name}-{n + 1}",
            hops=path.hops,
            subject_qid=x,
            subject_label=label(x),
            bridge_qid=z if path.first else None,
            bridge_label=label(z) if path.first else None,
            replacement_qid=x2,
            replacement_label=label(x2),
            object_qid=y,
            object_label=label(y),
            overlap=replacement.neighbour.overlap,
            shared=[{"property": pid, "value": value} for pid, value in shared],
            similarity="property_overlap",
            question=question,
            false_question=false_question,
            answer=None,
            falsity=falsity,
            risk=round(replacement.risk, 6),
            evidence=[one._asdict() for one in evidence],
            falsity_evidence=[one._asdict() for one in against],
            popularity=statements.popularity(x),
            replacement_popularity=statements.popularity(x2),
            source_id=None,
            split=split(x),
        )
