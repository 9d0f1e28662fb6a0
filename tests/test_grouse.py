"""Unit tests for judges of grounded answers: built from the sample, and judges put to them."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given as cases
from hypothesis import strategies as st

from kgbuild.cli import cli
from kgbuild.datasets import database
from kgbuild.datasets.grouse import files
from kgbuild.datasets.grouse.dataset import build
from kgbuild.datasets.grouse.faults import TYPES
from kgbuild.datasets.grouse.judge import JUDGES, by_words
from kgbuild.datasets.grouse.meta import by_type, rate, results
from kgbuild.datasets.grouse.rows import (
    METRICS,
    TUNING,
    Grades,
    GrouseSample,
    Judgement,
    acceptance,
    holds,
)
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.graph.open import Store, open_store
from tests.conftest import ROOT, triples

FILE = Path("tests.jsonl")
DOCS = (ROOT / "docs" / "grouse.md").read_text(encoding="utf-8")
Rows = list[Mapping[str, Any]]


def build_tests(store: Store, limit: int = 60, seed: int = 0) -> Rows:
    (part,) = build(store, limit=limit, seed=seed).parts
    return part.tables["grouse_tests"]


@pytest.fixture(scope="module")
def built(sample_store: Path) -> Rows:
    """Return the tests about the first subjects of the sample."""
    with open_store(sample_store) as store:
        return build_tests(store)


def test_each_subject_has_a_test_of_each_type(built: Rows) -> None:
    types = Counter(row["test_type"] for row in built)
    assert len(types) >= 12
    assert types == Counter(dict.fromkeys(TYPES, 60))
    assert len({row["metadata"]["subject_qid"] for row in built}) == 60
    assert len({row["test_id"] for row in built}) == len(built)


def test_a_smaller_limit_returns_a_prefix_and_another_seed_other_subjects(
    sample: Store, built: Rows
) -> None:
    assert build_tests(sample, 3) == built[: 3 * len(TYPES)]
    other = build_tests(sample, 3, 1)
    subjects = [row["metadata"]["subject_qid"] for row in other]
    assert subjects != [row["metadata"]["subject_qid"] for row in built[: len(other)]]


@pytest.mark.parametrize("name", JUDGES)
def test_the_tests_distinguish_judges(name: str, built: Rows) -> None:
    tests = [test for test in files.tests(FILE, [*built[0]], built) if test.split != TUNING]
    outcomes = [
        *results(name, tests, (Judgement(JUDGES[name](test.sample)) for test in tests), "grouse")
    ]
    whole = rate(name, "all", outcomes)
    # The tuning set is a tenth of the subjects, by a hash; here a few of 60.
    assert 45 * len(TYPES) <= whole.tests < len(built)
    defined = [one for one in outcomes if one.condition != "==None"]
    if name == "deterministic":
        # It claims all six metrics: 80 % hold of each, of those conditions alone that want a grade.
        for metric in METRICS:
            met = [one.outcome == "passed" for one in defined if one.metric == metric]
            assert sum(met) >= 0.8 * len(met) > 0
        assert [one.test_type for one in by_type(name, outcomes)] == [*TYPES]
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
    assert by_words(GrouseSample(references, question, answer, truth)) == grades


@pytest.mark.parametrize(
    "answer",
    [
        *(
            f"Ben was born in Rome {form}."
            for form in ("[2]", "[2-3]", "[2–3]", "[2; 3]", "[2 and 3]")
        ),
        *(
            f"Ben was born in Rome {form}."
            for form in (
                "【2】",
                "【2†source】",
                "【2:0†source】",
                "[^2]",
                "[^2^]",
                "[citation:2]",
                "[#2]",
                "\\[2\\]",
            )
        ),
        *(f"Ben was born in Rome {form}." for form in ("[Document 2]", "[ref 2]", "[Source: 2]")),
        *(f"Ben was born in Rome {form}." for form in ("[2](https://a.example/2)", "[[2]]")),
        *("Ben was born in Rome<sup>[2]</sup>.", "Ben was born in Rome. [2][3]"),
        *("[2] Ben was born in Rome.", "According to [2], Ben was born in Rome."),
    ],
)
def test_references_are_cited_as_models_do(answer: str) -> None:
    references = ["Ann was born in Oslo.", "Ben was born in Rome.", "Cleo was born in Rome."]
    assert by_words(GrouseSample(references, "Where was Ben born?", answer, None)).faithfulness == 1
    wrong = answer.replace("2", "1").replace("3", "1")
    assert by_words(GrouseSample(references, "Where was Ben born?", wrong, None)).faithfulness == 0


@pytest.mark.parametrize(
    ("answer", "usefulness", "faithfulness"),
    [
        # Without the true answer, nobody knows what the question asks for, nor whether it is there.
        (TRUTH, None, 1),
        (TRUTH.replace("completes 2", "completes 7"), None, 0),
        (RELATED.replace("[1]", "[2]"), 1, 1),
        (NO, None, None),
    ],
)
def test_without_a_true_answer_what_needs_it_is_undefined(
    answer: str, usefulness: int | None, faithfulness: int | None
) -> None:
    question = "What is the relationship between Pluto and Neptune?"
    grades = by_words(GrouseSample([PLUTO, AXIS], question, answer, None))
    assert grades == Grades(None, None, usefulness, faithfulness, None, None)


ANN = ["Ann was born in Graz.", "Ann was born in 1901.", "Ann died in Rome."]


@pytest.mark.parametrize(
    ("answer", "grades"),
    [
        # What a sentence says up to a citation is a claim by itself: one of two is missing, one of
        # three is not asked for.
        ("Ann was born in Graz [1] and died in Rome [3].", (5, 5, 1)),
        ("Ann was born in Graz [1].", (5, 3, 1)),
        ("Ann was born in Graz [1], was born in 1901 [2], and died in Rome [3].", (3, 5, 1)),
        ("Ann was born in Graz [3] and died in Rome [1].", (5, 5, 0)),
        # What stands behind the last citation is of the same claim, as what follows one that
        # begins the sentence.
        ("Ann was born in Graz [1] and died in Rome.", (5, 5, 0)),
        ("[1], [3] Ann was born in Graz and died in Rome.", (5, 5, 1)),
        # A share of seven tenths finds a wrong verb beside one right name; half would not.
        ("Ann was born in Graz [1] and married in Rome [3].", (5, 5, 0)),
    ],
)
def test_a_sentence_may_claim_more_than_one_thing(
    answer: str, grades: tuple[int, int, int]
) -> None:
    truth = "Ann was born in Graz [1] and died in Rome [3]."
    graded = by_words(GrouseSample(ANN, "Which places were Ann's?", answer, truth))
    assert (graded.answer_relevancy, graded.completeness, graded.faithfulness) == grades


TEXT = st.text(alphabet="Ab 1[],.:no document", max_size=60)


@cases(st.lists(TEXT, max_size=4), TEXT, TEXT, st.none() | TEXT)
def test_any_text_is_graded_on_the_scale(references, question, answer, truth) -> None:  # type: ignore[no-untyped-def]
    grades = by_words(GrouseSample(references, question, answer, truth))
    assert {*grades[:2]} <= {None, 1, 2, 3, 4, 5} and {*grades[2:]} <= {None, 0, 1}
    if truth is not None:
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
    (test,) = files.tests(FILE, [*ROW], [ROW])
    assert (test.test_id, test.test_type, test.split) == ("1", "1", "")
    assert [*test.conditions.values()] == ["==5", "==5", "==None", "==1", "==None", "==None"]
    refused = {**ROW["conditions"], "answer_relevancy_condition": "==null"}  # type: ignore[dict-item]
    (test,) = files.tests(FILE, [*ROW], [{**ROW, "conditions": refused}])
    assert test.conditions["positive_acceptance_condition"] == "==0"


def test_lists_and_objects_may_be_written_as_json_and_one_reference_as_a_text() -> None:
    (plain,) = files.tests(FILE, [*ROW], [ROW])
    # As a CSV file has them, and a JSON file where the types of a column differ.
    as_json = {name: json.dumps(ROW[name]) for name in ("references", "conditions", "metadata")}
    assert files.tests(FILE, [*ROW], [{**ROW, **as_json}]) == [plain]
    (text,) = ROW["references"]
    assert files.tests(FILE, [*ROW], [{**ROW, "references": text}]) == [plain]
    # A reference that only begins like a list is a text, and an empty one keeps its number.
    (test,) = files.tests(FILE, [*ROW], [{**ROW, "references": ["", None, 3]}])
    assert test.sample.references == ["", "", "3"]
    (test,) = files.tests(FILE, [*ROW], [{**ROW, "references": "[1] Rome"}])
    assert test.sample.references == ["[1] Rome"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"conditions": {"completeness_condition": "good"}}, "completeness_condition of test 1 is"),
        ({"conditions": None}, "no conditions"),
        # Under other names they would all be taken for "undefined".
        ({"conditions": {"relevance": "==5"}}, "no conditions"),
        ({"references": None}, "no list of references"),
        ({"references": [{"text": "Rome"}]}, "no list of references"),
    ],
)
def test_rows_that_are_no_tests_are_refused(changed: Mapping[str, Any], message: str) -> None:
    with pytest.raises(TableFileError) as error:
        files.tests(FILE, [*ROW], [{**ROW, **changed}])
    assert message in error.value.detail


def test_files_that_hold_no_tests_are_refused() -> None:
    with pytest.raises(TableFileError):
        files.tests(FILE, [*ROW], [])
    with pytest.raises(WrongCallError, match="has no column"):
        files.tests(FILE, [*ROW][1:], [ROW])
    with pytest.raises(TableFileError) as error:
        files.tests(FILE, ["test_id", *ROW], [{"test_id": "a", **ROW}] * 2)
    assert error.value.detail == "the test_id 'a' stands twice"


def test_answers_need_neither_a_true_answer_nor_conditions() -> None:
    columns = ["references", "input", "actual_output"]
    row = {name: ROW[name] for name in columns}
    blank = {**row, "expected_output": " ", "conditions": "any"}
    for one in (*files.answers(FILE, columns, [row]), *files.answers(FILE, [*blank], [blank])):
        assert one.sample.expected_output is None and one.conditions == {}
    with pytest.raises(WrongCallError, match="has no column"):
        files.answers(FILE, columns[1:], [row])


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    def call(*arguments: str) -> Result:
        db = ["--db", str(tmp_path / "a.duckdb")]
        return CliRunner().invoke(cli, [*arguments, *db], env={"COLUMNS": "110"})

    return call


def test_tests_are_built_and_evaluate_judges(
    run: Callable[..., Result], sample_store: Path, tmp_path: Path
) -> None:
    db = tmp_path / "a.duckdb"
    # Of the three subjects, one is in dev, which is the tuning set.
    made = run("grouse", "--limit", "3", "--store", str(sample_store))
    assert made.exit_code == 0, made.output
    assert "right_answer" in made.stdout
    (row, *_) = database(db).rows("grouse_tests")
    assert [*row["conditions"]] == [f"{metric}_condition" for metric in METRICS]
    shown = run("judge", "--meta")
    assert shown.exit_code == 0, shown.output
    assert "always lowest" in shown.stdout and "distorted_value" in shown.stdout
    rates = json.loads(run("judge", "--meta", "--json").stdout)
    assert len(rates) == len(JUDGES) * (len(TYPES) + 1)
    whole = {one["judge"]: one for one in rates if one["test_type"] == "all"}
    assert whole["always top"]["passed"] == 10  # five types are perfect answers
    # Judged twice, the results stand once.
    counted = database(db).sql("SELECT count(*), count(DISTINCT judge) FROM grouse_results").rows
    assert counted == [(len(JUDGES) * 2 * len(TYPES) * len(METRICS), len(JUDGES))]


@pytest.mark.parametrize("ending", [".jsonl", ".json"])
def test_files_of_grouse_are_judged(
    ending: str, run: Callable[..., Result], tmp_path: Path
) -> None:
    file = tmp_path / f"own{ending}"
    file.write_text(json.dumps(ROW if ending == ".jsonl" else [ROW]), encoding="utf-8")
    rates = json.loads(run("judge", "--meta", str(file), "--json").stdout)
    assert rates[0] == {
        "judge": "deterministic",
        "test_type": "1",
        "tests": 1,
        "passed": 1,
        **dict.fromkeys(METRICS, 1),
        "conditions": 1.0,
        "unparsable": 0.0,
    }
    sources = database(tmp_path / "a.duckdb").sql("SELECT DISTINCT source FROM grouse_results")
    assert sources.rows == [(file.name,)]


def written(path: Path, rows: Rows) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


def test_the_tuning_set_is_apart_from_the_tests(run: Callable[..., Result], tmp_path: Path) -> None:
    splits = ["train", "dev", "test", None]
    rows = [{"test_id": f"{split}", "split": split, **ROW} for split in splits]
    file = written(tmp_path / "own.jsonl", rows)
    done, tuned = run("judge", "--meta", file), run("judge", "--meta", "--tuning", file)
    assert done.exit_code == tuned.exit_code == 0, done.output + tuned.output
    assert done.stderr == "Left out, as the tuning set: 1 of 4 tests (--tuning).\n"
    assert tuned.stderr == ""
    sources = database(tmp_path / "a.duckdb").sql(
        "SELECT source, string_agg(DISTINCT test_id, ' ' ORDER BY test_id) FROM grouse_results"
        " GROUP BY source ORDER BY source"
    )
    # Each stands by itself: the one run did not replace the other.
    assert sources.rows == [("own.jsonl", "None test train"), ("own.jsonl, tuning", "dev")]


def test_answers_are_graded_and_their_grades_kept(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    wrong = {**ROW, "actual_output": "It is Milan [1].", "expected_output": None}
    file = written(tmp_path / "answers.jsonl", [ROW, ROW, wrong])
    done = run("judge", file, "--json")
    assert done.exit_code == 0, done.output
    absent = "without a true answer, and so without the grades that need one: 1 of 3"
    assert absent in done.stderr
    assert "Empty answers" not in done.stderr
    means = {row.pop("metric"): row for row in json.loads(done.stdout)}
    judge = {"judge": "deterministic", "unparsable": 0}
    assert means["answer_relevancy"] == means["completeness"]
    assert means["completeness"] == {
        **judge,
        **{"answers": 2, "mean": 5.0, "interval": None, "undefined": 1},
    }
    # Where all grades are the same, samples tell no interval; of 1, 1 and 0 they have none to all.
    assert means["faithfulness"] == {
        **judge,
        **{"answers": 3, "mean": 2 / 3, "interval": [0.0, 1.0], "undefined": 0},
    }
    nothing = {"answers": 0, "mean": None, "interval": None, "undefined": 3}
    assert means["usefulness"] == means["positive_acceptance"] == {**judge, **nothing}
    kept = database(tmp_path / "a.duckdb").sql(
        "SELECT metric, condition, grade, outcome FROM grouse_results WHERE test_id = '3'"
    )
    assert len(kept.rows) == len(METRICS)
    assert ("faithfulness", None, 0, "graded") in kept.rows
    assert ("completeness", None, None, "undefined") in kept.rows
    shown = run("judge", file).stdout
    assert " 5.00 " in shown and "0.67 (0.00–1.00)" in shown and "always" not in shown


def test_kept_grades_are_a_reference_by_the_sql_of_the_docs(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    (query,) = re.findall(r"```sql\n(.*?)```", DOCS, re.DOTALL)
    wrong = {**ROW, "actual_output": "It is Milan [1]."}
    file = written(tmp_path / "answers.jsonl", [ROW, wrong])
    assert run("judge", file).exit_code == 0
    grades = tmp_path / "grades.json"
    grades.write_text(run("sql", "--json", query.replace("my-model", "deterministic")).stdout)
    done = run("judge", file, "--reference", str(grades), "--json")
    assert done.exit_code == 0, done.output
    agreements = {row["metric"]: row for row in json.loads(done.stdout)}
    # A judge goes with itself, and agrees on what is undefined.
    assert (agreements["faithfulness"]["defined"], agreements["faithfulness"]["kendall"]) == (
        2,
        1.0,
    )
    assert agreements["usefulness"]["confusion"] == [
        {"grade": "undefined", "reference": "undefined", "tests": 2}
    ]


def test_the_docs_name_all_types_of_tests_and_outcomes() -> None:
    assert all(f"| `{name}` |" in DOCS for name in TYPES)
    outcomes = ("passed", "failed", "unparsable", "graded", "undefined")
    assert all(f"`{outcome}`" in DOCS for outcome in outcomes)


def test_without_tests_a_message_says_what_to_do(
    run: Callable[..., Result], make_store: Callable[..., Path], tmp_path: Path
) -> None:
    assert run("judge", "--meta").exit_code == 2
    database(tmp_path / "a.duckdb").write_results([])
    missing = run("judge", "--meta")
    assert missing.exit_code == 1 and "kgbuild grouse" in missing.stderr
    store = make_store(triples("wd:Q1 wdt:P31 wd:Q5"))
    bare = run("grouse", "--store", str(store))
    assert bare.exit_code == 1
    assert "1 × the store has not enough facts about the subject" in bare.stderr
