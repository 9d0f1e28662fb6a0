"""The dataset of docs/python.md is reviewed and compared, too, and no file of kgbuild knows it."""

from collections.abc import Iterator
from typing import Any

import pytest

import kgbuild
from tests.conftest import ROOT
from tests.test_python_api import page

__all__ = ["page"]  # a fixture, which pytest finds by its name here
VERSIONS = """
SELECT relation, evidence[1].subject || ' ' || relation AS "key", question_id AS id,
    [question] AS questions, {'answer': answer} AS told,
    [{'scope': evidence[1].subject || ' ' || relation,
      'statement': concat_ws(' ', evidence[1].subject, relation, evidence[1]."object"),
      'forms': [evidence[1]."object"]}] AS rests_on,
    true AS is_stated, NULL::VARCHAR[] AS place,
    NULL::VARCHAR AS stand_in, NULL::VARCHAR AS stands_for
FROM capitals ORDER BY rowid
"""
STATEMENTS = """
SELECT evidence[1].subject || ' ' || relation AS scope, [evidence[1]."object"] AS forms
FROM capitals
"""


@pytest.fixture
def database(page: dict[str, Any]) -> Iterator[kgbuild.Database]:
    path = page["folder_of_page"] / "data" / "capitals.duckdb"
    with kgbuild.database(path, more=[page["capitals"]]) as db:
        yield db


def test_no_file_of_the_package_names_it() -> None:
    for path in (ROOT / "kgbuild").rglob("*.py"):
        assert "capitals" not in path.read_text(encoding="utf-8").lower(), path
