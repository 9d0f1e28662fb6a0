"""Write a folder that appears only when it is complete, and the hashes of its files."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from kgbuild.dump import atomic_files
from kgbuild.errors import FolderInUseError, WriteError

SUMS = "SHA256SUMS"


@contextlib.contextmanager
def filling(target: Path) -> Iterator[Path]:
    """Yield a temporary folder to fill, which is renamed to the target at the end.

    Raises:
        FolderInUseError: the target is there, and is more than an empty folder.
        OutputBusyError: another process is writing it.
        WriteError: something cannot be written. Nothing is left behind.
    """
    try:
        with atomic_files.partial_folder(target.absolute()) as folder:
            if target.exists() and (not target.is_dir() or any(target.iterdir())):
                raise FolderInUseError(target)
            folder.chmod(0o700)  # the release in it has the rights of any new folder
            release = folder / "release"
            release.mkdir()
            yield release
            for path in (*release.rglob("*"), release):
                atomic_files.sync(path)
            atomic_files.publish(release, target.absolute())
    except WriteError as error:
        raise WriteError(target, error.detail) from error
    except OSError as error:
        raise WriteError(target, error.strerror or str(error)) from error


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts into new files of a folder, by their names in it."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="\n") as opened:
            opened.write(text)


def sums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder, by its name in it, in the order of names."""
    hashes = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            name = path.relative_to(folder).as_posix()
            hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes


def seal(folder: Path) -> None:
    """Write the sums of the files of a folder into it."""
    lines = [f"{digest}  {name}\n" for name, digest in sums(folder).items()]
    write(folder, {SUMS: "".join(lines)})
