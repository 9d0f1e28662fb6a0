"""Writers of one database: none overwrites another, none waits in vain, all settings agree."""

import contextlib
import datetime
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from kgbuild.api import diff, publish, write_report
from kgbuild.datasets import database, dataset
from kgbuild.errors import DamagedDatabaseError, DatabaseBusyError, WrongCallError
from kgbuild.rows import Build, Built, Provenance, Rejection
from kgbuild.tables import connection
from kgbuild.tables.connection import replacing
from kgbuild.tables.database import Database
from kgbuild.tables.records import GrouseResult, Prediction, Review, Scored, Verification
from tests.conftest import invoke
from tests.reviewed import add_others, held, pair
from tests.reviewed import database as small

SYN_QA = dataset("syn_qa")
SOURCE = Provenance(seed=0, options={}, files=[], store_fingerprint="", store_triples=0)
NOW = datetime.datetime(2026, 1, 1)  # noqa: DTZ001 - of UTC, as the table


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "a.duckdb"
    small(path, [pair(1), pair(2)])
    add_others(path)
    return path


@pytest.fixture
def db(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(built, tmp_path))


def prediction(number: int = 0) -> Prediction:
    return Prediction("syn_qa", f"x{number}", True, "n", "p", None, None, 0, "", "t", 1, 1, 0.1)


def answer(number: int) -> Review:
    return Review("syn_qa", "pair1", f"Ada {number}", "false", "yes", NOW)


def run_python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


INSERT = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('CREATE TABLE mine (a INTEGER)')"


def test_no_other_program_writes_to_a_database_that_is_replaced(db: Path) -> None:
    with replacing(db) as copy:
        copy.execute("CREATE TABLE ours (a INTEGER)")
        assert "lock" in run_python(INSERT, db).stderr  # what it wrote would be lost
    assert run_python(INSERT, db).returncode == 0
    tables = {name for (name,) in database(db).sql("SHOW TABLES").rows}
    assert {"ours", "mine"} <= tables


def test_who_opened_the_old_file_cannot_write_to_it(db: Path) -> None:
    """DuckDB opens a file before it locks it; meanwhile another file may take the name."""
    os.link(db, other_name := db.with_name("linked.duckdb"))
    with db.open("rb") as opened_before:
        database(db).write_predictions([prediction()])
        # Who has another name of the old file keeps it.
        assert duckdb.connect(str(other_name)).execute("SELECT count(*) FROM builds").fetchall()
        assert opened_before.read(12)[8:] == b"DUCK"
    with db.open("rb") as opened_before:
        database(db).write_predictions([prediction()])
        (left := db.with_name("left.duckdb")).write_bytes(opened_before.read())
    with pytest.raises(duckdb.IOException, match="not a valid DuckDB database"):
        duckdb.connect(str(left))


def test_a_header_that_duckdb_read_before_a_write_is_not_used(db: Path) -> None:
    """DuckDB 2.0 reads the header of a file before it locks it."""
    opened_states: list[int] = []

    def open_late() -> duckdb.DuckDBPyConnection:
        if not opened_states:  # another process writes after the state of the file was read
            assert run_python(INSERT, db).returncode == 0
        opened_states.append(db.stat().st_mtime_ns)
        return duckdb.connect(str(db))

    connection.opened(db, open_late, lambda opened: opened.close()).close()
    assert len(opened_states) == 2  # it is opened once more


def test_a_copy_keeps_what_users_made_and_the_mode_of_the_file(db: Path) -> None:
    with duckdb.connect(str(db)) as mine:
        mine.execute("CREATE SCHEMA b; CREATE TYPE b.mood AS ENUM ('good', 'bad')")
        mine.execute("CREATE TABLE b.builds (a INTEGER PRIMARY KEY, m b.mood); CREATE SCHEMA a")
        mine.execute("INSERT INTO b.builds VALUES (2, 'bad'), (1, 'good')")
        mine.execute(
            "COMMENT ON TABLE b.builds IS 'mine'; CREATE TABLE a.a.predictions (x INTEGER)"
        )
        mine.execute(
            "CREATE MACRO twice(x) AS 2 * x; CREATE VIEW b.v AS SELECT twice(a) AS t, *"
            " FROM b.builds; CREATE INDEX i ON b.builds (m); CREATE SEQUENCE s START 7"
        )
    db.chmod(0o640)
    database(db).write_predictions([prediction()])
    with duckdb.connect(str(db)) as mine:
        assert mine.execute("FROM b.v").fetchall() == [(4, 2, "bad"), (2, 1, "good")]
        assert mine.execute("SELECT nextval('s')").fetchall() == [(7,)]
        comment = "SELECT comment FROM duckdb_tables() WHERE schema_name = 'b'"
        assert mine.execute(comment).fetchall() == [("mine",)]
        with pytest.raises(duckdb.ConstraintException):
            mine.execute("INSERT INTO b.builds VALUES (1, 'bad')")
    assert db.stat().st_mode & 0o777 == 0o640


WRITE = """
import sys
from kgbuild.datasets import database
from kgbuild.tables.records import Prediction
db = database(sys.argv[1], notice=lambda text: print(text, flush=True))
for number in range(int(sys.argv[2])):
    row = ("syn_qa", f"x{number}", True, sys.argv[3], "p", None, None, 0, "", "t", 1, 1, 0.1)
    db.write_predictions([Prediction(*row)])
"""


def writer(db: Path, count: int, name: str = "w") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITE, str(db), str(count), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_no_answer_of_a_reviewer_is_lost_beside_writers(db: Path) -> None:
    writers = [writer(db, 4, name) for name in ("v", "w")]
    kept: list[str] = []
    while any(process.poll() is None for process in writers):
        with contextlib.suppress(DatabaseBusyError):
            database(db).write_review(answer(len(kept)))
            kept.append(f"Ada {len(kept)}")
    assert [process.communicate() and process.returncode for process in writers] == [0, 0]
    assert [row["reviewer"] for row in database(db).rows("reviews")] == kept
    assert database(db).sql("SELECT count(*) FROM predictions").rows == [(2 + 2,)]
    assert [path.name for path in db.parent.iterdir()] == [db.name]


def test_finished_rows_wait_for_whoever_holds_the_database(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SHORT_WAIT", 0.0)  # it limits short writes only
    told: list[str] = []
    with held(db) as holder:
        opened_db = database(db, notice=told.append)
        with pytest.raises(DatabaseBusyError):
            database(db).write_review(answer(1))
        thread = threading.Thread(target=lambda: opened_db.write_predictions([prediction()]))
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
    thread.join()
    (sentence,) = told
    assert f"(PID {holder.pid})" in sentence
    assert database(db).sql("SELECT count(*) FROM predictions WHERE model = 'n'").rows == [(1,)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_rows_that_wait_are_kept_if_the_wait_is_ended(db: Path, number: signal.Signals) -> None:
    before = db.read_bytes()
    code = f"import signal; from kgbuild.cli import _stop; signal.signal(15, _stop)\n{WRITE}"
    with held(db):
        command = [sys.executable, "-c", code, str(db), "1", "w"]
        waiting = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert waiting.stdout is not None and "is held by" in waiting.stdout.readline()
        waiting.send_signal(number)
        said, traceback = waiting.communicate()
    assert waiting.returncode != 0 and traceback.endswith("KeyboardInterrupt\n")
    (kept,) = db.parent.glob("a.unwritten-*.duckdb")
    assert str(kept) in said
    (row,) = database(kept).rows("predictions")
    assert (row["model"], row["item_id"]) == ("w", "x0")
    assert db.read_bytes() == before


def test_older_versions_of_duckdb_can_read_the_file(db: Path, tmp_path: Path) -> None:
    # DuckDB 1.4 reads the versions 64 to 67, DuckDB 1.5 those to 68; DuckDB 2 writes later ones.
    def version(path: Path) -> int:
        return int.from_bytes(path.read_bytes()[12:20], "little")

    database(tmp_path / "new.duckdb").write_predictions([prediction()])
    assert version(db) == version(tmp_path / "new.duckdb") == 67
    with duckdb.connect(str(later := tmp_path / "later.duckdb")) as mine:
        mine.execute("CREATE TABLE mine (a INTEGER)")
    before = version(later)
    database(later).write_predictions([prediction()])  # a file that exists keeps its version
    assert database(later).sql("SELECT count(*) FROM predictions").rows == [(1,)]
    assert version(later) == before


def uses(db: Database, out: Path) -> Iterator[Callable[[], object]]:
    """Yield calls of all methods that read or write a database, and functions that take one.

    ``close`` is none of them: it is the last call of an object.
    """
    verified = ("syn_qa", "P19", "pair2", "train", "false", "texts", "t", "refuted", None, "e", NOW)
    lacking = Built("P1", {"syn_qa_pairs": []}, [Rejection("Q1", "no label", "")])
    yield lambda: db.sql("FROM builds", 1)
    yield lambda: db.read("FROM builds")
    yield lambda: db.rows("builds")
    yield lambda: db.query("FROM builds").fetchall()
    yield lambda: publish(SYN_QA, out / "release", db=db)
    yield lambda: write_report(db, out / "report.html")
    yield lambda: diff(db, database(shutil.copy(db.path, out / "other.duckdb")), SYN_QA)
    yield lambda: db.prepare("builds")
    yield lambda: db.write(Build(SYN_QA, [Built("P26", {"syn_qa_pairs": []})], SOURCE))
    yield lambda: db.write_rejections(Build(SYN_QA, [lacking], SOURCE))
    yield lambda: db.write_predictions([prediction()])
    yield lambda: db.write_scores(
        [Scored("syn_qa", "m", "p", None, None, "", "", "", "f1", 1.0, None, None, 1, "file")]
    )
    yield lambda: db.write_results(
        [GrouseResult("j", "s", "t", "", "faithfulness", None, 1, "passed")]
    )
    yield db.create_tables
    yield lambda: db.write_verifications([Verification(*verified)])
    yield lambda: db.reject(SYN_QA, {"pair2": ("P19", Rejection("Q1", "verified true", ""))})
    yield lambda: db.write_review(answer(1))


def test_everything_works_before_and_after_a_relation(db: Path, tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    opened_db = database(db)
    for number, use in enumerate(uses(opened_db, out)):
        relation = opened_db.table("builds")
        use()
        with contextlib.suppress(duckdb.ConnectionException):  # it ended with a write
            assert len(relation.fetchall()) >= 3
        if number < 4:  # those that only read keep it
            assert len(relation.fetchall()) == 3
        shutil.rmtree(out / "release", ignore_errors=True)
        use()
        assert len(opened_db.table("builds").fetchall()) >= 3
    # A limit of memory is that of the first reader; times are in UTC for all of them.
    zone = "SELECT current_setting('TimeZone')"
    assert opened_db.sql(zone, 1).rows == opened_db.query(zone).fetchall() == [("UTC",)]
    relation = opened_db.table("builds")
    for _ in range(2):
        opened_db.close()
        with pytest.raises(duckdb.ConnectionException):
            relation.fetchall()
        with pytest.raises(WrongCallError, match="is closed"):
            opened_db.table("builds")
    assert [path.name for path in db.parent.glob(".*")] == []


EDITS = {
    # What somebody did by hand, and what a message must name.
    "DROP VIEW syn_qa_questions; ALTER TABLE syn_qa_pairs DROP COLUMN overlap": "'overlap'",
    "ALTER TABLE syn_qa_pairs ALTER risk TYPE VARCHAR": "'risk' is VARCHAR",
    "CREATE MACRO count_star() AS 'boo'": "'count_star'",
    "CREATE MACRO duckdb_tables() AS TABLE SELECT 1 AS a": "'duckdb_tables'",
    "ALTER TABLE syn_qa_pairs RENAME TO t; CREATE VIEW syn_qa_pairs AS FROM t": "is a view",
    "DROP TABLE builds; CREATE TABLE builds (a INTEGER)": "builds",
    "DROP TABLE builds; CREATE VIEW builds AS SELECT 1 AS a": "",
}
READING = [["export", "syn-qa", "-o", "release"], ["review", "syn-qa", "--agreement"]]


@pytest.mark.parametrize("edit", EDITS)
def test_a_database_that_was_changed_by_hand_gives_a_sentence(db: Path, edit: str) -> None:
    with duckdb.connect(str(db)) as mine:
        mine.execute(edit)
    for command in READING:
        done = invoke(db.parent, *command, KGBUILD_DB=str(db))
        if done.returncode:  # a command that does not need what was changed succeeds
            sentence = done.stderr.strip().splitlines()[-1]
            assert sentence.startswith(("Error: a.duckdb", f"Error: {db}"))
            assert EDITS[edit] in sentence
    assert invoke(db.parent, "sql", "SELECT 1", KGBUILD_DB=str(db)).returncode == 0
    before = db.read_bytes()
    with pytest.raises(DamagedDatabaseError):  # before the work, and not after it
        database(db).prepare("syn_qa_pairs", "builds")
    with pytest.raises(DamagedDatabaseError):
        database(db).write(Build(SYN_QA, [Built("P26", {"syn_qa_pairs": []})], SOURCE))
    assert db.read_bytes() == before


@pytest.mark.parametrize("is_cut", [True, False], ids=["cut short", "one bit"])
def test_nothing_is_written_to_a_damaged_database(db: Path, is_cut: bool) -> None:
    with duckdb.connect(str(db)) as mine:
        query = "SELECT max(block_id) FROM pragma_storage_info('syn_qa_pairs')"
        ((block,),) = mine.execute(query).fetchall()
    content = bytearray(db.read_bytes())
    place = 3 * (1 << 12) + block * (1 << 18) + 1000  # three headers precede the blocks
    if is_cut:
        del content[place:]
    content[place - is_cut] ^= 1
    db.write_bytes(content)
    opened_db = database(db)
    calls: list[Callable[[], object]] = [
        lambda: opened_db.prepare("scores"),
        lambda: opened_db.write_predictions([prediction()]),
        lambda: opened_db.write_review(answer(1)),
        opened_db.create_tables,
    ]
    for call in calls:
        with pytest.raises(DamagedDatabaseError):
            call()
    assert db.read_bytes() == content
    assert [path.name for path in db.parent.iterdir()] == [db.name]


def test_a_column_of_somebody_else_is_found_before_the_work(db: Path) -> None:
    with duckdb.connect(str(db)) as mine:
        mine.execute("ALTER TABLE predictions ADD COLUMN mine INTEGER")
        mine.execute("ALTER TABLE reviews ADD COLUMN mine INTEGER")
        mine.execute("ALTER TABLE verifications ADD COLUMN mine INTEGER")
    database(db).prepare("syn_qa_pairs", "builds")  # other tables do not matter
    with pytest.raises(DamagedDatabaseError, match="predictions has a column 'mine'"):
        database(db).prepare("predictions")
    database(db).write_review(answer(1))
    done = invoke(db.parent, "review", "syn-qa", "--agreement", KGBUILD_DB=str(db))
    assert done.returncode == 0


def test_a_database_with_only_tables_of_its_user_takes_a_build(tmp_path: Path) -> None:
    for name in ("mine", "fresh", "new of mine"):
        with duckdb.connect(str(db := tmp_path / f"{name}.duckdb")) as mine:
            mine.execute("CREATE TABLE mine AS SELECT 1 AS a")
        assert database(db).write(Build(SYN_QA, [Built("P26", {"syn_qa_pairs": []})], SOURCE)) == []
        assert database(db).sql("FROM mine").rows == [(1,)]
