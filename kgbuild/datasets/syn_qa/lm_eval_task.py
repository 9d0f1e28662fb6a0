"""Read the questions of this release for lm-evaluation-harness, and score answers.

This file is copied into the folder ``tasks`` of a release.
"""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if (Path(__file__).parent / "kgbuild").is_dir():  # the release contains the needed modules
    sys.path.insert(0, str(Path(__file__).parent))

from kgbuild.datasets.syn_qa.metrics import score
from kgbuild.evaluate.answers import Answer

if TYPE_CHECKING:  # comes with the harness
    from datasets import Dataset

METRICS = ("accuracy", "on_true", "on_false", "paired_accuracy", "unparsed")


def load(split: str, **_: Any) -> "dict[str, Dataset]":
    """Return the questions of a split; the two questions of a pair follow each other."""
    from datasets import Dataset

    file = Path(__file__).parents[1] / "jsonl" / "questions" / f"{split}.jsonl"
    with file.open(encoding="utf-8") as lines:
        return {split: Dataset.from_list([json.loads(line) for line in lines])}


def process(question: Mapping[str, Any], responses: Sequence[str]) -> dict[str, Answer]:
    """Return the answer of a model to a question under the name of each metric."""
    answer = Answer(question["pair_id"], question["false_assumption"], responses[0])
    return dict.fromkeys(METRICS, answer)


def _value(metric: str, answers: Sequence[Answer]) -> float:
    """Return the value of a metric over all answers; NaN if no answer counts for it."""
    value = score(answers)[metric].value
    return math.nan if value is None else value


# The harness calls, for each metric, the function with its name.
accuracy, on_true, on_false, paired_accuracy, unparsed = (partial(_value, name) for name in METRICS)
