"""What the commands that build datasets share."""

import datetime
import hashlib
import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgbuild.cli import screen
from kgbuild.datasets.registry import Dataset
from kgbuild.dump.dump_file import DumpFile
from kgbuild.errors import NothingBuiltError, RelationsFileError
from kgbuild.rows import Built, Rejection
from kgbuild.store.manifest import Manifest
from kgbuild.tables import database


def malformed(pid: str, error: RelationsFileError, dataset: Dataset) -> Built:
    """Return a build of nothing, of a relation about which relations.toml is wrong."""
    said = f"relations.toml: {error.where}: {error.detail}"
    screen.say(f"Left out: {said}.")
    return Built(pid, {table: [] for table in dataset.tables}, [Rejection(pid, "malformed", said)])


def keep(
    db: Path,
    dataset: Dataset,
    builds: Sequence[Built],
    made: Manifest,
    options: Mapping[str, Any],
    read: Sequence[Path],
) -> None:
    """Write what was built from a store, and from files that were read.

    Raises:
        NothingBuiltError: it has no rows.
    """
    if not any(built.rows for built in builds):
        raise NothingBuiltError(
            [built.relation for built in builds],
            sum(built.candidates for built in builds),
            sum((built.reasons for built in builds), Counter()),
            dataset.name,
        )
    source = database.Source(
        seed=options.get("seed", 0),
        options={
            name: value
            for name, value in options.items()
            if name != "seed" and value not in ((), None, {})
        },
        dump=[
            {"name": file.name, "modified": file.modified, "sha256": file.sha256}
            for file in (*made.files, *map(_described, read))
        ],
        store_fingerprint=made.fingerprint,
        store_triples=made.triples,
    )
    database.write(db, dataset, builds, source)


def _described(file: Path) -> DumpFile:
    """Return what ``builds`` tells of a file that rows were made from."""
    status = file.stat()
    day = datetime.datetime.fromtimestamp(status.st_mtime, datetime.UTC).date().isoformat()
    with file.open("rb") as opened_file:
        digest = hashlib.file_digest(opened_file, "sha256").hexdigest()
    return DumpFile(file.name, status.st_size, digest, day)


def mostly(built: Built, reasons: Collection[str]) -> str:
    """Return the most frequent of some reasons for which candidates of a build were left out."""
    if not built.candidates and not built.rejections:
        return "the store has no such statement"
    counts = Counter({reason: built.reasons[reason] for reason in reasons})
    return ", ".join(f"{reason} ({count:,})" for reason, count in counts.most_common(3) if count)


def example(db: Path, query: str) -> None:
    """Say how to look at what was built: a command that one can copy."""
    quoted = shlex.quote(query) if set(query) & set('"$`\\!') else f'"{query}"'
    screen.say(f"  kgbuild sql --db {shlex.quote(str(db))} {quoted}")
