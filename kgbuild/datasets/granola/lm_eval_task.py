"""Read the questions of this release for lm-evaluation-harness, and score answers.

This file is copied into the folder ``tasks`` of a release.
"""

import json
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if (Path(__file__).parent / "kgbuild").is_dir():  # the release contains the needed modules
    sys.path.insert(0, str(Path(__file__).parent))

from kgbuild.datasets.granola.metrics import Outcome, gold, judge, score

if TYPE_CHECKING:  # comes with the harness
    from datasets import Dataset

METRICS = ("accuracy", "standard", "informativeness", "abstained", "selective_accuracy")


def load(split: str, **_: Any) -> "dict[str, Dataset]":
    """Return the questions of a split, each with its answers."""
    from datasets import Dataset

    answers = defaultdict(list)
    for row in _rows("answers", split):
        gold_answer = {name: row[name] for name in ("level", "kind", "answer", "aliases")}
        answers[row["question_id"]].append(gold_answer)
    questions = [
        {
            "question_id": row["question_id"],
            "question": row["question"],
            "answers": answers[row["question_id"]],
        }
        for row in _rows("questions", split)
    ]
    return {split: Dataset.from_list(questions)}


def _rows(table: str, split: str) -> list[dict[str, Any]]:
    file = Path(__file__).parents[1] / "jsonl" / table / f"{split}.jsonl"
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def target(question: Mapping[str, Any]) -> str:
    """Return the finest answer."""
    return str(question["answers"][0]["answer"])


def process(question: Mapping[str, Any], responses: Sequence[str]) -> dict[str, Outcome]:
    """Return the outcome of the first response to a question under the name of each metric."""
    gold_answers = gold(
        (row["level"], row["kind"], row["answer"], row["aliases"]) for row in question["answers"]
    )
    return dict.fromkeys(METRICS, judge(responses[0], *gold_answers))


def _value(metric: str, outcomes: Sequence[Outcome]) -> float:
    """Return the value of a metric over all outcomes; NaN if no outcome counts for it."""
    value = score(outcomes)[metric].value
    return math.nan if value is None else value


# The harness calls the functions with the names of the metrics.
accuracy, standard, informativeness, abstained, selective_accuracy = (
    partial(_value, name) for name in METRICS
)
