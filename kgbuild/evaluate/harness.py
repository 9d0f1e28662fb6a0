"""What the tasks for evaluation harnesses share: the rows of a release, and metrics."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgbuild.evaluate.bootstrap import Estimates

_ERROR = "_stderr"
"""The end of the name of a standard error, under which lm-evaluation-harness shows it."""


def with_errors(*metrics: str) -> tuple[str, ...]:
    """Return the names of metrics, then those of their standard errors.

    lm-evaluation-harness knows the standard errors of no function of others, and shows one that is
    a metric of this name.
    """
    return (*metrics, *(f"{metric}{_ERROR}" for metric in metrics))


def value(estimates: Estimates, name: str) -> float:
    """Return a metric, or its standard error; NaN without cases."""
    estimate = estimates[name.removesuffix(_ERROR)]
    number = estimate.error if name.endswith(_ERROR) else estimate.value
    return math.nan if number is None else number


def texts(responses: Sequence[str] | Sequence[Sequence[str]]) -> list[str]:
    """Return the responses to a question; lm-evaluation-harness wraps several samples in a list."""
    return [text for one in responses for text in ([one] if isinstance(one, str) else one)]


def rows(utils: str, table: str, split: str) -> list[dict[str, Any]]:
    """Return the rows of a table of the release with the file ``utils``, its ``tasks/utils.py``."""
    file = Path(utils).parents[1] / "jsonl" / table / f"{split}.jsonl"
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
