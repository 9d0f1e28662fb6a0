"""A dataset of a user: what its schema, names and rows must be, and what messages say of it."""

from pathlib import Path
from typing import Any

import pytest

import kgbuild
from kgbuild.errors import WrongCallError

ROW = {"question_id": "1", "relation": "P36", "answer": "Paris"}
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS towns (question_id VARCHAR NOT NULL, relation VARCHAR NOT NULL,"
    " answer VARCHAR NOT NULL, people INTEGER);"
)
SOURCE = kgbuild.Provenance(0, {}, [], "", 0)


def towns(path: Path, **changes: Any) -> kgbuild.Dataset[Any]:
    (path / "schema.sql").write_text(SCHEMA)
    fields = {
        "name": "towns",
        "title": "Towns",
        "summary": "What is the capital?",
        "unit": "questions",
        "tables": ("towns",),
        "key": "question_id",
        "source_column": "relation",
        "folder": path,
        "build": lambda: None,
        "reasons": {"no label": "it has no label"},
    }
    return kgbuild.Dataset(**{**fields, **changes})


def write(dataset: kgbuild.Dataset[Any], *rows: Any, rejections: Any = ()) -> kgbuild.Database:
    (table,) = dataset.tables
    part = kgbuild.Built("P36", {table: [*rows]}, [*rejections])
    assert isinstance(dataset.folder, Path)
    db = kgbuild.database(dataset.folder / "towns.duckdb", more=[dataset])
    db.write(kgbuild.Build(dataset, [part], SOURCE))
    return db


@pytest.mark.parametrize(
    ("schema", "detail"),
    [
        ("", "its schema.sql creates no table 'towns'"),
        ("CREATE TABL towns (a INTEGER)", "its schema.sql cannot be run: Parser Error"),
        (SCHEMA.replace("towns", "town"), "its schema.sql creates no table 'towns'"),
    ],
)
def test_a_wrong_schema_is_named(tmp_path: Path, schema: str, detail: str) -> None:
    dataset = towns(tmp_path)
    (tmp_path / "schema.sql").write_text(schema)
    with pytest.raises(WrongCallError, match="The dataset towns is wrong") as caught:
        write(dataset, ROW)
    assert detail in str(caught.value) and not (tmp_path / "towns.duckdb").exists()
    (tmp_path / "schema.sql").unlink()
    with pytest.raises(WrongCallError, match="creates no table 'towns'"):
        write(dataset, ROW)


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"tables": ("cities",)}, "its schema.sql creates no table 'cities'"),
        ({"key": "id"}, "its table 'towns' has no column 'id', which it names"),
        ({"source_column": "source"}, "its table 'towns' has no column 'source', which it names"),
    ],
)
def test_a_wrong_name_of_a_table_or_column_is_named(
    tmp_path: Path, changes: dict[str, Any], detail: str
) -> None:
    with pytest.raises(WrongCallError) as caught:
        write(towns(tmp_path, **changes), ROW)
    assert str(caught.value) == f"The dataset towns is wrong: {detail}."


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        ([{**ROW, "answer": None}], "NOT NULL constraint failed: towns.answer"),
        ([{**ROW, "people": "many"}], "Could not convert string 'many' to INT32"),
        ([{**ROW, "relation": "P1"}], "has a row whose relation is 'P1': name both alike"),
        ([{**ROW, "colour": "red"}], "has a column 'colour', which its table 'towns' does not"),
        ([ROW, ROW], "has two rows of question_id '1'"),
    ],
)
def test_rows_that_do_not_fit_are_refused(tmp_path: Path, rows: list[Any], detail: str) -> None:
    db = write(towns(tmp_path), ROW)
    with pytest.raises(WrongCallError, match="The dataset towns is wrong") as caught:
        write(towns(tmp_path), *rows)
    assert detail in str(caught.value)
    assert db.sql("SELECT question_id FROM towns").rows == [("1",)]


def test_a_reason_without_a_sentence_is_refused(tmp_path: Path) -> None:
    rejections = [kgbuild.Rejection("Q1", "no name", "")]
    with pytest.raises(WrongCallError, match="has the reason 'no name', which its reasons do not"):
        write(towns(tmp_path), ROW, rejections=rejections)


def test_other_tables_than_those_of_the_dataset_are_refused(tmp_path: Path) -> None:
    dataset = towns(tmp_path)
    part = kgbuild.Built("P36", {"town": [ROW]})
    with pytest.raises(WrongCallError, match="the part 'P36' differs in 'town"):
        kgbuild.database(tmp_path / "x.duckdb").write(kgbuild.Build(dataset, [part], SOURCE))


def test_columns_of_an_older_schema_keep_their_values(tmp_path: Path) -> None:
    write(towns(tmp_path), ROW)
    dataset = towns(tmp_path)
    swapped = SCHEMA.replace("question_id VARCHAR NOT NULL, ", "").replace(
        "answer VARCHAR NOT NULL", "answer VARCHAR NOT NULL, question_id VARCHAR NOT NULL"
    )
    (tmp_path / "schema.sql").write_text(swapped)
    part = kgbuild.Built("P1", {"towns": [{**ROW, "relation": "P1", "question_id": "2"}]})
    db = kgbuild.database(tmp_path / "towns.duckdb", more=[dataset])
    db.write(kgbuild.Build(dataset, [part], SOURCE))
    rows = db.sql("SELECT question_id, relation, answer FROM towns ORDER BY 1").rows
    assert rows == [("1", "P36", "Paris"), ("2", "P1", "Paris")]


def test_the_name_of_another_dataset_and_a_folder_as_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongCallError, match="a dataset of kgbuild has this name"):
        towns(tmp_path, name="granola")
    with pytest.raises(WrongCallError, match="its folder is not a path; write Path"):
        towns(tmp_path, folder="capitals")


def test_messages_name_functions_instead_of_commands(tmp_path: Path) -> None:
    dataset = towns(tmp_path)
    db = write(dataset, ROW)
    with pytest.raises(WrongCallError, match="it has no scoring, so its answers cannot be scored"):
        kgbuild.score(dataset, [], db=db)
    with pytest.raises(WrongCallError, match="it has no requests, so no model can be asked"):
        kgbuild.ask(dataset, "model", db=db)
    with pytest.raises(kgbuild.KgbuildError) as caught:
        db.table("towns_of_italy")
    assert "kgbuild towns" not in str(caught.value)
    empty = towns(tmp_path, name="cities", requests=lambda db, protocols, sample: [])
    with pytest.raises(kgbuild.KgbuildError, match=r"Build them: db\.write\(dataset\.build"):
        kgbuild.ask(empty, "model", db=db)


def test_any_name_of_a_split_is_released_that_a_file_can_have(tmp_path: Path) -> None:
    dataset = towns(tmp_path)
    (tmp_path / "schema.sql").write_text(SCHEMA.replace("people INTEGER", "split VARCHAR"))
    db = write(dataset, {**ROW, "split": "dev"})
    kgbuild.publish(dataset, tmp_path / "release", db=db, site=True)
    assert dataset.title in (tmp_path / "release" / "site" / "index.html").read_text()
    assert f'["{ROW[dataset.key]}",[' in (tmp_path / "release" / "site" / "rows.js").read_text()
    assert 'split="dev"' in (tmp_path / "release" / "README.md").read_text()
    for name in ("a/b", None):
        write(dataset, {**ROW, "split": name})
        with pytest.raises(WrongCallError, match="cannot be the name of a split"):
            kgbuild.publish(dataset, tmp_path / "other", db=db)
    assert not (tmp_path / "other").exists()
