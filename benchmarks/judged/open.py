"""Judge the answers of five systems to open questions that people judged, beside word recall.

The answers are those of EVOUNA's part of Natural Questions, with their right answers alone: no
store, no aliases and no coarser levels. They are not in the repository; without them the set is
empty.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.judged import FOLDER, Case, Record
from benchmarks.judged.people import read
from kgbuild.datasets.granola.scoring.matcher import match
from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.english import date_parsing
from kgbuild.evaluate.text_metrics import normalise

_DATA = Path(os.environ.get("KGBUILD_TEST_DATA", FOLDER.parents[2] / "shared" / "data"))
_FILE = _DATA / "judged" / "open-questions-judged.jsonl.gz"
_PARTS = 3
"""One of so many parts is open."""
_VERDICTS = ("wrong", "right")


def records(kept: bool) -> list[Record]:
    """Return the answers to a third of the questions, or to the other, kept ones."""
    every = read(_FILE) if _FILE.is_file() else []
    return [record for record in every if _is_open(record["question"]) != kept]


def _is_open(question: str) -> bool:
    return int(hashlib.sha256(question.encode()).hexdigest(), 16) % _PARTS == 0


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield two cases for each answer: as the scorer judges it, and by recall of a right answer."""
    for record in records:
        outcome = match(record["prediction"], _truth(record))
        yield _case(record, "rules", outcome.level is not None)
        yield _case(record, "word recall", _recalls(record))


def _truth(record: Record) -> Truth:
    texts = record["references"]
    is_time = record["question"].lower().startswith(("when", "what year", "which year"))
    kind = "day" if is_time and all(map(date_parsing.read, texts)) else ""
    return Truth(record["question"], [TrueAnswer(1, kind, text) for text in texts])


def _recalls(record: Record) -> bool:
    """Return whether an answer has all words of a right answer, one after the other."""
    words = f" {normalise(record['prediction'])} "
    return any(f" {normalise(text)} " in words for text in record["references"])


def _case(record: Record, part: str, found: bool) -> Case:
    judged = bool(record["correct"])
    shown = f"{record['question']} {record['references']} {record['prediction']!r}"
    own_id = f"{record['id']} {part}"
    return Case(own_id, part, shown, _VERDICTS[judged], _VERDICTS[found], found == judged)
