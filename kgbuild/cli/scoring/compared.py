"""Two models side by side, as they are shown."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import click

from kgbuild.cli import screen
from kgbuild.cli.scoring.groups import Given, Group
from kgbuild.errors import NothingToCompareError
from kgbuild.evaluate.answers import Answer
from kgbuild.evaluate.bootstrap import Share
from kgbuild.evaluate.paired import Comparison, Item, compare
from kgbuild.rows import require_columns

compare_option = click.option(
    "--compare",
    is_flag=True,
    help="Show instead how models differ that answered the same questions by one protocol.",
)


def show_compared(
    given: Given,
    groups: Sequence[tuple[Group, Sequence[Answer]]],
    metric: str,
    told: Callable[[Answer], Share],
    as_json: bool,
) -> None:
    """Print how each two models differ whose groups have all else in common.

    ``told`` tells what is right of an answer, for the ``metric`` that is its micro average.

    Raises:
        MissingColumnError: the answers have no column model.
        NothingToCompareError: there are no two such groups.
    """
    require_columns(given.path, given.answers.columns, ["model"])
    runs: dict[tuple[tuple[str, str], ...], dict[str, Mapping[Item, Share]]] = defaultdict(dict)
    for group, answers in groups:
        rest = tuple((name, value) for name, value in group.items() if name != "model")
        shares = {(answer.asked, answer.false_assumption): told(answer) for answer in answers}
        runs[rest][group["model"]] = shares
    rows = [
        {**dict(rest), **_row(metric, models, *two, as_json)}
        for rest, models in runs.items()
        for two in combinations(models, 2)
    ]
    if not rows:
        raise NothingToCompareError(given.path)
    screen.show(rows, as_json)
    screen.say("one alone: questions that one of the two did not answer, and so not counted")


def _row(
    metric: str, models: Mapping[str, Mapping[Item, Share]], one: str, other: str, as_json: bool
) -> dict[str, Any]:
    found = compare(models[one], models[other])
    alone = len(models[one].keys() ^ models[other].keys())
    row = _values if as_json else _cells
    return row(metric, one, other, found, alone)


def _values(
    metric: str, one: str, other: str, found: Comparison | None, alone: int
) -> dict[str, Any]:
    """Return a comparison as values."""
    return {
        "metric": metric,
        "model": one,
        "other": other,
        "value": found and found.one,
        "other_value": found and found.other,
        "difference": found and found.difference,
        "difference_interval": found and found.interval,
        "p": found and found.p,
        "questions": found.items if found else 0,
        "one_alone": alone,
    }


def _cells(
    metric: str, one: str, other: str, found: Comparison | None, alone: int
) -> dict[str, Any]:
    """Return a comparison as cells of a table."""
    told = dict.fromkeys((f"{metric} of both", "difference", "p"), "")
    if found:
        low, high = (f"{end * 100:+.1f}" for end in found.interval)
        both = f"{found.one:.1%}, {found.other:.1%}"
        difference = f"{found.difference * 100:+.1f} ({low} to {high})"
        told = dict(zip(told, (both, difference, f"{found.p:.3f}"), strict=True))
    questions = found.items if found else 0
    return {"model": one, "other": other, **told, "questions": questions, "one alone": alone}
