"""The door to DuckDB: the only importer of ``duckdb``. Creates, writes and reads the tables."""

import contextlib
import datetime
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

import duckdb

from kgbuild import __version__
from kgbuild.datasets.registry import DATASETS, GROUSE, Dataset
from kgbuild.errors import (
    DamagedDatabaseError,
    DatabaseBusyError,
    ForeignTablesError,
    NoDatasetsError,
    SqlError,
    TableFileError,
    WriteError,
)
from kgbuild.rows import Built, Row
from kgbuild.tables.records import GrouseResult, Prediction, Review, Scored

ENGINE = f"DuckDB {duckdb.__version__}"
"""What writes files: another version may write other bytes for the same rows."""
_OFFLINE = {
    # DuckDB would fetch an extension for a file or a function that it does not know.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_CLOSED = {
    # What a query may not do: read other files or the network.
    **_OFFLINE,
    "enable_external_access": "false",
    "lock_configuration": "true",
}
_MOMENT = 3.0
"""Seconds to wait for a process that has the database for a moment, as the review page does."""
_PATIENCE = 10.0
"""Seconds to wait for another process to let go of the database, when a build is to be kept."""


@dataclass(frozen=True)
class Source:
    """From what and with which options a build was made, for the table ``builds``."""

    seed: int
    options: Mapping[str, Any]
    dump: Sequence[Mapping[str, str]]
    store_fingerprint: str
    store_triples: int


def prepare(path: Path) -> None:
    """Make sure that the database can be written, before long work. Nothing is changed.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot.
    """
    _make_folder(path)
    if path.exists():
        with _connected(path):
            return


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


def _create(db: duckdb.DuckDBPyConnection) -> None:
    """Create the tables that are not there yet."""
    for package in ("kgbuild.tables", *(one.package for one in (*DATASETS.values(), GROUSE))):
        db.execute((resources.files(package) / "schema.sql").read_text(encoding="utf-8"))


def write(path: Path, dataset: Dataset, builds: Sequence[Built], source: Source) -> None:
    """Replace the rows of the relations that were built, and nothing else, in one transaction.

    The tables stay ordered by relation, and within one by the order of the build, so the same
    content is the same table whichever relations were built when.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
    """
    relations = [built.relation for built in builds]
    rejections: list[Row] = [
        {"dataset": dataset.name, "relation": built.relation, **rejection._asdict()}
        for built in builds
        for rejection in built.rejections
    ]
    about = [f"{dataset.name}, {relation}" for relation in relations]
    replaced: dict[str, _Replaced] = {
        **{
            table: (
                dataset.made_from,
                relations,
                [row for built in builds for row in built.tables[table]],
            )
            for table in dataset.tables
        },
        "rejections": ("dataset, relation", about, rejections),
        "builds": (
            "dataset, relation",
            about,
            [_build_row(dataset, built, source) for built in builds],
        ),
    }
    _replace(path, replaced)


def write_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Replace what these models answered by these protocols, from these pools, and nothing else.

    All goes in one transaction, and the table stays ordered by model, protocol and pool.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
    """
    rows: list[Row] = [vars(prediction) for prediction in predictions]
    told = [[row[column] for column in _ASKED.split(", ")] for row in rows]
    # Joined as DuckDB joins them: without what is NULL.
    keys = {", ".join(str(value) for value in values if value is not None) for values in told}
    _replace(path, {"predictions": (_ASKED, sorted(keys), rows)})


_ASKED = "dataset, model, protocol, removed, accuracy"
"""What predictions of one run have in common; no dataset and no protocol has a comma."""


def write_scores(path: Path, scores: Sequence[Scored]) -> None:
    """Replace the scores of the same answers, grouped and judged by the same, and nothing else.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
    """
    keys = {f"{one.dataset}, {one.source}, {one.grouped_by}, {one.judge}" for one in scores}
    rows: list[Row] = [vars(one) for one in scores]
    _replace(path, {"scores": ("dataset, source, grouped_by, judge", sorted(keys), rows)})


def write_results(path: Path, results: Sequence[GrouseResult]) -> None:
    """Replace how these judges fared in tests of these sources, and nothing else.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
    """
    keys = {f"{result.judge}, {result.source}" for result in results}
    rows: list[Row] = [vars(result) for result in results]
    _replace(path, {"grouse_results": ("judge, source", sorted(keys), rows)})


def prepare_reviews(path: Path) -> None:
    """Make sure that there is a table for reviews, in a database that may be older than it.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot be written.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    with _connected(path) as db:
        _create(db)


def write_review(path: Path, *parts: Review) -> None:
    """Keep what a reviewer says, in the place of what she said before to the same questions.

    An empty answer takes back what she said, and leaves nothing. What she answered later than
    what comes now stays. All parts of it go in one transaction.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    with _connected(path, patience=_MOMENT) as db:
        if not db.execute("FROM duckdb_tables() WHERE table_name = 'reviews'").fetchall():
            detail = "it has no table of reviews any more. Start 'kgbuild review' anew"
            raise DamagedDatabaseError(path, detail)
        db.begin()
        for review in parts:
            _put_review(db, review)
        db.commit()


_SAME = (
    "WHERE dataset = $dataset AND item_id = $item_id AND reviewer = $reviewer"
    " AND question = $question"
)


def _put_review(db: duckdb.DuckDBPyConnection, review: Review) -> None:
    said = vars(review)
    key = {name: said[name] for name in ("dataset", "item_id", "reviewer", "question")}
    later = f"FROM reviews {_SAME} AND answered_at > $at"
    if db.execute(later, {**key, "at": review.answered_at}).fetchall():
        return
    db.execute(f"DELETE FROM reviews {_SAME}", key)  # noqa: S608
    if review.answer:
        places = ", ".join("?" for _ in said)
        db.execute(
            f"INSERT INTO reviews ({', '.join(said)}) VALUES ({places})",  # noqa: S608
            [*said.values()],
        )


def _replace(path: Path, replaced: Mapping[str, "_Replaced"]) -> None:
    """Replace rows of tables, in one transaction."""
    _make_folder(path)
    with _connected(path, patience=_PATIENCE) as db:
        # What is to come is gathered in memory, before the transaction: of a table of one row
        # group (122,880 rows) or more that a transaction has made, DuckDB 2.0.0 reads nothing.
        (name,) = db.execute("SELECT current_database()").fetchall()[0]
        home = '"' + name.replace('"', '""') + '"'
        held = {table for (table,) in db.execute(_TABLES, [name]).fetchall()}
        db.execute("ATTACH ':memory:' AS fresh")
        db.execute("USE fresh")
        _create(db)
        counts = {
            table: _gather(db, table, home if table in held else None, *what)
            for table, what in replaced.items()
        }
        db.execute(f"USE {home}")
        db.begin()
        _create(db)
        for table, (key, _, _) in replaced.items():
            _put(db, table, key, counts[table])
        db.commit()


_Replaced: TypeAlias = tuple[str, list[str], list[Row]]
"""The key columns of a table, the keys of the rows to replace, and the rows that come."""
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = ?"


def _build_row(dataset: Dataset, built: Built, source: Source) -> Row:
    return {
        "dataset": dataset.name,
        "relation": built.relation,
        "kgbuild_version": __version__,
        "built_at": datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0),
        "seed": source.seed,
        "options": json.dumps(source.options, sort_keys=True),
        "dump": list(source.dump),
        "store_fingerprint": source.store_fingerprint,
        "store_triples": source.store_triples,
        "rows": built.rows,
        "rejected": len(built.rejections),
        "seconds": round(built.seconds, 2),
    }


def _gather(
    db: duckdb.DuckDBPyConnection,
    table: str,
    home: str | None,
    key: str,
    replaced: Sequence[str],
    rows: list[Row],
) -> int:
    """Gather what a table is to hold in the database in use, and return how many rows that is.

    The rows that it has in the database ``home`` stay, but for those whose ``key`` columns,
    joined, are among ``replaced``. The names of tables and columns are the program's own;
    values are bound.
    """
    columns = db.execute(
        "SELECT column_name, data_type FROM duckdb_columns()"
        " WHERE table_name = ? AND database_name = current_database() ORDER BY column_index",
        [table],
    ).fetchall()
    kept = 0
    if home:
        kept = db.execute(
            f"INSERT INTO {table} SELECT * FROM {home}.{table}"  # noqa: S608
            f" WHERE NOT list_contains(?, concat_ws(', ', {key})) ORDER BY rowid",
            [list(replaced)],
        ).fetchall()[0][0]
    if rows:
        # Column by column: a list of rows would take five times as long.
        given = ", ".join(f"unnest(CAST(? AS {data_type}[]))" for _, data_type in columns)
        db.execute(
            f"INSERT INTO {table} SELECT {given}",
            [[row.get(name) for row in rows] for name, _ in columns],
        )
    return kept + len(rows)


def _put(db: duckdb.DuckDBPyConnection, table: str, key: str, count: int) -> None:
    """Put what was gathered into a table, ordered by its key, in place of what it holds."""
    order = ", ".join(f"length(CAST({part} AS VARCHAR)), {part}" for part in key.split(", "))
    db.execute(f"DELETE FROM {table}")  # noqa: S608
    put = db.execute(
        f"INSERT INTO {table} SELECT * FROM fresh.{table} ORDER BY {order}, rowid"  # noqa: S608
    ).fetchall()[0][0]
    if put != count:
        raise duckdb.InternalException(f"of {count:,} rows of {table} only {put:,} were written")


@dataclass(frozen=True)
class Result:
    """The outcome of a user's SQL: the names of the columns, and the rows."""

    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]


def sql(path: Path, text: str) -> Result:
    """Run a user's SQL. It can read the tables, and nothing else, and change nothing.

    Raises:
        NoDatasetsError: there is no database.
        SqlError: the SQL is wrong, or wants what it may not.
        DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    with _connected(path, read_only=True) as db:
        try:
            result = db.sql(text)
            if result is None:  # a statement that gives no rows
                return Result([], [])
            return Result(result.columns, result.fetchall())
        except duckdb.Error as error:
            raise SqlError(str(error)) from error


_ALIKE = {"threads": "1"}
"""Two threads write other row groups than one does, and machines have as many as they like."""
_WRITERS = {
    # By the ending of a file, what writes it: always the same bytes for the same rows.
    ".parquet": "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 16384",
    ".jsonl": "FORMAT json",
    ".csv": "FORMAT csv, HEADER, FORCE_QUOTE *",
}


class Picked:
    """Rows that were picked out of a database, as tables in memory."""

    def __init__(self, path: Path, db: duckdb.DuckDBPyConnection):
        self._path = path
        self._db = db

    def columns(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types."""
        return {name: kind for name, kind, *_ in self._db.execute(f"DESCRIBE {table}").fetchall()}

    def sql(self, text: str) -> Result:
        """Return what a query of the program's own gives of the tables in memory.

        Raises:
            ForeignTablesError: they are not those that it is about.
        """
        try:
            result = self._db.sql(text)
            return Result(result.columns, result.fetchall())
        except duckdb.Error as error:
            raise _meant(self._path, error) from error

    def write(self, text: str, file: Path) -> None:
        """Write what a query of the program's own gives into a new file, by its ending.

        Raises:
            WriteError: the file cannot be written.
        """
        name = str(file).replace("'", "''")
        try:
            self._db.execute(f"COPY ({text}) TO '{name}' ({_WRITERS[file.suffix]})")
        except duckdb.IOException as error:
            number = re.search(r'"errno":"(\d+)"', str(error))
            raise WriteError(file, os.strerror(int(number[1])) if number else str(error)) from error


@dataclass(frozen=True)
class Chosen:
    """What of a dataset is picked: the rows of these ids, with the texts by id and column."""

    ids: Collection[str]
    texts: Mapping[str, Mapping[str, str]]


@contextlib.contextmanager
def picked(
    path: Path, dataset: Dataset, queries: Mapping[str, str], key: str, chosen: Chosen | None
) -> Iterator[Picked]:
    """Hold what queries of the program's own give, by the name of the table that it becomes.

    If something is chosen, only rows whose ``key`` is one of its ids are there, and the queries see
    its texts in the first table of the dataset. The database itself is closed again before
    anything is done with them.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    with duckdb.connect(config={**_OFFLINE, **_ALIKE}) as db:
        name = str(path).replace("'", "''")
        try:
            db.execute(f"ATTACH '{name}' AS home (READ_ONLY)")
            db.execute("SET search_path = 'memory.main,home.main'")
            if chosen:
                _reword(db, dataset.tables[0], key, chosen)
            for table, query in queries.items():
                db.execute(f"CREATE TABLE memory.{table} AS {query}")
                if chosen:
                    db.execute(
                        f"DELETE FROM {table} WHERE ({key} NOT IN (SELECT unnest(?)))",  # noqa: S608
                        [[*chosen.ids]],
                    )
            db.execute("USE memory")
            db.execute("DETACH home")
        except duckdb.Error as error:
            raise _meant(path, error) from error
        yield Picked(path, db)


def _reword(db: duckdb.DuckDBPyConnection, table: str, key: str, chosen: Chosen) -> None:
    """Make a copy of a table in memory that has the chosen texts, where it has such columns."""
    db.execute(f"CREATE TABLE memory.{table} AS FROM home.{table} ORDER BY rowid")
    known = {name for name, kind, *_ in db.execute(f"DESCRIBE {table}").fetchall() if kind == _TEXT}
    for one, texts in chosen.texts.items():
        for column in known & texts.keys():
            db.execute(
                f'UPDATE {table} SET "{column}" = ? WHERE ({key} = ?)',  # noqa: S608
                [texts[column], one],
            )


_TEXT = "VARCHAR"


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    """Return all rows of a table, in their order."""
    result = sql(path, f"SELECT * FROM {table} ORDER BY rowid")  # noqa: S608
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


Select: TypeAlias = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]
"""What runs a query: its text, and values by name. It returns the rows by column."""


@contextlib.contextmanager
def reading(path: Path, patience: float | None = None) -> Iterator[Select]:
    """Open the database for several queries, between which nobody can change it.

    Another process that has it is waited for as long as ``patience`` says, in seconds; a moment,
    if it doesn't.

    Gives what runs a query: its text, and values for what it names with a dollar sign; other
    values may be there too. It returns the rows by column.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    with _connected(path, read_only=True, patience=patience) as db:

        def select(text: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
            named = {*re.findall(r"\$([a-z_]+)", text)}
            result = db.execute(text, {name: values[name] for name in sorted(named)})
            columns = [column[0] for column in result.description or ()]
            return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]

        yield select


def reviews(select: Select, dataset: str) -> list[Review]:
    """Return what reviewers said of a dataset, the oldest first; of an open database.

    There is none in a database that is older than the table.
    """
    if not select("FROM duckdb_tables() WHERE table_name = 'reviews'", {}):
        return []
    text = "FROM reviews WHERE dataset = $dataset ORDER BY answered_at, rowid"
    return [Review(**row) for row in select(text, {"dataset": dataset})]


_CSV = (
    # Without a skip of 0, first lines with fewer fields than the others would be left out.
    "skip = 0, header = true, all_varchar = true, quote = '\"', escape = '\"', comment = '', "
    "hive_partitioning = false"
)
FORMATS = {
    # By the ending of a file, what reads it. Folders that look like "model=x" give no columns.
    ".jsonl": "read_json(?, sample_size = -1, hive_partitioning = false)",
    ".json": "read_json(?, sample_size = -1, hive_partitioning = false)",
    ".csv": f"read_csv(?, delim = ',', {_CSV})",
    ".tsv": f"read_csv(?, delim = '\t', {_CSV})",
    ".parquet": "read_parquet(?, hive_partitioning = false)",
}


def read_file(path: Path) -> Result:
    """Return what a user's file holds, by its ending: JSON, JSON Lines, CSV, TSV or Parquet.

    The name is a value, never a part of the SQL, and names one file on the disk, even where it
    looks like a pattern or an address. In CSV and TSV all values are texts.

    Raises:
        TableFileError: it has another ending, or does not hold what it ends with.
    """
    reader = FORMATS.get(path.suffix.lower())
    if reader is None:
        raise TableFileError(path, f"its name ends with none of {', '.join(FORMATS)}")
    name = re.sub(r"[*?\[]", r"[\g<0>]", str(path.absolute()))
    with duckdb.connect(config=dict(_OFFLINE)) as db:
        try:
            result = db.sql(f"FROM {reader}", params=[name])
            return Result(result.columns, result.fetchall())
        except (duckdb.Error, UnicodeDecodeError) as error:
            raise TableFileError(path, _fault(path, str(error))) from error


def _fault(path: Path, message: str) -> str:
    """Return what DuckDB finds wrong with a file, without its advice on SQL."""
    if "Malformed JSON" in message and (line := _malformed(path.read_bytes())):
        return f"Malformed JSON in {line}"
    if "sniffing" in message:
        with path.open("rb") as file:
            if file.read(2) in (b"\xff\xfe", b"\xfe\xff"):
                return "it is UTF-16; save it as UTF-8"
        return "its lines differ in their number of fields, or quotes are not closed"
    return (
        re.split(r"[.\s]+(?:Possible |LINE 1|Try )", message.partition(": ")[2])[0]
        .replace("\n", " ")
        .rstrip(". ")
    )


def _malformed(text: bytes) -> str:
    """Return in which line a list, or lines, are no JSON; an empty text if that is not found.

    DuckDB 2.0.0 tells the line after it, and does not count empty ones.
    """
    parts = [text] if text.lstrip()[:1] == b"[" else text.split(b"\n")
    for number, part in enumerate(parts, 1):
        try:
            if part.strip():
                json.loads(part)
        except UnicodeDecodeError as error:
            return f"line {number + part[: error.start].count(10)}: it is no UTF-8"
        except json.JSONDecodeError as error:
            what = error.msg.removesuffix(" at").removesuffix(" starting")
            return f"line {number + error.lineno - 1}: {what}"
        except RecursionError:
            return ""
    return ""


@contextlib.contextmanager
def _connected(
    path: Path, read_only: bool = False, patience: float | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the database, and close it soon: while it is open, nobody else can open it."""
    waiting = _MOMENT if patience is None else patience
    db = _connect(path, read_only, time.monotonic() + waiting)
    try:
        yield db
    except duckdb.Error as error:
        raise _meant(path, error) from error
    finally:
        with contextlib.suppress(duckdb.Error):  # what broke has been raised already
            db.close()


def _connect(path: Path, read_only: bool, until: float) -> duckdb.DuckDBPyConnection:
    config: dict[str, Any] = dict(_CLOSED if read_only else _OFFLINE)
    while True:
        try:
            return duckdb.connect(str(path), read_only=read_only, config=config)
        except duckdb.Error as error:
            meant = _meant(path, error)
            if not isinstance(meant, DatabaseBusyError) or time.monotonic() > until:
                raise meant from error
            time.sleep(0.1)


def _meant(path: Path, error: duckdb.Error) -> Exception:
    """Return the error of ours that one of DuckDB's stands for."""
    message = str(error)
    if holder := re.search(r"Conflicting lock is held in (.*?\(PID \d+\))", message):
        return DatabaseBusyError(path, holder[1])
    if "Could not set lock" in message:
        return DatabaseBusyError(path, "another process")
    if "xtension" in message:  # it would read the file as one of another kind
        return DamagedDatabaseError(path, "it is not a DuckDB database")
    if isinstance(error, duckdb.BinderException | duckdb.CatalogException):
        return ForeignTablesError(path, re.split(r"!(?:\s|$)|\n", message.partition(": ")[2])[0])
    if "not a valid DuckDB database" in message or isinstance(error, duckdb.SerializationException):
        return DamagedDatabaseError(path, message)
    if isinstance(error, duckdb.IOException) or "could not write" in message.lower():
        return WriteError(path, message)
    return DamagedDatabaseError(path, message)
