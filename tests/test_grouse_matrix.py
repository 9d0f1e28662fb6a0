"""The page with each judge's matrix, and the comparison with a reference judge."""

import json
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as Done

from kgbuild.cli import cli
from kgbuild.datasets.grouse.agreement import agreements, reference_grades
from kgbuild.datasets.grouse.matrix import page
from kgbuild.datasets.grouse.rows import FAILED, METRICS, PASSED, UNPARSABLE
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.tables.records import GrouseResult as Result
from tests.test_grouse import ROW

FILE = Path("grades.jsonl")


def result(
    test_id: str, metric: str, grade: int | None = None, outcome: str = PASSED, kind: str = "a_type"
) -> Result:
    return Result("j", "grouse", test_id, kind, metric, "==5", grade, outcome)


class Cells(HTMLParser):
    """Collects the texts of a page's table cells, and what a page could fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
        elif tag in ("script", "link", "img", "iframe"):
            self.fetched.append(tag)
        self.fetched += [name for name, _ in attrs if name in ("src", "href", "onload")]

    def handle_data(self, data: str) -> None:
        if self.rows:
            self.rows[-1][-1:] = ["".join([*self.rows[-1][-1:], data]).strip()]


def cells(text: str) -> Cells:
    parser = Cells()
    parser.feed(text)
    return parser


def test_a_cell_has_the_share_of_passed_tests_and_counts_the_others() -> None:
    outcomes = [PASSED] * 5 + [FAILED, UNPARSABLE]
    results = [
        result(str(number), metric, outcome=PASSED if metric != METRICS[0] else outcome)
        for number, outcome in enumerate(outcomes)
        for metric in METRICS
    ] + [result("b", metric, kind="other") for metric in METRICS]
    text = page("tests", {"j": results})
    _, first, second, whole = cells(text).rows
    # 5 of 7 are 71.4 %, and 6 of 8 are 75 %: shares are rounded down.
    assert first == ["a typetests: 7", "71 %✗ 1? 1", *["100 %"] * 5]
    assert second == ["othertests: 1", *["100 %"] * 6]
    assert whole == ["alltests: 8", "75 %✗ 1? 1", *["100 %"] * 5]
    assert '<td style="--share: 71%">' in text
    assert text == page("tests", {"j": results})


def test_a_share_below_all_is_never_shown_as_all() -> None:
    results = [
        result(str(number), metric, outcome=FAILED if number == 0 else PASSED)
        for number in range(1000)
        for metric in METRICS
    ]
    assert cells(page("t", {"j": results})).rows[1][1] == "99 %✗ 1"


def test_a_page_fetches_nothing_and_runs_nothing_that_a_name_holds() -> None:
    bad = "<script src='http://x'>$x</script>"
    results = [result("1", metric, kind=bad) for metric in METRICS]
    text = page(bad, {bad: results, "other": results})
    table = cells(text)
    assert table.fetched == [] and text.count("<table>") == 2
    assert "<script" not in text and "$x" in text
    assert "default-src 'none'" in text and "prefers-color-scheme: dark" in text


def grades(test_id: str, **values: int | None) -> dict[str, Any]:
    return {"test_id": test_id, **dict.fromkeys(METRICS), **values}


def test_grades_are_compared_where_both_are_defined() -> None:
    mine = {"a": 1, "b": 3, "c": 5, "d": None, "e": 2, "f": None, "g": 4}
    theirs = {"a": 2, "b": 5, "c": 4, "d": None, "e": None, "f": 1}
    graded = [
        result(name, "completeness", grade, UNPARSABLE if name == "f" else PASSED)
        for name, grade in mine.items()
    ]
    records = [grades(name, completeness=grade) for name, grade in theirs.items()]
    by_metric = agreements("j", graded, reference_grades(FILE, [*records[0]], records))
    one = by_metric[METRICS.index("completeness")]
    assert [agreement.metric for agreement in by_metric] == [*METRICS]
    # g has no reference grades; d, e and f have an undefined or an unreadable one. Of a, b and c
    # the ranks are 1, 2, 3 and 1, 3, 2: ρ is 1 - 6 * 2 / 24, and two of three pairs agree.
    assert (one.tests, one.defined) == (6, 3)
    assert one.spearman == pytest.approx(0.5) and one.kendall == pytest.approx(1 / 3)
    assert one.confusion == {
        ("1", "2"): 1,
        ("3", "5"): 1,
        ("5", "4"): 1,
        ("undefined", "undefined"): 1,
        ("2", "undefined"): 1,
        ("unparsable", "1"): 1,
    }
    assert (by_metric[2].tests, by_metric[2].spearman, by_metric[2].kendall) == (0, None, None)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([grades("a"), grades("a")], "the test_id 'a' stands twice"),
        (
            [grades("a", completeness=0)],
            "the completeness of test 'a' is '0', and not 1 to 5 or null",
        ),
        (
            [grades("a", faithfulness=2)],
            "the faithfulness of test 'a' is '2', and not 0 to 1 or null",
        ),
        (
            [grades("a", usefulness="x")],
            "the usefulness of test 'a' is 'x', and not 0 to 1 or null",
        ),  # type: ignore[arg-type]
    ],
)
def test_invalid_reference_grades_are_refused(
    records: list[Mapping[str, Any]], message: str
) -> None:
    with pytest.raises(TableFileError) as error:
        reference_grades(FILE, [*records[0]], records)
    assert error.value.detail == message


def test_all_metrics_are_needed() -> None:
    with pytest.raises(WrongCallError, match="has no column"):
        reference_grades(FILE, ["test_id", *METRICS[1:]], [])


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Done]:
    """Return the command, on two tests: of an answer that is right."""
    file = tmp_path / "own.jsonl"
    file.write_text(f"{json.dumps(ROW)}\n{json.dumps(ROW)}\n", encoding="utf-8")

    def call(*options: str) -> Done:
        arguments = ["judge", "--meta", str(file), "--db", str(tmp_path / "a.duckdb")]
        return CliRunner().invoke(cli, [*arguments, *options], env={"COLUMNS": "110"})

    return call


def test_a_page_is_written_beside_the_tables(judge: Callable[..., Done], tmp_path: Path) -> None:
    output = tmp_path / "matrix.html"
    done = judge("-o", str(output))
    assert done.exit_code == 0, done.output
    assert f"Written to {output}." in done.stderr and "always top" in done.stdout
    text = output.read_text(encoding="utf-8")
    assert "Judges in the tests of own.jsonl" in text and text.count("<table>") == 3
    assert judge("-o", str(output / "matrix.html")).exit_code == 1  # below a file


def test_judges_are_compared_with_a_reference(judge: Callable[..., Done], tmp_path: Path) -> None:
    file = tmp_path / "grades.jsonl"
    reference = grades("1", answer_relevancy=5, completeness=4, faithfulness=1)
    file.write_text(json.dumps(reference), encoding="utf-8")
    done = judge("--reference", str(file), "--json")
    assert done.exit_code == 0, done.output
    assert "Tests without reference grades, not compared: 1 of 2" in done.stderr
    rows = json.loads(done.stdout)
    assert [(row["judge"], row["metric"]) for row in rows[:6]] == [
        ("deterministic", metric) for metric in METRICS
    ]
    assert rows[1] == {
        "judge": "deterministic",
        "metric": "completeness",
        "tests": 1,
        "defined": 1,
        "spearman": None,
        "kendall": None,
        "confusion": [{"grade": "5", "reference": "4", "tests": 1}],
    }
    shown = judge("--reference", str(file)).stdout.splitlines()
    (line,) = (line for line in shown if line.split()[:2] == ["completeness", "5"])
    assert line.split() == ["completeness", "5", "1"]


def test_reference_grades_of_other_tests_are_refused(
    judge: Callable[..., Done], tmp_path: Path
) -> None:
    file = tmp_path / "grades.jsonl"
    file.write_text(json.dumps(grades("x")), encoding="utf-8")
    done = judge("--reference", str(file))
    assert done.exit_code != 0 and "it grades none of the tests" in done.stderr
