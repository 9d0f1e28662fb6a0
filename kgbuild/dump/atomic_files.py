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
            for leftover in folder.iterdir():
                if leftover.is_dir():
                    shutil.rmtree(leftover)
                elif leftover.name != _LOCK:
                    leftover.unlink()
            yield folder
        finally:
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
    folder = os.open(out.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot sync folders
            raise
    finally:
        os.close(folder)


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
            partial.replace(path)
        except OSError:
            with contextlib.suppress(OSError):  # the folder may be missing
                partial.unlink()
            raise
