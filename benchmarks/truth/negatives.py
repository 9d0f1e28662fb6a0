"""Measure whether hard negatives are accepted as false, and true statements are not.

A hard negative is a triple that a model of link prediction took for true and people judged false,
as in CoDEx. Statements are removed from a slice at random. What remains judges the negatives, and
the removed statements of the same subjects and relations, which it doesn't know to be true.
"""

import argparse
import pathlib
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import measure
from benchmarks.measure import put
from benchmarks.truth.holdout import Removal, holdout
from kgbuild import assess
from kgbuild.catalog import catalog
from kgbuild.errors import WrongCallError
from kgbuild.evaluate.agreement import auc
from kgbuild.evaluate.bootstrap import SAMPLES, SEED, Share, ends, estimates
from kgbuild.graph.open import Store

START, END = "<!-- measured: negatives -->", "<!-- end: negatives -->"
_LIMITS = (0.001, 0.003, 0.01, 0.03)
_DEFAULT = 0.003
_FEW = 20
"""A relation with fewer negatives has no row of its own."""
Triple = tuple[str, str, str]


class Judged(NamedTuple):
    """The triple of a subject, whether it is true, and its risk in what remains of a slice.

    The risk is 1 if the triple is stated in another form, or suggested.
    """

    subject: str
    relation: str
    is_true: bool
    risk: float


def judged(whole: Store, part: Store, negatives: Sequence[Triple]) -> Iterator[Judged]:
    """Yield the negatives and the removed statements whose items are in what remains."""
    known = catalog()
    stated, rest = (store.knowledge(known.kinds).statements for store in (whole, part))
    asked = {relation.pid for relation in known.relations_of("syn_qa")}
    cases = [
        (x, pid, y, False)
        for x, pid, y in negatives
        if pid in asked and not stated.holds(x, pid, y)
    ]
    for x, pid in sorted({case[:2] for case in cases}):
        removed = {*stated.values(x, pid)}.difference(rest.values(x, pid))
        cases += [(x, pid, y, True) for y in sorted(removed)]
    for x, pid, y, is_true in cases:
        try:
            yield Judged(x, pid, is_true, assess(part, x, pid, y).risk)
        except WrongCallError:  # no statement about one of the items remains
            continue


def table(in_whole: Sequence[Judged], cases: Sequence[Judged]) -> str:
    """Return what limits of the risk accept, over all relations and in each, in Markdown.

    ``in_whole`` are negatives that the whole slice judges.
    """
    of_subject: dict[str, list[Judged]] = defaultdict(list)
    of_relation: dict[str, list[Judged]] = defaultdict(list)
    for case in cases:
        of_subject[case.subject].append(case)
        of_relation[case.relation].append(case)
    numbers = Counter(case.is_true for case in cases)
    whole_accepts = [one.risk <= _DEFAULT for one in in_whole]
    lines = [
        f"The whole slice accepts {sum(whole_accepts)} of {len(in_whole)} negatives at {_DEFAULT} "
        f"({statistics.fmean(whole_accepts):.1%}).\n",
        f"After removals, {numbers[False]:,} negatives and {numbers[True]:,} removed statements of "
        f"{len(of_subject):,} subjects: AUC {_auc(cases):.2f} ({_interval(cases)}).\n",
        "| `--max-risk` | negatives accepted | removed statements accepted |",
        "| --: | --- | --- |",
    ]
    accepted = estimates([_counted(ones) for ones in of_subject.values()])
    for limit in _LIMITS:
        cells = []
        for is_true in (False, True):
            share = accepted[f"{limit} {is_true}"]
            low, high = share.interval or (0, 1)
            cells.append(f"{share.value or 0:.1%} ({low:.1%} to {high:.1%})")
        lines.append(f"| {limit:g} | {' | '.join(cells)} |")
    lines += ["\n| relation | negatives | accepted at 0.003 | AUC |", "| --- | --: | --: | --: |"]
    for pid, ones in sorted(of_relation.items(), key=lambda row: int(row[0][1:])):
        are_low = [one.risk <= _DEFAULT for one in ones if not one.is_true]
        if len(are_low) >= _FEW and len({one.is_true for one in ones}) == 2:
            row = f"{len(are_low)} | {statistics.fmean(are_low):.0%} | {_auc(ones):.2f}"
            lines.append(f"| {pid} {catalog().relations[pid].label} | {row} |")
    return "\n".join(lines)


def _counted(cases: Sequence[Judged]) -> Mapping[str, Share]:
    """Return what each limit accepts of the triples of a subject, which are drawn together."""
    return {
        f"{limit} {is_true}": Share(
            sum(case.risk <= limit for case in cases if case.is_true == is_true),
            sum(case.is_true == is_true for case in cases),
        )
        for limit in _LIMITS
        for is_true in (False, True)
    }


def _auc(cases: Sequence[Judged]) -> float:
    """Return the probability that a removed statement has a higher risk than a negative."""
    return auc([case.risk for case in cases], [case.is_true for case in cases]) or 0.0


def _interval(cases: Sequence[Judged]) -> str:
    """Return the interval of the AUC by bootstrap samples of the subjects."""
    values, value = np.unique([case.risk for case in cases], return_inverse=True)
    subjects, subject = np.unique([case.subject for case in cases], return_inverse=True)
    are_true = np.array([case.is_true for case in cases])
    generator, samples = np.random.default_rng(SEED), []
    for _ in range(SAMPLES):
        drawn = generator.integers(len(subjects), size=len(subjects))
        weights = np.bincount(drawn, minlength=len(subjects))[subject]
        true, false = (
            np.bincount(value[chosen], weights[chosen], len(values))
            for chosen in (are_true, ~are_true)
        )
        below: npt.NDArray[np.float64] = np.cumsum(false) - false / 2
        samples.append((true * below).sum() / (true.sum() * false.sum()))
    low, high = ends(np.array(samples))
    return f"{low:.2f} to {high:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.truth.negatives", description=__doc__
    )
    parser.add_argument("source", type=pathlib.Path, help="a clean slice, .nt.gz")
    parser.add_argument("negatives", type=pathlib.Path, help="test_negatives.txt of CoDEx")
    parser.add_argument("--share", type=float, default=0.3, help="removed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument(
        "-o", "--output", type=pathlib.Path, help="a document to put the tables into"
    )
    options = parser.parse_args(arguments)
    lines = options.negatives.read_text().splitlines()
    negatives = [(x, pid, y) for x, pid, y in (line.split("\t") for line in lines)]
    in_whole: list[Judged] = []
    cases: list[Judged] = []
    with holdout(options.source) as held_out:
        for seed in options.seeds:
            with held_out.stores(Removal("random", options.share, seed)) as (whole, part):
                in_whole = in_whole or [*judged(whole, whole, negatives)]
                cases += judged(whole, part, negatives)
    text = f"{measure.machine()}\n\n{table(in_whole, cases)}"
    print(text)
    if options.output:
        put(options.output, text, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
