"""The datasets: one folder each, with one object that says all about it."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset

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
