"""Rows that builders return, their evidence and rejections, stable ids, seeded order, splits."""

import difflib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kgbuild.errors import MissingColumnError

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset

Row = Mapping[str, Any]
T = TypeVar("T")

SPLITS = (("train", 0.8), ("validation", 0.9), ("test", 1.0))
"""Names of the splits, each with the share of subjects in it and those before it."""


class Evidence(NamedTuple):
    """A triple that makes a row true: ids, or a literal as object."""

    subject: str
    property: str
    object: str


class Rejection(NamedTuple):
    """A candidate that was left out. ``reason`` is one of the dataset's, ``detail`` free text."""

    candidate: str
    reason: str
    detail: str


class Rejected(Exception):  # noqa: N818
    """Raised where a builder rejects a candidate, for a reason of its dataset."""

    def __init__(self, reason: str, detail: str = ""):
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def rejection(self, candidate: str) -> Rejection:
        """Return the rejection of a candidate for this reason."""
        return Rejection(candidate, self.reason, self.detail)


@dataclass
class Built:
    """The rows by table that were built from one relation or source, and the rejections."""

    relation: str
    tables: Mapping[str, list[Row]]
    rejections: list[Rejection] = field(default_factory=list)
    candidates: int = 0
    seconds: float = 0.0

    @property
    def rows(self) -> int:
        """The number of rows of the first table, the one that holds the questions."""
        return len(next(iter(self.tables.values())))

    @property
    def reasons(self) -> Counter[str]:
        """The number of rejected candidates by reason."""
        return Counter(rejection.reason for rejection in self.rejections)


@dataclass(frozen=True)
class Provenance:
    """The origin and the options of a build, for the table ``builds``.

    ``files`` are the dumps and the other files that were read: name, modified, sha256.
    """

    seed: int
    options: Mapping[str, Any]
    files: Sequence[Mapping[str, str]]
    store_fingerprint: str
    store_triples: int


@dataclass(frozen=True)
class Build:
    """A build of a dataset: a part for each relation or file, and the origin of all."""

    dataset: "AnyDataset"
    parts: Sequence[Built]
    provenance: Provenance

    @property
    def rows(self) -> int:
        """The number of rows of the dataset's first table."""
        return sum(part.rows for part in self.parts)


Progress = Callable[[str, int, int], None]
"""Called with the current step, how much is done, and the total (0 if it is unknown)."""


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Show no progress."""


def stable_id(*parts: str) -> str:
    """Return an id of 16 hexadecimal digits that depends on ``parts`` alone."""
    return _digest(*parts)[:16]


def shuffled(items: Iterable[T], key: Callable[[T], Sequence[str]], seed: int) -> list[T]:
    """Return items ordered by the hash of the seed and their key.

    More items do not change the order of these.
    """
    return sorted(items, key=lambda item: place(key(item), seed))


def place(key: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the sort key of an item with this key in the order of ``shuffled``."""
    return _digest(str(seed), *key), *key


def split(subject: str) -> str:
    """Return the split of a subject, which is the same in every dataset and build."""
    share = int(_digest("split", subject)[:8], 16) / 0x100000000
    return next(name for name, end in SPLITS if share < end)


def require_columns(path: Path, columns: Sequence[str], required: Sequence[str]) -> None:
    """Check that a file has the required columns.

    Raises:
        MissingColumnError: one is missing; it holds the nearest column of the file.
    """
    for name in required:
        if name not in columns:
            near = difflib.get_close_matches(name, columns, n=1, cutoff=0.5)
            raise MissingColumnError(path, name, columns, near)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\x00".join(parts).encode(), digest_size=16).hexdigest()
