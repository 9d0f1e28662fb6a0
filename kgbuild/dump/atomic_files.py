"""Write files that bear their final name only once they are complete."""

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from kgbuild.dump import reader
from kgbuild.errors import OutputBusyError, OutputExistsError, WriteError

_LOCK = "lock"


@contextlib.contextmanager
def working(out: Path, force: bool = False) -> Iterator[Path]:
    """Give a folder beside the file ``out`` to work in, which is removed at the end.

    What a killed process left in it is removed first.

    Raises:
        OutputExistsError: the file is there, and not to be replaced by ``force``.
        OutputBusyError: another process is at work on it.
        WriteError: the folder cannot be written.
    """
    if out.is_dir() or (out.exists() and not force):
        raise OutputExistsError(out)
    folder = out.with_name(f".{out.name}.partial")
    with held(folder, out):
        for left in folder.iterdir():
            if left.is_dir():
                shutil.rmtree(left)
            elif left.name != _LOCK:
                left.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder)


@contextlib.contextmanager
def held(folder: Path, out: Path) -> Iterator[None]:
    """Keep a folder, which is made if need be, to this process, while it works on ``out``.

    Raises:
        OutputBusyError: another process is at work on it.
        WriteError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / _LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError as error:
        raise OutputBusyError(out) from error
    except OSError as error:
        raise WriteError(out, error.strerror or str(error)) from error


@contextlib.contextmanager
def compressed(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file to write text into, compressed as its name says, and safe at the end."""
    with path.open("wb") as file:
        with contextlib.ExitStack() as stack:
            text = reader.compressing(file, path.name)
            if text is not file:
                stack.enter_context(contextlib.closing(text))
            yield text
        file.flush()
        os.fsync(file.fileno())


def publish(made: Path, out: Path) -> None:
    """Give a complete file its final name, at once and for good."""
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
    """Write a text to a file, all of it or nothing; the folders that lead to it are made.

    Raises:
        WriteError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):  # there may not be even a folder
            partial.unlink()
        raise WriteError(path, error.strerror or str(error)) from error
