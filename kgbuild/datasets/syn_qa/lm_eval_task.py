"""Read the questions of this release for evaluation harnesses, and score answers.

This file is copied into the folder ``tasks`` of a release.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if (_MODULES := Path(__file__).with_name("kgbuild.zip")).is_file():  # in a release
    sys.path.insert(0, str(_MODULES))

from kgbuild.datasets.syn_qa.scoring import judging
from kgbuild.datasets.syn_qa.scoring.judging import Judged
from kgbuild.datasets.syn_qa.scoring.metrics import score
from kgbuild.datasets.syn_qa.scoring.prompts import GENERATIVE
from kgbuild.evaluate import harness
from kgbuild.evaluate.answers import Answer
from kgbuild.evaluate.bootstrap import Estimates
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.text.replies import answer_of

METRICS = harness.with_errors("accuracy", "on_true", "on_false", "paired_accuracy", "unparsed")
_JUDGED = harness.with_errors(*judging.METRICS)
"""The metrics of answers that another model judges."""


def questions(split: str, protocol: str) -> list[dict[str, Any]]:
    """Return the questions of a split; the two questions of a pair follow each other.

    Those of the generative protocol have their pair, which the judging model needs.
    """
    rows = harness.rows(__file__, "questions", split)
    if protocol != GENERATIVE:
        return rows
    pairs = {pair["pair_id"]: pair for pair in harness.rows(__file__, "pairs", split)}
    return [{**row, "pair": pairs[row["pair_id"]]} for row in rows]


def target(question: Mapping[str, Any]) -> str:
    """Return the right answer."""
    return "yes" if question["false_assumption"] else "no"


def judgement(question: Mapping[str, Any], response: str) -> Request | None:
    """Return the request to the model that judges a response; None if it has no text to judge."""
    text = answer_of(response)
    return judging.request(question["pair"], question["false_assumption"], text) if text else None


def process(
    question: Mapping[str, Any], responses: Sequence[str]
) -> dict[str, Answer] | dict[str, Judged]:
    """Return the answer of a model to a question, or the verdict on it, under each metric's name.

    A response by the generative protocol is followed by the text of the judging model's reply and
    by its finish reason, unless there was nothing to judge.
    """
    if "pair" in question:
        verdict: str | Failure = judging.NO
        if len(responses) > 1:
            _, text, reason = responses
            verdict = judging.verdict(Reply(text, reason, 0, 0, 0.0))
        judged = Judged(question["pair_id"], question["false_assumption"], verdict)
        return dict.fromkeys(_JUDGED, judged)
    answer = Answer(question["pair_id"], question["false_assumption"], responses[0])
    return dict.fromkeys(METRICS, answer)


def _score(outcomes: Sequence[Any]) -> Estimates:
    return (judging.score if isinstance(outcomes[0], Judged) else score)(outcomes)


# The harness calls these, and for each metric the function with its name.
load = harness.loader(questions)
globals().update(harness.functions((*METRICS, *_JUDGED), _score))
