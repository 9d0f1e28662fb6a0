"""The commands that build the datasets of users, from their ``Dataset`` objects."""

import inspect
import typing
from collections import abc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.datasets import own_datasets

if TYPE_CHECKING:
    from kgbuild.cli.options import Database
    from kgbuild.datasets.base import AnyDataset
    from kgbuild.graph.open import Store
    from kgbuild.rows import Build, Progress

_GIVEN = ("progress", "ask", "model", "base_url")
"""Parameters of functions that build, which no option sets."""


def build_commands() -> Mapping[str, click.Command]:
    """Return the commands that build the datasets of the user, by name."""
    return {dataset.command: _build_command(dataset) for dataset in own_datasets()}


def _build_command(dataset: "AnyDataset") -> click.Command:
    """Return the command with an option for each parameter of the dataset's function ``build``."""
    from kgbuild.cli import options
    from kgbuild.cli.build import building

    _, *parameters = inspect.signature(dataset.build).parameters.values()

    @options.combine(*(_option(one) for one in parameters if one.name not in _GIVEN))
    @options.store_option
    @options.db_option
    @options.json_option
    def run(store: Path, db: "Database", as_json: bool, **values: Any) -> None:
        def make(store: "Store", progress: "Progress", **settings: Any) -> "Build":
            if takes_progress:
                settings["progress"] = progress
            return dataset.build(store, **settings)

        built = building.build(dataset, make, store, db, **values)
        query = f"FROM {dataset.tables[0]} LIMIT 5"
        building.report(dataset, built, db, lambda part: {dataset.unit: part.rows}, query, as_json)

    takes_progress = any(parameter.name == "progress" for parameter in parameters)
    return click.command(dataset.command, help=dataset.summary)(run)


def _option(parameter: inspect.Parameter) -> Callable[[Any], Any]:
    """Return the option of a parameter: its type is that of the default, or the annotated one."""
    from kgbuild.cli.options import type_of

    default = None if parameter.default is parameter.empty else parameter.default
    name = f"--{parameter.name.replace('_', '-')}"
    settings: dict[str, Any] = {"required": parameter.default is parameter.empty}
    if isinstance(default, bool):
        return click.option(name, parameter.name, is_flag=True)
    annotated = (*typing.get_args(parameter.annotation), parameter.annotation)
    kinds = [kind for kind in (int, float, Path, str) if kind in annotated]
    kind = type(default) if isinstance(default, int | float | str) else (*kinds, str)[0]
    settings["type"] = type_of(kind)
    origins = [typing.get_origin(one) for one in annotated]
    if isinstance(default, tuple | list) or abc.Sequence in origins:
        return click.option(name, parameter.name, multiple=True, **settings)
    return click.option(name, parameter.name, default=default, **settings)
