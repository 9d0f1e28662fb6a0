"""Read the questions of this release for evaluation harnesses, and score answers.

This file is copied into the folder ``tasks`` of a release.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if (_MODULES := Path(__file__).with_name("kgbuild.zip")).is_file():  # in a release
    sys.path.insert(0, str(_MODULES))

from kgbuild.datasets.granola.scoring.majority import majority
from kgbuild.datasets.granola.scoring.matcher import match
from kgbuild.datasets.granola.scoring.metrics import score
from kgbuild.datasets.granola.scoring.truths import Reached, TrueAnswer, Truth
from kgbuild.evaluate import harness
from kgbuild.text.replies import answer_of

_COLUMNS = ("level", "kind", "answer", "aliases")
"""The columns of answers that scores need."""
METRICS = harness.with_errors(
    "accuracy", "standard", "informativeness", "abstained", "selective_accuracy"
)


def questions(split: str, _protocol: str) -> list[dict[str, Any]]:
    """Return the questions of a split, each with its answers."""
    answers: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in harness.rows(__file__, "answers", split):
        answers[row["question_id"]].append({name: row[name] for name in _COLUMNS})
    return [
        {name: row[name] for name in ("question_id", "question", "relation")}
        | {"answers": answers[row["question_id"]]}
        for row in harness.rows(__file__, "questions", split)
    ]


def target(question: Mapping[str, Any]) -> str:
    """Return the finest answer."""
    return str(question["answers"][0]["answer"])


def process(
    question: Mapping[str, Any], responses: Sequence[str] | Sequence[Sequence[str]]
) -> dict[str, Reached]:
    """Return the outcome of the response to a question under the name of each metric.

    Of several samples, the most frequent one counts, and no empty one, as in ``kgbuild aggregate``.
    """
    response, *more = harness.texts(responses)
    if more:
        samples = [*filter(None, map(answer_of, (response, *more)))]
        response = majority(question["question"], samples) if samples else ""
    answers = [TrueAnswer(*map(answer.get, _COLUMNS)) for answer in question["answers"]]
    return dict.fromkeys(METRICS, match(response, Truth(question["question"], answers)))


# The harness calls these, and for each metric the function with its name.
load = harness.loader(questions)
globals().update(harness.functions(METRICS, score))
