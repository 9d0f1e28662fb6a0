"""Write files under temporary names, and rename them when they are complete."""

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from kgbuild.errors import OutputBusyError, OutputExistsError, WriteError

# Names of files in a temporary folder.
_LOCK = "lock"
_REPORT = "report"
_OLD_REPORT = "older report"


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError in the block into a WriteError about ``path``."""
    try:
        yield
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


@contextlib.contextmanager
def working_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """Yield a temporary folder (see ``partial_folder``) in which to write the file ``out``.

    Raises:
        OutputExistsError: the file exists, and ``force`` is false.
        OutputBusyError: another process is writing it.
        WriteError: the folder cannot be written.
    """
    if out.is_dir():
        raise OutputExistsError(out, out.is_dir())
    with partial_folder(out) as folder:
        if out.exists() and not force:
            raise OutputExistsError(out, out.is_dir())
        yield folder


@contextlib.contextmanager
def partial_folder(out: Path) -> Iterator[Path]:
    """Yield an empty temporary folder beside ``out``; remove it at the end.

    The folder has the same name for each process, so a process removes what a killed one left.

    Raises:
        OutputBusyError: another process is writing ``out``.
        WriteError: the folder cannot be written.
    """
    folder = out.parent / f".{out.name}.partial"
    with locked(folder, out):
        try:
            _repair_report(folder, out)
            for leftover in folder.iterdir():
                if leftover.is_dir():
                    shutil.rmtree(leftover)
                elif leftover.name != _LOCK:
                    leftover.unlink()
            yield folder
        finally:
            _repair_report(folder, out)
            shutil.rmtree(folder)


@contextlib.contextmanager
def locked(folder: Path, out: Path) -> Iterator[None]:
    """Lock a folder, which is created if necessary, while this process writes ``out``.

    Raises:
        OutputBusyError: another process is writing it.
        WriteError: the folder cannot be written.
    """
    with write_errors(out):
        make_folder(folder)
        with (folder / _LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OutputBusyError(out) from error
            yield


@contextlib.contextmanager
def compressed(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file, compressed if its name ends with .gz or .zst; sync it at the end."""
    from kgbuild.dump import compression  # slow to import

    with path.open("wb") as file:
        with contextlib.ExitStack() as stack:
            writer = compression.compressing(file, path.name)
            if writer is not file:
                stack.enter_context(contextlib.closing(writer))
            yield writer
        file.flush()
        os.fsync(file.fileno())


def publish(complete: Path, out: Path) -> None:
    """Rename a complete file to its final name, atomically and durably."""
    complete.replace(out)
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


def write_text(path: Path, text: str) -> None:
    """Write a text to a file completely or not at all: see ``write_bytes``."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; create its folders if necessary.

    Raises:
        WriteError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.new")
    with write_errors(path):
        try:
            make_folder(path.parent)
            partial.write_bytes(content)
            sync(partial)
            publish(partial, path)
        except OSError:
            with contextlib.suppress(OSError):  # the folder may be missing
                partial.unlink()
            raise
