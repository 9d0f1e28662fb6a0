"""Types and functions of all builders of datasets: rows, evidence, rejections, ids, splits."""

import difflib
import functools
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kgbuild.errors import TableFileError, WrongCallError, list_first
from kgbuild.notebook_tables import html_table

Row = Mapping[str, Any]
T = TypeVar("T")
R = TypeVar("R")

DEV, TEST, TRAIN = "dev", "test", "train"
_EVALUATION = ((TEST, 0.95), (DEV, 1.0))
# Both have dev at the same end, so test of a dataset for training is test of any other, too.
_TRAINING = ((TRAIN, 0.8), (TEST, 0.9), (DEV, 1.0))


class Evidence(NamedTuple):
    """A triple that supports a row; ``object`` is an id or a literal, the others are ids."""

    subject: str
    property: str
    object: str


class Checked(NamedTuple):
    """A part of a store or a database, how many of its files or rows were checked, and faults."""

    part: str
    checked: int
    faults: list[str]


class Rejection(NamedTuple):
    """A candidate for a row that was left out; ``reason`` is one of the dataset's reasons."""

    candidate: str
    reason: str
    detail: str


class Rejected(Exception):  # noqa: N818
    """Raised when a builder rejects a candidate; ``reason`` is one of the dataset's reasons."""

    def __init__(self, reason: str, detail: str = ""):
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def rejection(self, candidate: str) -> Rejection:
        """Return the rejection of a candidate for this reason."""
        return Rejection(candidate, self.reason, self.detail)


def remembered(function: Callable[[T], R], size: int) -> Callable[[T], R]:
    """Return a function that does the same and remembers its last results, and rejections."""

    def outcome(argument: T) -> R | Rejected:
        try:
            return function(argument)
        except Rejected as rejected:
            return rejected

    outcomes = functools.lru_cache(size)(outcome)

    def remember(argument: T) -> R:
        result = outcomes(argument)
        if isinstance(result, Rejected):
            raise Rejected(result.reason, result.detail)
        return result

    return remember


@dataclass
class Built:
    """The rows (by table) and the rejections of a relation or an input file.

    ``candidates`` is the number of candidates that were tried. ``since`` has the rows of the table
    ``since``, if statements were compared with an older store. ``notes`` tell the user
    about it, without its name.
    """

    relation: str
    tables: Mapping[str, list[Row]] = field(repr=False)
    rejections: list[Rejection] = field(default_factory=list, repr=False)
    candidates: int = 0
    seconds: float = 0.0
    since: Sequence[Row] = field(default=(), repr=False)
    notes: Sequence[str] = field(default=(), repr=False)

    @property
    def rows(self) -> int:
        """The number of rows of the first table, which has the questions."""
        return len(next(iter(self.tables.values())))

    @property
    def reasons(self) -> Counter[str]:
        """The number of rejected candidates by reason."""
        return Counter(map(attrgetter("reason"), self.rejections))


def examples(parts: Sequence[Built]) -> dict[str, str]:
    """Return the detail of the first rejection with each reason, or else its candidate."""
    rejections = (rejection for part in reversed(parts) for rejection in reversed(part.rejections))
    return {rejection.reason: rejection.detail or rejection.candidate for rejection in rejections}


@dataclass(frozen=True)
class Provenance:
    """The origin and the options of a build, for the table ``builds``.

    ``files`` has the name, the date of the change (``modified``) and the SHA-256 of each dump and
    other file that was read.
    """

    seed: int
    options: Mapping[str, Any]
    files: Sequence[Mapping[str, str]]
    store_fingerprint: str
    store_triples: int


@dataclass(frozen=True)
class DatasetTables:
    """The names and tables of a dataset; ``kgbuild.datasets.base.Dataset`` explains them."""

    name: str
    title: str
    summary: str
    unit: str
    tables: tuple[str, ...]
    key: str
    source_column: str
    folder: Traversable
    reasons: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @property
    def command(self) -> str:
        """The name of the dataset on the command line: syn-qa."""
        return self.name.replace("_", "-")

    def text(self, name: str) -> str:
        """Return the text of a data file of the dataset; empty if there is no such file."""
        file = self.folder / name
        return file.read_text(encoding="utf-8") if file.is_file() else ""


@dataclass(frozen=True)
class Build:
    """A build of a dataset: a part for each relation or input file, and the origin of all parts.

    ``notes`` are sentences for the user.
    """

    dataset: DatasetTables
    parts: Sequence[Built]
    provenance: Provenance
    notes: Sequence[str] = ()

    def __repr__(self) -> str:
        rejected = sum(len(part.rejections) for part in self.parts)
        return (
            f"<Build of {self.dataset.command}: {self.rows:,} {self.dataset.unit} from "
            f"{list_first([part.relation for part in self.parts])}; {rejected:,} rejected>"
        )

    def _repr_html_(self) -> str:
        rows = [
            {
                "relation": part.relation,
                self.dataset.unit: f"{part.rows:,}",
                "candidates": f"{part.candidates:,}",
                "rejected": f"{len(part.rejections):,}",
                "most often": ", ".join(reason for reason, _ in part.reasons.most_common(1)),
            }
            for part in self.parts
        ]
        return html_table(repr(self), rows)

    @property
    def rows(self) -> int:
        """The number of rows of the dataset's first table."""
        return sum(part.rows for part in self.parts)

    @property
    def file_parts(self) -> list[Built]:
        """The parts that were made from a file, which have its name."""
        names = {file["name"] for file in self.provenance.files}
        return [part for part in self.parts if part.relation in names]


Progress = Callable[[str, int, int], None]
"""A function that is called with the current step, the amount done, and the total.

The total is 0 if it is unknown.
"""


def no_progress(_step: str, _done: int, _total: int) -> None:
    """Ignore progress."""


def listed(paths: Iterable[Path | str] | Path | str) -> list[Path | str]:
    """Return a path, or several, as a list."""
    return [paths] if isinstance(paths, Path | str) else [*paths]


def stable_id(*parts: str) -> str:
    """Return an id of 16 hexadecimal digits, a hash of ``parts``."""
    return digest(*parts).hex()[:16]


def shuffled(items: Iterable[T], key: Callable[[T], Sequence[str]], seed: int) -> list[T]:
    """Return items in a random order: sorted by the hash of the seed and their key.

    Additional items do not change the order of the others.
    """
    return sorted(items, key=lambda item: shuffle_key(key(item), seed))


def shuffle_key(key: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the value by which ``shuffled`` sorts an item with this key."""
    return digest(str(seed), *key).hex(), *key


def split_ends(train: bool = False) -> tuple[tuple[str, float], ...]:
    """Return the splits of a dataset, each with the cumulative fraction of subjects at its end.

    A dataset for evaluation is nearly all ``test``; ``dev`` is for the choice of prompts. With
    ``train``, the dataset is also for training, so most of it is ``train``.
    """
    return _TRAINING if train else _EVALUATION


SPLIT_KEY = "split"
"""The text before a subject, in the hash whose first four bytes decide its split."""


@functools.lru_cache(1 << 20)
def split(subject: str, train: bool = False) -> str:
    """Return the split of a subject (an id): ``dev`` or ``test``, with ``train`` also ``train``.

    It depends only on the subject, so it is the same in every dataset and build.
    """
    fraction = int.from_bytes(digest(SPLIT_KEY, subject)[:4]) / (1 << 32)
    return next(name for name, end in split_ends(train) if fraction < end)


def require_columns(path: Path, columns: Sequence[str], required: Sequence[str]) -> None:
    """Check that the ``columns`` of the file ``path`` include all required columns.

    Raises:
        WrongCallError: a column is missing; the error has the most similar name in the file.
    """
    for name in required:
        if name not in columns:
            raise missing_column(path, name, columns)


def missing_column(path: Path, name: str, columns: Sequence[str]) -> WrongCallError:
    """Return the error that the file ``path`` lacks a column; it has the most similar name."""
    if not columns:
        return TableFileError(path, "it is empty")
    near = difflib.get_close_matches(name, columns, n=1, cutoff=0.5)
    similar = f" Similar: {near[0]}." if near else ""
    return WrongCallError(f"{path} has no column '{name}'. It has: {', '.join(columns)}.{similar}")


def digest(*parts: str) -> bytes:
    """Return the hash of some texts, as 16 bytes."""
    return hashlib.blake2b("\x00".join(parts).encode(), digest_size=16).digest()


def natural(text: str) -> str:
    """Return a sort key that orders P69 before P3373, by padding numbers with zeros."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), text)
