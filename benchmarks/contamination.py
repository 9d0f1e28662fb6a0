"""Measure how many false assumptions are true, by removing statements from a slice.

The slice is loaded once completely, and once for each seed without a random share of its
statements. Pairs are built from the smaller store. The contamination is the share of their false
assumptions that the complete store contains.
"""

import argparse
import gzip
import hashlib
import pathlib
import re
import statistics
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks import measure
from benchmarks.measure import tell
from benchmarks.run import put
from kgbuild import wikidata
from kgbuild.catalog import Catalog, Path, catalog
from kgbuild.datasets.syn_qa import build
from kgbuild.datasets.syn_qa.facts import Facts
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import no_progress
from kgbuild.store.load import load

START, END = "<!-- measured: contamination -->", "<!-- end: contamination -->"
"""Marks in the document; ``-o`` replaces the text between them."""
_STATEMENT = re.compile(f"<[^>]*> <{wikidata.DIRECT}P".encode())
_BANDS = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Limits of the bands of risk in the reliability table."""
_MANY = 200
"""A relation needs this number of pairs, over all seeds, for a row in the table."""


class Assumed(NamedTuple):
    """A false assumption of a pair: its grade and risk, and whether it is true."""

    relation: str
    falsity: str
    risk: float
    is_true: bool


class Outcome(NamedTuple):
    """Result of a seed.

    ``examined`` counts the statements whose subject has a similar item; ``assumed`` are the false
    assumptions of the pairs that were built from them.
    """

    examined: int
    assumed: list[Assumed]


def removed(lines: Sequence[bytes], share: float, seed: int) -> Iterator[bytes]:
    """Yield the lines without a share of the statements, chosen by a hash of seed and line."""
    limit = int(share * 2**64)
    for line in lines:
        digest = hashlib.blake2b(line, digest_size=8, key=str(seed).encode()).digest()
        if not _STATEMENT.match(line) or int.from_bytes(digest, "big") >= limit:
            yield line


def outcome(whole: Store, part: Store, known: Catalog, options: build.Options) -> Outcome:
    """Build pairs from a reduced store and look up their assumptions in the complete one."""
    assumed: list[Assumed] = []
    examined = 0
    paths = [Path(relation) for relation in known.relations_of("syn_qa")]
    truth = whole.knowledge(known.kinds)
    build_path = build.path_builder(options, part.knowledge(known.kinds))
    for built in (build_path(path, no_progress) for path in paths):
        facts = Facts(truth, known.relations[built.relation], known.relations)
        rows = built.tables["syn_qa_pairs"]
        reasons = Counter(rejection.reason for rejection in built.rejections)
        examined += len(rows) + reasons["all similar items fell out"]
        for row in rows:
            is_true = bool(facts.statement(row["replacement_qid"], row["object_qid"]))
            assumed.append(Assumed(built.relation, row["falsity"], row["risk"], is_true))
    return Outcome(examined, assumed)


def tables(outcomes: Sequence[Outcome], known: Catalog) -> str:
    """Return the tables over all seeds, in Markdown."""
    assumed = [one for outcome in outcomes for one in outcome.assumed]
    shares = [_share(outcome.assumed) for outcome in outcomes]
    examined = sum(outcome.examined for outcome in outcomes)
    head = (
        f"{len(assumed):,} pairs of {examined:,} statements whose subject has a similar item "
        f"({len(assumed) / examined:.1%}). **{_share(assumed):.2%} of the false assumptions are "
        f"true** (by seed, {min(shares):.2%} to {max(shares):.2%})."
    )
    grades = defaultdict(list)
    relations = defaultdict(list)
    bands = defaultdict(list)
    for one in assumed:
        grades[one.falsity].append(one)
        relations[one.relation].append(one)
        bands[max(band for band in _BANDS if band <= one.risk)].append(one)
    parts = [
        head,
        _table("falsity", [(name, grades[name]) for name in sorted(grades)]),
        _table(
            "relation",
            [
                (f"{pid} {known.relations[pid].label}", ones)
                for pid, ones in sorted(relations.items(), key=lambda pair: -_share(pair[1]))
                if len(ones) >= _MANY
            ],
        ),
        _table(
            "risk",
            [
                (f"from {band:g} (mean {_mean(bands[band]):.4f})", bands[band])
                for band in sorted(bands)
            ],
        ),
    ]
    return "\n\n".join(parts)


def _share(assumed: Sequence[Assumed]) -> float:
    return sum(one.is_true for one in assumed) / max(1, len(assumed))


def _mean(assumed: Sequence[Assumed]) -> float:
    return statistics.fmean(one.risk for one in assumed)


def _table(what: str, rows: Sequence[tuple[str, Sequence[Assumed]]]) -> str:
    lines = [f"| {what} | pairs | true |", "| --- | --: | --: |"]
    lines += [f"| {name} | {len(ones):,} | {_share(ones):.2%} |" for name, ones in rows]
    return "\n".join(lines)


def measured(
    source: pathlib.Path, share: float, seeds: Sequence[int], options: build.Options
) -> list[Outcome]:
    """Return the result for each seed."""
    lines = gzip.decompress(source.read_bytes()).splitlines(keepends=True)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        load([str(source)], work / "whole", Filter())
        for seed in seeds:
            tell(f"seed {seed}, {share:.0%} removed")
            (work / "part.nt").write_bytes(b"".join(removed(lines, share, seed)))
            load([str(work / "part.nt")], work / "part", Filter())
            with open_store(work / "whole") as whole, open_store(work / "part") as part:
                found.append(outcome(whole, part, catalog(), options))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contamination", description=__doc__)
    parser.add_argument("source", type=pathlib.Path, help="a clean slice, .nt.gz")
    parser.add_argument(
        "--share", type=float, nargs="+", default=[0.3, 0.5], help="shares to remove"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--limit", type=int, default=200, help="pairs per relation")
    parser.add_argument("--max-risk", type=float, default=build.Options.max_risk)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="document to update")
    asked = parser.parse_args(arguments)
    if not all(0 < share < 1 for share in asked.share):
        parser.error("--share must be between 0 and 1")
    if not asked.source.is_file():
        parser.error(f"there is no file {asked.source}")
    options = build.Options(limit=asked.limit, max_risk=asked.max_risk)
    parts = [measure.machine()]
    for share in asked.share:
        parts.append(f"### {share:.0%} of the statements removed")
        parts.append(tables(measured(asked.source, share, asked.seeds, options), catalog()))
    text = "\n\n".join(parts)
    print(text)
    if asked.output:
        put(asked.output, text, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
