"""Scores as they are kept in the database."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kgbuild import tables
from kgbuild.cli import screen
from kgbuild.cli.scoring.groups import Given, Group
from kgbuild.errors import KgbuildError
from kgbuild.metrics.answers import Share
from kgbuild.scores import Scored


class Plain(NamedTuple):
    """A metric that has no interval: its value, None of nothing, and over how many it goes."""

    value: float | None
    of: int
    interval: None = None


Metrics: TypeAlias = Mapping[str, Share | Plain]
"""The metrics of a group of answers, by name."""


def keep(db: Path, given: Given, by: str | None, scored: Iterable[tuple[Group, Metrics]]) -> None:
    """Write scores to the table ``scores``, without metrics of nothing.

    They were shown before, so where they cannot be written, that is said and nothing else.
    """
    rows = [
        _row(given, by or "", group, name, made)
        for group, metrics in scored
        for name, made in metrics.items()
        if made.value is not None
    ]
    try:
        tables.write_scores(db, rows)
    except KgbuildError as error:
        from kgbuild.cli.messages import message

        screen.say(f"These scores were not kept: {message(error)[0]}")


def _row(given: Given, by: str, group: Group, name: str, made: Share | Plain) -> Scored:
    told = {**given.optional, **group}
    low, high = made.interval or (None, None)
    return Scored(
        dataset=given.dataset,
        model=told["model"],
        protocol=told["protocol"],
        removed=int(told["removed"]) if "removed" in told else None,
        accuracy=int(told["accuracy"]) if "accuracy" in told else None,
        grouped_by=by,
        group=told[by] if by else "",
        metric=name,
        value=made.value or 0.0,
        low=low,
        high=high,
        answers=made.of,
        source=given.source,
    )
