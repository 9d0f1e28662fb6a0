"""A small database to review, the server of the page as a process, and who gets in its way."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgbuild import datasets
from kgbuild.rows import Build, Built, Provenance, Row
from kgbuild.tables.records import Prediction
from kgbuild.tables.reviews import reviews

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(1)>" \u202e\n=1+1'
"""What anybody can make the label of an item."""
_SOURCE = Provenance(seed=0, options={}, files=[], store_fingerprint="", store_triples=0)


def pair(number: int, **more: object) -> Row:
    """Return a minimal pair; of the numbers every second one is contradicted."""
    subject, other, place = f"Q{number}1", f"Q{number}2", f"Q{number}3"
    told = {"subject": subject, "property": "P19", "object": place}
    return {
        "pair_id": f"pair{number}",
        "relation": "P19",
        "relation_label": "place of birth",
        "hops": 1,
        "subject_qid": subject,
        "subject_label": f"Ann {number}",
        "replacement_qid": other,
        "replacement_label": f"Bob {number}",
        "object_qid": place,
        "object_label": f"Town {number}",
        "overlap": 3,
        "shared": [],
        "similarity": "property_overlap",
        "question": f"In which house in Town {number} was Ann {number} born?",
        "false_question": f"In which house in Town {number} was Bob {number} born?",
        "falsity": "contradicted" if number % 2 else "absent",
        "risk": 0.01,
        "evidence": [told],
        "falsity_evidence": [{"subject": other, "property": "P19", "object": "1815-04-01"}],
        "popularity": 0,
        "replacement_popularity": 0,
        "split": "train",
        "shortcut": [],
        **more,
    }


def database(path: Path, pairs: list[Row]) -> Path:
    """Write a database with minimal pairs."""
    datasets.database(path).write(
        Build(datasets.dataset("syn_qa"), [Built("P19", {"syn_qa_pairs": pairs})], _SOURCE)
    )
    return path


def add_others(path: Path) -> None:
    """Add a question of each of the other datasets, and two answers about the first pair."""
    granola = {"granola_questions": [_QUESTION], "granola_answers": _ANSWERS}
    datasets.database(path).write(
        Build(datasets.dataset("granola"), [Built("P19", granola)], _SOURCE)
    )
    empty: dict[str, list[Row]] = {table: [] for table in datasets.dataset("biokalma").tables}
    biokalma = {**empty, "biokalma_questions": [_BIO], "biokalma_knowledge": _PIECES}
    datasets.database(path).write(
        Build(datasets.dataset("biokalma"), [Built("P26", biokalma)], _SOURCE)
    )
    datasets.database(path).write_predictions(
        [
            Prediction(
                *("syn_qa", "pair1", is_false, "m", "generative", None, None, 0),
                *("", "In no house.", 1, 1, 0.1),
            )
            for is_false in (True, False)
        ]
    )


_BORN = [{"subject": "Q1", "property": "P19", "object": "Q2"}]
_QUESTION: Row = {
    "question_id": "g1",
    "relation": "P19",
    "question": "Where was Ann born?",
    "subject_qid": "Q1",
    "subject_label": "Ann",
    "subject_description": "poet",
    "answers": [{"qid": "Q2", "label": "Bonn"}],
    "popularity": 0,
    "resolution": "stated",
    "source": "P19",
    "evidence": _BORN,
    "split": "train",
}
_ANSWERS: list[Row] = [
    {
        "question_id": "g1",
        "level": level,
        "answer": answer,
        "aliases": [],
        "kind": "place",
        "bits": 9.0 / level,
        "capped": False,
        "golds": [],
        "evidence": _BORN,
        "source": "P19",
    }
    for level, answer in ((1, "Bonn"), (2, "Germany"))
]
_BIO: Row = {
    "question_id": "b1",
    "subjects": [{"qid": "Q1", "label": "Ann"}, {"qid": "Q4", "label": "Cy"}],
    "relation": "P26",
    "general_question": "What were Ann and Cy to each other?",
    "specific_question": "How were Ann and Cy related?",
    "paragraph": "Ann was the wife of Cy.",
    "popularity": 0,
    "source": "P26",
    "evidence": [{"subject": "Q1", "property": "P26", "object": "Q4"}],
    "split": "train",
    "themes": ["family"],
}
_PIECES: list[Row] = [
    {
        "question_id": "b1",
        "position": 1,
        "scope": "specific",
        "round": 0,
        "qid": "Q1",
        "property": "P26",
        "property_label": "spouse",
        "value": "Cy",
        "value_qid": "Q4",
        "specificity": 1.0,
        "coherence": 0.0,
        "score": 1.0,
        "source": "P26",
    }
]


@dataclass(frozen=True)
class Served:
    """A server that runs: its process, its port, its address with the token."""

    process: subprocess.Popen[str]
    port: int
    address: str

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]


@contextlib.contextmanager
def served(db: Path, *options: str, dataset: str = "syn-qa", port: int = 0) -> Iterator[Served]:
    """Run 'kgbuild review', and kill it at the end: what it said to have kept is kept."""
    place = ("--db", str(db), "--port", str(port))
    process = subprocess.Popen(
        [sys.executable, "-m", "kgbuild", "review", dataset, *place, *options],
        env={**os.environ, "KGBUILD_STORE": str(db.parent / "none")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout
        process.stdout.readline()  # how many rows there are
        address = process.stdout.readline().strip()
        yield Served(process, int(address.split(":")[2].split("/")[0]), address)
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def held(db: Path) -> Iterator[subprocess.Popen[str]]:
    """Have another process hold the database, until its input ends."""
    code = f"import duckdb, sys; db = duckdb.connect({str(db)!r}); print(1); sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )
    assert process.stdout
    process.stdout.readline()
    try:
        yield process
    finally:
        process.communicate()


def said(db: Path, dataset: str = "syn_qa") -> dict[tuple[str, str, str], str]:
    """Return all answers in the table: by row, reviewer and question."""
    with datasets.database(db).reading(wait=10) as select:
        return {
            (one.item_id, one.reviewer, one.question): one.answer
            for one in reviews(select, dataset)
        }
