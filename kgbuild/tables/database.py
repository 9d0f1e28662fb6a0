"""The database of the datasets, a DuckDB file: write builds and results, read tables, run SQL."""

import contextlib
import dataclasses
import datetime
import os
import re
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

import duckdb

from kgbuild.calls import Count, checked
from kgbuild.errors import (
    DamagedDatabaseError,
    KgbuildError,
    NoDatasetsError,
    SqlError,
    UnknownTableError,
    WriteError,
    foreign_tables,
)
from kgbuild.files import outputs
from kgbuild.files.atomic_files import make_folder, replaced
from kgbuild.notebook_tables import html_table
from kgbuild.rows import Build, Checked, DatasetTables, Progress, Rejection, Row
from kgbuild.tables.checks import check
from kgbuild.tables.connection import (
    LONG_WAIT,
    closing,
    read_only,
    reading_all,
    replacing,
    to_kgbuild_error,
    writable,
)
from kgbuild.tables.earlier import CONDITION, of_other_items, other_files, scores_of_others, unbuilt
from kgbuild.tables.files import Result
from kgbuild.tables.quoting import quoted
from kgbuild.tables.records import GrouseResult, Prediction, Review, Scored, Verification
from kgbuild.tables.reviews import Select, find_table, put_review, selecting
from kgbuild.tables.shape import complete, faults, is_older, require_writable, written
from kgbuild.tables.snapshot import Snapshot, Subset, snapshot
from kgbuild.tables.sql_errors import sql_error
from kgbuild.tables.verifications import put_rejections, put_verifications
from kgbuild.tables.writing import Replacement, by_rows, replace, replacements

_TABLES = """
    SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() ORDER BY ALL
"""
_SIZES = """
    SELECT table_name AS "table", estimated_size AS "rows" FROM duckdb_tables()
    WHERE database_name = current_database() AND estimated_size > 0 ORDER BY ALL
"""
_PREDICTIONS = f"""
    SELECT {", ".join(field.name for field in dataclasses.fields(Prediction))} FROM predictions
    ORDER BY rowid
"""  # noqa: S608
_SCORES = f"""
    SELECT {", ".join(f'"{field.name}"' for field in dataclasses.fields(Scored))} FROM scores
    WHERE source = 'predictions' ORDER BY rowid
"""  # noqa: S608
_SCORED = "dataset, source, grouped_by, judge"
"""The key of ``scores``."""
_reading: "weakref.WeakSet[Database]" = weakref.WeakSet()
"""The databases that opened their file for ``table`` or ``query``."""


@checked
class Database:
    """A database of datasets.

    DuckDB lets a single process write a file, or several processes read it. So each method opens
    the file and closes it again, and other processes can use it between the calls. Only ``table``
    and ``query`` keep the file open for reading, because their relations read rows when they are
    used. A write, a snapshot, ``close`` and the end of a ``with`` block close it; earlier relations
    cannot be used after that. A write also closes what other objects of the same file have open.

    Results of long work wait for other processes as long as it takes. If the wait is interrupted,
    the rows are written to a new database beside this one.

    ``folders`` are the folders of datasets (see ``kgbuild.tables.schema``) whose tables a write
    creates; it creates the tables of the build that it writes in any case. ``more`` are datasets of
    users, which the report shows, too. ``notice`` is called with a sentence when another process
    makes such a write wait, and when rows are written elsewhere.

    Methods raise a NoDatasetsError if they need a database and there is none, a DatabaseBusyError
    if another process uses it, a DamagedDatabaseError if it cannot be read, and a WriteError if it
    cannot be written, and a WrongCallError if it would lie in a store; a write that fails has
    changed nothing. Each method names its other errors.
    """

    def __init__(
        self,
        path: Path | str,
        folders: Sequence[Traversable] = (),
        more: Sequence[DatasetTables] = (),
        notice: Callable[[str], None] = lambda _: None,
    ):
        self.path = Path(path)
        self.more = tuple(more)
        self._folders = (*folders, *(dataset.folder for dataset in more))
        self._notice = notice
        self._reader: duckdb.DuckDBPyConnection | None = None
        self.is_closed = False

    def __repr__(self) -> str:
        return f"<Database {self.path}>"

    def _repr_html_(self) -> str:
        try:
            rows = self.read(_SIZES).records if self.path.exists() else []
        except KgbuildError as error:  # another process writes it, say
            rows = [{"error": str(error)}]
        return html_table(repr(self), rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the object cannot be used after that."""
        self._close_reader()
        self.is_closed = True

    def _close_reader(self) -> None:
        """Close the file, if ``table`` or ``query`` opened it."""
        if self._reader:
            self._reader.close()
            self._reader = None

    def _close_readers(self) -> None:
        """Close the file in all databases of this process, also in those that nobody uses.

        A notebook that is run again makes a second object, while results hold the first one.
        """
        for database in [*_reading]:
            if database.path.resolve() == self.path.resolve():
                database._close_reader()

    def table(self, name: str) -> duckdb.DuckDBPyRelation:
        """Return a table or view as a DuckDB relation, with ``.df()``, ``.pl()`` and ``.arrow()``.

        Raises:
            SqlError: there is no such table.
        """
        return self.query(f"FROM {quoted(name)}")

    def query(self, text: str) -> duckdb.DuckDBPyRelation:
        """Return the result of a SELECT as a relation."""
        if self._reader is None:
            self._reader = read_only(self.path)
            _reading.add(self)
        try:
            return self._reader.sql(text)
        except duckdb.Error as error:
            raise self._sql_error(self._reader, error) from error

    def sql(self, text: str, memory: Count | None = None) -> Result:
        """Run SQL that can only read the tables of the database.

        ``memory`` is the number of gigabytes that the query may use; by default, DuckDB uses most
        of the memory.

        Raises:
            SqlError: the SQL is wrong, or does more than reading.
        """
        with closing(self.path, read_only(self.path, memory=memory)) as connection:
            try:
                if (count := len(connection.extract_statements(text))) != 1:
                    raise SqlError(f"Write one statement of SQL, not {count}.")
                relation = connection.sql(text)
                if relation is None:  # a statement without a result
                    return Result([], [])
                types = [*map(str, relation.types)]
                return Result(relation.columns, relation.fetchall(), types)
            except OverflowError as error:  # such as an interval of a million years
                raise SqlError(f"Python has no such value: {error}. Cast it to VARCHAR.") from error
            except duckdb.Error as error:
                raise self._sql_error(connection, error) from error

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return all rows of a table, in their order."""
        return self.sql(f"SELECT * FROM {table} ORDER BY rowid").records  # noqa: S608

    @contextlib.contextmanager
    def reading(self, wait: float | None = None) -> Iterator[Select]:
        """Open the database for several queries; no process can change it during the block.

        The function that it yields runs a query, in which names after a dollar sign are replaced by
        values, and returns its rows as dicts. If another process writes, it waits for ``wait``
        seconds, by default SHORT_WAIT. Other reads in the block do not start DuckDB again.
        """
        with closing(self.path, read_only(self.path, wait)) as connection:
            self._check(connection, "")
            select = selecting(connection)

            def checked(text: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
                self._check(connection, text)
                return select(text, values)

            yield checked

    def check(self, progress: Progress) -> Iterator[Checked]:
        """Read all tables, and yield the number of rows of each and the faults of its rows.

        The file ``check.sql`` of a dataset selects (table, fault, id of a row).
        """
        with self.reading() as select:
            tables = [row["table_name"] for row in select(_TABLES, {})]
            faults: dict[str, list[str]] = defaultdict(list)
            for done, table in enumerate(tables):
                progress("reading the tables", done, len(tables))
                select(reading_all(table), {})
            for query in (folder / "check.sql" for folder in self._folders):
                for row in select(query.read_text("utf-8"), {}) if query.is_file() else ():
                    faults[row["table"]].append(f"{row['fault']}: {row['id']}")
            for table in tables:
                (count,) = select(f'SELECT count(*) AS rows FROM "{table}"', {})  # noqa: S608
                yield Checked(table, count["rows"], faults[table])

    def read(self, text: str, **values: Any) -> Result:
        """Return the result of a query of kgbuild, which may read its own tables only.

        Names after a dollar sign are replaced by ``values``.

        Raises:
            UnknownTableError: a table was not built yet.
        """
        with closing(self.path, read_only(self.path)) as connection:
            self._check(connection, text)
            try:
                result = connection.execute(text, values)
                columns = [column[0] for column in result.description or ()]
                return Result(columns, result.fetchall())
            except duckdb.CatalogException as error:
                told = self._sql_error(connection, error)
                raise (told if isinstance(told, UnknownTableError) else error) from error

    @contextlib.contextmanager
    def snapshot(
        self, queries: Mapping[str, str], key: str, subset: Subset | None = None
    ) -> Iterator[Snapshot]:
        """Close the file, and copy the results of queries into memory: see ``snapshot``."""
        self._close_readers()
        with closing(self.path, read_only(self.path)) as connection:
            self._check(connection, " ".join(queries.values()))
        with snapshot(self.path, queries, key, subset) as tables:
            yield tables

    def _check(self, connection: duckdb.DuckDBPyConnection, text: str) -> None:
        """Check that the tables that a query of kgbuild names have the columns that it expects.

        Raises:
            DamagedDatabaseError: somebody changed them.
        """
        wrong = faults(connection, self.path, self._folders)
        for table in wrong.keys() & {*re.findall(r"\w+", text)}:
            raise foreign_tables(self.path, wrong[table])

    def prepare(self, *tables: str) -> None:
        """Check that these tables can be written, before long work, without changing anything.

        All tables are read, to find damage.
        """
        self._close_readers()
        self._make_folder()
        if self.path.exists():
            with writable(self.path) as connection:
                require_writable(connection, self.path, self._folders, tables)

    def write(self, build: Build) -> list[str]:
        """Replace the rows of the relations that were built, in a single transaction.

        The tables are sorted by relation, and the rows of a relation have the order of the build.
        So the same rows give the same table, in whatever order the relations were built. Returns
        the files of the build that had rows of another file of the same name.

        Raises:
            WrongCallError: the rows do not fit the dataset.
        """
        check(build, self._with(build.dataset.folder))
        new = replacements(build)
        with self._replacing(new, build.dataset.folder) as connection:
            other = other_files(selecting(connection), build)
            replace(connection, new)
        return other

    def write_rejections(self, build: Build) -> int:
        """Write the rejections of a build without rows, and return their number.

        Relations with a build in the database keep their rejections. Raises as ``write``.
        """
        parts = [part for part in build.parts if part.rejections]
        if not parts:
            return 0

        def rejections() -> dict[str, Replacement]:
            new = replacements(dataclasses.replace(build, parts=parts))
            return {"rejections": new["rejections"]}

        with self._replacing(rejections(), build.dataset.folder) as connection:
            parts = unbuilt(selecting(connection), build)
            replace(connection, rejections())
        return sum(len(part.rejections) for part in parts)

    def write_predictions(self, predictions: Sequence[Prediction]) -> int:
        """Replace the predictions of the same models and conditions; raise as ``write``.

        Those to other items stay if they are of the same runs: see ``of_other_items``. Scores of
        answers that changed are removed. Returns the number of replaced predictions of other runs.
        """

        def rows(records: Sequence[Prediction]) -> dict[str, Replacement]:
            # The names of datasets and protocols have no commas, which separate parts of a key.
            return {"predictions": _by_records(CONDITION, records)}

        with self._replacing(rows(predictions)) as connection:
            require_writable(connection, self.path, self._folders, ["scores"])
            select = selecting(connection)
            earlier = [Prediction(**row) for row in select(_PREDICTIONS, {})]
            scores = [Scored(**row) for row in select(_SCORES, {})]
            kept, replaced_rows = of_other_items(earlier, predictions)
            new = rows([*predictions, *kept])
            valid = scores_of_others(scores, earlier, [*predictions, *kept])
            if len(valid) < len(scores):
                keys = _by_records(_SCORED, scores).values
                new["scores"] = by_rows(_SCORED, keys, [vars(score) for score in valid])
            replace(connection, new)
        return replaced_rows

    def write_scores(self, scores: Sequence[Scored]) -> None:
        """Replace the scores of the same answers, groups and judges; raise as ``write``."""
        self._replace_records("scores", _SCORED, scores)

    def write_results(self, results: Sequence[GrouseResult]) -> None:
        """Replace the results of the same judges and sources; raise as ``write``."""
        self._replace_records("grouse_results", "judge, source", results)

    def create_tables(self) -> None:
        """Create the tables that a database of an older version of kgbuild lacks.

        A database that has them all is not changed.
        """
        with writable(self._existing()) as connection:
            if not is_older(connection, self._folders):
                return
        with replacing(self.path) as connection:
            complete(connection, self._folders)

    def write_verifications(self, verifications: Sequence[Verification]) -> None:
        """Replace the verdicts of the same sources on the same assumptions."""
        with replacing(self._existing(), LONG_WAIT, self._tell_wait()) as connection:
            connection.begin()
            put_verifications(connection, verifications)
            connection.commit()

    def reject(
        self, dataset: DatasetTables, rejections: Mapping[str, tuple[str, Rejection]]
    ) -> None:
        """Remove rows of a dataset from its tables, and write their rejections.

        ``rejections`` maps the id of a row to the relation or file that it was built from, and its
        rejection.
        """
        with replacing(self._existing(), LONG_WAIT, self._tell_wait()) as connection:
            connection.begin()
            put_rejections(connection, dataset, rejections)
            connection.commit()

    def write_review(self, *reviews: Review) -> None:
        """Write the answers of a reviewer, in a single transaction.

        They replace earlier answers to the same questions; an empty answer removes the earlier
        answer. A later answer that is already in the table stays.
        """
        # A copy for each answer would take too long in a large database.
        with writable(self._existing()) as connection:
            if not connection.execute(find_table("reviews")).fetchall():
                detail = "it has no table of reviews any more. Start 'kgbuild review' anew"
                raise DamagedDatabaseError(self.path, detail)
            connection.begin()
            for review in reviews:
                put_review(connection, review)
            connection.commit()

    def _existing(self) -> Path:
        self._close_readers()
        if not self.path.exists():
            raise NoDatasetsError(self.path)
        return self.path

    def _replace_records(self, table: str, key: str, records: Sequence[Any]) -> None:
        new = {table: _by_records(key, records)}
        with self._replacing(new) as connection:
            replace(connection, new)

    @contextlib.contextmanager
    def _replacing(
        self, new: Mapping[str, Replacement], *folders: Traversable
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a connection for ``replace``, after creating the tables that do not exist.

        If it is interrupted before the database was replaced, the ``new`` rows are written to a new
        database beside this one.
        """
        self._close_readers()
        self._make_folder()
        folders = self._with(*folders)
        target = self.path.resolve()
        before = replaced[target]
        try:
            with replacing(target, LONG_WAIT, self._tell_wait()) as connection:
                require_writable(connection, self.path, folders, new)
                complete(connection, folders)
                yield connection
            written(target, folders)
        except (KeyboardInterrupt, RuntimeError):  # DuckDB's error if a signal ends a query
            if replaced[target] > before:
                raise
            now = datetime.datetime.now(datetime.UTC)
            ending = f".unwritten-{now:%Y%m%dT%H%M%S}-{os.getpid()}{self.path.suffix}"
            other = self.path.with_name(self.path.stem + ending)
            with replacing(other) as connection:
                complete(connection, folders)
                replace(connection, new)
            self._notice(f"The rows are in {other} instead. Pass it with --db to use them.")
            raise

    def _with(self, *folders: Traversable) -> tuple[Traversable, ...]:
        return tuple(dict.fromkeys((*self._folders, *folders)))

    def _tell_wait(self) -> Callable[[str], None]:
        """Return a function that tells once who makes a write wait."""
        told: list[str] = []

        def tell(holder: str) -> None:
            if not told:
                self._notice(f"{self.path} is held by {holder}. The rows wait until it is free.")
            told.append(holder)

        return tell

    def _make_folder(self) -> None:
        outputs.refuse_store(self.path.resolve().parent, self.path)
        try:
            make_folder(self.path.parent)
            tempfile.TemporaryFile(dir=self.path.parent).close()
        except OSError as error:
            raise WriteError(self.path, error.strerror or str(error)) from error

    def _sql_error(
        self, connection: duckdb.DuckDBPyConnection, error: duckdb.Error
    ) -> BaseException:
        if isinstance(error, duckdb.IOException):  # the file is cut short, say
            return to_kgbuild_error(self.path, error)
        user_folders = [dataset.folder for dataset in self.more]  # no command builds them
        built = [folder.name for folder in self._folders if folder not in user_folders]
        return sql_error(connection, error, self.path, built)


def _by_records(key: str, records: Sequence[Any]) -> Replacement:
    """Return a replacement that has new records for the values of a key that they have."""
    rows: list[Row] = [vars(record) for record in records]
    keys = [[row[column] for column in key.split(", ")] for row in rows]
    # Joined as concat_ws of DuckDB joins them: without NULL.
    values = {", ".join(str(part) for part in parts if part is not None) for parts in keys}
    return by_rows(key, sorted(values), rows)
