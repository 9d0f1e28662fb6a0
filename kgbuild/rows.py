"""What all builders share: rows, evidence and rejections, stable ids, seeded order, splits."""

import difflib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from kgbuild.errors import MissingColumnError

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
    """What a builder gives for one relation or source: rows by table, and what was left out."""

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
        """How many candidates were left out for which reason."""
        return Counter(rejection.reason for rejection in self.rejections)


class TableSet(Protocol):
    """What of a dataset a build and the database need: names, reasons, and SQL files."""

    @property
    def name(self) -> str:
        """The name of the dataset: syn_qa."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Its tables; the first holds the questions."""

    @property
    def key(self) -> str:
        """The column with the ids of the questions."""

    @property
    def source_column(self) -> str:
        """The column with the relation or file that a row was built from."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why candidates are rejected: the name of each reason, and the reason in words."""

    @property
    def folder(self) -> Traversable:
        """The folder of its data files."""

    def text(self, name: str) -> str:
        """Return the text of one of its data files, such as ``schema.sql``."""


@dataclass(frozen=True)
class Provenance:
    """From what and with which options a build was made, for the table ``builds``.

    ``files`` are the dumps and the other files that were read: name, modified, sha256.
    """

    seed: int
    options: Mapping[str, Any]
    files: Sequence[Mapping[str, str]]
    store_fingerprint: str
    store_triples: int


@dataclass(frozen=True)
class Build:
    """A build of a dataset: what each relation or file gave, and where it comes from."""

    dataset: TableSet
    parts: Sequence[Built]
    provenance: Provenance

    @property
    def rows(self) -> int:
        """The number of rows of the dataset's first table."""
        return sum(part.rows for part in self.parts)


Progress = Callable[[str, int, int], None]
"""Called with the current step, how much is done, and of how much."""


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Show no progress."""


def stable_id(*parts: str) -> str:
    """Return an id of 16 hexadecimal digits that depends on nothing but ``parts``."""
    return _digest(*parts)[:16]


def shuffled(items: Iterable[T], key: Callable[[T], Sequence[str]], seed: int) -> list[T]:
    """Return items in an order that depends on the seed and on each item alone.

    An item's place among others doesn't change when more items come: it is ordered by the
    hash of its key.
    """
    return sorted(items, key=lambda item: place(key(item), seed))


def place(key: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return what orders an item of that key among those that are shuffled by a seed."""
    return _digest(str(seed), *key), *key


def split(subject: str) -> str:
    """Return the split that a subject falls into, whatever is asked of it, in every build."""
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
