"""Print the results of judges: grades of answers, pass rates of tests, and agreements."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import click

from kgbuild.cli import screen
from kgbuild.datasets.grouse.agreement import WORDS, Agreement, References, agreements
from kgbuild.datasets.grouse.meta import MeanGrade, Rate, by_type, mean_grades, rate
from kgbuild.datasets.grouse.rows import METRICS
from kgbuild.evaluate.bootstrap import Estimate
from kgbuild.tables.records import GrouseResult as Result

ByJudge: TypeAlias = Mapping[str, Sequence[Result]]
"""The results of each judge: one for each test or answer and metric."""

_ALL = "all"
_HEADS = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""The columns of narrow tables."""


def show_grades(by_judge: ByJudge, as_json: bool) -> None:
    """Print the mean grade of each judge on each metric."""
    grades = [one for name, some in by_judge.items() for one in mean_grades(name, some)]
    screen.show([_of_grades(one, as_json) for one in grades], as_json)


def _of_grades(one: MeanGrade, as_json: bool) -> dict[str, object]:
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
    """Return a mean and its interval, if any, as a cell of a table; empty without a mean."""
    if mean.value is None:
        return ""
    interval = "" if mean.interval is None else " ({:.2f}–{:.2f})".format(*mean.interval)
    return f"{mean.value:.2f}{interval}"


def show_rates(by_judge: ByJudge, llm: str | None, as_json: bool) -> None:
    """Print the pass rates of each judge; only the model ``llm`` has unparsable grades."""
    whole = [rate(name, _ALL, some) for name, some in by_judge.items()]
    types = [one for name, some in by_judge.items() for one in by_type(name, some)]
    if as_json:
        screen.show([one.record for one in (*types, *whole)], as_json)
        return
    first = next(iter(by_judge))
    click.echo(f"Tests passed by the {first} judge, of all:\n")
    screen.show([_of_type(one) | _unread(one, llm) for one in types if one.judge == first], as_json)
    click.echo("\nShares of the conditions on each metric, and of whole tests, that hold:\n")
    screen.show([_of_judge(one) | _unread(one, llm) for one in whole], as_json)


def show_agreements(by_judge: ByJudge, references: References, as_json: bool) -> None:
    """Print the agreement of each judge with the reference."""
    compared = [
        one for name, some in by_judge.items() for one in agreements(name, some, references)
    ]
    if as_json:
        screen.show([one.record for one in compared], as_json)
        return
    click.echo("How grades go with those of the reference, over those where both are defined:\n")
    screen.show([_of_agreement(one) for one in compared], as_json)
    first = next(iter(by_judge))
    click.echo(f"\nGrades of the {first} judge, and how often which grade of the reference:\n")
    mine = [one for one in compared if one.judge == first]
    screen.show([row for one in mine for row in _grades(one)], as_json)


def _of_type(one: Rate) -> dict[str, object]:
    """Return the row of a test type: how many tests pass by each metric, and by all."""
    return {
        "test type": one.test_type,
        **{_HEADS[name]: f"{count:,}/{one.tests:,}" for name, count in one.by_metric.items()},
        "all": f"{one.passed:,}/{one.tests:,}",
    }


def _of_judge(one: Rate) -> dict[str, object]:
    """Return the row of a judge: the shares of conditions that hold, and of tests that pass."""
    return {
        "judge": one.judge,
        # Rounded down, as in the picture: 100 % is all of them.
        **{_HEADS[name]: f"{count * 100 // one.tests}%" for name, count in one.by_metric.items()},
        "tests": f"{one.passed * 100 // one.tests}%",
    }


def _unread(one: Rate, llm: str | None) -> dict[str, object]:
    """Return the share of grades that cannot be read, if a model is judged."""
    return {"unparsable": f"{one.unparsable_share:.0%}"} if llm else {}


def _of_agreement(one: Agreement) -> dict[str, object]:
    """Return the row of a metric; correlations are empty where grades are constant."""
    signed = {
        name: "" if value is None else f"{value:+.2f}"
        for name, value in (("spearman", one.spearman), ("kendall", one.kendall))
    }
    return {"judge": one.judge, "metric": one.metric, "tests": one.defined, **signed}


def _grades(one: Agreement) -> list[dict[str, object]]:
    """Return a row for each grade of a metric, with the counts of the reference's grades."""
    return [
        {
            "metric": one.metric,
            "grade": grade,
            **{word: one.confusion.get((grade, word)) for word in WORDS[:-1]},
        }
        for grade in WORDS
        if any(mine == grade for mine, _ in one.confusion)
    ]
