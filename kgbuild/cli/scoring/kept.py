"""Scores as they are kept in the database."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kgbuild.cli import screen
from kgbuild.cli.scoring.groups import Given, Group
from kgbuild.errors import KgbuildError
from kgbuild.evaluate.bootstrap import Estimate, Estimates
from kgbuild.tables.records import Scored

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


def keep(
    db: "Database",
    given: Given,
    by: str | None,
    scored: Iterable[tuple[Group, Estimates]],
    judge: str = "",
) -> None:
    """Write scores to the table ``scores``, without metrics of nothing.

    ``judge`` is the model that they rest on, if any.

    They were shown before, so where they cannot be written, that is said and nothing else.
    """
    rows = [
        _row(given, by or "", judge, group, name, made)
        for group, metrics in scored
        for name, made in metrics.items()
        if made.value is not None
    ]
    try:
        db.write_scores(rows)
    except KgbuildError as error:
        screen.say(f"These scores were not kept: {error}")


def _row(given: Given, by: str, judge: str, group: Group, name: str, made: Estimate) -> Scored:
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
        judge=judge,
        metric=name,
        value=made.value or 0.0,
        low=low,
        high=high,
        answers=made.of,
        source=given.source,
    )
