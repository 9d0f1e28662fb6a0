"""Let trivial players play the pairs of Syn-(QA)²: who knows nothing should win half of them.

The players (``kgbuild/datasets/syn_qa/shortcuts.py``) learn from the train split of a database
that was built with ``--splits``, and play its other splits. ``all`` are pairs of all relations, by
players who learned from all of them.
"""

import argparse
import pathlib
import statistics
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from benchmarks import measure
from benchmarks.measure import put
from kgbuild.datasets.syn_qa.shortcuts import PLAYERS, Player
from kgbuild.rows import TRAIN

START, END = "<!-- measured: shortcuts -->", "<!-- end: shortcuts -->"
_FEW = 50
"""A relation with fewer test pairs has no row of its own."""


def wins(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, int]]:
    """Return the share of test pairs that each player wins, and their number; ties count half."""
    train = [row for row in rows if row["split"] == TRAIN]
    test = [row for row in rows if row["split"] != TRAIN]
    return {
        name: (
            statistics.fmean(map(Player(map(feature, train)).bet, map(feature, test))),
            len(test),
        )
        for name, feature in PLAYERS.items()
        if test
    }


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table in Markdown: all pairs, then each relation with enough test pairs."""
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[f"{row['relation']} {row['relation_label']}"].append(row)
    lines = [
        f"| relation | test pairs | {' | '.join(PLAYERS)} |",
        f"| --- | --: |{' --: |' * len(PLAYERS)}",
    ]
    for name, of_group in [("all", list(rows)), *sorted(groups.items())]:
        shares = wins(of_group)
        number = next((number for _, number in shares.values()), 0)
        if name == "all" or number >= _FEW:
            cells = " | ".join(f"{share:.0%}" for share, _ in shares.values())
            lines.append(f"| {name} | {number:,} | {cells} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.truth.shortcuts", description=__doc__
    )
    parser.add_argument("database", type=pathlib.Path, help="a database with pairs of one hop")
    parser.add_argument(
        "-o", "--output", type=pathlib.Path, help="a document to put the table into"
    )
    options = parser.parse_args(arguments)
    with duckdb.connect(str(options.database), read_only=True) as connection:
        relation = connection.sql("SELECT * FROM syn_qa_pairs ORDER BY pair_id")
        rows = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    text = f"{measure.machine()}\n\n{table(rows)}"
    print(text)
    if options.output:
        put(options.output, text, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
