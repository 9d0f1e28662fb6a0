"""Remove statements from a slice, to see what is built from the rest.

Slices lack statements in three ways, and each is a mode of removal. A statement is missing here
and there (``random``). Nobody stated a relation of an item at all (``item``). Nobody stated it of
a whole group: the films of a country, the people of a trade (``group``).
"""

import gzip
import hashlib
import pathlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from benchmarks.measure import tell
from kgbuild import wikidata
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import Store, open_store
from kgbuild.store.load import load

MODES = ("random", "item", "group")
_STATEMENT = re.compile(
    f"<{wikidata.ENTITY}(Q[0-9]+)> <{wikidata.DIRECT}(P[0-9]+)> "
    f"(<{wikidata.ENTITY}(Q[0-9]+)>)?".encode()
)
_CLASSES = (b"P31", b"P279")
"""The kind of an item stays known where whole relations are removed."""
_GROUPING = (b"P27", b"P17", b"P495", b"P106", b"P136", b"P31")
"""The properties whose first value is the group of an item, in the order of preference."""


class Removal(NamedTuple):
    """What is removed: how, which share, by which seed."""

    mode: str
    share: float
    seed: int

    def rest(self, lines: Sequence[bytes]) -> Iterator[bytes]:
        """Yield the lines that stay, in order."""
        groups = _groups(lines) if self.mode == "group" else {}
        for line in lines:
            match = _STATEMENT.match(line)
            if not match or not self._removes(line, match, groups):
                yield line

    def _removes(self, line: bytes, match: re.Match[bytes], groups: dict[bytes, bytes]) -> bool:
        item, pid = match[1], match[2]
        if self.mode == "random":
            return self._draw(line) < self.share
        if pid in _CLASSES:
            return False
        return self._draw((groups.get(item, item) if groups else item) + b" " + pid) < self.share

    def _draw(self, text: bytes) -> float:
        digest = hashlib.blake2b(text, digest_size=8, key=str(self.seed).encode()).digest()
        return int.from_bytes(digest, "big") / 2**64


def _groups(lines: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the group of each item."""
    best: dict[bytes, tuple[int, bytes]] = {}
    for line in lines:
        match = _STATEMENT.match(line)
        if match and match[4] and match[2] in _GROUPING:
            rank = (_GROUPING.index(match[2]), match[4])
            best[match[1]] = min(best.get(match[1], rank), rank)
    return {item: group for item, (_, group) in best.items()}


class Holdout:
    """A slice, loaded whole once, and its parts."""

    def __init__(self, source: pathlib.Path, work: pathlib.Path):
        self._lines = gzip.decompress(source.read_bytes()).splitlines(keepends=True)
        self._work = work
        load([str(source)], work / "whole", Filter())

    @contextmanager
    def stores(self, removal: Removal) -> Iterator[tuple[Store, Store]]:
        """Open the whole store and the part that stays."""
        tell(f"{removal.mode}, seed {removal.seed}, {removal.share:.0%} removed")
        lines = self._work / "part.nt"
        lines.write_bytes(b"".join(removal.rest(self._lines)))
        load([str(lines)], self._work / "part", Filter())
        with open_store(self._work / "whole") as whole, open_store(self._work / "part") as part:
            yield whole, part


@contextmanager
def holdout(source: pathlib.Path) -> Iterator[Holdout]:
    """Load a slice into a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        yield Holdout(source, pathlib.Path(folder))
