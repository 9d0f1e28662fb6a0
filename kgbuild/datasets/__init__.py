"""The datasets: a folder for each, with a ``Dataset`` object that describes it.

Those of users are found by the entry points ``kgbuild.datasets`` of installed packages, and in the
Python files that the environment variable ``KGBUILD_DATASETS`` names.
"""

import functools
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kgbuild.datasets.base import AnyDataset
    from kgbuild.tables.database import Database

NAMES = ("syn_qa", "granola", "biokalma", "grouse")
"""The names of the datasets of this package, in their order in reports."""
OWN_FILES = "KGBUILD_DATASETS"
"""The environment variable with paths of Python files that define datasets, as PATH has them."""


def dataset(name: str) -> "AnyDataset":
    """Import and return a dataset of this package, or one of the user's, by its name or command."""
    name = name.replace("-", "_")
    if name not in NAMES:
        return {dataset.name: dataset for dataset in own_datasets()}[name]
    module: Any = importlib.import_module(f"kgbuild.datasets.{name}.dataset")
    return cast("AnyDataset", module.DATASET)


def all_datasets() -> "tuple[AnyDataset, ...]":
    """Return all datasets of this package and of the user."""
    return (*map(dataset, NAMES), *own_datasets())


def own_datasets() -> "tuple[AnyDataset, ...]":
    """Return the datasets of the user.

    Raises:
        WrongCallError: a file or an entry point has none, or cannot be imported; two have a name.
    """
    return _own_datasets(os.environ.get(OWN_FILES, ""))


@functools.cache
def _own_datasets(paths: str) -> "tuple[AnyDataset, ...]":
    from importlib.metadata import entry_points

    from kgbuild.errors import wrong_dataset

    found: dict[str, AnyDataset] = {}
    sources = [(point.value, point.load) for point in entry_points(group="kgbuild.datasets")]
    files = filter(None, paths.split(os.pathsep))
    sources += [(path, functools.partial(_run, path)) for path in files]
    for source, read in sources:
        try:
            datasets = [*_datasets_of(read())]
        except Exception as error:  # it runs any code
            detail = f"it cannot be imported: {type(error).__name__}: {error}".rstrip(".")
            raise wrong_dataset(source, detail) from error
        if not datasets:
            raise wrong_dataset(source, "it defines no kgbuild.Dataset")
        for one in datasets:
            if found.setdefault(one.name, one) is not one:
                raise wrong_dataset(source, f"another dataset is called {one.name}, too")
    return tuple(found.values())


def _run(path: str) -> "list[object]":
    """Import a Python file, and return what it defines; workers find it by ``sys.path``."""
    from pathlib import Path

    file = Path(path).absolute()
    if file.suffix != ".py":
        raise ImportError("its name does not end with .py")
    if getattr(sys.modules.get(file.stem), "__file__", str(file)) != str(file):
        raise ImportError(f"another module is called {file.stem}. Rename the file")
    if (folder := str(file.parent)) not in sys.path:
        sys.path.append(folder)
    return [*vars(importlib.import_module(file.stem)).values()]


def _datasets_of(value: object) -> "Iterator[AnyDataset]":
    """Yield a dataset, or those of a list, except the ones of this package."""
    from kgbuild.datasets.base import Dataset

    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, Dataset) and one.name not in NAMES:
            yield one


def database(
    path: "Path | str",
    more: "Sequence[AnyDataset]" = (),
    notice: "Callable[[str], None]" = lambda _: None,
) -> "Database":
    """Return the database at ``path`` with all datasets, and ``more`` datasets.

    ``notice`` is called with a sentence when another process makes a write wait.
    """
    from kgbuild.datasets.base import package_folder
    from kgbuild.tables.database import Database

    # The folders hold the table definitions of the datasets; so these need not be imported.
    own = {dataset.name: dataset for dataset in (*own_datasets(), *more)}
    return Database(path, [package_folder(name) for name in NAMES], [*own.values()], notice)
