"""How answers to a dataset are scored: what it says of itself, and the one way to do it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from kgbuild.evaluate.answers import OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

Attributes: TypeAlias = Mapping[str, Mapping[str, str]]
"""The attributes by which answers can be grouped, by the id of the item and by column."""


class Scorer(Protocol):
    """Scores answers to the items of one database."""

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of a group of answers."""

    def share(self, answer: Answer) -> Share:
        """Return how much of one answer is right, for the metric by which models are compared."""


@dataclass(frozen=True)
class Scoring:
    """How answers to a dataset are scored.

    ``item_columns`` identify the item of an answer; ``optional_columns`` may be missing in a
    file, with the value that is taken then. ``group_columns`` are the attributes by which answers
    can be grouped, as ``attributes`` reads them from a database. ``predictions`` is the SQL that
    gives the predictions that can be scored. ``scorer`` makes a scorer for a database, with
    options of the dataset's own. ``compared`` is the metric by which two models are compared;
    ``main_metrics`` are those that a report draws: name, title, meaning.
    """

    item_columns: tuple[str, ...]
    group_columns: tuple[str, ...]
    attributes: Callable[["Database"], Attributes]
    predictions: str
    scorer: Callable[..., Scorer]
    compared: str
    main_metrics: tuple[tuple[str, str, str], ...] = ()
    optional_columns: Mapping[str, str] = field(default_factory=lambda: OPTIONAL)
