"""Open a DuckDB database, and turn DuckDB's errors into errors of kgbuild.

DuckDB locks a file that it opens, so other programs cannot write to it. A process loses this lock
when it closes *any* descriptor of the file (POSIX). So nothing here closes the file while DuckDB
has it open, and all writers of kgbuild hold a lock of their own, a file beside the database.
"""

import contextlib
import math
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import duckdb

from kgbuild.errors import (
    DamagedDatabaseError,
    DatabaseBusyError,
    NoDatasetsError,
    OutputBusyError,
    WriteError,
    foreign_tables,
    out_of_memory,
)
from kgbuild.files import atomic_files
from kgbuild.tables.quoting import quoted, quoted_text

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
_WRITING = {
    # The oldest version of DuckDB that kgbuild supports, and all later ones, can read the file.
    # A file that exists keeps its version.
    "storage_compatibility_version": "v1.4.0",
    # A commit writes into the database at once. DuckDB cannot read a log of which a power cut kept
    # only some pages, and each connection writes once, so a log would save no time.
    **OFFLINE,
    "checkpoint_threshold": "0B",
}
_NO_LOG = "SET GLOBAL auto_checkpoint_skip_wal_threshold = 0"
"""SQL by which newer versions of DuckDB write no log; others have no such setting."""
UTC = "SET GLOBAL TimeZone = 'UTC'"
"""SQL that makes times with a zone the same on every machine. A ``config`` cannot have it."""
# DuckDB wants an extension for some other kinds of files, or reads them as tables in memory.
_FOREIGN_FILE = re.compile(r"[Ee]xtension|not a valid DuckDB database|in-memory database")
SHORT_WAIT = 3.0
"""Seconds to wait for another process that uses the database, such as the review page."""
LONG_WAIT = math.inf
"""Seconds to wait for another process before writing the result of long work."""
T = TypeVar("T")
State: TypeAlias = tuple[int, int, int]
OnWait: TypeAlias = Callable[[str], None]
"""A function that is called once with the holder, if another process has the database."""
_OWN = "another connection of this process"
_MARK = 8
"""Where a file has the mark by which DuckDB knows its databases."""
_COPIED = 1 << 22
"""Number of bytes of a database that are copied at a time."""
_TABLES = """
    SELECT database_name, schema_name, table_name FROM system.main.duckdb_tables()
    WHERE database_name = current_database() ORDER BY ALL
"""
_configuring = threading.Lock()
_whole: dict[Path, "State | None"] = {}
"""The state of each database in which this process has read all tables, or which it has written."""


def read_only(
    path: Path, wait: float | None = None, memory: int | None = None
) -> duckdb.DuckDBPyConnection:
    """Open a database for reading, also by SQL of users.

    It waits at most ``wait`` seconds for another process. All readers of a process share DuckDB's
    settings; so the first one sets the ``memory`` that queries may use, in gigabytes.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError: it cannot be read.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    connection = _connect(path, wait, read_only=True, config={**_READ_ONLY})
    with _configuring:
        locked = connection.execute("SELECT current_setting('lock_configuration')").fetchall()
        if locked == [(False,)]:
            if memory:
                connection.execute(f"SET memory_limit = '{memory}GB'")
            connection.execute(f"{UTC}; SET lock_configuration = true")
    return connection


@contextlib.contextmanager
def writable(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database for writing, and close it again.

    It waits at most SHORT_WAIT seconds for other processes. Without a write, no byte changes.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: it cannot be written.
    """
    path = path.resolve()
    with _locked(atomic_files.locked, path), _open(path) as connection:
        yield connection


@contextlib.contextmanager
def _locked(
    locking: Callable[[Path, float, Callable[[], None]], AbstractContextManager[T]],
    path: Path,
    wait: float | None = None,
    on_wait: OnWait = lambda _: None,
) -> Iterator[T]:
    """Hold the lock of all writers of kgbuild, so that they do not meet at a replaced file.

    ``locking`` is a function of ``atomic_files`` that does it.
    """
    seconds, holder = SHORT_WAIT if wait is None else wait, "another process of kgbuild"
    with contextlib.ExitStack() as stack:
        try:
            lock = locking(path, seconds, lambda: on_wait(holder))
            result = stack.enter_context(lock)
        except OutputBusyError as error:
            raise DatabaseBusyError(path, holder) from error
        yield result


@contextlib.contextmanager
def _open(
    path: Path, wait: float | None = None, on_wait: OnWait = lambda _: None
) -> Iterator[duckdb.DuckDBPyConnection]:
    for name in (f"{path.name}.wal", f"{path.name}.tmp"):  # what DuckDB writes beside a database
        atomic_files.refuse_link(path.with_name(name))
    with _writing(path, path, wait, on_wait) as connection:
        if _whole.get(path) != state(path):
            for names in connection.execute(_TABLES).fetchall():
                connection.execute(reading_all(*names))
        yield connection
    _whole[path] = state(path)


def reading_all(*names: str) -> str:
    """Return a query for which DuckDB compares the checksum of each block of a table."""
    return f"SELECT bit_xor(hash(*COLUMNS(*))) FROM {'.'.join(map(quoted, names))}"  # noqa: S608


@contextlib.contextmanager
def _writing(
    file: Path, path: Path, wait: float | None = None, on_wait: OnWait = lambda _: None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a file for writing, and close it again; errors name the database ``path``."""
    connection = _connect(file, wait, on_wait, read_only=False, config={**_WRITING})
    with closing(path, connection):
        with contextlib.suppress(duckdb.CatalogException):
            connection.execute(_NO_LOG)
        yield connection


@contextlib.contextmanager
def _attached(
    file: Path, connection: duckdb.DuckDBPyConnection
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Use a connection for a further file, and detach it at the end of a block without an error.

    To start DuckDB once more takes longer than a small write.
    """
    ((old,),) = connection.execute("SELECT current_database()").fetchall()
    new, old = quoted(f"copy of {old}"), quoted(old)
    connection.execute(f"SET GLOBAL temp_directory = {quoted_text(file.with_suffix('.tmp'))}")
    # With "main": a user may have made a schema that has the name of the database.
    connection.execute(f"ATTACH {quoted_text(file)} AS {new}; USE {new}.main")
    yield connection
    connection.execute(f"USE {old}.main; DETACH {new}")


@contextlib.contextmanager
def replacing(
    path: Path, wait: float | None = None, on_wait: OnWait = lambda _: None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a copy of a database, or a new one, which replaces it at the end of the block.

    So neither an error nor a power cut changes the old database: DuckDB itself writes over blocks
    of 256 KiB that are in use, and a disk may write only a part of them. The database is locked
    meanwhile. It waits at most ``wait`` seconds for other processes.

    Raises:
        DatabaseBusyError, DamagedDatabaseError, WriteError: nothing was changed.
    """
    path = path.resolve()  # a symbolic link stays
    with contextlib.ExitStack() as stack:
        lock = _locked(atomic_files.partial_folder, path, wait, on_wait)
        copy = stack.enter_context(lock) / path.name
        old, last = None, stack.enter_context(contextlib.ExitStack())
        writing = _writing(copy, path)
        if path.exists():
            connection = stack.enter_context(_open(path, wait, on_wait))
            connection.execute("CHECKPOINT")
            writing = _attached(copy, connection)
            with atomic_files.write_errors(path), copy.open("wb") as new:
                old = last.enter_context(path.open("r+b"))  # closed after DuckDB: see the module
                shutil.copyfileobj(old, new, _COPIED)
                shutil.copymode(path, copy)
        with writing as connection:
            yield connection
        with atomic_files.write_errors(path):
            atomic_files.sync(copy)
            if (state(path) or [None])[0] != (os.fstat(old.fileno()).st_ino if old else None):
                raise DatabaseBusyError(path, "a program that has just made or moved it")
            try:
                _whole[path] = state(copy)  # which the new name does not change
                atomic_files.publish(copy, path, data=path)
            finally:  # also after an interrupt
                if old and not os.fstat(old.fileno()).st_nlink:
                    # A program that opened the old file just before must not write to it now.
                    os.pwrite(old.fileno(), b"gone", _MARK)


@contextlib.contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Turn errors of DuckDB into errors of kgbuild."""
    try:
        yield
    except duckdb.Error as error:
        raise to_kgbuild_error(path, error) from error


@contextlib.contextmanager
def closing(
    path: Path, connection: duckdb.DuckDBPyConnection
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Close a connection at the end; turn errors of DuckDB into errors of kgbuild."""
    try:
        with explaining(path):
            yield connection
    finally:
        with contextlib.suppress(duckdb.Error):  # an earlier error is already raised
            connection.close()


def _connect(
    path: Path, wait: float | None = None, on_wait: OnWait = lambda _: None, **options: Any
) -> duckdb.DuckDBPyConnection:
    def attach() -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(str(path.resolve()), **options)
        # A CSV file would be a view of a database in memory, whose other tables are lost.
        if connection.execute("FROM duckdb_databases() WHERE path IS NOT NULL").fetchone():
            return connection
        connection.close()
        raise NoDatasetsError(path, is_file=True)

    return opened(path, attach, lambda connection: connection.close(), wait, on_wait)


def opened(
    path: Path,
    open_: Callable[[], T],
    close: Callable[[T], object],
    wait: float | None = None,
    on_wait: OnWait = lambda _: None,
) -> T:
    """Open a database by a function of DuckDB, as soon as other processes do not use it.

    ``close`` undoes it, if another process has just replaced the database.

    Raises:
        DatabaseBusyError: it took longer than ``wait`` seconds, by default SHORT_WAIT.
        DamagedDatabaseError, WriteError: it cannot be opened.
    """
    start, is_first = time.monotonic(), True
    while True:
        file = state(path)
        try:
            result = open_()
            if file in (None, state(path)):
                return result
            # DuckDB reads the header of a file before it locks it, and another process wrote in
            # between: a write would lose what that process wrote.
            close(result)
        except duckdb.Error as error:
            busy = to_kgbuild_error(path, error)
            if not isinstance(busy, DatabaseBusyError):
                if file == state(path):
                    raise busy from error
                continue  # it was replaced while DuckDB read it
            # A connection of this process may be open until this very call returns.
            longest = SHORT_WAIT if wait is None or busy.holder == _OWN else wait
            if time.monotonic() > start + longest:
                raise busy from error
            if is_first:
                on_wait(busy.holder)
                is_first = False
            time.sleep(0.1)


def state(path: Path) -> State | None:
    """Return the number, time and size of a file, which each write changes."""
    try:
        file = path.stat()
    except OSError:  # DuckDB reports it
        return None
    return file.st_ino, file.st_mtime_ns, file.st_size


def _holder(message: str) -> str:
    """Return who holds a database, by the message of an error; "" if it is of something else."""
    if holder := re.search(r"Conflicting lock is held in (.*?\(PID \d+\))", message):
        return holder[1]
    if "Could not set lock" in message:
        return "another process"
    return _OWN if "different configuration" in message else ""


def to_kgbuild_error(path: Path, error: duckdb.Error) -> BaseException:
    """Return the error of kgbuild for an error of DuckDB."""
    message = str(error)
    if message.startswith("KeyboardInterrupt"):  # of Ctrl-C while DuckDB calls Python
        return KeyboardInterrupt()
    if isinstance(error, duckdb.OutOfMemoryException):
        return out_of_memory(message.partition("\n")[0])
    if holder := _holder(message):
        return DatabaseBusyError(path, holder)
    if _FOREIGN_FILE.search(message) or path.is_dir():
        return NoDatasetsError(path, is_file=True)
    if isinstance(error, duckdb.BinderException | duckdb.CatalogException):
        # The first sentence after the name of the error, which ends with "!" or with the line.
        detail = re.split(r"!(?:\s|$)|\n", message.partition(": ")[2])[0]
        return foreign_tables(path, detail)
    is_cut = "Could not read" in message
    if "could not write" in message.lower() or (
        isinstance(error, duckdb.IOException) and not is_cut
    ):
        return WriteError(path, message)
    detail = "it is cut short" if is_cut else message.rstrip(".")
    return DamagedDatabaseError(path, f"{detail}. Build the datasets again, or restore a copy.")
