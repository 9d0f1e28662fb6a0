"""The command that puts judges to their tests."""

from collections.abc import Sequence
from itertools import compress
from pathlib import Path

import click

from kgbuild import tables
from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, asking, require_named, tell_missing
from kgbuild.errors import NoTestsError
from kgbuild.granola.drafts import Ask
from kgbuild.grouse import model
from kgbuild.grouse.judge import JUDGES
from kgbuild.grouse.meta import Rate, by_type, rate, results
from kgbuild.grouse.rows import DATASET, METRICS, Given, Result, given
from kgbuild.protocols.grading import missing

_ALL = "all"
_HEADS = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""What columns of narrow tables are called."""


@click.command()
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--meta", is_flag=True, help="Put the judges themselves to tests.")
@click.option("--llm", metavar="NAME", help="Put this language model to the tests as well.")
@about_a_model
@screen.db_option
@screen.json_option
def judge(
    file: Path | None,
    meta: bool,
    llm: str | None,
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

    \b
    Example:
      kgbuild judge --meta
      kgbuild judge --meta tests.jsonl
      kgbuild judge --meta --llm my-model --base-url http://localhost:8000/v1
    """
    if not meta:
        raise click.UsageError("Say what is to be judged: --meta puts the judges to their tests.")
    source = file.name if file else DATASET
    require_named("--llm", llm, base_url, budget, replies)
    if llm in JUDGES:
        raise click.UsageError(f"There is a judge without a model called '{llm}'.")
    tests = _tests(file or db, tables.read_file(file) if file else _built(db))
    tables.prepare(db)
    found = {}
    if llm:
        ask = asking(llm, base_url, budget, replies or db.parent / "replies.sqlite")
        found[llm] = _by_model(llm, tests, source, ask)
    for name, one in JUDGES.items():
        found[name] = [*results(name, tests, (one(test.sample) for test in tests), source)]
    tables.write_results(db, [result for some in found.values() for result in some])
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
    records = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return given(path, found.columns, records)


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
