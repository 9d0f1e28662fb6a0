"""What a dataset is: one object that says all that the rest of the program needs of it.

A dataset of your own is such an object, too: see docs/python.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias

from kgbuild.rows import Build

if TYPE_CHECKING:
    from kgbuild.datasets.asking import ItemRequest
    from kgbuild.datasets.scoring import Scoring
    from kgbuild.datasets.tasks import Task
    from kgbuild.datasets.views import Records, RowView
    from kgbuild.tables.database import Database

P = ParamSpec("P")


@dataclass(frozen=True)
class Protocol:
    """A way to ask a model. One that is ``on_demand`` costs or needs more: it must be named."""

    name: str
    on_demand: bool = False


@dataclass(frozen=True)
class Dataset(Generic[P]):
    """A dataset: its tables, and how it is built, asked, scored, shown and released.

    ``folder`` holds its data files: ``schema.sql`` (its tables) and, where it has them,
    ``versions.sql`` and ``statements.sql`` (for diff), ``report.sql`` (the queries and
    charts of its section), ``columns.toml`` (descriptions of its columns), ``card.toml`` (its
    release) and ``lm_eval_task.py`` (the code of the tasks that ``task`` returns).

    The first of the ``tables`` holds a row for each question; ``key`` is the column with their
    ids, ``source_column`` the one with the relation or file that a row was built from, as the
    table ``builds`` names it. ``reasons`` say in words why candidates are rejected;
    ``part_reasons`` are those for which a part of a row is left out, not the whole row.
    ``verify`` asks another source whether what rows assume is true.
    ``view`` turns rows of the ``shown_tables`` into what people see of them, in the report and in
    the review; all of these tables have the column ``key``.
    """

    name: str
    title: str
    summary: str
    unit: str
    tables: tuple[str, ...]
    key: str
    source_column: str
    folder: Traversable
    build: Callable[P, Build] | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    part_reasons: tuple[str, ...] = ()
    protocols: tuple[Protocol, ...] = ()
    requests: "Callable[..., list[ItemRequest]] | None" = None
    scoring: "Scoring | None" = None
    task: "Callable[[Database], Task] | None" = None
    verify: Callable[..., Any] | None = None
    view: "Callable[[Records], list[RowView]] | None" = None
    shown_tables: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The name that users type: syn-qa."""
        return self.name.replace("_", "-")

    def text(self, name: str) -> str:
        """Return the text of one of its data files; an empty one if there is no such file."""
        file = self.folder / name
        return file.read_text(encoding="utf-8") if file.is_file() else ""


AnyDataset: TypeAlias = Dataset[Any]


def package_folder(name: str) -> Traversable:
    """Return the folder of a dataset of this package."""
    return resources.files("kgbuild.datasets") / name
