"""Build minimal pairs from a store, as in section 2.1 of the Syn-(QA)² paper.

A pair is made of a true statement (x, relation, y). A similar item x′ that the relation does not
join to y replaces the subject x, and the same question is asked about both. A path has one relation
or two. With two, (x, first, z) and (z, last, y), the bridge z is the only item that the first
relation joins x to, and x′ has a bridge z′. The question asks about z without its name.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.syn_qa.balance import Balance, Queue
from kgbuild.datasets.syn_qa.candidates import Candidate, Candidates
from kgbuild.datasets.syn_qa.checks import Checks
from kgbuild.datasets.syn_qa.falsity import grade
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import (
    DATASET,
    MAX_FAILED,
    MIN_SHARE,
    MOST_CHOICES,
    MOST_USES,
    Pair,
)
from kgbuild.datasets.syn_qa.shortcuts import shortcuts
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import shuffled_pairs
from kgbuild.graph.similarity import Neighbour
from kgbuild.graph.times import Lifetimes
from kgbuild.relations import COUNTRIES, Kind, Relation
from kgbuild.rows import (
    Built,
    Evidence,
    Progress,
    Rejected,
    Rejection,
    Row,
    shuffled,
    split,
    stable_id,
)


@dataclass(frozen=True)
class Options:
    """The options of a build.

    ``limit`` is the maximum number of pairs of a relation. ``min_overlap`` is the minimum number of
    values that subject and replacement share. ``max_risk`` is the maximum probability that the
    false assumption is true. ``seed`` orders the statements. With ``splits``, most pairs are in a
    split for training.
    """

    limit: int = 200
    min_overlap: int = 3
    max_risk: float = 0.001
    seed: int = 0
    splits: bool = False


def path_builder(options: Options, knowledge: Knowledge) -> BuildPart[Path]:
    """Return the function that builds the pairs of a path and reports their number."""
    lifetimes = Lifetimes(knowledge.times)
    return lambda path, progress: _PathBuilder(knowledge, path, options, lifetimes).build(progress)


def similarity_properties(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties by which subjects of a relation are compared.

    The relation itself and equivalent properties are left out: by them, items would be similar
    because the relation joins them to the same object.
    """
    excluded = {*relation.forward_properties, *relation.backward_properties}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in excluded]


class _Replacement(NamedTuple):
    """The item that replaces a subject, its chain (subject, bridge, object), and the risk."""

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
        self._checks = Checks(knowledge, self._facts)
        self._candidates = Candidates(
            knowledge=knowledge,
            facts=self._facts,
            checks=self._checks,
            min_overlap=options.min_overlap,
            max_risk=options.max_risk,
            train=options.splits,
            reject=self._reject,
        )
        self._rejections: list[Rejection] = []
        self._balance = Balance(knowledge.statements.popularity, self._questions.label)
        self._false_assumptions: set[tuple[str, str]] = set()  # replacement and object

    def build(self, progress: Progress) -> Built:
        """Return the pairs of the path, with the rejected statements and replacements."""
        started = time.monotonic()
        name, limit = self._path.name, self._options.limit
        ends = self._facts.ends()
        queue = Queue(shuffled_pairs(name, ends, self._options.seed), self._statements_of)
        pairs: dict[tuple[str, str], Pair] = {}
        candidates = failed = 0
        for x, y in queue:
            if len(pairs) == limit:
                break
            candidates += 1
            progress(name, len(pairs), min(limit, len(ends.subjects)))
            try:
                if self._path.start.symmetric and (y, x) in pairs:
                    raise Rejected("mirrored")
                pair = pairs[x, y] = self._pair(x, y)
                queue.prefer(str(pair.replacement_qid))
            except Rejected as rejected:
                self._reject(x, y, rejected.reason, rejected.detail)
                failed += rejected.reason == "all similar items fell out"
            if failed > MAX_FAILED and len(pairs) < MIN_SHARE * failed:
                for end in pairs:
                    self._reject(*end, "too few pairs", f"{len(pairs)}, of {failed} others none")
                pairs.clear()
                break
        rows: list[Row] = [vars(pair) for pair in pairs.values()]
        rows = [
            {**row, "shortcut": names} for row, names in zip(rows, shortcuts(rows), strict=True)
        ]
        return Built(
            relation=name,
            tables={"syn_qa_pairs": rows},
            rejections=self._rejections,
            candidates=candidates,
            seconds=time.monotonic() - started,
        )

    def _statements_of(self, subject: str) -> list[tuple[str, str]]:
        """Return the statements of a subject in the order of the sample."""
        pairs = [(subject, y) for y in self._facts.objects(subject)]
        return shuffled(pairs, lambda pair: (self._path.name, *pair), self._options.seed)

    def _reject(self, x: str, y: str, reason: str, detail: str) -> None:
        self._rejections.append(Rejection(f"{x} {self._path.name} {y}", reason, detail))

    def _pair(self, x: str, y: str) -> Pair:
        """Return the pair of a true statement with subject x and object y.

        Raises:
            Rejected: the statement has no pair.
        """
        chain = self._facts.chain(x, y)
        self._checks.check_statement(chain)
        self._checks.check_names(chain)
        properties = similarity_properties(self._path.start, self._questions.subject(x))
        replacement = self._replacement(chain, properties)
        self._balance.add(x, replacement.chain.subject)
        self._false_assumptions.add((replacement.chain.subject, y))
        return self._row(chain, replacement, properties)

    def _replacement(self, chain: Chain, properties: Sequence[str]) -> _Replacement:
        """Return the replacement of the subject: one of the first that pass all checks.

        A replacement near the subject and with a known time is preferred, then the one that keeps
        the pairs best in balance, then the one with the lowest risk.
        """
        x, replacements, examined = chain.subject, list[_Replacement](), Counter[bool]()
        candidates, marked = self._candidates.alike(chain, properties)
        template = self._questions.template(chain)
        for candidate in candidates:
            examined[candidate.is_foreign] += 1
            if candidate.is_foreign:
                continue
            try:
                self._check_unused(candidate.neighbour.qid, chain.object)
                self._checks.screen.check(
                    chain, template, candidate.neighbour.qid, candidate.mark, marked
                )
                replacements.append(self._examine(chain, candidate))
            except Rejected as rejected:
                detail = f"for {x}; {rejected.detail}".removesuffix("; ")
                self._reject(candidate.neighbour.qid, chain.object, rejected.reason, detail)
            if len(replacements) == MOST_CHOICES:
                break
        if foreign := examined[True]:
            detail = f"{', '.join(COUNTRIES)}; {foreign} of {examined.total()} similar items"
            self._reject(x, chain.object, "differs", detail)
        if not examined:
            raise Rejected("no fair replacement", "by the names")
        if not replacements:
            raise Rejected("all similar items fell out", f"{examined.total()} items")
        return min(replacements, key=lambda replacement: self._order(x, replacement))

    def _order(self, x: str, replacement: _Replacement) -> tuple[bool, bool, int, float]:
        """Return the sort key of a replacement of x; the lowest is preferred."""
        qid = replacement.neighbour.qid
        is_far, is_undated = not self._checks.is_near(x, qid), not self._checks.is_dated(qid)
        return is_far, is_undated, self._balance.cost(x, qid), replacement.risk

    def _examine(self, chain: Chain, candidate: Candidate) -> _Replacement:
        """Return the replacement of a chain's subject by a similar item.

        Raises:
            Rejected: the item does not pass a check.
        """
        neighbour = candidate.neighbour
        self._checks.check_kind(chain.subject, neighbour.qid)
        false = self._facts.chain(neighbour.qid, chain.object)
        self._checks.check_false(chain, false)
        return _Replacement(neighbour, false, candidate.risk)

    def _check_unused(self, replacement: str, y: str) -> None:
        if self._balance.uses[replacement] == MOST_USES:
            raise Rejected("used often")
        if (replacement, y) in self._false_assumptions:
            raise Rejected("asked before")
        if replacement == y:
            raise Rejected("is the object")

    def _row(self, true: Chain, replacement: _Replacement, properties: Sequence[str]) -> Pair:
        """Return the row of a pair; x2 and z2 are the replacement and its bridge."""
        path, label, statements = self._path, self._questions.label, self._knowledge.statements
        (x, z, y), (x2, z2, _) = true, replacement.chain
        template = self._questions.template(true)
        question, false_question = (self._questions.ask(template, qid, y) for qid in (x, x2))
        ends = (z2, self._questions.bridge(z2)), (y, self._questions.object(y))
        falsity, triples = grade(self._facts, self._lifetimes, *ends)
        evidence = (*self._facts.bridge_evidence(x), Evidence(z, path.last.pid, y))
        falsity_evidence = dict.fromkeys((*self._facts.bridge_evidence(x2), *triples))
        shared = self._knowledge.similarity.shared_values(x, x2, properties)
        return Pair(
            pair_id=stable_id(DATASET, path.name, x, x2, y, question, false_question),
            relation=path.name,
            relation_label=path.label,
            template_id=template.name,
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
            evidence=[triple._asdict() for triple in evidence],
            falsity_evidence=[triple._asdict() for triple in falsity_evidence],
            popularity=statements.popularity(x),
            replacement_popularity=statements.popularity(x2),
            source_id=None,
            split=split(x, self._options.splits),
        )
