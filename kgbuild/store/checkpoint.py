"""What a load has written so far, so that a load that was killed can continue.

A load writes its temporary files, and from time to time a checkpoint, into the folder UNFINISHED of
the store. A later load with the same dumps, options and program reads the dumps again, but
skips what is written. Nothing that a load writes depends on how often it was killed: to add a
triple, a name or a text again changes nothing, and temporary files are cut to the sizes that the
checkpoint has.

Files are not synced during a load, so a checkpoint counts only until the machine starts again.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kgbuild.dump import part_folders
from kgbuild.dump.atomic_files import create, write_errors
from kgbuild.dump.filter import Filter
from kgbuild.errors import UnreadableDumpError
from kgbuild.rows import stable_id
from kgbuild.store import program
from kgbuild.store.fingerprint import State, Survey
from kgbuild.store.manifest import UNFINISHED
from kgbuild.store.spill import Sizes

_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""A file of Linux with an id that differs after each start of the machine."""


class Refused(NamedTuple):
    """A line that Oxigraph refused: the number of its batch, its index there, and the reason.

    ``noticed`` is the number of batches that had been read when the line was rejected.
    """

    noticed: int
    batch: int
    line: int
    reason: str


@dataclass(frozen=True)
class Loaded:
    """What is in the graph: all lines of the first ``batches``, without the ``refused`` ones."""

    batches: int = 0
    lines: int = 0
    refused: Sequence[Refused] = ()


@dataclass(frozen=True)
class Checkpoint:
    """The state of a load after a number of ``batches``, which are in all files beside the graph.

    The graph has all of the batches of ``loaded``, and perhaps others. ``sizes`` are those of the
    temporary arrays.
    """

    batches: int = 0
    lines: int = 0
    loaded: Loaded = field(default_factory=Loaded)
    survey: Survey = field(default_factory=Survey)
    sizes: Sizes = field(default_factory=dict)


class Checkpoints:
    """Writes and reads the checkpoint of a load.

    ``origin`` identifies the dumps, the options and the program. If it is empty, the load cannot
    continue: it reads a pipe, or the machine does not tell when it was started.
    """

    def __init__(self, origin: str):
        self._origin = origin

    def can_continue(self, generation: Path) -> bool:
        """Return whether a load with this origin has begun the generation in a folder."""
        try:
            with _path(generation).open("rb") as file:
                return bool(self._origin) and file.readline() == self._head(generation)
        except OSError:
            return False

    def read(self, generation: Path) -> Checkpoint:
        """Return the last checkpoint of a generation, or that of a load that begins."""
        if not self.can_continue(generation):
            return Checkpoint()
        with _path(generation).open("rb") as file:
            file.readline()
            return msgspec.msgpack.decode(file.read(), type=Checkpoint, dec_hook=_decoded)

    def write(self, generation: Path, checkpoint: Checkpoint) -> None:
        """Write a checkpoint, which replaces the one before it."""
        if self._origin:
            path = _path(generation)
            partial = path.with_name(f"{path.name}.new")
            with write_errors(path):
                content = msgspec.msgpack.encode(checkpoint, enc_hook=Survey.state)
                with create(partial) as file:
                    file.write(self._head(generation) + content)
                partial.replace(path)

    def _head(self, generation: Path) -> bytes:
        return f"{self._origin} {generation.name}\n".encode()


def _decoded(_: type, values: Any) -> Survey:
    """Return the survey, the only value of a checkpoint that is not plain."""
    return Survey.restored(State._make(values))


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
