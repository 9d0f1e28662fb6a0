"""What the screen shows of judges: their grades of answers, and how they fare in tests."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import click

from kgbuild.cli import screen
from kgbuild.datasets.grouse.agreement import Agreement, References, agreements
from kgbuild.datasets.grouse.meta import Graded, Rate, by_type, graded, rate
from kgbuild.datasets.grouse.rows import METRICS, UNGRADED, UNPARSABLE
from kgbuild.evaluate.bootstrap import Estimate
from kgbuild.tables.records import GrouseResult as Result

Found: TypeAlias = Mapping[str, Sequence[Result]]
"""What each judge gives, or how it fares: one result a test, or an answer, and metric."""

_ALL = "all"
_HEADS = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""What columns of narrow tables are called."""
_WORDS = (*map(str, range(6)), UNGRADED, UNPARSABLE)
"""Grades in words, in the order of a table."""


def show_grades(found: Found, as_json: bool) -> None:
    """Print the mean grade that each judge gives answers, on each metric."""
    told = [one for name, some in found.items() for one in graded(name, some)]
    screen.show([_of_grades(one, as_json) for one in told], as_json)


def _of_grades(one: Graded, as_json: bool) -> dict[str, object]:
    exact = {"mean": one.mean.value, "interval": one.mean.interval}
    return {
        "judge": one.judge,
        "metric": one.metric,
        "answers": one.mean.of,
        **(exact if as_json else {"mean": _rounded(one.mean)}),
        "undefined": one.undefined,
        "unparsable": one.unparsable,
    }


def _rounded(mean: Estimate) -> str:
    """Return a mean and its interval, if it has one, as a cell of a table; an empty one of none."""
    if mean.value is None:
        return ""
    interval = "" if mean.interval is None else " ({:.2f}–{:.2f})".format(*mean.interval)
    return f"{mean.value:.2f}{interval}"


def show_rates(found: Found, llm: str | None, as_json: bool) -> None:
    """Print which tests each judge passes; only grades of ``llm``, a model, can be unreadable."""
    whole = [rate(name, _ALL, some) for name, some in found.items()]
    types = [one for name, some in found.items() for one in by_type(name, some)]
    if as_json:
        screen.show([_values(one) for one in (*types, *whole)], as_json)
        return
    first = next(iter(found))
    click.echo(f"Tests passed by the {first} judge, of all:\n")
    screen.show([_of_type(one) | _unread(one, llm) for one in types if one.judge == first], as_json)
    click.echo("\nShares of the conditions on each metric, and of whole tests, that hold:\n")
    screen.show([_of_judge(one) | _unread(one, llm) for one in whole], as_json)


def show_agreements(found: Found, references: References, as_json: bool) -> None:
    """Print how the grades of each judge go with those of the reference."""
    compared = [one for name, some in found.items() for one in agreements(name, some, references)]
    if as_json:
        told = [{**one._asdict(), "confusion": _confusion(one)} for one in compared]
        screen.show(told, as_json)
        return
    click.echo("How grades go with those of the reference, over those where both are defined:\n")
    screen.show([_of_agreement(one) for one in compared], as_json)
    first = next(iter(found))
    click.echo(f"\nGrades of the {first} judge, and how often which grade of the reference:\n")
    mine = [one for one in compared if one.judge == first]
    screen.show([row for one in mine for row in _grades(one)], as_json)


def _of_type(one: Rate) -> dict[str, object]:
    """Return what the screen shows of a type: how many tests pass by each metric, and by all."""
    return {
        "test type": one.test_type,
        **{_HEADS[name]: f"{count:,}/{one.tests:,}" for name, count in one.by_metric.items()},
        "all": f"{one.passed:,}/{one.tests:,}",
    }


def _of_judge(one: Rate) -> dict[str, object]:
    """Return what the screen shows of a judge: the shares of conditions that hold, and of tests."""
    return {
        "judge": one.judge,
        # Rounded down, as in the picture: 100 % is all of them.
        **{_HEADS[name]: f"{count * 100 // one.tests}%" for name, count in one.by_metric.items()},
        "tests": f"{one.passed * 100 // one.tests}%",
    }


def _unread(one: Rate, llm: str | None) -> dict[str, object]:
    """Return the share of grades that cannot be read: where a model is judged it can be above 0."""
    return {"unparsable": f"{one.unparsable_share:.0%}"} if llm else {}


def _values(one: Rate) -> dict[str, object]:
    return {
        "judge": one.judge,
        "test_type": one.test_type,
        "tests": one.tests,
        "passed": one.passed,
        **one.by_metric,
        "conditions": round(one.conditions, 4),
        "unparsable": round(one.unparsable_share, 4),
    }


def _of_agreement(one: Agreement) -> dict[str, object]:
    """Return what the screen shows of a metric; no correlation where grades don't change."""
    signed = {
        name: "" if value is None else f"{value:+.2f}"
        for name, value in (("spearman", one.spearman), ("kendall", one.kendall))
    }
    return {"judge": one.judge, "metric": one.metric, "tests": one.defined, **signed}


def _grades(one: Agreement) -> list[dict[str, object]]:
    """Return a row for each grade of a metric: how often the reference gives which."""
    return [
        {
            "metric": one.metric,
            "grade": grade,
            **{word: one.confusion.get((grade, word)) for word in _WORDS[:-1]},
        }
        for grade in _WORDS
        if any(mine == grade for mine, _ in one.confusion)
    ]


def _confusion(one: Agreement) -> list[dict[str, object]]:
    """Return the pairs of grades that come, in the order of the table."""
    return [
        {"grade": grade, "reference": word, "tests": one.confusion[grade, word]}
        for grade in _WORDS
        for word in _WORDS
        if (grade, word) in one.confusion
    ]
