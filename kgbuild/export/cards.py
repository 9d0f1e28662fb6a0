"""What a release says of a dataset beside the numbers, and its tables: reads ``cards.toml``."""

import tomllib
from importlib import resources
from typing import Any, NamedTuple

from kgbuild.datasets.base import AnyDataset


class Table(NamedTuple):
    """A table of a release: its name, what a row is, and the query that gives it."""

    name: str
    text: str
    query: str


class Figure(NamedTuple):
    """A count for the card: its title, and the query over the tables of the release."""

    title: str
    query: str


class Remark(NamedTuple):
    """A sentence for the card, with places for what its query finds; none if that is nothing."""

    text: str
    query: str


class Card(NamedTuple):
    """The texts about a dataset; the keys are described in ``cards.toml``.

    The first of the tables is the one of which a row is a question, a pair, or a test.
    """

    title: str
    paper: str
    address: str
    key: str
    given: str
    categories: list[str]
    tags: list[str]
    summary: str
    splits: str
    collection: str
    limitations: str
    biases: str
    uses: str
    people: str
    disclaimer: str
    tables: list[Table]
    figures: list[Figure]
    remarks: list[Remark]


def card(dataset: AnyDataset) -> Card:
    """Return what is said of a dataset."""
    file = resources.files("kgbuild.export") / "cards.toml"
    told: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))[dataset.name]
    return Card(
        **{
            **{key: _line(value) for key, value in told.items()},
            "tables": [Table(name, **table) for name, table in told["tables"].items()],
            "figures": [Figure(**figure) for figure in told["figures"]],
            "remarks": [Remark(**remark) for remark in told.get("remarks", [])],
        }
    )


def _line(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
