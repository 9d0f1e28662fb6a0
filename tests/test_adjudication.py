"""Rows that several reviewers share, and rows about which they disagree."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.cli import cli
from kgbuild.datasets import dataset
from kgbuild.review import adjudication, verdicts
from kgbuild.review.selection import Selection, views
from kgbuild.review.session import RefusedSessionError
from kgbuild.review.shares import assignment, shares
from kgbuild.tables.database import Database
from tests.reviewed import add_others, database, pair
from tests.test_reviews import keep, read

SYN_QA = Selection(dataset("syn_qa"))
NAMES = ["Ada", "Bea", "Cleo", "Dora"]
COUNTS = st.integers(0, 60)
OVERLAPS = st.sampled_from([0.0, 0.1, 0.2, 1 / 3, 0.5, 1.0])


@given(COUNTS, st.integers(1, 4), OVERLAPS)
def test_shares_are_even(count: int, size: int, overlap: float) -> None:
    ids, names = [f"row{n}" for n in range(count)], NAMES[:size]
    rows = shares(ids, names, overlap)
    reviewers = {row: [name for name in names if row in rows[name]] for row in ids}
    doubled = [pair for pair in reviewers.values() if len(pair) == 2]
    assert {len(pair) for pair in reviewers.values()} <= {1, 2}
    assert len(doubled) == (int(count * overlap) if size > 1 else 0)
    # No reviewer has much more to do than another, and no pair is compared much more often.
    sizes = [len(share) for share in rows.values()]
    assert max(sizes) - min(sizes) <= 2
    by_pair = [doubled.count([a, b]) for n, a in enumerate(names) for b in names[n + 1 :]]
    assert not by_pair or max(by_pair) - min(by_pair) <= 1
    assert all(share == [row for row in ids if row in share] for share in rows.values())


@given(COUNTS, COUNTS, OVERLAPS)
def test_a_larger_sample_only_adds_rows_to_shares(count: int, more: int, overlap: float) -> None:
    ids = [f"row{n}" for n in range(count + more)]
    smaller, larger = shares(ids[:count], NAMES, overlap), shares(ids, NAMES, overlap)
    assert all(larger[name][: len(smaller[name])] == smaller[name] for name in NAMES)


def test_who_has_no_share_is_told_the_names() -> None:
    assigned = assignment({"Ada": ["a"], "Bea": ["b"]})
    assert assigned("Bea") == ["b"]
    with pytest.raises(
        RefusedSessionError, match="shared among Ada, Bea: enter one of these names"
    ):
        assigned("bea")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adjudication") / "a.duckdb"
    database(path, [pair(number) for number in range(1, 4)])
    add_others(path)
    return path


@pytest.fixture
def db(built: Path, tmp_path: Path) -> Database:
    """Return a database in which Ada and Bea disagree about two questions of the first pair."""
    db = Database(shutil.copy(built, tmp_path))
    keep(db, "Ada", "pair1", false="yes", natural="no", note="Odd: <b>which</b> house?")
    keep(db, "Bea", "pair1", false="no", natural="yes")
    keep(db, "Ada", "pair2", false="yes", natural="yes")
    keep(db, "Bea", "pair2", false="yes")
    return db


def test_disputed_questions_show_answers_and_notes_without_names(db: Database) -> None:
    disagreements = read(db, verdicts.agreements, SYN_QA).disagreements
    notes = read(db, verdicts.notes, "syn_qa")
    all_views = read(db, views, SYN_QA, ["pair1", "pair2"])
    (row,) = adjudication.disputed_rows(all_views, disagreements, notes)
    assert row.id == "pair1" and row.texts["Notes"] == "Odd: <b>which</b> house?"
    assert [(question.key, question.text) for question in row.questions] == [
        ("decision: false", "Is the assumption of the false question really false? (no / yes)"),
        ("decision: natural", "Are both questions natural? (no / yes)"),
    ]
    assigned = adjudication.assignment([row], disagreements)
    assert [[*assigned(name)] for name in ("Ada", "Bea", "Cleo")] == [[], [], ["pair1"]]


def test_a_decision_replaces_answers_but_not_the_agreement(db: Database) -> None:
    before = read(db, verdicts.agreements, SYN_QA).pairs
    assert read(db, verdicts.survivors, SYN_QA) == ({"pair2"}, {"pair1", "pair2"})
    keep(db, "Cleo", "pair1", decision__false="yes")
    assert read(db, verdicts.survivors, SYN_QA).accepted == {"pair2"}  # one is still disputed
    keep(db, "Cleo", "pair1", decision__natural="yes")
    assert read(db, verdicts.survivors, SYN_QA) == ({"pair1", "pair2"}, {"pair1", "pair2"})
    keep(db, "Dora", "pair1", second=1, decision__natural="no")  # the latest decision counts
    assert read(db, verdicts.survivors, SYN_QA) == ({"pair2"}, {"pair1", "pair2"})
    _, pairs, disagreements = read(db, verdicts.agreements, SYN_QA)
    assert pairs == before
    assert {dispute.question: dispute.decision for dispute in disagreements} == {
        "false": "yes",
        "natural": "no",
    }
    assert read(db, verdicts.deciders, SYN_QA) == {"Ada", "Bea"}


def test_without_a_disagreement_there_is_nothing_to_decide(built: Path) -> None:
    result = CliRunner().invoke(cli, ["review", "granola", "--adjudicate", "--db", str(built)])
    assert result.exit_code == 1
    assert "No two reviewers disagree about a row of granola" in result.stderr
