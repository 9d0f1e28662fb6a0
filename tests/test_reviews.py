"""Which rows reviewers accept, where they differ, and in which order rows come."""

import datetime
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.cli import cli
from kgbuild.datasets import dataset
from kgbuild.datasets.views import Question
from kgbuild.errors import KgbuildError, WrongCallError
from kgbuild.evaluate.agreement import cohen_kappa
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, lost, sample, strata, views
from kgbuild.review.verdicts import verdict
from kgbuild.tables.database import Database
from kgbuild.tables.records import Review
from tests.reviewed import add_others, database, pair

ANSWERS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1)

SYN_QA = Selection(dataset("syn_qa"))


def read(db: Database, function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function of an open database."""
    with db.reading() as select:
        return function(select, *arguments)


def test_kappa_by_hand() -> None:
    # Of 50 questions both say yes to 20 and no to 15; the one alone yes to 5, the other to 10.
    # Equal: 35/50 = 0.7. By chance both yes: 25/50 · 30/50 = 0.3, both no: 25/50 · 20/50 = 0.2;
    # (0.7 - 0.5) / (1 - 0.5) = 0.4.
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(one, other) == pytest.approx(0.4)


def test_kappa_of_nothing_to_be_gained() -> None:
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["yes"] * 3, ["yes"] * 3) is None
    assert cohen_kappa(["yes", "yes"], ["yes", "no"]) == 0  # chance gives the half, too


@given(ANSWERS)
def test_kappa_is_the_same_either_way_and_1_at_most(pairs: list[tuple[str, str]]) -> None:
    one, other = map(list, zip(*pairs, strict=True))
    kappa = cohen_kappa(one, other)
    assert kappa == cohen_kappa(other, one)
    assert kappa is None or -1 <= kappa <= 1
    assert cohen_kappa(one, one) in (None, 1)


def test_one_objection_decides_and_all_else_must_be_answered() -> None:
    questions = [
        Question("natural", "", ""),
        Question("significance", "", "", choices=tuple("12345")),
    ]
    assert verdict(questions, {"natural": "yes"}) is None
    assert verdict(questions, {"natural": "no"}) is False
    assert verdict(questions, {"natural": "yes", "significance": "2"}) is False
    assert verdict(questions, {"natural": "yes", "significance": "3"}) is True


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reviews") / "a.duckdb"
    database(path, [pair(number) for number in range(1, 7)])
    add_others(path)
    return path


@pytest.fixture
def db(built: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(built, tmp_path))


def keep(db: Database, reviewer: str, item: str, second: int = 0, **answers: str) -> None:
    for question, answer in answers.items():
        now = datetime.datetime(2026, 1, 1, second=second)  # noqa: DTZ001 - of UTC, as the table
        key = question.replace("__", ": ")
        db.write_review(Review("syn_qa", item, reviewer, key, answer, now))


def test_rows_that_all_who_decided_accept(db: Database) -> None:
    keep(db, "Ada", "pair1", false="yes", natural="yes")
    keep(db, "Bea", "pair1", false="yes")  # has not decided yet
    keep(db, "Ada", "pair2", false="yes", natural="yes")
    keep(db, "Bea", "pair2", false="no")
    keep(db, "Ada", "pair3", natural="yes", note="?")
    keep(db, "Ada", "gone", false="yes", natural="yes")  # of an earlier build
    assert read(db, verdicts.survivors, SYN_QA) == ({"pair1"}, {"pair1", "pair2"})
    assert read(db, verdicts.survivors, SYN_QA).accepted == {"pair1"}
    assert read(db, verdicts.survivors, Selection(dataset("granola"))).accepted == set()
    keep(db, "Cid", "pair3", natural="yes")  # and has decided on nothing
    assert read(db, verdicts.deciders, SYN_QA) == {"Ada", "Bea"}


def test_a_note_or_a_wording_decides_on_no_row(db: Database) -> None:
    keep(db, "Ada", "pair1", note="Look again.")
    keep(db, "Ada", "pair2", wording__question="Where?")
    assert read(db, verdicts.survivors, SYN_QA) == (set(), set())
    keep(db, "Bea", "pair2", false="yes", natural="yes")
    assert read(db, verdicts.survivors, SYN_QA) == ({"pair2"}, {"pair2"})


def test_the_last_word_counts_and_an_empty_one_takes_back(db: Database) -> None:
    keep(db, "Ada", "pair1", false="no", natural="yes")
    keep(db, "Ada", "pair1", false="yes")
    assert read(db, verdicts.survivors, SYN_QA).accepted == {"pair1"}
    keep(db, "Ada", "pair1", false="")
    assert read(db, verdicts.survivors, SYN_QA).decided == set()
    assert db.sql("SELECT count(*) FROM reviews").rows == [(1,)]
    keep(db, "Ada", "pair1", second=2, natural="no")
    keep(db, "Ada", "pair1", second=1, natural="yes")  # comes late
    assert db.sql("SELECT answer FROM reviews").rows == [("no",)]


def test_the_last_wording_counts(db: Database) -> None:
    keep(db, "Bea", "pair1", second=2, wording__question="Where exactly?")
    keep(db, "Ada", "pair1", second=1, wording__question="Where?", wording__false_question="Who?")
    told = {"pair1": {"question": "Where exactly?", "false_question": "Who?"}}
    assert read(db, verdicts.wordings, "syn_qa") == told


def test_agreement_on_the_terminal(db: Database) -> None:
    for number, (ada, bea) in enumerate(["yy", "yn", "nn", "nn"], 1):
        words = {"y": "yes", "n": "no"}
        keep(db, "Ada", f"pair{number}", natural=words[ada])
        keep(db, "Bea", f"pair{number}", natural=words[bea])
    done = CliRunner().invoke(
        cli, ["review", "syn-qa", "--agreement", "--json", "--db", str(db.path)]
    )
    assert json.loads(done.stdout) == [
        {
            "question": "natural",
            "rows": 4,
            "answers": 8,
            "mean": 3 / 8,
            # One of four pairs differs; by chance, those of 3 yes and 5 no.
            "alpha": pytest.approx(1 - 1 * (8 - 1) / (3 * 5)),
            "pairs": [
                {
                    "question": "natural",
                    "reviewer": "Ada",
                    "other": "Bea",
                    "both": 4,
                    "agreed": 3,
                    "within_1": None,
                    # Chance: yes 2/4 · 1/4, no 2/4 · 3/4, together 1/2; (3/4 - 1/2) / (1 - 1/2).
                    "kappa": 0.5,
                    "disagreements": [
                        {
                            "item_id": "pair2",
                            "question": "natural",
                            "wording": "In which house in Town 2 was Ann 2 born?"
                            " / In which house in Town 2 was Bob 2 born?",
                            "text": "Are both questions natural?",
                            "decision": "",
                            "Ada": "yes",
                            "Bea": "no",
                        }
                    ],
                }
            ],
        }
    ]
    keep(db, "Ada", "gone", natural="yes")  # of an earlier build: it counts no more
    keep(db, "Bea", "gone", natural="no")
    again = CliRunner().invoke(
        cli, ["review", "syn-qa", "--agreement", "--json", "--db", str(db.path)]
    )
    assert again.stdout == done.stdout
    none = CliRunner().invoke(cli, ["review", "granola", "--agreement", "--db", str(db.path)])
    assert none.stdout == "No two reviewers have answered the same question yet.\n"
    assert done.stderr == "Accepted: 0 of 3 rows decided on (0.0%).\n"
    shown = (
        CliRunner().invoke(cli, ["review", "syn-qa", "--agreement", "--db", str(db.path)]).stdout
    )
    assert "Ada: yes; Bea: no" in shown and "0.5" in shown


def test_means_are_of_rows_and_of_each_wording() -> None:
    # Of the sets of two questions, one piece of two and one piece of one are necessary.
    kind = "necessary: general_question"
    rows = {"b1": [{"Ada": 1, "Bea": 1}, {"Ada": 0}], "b2": [{"Ada": 1}]}
    assert verdicts.summary(kind, False, rows) == (kind, 2, 4, (2 / 3 + 1) / 2, None)


def test_grades_of_each_wording_are_compared_within_one_point(db: Database) -> None:
    biokalma = Selection(dataset("biokalma"))
    for reviewer, specific, general in (("Ada", "3", "5"), ("Bea", "4", "1"), ("Cid", "4", "")):
        for wording, grade in (("specific", specific), ("general", general)):
            key = f"naturalness: {wording}_question"
            at = datetime.datetime(2026, 1, 1)  # noqa: DTZ001 - of UTC, as the table
            db.write_review(Review("biokalma", "b1", reviewer, key, grade, at))
    summaries, pairs, _ = read(db, verdicts.agreements, biokalma)
    assert [(one.question, one.answers, one.mean) for one in summaries] == [
        ("naturalness: specific_question", 3, pytest.approx(11 / 3)),
        ("naturalness: general_question", 2, 3),
    ]
    assert [(*one[1:3], one.both, one.agreed, one.within_1) for one in pairs] == [
        ("Ada", "Bea", 1, 0, 1),
        ("Ada", "Cid", 1, 0, 1),
        ("Bea", "Cid", 1, 1, 1),
        ("Ada", "Bea", 1, 0, 0),
    ]


def test_strata_take_turns_and_a_sample_begins_with_a_smaller_one(db: Database) -> None:
    grouped = strata(db, SYN_QA, "falsity")
    assert {name: sorted(ids) for name, ids in grouped.items()} == {
        "contradicted": ["pair1", "pair3", "pair5"],
        "absent": ["pair2", "pair4", "pair6"],
    }
    most = sample(grouped, 6, 0)
    # One of each in a turn, but which comes first tells nothing.
    turns = [[item in grouped["absent"] for item in most[n : n + 2]] for n in (0, 2, 4)]
    assert [sorted(turn) for turn in turns] == [[False, True]] * 3
    orders = {sample(grouped, 1, seed)[0] in grouped["absent"] for seed in range(9)}
    assert orders == {True, False}
    assert all(sample(grouped, count, 0) == most[:count] for count in range(7))
    assert {tuple(sample(grouped, 6, seed)) for seed in range(5)} != {tuple(most)}


def test_what_cannot_be_reviewed(db: Database) -> None:
    with pytest.raises(WrongCallError, match="has no column") as wrong:
        strata(db, SYN_QA, 'falsty"; DROP TABLE reviews; --')
    assert str(wrong.value).startswith("syn_qa_pairs ")
    with pytest.raises(KgbuildError, match="to review"):
        strata(db, Selection(dataset("granola"), of_predictions=True), None)
    name = CliRunner().invoke(cli, ["review", "syn-qa", "--reviewer", "A\nB", "--db", str(db.path)])
    assert name.exit_code == 2 and "1 to 60 letters" in name.stderr


def test_predictions_of_rows_that_are_gone_take_no_places(db: Database) -> None:
    selection = Selection(dataset("syn_qa"), of_predictions=True)
    here = [name for names in strata(db, selection, None).values() for name in names]
    database(db.path, [pair(2)])  # built anew, without the first pair
    assert len(here) == 2 and read(db, lost, selection) == 2
    with pytest.raises(KgbuildError, match="to review"):
        strata(db, selection, None)


def test_each_dataset_asks_the_questions_of_its_paper(db: Database) -> None:
    def asked(selection: Selection) -> list[str]:
        ids = sample(strata(db, selection, None), 1, 0)
        with db.reading() as select:
            return [question.key for question in views(select, selection, ids)[0].questions]

    assert asked(SYN_QA) == ["false", "natural"]
    assert asked(Selection(dataset("granola"))) == [
        *("correct: Bonn", "informative: Bonn"),
        *("correct: Germany", "informative: Germany", "coarser: Germany"),
    ]
    assert asked(Selection(dataset("biokalma"))) == [
        "necessary: specific_question: Q1 P26 Cy",
        "necessary: general_question: Q1 P26 Cy",
        *(
            f"{quality}: {wording}_question"
            for wording in ("specific", "general")
            for quality in ("authentic", "relevant", "naturalness", "significance")
        ),
    ]
    assert asked(Selection(dataset("syn_qa"), of_predictions=True)) == ["acceptable"]
