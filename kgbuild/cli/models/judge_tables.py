"""Print the grades, the pass rates and the agreement of judges."""

import itertools
from collections.abc import Mapping, Sequence
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
    grades = [
        grade
        for name, judge_results in results_by_judge.items()
        for grade in mean_grades(name, judge_results)
    ]
    output.show([_grade_row(grade, as_json) for grade in grades], as_json)


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
    rates = [rate(name, "all", judge_results) for name, judge_results in results_by_judge.items()]
    type_rates = [
        type_rate
        for name, judge_results in results_by_judge.items()
        for type_rate in by_type(name, judge_results)
    ]
    if as_json:
        output.show([each.record for each in (*type_rates, *rates)], as_json)
        return
    first_judge = next(iter(results_by_judge))  # the language model, if there is one
    click.echo(f"Tests passed by the {first_judge} judge, of all:\n")
    output.show(
        [_count_row(each, has_model) for each in type_rates if each.judge == first_judge], as_json
    )
    click.echo("\nShares of the conditions on each metric, and of whole tests, that hold:\n")
    output.show([_share_row(each, has_model) for each in rates], as_json)


def _count_row(type_rate: Rate, has_model: bool) -> dict[str, object]:
    """Return how many tests of a type meet the condition on each metric, and all conditions."""
    tests = f"{type_rate.tests:,}"
    return {
        "test type": type_rate.test_type,
        **{_SHORT_NAMES[name]: f"{n:,}/{tests}" for name, n in type_rate.by_metric.items()},
        "all": f"{type_rate.passed:,}/{tests}",
        **_unparsable(type_rate, has_model),
    }


def _share_row(judge_rate: Rate, has_model: bool) -> dict[str, object]:
    """Return the shares of conditions and tests that a judge passes.

    Shares are rounded down, so that 100 % means all tests; the page of ``matrix`` does the same.
    """
    tests = judge_rate.tests
    return {
        "judge": judge_rate.judge,
        **{_SHORT_NAMES[name]: f"{n * 100 // tests}%" for name, n in judge_rate.by_metric.items()},
        "tests": f"{judge_rate.passed * 100 // tests}%",
        **_unparsable(judge_rate, has_model),
    }


def _unparsable(judge_rate: Rate, has_model: bool) -> dict[str, object]:
    """Return the cell of unparsable grades; only a language model can have them."""
    return {"unparsable": f"{judge_rate.unparsable_share:.0%}"} if has_model else {}


def show_agreements(
    results_by_judge: ResultsByJudge, references: agreement.References, as_json: bool
) -> None:
    """Print the agreement of each judge with the reference judge."""
    agreements = [
        measure
        for name, judge_results in results_by_judge.items()
        for measure in agreement.agreements(name, judge_results, references)
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
