"""Unit tests for judges of grounded answers: built from the sample, and judges put to them."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given as cases
from hypothesis import strategies as st

from kgbuild import tables
from kgbuild.biokalma.words import words
from kgbuild.building import Built
from kgbuild.cli import cli
from kgbuild.errors import MissingColumnError, TableFileError
from kgbuild.grouse.build import Builder, Options
from kgbuild.grouse.faults import TYPES
from kgbuild.grouse.judge import JUDGES, by_words
from kgbuild.grouse.meta import by_type, rate, results
from kgbuild.grouse.rows import METRICS, Grades, Sample, acceptance, given, holds
from kgbuild.kg.reading import opened
from kgbuild.relations import catalog
from tests.conftest import triples

FILE = Path("tests.jsonl")
Rows = list[Mapping[str, Any]]


def build(store: Path, *options: int) -> Built:
    with opened(store) as held:
        return Builder(
            held.knowledge(catalog().kinds), catalog(), words(), Options(*options)
        ).build()


@pytest.fixture(scope="module")
def built(sample_store: Path) -> Rows:
    """Return the tests about the first subjects of the sample."""
    return build(sample_store).tables["grouse_tests"]


def test_each_subject_has_a_test_of_each_type(built: Rows) -> None:
    types = Counter(row["test_type"] for row in built)
    assert len(types) >= 12
    assert types == Counter(dict.fromkeys(TYPES, 60))
    assert len({row["metadata"]["subject_qid"] for row in built}) == 60
    assert len({row["test_id"] for row in built}) == len(built)


def test_the_seed_decides_and_a_smaller_limit_gives_a_prefix(
    sample_store: Path, built: Rows
) -> None:
    assert build(sample_store, 3).tables["grouse_tests"] == built[: 3 * len(TYPES)]
    other = build(sample_store, 3, 1).tables["grouse_tests"]
    subjects = [row["metadata"]["subject_qid"] for row in other]
    assert subjects != [row["metadata"]["subject_qid"] for row in built[: len(other)]]


def of_type(rows: Rows, name: str) -> Rows:
    return [row for row in rows if row["test_type"] == name]


def test_what_is_planted_stands_in_the_answer_alone(built: Rows) -> None:
    for row in built:
        assert 3 <= len(set(row["references"])) == len(row["references"]) <= 6
        is_right = row["actual_output"] == row["expected_output"]
        # To leave out what is merely related is right, though the true answer offers it.
        assert bool(row["metadata"]["fault"]) != (
            is_right or row["test_type"] == "related_left_out"
        )
    for name, mark in (("distorted_value", "distorted: "), ("invented_fact", "invented: ")):
        for row in of_type(built, name):
            planted = row["metadata"]["fault"].removeprefix(mark)
            assert planted not in row["references"]
            assert planted.removesuffix(".") in row["actual_output"]
    for row in of_type(built, "superfluous_fact"):
        assert row["metadata"]["fault"].removeprefix("not asked for: ") in row["references"]


def test_the_evidence_stands_in_the_store(sample_store: Path, built: Rows) -> None:
    with opened(sample_store) as held:
        holds_true = held.statements().holds
        told = [one for row in built for one in row["metadata"]["evidence"]]
        items = [one for one in told if one["object"].startswith("Q")]
        assert len(items) > len(built)
        assert all(holds_true(one["subject"], one["property"], one["object"]) for one in items)
    for row in built:
        # An absurd reference is the one that nothing proves.
        proven = len(row["metadata"]["evidence"])
        assert proven == len(row["references"]) - (row["test_type"] == "absurd_fact")


def test_an_absurd_fact_is_one_of_nobody(built: Rows) -> None:
    (absurd,) = (
        row
        for row in of_type(built, "absurd_fact")
        if row["metadata"]["subject_label"] == "John Quincy Adams"
    )
    assert absurd["actual_output"].startswith("John Quincy Adams was born in Bill Clinton [")
    assert "John Quincy Adams was born in Bill Clinton." in absurd["references"]


@pytest.mark.parametrize("name", JUDGES)
def test_the_tests_tell_judges_apart(name: str, built: Rows) -> None:
    tests = given(FILE, [*built[0]], built)
    found = [*results(name, tests, (JUDGES[name](test.sample) for test in tests), "grouse")]
    whole = rate(name, "all", found)
    assert whole.tests == len(built)
    if name == "deterministic":
        assert all(count >= 0.8 * whole.tests for count in whole.by_metric.values())
        assert [one.test_type for one in by_type(name, found)] == [*TYPES]
    else:
        assert whole.passed <= whole.tests / 2


PLUTO = (
    "More than 200 objects in 2:3 resonance are known (meaning they complete exactly 2 revolutions "
    "around the Sun when Neptune completes 3), among which are Pluto and its moons."
)
AXIS = (
    "Pluto’s axis of rotation is tilted at 57.5 degrees relative to its orbital plane, which is "
    "quite high and unusual in the Solar System."
)
HEART = "On the left: view of a cardiac cycle, characteristic of circulatory arrest."
TRUTH = (
    "The 3:2 orbital resonance relationship between Pluto and Neptune means that for every 3 "
    "revolutions of Neptune around the Sun, Pluto completes 2 [1]."
)
NO = "No document seems to precisely answer your question."
RELATED = f"{NO} However, the documents indicate that: Pluto’s axis is tilted at 57.5 degrees [1]."


@pytest.mark.parametrize(
    ("references", "answer", "truth", "grades"),
    [
        # The three cases of the page's first picture, and the sample of its second one.
        ([PLUTO, AXIS, HEART], TRUTH, TRUTH, Grades(5, 5, None, 1, None, None)),
        ([AXIS, HEART], RELATED, RELATED, Grades(None, None, 1, 1, 1, 1)),
        ([HEART], NO, NO, Grades(None, None, None, None, 1, 1)),
        (
            [PLUTO, AXIS],
            f"{TRUTH} Pluto’s axis of rotation is tilted at 57.5 degrees [2].",
            TRUTH,
            Grades(3, 5, None, 1, None, None),
        ),
        # Related information is not mandatory; to answer without grounds is no rejection; nor is
        # a rejection right where the documents answer.
        ([AXIS, HEART], NO, RELATED, Grades(None, None, None, None, 1, 1)),
        ([AXIS, HEART], TRUTH, NO, Grades(1, None, None, 0, None, 0)),
        ([PLUTO, AXIS], NO, TRUTH, Grades(None, 1, None, None, 0, None)),
        # A citation behind the full stop is that of the sentence before; one of a reference that
        # is not there is wrong.
        ([PLUTO], TRUTH.replace(" [1].", ". [1]"), TRUTH, Grades(5, 5, None, 1, None, None)),
        ([PLUTO], TRUTH.replace("[1]", "[2]"), TRUTH, Grades(5, 5, None, 0, None, None)),
        # Another number distorts the fact; nothing said is nothing right, and nothing wrong.
        (
            [PLUTO],
            TRUTH.replace("completes 2", "completes 7"),
            TRUTH,
            Grades(5, 5, None, 0, None, None),
        ),
        ([PLUTO], "", TRUTH, Grades(1, 1, None, None, None, None)),
    ],
)
def test_the_judge_grades_the_examples_of_the_page(
    references: list[str], answer: str, truth: str, grades: Grades
) -> None:
    question = "What is the relationship between Pluto and Neptune?"
    assert by_words(Sample(references, question, answer, truth)) == grades


TEXT = st.text(alphabet="Ab 1[],.:no document", max_size=60)


@cases(st.lists(TEXT, max_size=4), TEXT, TEXT, TEXT)
def test_any_text_is_graded_on_the_scale(references, question, answer, truth) -> None:  # type: ignore[no-untyped-def]
    grades = by_words(Sample(references, question, answer, truth))
    assert {*grades[:2]} <= {None, 1, 2, 3, 4, 5} and {*grades[2:]} <= {None, 0, 1}
    defined = (grades.answer_relevancy is None, grades.completeness is not None)
    assert grades[4:] == acceptance(*defined)


@pytest.mark.parametrize(
    ("condition", "met", "missed"),
    [
        ("==5", [5], [4, None]),
        ("<=4", [1, 4], [5, None]),
        (">=4", [4, 5], [3, None]),
        ("<2", [1], [2, None]),
        (">2.5", [3], [2, None]),
        ("==None", [None], [1, 0]),
    ],
)
def test_conditions_are_met_by_grades(
    condition: str, met: list[int | None], missed: list[int | None]
) -> None:
    assert all(holds(condition, grade) for grade in met)
    assert not any(holds(condition, grade) for grade in missed)


ROW = {
    # As GroUSE's own files have them: conditions on four metrics, from which two follow.
    "references": ["Rome is the capital of Italy."],
    "input": "What is the capital of Italy?",
    "actual_output": "The capital of Italy is Rome [1].",
    "expected_output": "Rome [1].",
    "conditions": {
        "answer_relevancy_condition": "== 5",
        "completeness_condition": "==5",
        "faithfulness_condition": "==1",
        "usefulness_condition": None,
    },
    "metadata": {"test_type": 1, "question": 2},
}


def test_rows_of_grouse_are_read() -> None:
    (test,) = given(FILE, [*ROW], [ROW])
    assert (test.test_id, test.test_type) == ("1", "1")
    assert [*test.conditions.values()] == ["==5", "==5", "==None", "==1", "==None", "==None"]
    refused = {**ROW["conditions"], "answer_relevancy_condition": "==null"}  # type: ignore[dict-item]
    (test,) = given(FILE, [*ROW], [{**ROW, "conditions": refused}])
    assert test.conditions["positive_acceptance_condition"] == "==0"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"conditions": {"completeness_condition": "good"}}, "completeness_condition of test 1 is"),
        ({"conditions": None}, "no conditions"),
        ({"references": "Rome"}, "no list of references"),
    ],
)
def test_what_is_no_test_is_refused(changed: Mapping[str, Any], said: str) -> None:
    with pytest.raises(TableFileError) as error:
        given(FILE, [*ROW], [{**ROW, **changed}])
    assert said in error.value.detail


def test_files_that_hold_no_tests_are_refused() -> None:
    with pytest.raises(TableFileError):
        given(FILE, [*ROW], [])
    with pytest.raises(MissingColumnError):
        given(FILE, [*ROW][1:], [ROW])
    with pytest.raises(TableFileError) as error:
        given(FILE, ["test_id", *ROW], [{"test_id": "a", **ROW}] * 2)
    assert error.value.detail == "the test_id 'a' stands twice"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    def call(*arguments: str) -> Result:
        db = ["--db", str(tmp_path / "a.duckdb")]
        return CliRunner().invoke(cli, [*arguments, *db], env={"COLUMNS": "110"})

    return call


def test_tests_are_built_and_judges_put_to_them(
    run: Callable[..., Result], sample_store: Path, tmp_path: Path
) -> None:
    db = tmp_path / "a.duckdb"
    made = run("grouse", "--limit", "2", "--store", str(sample_store))
    assert made.exit_code == 0, made.output
    assert "right_answer" in made.stdout
    (row, *_) = tables.rows(db, "grouse_tests")
    assert [*row["conditions"]] == [f"{metric}_condition" for metric in METRICS]
    shown = run("judge", "--meta")
    assert shown.exit_code == 0, shown.output
    assert "always lowest" in shown.stdout and "distorted_value" in shown.stdout
    told = json.loads(run("judge", "--meta", "--json").stdout)
    assert len(told) == len(JUDGES) * (len(TYPES) + 1)
    whole = {one["judge"]: one for one in told if one["test_type"] == "all"}
    assert whole["always top"]["passed"] == 4  # the right answers and the absurd ones
    # Judged twice, the results stand once.
    counted = tables.sql(db, "SELECT count(*), count(DISTINCT judge) FROM grouse_results").rows
    assert counted == [(len(JUDGES) * 2 * len(TYPES) * len(METRICS), len(JUDGES))]


@pytest.mark.parametrize("ending", [".jsonl", ".json"])
def test_files_of_grouse_are_judged(
    ending: str, run: Callable[..., Result], tmp_path: Path
) -> None:
    file = tmp_path / f"own{ending}"
    file.write_text(json.dumps(ROW if ending == ".jsonl" else [ROW]), encoding="utf-8")
    told = json.loads(run("judge", "--meta", str(file), "--json").stdout)
    assert told[0] == {
        "judge": "deterministic",
        "test_type": "1",
        "tests": 1,
        "passed": 1,
        **dict.fromkeys(METRICS, 1),
        "conditions": 1.0,
        "unparsable": 0.0,
    }
    found = tables.sql(tmp_path / "a.duckdb", "SELECT DISTINCT source FROM grouse_results")
    assert found.rows == [(file.name,)]


def test_without_tests_a_message_says_what_to_do(
    run: Callable[..., Result], make_store: Callable[..., Path], tmp_path: Path
) -> None:
    assert run("judge").exit_code == 2
    assert run("judge", "--meta").exit_code == 1
    tables.write_results(tmp_path / "a.duckdb", [])
    missing = run("judge", "--meta")
    assert missing.exit_code == 1 and "kgbuild grouse" in missing.stderr
    store = make_store(triples("wd:Q1 wdt:P31 wd:Q5"))
    bare = run("grouse", "--store", str(store))
    assert bare.exit_code == 1
    assert "1 × the store has not enough about the subject" in bare.stderr
