"""Write a folder that appears only when it is complete, with the hashes of its files."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from kgbuild.errors import WriteError, WrongCallError
from kgbuild.files import atomic_files

SUMS = "SHA256SUMS"
"""The name of the file with the hashes of all files, as sha256sum reads it."""


def require_free(target: Path) -> None:
    """Check before the work that a folder can be written: there is nothing, or an empty folder.

    Beside something else, what a killed process or a power cut left of it is removed: ``filling``,
    which does so otherwise, is not reached.

    Raises:
        WrongCallError: there is something else.
        WriteError: it cannot be read.
    """
    try:
        _require_free(target)
    except WrongCallError:
        atomic_files.sweep(target.absolute())
        raise


def _require_free(target: Path) -> None:
    with atomic_files.write_errors(target):
        is_free = not target.exists() or (target.is_dir() and not any(target.iterdir()))
    if not is_free:
        fault = "not empty" if target.is_dir() else "not a folder"
        raise WrongCallError(f"{target} is {fault}. Name a new folder with -o, or remove it first.")


@contextlib.contextmanager
def filling(target: Path) -> Iterator[Path]:
    """Yield a temporary folder to fill; at the end, rename it to the target.

    Raises:
        WrongCallError: the target exists and is not an empty folder.
        OutputBusyError: another process is writing the target.
        WriteError: a file cannot be written. Nothing is left behind.
    """
    try:
        with atomic_files.partial_folder(target.absolute()) as folder:
            _require_free(target)
            release = folder / "release"  # with the default permissions
            release.mkdir()
            yield release
            for path in (*release.rglob("*"), release):
                atomic_files.sync(path)
            atomic_files.publish(release, target.absolute())
    except WriteError as error:
        raise WriteError(target, error.detail) from error
    except OSError as error:
        raise WriteError(target, error.strerror or str(error)) from error


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write new files of a folder; ``files`` are texts or bytes by path in the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())


def sums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder by its path in the folder, in sorted order."""
    hashes = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            name = path.relative_to(folder).as_posix()
            hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes


def seal(folder: Path) -> None:
    """Write the hashes of all files of a folder into the folder."""
    lines = [f"{digest}  {name}\n" for name, digest in sums(folder).items()]
    write(folder, {SUMS: "".join(lines)})
