"""Count the false assumptions that are true: remove statements, build, look into the whole.

A slice is loaded whole, and once more for each seed without a share of its statements. What is
built from the smaller store assumes what that store does not say. The table counts how much of
it the whole store does say. Three modes of removal are compared (``benchmarks/holdout.py``).
"""

import argparse
import math
import pathlib
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from benchmarks import measure
from benchmarks.measure import put
from benchmarks.truth.holdout import MODES, Removal, holdout
from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa import build
from kgbuild.datasets.syn_qa.falsity.stored_facts import StoredFacts
from kgbuild.datasets.syn_qa.rows import GRADES, PERTURBED, SUBJECT, PairOptions, assumed
from kgbuild.evaluate.bootstrap import wilson
from kgbuild.graph.open import Store
from kgbuild.rows import no_progress

Key = TypeVar("Key", str, float)
START, END = "<!-- measured: contamination -->", "<!-- end: contamination -->"
"""What ``-o`` writes stands between these lines of the file."""
FRONTIER = "<!-- measured: frontier -->", "<!-- end: frontier -->"
"""What ``--frontier`` writes stands between these lines of the file."""
_LIMITS = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03)
"""The maximum risks that are compared."""
_ALIVE = 20
"""Number of pairs from which on a relation counts as alive."""
_BANDS = (0.0, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Where the rows of the reliability table begin and end."""


class Assumption(NamedTuple):
    """A false assumption of a pair, and whether the whole store says that it is true.

    ``variant`` names the end that is replaced and the grade of confusability.
    ``is_stated`` tells whether the whole store states the relation of the replacement at all. Of
    other replacements nothing is certain.
    """

    relation: str
    variant: str
    falsity: str
    risk: float
    is_true: bool
    is_stated: bool


class Outcome(NamedTuple):
    """What is built from some part.

    ``examined`` counts the statements whose subject has a similar item at all; ``assumptions`` are
    those of the pairs that were made of them.
    """

    examined: int
    assumptions: list[Assumption]


def outcome(whole: Store, part: Store, options: PairOptions) -> Outcome:
    """Build from a part of a store and look up every assumption in the whole."""
    known = catalog()
    assumptions: list[Assumption] = []
    examined = 0
    truth = whole.knowledge(known.kinds)
    build_path = build.path_builder(options, part.knowledge(known.kinds))
    for relation in known.relations_of("syn_qa"):
        built = build_path(Path(relation), no_progress)
        facts = StoredFacts(truth, relation, known.relations)
        rows = built.tables["syn_qa_pairs"]
        reasons = Counter(rejection.reason for rejection in built.rejections)
        examined += len(rows) + reasons["all similar items fell out"]
        for row in rows:
            x, y = (row[f"{end}_qid"] for end in assumed(row, is_false=True))
            is_true, is_stated = bool(facts.statement(x, y)), bool(facts.evidence(x))
            assumptions.append(
                Assumption(
                    relation.pid,
                    f"{row['perturbed']}, {row['confusability']}",
                    row["falsity"],
                    row["risk"],
                    is_true,
                    is_stated,
                )
            )
    return Outcome(examined, assumptions)


def frontier(outcomes: Sequence[Outcome]) -> str:
    """Return a table, in Markdown, of what each maximum risk costs, on average over the builds."""
    lines = [
        "| `--max-risk` | pairs | relations with 20 pairs | true |",
        "| --: | --: | --: | --- |",
    ]
    for limit in _LIMITS:
        parts = [[one for one in outcome.assumptions if one.risk <= limit] for outcome in outcomes]
        counts = [Counter(one.relation for one in part) for part in parts]
        alive = statistics.fmean(sum(n >= _ALIVE for n in count.values()) for count in counts)
        together = [one for part in parts for one in part]
        pairs = len(together) / len(parts)
        lines.append(f"| {limit:g} | {pairs:,.0f} | {alive:.0f} | {_share(together)} |")
    return "\n".join(lines)


def tables(outcomes: Sequence[Outcome]) -> str:
    """Return the tables of a mode, over all seeds, in Markdown."""
    assumptions = [one for outcome in outcomes for one in outcome.assumptions]
    stated = [one for one in assumptions if one.is_stated]
    shares = [_true(outcome.assumptions) / len(outcome.assumptions) for outcome in outcomes]
    examined = sum(outcome.examined for outcome in outcomes)
    risks = [one.risk for one in stated]
    head = (
        f"{len(assumptions):,} pairs of {examined:,} statements whose subject has a similar item "
        f"({len(assumptions) / examined:.1%}). **{_share(assumptions)} of the false assumptions "
        f"are true** ({min(shares):.2%} to {max(shares):.2%}, seed by seed); where the whole slice "
        f"states the relation of the replacement, {_share(stated)}. Slope of true against "
        f"estimated log-odds: {slope(risks, [one.is_true for one in stated]):.2f}."
    )
    bands = _table(assumptions, lambda one: max(band for band in _BANDS if band <= one.risk))
    return "\n\n".join(
        [
            head,
            _rows("replaced", _table(assumptions, lambda one: one.variant)),
            _rows("falsity", _table(assumptions, lambda one: one.falsity)),
            _rows(
                "risk", [(f"from {low:g} (mean {_mean(ones):.4f})", ones) for low, ones in bands]
            ),
            *_relations(assumptions),
        ]
    )


def _relations(assumptions: Sequence[Assumption]) -> tuple[str, str]:
    """Return a table of the relations with true assumptions, and a line about all others."""
    labels = catalog().relations
    found: list[tuple[str, list[Assumption]]] = []
    other: list[tuple[str, list[Assumption]]] = []
    for pid, ones in _table(assumptions, lambda one: one.relation):
        (found if _true(ones) else other).append((f"{pid} {labels[pid].label}", ones))
    found.sort(key=lambda row: -_true(row[1]) / len(row[1]))
    pairs = sum(len(ones) for _, ones in other)
    line = f"Of the {pairs:,} pairs of the other {len(other)} relations, none is true."
    return _rows("relation", found), line


def slope(risks: Sequence[float], outcomes: Sequence[bool]) -> float:
    """Return the slope of the log-odds of the truth against those of the estimate.

    It is 1 where the estimate separates as well as it promises. Source: D. R. Cox, Two further
    applications of a model for binary regression (1958). Newton's method.
    """
    logits = [math.log(p / (1 - p)) for p in risks]
    mean = statistics.fmean(logits)
    share = (sum(outcomes) + 0.5) / (len(outcomes) + 1)
    a, b = math.log(share / (1 - share)), 1.0
    for _ in range(50):
        gradient, hessian = [0.0, 0.0], [0.0, 0.0, 0.0]
        for logit, is_true in zip(logits, outcomes, strict=True):
            z = logit - mean
            p = 1 / (1 + math.exp(-a - b * z))
            weight = p * (1 - p)
            gradient[0] += is_true - p
            gradient[1] += (is_true - p) * z
            hessian[0] += weight
            hessian[1] += weight * z
            hessian[2] += weight * z * z
        determinant = hessian[0] * hessian[2] - hessian[1] ** 2
        if determinant <= 0:
            break
        a += (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant
        b += (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant
    return b


def _true(assumptions: Sequence[Assumption]) -> int:
    return sum(one.is_true for one in assumptions)


def _share(assumptions: Sequence[Assumption]) -> str:
    """Return the share of true assumptions with its 95 % interval."""
    low, high = wilson(_true(assumptions), len(assumptions))
    return f"{_true(assumptions) / len(assumptions):.2%} ({low:.2%} to {high:.2%})"


def _mean(assumptions: Sequence[Assumption]) -> float:
    return statistics.fmean(one.risk for one in assumptions)


def _table(
    assumptions: Sequence[Assumption], key: Callable[[Assumption], Key]
) -> list[tuple[Key, list[Assumption]]]:
    groups: dict[Key, list[Assumption]] = defaultdict(list)
    for one in assumptions:
        groups[key(one)].append(one)
    return sorted(groups.items())


def _rows(title: str, rows: Sequence[tuple[object, Sequence[Assumption]]]) -> str:
    lines = [f"| {title} | pairs | true |", "| --- | --: | --- |"]
    lines += [f"| {name} | {len(ones):,} | {_share(ones)} |" for name, ones in rows]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.truth.contamination", description=__doc__
    )
    parser.add_argument("source", type=pathlib.Path, help="a clean slice, .nt.gz")
    parser.add_argument("--mode", choices=MODES, nargs="+", default=list(MODES))
    parser.add_argument("--share", type=float, nargs="+", default=[0.3], help="removed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--limit", type=int, default=200, help="most pairs of a relation")
    parser.add_argument("--perturb", choices=PERTURBED, default=SUBJECT)
    parser.add_argument("--confusability", choices=GRADES, nargs="+", default=[])
    parser.add_argument("--max-risk", type=float, default=max(_LIMITS))
    parser.add_argument(
        "-o", "--output", type=pathlib.Path, help="a document to put the tables into"
    )
    parser.add_argument(
        "--frontier", type=pathlib.Path, help="a document to put the table of limits into"
    )
    parsed = parser.parse_args(arguments)
    if not all(0 < share < 1 for share in parsed.share):
        parser.error("--share lies between 0 and 1")
    if not parsed.source.is_file():
        parser.error(f"there is no file {parsed.source}")
    options = PairOptions(
        limit=parsed.limit,
        max_risk=parsed.max_risk,
        perturb=parsed.perturb,
        confusability=tuple(parsed.confusability),
    )
    parts, all_outcomes = [measure.machine()], list[Outcome]()
    with holdout(parsed.source) as held_out:
        for mode in parsed.mode:
            for share in parsed.share:
                outcomes = []
                for seed in parsed.seeds:
                    with held_out.stores(Removal(mode, share, seed)) as (whole, part):
                        outcomes.append(outcome(whole, part, options))
                all_outcomes += outcomes
                parts.append(f"### {share:.0%} removed, mode {mode}")
                parts.append(tables(outcomes))
    text = "\n\n".join(parts)
    print(text)
    if parsed.frontier:
        put(parsed.frontier, frontier(all_outcomes), *FRONTIER)
    if parsed.output:
        put(parsed.output, text, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
