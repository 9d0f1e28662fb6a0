"""Test a model that grades replies to GRANOLA, by 40 replies that people judged."""

from collections.abc import Mapping
from typing import Any

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola.scoring.grader import ABSTAINS, WRONG, grading_request
from kgbuild.datasets.granola.scoring.metrics import Reached
from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.evaluate import judge_replies
from kgbuild.evaluate.bootstrap import Share
from kgbuild.models.chat import Request

_ABSTAINED, _WRONG = "A", "W"
"""The verdicts of people on replies without a level."""


def verdict(outcome: Reached) -> str:
    """Return an outcome as people wrote their verdicts: the level, A or W."""
    return str(outcome.level or (_ABSTAINED if outcome.abstained else _WRONG))


def truth(record: Mapping[str, Any]) -> Truth:
    """Return the true answers to the question of a judged reply."""
    kinds, aliases = record.get("kinds", {}), record.get("aliases", {})
    answers = [
        TrueAnswer(level, kinds.get(text, ""), text, aliases.get(text, []))
        for level, texts in enumerate(record["levels"], 1)
        for text in texts
    ]
    return Truth(record["question"], answers)


def agreement(ask: Ask) -> Share:
    """Return how many of the replies a model grades as people did."""
    return judge_replies.agreement(ask, "datasets/granola/scoring/control.jsonl", _case)


def _case(record: Mapping[str, Any]) -> tuple[Request, str]:
    judged = str(record["verdict"])
    right = {_ABSTAINED: ABSTAINS, _WRONG: WRONG}.get(judged, judged)
    return grading_request(record["reply"], truth(record)), right
