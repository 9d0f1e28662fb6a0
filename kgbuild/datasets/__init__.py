"""The datasets: one folder each, with one object that says all about it."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgbuild.datasets.base import AnyDataset
    from kgbuild.tables.database import Database

NAMES = ("syn_qa", "granola", "biokalma", "grouse")
"""The datasets of this package, in the order in which they are shown."""


def dataset(name: str) -> "AnyDataset":
    """Return a dataset of this package, by its name or command; it is imported when asked for."""
    module = importlib.import_module(f"kgbuild.datasets.{name.replace('-', '_')}.dataset")
    found: AnyDataset = module.DATASET
    return found


def all_datasets() -> "tuple[AnyDataset, ...]":
    """Return all datasets of this package."""
    return tuple(map(dataset, NAMES))


def database(path: "Path | str", more: "Sequence[AnyDataset]" = ()) -> "Database":
    """Return the database at ``path``, for the datasets of this package, and ``more`` of yours."""
    from kgbuild.datasets.base import package_folder
    from kgbuild.tables.database import Database

    folders = [package_folder(name) for name in NAMES]
    return Database(path, [*folders, *(dataset.folder for dataset in more)])
