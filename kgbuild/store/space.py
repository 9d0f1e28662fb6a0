"""Estimate the disk that a load needs, and compare it with the free disk."""

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path

from kgbuild.dump.filter import Filter
from kgbuild.dump.pipeline import Pipeline
from kgbuild.errors import KgbuildError
from kgbuild.files import part_folders
from kgbuild.files.atomic_files import report_beside

_BYTES_PER_TRIPLE = 170
_FIXED_BYTES = 120_000_000
"""With the bytes per triple: the most disk that a load takes, including that of its store."""
_SMALL_STORE_BYTES_PER_TRIPLE, _LARGE_STORE_BYTES_PER_TRIPLE = 160, 110
"""Estimated number of bytes per triple of a store; large stores have 100 to 127."""
_COMPRESSED_FROM = 15_000_000
"""Number of triples from which on a store is compressed."""
_MEMORY_OF_TWO_MILLION, _MEMORY_EXPONENT = 750_000_000, 0.22
"""The memory of a load of two million triples in bytes, and how it grows with the triples.

Loads of 6, 60 and 239 million triples took 0.8, 1.4 and 2.0 GB.
"""
_MIN_FOR_ESTIMATE = 16 << 20
"""Number of bytes of dumps after which the size of the store can be estimated."""


def require(dumps: Sequence[str], store: Path, keep: Filter, written: int = 0) -> bool:
    """Check that the disk can hold the store, if the load keeps all lines of slices with reports.

    ``written`` is the number of bytes that an earlier load has written of it.

    Returns:
        Whether all dumps are such slices, so that the size of the store is known.

    Raises:
        KgbuildError: it cannot.
    """
    triples = triples_by_reports(dumps, keep)
    # The folder of the store may not exist yet.
    folder = next(path for path in (store, *store.absolute().parents) if path.is_dir())
    free = shutil.disk_usage(folder).free + written
    if triples is not None and peak(triples) > free:
        raise KgbuildError(
            f"The load needs about {peak(triples) / 1e9:,.1f} GB of disk, and {free / 1e9:,.1f} GB "
            f"are free in {folder}. Free some disk, choose a folder on another disk with --store, "
            "or slice a share of the items with --sample."
        )
    return triples is not None


def peak(triples: int) -> int:
    """Return the estimated disk in bytes that a load takes at most, including that of its store."""
    return triples * _BYTES_PER_TRIPLE + _FIXED_BYTES


def size(triples: int) -> int:
    """Return the estimated size of a store in bytes."""
    is_small = triples < _COMPRESSED_FROM
    return triples * (_SMALL_STORE_BYTES_PER_TRIPLE if is_small else _LARGE_STORE_BYTES_PER_TRIPLE)


def memory(triples: int) -> int:
    """Return the estimated memory in bytes that a load takes at most."""
    return round(_MEMORY_OF_TWO_MILLION * math.pow(triples / 2_000_000, _MEMORY_EXPONENT))


def triples_by_reports(dumps: Sequence[str], keep: Filter) -> int | None:
    """Return the number of triples of slices, by the reports beside them.

    Return None if a dump has no report, or if the load may drop many of its triples.
    """
    numbers = [_triples(Path(dump), keep) for dump in dumps]
    return None if None in numbers else sum(filter(None, numbers))


def _triples(dump: Path, keep: Filter) -> int | None:
    """Return the number of triples of a slice, or None, as ``triples_by_reports``."""
    try:
        report = json.loads(report_beside(dump).read_text(encoding="utf-8"))
        spec = report["spec"]
        is_kept = keep.everything or (
            {*spec["lang"]} <= {*keep.languages} and {*spec["datatype"]} <= {*keep.kinds}
        )
        parts = part_folders.files(str(dump))
        is_same = report["bytes"] == sum(Path(part).stat().st_size for part in parts)
        return int(report["kept"]) if is_kept and is_same else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def missing(pipeline: Pipeline, folder: Path) -> tuple[int, int] | None:
    """Return (bytes needed, bytes available) for the store, or None if they suffice.

    They are estimated from what the pipeline has read, and None is returned before it is enough.
    """
    if not pipeline.size or pipeline.read < min(pipeline.size, _MIN_FOR_ESTIMATE):
        return None
    kept = pipeline.tally.kept
    needed = peak(round(kept * pipeline.size / pipeline.read))
    available = shutil.disk_usage(folder).free + kept * _BYTES_PER_TRIPLE
    return (needed, available) if needed > available else None


def used(folder: Path) -> int:
    """Return the number of bytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
