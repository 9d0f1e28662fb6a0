"""Measure ``kgbuild ask`` and ``kgbuild score``."""

import itertools
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import measure
from benchmarks.measure import of_slice, tell
from kgbuild.tables.database import Database
from kgbuild.tables.records import Prediction
from tests.chat_server import Answer, chat_server

START, END = "<!-- measured: models -->", "<!-- end: models -->"
"""Marks in the document; ``-o`` replaces the text between them."""
REQUESTS = 2_000
SECONDS = 0.1
AT_ONCE = 64
"""Number of requests, duration of each on the server, and number of concurrent requests."""
PREDICTIONS = 12_000

_PYTHON = (sys.executable, "-m", "kgbuild")
_MODEL = "made-up"
_ITEMS = {
    "granola": """
        SELECT question_id, min(answer) FROM granola_answers
        WHERE level = 1 GROUP BY question_id ORDER BY question_id
    """,
    "syn_qa": "SELECT pair_id, '' FROM syn_qa_pairs ORDER BY rowid",
    "biokalma": """
        SELECT question_id, string_agg(
            format('So it is with {2} [{0}, {1}: {2}].', qid, property_label, "value"), ' '
            ORDER BY position
        ) FROM biokalma_knowledge WHERE scope = 'specific' GROUP BY question_id ORDER BY question_id
    """,
}
"""Queries for the questions of each dataset, with right answers."""


def made_up(db: Path, dataset: str) -> Iterator[Prediction]:
    """Yield ``PREDICTIONS`` right and wrong answers, of as many models as needed."""
    draw = random.Random(0)
    items = Database(db).sql(_ITEMS[dataset]).rows
    kinds = (False, True) if dataset == "syn_qa" else (None,)
    asked = (
        (number, *item, kind) for number in itertools.count() for item in items for kind in kinds
    )
    for number, item_id, right, kind in itertools.islice(asked, PREDICTIONS):
        yield Prediction(
            dataset=dataset,
            item_id=item_id,
            false_assumption=kind,
            model=f"{_MODEL} {number}",
            protocol="zero-shot" if dataset == "syn_qa" else "specific",
            removed=0 if dataset == "biokalma" else None,
            accuracy=100 if dataset == "biokalma" else None,
            sample=0,
            prompt_hash="",
            text=draw.choice(("Yes", "No") if kind is not None else (right, "IDK", "Rome")),
            tokens_in=1,
            tokens_out=1,
            seconds=SECONDS,
        )


def asking(db: Path) -> str:
    """Return a sentence about the time of ``kgbuild ask`` with a slow server."""
    options = ("--protocol", "vanilla", "--limit", str(REQUESTS), "--db", db)
    with chat_server() as server:
        server.otherwise = Answer(seconds=SECONDS)
        named = ("--model", _MODEL, "--base-url", server.url)
        first = measure.command(*_PYTHON, "ask", "granola", *named, *options)
        sent = len(server.sent)
        again = measure.command(*_PYTHON, "ask", "granola", *named, *options)
        twice = len(server.sent) - sent
        most = server.most_at_once
    least = sent * SECONDS / AT_ONCE
    return (
        f"The command takes {measure.seconds(first.seconds)} for {sent:,} requests that each take "
        f"the server {SECONDS * 1000:.0f} ms: {first.seconds / least:.1f} times the minimum for "
        f"{AT_ONCE} concurrent requests (there were {most}). The server ran on the same cores. "
        f"A second run sends {twice:,} requests and takes {measure.seconds(again.seconds)}."
    )


def scoring(db: Path) -> str:
    """Return a table of the times to score ``PREDICTIONS`` answers to each dataset."""
    lines = ["| dataset | answers | models | time | CPU time |", "| --- | --: | --: | --: | --: |"]
    for dataset in _ITEMS:
        predictions = [*made_up(db, dataset)]
        Database(db).write_predictions(predictions)
        command = dataset.replace("_", "-")
        taken = measure.command(*_PYTHON, "score", command, "--db", db)
        models = len({one.model for one in predictions})
        counts = f"{len(predictions):,} | {models}"
        times = f"{measure.seconds(taken.seconds)} | {measure.seconds(taken.cpu)}"
        lines.append(f"| {command} | {counts} | {times} |")
    return "\n".join(lines)


def measured(source: Path) -> str:
    """Return the section of the document."""
    with tempfile.TemporaryDirectory() as folder:
        store, db = Path(folder) / "kg", Path(folder) / "a.duckdb"
        tell("loading and building")
        measure.command(*_PYTHON, "load", source, "--store", store)
        at = ("--store", store, "--db", db)
        for command in (("granola",), ("syn-qa", "--limit", "1000"), ("biokalma",)):
            measure.command(*_PYTHON, *command, *at)
        tell("asking")
        asked = asking(db)
        (load, *_) = os.getloadavg()
        tell("scoring")
        scored = scoring(db)
    load_line = f"Load of the machine before scoring: {load:.1f}."
    return "\n\n".join([measure.machine(), asked, scored, load_line])


if __name__ == "__main__":
    of_slice("speed.models", __doc__, measured, START, END)
