"""Estimate the disk that a load needs, and compare it with the free disk."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from kgbuild.dump import part_folders
from kgbuild.dump.atomic_files import report_beside
from kgbuild.dump.filter import Filter
from kgbuild.dump.pipeline import Pipeline
from kgbuild.errors import DiskTooSmallError

_BYTES_PER_TRIPLE = 170
"""Estimated number of bytes per triple during a load; a large store has 100 at the end."""
_MIN_FOR_ESTIMATE = 16 << 20
"""Number of bytes of dumps after which the size of the store can be estimated."""


def require(dumps: Sequence[str], store: Path, keep: Filter, written: int = 0) -> None:
    """Check that the disk can hold the store, if the load keeps all lines of slices with reports.

    ``written`` is the number of bytes that an earlier load has written of it.

    Raises:
        DiskTooSmallError: it cannot.
    """
    triples = [_triples(Path(dump), keep) for dump in dumps]
    needed = sum(filter(None, triples)) * _BYTES_PER_TRIPLE
    # The folder of the store may not exist yet.
    folder = next(path for path in (store, *store.absolute().parents) if path.is_dir())
    free = shutil.disk_usage(folder).free + written
    if None not in triples and needed > free:
        raise DiskTooSmallError(folder, needed, free)


def _triples(dump: Path, keep: Filter) -> int | None:
    """Return the number of triples of a slice, by the report beside it.

    Return None without a report, and if the load may drop many of them.
    """
    try:
        report = json.loads(report_beside(dump).read_text(encoding="utf-8"))
        spec = report["spec"]
        is_kept = keep.everything or (
            {*spec["lang"]} <= {*keep.languages} and {*spec["datatype"]} <= {*keep.kinds}
        )
        is_same = report["bytes"] == _size(dump)
        return int(report["kept"]) if is_kept and is_same else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def missing(pipeline: Pipeline, folder: Path) -> tuple[int, int] | None:
    """Return (bytes needed, bytes available) for the store, or None if they suffice.

    They are estimated from what the pipeline has read, and None is returned before it is enough.
    """
    if not pipeline.size or pipeline.read < min(pipeline.size, _MIN_FOR_ESTIMATE):
        return None
    written = pipeline.tally.kept * _BYTES_PER_TRIPLE
    needed = round(written * pipeline.size / pipeline.read)
    available = shutil.disk_usage(folder).free + written
    return (needed, available) if needed > available else None


def used(folder: Path) -> int:
    """Return the number of bytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _size(dump: Path) -> int:
    """Return the size of a slice in bytes, also if it is a folder of parts."""
    return sum(Path(file).stat().st_size for file in part_folders.files(str(dump)))
