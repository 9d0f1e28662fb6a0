"""The database of the datasets, a DuckDB file: write builds and results, read tables, run SQL."""

import contextlib
import difflib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb

from kgbuild.errors import (
    DamagedDatabaseError,
    NoDatasetsError,
    SqlError,
    UnknownTableError,
    WriteError,
)
from kgbuild.rows import Build, Rejection, Row
from kgbuild.tables.checks import check
from kgbuild.tables.connection import LONG_WAIT, closing, read_only, writable
from kgbuild.tables.files import Result
from kgbuild.tables.records import GrouseResult, Prediction, Review, Scored, Verification
from kgbuild.tables.reviews import Select, put_review
from kgbuild.tables.schema import comment, create
from kgbuild.tables.verifications import put_rejections, put_verifications
from kgbuild.tables.writing import Replacement, by_rows, replace, replacements

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset

_NAMES = """
    SELECT table_name FROM duckdb_tables()
    UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal
    ORDER BY ALL
"""
_NO_TABLE = re.compile(r"Table with name (\w+) does not exist")


class Database:
    """A database of datasets.

    Each method opens the file and closes it again, so that others can use it meanwhile: DuckDB
    lets one process write, or several read. Only ``table`` and ``query`` keep it open for
    reading, as their relations read rows when they are used; writing closes it, since a process
    cannot open a file in two ways, and earlier relations cannot be used any more. So does
    ``close``, and the end of a ``with`` block.

    ``folders`` are those of datasets (see ``kgbuild.tables.schema``) whose tables are created
    when something is written; the tables of a build that is written are created in any case.
    ``more`` are datasets of users, which the report shows, too.
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
        """Return a table or view as a relation, which gives ``.df()``, ``.pl()``, ``.arrow()``.

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
        """Run SQL, which can read the tables, and nothing else, and change nothing.

        ``memory`` is how many gigabytes the query may take; by default, most of the machine's.

        Raises:
            NoDatasetsError: there is no database.
            SqlError: the SQL is wrong, or does what it may not.
            DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        """
        connection = read_only(self.path, memory=memory)
        with closing(self.path, connection):
            try:
                if (count := len(connection.extract_statements(text))) != 1:
                    raise SqlError(f"Write one statement of SQL, not {count}.")
                relation = connection.sql(text)
                if relation is None:  # a statement that gives no rows
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
        """Open the database for several queries, between which nobody can change it.

        The function that it yields runs a query, with values for the names in it that begin with
        a dollar sign, and returns the rows by column. It waits for another process that writes:
        ``wait`` seconds, or else a short time.

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

    def prepare(self) -> None:
        """Check that the database can be written, before long work. Nothing is changed.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot.
        """
        self.close()
        self._make_folder()
        if self.path.exists():
            with writable(self.path):
                return

    def write(self, build: Build) -> None:
        """Replace the rows of the relations that were built, and nothing else, in one transaction.

        The tables stay ordered by relation, and within one by the order of the build, so the same
        content is the same table whichever relations were built when.

        Raises:
            DatasetError: the rows do not fit the dataset; nothing was changed.
            DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
        """
        check(build, (*self._folders, build.dataset.folder))
        self._replace(replacements(build), build.dataset.folder)

    def write_predictions(self, predictions: Sequence[Prediction]) -> None:
        """Replace the predictions of the same models, protocols and pools; raise as ``write``."""
        # No dataset and no protocol has a comma in its name.
        key = "dataset, model, protocol, removed, accuracy"
        self._replace_records("predictions", key, predictions)

    def write_scores(self, scores: Sequence[Scored]) -> None:
        """Replace the scores of the same answers, groups and judges; raise as ``write``."""
        self._replace_records("scores", "dataset, source, grouped_by, judge", scores)

    def write_results(self, results: Sequence[GrouseResult]) -> None:
        """Replace the results of the same judges and sources; raise as ``write``."""
        self._replace_records("grouse_results", "judge, source", results)

    def create_tables(self) -> None:
        """Create the tables that the database lacks since it is older than they.

        Raises:
            NoDatasetsError: there is no database.
            DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot be written.
        """
        with self._existing() as connection:
            create(connection, self._folders)
            comment(connection, self._folders)

    def write_verifications(self, verifications: Sequence[Verification]) -> None:
        """Write verdicts in place of those on the same assumptions by the same source.

        Raises:
            NoDatasetsError, DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was
                changed.
        """
        with self._existing(LONG_WAIT) as connection:
            connection.begin()
            put_verifications(connection, verifications)
            connection.commit()

    def reject(
        self, dataset: "AnyDataset", rejections: Mapping[str, tuple[str, Rejection]]
    ) -> None:
        """Remove rows of a dataset's first table, by their ids, and write why.

        A rejection comes with the relation or file that the row was built from.

        Raises:
            NoDatasetsError, DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was
                changed.
        """
        with self._existing(LONG_WAIT) as connection:
            connection.begin()
            put_rejections(connection, dataset, rejections)
            connection.commit()

    def write_review(self, *reviews: Review) -> None:
        """Write what a reviewer answers, in place of earlier answers to the same questions.

        An empty answer takes back the earlier one, and leaves nothing. An answer given later
        than the new one stays. All go in one transaction.

        Raises:
            NoDatasetsError, DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was
                changed.
        """
        with self._existing() as connection:
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
    def _existing(self, wait: float | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        self.close()
        if not self.path.exists():
            raise NoDatasetsError(self.path)
        with writable(self.path, wait) as connection:
            yield connection

    def _replace_records(self, table: str, key: str, records: Sequence[Any]) -> None:
        rows: list[Row] = [vars(record) for record in records]
        keys = [[row[column] for column in key.split(", ")] for row in rows]
        # Joined as DuckDB joins them: without what is NULL.
        values = {", ".join(str(part) for part in parts if part is not None) for parts in keys}
        self._replace({table: by_rows(key, sorted(values), rows)})

    def _replace(self, tables: Mapping[str, Replacement], *folders: Traversable) -> None:
        self.close()
        self._make_folder()
        replace(self.path, (*self._folders, *folders), tables)

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self.path.parent).close()
        except OSError as error:
            raise WriteError(self.path, error.strerror or str(error)) from error

    def _sql_error(self, connection: duckdb.DuckDBPyConnection, error: duckdb.Error) -> SqlError:
        """Return the error of a user's SQL; of an unknown table, with the most similar names."""
        message = str(error)
        unknown = _NO_TABLE.search(message)
        if isinstance(error, duckdb.PermissionException) or "read-only mode" in message:
            message = f"SQL can only read the tables of {self.path}: {message}"
        if unknown is None:
            return SqlError(message)
        names = [name for (name,) in connection.execute(_NAMES).fetchall()]
        table = unknown[1]
        near = difflib.get_close_matches(table.lower(), names, n=3)
        own = [dataset.folder for dataset in self.more]  # which no command builds
        folders = [folder for folder in self._folders if folder not in own]
        builders = (f.name for f in folders if table.lower().startswith(f"{f.name}_"))
        command = next(builders, "").replace("_", "-")
        return UnknownTableError(message, self.path, table, near, command)
