"""Read the questions of this release for evaluation harnesses, and score answers.

This file is copied into the folder ``tasks`` of a release.
"""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if (_MODULES := Path(__file__).with_name("kgbuild.zip")).is_file():  # in a release
    sys.path.insert(0, str(_MODULES))

from kgbuild.datasets.syn_qa.metrics import score
from kgbuild.evaluate import harness
from kgbuild.evaluate.answers import Answer

if TYPE_CHECKING:  # comes with the harness
    from datasets import Dataset

METRICS = harness.with_errors("accuracy", "on_true", "on_false", "paired_accuracy", "unparsed")


def load(splits: Sequence[str], protocol: str, **_: Any) -> "dict[str, Dataset]":
    """Return the questions of splits as datasets of lm-evaluation-harness; see ``questions``."""
    from datasets import Dataset

    return {split: Dataset.from_list(questions(split, protocol)) for split in splits}


def questions(split: str, _protocol: str) -> list[dict[str, Any]]:
    """Return the questions of a split; the two questions of a pair follow each other."""
    return harness.rows(__file__, "questions", split)


def target(question: Mapping[str, Any]) -> str:
    """Return the right answer."""
    return "yes" if question["false_assumption"] else "no"


def process(question: Mapping[str, Any], responses: Sequence[str]) -> dict[str, Answer]:
    """Return the answer of a model to a question under the name of each metric."""
    answer = Answer(question["pair_id"], question["false_assumption"], responses[0])
    return dict.fromkeys(METRICS, answer)


def _value(metric: str, answers: Sequence[Answer]) -> float:
    return harness.value(score(answers), metric)


# The harness calls, for each metric, the function with its name.
globals().update({name: partial(_value, name) for name in METRICS})
