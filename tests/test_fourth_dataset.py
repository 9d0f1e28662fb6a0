"""The dataset of docs/python.md is reviewed and compared, too, and no file of kgbuild knows it."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kgbuild
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, sample, strata, views
from kgbuild.review.session import Session, alias
from tests.conftest import ROOT
from tests.test_python_api import page

__all__ = ["page"]  # a fixture, which pytest finds by its name here
VERSIONS = """
SELECT relation, evidence[1].subject || ' ' || relation AS "key", question_id AS id,
    [question] AS questions, {'answer': answer} AS contents,
    [{'scope': evidence[1].subject || ' ' || relation,
      'statement': concat_ws(' ', evidence[1].subject, relation, evidence[1]."object"),
      'forms': [evidence[1]."object"]}] AS evidence,
    true AS is_stated, NULL::VARCHAR[] AS place,
    NULL::VARCHAR AS replacement, NULL::VARCHAR AS replaced
FROM capitals ORDER BY rowid
"""
STATEMENTS = """
SELECT evidence[1].subject || ' ' || relation AS scope, list(evidence[1]."object") AS forms
FROM capitals GROUP BY scope
"""


@pytest.fixture
def database(page: dict[str, Any], tmp_path: Path) -> Iterator[kgbuild.Database]:
    original = page["folder_of_page"] / "data" / "capitals.duckdb"
    path = Path(shutil.copy(original, tmp_path / "capitals.duckdb"))
    with kgbuild.database(path, more=[page["capitals"]]) as db:
        yield db


def test_no_file_of_the_package_names_it() -> None:
    for path in (ROOT / "kgbuild").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert '"capitals"' not in text and "FROM capitals" not in text, path


def test_it_is_reviewed(page: dict[str, Any], database: kgbuild.Database) -> None:
    selection = Selection(page["capitals"])
    ids = sample(strata(database, selection, "split"), 2, seed=0)
    with database.reading() as select:
        rows = views(select, selection, ids)
    assert all(row.wordings["question"].startswith("What is the capital of") for row in rows)
    session = Session(database, selection, rows, frozenset(ids), lambda _: None)
    for row, answer in zip(rows, ("yes", "no"), strict=True):
        session.keep(
            {
                "place": session.place,
                "item": alias(row.id),
                "reviewer": "Ada",
                "answers": {"right": answer},
                "at": 1_767_323_045_000,
            }
        )
    with database.reading() as select:
        survivors = verdicts.survivors(select, selection)
    assert (survivors.accepted, survivors.decided) == ({rows[0].id}, {row.id for row in rows})


def test_two_builds_are_compared(page: dict[str, Any], database: kgbuild.Database) -> None:
    for name, text in (("versions.sql", VERSIONS), ("statements.sql", STATEMENTS)):
        (page["folder_of_page"] / page["folder"] / name).write_text(text)
    older = database.path.with_name("older.duckdb")
    shutil.copy(database.path, older)
    with duckdb.connect(str(database.path)) as connection:
        (gone,), (reworded,) = connection.execute(
            "SELECT any_value(question_id) FROM capitals GROUP BY evidence[1].subject"
            " HAVING count(*) = 1 ORDER BY 1 LIMIT 2"
        ).fetchall()
        connection.execute("DELETE FROM capitals WHERE question_id = ?", [gone])
        connection.execute(
            "UPDATE capitals SET question_id = 'new', question = 'Its capital?'"
            " WHERE question_id = ?",
            [reworded],
        )
    with contextlib.chdir(page["folder_of_page"]):
        compared = kgbuild.diff(
            kgbuild.database(older, more=[page["capitals"]]), database, page["capitals"]
        )
    assert sorted(one.change for one in compared.differences) == ["gone", "reworded"]
