"""The files of a store, and how a load replaces an old store by a new one.

A store's folder has ``manifest.json`` and a folder for each generation, which is the result of a
load. The manifest names the current generation. A load replaces this file atomically: a reader sees
the old store or the new one, and a load that is killed leaves the old store unchanged. Readers hold
a shared lock on their generation; a later load removes generations that are neither current nor
being read. If it loads the same dumps, it continues the generation of a load that was killed (see
``loader``).
"""

import contextlib
import json
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kgbuild.dump.dump_file import DumpFile
from kgbuild.errors import DamagedStoreError, KgbuildError, NoStoreError, WriteError, WrongCallError
from kgbuild.files import atomic_files, locks, outputs
from kgbuild.files.outputs import MANIFEST as MANIFEST
from kgbuild.files.outputs import REJECTS as REJECTS
from kgbuild.files.outputs import UNFINISHED as UNFINISHED
from kgbuild.store import checksums

# Names of the files and folders of a store.
GRAPH = "graph"
NAMES = "names"
POSTINGS = "postings"
COLUMNS = "columns"
COUNTS = "counts"
_LOCK = "load.lock"
_CHECKSUM = "checksum"
"""The key of the checksum in the file of the manifest."""
_GENERATION = re.compile(r"generation-([1-9][0-9]*)")
_FILES = "|".join(map(re.escape, (MANIFEST, REJECTS, _LOCK)))
_FILES_BESIDE = (NAMES, POSTINGS, COLUMNS, COUNTS, checksums.NAME, _LOCK)
_PARTS = "|".join(map(re.escape, (GRAPH, *_FILES_BESIDE)))
_WRITTEN = rf"\.{checksums.NAME}\..*"  # while a command writes the checksums anew
_KNOWN = re.compile(
    rf"{_FILES}|{UNFINISHED}(/.*)?|{_GENERATION.pattern}(/(({_PARTS})(/.*)?|{_WRITTEN}))?"
)
"""The paths of the files and folders of a store."""


@dataclass(frozen=True)
class Manifest:
    """The contents and the origin of a store.

    ``properties`` and ``classes`` are the numbers of their statements and direct instances;
    ``seconds`` is the time that the load took. ``Filter`` and ``Tally`` explain the fields of the
    lines.
    """

    generation: str
    kgbuild_version: str
    loaded_at: str
    files: tuple[DumpFile, ...] = field(repr=False)
    languages: tuple[str, ...]
    everything: bool
    lines: int
    bad: int
    dropped: dict[str, int] = field(repr=False)
    triples: int
    items: int
    properties: dict[str, int] = field(repr=False)
    classes: dict[str, int] = field(repr=False)
    fingerprint: str
    seconds: float


def read(store: Path) -> Manifest:
    """Return the manifest of the store in the folder ``store``.

    Raises:
        NoStoreError: there is no store, or none yet.
        DamagedStoreError: the manifest cannot be read.
    """
    try:
        fields = json.loads((store / MANIFEST).read_text(encoding="utf-8"))
        if fields.pop(_CHECKSUM, None) != _checksum(fields):
            raise ValueError("its content has changed since it was written")
        fields["files"] = tuple(DumpFile(**file) for file in fields["files"])
        fields["languages"] = tuple(fields["languages"])
        if not _GENERATION.fullmatch(fields["generation"]):
            raise ValueError(f"{fields['generation']!r} is not a generation")
        return Manifest(**fields)
    except (FileNotFoundError, NotADirectoryError) as error:
        sentence = (
            f"No store at {store}. Load the sample: 'kgbuild load --sample --store {store}'; or "
            "your own dump."
        )
        if store.is_file():
            sentence = f"{store} is a file, not the folder of a store. Name one with --store."
        elif atomic_files.is_own(store / UNFINISHED):
            sentence = (
                f"No store at {store} yet: a load into it is still running, or was interrupted. "
                "Repeat the command of the interrupted load to continue it."
            )
        raise NoStoreError(sentence) from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedStoreError(store / MANIFEST, str(error)) from error


@contextlib.contextmanager
def reading(store: Path) -> Iterator[tuple[Manifest, Path]]:
    """Yield the manifest and the folder of the current generation, and protect it from removal.

    Raises:
        NoStoreError, DamagedStoreError: as in ``read``.
    """
    while True:
        manifest = read(store)
        folder = store / manifest.generation
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(locks.shared(folder / _LOCK))
            except FileNotFoundError as error:
                if read(store).generation == manifest.generation:  # no load replaced it
                    raise DamagedStoreError(folder, "the folder is missing") from error
                continue
            except OSError as error:
                raise DamagedStoreError(folder, error.strerror or str(error)) from error
            yield manifest, folder
            return


@contextlib.contextmanager
def checked(store: Path) -> Iterator[tuple[Manifest, Path]]:
    """Do as ``reading``, and compare the files that have changed with their checksums.

    Raises:
        NoStoreError, DamagedStoreError: as in ``reading``, or a file is damaged.
    """
    with reading(store) as (current, folder):
        for fault in checksums.faults(folder):
            raise fault
        yield current, folder


@contextlib.contextmanager
def replacing(
    store: Path, can_continue: Callable[[Path], bool] = lambda _: False
) -> Iterator[Path]:
    """Yield a new folder for a load, and remove old folders; ``publish`` makes it the current one.

    If a load that was killed has left a folder with which this load ``can_continue``, this folder
    is yielded. It stays if the load is interrupted, but not if it fails.

    Raises:
        WrongCallError: the folder has files that do not belong to a store, or is inside another.
        KgbuildError: another process is loading into it.
        WriteError: the folder cannot be written.
    """
    outputs.refuse_store(store.resolve().parent, store)
    try:
        is_new = not store.exists()
        atomic_files.make_folder(store)
        _refuse_foreign(store, store.iterdir())  # before a lock is put into the folder
        try:
            with locks.exclusive(store / _LOCK):
                # Readers may remove files of theirs meanwhile, which os.walk ignores.
                walk = ((Path(at), [*folders, *files]) for at, folders, files in os.walk(store))
                _refuse_foreign(store, (at / name for at, names in walk for name in names))
                folder = unfinished(store, can_continue)
                _remove_old(store, kept=folder)
                if folder is None:
                    _remove_unfinished(store)
                    folder = _next_generation(store)
                atomic_files.own_folder(store / UNFINISHED)
                kept = None
                try:
                    yield folder
                except KeyboardInterrupt:
                    kept = unfinished(store, can_continue)
                    raise
                finally:
                    _remove_old(store, folder, kept)
                    if kept is None:
                        _remove_unfinished(store)
        finally:
            if is_new:
                with contextlib.suppress(OSError):  # it is not empty, unless the load failed
                    store.rmdir()
    except BlockingIOError as error:
        raise KgbuildError(
            f"Another process is loading into {store}. Wait until it has finished."
        ) from error
    except OSError as error:
        raise WriteError(store, error.strerror or str(error)) from error


def _remove_unfinished(store: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        atomic_files.remove_own(store / UNFINISHED)


def publish(store: Path, manifest: Manifest) -> None:
    """Write the manifest, which makes its generation the current one, atomically and durably."""
    generation = store / manifest.generation
    checksums.write(generation)
    for path in (*generation.rglob("*"), generation, store, store.absolute().parent):
        atomic_files.sync(path)
    partial = store / UNFINISHED / MANIFEST
    fields = asdict(manifest)
    text = json.dumps(fields | {_CHECKSUM: _checksum(fields)}, indent=1, ensure_ascii=False) + "\n"
    with atomic_files.create(partial) as file:
        file.write(text.encode())
    atomic_files.sync(partial)
    atomic_files.publish(partial, store / MANIFEST, data=store)


def _checksum(fields: Mapping[str, object]) -> int:
    return zlib.crc32(json.dumps(fields).encode())


def _refuse_foreign(store: Path, paths: Iterable[Path]) -> None:
    """Check that these paths in a folder belong to a store, and that none is a symbolic link."""
    for path in sorted(paths):
        name = path.relative_to(store).as_posix()
        is_known = _KNOWN.fullmatch(name) and not path.is_symlink()
        if name == UNFINISHED:
            is_known = is_known and atomic_files.is_own(path)
        elif _GENERATION.fullmatch(name):
            is_known = is_known and path.is_dir()
        if not is_known and os.path.lexists(path):  # a load that has just ended removes folders
            raise WrongCallError(
                f"{store} is not a store: it contains '{name}'. Name another folder with --store."
            )


def _next_generation(store: Path) -> Path:
    numbers = [int(path.name.partition("-")[2]) for path in _generations(store)]
    folder = store / f"generation-{max(numbers, default=0) + 1}"
    folder.mkdir()
    (folder / _LOCK).touch()
    return folder


def _generations(store: Path) -> list[Path]:
    folders = (path for path in store.iterdir() if path.is_dir() and not path.is_symlink())
    return sorted(path for path in folders if _GENERATION.fullmatch(path.name))


def unfinished(store: Path, can_continue: Callable[[Path], bool]) -> Path | None:
    """Return the folder of a load that was killed, and with which a load can continue."""
    if not atomic_files.is_own(store / UNFINISHED):
        return None
    return next(filter(can_continue, _removable(store)), None)


def _removable(store: Path, new: Path | None = None) -> list[Path]:
    """Return the generations that are not current.

    If the manifest is damaged, the current generation is unknown, so only the new one is returned.
    """
    try:
        current = read(store).generation
        return [folder for folder in _generations(store) if folder.name != current]
    except NoStoreError:
        return _generations(store)
    except DamagedStoreError:
        return [new] if new else []


def _remove_old(store: Path, new: Path | None = None, kept: Path | None = None) -> None:
    """Remove the generations that are neither current nor being read, except one to keep."""
    for folder in _removable(store, new):
        if folder == kept:
            continue
        try:
            with locks.exclusive(folder / _LOCK):
                shutil.rmtree(folder)
        except BlockingIOError:
            continue  # a reader uses it; the next load removes it
