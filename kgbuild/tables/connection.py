"""Open a DuckDB database, and turn DuckDB's errors into errors of kgbuild."""

import contextlib
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from kgbuild.errors import (
    DamagedDatabaseError,
    DatabaseBusyError,
    ForeignTablesError,
    NoDatasetsError,
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
UTC = "SET TimeZone = 'UTC'"
"""SQL that makes times with a zone the same on every machine. A ``config`` cannot have it."""
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
    connection = _connect(path, wait, read_only=False, config={**OFFLINE})
    with closing(path, connection):
        yield connection


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
        try:
            return duckdb.connect(str(path), **options)
        except duckdb.Error as error:
            kgbuild_error = to_kgbuild_error(path, error)
            if not isinstance(kgbuild_error, DatabaseBusyError) or time.monotonic() > deadline:
                raise kgbuild_error from error
            time.sleep(0.1)


def to_kgbuild_error(path: Path, error: duckdb.Error) -> Exception:
    """Return the error of kgbuild for an error of DuckDB."""
    message = str(error)
    if holder := re.search(r"Conflicting lock is held in (.*?\(PID \d+\))", message):
        return DatabaseBusyError(path, holder[1])
    if "Could not set lock" in message:
        return DatabaseBusyError(path, "another process")
    if "different configuration" in message:
        return DatabaseBusyError(path, "another connection of this process")
    if "xtension" in message:  # DuckDB wants an extension for another kind of file
        return DamagedDatabaseError(path, "it is not a DuckDB database")
    if isinstance(error, duckdb.BinderException | duckdb.CatalogException):
        # The first sentence after the name of the error, which ends with "!" or with the line.
        detail = re.split(r"!(?:\s|$)|\n", message.partition(": ")[2])[0]
        return ForeignTablesError(path, detail)
    if "not a valid DuckDB database" in message or isinstance(error, duckdb.SerializationException):
        return DamagedDatabaseError(path, message)
    if isinstance(error, duckdb.IOException) or "could not write" in message.lower():
        return WriteError(path, message)
    return DamagedDatabaseError(path, message)
