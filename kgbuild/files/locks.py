"""A lock between processes and threads: a file that exists while somebody holds or awaits it."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_PAUSE = 0.02
"""Seconds between two attempts; ``flock`` itself has no time limit."""
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def exclusive(
    path: Path, wait: float | None = 0, on_wait: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Hold the lock ``path`` during the block; only one holder at a time, in any process or thread.

    The file is created for the lock and removed at the end. Whoever gets the lock of a file that
    its holder has removed in the meantime tries again with the new one. A killed process leaves the
    file but no lock. Only others can break the lock, by removing the file while it is held. A
    symbolic link is not followed, and a file that has a content is no lock: neither is removed.

    ``wait`` is the number of seconds to wait for another holder; None waits until it ends.
    ``on_wait`` is called once, when the lock is found to be held.

    Raises:
        BlockingIOError: another holder did not end in time.
        OSError: the file cannot be created, is a link or a folder, or has a content.
    """
    deadline = None if wait is None else time.monotonic() + wait
    descriptor = _locked_file(path)
    if descriptor is None:
        on_wait()
    while descriptor is None:
        if deadline is not None and time.monotonic() >= deadline:
            raise BlockingIOError(f"{path} is locked")
        time.sleep(_PAUSE)
        descriptor = _locked_file(path)
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):  # somebody removed the folder
            path.unlink()
        os.close(descriptor)


@contextlib.contextmanager
def shared(path: Path) -> Iterator[None]:
    """Hold the lock ``path`` with others that share it; wait for one who has it alone.

    The file must exist, and stays: so the lock may be on a disk that cannot be written.

    Raises:
        FileNotFoundError: there is no file, or somebody removed it before it was locked.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        yield


def _locked_file(path: Path) -> int | None:
    """Return the descriptor of the locked file, or None if another holder has it."""
    descriptor = os.open(path, _FLAGS, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file = os.fstat(descriptor)
        if file.st_size:
            raise FileExistsError(errno.EEXIST, f"{path.name} is no lock. Rename it", str(path))
        if os.path.samestat(file, os.lstat(path)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass  # it is held, or its last holder has removed it
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
