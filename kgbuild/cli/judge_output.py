"""Print the results of judges: grades of answers, pass rates of tests, and agreements."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import click

from kgbuild.cli import output
from kgbuild.cli.scoring.common import rounded, signed
from kgbuild.datasets.grouse.agreement import WORDS, References, agreements
from kgbuild.datasets.grouse.meta import MeanGrade, Rate, by_type, mean_grades, rate
from kgbuild.datasets.grouse.rows import METRICS
from kgbuild.tables.records import GrouseResult as Result

ByJudge: TypeAlias = Mapping[str, Sequence[Result]]
"""The results of each judge: one for each test or answer and metric."""

_HEADS = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""The columns of narrow tables."""


def show_grades(by_judge: ByJudge, as_json: bool) -> None:
    """Print the mean grade of each judge on each metric."""
    grades = [grade for name, results in by_judge.items() for grade in mean_grades(name, results)]
    output.show([_grade_row(grade, as_json) for grade in grades], as_json)


def _grade_row(grade: MeanGrade, as_json: bool) -> dict[str, object]:
    exact = {"mean": grade.mean.value, "interval": grade.mean.interval}
    return {
        "judge": grade.judge,
        "metric": grade.metric,
        "answers": grade.mean.of,
        **(exact if as_json else {"mean": rounded(grade.mean, "{:.2f}")}),
        "undefined": grade.undefined,
        "unparsable": grade.unparsable,
    }


def show_rates(by_judge: ByJudge, has_model: bool, as_json: bool) -> None:
    """Print the pass rates of each judge; only the grades of a model may be unparsable."""
    all_tests = [rate(name, "all", results) for name, results in by_judge.items()]
    types = [one for name, results in by_judge.items() for one in by_type(name, results)]
    if as_json:
        output.show([one.record for one in (*types, *all_tests)], as_json)
        return
    first = next(iter(by_judge))
    click.echo(f"Tests passed by the {first} judge, of all:\n")
    output.show([_rate_row(one, has_model) for one in types if one.judge == first], as_json)
    click.echo("\nShares of the conditions on each metric, and of whole tests, that hold:\n")
    rows = [
        {
            "judge": one.judge,
            # Rounded down, as in the picture: 100 % is all of them.
            **{_HEADS[name]: f"{n * 100 // one.tests}%" for name, n in one.by_metric.items()},
            "tests": f"{one.passed * 100 // one.tests}%",
            **_unparsable(one, has_model),
        }
        for one in all_tests
    ]
    output.show(rows, as_json)


def _rate_row(one: Rate, has_model: bool) -> dict[str, object]:
    """Return the row of a test type: how many tests pass by each metric, and by all."""
    return {
        "test type": one.test_type,
        **{_HEADS[name]: f"{count:,}/{one.tests:,}" for name, count in one.by_metric.items()},
        "all": f"{one.passed:,}/{one.tests:,}",
        **_unparsable(one, has_model),
    }


def _unparsable(one: Rate, has_model: bool) -> dict[str, object]:
    return {"unparsable": f"{one.unparsable_share:.0%}"} if has_model else {}


def show_agreements(by_judge: ByJudge, references: References, as_json: bool) -> None:
    """Print the agreement of each judge with the reference."""
    compared = [
        one for name, results in by_judge.items() for one in agreements(name, results, references)
    ]
    if as_json:
        output.show([one.record for one in compared], as_json)
        return
    click.echo("How grades go with those of the reference, over those where both are defined:\n")
    rows = [
        {
            "judge": one.judge,
            "metric": one.metric,
            "tests": one.defined,
            "spearman": signed(one.spearman),
            "kendall": signed(one.kendall),
        }
        for one in compared
    ]
    output.show(rows, as_json)
    first = next(iter(by_judge))
    click.echo(f"\nGrades of the {first} judge, and how often which grade of the reference:\n")
    confusions = [
        {
            "metric": one.metric,
            "grade": grade,
            **{word: one.confusion.get((grade, word)) for word in WORDS[:-1]},
        }
        for one in compared
        if one.judge == first
        for grade in WORDS
        if any(own == grade for own, _ in one.confusion)
    ]
    output.show(confusions, as_json)
