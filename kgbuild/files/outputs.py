"""What a user names to be written: it replaces no data, and nothing that leads elsewhere.

A symbolic link stays, and its target is replaced, atomically; links of other users are refused. A
device, a pipe, or what this process has open, such as /dev/stdout, is written to.
"""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from kgbuild.errors import OutputExistsError, WrongCallError
from kgbuild.files import atomic_files

# Names in the folder of a store.
MANIFEST = "manifest.json"
REJECTS = "rejects.tsv"
UNFINISHED = "unfinished"
"""The folder of the temporary files of a load."""
_DATABASE = re.compile(rb"SQLite format 3\0|.{8}DUCK", re.DOTALL)
"""The beginning of a database of the datasets, or of a cache of replies."""
_MAX_LINKS = 40
"""Number of links that may lead to a file, as for Linux itself."""


def target(path: Path, used: Iterable[Path] = ()) -> Path:
    """Return the path at which to write what the user named ``path``, by which links lead.

    ``used`` are other files, and folders of files, of the same call.

    Raises:
        WrongCallError: the output would replace a database or one of those files, or lie in a
            store; or the path cannot be followed.
    """
    try:
        end = _end(path)
        fault = _fault(end, used)
    except OSError as error:
        fault = str(error.strerror)
    if fault:
        raise _wrong(path, fault)
    return end


def _wrong(path: Path, fault: str) -> WrongCallError:
    return WrongCallError(f"'{path}': {fault}. Name another path.")


def _end(path: Path) -> Path:
    """Return where the links of a path end; a path to what this process has open stays."""
    end = path
    for _ in range(_MAX_LINKS):
        if _descriptor(end) is not None or not end.is_symlink():
            return end
        if end.lstat().st_uid not in (0, os.geteuid()):
            raise PermissionError(0, f"{end} is a symbolic link of another user")
        end = end.parent / end.readlink()
    raise OSError(0, "too many symbolic links")


def _fault(path: Path, used: Iterable[Path]) -> str:
    """Return why nothing must be written to a path, which is no link; "" if it may."""
    if is_stream(path):
        return ""
    real = Path(os.path.realpath(path))
    if store := store_around(real):
        return _in_store(store)
    reason = ""
    if real.is_dir():
        return ""  # commands replace no folder
    if others := [other for other in used if _is_in(real, other)]:
        reason = f"the command itself uses {others[0]}"
    elif real.is_file() and _DATABASE.match(_head(real)):
        reason = "it is a database"
    return reason and f"{reason}, and the output would replace it"


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(16)


def _is_in(real: Path, other: Path) -> bool:
    """Return whether a resolved path is another one, or that of a file in that folder."""
    if str(real) == os.path.realpath(other):
        return True
    with contextlib.suppress(OSError):
        return any(map(other.samefile, (real, *real.parents)))
    return False  # one of them does not exist


def store_around(path: Path) -> Path | None:
    """Return the folder of the store that a path is, or is inside; None if there is none."""
    for folder in (path, *path.parents):
        if all((folder / name).is_file() for name in (MANIFEST, REJECTS)):
            return folder
        if atomic_files.is_own(folder / UNFINISHED):  # of a first load
            return folder
    return None


def _in_store(store: Path) -> str:
    return f"it belongs to the store {store}, in which only 'kgbuild load' writes"


def refuse_store(folder: Path, path: Path) -> None:
    """Check that a folder, in which ``path`` is about to be written, is not in a store.

    Raises:
        WrongCallError: it is.
    """
    if store := store_around(folder.resolve()):
        raise _wrong(path, _in_store(store))


def is_stream(path: Path) -> bool:
    """Return whether a path is a device or a pipe, or what this process has open."""
    return _descriptor(path) is not None or not (
        path.is_file() or path.is_dir() or not path.exists()
    )


def _descriptor(path: Path) -> int | None:
    """Return the number of what this process has open, if a path such as /dev/fd/1 names it."""
    folders = ("/dev/fd", f"/proc/{os.getpid()}/fd")
    is_open = path.name.isdecimal() and os.path.realpath(path.parent) in folders
    return int(path.name) if is_open else None


def require_new(path: Path, force: bool) -> None:
    """Check that a ``target`` is no file that exists, unless it may be replaced by ``force``.

    Raises:
        OutputExistsError: it is.
    """
    if path.is_file() and not (force or is_stream(path)):
        raise OutputExistsError(path, False)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a file to write, which is then written to ``path``, a ``target``.

    A file is replaced as by ``atomic_files.replacing``, with its errors.
    """
    if is_stream(path):
        with tempfile.TemporaryDirectory() as name:
            yield Path(name) / path.name
            with atomic_files.write_errors(path), (Path(name) / path.name).open("rb") as file:
                number = _descriptor(path)
                opened = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
                with os.fdopen(opened, "wb") as stream:
                    shutil.copyfileobj(file, stream)
        return
    with atomic_files.replacing(path) as partial:
        yield partial


def write_text(path: Path, text: str) -> None:
    """Write a text to a ``target``: see ``replacing``."""
    with replacing(path) as partial:
        partial.write_bytes(text.encode())
