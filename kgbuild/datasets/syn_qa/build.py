"""Build minimal pairs from a store, as in section 2.1 of the Syn-(QA)² paper.

A pair is made of a true statement (x, relation, y). A similar item x′ that the relation does not
join to y replaces the subject x, and the same question is asked about both; or an item y′ replaces
the object y, by the same rules. A path has one relation
or two. With two, (x, first, z) and (z, last, y), the bridge z is the only item that the first
relation joins x to, and x′ has a bridge z′. The question asks about z without its name.
"""

import contextlib
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from kgbuild.catalog import Path
from kgbuild.datasets.ahead import Ahead
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.since import Older
from kgbuild.datasets.syn_qa.balance import Balance
from kgbuild.datasets.syn_qa.candidates import Candidate, Examined
from kgbuild.datasets.syn_qa.examination import Examination, steps
from kgbuild.datasets.syn_qa.falsity.grading import grade
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import (
    DATASET,
    MOST_CHOICES,
    MOST_EXCESS,
    MOST_USES,
    NO_KIND,
    OBJECT,
    Pair,
    PairOptions,
    Variant,
    assumed,
    confusability,
)
from kgbuild.datasets.syn_qa.shortcuts import shortcuts
from kgbuild.datasets.syn_qa.why_no_pairs import notes
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import shuffled_pairs
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, Row, split, stable_id
from kgbuild.store.arrays import forgetting

Examine: TypeAlias = Callable[[], Examined]


def path_builder(
    options: PairOptions,
    knowledge: Knowledge,
    ahead: Ahead | None = None,
    older: Older | None = None,
) -> BuildPart[Path]:
    """Return the function that builds the pairs of a path and reports their number.

    ``ahead`` examines statements on all cores; without it, this process examines all. With an
    ``older`` store, pairs are made of statements that it does not have.
    """

    def build(path: Path, progress: Progress) -> Built:
        parts: dict[Variant, Built] = {}
        statements: dict[str, list[tuple[str, str]]] = defaultdict(list)

        def update(step: str, done: int, total: int) -> None:
            progress(step, len(parts) * total + done, len(options.variants) * total)

        for variant in options.variants:
            builder = _PathBuilder(knowledge, path, options, variant, older)
            parts[variant] = builder.build(statements[variant.perturbed], ahead, update)
            statements[variant.perturbed] += builder.pairs
        return _together(parts, options)

    return build


def _together(variants: Mapping[Variant, Built], options: PairOptions) -> Built:
    """Return the builds of one path as one, with the players that win its pairs.

    A false question that two ends ask is asked once, so that each has the pairs that it has alone.
    """
    parts, table, chain = [*variants.values()], "syn_qa_pairs", itertools.chain.from_iterable
    made = [*chain(part.tables[table] for part in parts)]
    asked = {row["false_question"]: row for row in reversed(made)}
    rows = [row for row in made if asked[row["false_question"]] is row]
    ids = {row["pair_id"] for row in rows}
    rows = [{**row, "shortcut": names} for row, names in zip(rows, shortcuts(rows), strict=True)]
    return Built(
        relation=parts[0].relation,
        tables={table: rows},
        rejections=[
            *chain(part.rejections for part in parts),
            *(_asked_before(row) for row in made if row["pair_id"] not in ids),
        ],
        candidates=sum(part.candidates for part in parts),
        seconds=sum(part.seconds for part in parts),
        since=[row for part in parts for row in part.since if row["item_id"] in ids],
        notes=notes(variants, options),
    )


def _asked_before(pair: Row) -> Rejection:
    """Return the rejection of a pair whose false question another pair asks."""
    subject, object_ = (pair[f"{end}_qid"] for end in assumed(pair, is_false=True))
    own = pair[f"{pair['perturbed']}_qid"]
    return Rejection(f"{subject} {pair['relation']} {object_}", "asked before", f"for {own}")


class _PathBuilder:
    """Builds the pairs of one path in which one end is replaced; ``pairs`` are by statement."""

    def __init__(
        self,
        knowledge: Knowledge,
        path: Path,
        options: PairOptions,
        variant: Variant,
        older: Older | None,
    ):
        self._knowledge = knowledge
        self._path = path
        self._options = options
        self._perturbed = variant.perturbed
        self.pairs: dict[tuple[str, str], Pair] = {}
        self._examiner = partial(Examination, path, options, variant, older)
        self._examination = self._examiner(knowledge)
        self._facts = self._examination.facts
        self._questions = self._facts.questions
        self._rejections: list[Rejection] = []
        self._balance = Balance(knowledge.statements.popularity, self._questions.label)
        self._false_assumptions: set[tuple[str, str]] = set()  # subject and object

    def build(
        self, first: Iterable[tuple[str, str]], ahead: Ahead | None, progress: Progress
    ) -> Built:
        """Return the pairs of the path, with the rejected statements and replacements.

        ``first`` are the statements to begin with.
        """
        ends = self._facts.ends()
        count, begun = len(ends.subjects), {*first}
        if not self._questions.are_compared(self._perturbed):
            tried, rejection = min(count, 1), Rejection(self._path.name, NO_KIND, self._perturbed)
            return Built(self._path.name, {"syn_qa_pairs": []}, [rejection] * tried, tried)
        order = shuffled_pairs(self._path.name, ends, self._options.seed)
        statements = itertools.chain(first, itertools.filterfalse(begun.__contains__, order))
        with contextlib.closing(self._examined(statements, count, ahead)) as examined:
            return self._build(examined, count, progress)

    def _examined(
        self, statements: Iterator[tuple[str, str]], count: int, ahead: Ahead | None
    ) -> Generator[tuple[tuple[str, str], Examine]]:
        """Yield each statement with a function that returns or raises what is examined of it."""
        if ahead:
            wanted = min(count, self._options.limit)
            return ahead.of(statements, wanted, self._examination, self._examiner)
        return ((statement, partial(self._examination, statement)) for statement in statements)

    def _build(
        self, examined: Iterable[tuple[tuple[str, str], Examine]], count: int, progress: Progress
    ) -> Built:
        started = time.monotonic()
        name, limit, pairs = self._path.name, self._options.limit, self.pairs
        candidates = 0
        for (x, y), examine in forgetting(examined):
            if len(pairs) == limit:
                break
            candidates += 1
            progress(name, len(pairs), min(limit, count))
            try:
                if self._path.start.symmetric and (y, x) in pairs:
                    raise Rejected("mirrored")
                if self._perturbed == OBJECT and self._balance.excess(y) >= MOST_EXCESS:
                    raise Rejected("used often")
                pairs[x, y] = self._pair(examine())
            except Rejected as rejected:
                self._reject(x, y, rejected.reason, rejected.detail)
        return Built(
            relation=name,
            tables={"syn_qa_pairs": [vars(pair) for pair in pairs.values()]},
            rejections=self._rejections,
            candidates=candidates,
            seconds=time.monotonic() - started,
            since=[*self._since(pairs.values())],
        )

    def _since(self, pairs: Iterable[Pair]) -> Iterator[Row]:
        """Yield the rows of the table ``since`` if there is an older store."""
        since, path = self._examination.since, self._path
        if not since:
            return
        for pair in pairs:
            x, y = str(pair.subject_qid), str(pair.object_qid)
            statements = steps(path, Chain(x, pair.bridge_qid or x, y))
            yield from since.rows(path.name, pair.pair_id, statements, len(statements))

    def _reject(self, x: str, y: str, reason: str, detail: str) -> None:
        self._rejections.append(Rejection(f"{x} {self._path.name} {y}", reason, detail))

    def _pair(self, examined: Examined) -> Pair:
        """Return the pair of a true statement.

        Raises:
            Rejected: the statement has no pair.
        """
        replacement = self._replacement(examined)
        false = replacement.chain
        self._balance.add(examined.chain.end(self._perturbed), false.end(self._perturbed))
        self._false_assumptions.add((false.subject, false.object))
        return self._row(examined, replacement)

    def _replacement(self, examined: Examined) -> Candidate:
        """Return the replacement of an end: one of the first candidates.

        The one that keeps the pairs best in balance is preferred, then the one with the lowest
        risk.
        """
        true, _, candidates, excluded = examined
        own = true.end(self._perturbed)
        for reason, count in excluded.items():
            self._reject(true.subject, true.object, reason, f"{count} similar items")

        def preference(one: Candidate) -> tuple[int, float]:
            return self._balance.cost(own, one.chain.end(self._perturbed)), one.risk

        usable = (one for one in candidates if self._is_usable(one.chain, own))
        while choices := [*itertools.islice(usable, MOST_CHOICES)]:
            # All are checked, so that each has its reason if it falls out: ``diff`` tells it.
            if false := [one for one in choices if self._is_false(true, one.chain)]:
                return min(false, key=preference)
        count = len(candidates) + sum(excluded.values())
        raise Rejected("all similar items fell out", f"{count} items")

    def _is_false(self, true: Chain, false: Chain) -> bool:
        """Return whether the assumption of a false chain is false, or reject it."""
        try:
            self._examination.checks.check_false(true, false)
        except Rejected as rejected:
            detail = f"for {true.end(self._perturbed)}; {rejected.detail}".removesuffix("; ")
            self._reject(false.subject, false.object, rejected.reason, detail)
            return False
        return True

    def _is_usable(self, false: Chain, own: str) -> bool:
        """Return whether the pairs so far allow a false statement, or reject it."""
        reason = ""
        other = false.end(self._perturbed)
        is_rarely_true = self._perturbed == OBJECT and self._balance.excess(other) <= -MOST_EXCESS
        if self._balance.uses[other] == MOST_USES or is_rarely_true:
            reason = "used often"
        elif (false.subject, false.object) in self._false_assumptions:
            reason = "asked before"
        if reason:
            self._reject(false.subject, false.object, reason, f"for {own}")
        return not reason

    def _row(self, examined: Examined, replacement: Candidate) -> Pair:
        """Return the row of a pair; x2 is the replacement."""
        path, label, statements = self._path, self._questions.label, self._knowledge.statements
        true, false = examined.chain, replacement.chain
        x, z, y = true
        own, other = true.end(self._perturbed), false.end(self._perturbed)
        template = self._questions.template(true)
        question, false_question = (
            self._questions.ask(template, chain.subject, chain.object) for chain in (true, false)
        )
        checks = self._examination.checks
        rival = checks.rival(true, false)
        falsity, triples = grade(self._facts, checks.lifetimes, rival, false)
        evidence = (*self._facts.bridge_evidence(x), Evidence(z, path.last.pid, y))
        falsity_evidence = dict.fromkeys((*self._facts.bridge_evidence(false.subject), *triples))
        shared = self._knowledge.similarity.shared_values(own, other, examined.properties)
        return Pair(
            pair_id=stable_id(DATASET, path.name, x, other, y, question, false_question),
            relation=path.name,
            relation_label=path.label,
            template_id=template.name,
            hops=path.hops,
            subject_qid=x,
            subject_label=label(x),
            bridge_qid=z if path.first else None,
            bridge_label=label(z) if path.first else None,
            replacement_qid=other,
            replacement_label=label(other),
            object_qid=y,
            object_label=label(y),
            overlap=replacement.overlap,
            shared=[{"property": pid, "value": value} for pid, value in shared],
            similarity="property_overlap",
            question=question,
            false_question=false_question,
            falsity=falsity,
            risk=round(replacement.risk, 6),
            evidence=[triple._asdict() for triple in evidence],
            falsity_evidence=[triple._asdict() for triple in falsity_evidence],
            popularity=statements.popularity(own),
            replacement_popularity=statements.popularity(other),
            split=split(x, self._options.splits),
            perturbed=self._perturbed,
            confusability=confusability(replacement.overlap),
        )
