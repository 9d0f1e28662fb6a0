"""Write files that get their final names when they are complete."""

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


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Raise a WriteError about ``path`` for a failure of the system in the block."""
    try:
        yield
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


@contextlib.contextmanager
def working(out: Path, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder beside the file ``out``, for work on it, and remove it at the end.

    Raises:
        OutputExistsError: the file exists, and ``force`` does not allow to replace it.
        OutputBusyError: another process works on it.
        WriteError: the folder cannot be written.
    """
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out)
    folder = out.with_name(f".{out.name}.partial")
    with locked(folder, out):
        for leftover in folder.iterdir():  # of a killed process
            if leftover.is_dir():
                shutil.rmtree(leftover)
            elif leftover.name != _LOCK:
                leftover.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder)


@contextlib.contextmanager
def locked(folder: Path, out: Path) -> Iterator[None]:
    """Lock a folder, which is made if necessary, while this process works on ``out``.

    Raises:
        OutputBusyError: another process works on it.
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
    """Open a new file for text, compressed by its name; at the end it is safe on the disk."""
    from kgbuild.dump import compression  # slow to import

    with path.open("wb") as file:
        with contextlib.ExitStack() as stack:
            text = compression.compressing(file, path.name)
            if text is not file:
                stack.enter_context(contextlib.closing(text))
            yield text
        file.flush()
        os.fsync(file.fileno())


def publish(made: Path, out: Path) -> None:
    """Give a complete file its final name, atomically and durably."""
    made.replace(out)
    folder = os.open(out.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems have nothing to do here
            raise
    finally:
        os.close(folder)


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, as ``write_bytes`` does."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; its folders are made if necessary.

    Raises:
        WriteError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.new")
    with write_errors(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(content)
            partial.replace(path)
        except OSError:
            with contextlib.suppress(OSError):  # the folder may be missing
                partial.unlink()
            raise
