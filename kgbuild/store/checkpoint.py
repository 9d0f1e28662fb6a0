"""How much of the graph a load has written, so that a load that was killed can continue.

A later load with the same dumps, options and program reads the dumps again, which divides them into
the same parts, and writes all files beside the graph anew; only the parts in the graph are not
loaded again, which would take most of the time. To add a triple again changes nothing, so a part
that was written after the last checkpoint does no harm.

Files are not synced during a load, so a checkpoint counts only until the machine starts again.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from kgbuild.dump import part_folders
from kgbuild.dump.atomic_files import create, write_errors
from kgbuild.dump.filter import Filter
from kgbuild.errors import UnreadableDumpError
from kgbuild.rows import stable_id
from kgbuild.store import program
from kgbuild.store.manifest import UNFINISHED

_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""A file of Linux with an id that differs after each start of the machine."""


class Loaded(NamedTuple):
    """The number of the first parts that are in the graph, and that of their lines."""

    parts: int = 0
    lines: int = 0


class Checkpoints:
    """Writes and reads the checkpoint of a load.

    ``origin`` identifies the dumps, the options and the program. If it is empty, the load cannot
    continue: it reads a pipe, or the machine does not tell when it was started.
    """

    def __init__(self, origin: str):
        self._origin = origin

    def can_continue(self, generation: Path) -> bool:
        """Return whether a load with this origin has begun the generation in a folder."""
        return self.read(generation).parts > 0

    def read(self, generation: Path) -> Loaded:
        """Return what is in the graph of a generation that a load with this origin has begun."""
        try:
            *identity, parts, lines = _path(generation).read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            return Loaded()
        is_same = bool(self._origin) and identity == [self._origin, generation.name]
        return Loaded(int(parts), int(lines)) if is_same else Loaded()

    def write(self, generation: Path, loaded: Loaded) -> None:
        """Write a checkpoint, which replaces the one before it."""
        if self._origin:
            path = _path(generation)
            partial = path.with_name(f"{path.name}.new")
            content = f"{self._origin} {generation.name} {loaded.parts} {loaded.lines}\n"
            with write_errors(path):
                with create(partial) as file:
                    file.write(content.encode())
                partial.replace(path)


def _path(generation: Path) -> Path:
    return generation.parent / UNFINISHED / "checkpoint"


def origin(dumps: Sequence[str], keep: Filter) -> str:
    """Return a hash of what a load depends on, or "" if a part of it is unknown."""
    if "-" in dumps:
        return ""
    try:
        files = [Path(file) for dump in dumps for file in part_folders.files(dump)]
        sizes = [(str(file.absolute()), file.stat()) for file in files]
        boot = _BOOT.read_text()
    except (OSError, UnreadableDumpError):  # also of URLs
        return ""
    identity = [
        boot,
        program.digest(),
        *(metadata.version(name) for name in ("pyoxigraph", "numpy")),
        [(path, state.st_size, state.st_mtime_ns, state.st_ino) for path, state in sizes],
        asdict(keep),
    ]
    return stable_id(json.dumps(identity))
