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

_LOCK = "lock"
_REPORT = "report"
_OLDER = "older report"


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError in the block into a WriteError about ``path``."""
    try:
        yield
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


@contextlib.contextmanager
def working_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """Yield the folder of ``partial_folder``, to write the file ``out`` in.

    Raises:
        OutputExistsError: the file exists, and ``force`` is false.
        OutputBusyError: another process is writing it.
        WriteError: the folder cannot be written.
    """
    if out.is_dir():
        raise OutputExistsError(out)
    with partial_folder(out) as folder:
        if out.exists() and not force:
            raise OutputExistsError(out)
        yield folder


@contextlib.contextmanager
def partial_folder(out: Path) -> Iterator[Path]:
    """Yield an empty temporary folder beside ``out``; remove it at the end.

    Its name is always the same, so what a killed process left is removed by the next one.

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
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / _LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OutputBusyError(out) from error
            yield


@contextlib.contextmanager
def compressed(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file that is compressed if its name says so; at the end, sync it to the disk."""
    from kgbuild.dump import compression  # slow to import

    with path.open("wb") as file:
        with contextlib.ExitStack() as stack:
            text = compression.compressing(file, path.name)
            if text is not file:
                stack.enter_context(contextlib.closing(text))
            yield text
        file.flush()
        os.fsync(file.fileno())


def publish(complete: Path, out: Path) -> None:
    """Rename a complete file to its final name, atomically and durably."""
    complete.replace(out)
    sync(out.parent)


def sync(path: Path) -> None:
    """Write a file, or the names in a folder, to the disk, so that a power cut does not lose it."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot sync folders
            raise
    finally:
        os.close(opened)


def report_beside(out: Path) -> Path:
    """Return the path of the report on a file."""
    return out.with_name(f"{out.name}.report.json")


def publish_with_report(folder: Path, out: Path, report: str) -> None:
    """Rename the complete file in a working folder to its final name, and write its report.

    No report is ever beside another file than its own: the older one is moved away first. If this
    process is killed meanwhile, the next one that has the working folder puts the report in place.

    Raises:
        WriteError: the report's path is a folder.
    """
    if report_beside(out).is_dir():
        raise WriteError(report_beside(out), "it is a folder")
    with compressed(folder / _REPORT) as file:
        file.write(report.encode())
    with contextlib.suppress(FileNotFoundError):
        report_beside(out).replace(folder / _OLDER)
    publish(folder / out.name, out)
    publish(folder / _REPORT, report_beside(out))


def _repair_report(folder: Path, out: Path) -> None:
    report = folder / (_OLDER if (folder / out.name).exists() else _REPORT)
    if report.exists() and out.exists() and not report_beside(out).exists():
        publish(report, report_beside(out))


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, as ``write_bytes`` does."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; create its folders if necessary.

    Raises:
        WriteError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.new")
    with write_errors(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(content)
            sync(partial)
            partial.replace(path)
        except OSError:
            with contextlib.suppress(OSError):  # the folder may be missing
                partial.unlink()
            raise
