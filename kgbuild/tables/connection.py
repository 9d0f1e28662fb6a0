"""Open a DuckDB database, and turn DuckDB's errors into errors of kgbuild."""

import contextlib
import functools
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from kgbuild.dump import atomic_files
from kgbuild.errors import (
    DamagedDatabaseError,
    DatabaseBusyError,
    ForeignTablesError,
    NoDatasetsError,
    OutOfMemoryError,
    OutputBusyError,
    WriteError,
)

ENGINE = f"DuckDB {duckdb.__version__}"
"""The engine that writes files; another version may write other bytes for the same rows."""
OFFLINE = {
    # Without these, DuckDB downloads an extension for an unknown kind of file or function.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_READ_ONLY = {
    # SQL of users must not read other files or the network.
    **OFFLINE,
    "enable_external_access": "false",
}
_NO_LOG = {
    # A commit writes into the database at once. DuckDB cannot read a log of which a power cut kept
    # only some pages, and each connection writes once, so a log would save no time.
    **OFFLINE,
    "checkpoint_threshold": "0B",
}
_SKIPPED_LOG = "auto_checkpoint_skip_wal_threshold"
"""The setting of newer versions of DuckDB for the size of a write that needs no log."""
UTC = "SET TimeZone = 'UTC'"
"""SQL that makes times with a zone the same on every machine. A ``config`` cannot have it."""
# DuckDB wants an extension for some other kinds of files.
_FOREIGN_FILE = re.compile(r"[Ee]xtension|not a valid DuckDB database")
_NO_DATABASE = "it is not a DuckDB database. Name another file with --db."
SHORT_WAIT = 3.0
"""Seconds to wait for another process that uses the database, such as the review page."""
LONG_WAIT = 10.0
"""Seconds to wait for another process before writing the result of a long build."""


def read_only(
    path: Path, wait: float | None = None, memory: int | None = None
) -> duckdb.DuckDBPyConnection:
    """Open a database for reading, also by SQL of users.

    Queries wait at most ``wait`` seconds for another process, and use at most ``memory`` gigabytes.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError: it cannot be read.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    connection = _connect(path, wait, read_only=True, config={**_READ_ONLY})
    if memory:
        connection.execute(f"SET memory_limit = '{memory}GB'")
    connection.execute(f"{UTC}; SET lock_configuration = true")
    return connection


@contextlib.contextmanager
def writable(path: Path, wait: float | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database for writing, and close it again.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot be written.
    """
    connection = _connect(path, wait, read_only=False, config=_without_log())
    with closing(path, connection):
        yield connection


@functools.cache
def _without_log() -> dict[str, str]:
    """Return the settings of writing connections, as far as this version of DuckDB has them."""
    query = "SELECT name FROM duckdb_settings() WHERE name = ?"
    with duckdb.connect() as connection:
        names = connection.execute(query, [_SKIPPED_LOG]).fetchall()
    return {**_NO_LOG, **{name: "0" for (name,) in names}}


@contextlib.contextmanager
def replacing(path: Path, wait: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a copy of a database, or a new one, which replaces it at the end of the block.

    So neither an error nor a power cut changes the old database: DuckDB itself writes over blocks
    of 256 KiB that are in use, and a disk may write only a part of them. The database is locked
    meanwhile; ``wait`` is the number of seconds to wait for another process.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
    """
    path = path.resolve()  # a symbolic link stays
    with contextlib.ExitStack() as stack:
        copy = stack.enter_context(_partial_folder(path, wait)) / path.name
        if path.exists():
            stack.enter_context(writable(path, wait)).execute("CHECKPOINT")
            with atomic_files.write_errors(path):
                shutil.copy(path, copy)
        with writable(copy) as connection:
            yield connection
        with atomic_files.write_errors(path):
            atomic_files.sync(copy)
            atomic_files.publish(copy, path)


@contextlib.contextmanager
def _partial_folder(path: Path, wait: float) -> Iterator[Path]:
    deadline = time.monotonic() + wait
    with contextlib.ExitStack() as stack:
        while True:
            try:
                folder = stack.enter_context(atomic_files.partial_folder(path))
                break
            except OutputBusyError as error:
                if time.monotonic() > deadline:
                    raise DatabaseBusyError(path, "another process") from error
                time.sleep(0.1)
        yield folder


@contextlib.contextmanager
def closing(path: Path, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Close a connection at the end; turn errors of DuckDB into errors of kgbuild."""
    try:
        yield
    except duckdb.Error as error:
        raise to_kgbuild_error(path, error) from error
    finally:
        with contextlib.suppress(duckdb.Error):  # an earlier error is already raised
            connection.close()


def _connect(path: Path, wait: float | None, **options: Any) -> duckdb.DuckDBPyConnection:
    deadline = time.monotonic() + (SHORT_WAIT if wait is None else wait)
    while True:
        file = _file_number(path)
        try:
            connection = duckdb.connect(str(path), **options)
            if file in (None, _file_number(path)):
                return connection
            connection.close()  # another process replaced the database before it was locked
        except duckdb.Error as error:
            kgbuild_error = to_kgbuild_error(path, error)
            if not isinstance(kgbuild_error, DatabaseBusyError) or time.monotonic() > deadline:
                raise kgbuild_error from error
            time.sleep(0.1)


def _file_number(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:  # DuckDB reports it
        return None


def to_kgbuild_error(path: Path, error: duckdb.Error) -> Exception:
    """Return the error of kgbuild for an error of DuckDB."""
    message = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        return OutOfMemoryError(message.partition("\n")[0])
    if holder := re.search(r"Conflicting lock is held in (.*?\(PID \d+\))", message):
        return DatabaseBusyError(path, holder[1])
    if "Could not set lock" in message:
        return DatabaseBusyError(path, "another process")
    if "different configuration" in message:
        return DatabaseBusyError(path, "another connection of this process")
    if _FOREIGN_FILE.search(message):
        return DamagedDatabaseError(path, _NO_DATABASE)
    if isinstance(error, duckdb.BinderException | duckdb.CatalogException):
        # The first sentence after the name of the error, which ends with "!" or with the line.
        detail = re.split(r"!(?:\s|$)|\n", message.partition(": ")[2])[0]
        return ForeignTablesError(path, detail)
    if isinstance(error, duckdb.IOException) or "could not write" in message.lower():
        return WriteError(path, message)
    return DamagedDatabaseError(path, message)
