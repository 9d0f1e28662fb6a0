"""What the tasks for evaluation harnesses share: the rows of a release, and metrics."""

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.evaluate.bootstrap import Estimates

if TYPE_CHECKING:  # comes with lm-evaluation-harness
    from datasets import Dataset

_ERROR = "_stderr"
"""The end of the name of a standard error, under which lm-evaluation-harness shows it."""


def with_errors(*metrics: str) -> tuple[str, ...]:
    """Return the names of metrics, then those of their standard errors.

    lm-evaluation-harness knows the standard errors of no function of others, and shows one that is
    a metric of this name.
    """
    return (*metrics, *(f"{metric}{_ERROR}" for metric in metrics))


def functions(
    metrics: Sequence[str], score: Callable[[Sequence[Any]], Estimates]
) -> dict[str, Callable[[Sequence[Any]], float]]:
    """Return the function of each metric, by name, which a harness calls with all outcomes.

    It returns the metric, or its standard error, by the estimates of ``score``; NaN without cases.
    """
    return {name: partial(_value, name, score) for name in metrics}


def _value(
    name: str, score: Callable[[Sequence[Any]], Estimates], outcomes: Sequence[Any]
) -> float:
    estimate = score(outcomes)[name.removesuffix(_ERROR)]
    number = estimate.error if name.endswith(_ERROR) else estimate.value
    return math.nan if number is None else number


def texts(responses: Sequence[str] | Sequence[Sequence[str]]) -> list[str]:
    """Return the responses to a question; lm-evaluation-harness wraps several samples in a list."""
    return [text for one in responses for text in ([one] if isinstance(one, str) else one)]


def loader(
    questions: Callable[[str, str], list[dict[str, Any]]],
) -> Callable[..., "dict[str, Dataset]"]:
    """Return the function by which lm-evaluation-harness reads the questions of splits.

    ``questions`` returns those of a split by a protocol.
    """

    def load(splits: Sequence[str], protocol: str, **_: Any) -> "dict[str, Dataset]":
        from datasets import Dataset

        return {split: Dataset.from_list(questions(split, protocol)) for split in splits}

    return load


def rows(utils: str, table: str, split: str) -> list[dict[str, Any]]:
    """Return the rows of a table of the release with the file ``utils``, its ``tasks/utils.py``."""
    file = Path(utils).parents[1] / "jsonl" / table / f"{split}.jsonl"
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
