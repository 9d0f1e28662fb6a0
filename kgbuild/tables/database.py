"""The database of the datasets, a DuckDB file: write builds and results, read tables, run SQL."""

import contextlib
import dataclasses
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb

from kgbuild.dump.atomic_files import make_folder
from kgbuild.errors import DamagedDatabaseError, NoDatasetsError, SqlError, WriteError
from kgbuild.rows import Build, Checked, Progress, Rejection, Row
from kgbuild.tables import builds
from kgbuild.tables.checks import check
from kgbuild.tables.connection import LONG_WAIT, SHORT_WAIT, closing, read_only, replacing, writable
from kgbuild.tables.files import Result
from kgbuild.tables.records import GrouseResult, Prediction, Review, Scored, Verification
from kgbuild.tables.reviews import Select, put_review
from kgbuild.tables.schema import comment, create
from kgbuild.tables.sql_errors import sql_error
from kgbuild.tables.verifications import put_rejections, put_verifications
from kgbuild.tables.writing import Replacement, by_rows, replace, replacements

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset

_TABLES = """
    SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() ORDER BY ALL
"""


class Database:
    """A database of datasets.

    DuckDB lets a single process write a file, or several processes read it. So each method opens
    the file and closes it again, and other processes can use it between the calls. Only ``table``
    and ``query`` keep the file open for reading, because their relations read rows when they are
    used. A write, ``close`` and the end of a ``with`` block close it; earlier relations cannot be
    used after that.

    ``folders`` are the folders of datasets (see ``kgbuild.tables.schema``) whose tables a write
    creates; it creates the tables of the build that it writes in any case. ``more`` are datasets of
    users, which the report shows, too.
    """

    def __init__(
        self,
        path: Path | str,
        folders: Sequence[Traversable] = (),
        more: "Sequence[AnyDataset]" = (),
    ):
        self.path = Path(path)
        self.more = tuple(more)
        self._folders = (*folders, *(dataset.folder for dataset in more))
        self._reader: duckdb.DuckDBPyConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if ``table`` or ``query`` opened it."""
        if self._reader:
            self._reader.close()
            self._reader = None

    def table(self, name: str) -> duckdb.DuckDBPyRelation:
        """Return a table or view as a DuckDB relation, with ``.df()``, ``.pl()`` and ``.arrow()``.

        Raises:
            NoDatasetsError: there is no database.
            SqlError: there is no such table.
            DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        """
        quoted = name.replace('"', '""')
        return self.query(f'FROM "{quoted}"')

    def query(self, text: str) -> duckdb.DuckDBPyRelation:
        """Return the result of a SELECT as a relation.

        Raises:
            NoDatasetsError, SqlError, DatabaseBusyError, DamagedDatabaseError: as for ``table``.
        """
        if self._reader is None:
            self._reader = read_only(self.path)
        try:
            return self._reader.sql(text)
        except duckdb.Error as error:
            raise self._sql_error(self._reader, error) from error

    def sql(self, text: str, memory: int | None = None) -> Result:
        """Run SQL that can only read the tables of the database.

        ``memory`` is the number of gigabytes that the query may use; by default, DuckDB uses most
        of the memory.

        Raises:
            NoDatasetsError: there is no database.
            SqlError: the SQL is wrong, or does more than reading.
            DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        """
        connection = read_only(self.path, memory=memory)
        with closing(self.path, connection):
            try:
                if (count := len(connection.extract_statements(text))) != 1:
                    raise SqlError(f"Write one statement of SQL, not {count}.")
                relation = connection.sql(text)
                if relation is None:  # a statement without a result
                    return Result([], [])
                return Result(relation.columns, relation.fetchall())
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
        seconds, by default SHORT_WAIT.

        Raises:
            NoDatasetsError: there is no database.
            DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        """
        connection = read_only(self.path, wait)

        def select(text: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
            names = {*re.findall(r"\$([a-z_]+)", text)}
            result = connection.execute(text, {name: values[name] for name in sorted(names)})
            columns = [column[0] for column in result.description or ()]
            return Result(columns, result.fetchall()).records

        with closing(self.path, connection):
            yield select

    def check(self, progress: Progress) -> Iterator[Checked]:
        """Read all tables, and yield the number of rows of each and the faults of its rows.

        The file ``check.sql`` of a dataset selects (table, fault, id of a row).

        Raises:
            NoDatasetsError: there is no database.
            DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        """
        with self.reading() as select:
            tables = [row["table_name"] for row in select(_TABLES, {})]
            faults: dict[str, list[str]] = defaultdict(list)
            for done, table in enumerate(tables):
                progress("reading the tables", done, len(tables))
                # DuckDB compares the checksum of each block that it reads.
                select(f'SELECT bit_xor(hash("{table}")) FROM "{table}"', {})  # noqa: S608
            for query in (folder / "check.sql" for folder in self._folders):
                for row in select(query.read_text("utf-8"), {}) if query.is_file() else ():
                    faults[row["table"]].append(f"{row['fault']}: {row['id']}")
            for table in tables:
                (count,) = select(f'SELECT count(*) AS rows FROM "{table}"', {})  # noqa: S608
                yield Checked(table, count["rows"], faults[table])

    def prepare(self) -> None:
        """Check that the database can be written, before long work, without changing it.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot be written.
        """
        self.close()
        self._make_folder()
        if self.path.exists():
            with writable(self.path):
                return

    def write(self, build: Build) -> None:
        """Replace the rows of the relations that were built, in a single transaction.

        The tables are sorted by relation, and the rows of a relation have the order of the build.
        So the same rows give the same table, in whatever order the relations were built.

        Raises:
            DatasetError: the rows do not fit the dataset; nothing was changed.
            DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
        """
        check(build, (*self._folders, build.dataset.folder))
        self._replace(replacements(build), build.dataset.folder)

    def write_rejections(self, build: Build) -> int:
        """Write the rejections of a build without rows, and return their number.

        Relations with a build in the database keep their rejections. Raises as ``write``.
        """
        parts = [part for part in build.parts if part.rejections]
        if self.path.exists():
            with self.reading() as select:
                parts = builds.unbuilt(select, build)
        if parts:
            new = replacements(dataclasses.replace(build, parts=parts))
            self._replace({"rejections": new["rejections"]}, build.dataset.folder)
        return sum(len(part.rejections) for part in parts)

    def write_predictions(self, predictions: Sequence[Prediction]) -> None:
        """Replace the predictions of the same models and conditions; raise as ``write``."""
        # The names of datasets and protocols have no commas, which separate the parts of a key.
        key = "dataset, model, protocol, removed, accuracy"
        self._replace_records("predictions", key, predictions)

    def write_scores(self, scores: Sequence[Scored]) -> None:
        """Replace the scores of the same answers, groups and judges; raise as ``write``."""
        self._replace_records("scores", "dataset, source, grouped_by, judge", scores)

    def write_results(self, results: Sequence[GrouseResult]) -> None:
        """Replace the results of the same judges and sources; raise as ``write``."""
        self._replace_records("grouse_results", "judge, source", results)

    def create_tables(self) -> None:
        """Create the tables that a database of an older version of kgbuild lacks.

        Raises:
            NoDatasetsError: there is no database.
            DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot be written.
        """
        with self._write_existing(replacing, SHORT_WAIT) as connection:
            create(connection, self._folders)
            comment(connection, self._folders)

    def write_verifications(self, verifications: Sequence[Verification]) -> None:
        """Replace the verdicts of the same sources on the same assumptions.

        Raises:
            NoDatasetsError, DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was
                changed.
        """
        with self._write_existing(replacing, LONG_WAIT) as connection:
            connection.begin()
            put_verifications(connection, verifications)
            connection.commit()

    def reject(
        self, dataset: "AnyDataset", rejections: Mapping[str, tuple[str, Rejection]]
    ) -> None:
        """Remove rows of a dataset from its tables, and write their rejections.

        ``rejections`` maps the id of a row to the relation or file that it was built from, and its
        rejection.

        Raises:
            NoDatasetsError, DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was
                changed.
        """
        with self._write_existing(replacing, LONG_WAIT) as connection:
            connection.begin()
            put_rejections(connection, dataset, rejections)
            connection.commit()

    def write_review(self, *reviews: Review) -> None:
        """Write the answers of a reviewer, in a single transaction.

        They replace earlier answers to the same questions; an empty answer removes the earlier
        answer. A later answer that is already in the table stays.

        Raises:
            NoDatasetsError, DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was
                changed.
        """
        # A copy for each answer would take too long in a large database.
        with self._write_existing(writable, SHORT_WAIT) as connection:
            if not connection.execute(
                "FROM duckdb_tables() WHERE table_name = 'reviews'"
            ).fetchall():
                detail = "it has no table of reviews any more. Start 'kgbuild review' anew"
                raise DamagedDatabaseError(self.path, detail)
            connection.begin()
            for review in reviews:
                put_review(connection, review)
            connection.commit()

    @contextlib.contextmanager
    def _write_existing(
        self,
        opening: Callable[[Path, float], AbstractContextManager[duckdb.DuckDBPyConnection]],
        wait: float,
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        self.close()
        if not self.path.exists():
            raise NoDatasetsError(self.path)
        with opening(self.path, wait) as connection:
            yield connection

    def _replace_records(self, table: str, key: str, records: Sequence[Any]) -> None:
        rows: list[Row] = [vars(record) for record in records]
        keys = [[row[column] for column in key.split(", ")] for row in rows]
        # Joined as concat_ws of DuckDB joins them: without NULL.
        values = {", ".join(str(part) for part in parts if part is not None) for parts in keys}
        self._replace({table: by_rows(key, sorted(values), rows)})

    def _replace(self, tables: Mapping[str, Replacement], *folders: Traversable) -> None:
        self.close()
        self._make_folder()
        replace(self.path, (*self._folders, *folders), tables)

    def _make_folder(self) -> None:
        try:
            make_folder(self.path.parent)
            tempfile.TemporaryFile(dir=self.path.parent).close()
        except OSError as error:
            raise WriteError(self.path, error.strerror or str(error)) from error

    def _sql_error(self, connection: duckdb.DuckDBPyConnection, error: duckdb.Error) -> SqlError:
        user_folders = [dataset.folder for dataset in self.more]  # no command builds them
        built = [folder.name for folder in self._folders if folder not in user_folders]
        return sql_error(connection, error, self.path, built)
