"""Reads the questions of this release for lm-evaluation-harness, and scores its answers."""

import json
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if (Path(__file__).parent / "kgbuild").is_dir():  # what asks and scores is in the release
    sys.path.insert(0, str(Path(__file__).parent))

from kgbuild.datasets.biokalma.citations import Pool, Triple, parse
from kgbuild.datasets.biokalma.metrics import Asked, Attributed, by_words, score
from kgbuild.datasets.biokalma.prompts import request
from kgbuild.english.normalize import fold

if TYPE_CHECKING:  # comes with the harness
    from datasets import Dataset

METRICS = ("correctness", "precision", "recall", "f1", "alignment", "refused", "uncited")


def load(split: str, protocol: str, **_: Any) -> "dict[str, Dataset]":
    """Return the questions of a split, as ``questions`` does."""
    from datasets import Dataset

    return {split: Dataset.from_list(questions(split, protocol))}


def questions(split: str, protocol: str) -> list[dict[str, Any]]:
    """Return the questions of a split as they are asked, each with its pool and its set.

    The prompt is the last turn of what ``kgbuild ask`` sends; those before it, the example, are
    in the task. What may stand for an answer is the paragraph.
    """
    pools, sets = _by_question("pool", split), _by_question("knowledge", split)
    return [
        {
            "question_id": row["question_id"],
            "prompt": _prompt(row, protocol, pools[row["question_id"]]),
            "answer": row["paragraph"],
            "pool": [_triple(piece) for piece in pools[row["question_id"]]],
            "knowledge": [_triple(piece) for piece in sets[row["question_id"]]],
        }
        for row in _rows("questions", split)
    ]


def _prompt(row: Mapping[str, Any], protocol: str, pool: Sequence[Mapping[str, Any]]) -> str:
    names = {piece["value_qid"]: piece["value"] for piece in pool if piece["value_qid"]}
    names |= {subject["qid"]: subject["label"] for subject in row["subjects"]}
    shown = sorted(pool, key=lambda piece: (piece["qid"], piece["property"], piece["value"]))
    asked = request(row[f"{protocol}_question"], [_triple(piece) for piece in shown], names)
    return asked.messages[-1].content


def _triple(piece: Mapping[str, Any]) -> Triple:
    return Triple(piece["qid"], piece["property_label"], piece["value"])


def _by_question(table: str, split: str) -> Mapping[str, list[dict[str, Any]]]:
    found = defaultdict(list)
    for row in _rows(table, split):
        found[row["question_id"]].append(row)
    return found


def _rows(table: str, split: str) -> list[dict[str, Any]]:
    file = Path(__file__).parents[1] / "jsonl" / table / f"{split}.jsonl"
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def process(question: Mapping[str, Any], said: Sequence[str]) -> dict[str, Attributed]:
    """Return what a model said to a question, as it is read, for each metric."""
    given, needed = ([Triple(*one) for one in question[name]] for name in ("pool", "knowledge"))
    pool = Pool(given, fold)
    return dict.fromkeys(METRICS, Attributed(parse(said[0], pool), Asked(pool, needed)))


def _value(metric: str, answers: Sequence[Attributed]) -> float:
    found = score(answers, partial(by_words, fold=fold))[metric].value
    return math.nan if found is None else found


correctness, precision, recall, f1, alignment, refused, uncited = (
    partial(_value, name) for name in METRICS
)
