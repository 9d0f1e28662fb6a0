"""The tables: one transaction a build, the same bytes for the same build, SQL that cannot harm."""

import datetime
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets import all_datasets, database, dataset
from kgbuild.datasets.syn_qa.build import path_builder
from kgbuild.datasets.syn_qa.rows import PairOptions
from kgbuild.errors import NoDatasetsError, SqlError, UnknownTableError, WriteError, WrongCallError
from kgbuild.graph.open import open_store
from kgbuild.rows import Build, Built, Provenance, Rejection, Row, no_progress
from kgbuild.tables import connection, schema, shape
from kgbuild.tables.files import read_file
from tests.conftest import write_once

SYN_QA = dataset("syn_qa")
SOURCE = Provenance(
    seed=0,
    options={"limit": 200},
    files=[{"name": "a.nt", "modified": "2026-01-02", "sha256": "ab"}],
    store_fingerprint="f" * 32,
    store_triples=7,
)


@pytest.fixture(scope="module")
def builds(sample_store: Path) -> dict[str, Built]:
    relations = catalog()
    with open_store(sample_store) as store:
        build = path_builder(PairOptions(), store.knowledge(relations.kinds))
        return {name: build(relations.path(name), no_progress) for name in ("P26", "P40", "P22")}


@pytest.fixture(scope="module")
def pair(builds: dict[str, Built]) -> Row:
    return builds["P26"].tables["syn_qa_pairs"][0]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "sub" / "datasets.duckdb"


def exported(db: Path, table: str, to: Path) -> bytes:
    with duckdb.connect(str(db), read_only=True) as opened_file:
        opened_file.execute(f"COPY {table} TO '{to}' (FORMAT csv)")
    return to.read_bytes()


def test_rows_come_back_as_they_were_written(db: Path, builds: dict[str, Built]) -> None:
    database(db).write(Build(SYN_QA, [builds["P26"]], SOURCE))
    assert database(db).rows("syn_qa_pairs") == builds["P26"].tables["syn_qa_pairs"]
    rejections = database(db).rows("rejections")
    assert [(row["candidate"], row["reason"], row["detail"]) for row in rejections] == list(
        builds["P26"].rejections
    )
    assert {(row["dataset"], row["relation"]) for row in rejections} == {("syn_qa", "P26")}


def test_columns_are_those_that_were_promised(db: Path) -> None:
    write_once(db, Build(SYN_QA, [], SOURCE))
    promised = {
        "builds": "dataset relation kgbuild_version built_at seed options dump store_fingerprint"
        " store_triples rows rejected seconds",
        "rejections": "dataset relation candidate reason detail",
        "syn_qa_pairs": "pair_id relation relation_label template_id hops subject_qid subject_label"
        " bridge_qid bridge_label replacement_qid replacement_label object_qid object_label overlap"
        " shared similarity question false_question answer falsity risk evidence falsity_evidence"
        " popularity replacement_popularity source_id split shortcut perturbed confusability",
        "syn_qa_questions": "pair_id question false_assumption",
    }
    for table, columns in promised.items():
        assert list(database(db).sql(f"FROM {table} LIMIT 0").columns) == columns.split()
    types = dict(
        database(db)
        .sql(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'syn_qa_pairs'"
        )
        .rows
    )
    evidence = 'STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[]'
    assert types["evidence"] == types["falsity_evidence"] == evidence
    assert types["shared"] == 'STRUCT(property VARCHAR, "value" VARCHAR)[]'


def test_tables_views_and_columns_have_their_descriptions_as_comments(db: Path) -> None:
    described = schema.descriptions(dataset.folder for dataset in all_datasets())
    expected = {(table, None): one["description"] for table, one in described.items()}
    for table, one in described.items():
        expected |= {(table, column): text for column, text in one["columns"].items()}
    assert ("syn_qa_questions", "false_assumption") in expected  # a view
    folders = tuple(dataset.folder for dataset in all_datasets())
    other = "SELECT pair_id, question, true AS false_assumption FROM syn_qa_pairs"
    edits = (
        f"CREATE OR REPLACE VIEW syn_qa_questions AS {other}",
        "ALTER TABLE syn_qa_pairs DROP COLUMN confusability",  # as in earlier versions
    )
    for edit in (*edits, "SELECT 1"):
        database(db).write(Build(SYN_QA, [], SOURCE))
        comments = database(db).sql(
            "SELECT table_name, NULL, comment FROM duckdb_tables()"
            " UNION ALL SELECT view_name, NULL, comment FROM duckdb_views() WHERE NOT internal"
            " UNION ALL SELECT table_name, column_name, comment FROM duckdb_columns()"
            " WHERE NOT internal"
        )
        assert {(table, column): text for table, column, text in comments.rows} == expected
        with duckdb.connect(str(db)) as mine:
            # The next write leaves the views that are as they were made, and replaces others.
            assert shape._views(mine) == shape._created(folders)[1]
            mine.execute(edit)


def test_relations_read_a_table_and_end_when_something_is_written(
    db: Path, builds: dict[str, Built]
) -> None:
    with database(db) as opened_db:
        opened_db.write(Build(SYN_QA, [builds["P26"]], SOURCE))
        pairs = opened_db.table("syn_qa_pairs")
        assert pairs.columns[0] == "pair_id"
        assert len(pairs.fetchall()) == builds["P26"].rows
        assert opened_db.query("SELECT 1 AS a UNION ALL SELECT 2").order("a").fetchall() == [
            (1,),
            (2,),
        ]
        with pytest.raises(SqlError):
            opened_db.query("CREATE TABLE a (b INTEGER)")
        with pytest.raises(SqlError) as unknown:
            opened_db.table("syn_qa_pair")
        assert "Did you mean syn_qa_pairs" in str(unknown.value)
        opened_db.write(Build(SYN_QA, [builds["P40"]], SOURCE))  # closes what was open
        with pytest.raises(duckdb.ConnectionException):
            pairs.fetchall()
        assert len(opened_db.table("builds").fetchall()) == 2
    with database(db) as one, database(db) as other:
        builds_of_one = one.table("builds")
        other.prepare()
        with pytest.raises(duckdb.ConnectionException):
            builds_of_one.fetchall()


def test_the_view_has_two_rows_a_pair(db: Path, builds: dict[str, Built]) -> None:
    database(db).write(Build(SYN_QA, [builds["P26"]], SOURCE))
    rows = database(db).sql("FROM syn_qa_questions").rows
    assert len(rows) == 2 * builds["P26"].rows
    pair = builds["P26"].tables["syn_qa_pairs"][0]
    mine = [row for row in rows if row[0] == pair["pair_id"]]
    assert mine == [
        (pair["pair_id"], pair["question"], False),
        (pair["pair_id"], pair["false_question"], True),
    ]


def test_a_build_tells_what_it_was_made_of(db: Path, builds: dict[str, Built]) -> None:
    database(db).write(Build(SYN_QA, [builds["P40"]], SOURCE))
    (row,) = database(db).rows("builds")
    assert (row["dataset"], row["relation"], row["seed"]) == ("syn_qa", "P40", 0)
    assert row["options"] == '{"limit": 200}'
    assert row["dump"] == [{"name": "a.nt", "modified": "2026-01-02", "sha256": "ab"}]
    assert (row["store_fingerprint"], row["store_triples"]) == ("f" * 32, 7)
    assert (row["rows"], row["rejected"]) == (builds["P40"].rows, len(builds["P40"].rejections))


def test_the_same_builds_give_the_same_bytes_in_any_order(
    tmp_path: Path, builds: dict[str, Built]
) -> None:
    one, other = tmp_path / "one.duckdb", tmp_path / "other.duckdb"
    database(one).write(Build(SYN_QA, list(builds.values()), SOURCE))
    for relation in ("P40", "P22", "P26", "P40"):
        database(other).write(Build(SYN_QA, [builds[relation]], SOURCE))
    for table in ("syn_qa_pairs", "rejections"):
        first = exported(one, table, tmp_path / "one.csv")
        assert first == exported(other, table, tmp_path / "other.csv")


def test_a_build_leaves_other_relations_alone(db: Path, builds: dict[str, Built]) -> None:
    database(db).write(Build(SYN_QA, [builds["P26"], builds["P40"]], SOURCE))
    before = database(db).sql("FROM syn_qa_pairs WHERE relation = 'P40'").rows
    empty = Built("P26", {"syn_qa_pairs": []}, [Rejection("Q1 P26 Q2", "no label", "Q1")], 1)
    database(db).write(Build(SYN_QA, [empty], SOURCE))
    assert database(db).sql("FROM syn_qa_pairs WHERE relation = 'P40'").rows == before
    assert database(db).sql("FROM syn_qa_pairs WHERE relation = 'P26'").rows == []
    assert database(db).sql("SELECT count(*) FROM rejections WHERE relation = 'P26'").rows == [(1,)]
    assert database(db).sql("SELECT relation, rows FROM builds ORDER BY ALL").rows == [
        ("P26", 0),
        ("P40", len(before)),
    ]


def test_a_write_that_fails_changes_nothing(db: Path, builds: dict[str, Built]) -> None:
    database(db).write(Build(SYN_QA, [builds["P26"]], SOURCE))
    before = database(db).rows("syn_qa_pairs")
    broken = Built("P26", {"syn_qa_pairs": [{"pair_id": None, "relation": "P26"}]})
    with pytest.raises(WrongCallError):
        database(db).write(Build(SYN_QA, [broken], SOURCE))
    assert database(db).rows("syn_qa_pairs") == before


def test_many_rows_are_replaced_and_kept(db: Path, builds: dict[str, Built]) -> None:
    # More than one row group (122,880), of which DuckDB 2.0.0 lost all when they were gathered
    # in the transaction that puts them.
    many = [Rejection(f"Q{n} P26 Q2", "holds", "") for n in range(130_000)]
    database(db).write(Build(SYN_QA, [Built("P26", {"syn_qa_pairs": []}, many)], SOURCE))
    database(db).write(Build(SYN_QA, [builds["P40"]], SOURCE))
    kept = "SELECT candidate FROM rejections WHERE relation = 'P26' ORDER BY rowid"
    assert database(db).sql(kept).rows == [(one.candidate,) for one in many]


def test_hostile_text_is_kept_to_the_letter(db: Path, builds: dict[str, Built]) -> None:
    text = "'; DROP TABLE builds; -- \"\\\n\t\0😀 {a: [1]} NULL"
    row = {**builds["P26"].tables["syn_qa_pairs"][0], "subject_label": text, "relation": "P26"}
    database(db).write(Build(SYN_QA, [Built("P26", {"syn_qa_pairs": [row]})], SOURCE))
    assert database(db).rows("syn_qa_pairs")[0]["subject_label"] == text


_TEXT = st.text(st.characters(exclude_categories=["Cs"]))  # all but halves of surrogate pairs


@settings(max_examples=5)
@given(
    shared=st.lists(st.fixed_dictionaries({"property": _TEXT, "value": _TEXT})),
    overlap=st.integers(0, 2**31 - 1),
    risk=st.floats(0, 1),
)
def test_texts_in_lists_and_numbers_are_kept_to_the_letter(
    tmp_path_factory: pytest.TempPathFactory,
    pair: Row,
    shared: list[dict[str, str]],
    overlap: int,
    risk: float,
) -> None:
    values = {"shared": shared, "overlap": overlap, "risk": risk}
    rows = [{**pair, **values, "pair_id": "changed"}, pair]
    db = tmp_path_factory.mktemp("values") / "datasets.duckdb"
    database(db).write(Build(SYN_QA, [Built("P26", {"syn_qa_pairs": rows})], SOURCE))
    assert database(db).rows("syn_qa_pairs") == rows


@pytest.mark.parametrize("value", [{"property": "P1"}, {"property": "P1", "amount": 1}, "P1"])
def test_a_structure_of_another_shape_is_named(db: Path, pair: Row, value: object) -> None:
    row = {**pair, "shared": [value]}
    with pytest.raises(WrongCallError, match="the table syn_qa_pairs does not take its rows"):
        database(db).write(Build(SYN_QA, [Built("P26", {"syn_qa_pairs": [row]})], SOURCE))


@pytest.mark.parametrize(
    "text",
    [
        "DROP TABLE builds",
        "DELETE FROM builds",
        "CREATE TABLE t AS SELECT 1",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "COPY builds TO 'out.csv'",
        "ATTACH 'other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
        "EXPORT DATABASE 'out'",
        "SELEC 1",
        "",
    ],
)
def test_sql_reads_the_tables_and_nothing_else(db: Path, text: str, tmp_path: Path) -> None:
    write_once(db, Build(SYN_QA, [], SOURCE))
    before = db.read_bytes()
    with pytest.raises(SqlError):
        database(db).sql(text)
    assert db.read_bytes() == before
    assert [path.name for path in db.parent.iterdir()] == [db.name]


INSTANT = datetime.datetime(2026, 11, 22, 10, tzinfo=datetime.UTC)


def test_times_with_a_zone_are_in_utc(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")  # DuckDB's zone, unless it is set
    write_once(db, Build(SYN_QA, [], SOURCE))
    query = "SELECT TIMESTAMPTZ '2026-11-22T19:00:00+09' AS t, CAST(t AS VARCHAR)"
    assert database(db).sql(query).rows == [(INSTANT, "2026-11-22 10:00:00+00")]
    ((now,),) = database(db).sql("SELECT now()").rows
    assert now.utcoffset() == datetime.timedelta(0)
    answers = tmp_path / "answers.jsonl"
    duckdb.sql(f"COPY (SELECT TIMESTAMPTZ '{INSTANT}' AS t) TO '{answers}' (FORMAT parquet)")
    answers = answers.rename(answers.with_suffix(".parquet"))
    assert read_file(answers).records == [{"t": "2026-11-22 10:00:00+00"}]


def test_a_value_that_python_lacks_is_reported(db: Path, tmp_path: Path) -> None:
    write_once(db, Build(SYN_QA, [], SOURCE))
    query = "SELECT INTERVAL 3000000 YEARS AS i"
    with pytest.raises(SqlError, match=r"^Python has no such value: .* Cast it to VARCHAR\.$"):
        database(db).sql(query)
    file = tmp_path / "answers.parquet"
    duckdb.sql(f"COPY ({query}) TO '{file}'")
    assert read_file(file).records == [{"i": "3000000 years"}]


def test_a_table_that_is_not_there_is_told_by_the_nearest_or_how_to_build_it(db: Path) -> None:
    db.parent.mkdir()
    with duckdb.connect(str(db)) as connection:
        connection.execute("CREATE TABLE pairs (a INTEGER); CREATE VIEW questions AS FROM pairs")

    def advice(query: str) -> str:
        with pytest.raises(UnknownTableError) as caught:
            database(db).sql(query)
        return str(caught.value)

    assert advice("FROM pair") == f"{db} has no table pair. Did you mean pairs?"
    assert advice("FROM question") == f"{db} has no table question. Did you mean questions?"
    assert advice("FROM syn_qa_prompts") == (
        f"{db} has no table syn_qa_prompts. Build it: 'kgbuild syn-qa'."
    )
    assert advice("SELECT * FROM pairs, xyz") == (
        f"{db} has no table xyz. 'SHOW TABLES' lists its tables."
    )


def test_looking_whether_it_can_be_written_changes_nothing(db: Path) -> None:
    database(db).prepare()
    assert list(db.parent.iterdir()) == []
    write_once(db, Build(SYN_QA, [], SOURCE))
    before = db.read_bytes()
    database(db).prepare()
    assert db.read_bytes() == before


def test_nothing_is_written_into_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"  # DuckDB has it as a view in memory, and loses other tables
    path.write_text("a,b\n1,2\n")
    with pytest.raises(NoDatasetsError, match="not a DuckDB"), connection.replacing(path):
        pass
    assert path.read_text() == "a,b\n1,2\n"


def test_no_extension_is_fetched_for_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "lite.db"
    with sqlite3.connect(path) as opened_file:
        opened_file.execute("CREATE TABLE t (a)")
    before = path.read_bytes()
    with pytest.raises(NoDatasetsError) as caught:
        database(path).prepare()
    assert "http" not in str(caught.value)  # DuckDB would look for its sqlite extension
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but somebody's notes\n" * 100)
    before = path.read_bytes()
    for use in (lambda: database(path).sql("SELECT 1"), lambda: database(path).prepare()):
        with pytest.raises(NoDatasetsError):
            use()
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError):
        database(tmp_path / "file" / "datasets.duckdb").prepare()


def test_who_holds_it_for_a_moment_is_waited_for(db: Path) -> None:
    write_once(db, Build(SYN_QA, [], SOURCE))
    code = (
        "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print('held', flush=True);"
        "time.sleep(0.5)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(db)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        assert database(db).sql("SELECT 1").rows == [(1,)]
