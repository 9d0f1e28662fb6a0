"""The datasets: a folder for each, with a ``Dataset`` object that describes it."""

import importlib
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kgbuild.datasets.base import AnyDataset
    from kgbuild.tables.database import Database

NAMES = ("syn_qa", "granola", "biokalma", "grouse")
"""The names of the datasets of this package, in their order in reports."""


def dataset(name: str) -> "AnyDataset":
    """Import and return a dataset of this package, by its name or command."""
    module: Any = importlib.import_module(f"kgbuild.datasets.{name.replace('-', '_')}.dataset")
    return cast("AnyDataset", module.DATASET)


def all_datasets() -> "tuple[AnyDataset, ...]":
    """Return all datasets of this package."""
    return tuple(map(dataset, NAMES))


def database(
    path: "Path | str",
    more: "Sequence[AnyDataset]" = (),
    notice: "Callable[[str], None]" = lambda _: None,
) -> "Database":
    """Return the database at ``path`` with the datasets of this package, and ``more`` datasets.

    ``notice`` is called with a sentence when another process makes a write wait.
    """
    from kgbuild.datasets.base import package_folder
    from kgbuild.tables.database import Database

    # The folders hold the table definitions of the datasets; so these need not be imported.
    return Database(path, [package_folder(name) for name in NAMES], more, notice)
