"""Print the grades, the pass rates and the agreement of judges."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import click

from kgbuild.cli import output
from kgbuild.cli.models.scoring.common import rounded, signed
from kgbuild.datasets.grouse import agreement
from kgbuild.datasets.grouse.meta import MeanGrade, Rate, by_type, mean_grades, rate
from kgbuild.datasets.grouse.rows import METRICS
from kgbuild.tables.records import GrouseResult as Result

ResultsByJudge: TypeAlias = Mapping[str, Sequence[Result]]
"""The results of judges by name: one result for each test (or answer) and metric."""

_SHORT_NAMES = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""The last words of the metrics (answer_relevancy: relevancy), as headings of narrow columns."""


def show_grades(results_by_judge: ResultsByJudge, as_json: bool) -> None:
    """Print the mean grade of each judge on each metric."""
    rows = [
        _grade_row(grade, as_json)
        for name, results in results_by_judge.items()
        for grade in mean_grades(name, results)
    ]
    output.show(rows, as_json)


def _grade_row(grade: MeanGrade, as_json: bool) -> dict[str, object]:
    exact_cells = {"mean": grade.mean.value, "interval": grade.mean.interval}
    return {
        "judge": grade.judge,
        "metric": grade.metric,
        "answers": grade.mean.total,
        **(exact_cells if as_json else {"mean": rounded(grade.mean, "{:.2f}")}),
        "undefined": grade.undefined,
        "unparsable": grade.unparsable,
    }


def show_rates(results_by_judge: ResultsByJudge, has_model: bool, as_json: bool) -> None:
    """Print the pass rates of each judge, by test type for the first judge."""
    judges = results_by_judge.items()
    rates = [rate(name, "all", results) for name, results in judges]
    type_rates = [each for name, results in judges for each in by_type(name, results)]
    if as_json:
        output.show([each.record for each in (*type_rates, *rates)], as_json)
        return
    first_judge = next(iter(results_by_judge))  # the language model, if there is one
    click.echo(f"Tests passed by the {first_judge} judge, of all:\n")
    rows = [
        {"test type": each.test_type, **_cells(each, "all", "{0:,}/{1:,}".format, has_model)}
        for each in type_rates
        if each.judge == first_judge
    ]
    output.show(rows, as_json)
    click.echo("\nShares of the conditions on each metric, and of whole tests, that hold:\n")
    rows = [{"judge": each.judge, **_cells(each, "tests", _percent, has_model)} for each in rates]
    output.show(rows, as_json)


def _percent(passed: int, tests: int) -> str:
    """Return a share, rounded down: 100 % means all tests, as on the page of ``matrix``."""
    return f"{passed * 100 // tests}%"


def _cells(
    rate: Rate, total: str, text: Callable[[int, int], str], has_model: bool
) -> dict[str, str]:
    """Return how many tests meet the condition on each metric, and, as ``total``, all of them."""
    return {
        **{_SHORT_NAMES[name]: text(n, rate.tests) for name, n in rate.by_metric.items()},
        total: text(rate.passed, rate.tests),
        **({"unparsable": f"{rate.unparsable_share:.0%}"} if has_model else {}),
    }


def show_agreements(
    results_by_judge: ResultsByJudge, references: agreement.References, as_json: bool
) -> None:
    """Print the agreement of each judge with the reference judge."""
    agreements = [
        measure
        for name, results in results_by_judge.items()
        for measure in agreement.agreements(name, results, references)
    ]
    if as_json:
        output.show([measure.record for measure in agreements], as_json)
        return
    click.echo("Correlations with the grades of the reference, where both grades are defined:\n")
    rows = [
        {
            "judge": measure.judge,
            "metric": measure.metric,
            "tests": measure.defined,
            "spearman": signed(measure.spearman),
            "kendall": signed(measure.kendall),
        }
        for measure in agreements
    ]
    output.show(rows, as_json)
    first_judge = next(iter(results_by_judge))
    click.echo(f"\nNumber of each grade of the {first_judge} judge, by grade of the reference:\n")
    first_agreements = [measure for measure in agreements if measure.judge == first_judge]
    output.show([*itertools.chain.from_iterable(map(_confusion_rows, first_agreements))], as_json)


def _confusion_rows(measure: agreement.Agreement) -> list[dict[str, object]]:
    """Return a row for each grade of the judge, with a column for each grade of the reference."""
    judge_grades = {grade for grade, _ in measure.confusion}
    # The last name is "unparsable", which is never the grade of a reference.
    reference_grades = agreement.GRADE_NAMES[:-1]
    return [
        {
            "metric": measure.metric,
            "grade": grade,
            **{name: measure.confusion.get((grade, name)) for name in reference_grades},
        }
        for grade in agreement.GRADE_NAMES
        if grade in judge_grades
    ]
