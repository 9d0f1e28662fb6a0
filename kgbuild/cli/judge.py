"""The command that puts judges to their tests."""

from collections.abc import Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any, TypeAlias

import click

from kgbuild import tables
from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, asking, require_named, tell_missing
from kgbuild.errors import NoTestsError, TableFileError
from kgbuild.granola.drafts import Ask
from kgbuild.grouse import matrix, model
from kgbuild.grouse.agreement import (
    UNDEFINED,
    Agreement,
    References,
    agreements,
    reference_grades,
)
from kgbuild.grouse.judge import JUDGES
from kgbuild.grouse.meta import Rate, by_type, rate, results
from kgbuild.grouse.rows import DATASET, METRICS, UNPARSABLE, Given, Result, given
from kgbuild.protocols.grading import missing

_ALL = "all"
_HEADS = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""What columns of narrow tables are called."""
_WORDS = (*map(str, range(6)), UNDEFINED, UNPARSABLE)
"""Grades in words, in the order of a table."""

_Found: TypeAlias = Mapping[str, Sequence[Result]]
"""How each judge fares: one result a test and metric."""


@click.command()
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--meta", is_flag=True, help="Put the judges themselves to tests.")
@click.option(
    "--reference",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare with the grades in this file.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page with each judge's matrix.",
)
@click.option("--llm", metavar="NAME", help="Put this language model to the tests as well.")
@about_a_model
@screen.db_option
@screen.json_option
def judge(
    file: Path | None,
    meta: bool,
    llm: str | None,
    reference: Path | None,
    output: Path | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    db: Path,
    as_json: bool,
) -> None:
    """Tell which tests judges pass: those that need no model, and a model if one is named.

    The tests are those of 'kgbuild grouse', or those of FILE, in GroUSE's own format: JSON or JSON
    Lines with references, input, actual_output, expected_output, conditions, and metadata with
    test_type. A judge gives six grades to each answer, and a test passes if all are as they are
    to be. Two judges that always give the top or the lowest grades show what the tests are worth.
    All grades stand in the table grouse_results. A model's grade that cannot be read is
    unparsable, and passes nothing.

    With --reference, judges are compared with another one instead, whose grades stand in a JSON or
    JSON Lines file with test_id and the six metrics; null is undefined.

    \b
    Example:
      kgbuild judge --meta
      kgbuild judge --meta tests.jsonl -o matrix.html
      kgbuild judge --meta --reference grades.jsonl
      kgbuild judge --meta --llm my-model --base-url http://localhost:8000/v1
    """
    if not meta:
        raise click.UsageError("Say what is to be judged: --meta puts the judges to their tests.")
    source = file.name if file else DATASET
    require_named("--llm", llm, base_url, budget, replies)
    if llm in JUDGES:
        raise click.UsageError(f"There is a judge without a model called '{llm}'.")
    tests = _tests(file or db, tables.read_file(file) if file else _built(db))
    graded = _graded(reference, tests) if reference else None
    tables.prepare(db)
    found = {}
    if llm:
        ask = asking(llm, base_url, budget, replies or db.parent / "replies.sqlite")
        found[llm] = _by_model(llm, tests, source, ask)
    for name, one in JUDGES.items():
        found[name] = [*results(name, tests, (one(test.sample) for test in tests), source)]
    tables.write_results(db, [result for some in found.values() for result in some])
    if graded is None:
        _show_rates(found, llm, as_json)
    else:
        _show_agreements(found, graded, as_json)
    if output:
        screen.write(matrix.page(source, found), output)


def _show_rates(found: _Found, llm: str | None, as_json: bool) -> None:
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


def _show_agreements(found: _Found, graded: References, as_json: bool) -> None:
    compared = [one for name, some in found.items() for one in agreements(name, some, graded)]
    if as_json:
        told = [{**one._asdict(), "confusion": _confusion(one)} for one in compared]
        screen.show(told, as_json)
        return
    click.echo("How grades go with those of the reference, over tests where both are defined:\n")
    screen.show([_of_agreement(one) for one in compared], as_json)
    first = next(iter(found))
    click.echo(f"\nGrades of the {first} judge, and how often which grade of the reference:\n")
    mine = [one for one in compared if one.judge == first]
    screen.show([row for one in mine for row in _grades(one)], as_json)


def _by_model(name: str, tests: Sequence[Given], source: str, ask: Ask) -> list[Result]:
    """Return how a model fares in the tests about which each request got an answer.

    Raises:
        NoAnswersError: there is no such test.
    """
    told = ask([request for test in tests for request in model.requests(test.sample)])
    starts = range(0, len(told), model.REQUESTS)
    replies = [told[start : start + model.REQUESTS] for start in starts]
    failures = [next(filter(None, map(missing, some)), None) for some in replies]
    tell_missing("tests", len(tests), [*filter(None, failures)])
    answered = [failure is None for failure in failures]
    grades = map(model.grades, compress(replies, answered))
    return [*results(name, [*compress(tests, answered)], grades, source)]


def _built(db: Path) -> tables.Result:
    """Return the tests that were built, as the table has them.

    Raises:
        NoTestsError: there are none.
    """
    found = tables.sql(db, "FROM grouse_tests ORDER BY rowid")
    if not found.rows:
        raise NoTestsError(db)
    return found


def _tests(path: Path, found: tables.Result) -> Sequence[Given]:
    return given(path, found.columns, _records(found))


def _records(found: tables.Result) -> list[dict[str, Any]]:
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def _graded(path: Path, tests: Sequence[Given]) -> References:
    """Return the reference grades of a file, and say how many tests have none.

    Raises:
        TableFileError: no test has any, or what stands there are no grades.
    """
    found = tables.read_file(path)
    graded = reference_grades(path, found.columns, _records(found))
    absent = sum(test.test_id not in graded for test in tests)
    if absent == len(tests):
        raise TableFileError(path, "it grades none of the tests")
    if absent:
        screen.say(f"Tests without reference grades, not compared: {absent:,} of {len(tests):,}")
    return graded


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
        **{_HEADS[name]: f"{count / one.tests:.0%}" for name, count in one.by_metric.items()},
        "tests": f"{one.passed / one.tests:.0%}",
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
