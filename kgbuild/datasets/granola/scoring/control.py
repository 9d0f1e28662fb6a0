"""Test a model that grades replies to GRANOLA, by 40 replies that people judged."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola.scoring.grader import graded
from kgbuild.datasets.granola.scoring.metrics import Reached
from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.evaluate.bootstrap import Share

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


def agreement(ask: Ask, model: str) -> Share:
    """Return how many of the replies a model grades as people did; an unreadable grade is wrong."""
    text = (files(__package__) / "control.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    outcomes = graded([(record["reply"], truth(record)) for record in records], ask, model)
    agrees = [
        isinstance(outcome, Reached) and verdict(outcome) == record["verdict"]
        for outcome, record in zip(outcomes, records, strict=True)
    ]
    return Share(sum(agrees), len(agrees))
