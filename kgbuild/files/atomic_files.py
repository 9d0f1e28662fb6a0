"""Write files under temporary names, and rename them when they are complete.

An output is written in a folder of its own beside it, with a random name, that only this user can
enter. So nobody else can put a symbolic link where a file is about to be written, and files have
the usual permissions. A lock beside the output admits one process at a time. Whoever gets it
removes the folders that killed processes left: real folders with such a name and with a mark,
which no link can be. Nothing else is removed, and only complete files are renamed.

A path that is a symbolic link is replaced itself: its target stays as it is. Links that the user
named are followed before (see ``outputs``). A folder that the user named may be reached through
links.
"""

import contextlib
import errno
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from kgbuild.errors import OutputBusyError, OutputExistsError, WriteError
from kgbuild.files import locks

_MARK = ".made-by-kgbuild"
"""The name of the empty file that marks a folder of temporary files."""
SHORT_WAIT = 10.0
"""Seconds to wait for another process that writes the same file, which takes a moment."""
# Names of files in a temporary folder.
_REPORT = "report"
_OLD_REPORT = "older report"
replaced: Counter[Path] = Counter()
"""How often this process has replaced each store and database, or made it: see ``publish``."""


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError in the block into a WriteError about ``path``."""
    try:
        yield
    except BrokenPipeError:  # nobody reads the output, which is no fault
        raise
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


@contextlib.contextmanager
def working_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """Yield a temporary folder (see ``partial_folder``) in which to write the file ``out``.

    Raises:
        OutputExistsError: the file, a report on it, or a symbolic link exists, and ``force`` is
            false.
        OutputBusyError: another process is writing it.
        WriteError: the folder cannot be written.
    """
    if out.is_dir():
        raise OutputExistsError(out, True)
    if out.exists() and not out.is_file():
        raise WriteError(out, "it is no regular file")
    with partial_folder(out) as folder:
        for path in () if force else (out, report_beside(out)):
            if os.path.lexists(path):
                raise OutputExistsError(path, path.is_dir())
        yield folder


@contextlib.contextmanager
def partial_folder(
    out: Path, wait: float | None = 0, on_wait: Callable[[], None] = lambda: None
) -> Iterator[Path]:
    """Yield an empty temporary folder beside ``out``; remove it at the end.

    The output is locked meanwhile, see ``locked``. What killed processes left of it is removed
    first.

    Raises:
        OutputBusyError: another process is writing ``out``.
        WriteError: the folder cannot be written.
    """
    with write_errors(out), locked(out, wait, on_wait):
        _sweep(out)
        folder = Path(tempfile.mkdtemp(".partial", f".{out.name}.", out.parent))
        _mark(folder)
        try:
            yield folder
        finally:
            _finish(folder, out)


@contextlib.contextmanager
def locked(
    out: Path, wait: float | None = 0, on_wait: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Lock the output ``out``; create its folder if necessary.

    ``wait`` is the number of seconds to wait for another process; None waits until it ends.
    ``on_wait`` is called once if there is one.

    Raises:
        OutputBusyError: another process is writing it.
        WriteError: the lock cannot be written.
    """
    path = lock_beside(out)
    refuse_link(path)
    with contextlib.ExitStack() as lock:
        with write_errors(out):
            make_folder(out.parent)
            try:
                lock.enter_context(locks.exclusive(path, wait, on_wait))
            except BlockingIOError as error:
                raise OutputBusyError(out) from error
        yield


def lock_beside(out: Path) -> Path:
    """Return the path of the lock of ``out``: it exists while a process writes it or was killed."""
    return out.with_name(f".{out.name}.lock")


def _leftovers(out: Path) -> list[Path]:
    """Return the temporary folders of ``out``, of which a process that holds the lock has none."""
    name = re.compile(rf"\.{re.escape(out.name)}\.[a-z0-9_]{{8}}\.partial")
    with os.scandir(out.parent) as entries:
        names = [entry.name for entry in entries if name.fullmatch(entry.name)]
    return [out.with_name(name) for name in names if is_own(out.with_name(name))]


def sweep(out: Path) -> None:
    """Remove what killed processes left of an output that is not written now.

    Nothing is written if there is nothing to remove; what cannot be removed, or is of a process
    that is writing the output, stays.
    """
    if not out.name:  # the root has nothing beside it
        return
    with contextlib.suppress(OutputBusyError, WriteError), write_errors(out):
        if os.path.lexists(lock_beside(out)) or _leftovers(out):
            with locked(out):
                _sweep(out)


def _sweep(out: Path) -> None:
    for leftover in _leftovers(out):
        _finish(leftover, out)


def _finish(folder: Path, out: Path) -> None:
    _repair_report(folder, out)
    remove_own(folder)


def own_folder(folder: Path) -> None:
    """Create a folder for temporary files that a later process continues, unless it exists.

    Raises:
        WriteError: something else has this name, or the folder cannot be written.
    """
    with write_errors(folder):
        if not os.path.lexists(folder):
            folder.mkdir()
        elif not is_own(folder):
            raise WriteError(folder, "it was not made by kgbuild. Rename it")
        _mark(folder)


def _mark(folder: Path) -> None:
    """Mark a folder, before anything else is in it, also after a power cut."""
    (folder / _MARK).touch()
    sync(folder)


def is_own(folder: Path) -> bool:
    """Return whether a process of kgbuild made this folder of temporary files.

    It is no link, and has the mark; it is empty if the process was killed before or after that.
    """
    if folder.is_symlink():
        return False
    try:
        with os.scandir(folder) as entries:
            files = {entry.name: entry.is_file(follow_symlinks=False) for entry in entries}
    except OSError:  # it is missing, no folder, or that of another user
        return False
    return files.get(_MARK, not files)


def remove_own(folder: Path) -> None:
    """Remove a folder of temporary files; its mark goes last, so the next process can go on."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with os.scandir(opened) as entries:
            for entry in list(entries):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.name, dir_fd=opened)
                elif entry.name != _MARK:
                    os.unlink(entry.name, dir_fd=opened)
        os.fsync(opened)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_MARK, dir_fd=opened)
    finally:
        os.close(opened)
    folder.rmdir()


def refuse_link(path: Path) -> None:
    """Raise a WriteError if somebody put a symbolic link at a path that the program names."""
    if path.is_symlink():
        raise WriteError(path, "it is a symbolic link")


def create(path: Path) -> IO[bytes]:
    """Open a new file, instead of one that a killed process left; no link is followed."""
    path.unlink(missing_ok=True)
    return path.open("xb")


@contextlib.contextmanager
def compressed(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file, compressed if its name ends with .gz or .zst; sync it at the end."""
    from kgbuild.files import compression  # slow to import

    with create(path) as file:
        with contextlib.ExitStack() as stack:
            writer = compression.compressing(file, path.name)
            if writer is not file:
                stack.enter_context(contextlib.closing(writer))
            yield writer
        file.flush()
        os.fsync(file.fileno())


def publish(complete: Path, out: Path, data: Path | None = None) -> None:
    """Rename a complete file to its final name, atomically and durably.

    ``data`` is the store or database that this replaces; it is counted, also if an interrupt comes
    during the rename.
    """
    try:
        complete.replace(out)
    finally:
        if data and not complete.exists():
            replaced[data] += 1
    sync(out.parent)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents if necessary, so that a power cut does not lose them."""
    if not folder.is_dir():
        parent = folder.absolute().parent
        if not parent.exists():
            make_folder(parent)
        folder.mkdir(exist_ok=True)
        sync(parent)


def sync(path: Path) -> None:
    """Write a file, or the names in a folder, to the disk, so that a power cut does not lose it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot sync folders
            raise
    finally:
        os.close(descriptor)


def report_beside(out: Path) -> Path:
    """Return the path of the report on the file ``out``."""
    return out.with_name(f"{out.name}.report.json")


def publish_with_report(folder: Path, out: Path, report: str) -> None:
    """Rename the complete file in a working folder to its final name, and write its report.

    An older report is moved away first, so that it is never beside a file that it does not
    describe. If this process is killed between the renames, the next process that uses the working
    folder completes them.

    Raises:
        WriteError: the report's path is a folder.
    """
    if report_beside(out).is_dir():
        raise WriteError(report_beside(out), "it is a folder")
    with compressed(folder / _REPORT) as file:
        file.write(report.encode())
    with contextlib.suppress(FileNotFoundError):
        report_beside(out).replace(folder / _OLD_REPORT)
    sync(folder)  # else a power cut may lose the names of both reports, but not that of the file
    publish(folder / out.name, out)
    publish(folder / _REPORT, report_beside(out))


def _repair_report(folder: Path, out: Path) -> None:
    """Publish the report on ``out`` if a process was killed in ``publish_with_report``."""
    report = folder / (_OLD_REPORT if (folder / out.name).exists() else _REPORT)
    if report.exists() and out.exists() and not report_beside(out).exists():
        publish(report, report_beside(out))


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a file to write, which replaces ``path`` completely or not at all.

    Folders of ``path`` are created if necessary.

    Raises:
        OutputBusyError: another process is writing it, and does not end.
        WriteError: the file cannot be written.
    """
    with partial_folder(path, SHORT_WAIT) as folder:
        yield folder / path.name
        sync(folder / path.name)
        publish(folder / path.name, path)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file as ``replacing`` does."""
    with replacing(path) as partial, create(partial) as file:
        file.write(content)
