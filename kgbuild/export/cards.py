"""The card of a dataset: the texts and tables of its release, read from its ``card.toml``."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.datasets.base import AnyDataset
from kgbuild.tables.schema import descriptions


class CardTable(NamedTuple):
    """A table of a release: its name, a text about its rows, and the query for its rows."""

    name: str
    text: str
    query: str


class CardFigure(NamedTuple):
    """A table of numbers in the card: its title, and its query over the tables of the release.

    If the first column is ``relation`` and there is no column ``label``, the card adds the labels
    of the relations.
    """

    title: str
    query: str


class ExampleQueries(NamedTuple):
    """The query for examples, the best first, and the one for labels of their ids (id, label).

    Columns with lists of statements are evidence. The card shows some rows, each with another value
    in the first column.
    """

    rows: str
    labels: str = ""


class CardVerified(NamedTuple):
    """What ``kgbuild verify`` finds of a dataset's rows, for the table of wrong rows.

    Verifications with one of the ``roles`` count: those with the verdict ``wrong`` among all with
    this verdict or ``right``. ``reason`` is the reason of rejection of wrong rows.
    """

    what: str
    roles: Sequence[str]
    wrong: str
    right: str
    reason: str


class Remark(NamedTuple):
    """A sentence of the card, with placeholders for the columns of its query.

    If the query, over the tables of the release, has no rows, the sentence is left out.
    """

    text: str
    query: str


class Licence(NamedTuple):
    """A licence: its name on the Hugging Face hub, and a sentence about it for the card."""

    name: str
    text: str


_UNKNOWN = Licence(
    "other",
    "The questions of {files} are under the licence of that file, which is not known here:"
    " see to it before you pass them on.",
)


@dataclass(frozen=True)
class Card:
    """The texts and tables of the release of a dataset: the keys of ``card.toml``.

    ``paper``, ``address`` (a URL) and ``authors`` (as in BibTeX) are the source of the dataset.
    ``categories`` and ``tags`` are terms of the Hugging Face hub. ``file_option`` is the
    command-line option to build from a file of questions instead of the store's relations,
    ``files_licence`` the licence of such questions. ``splits`` explains which items can occur
    in two splits. ``collection``, ``limitations``, ``biases``, ``uses``, ``people`` and
    ``disclaimer`` are also in croissant.json. Each of the ``tables`` has a column ``split``; a
    row of the first table is a question, a pair, or a test. ``files_source`` is the name of
    ``file_option``'s usual files on the hub. Each query of ``truth`` estimates how many rows are
    wrong: it returns ``checked`` and ``wrong``. ``questions`` and ``subjects`` are SQL expressions
    over the dataset's first table: the texts of its questions, and the ids of what they are about.
    """

    summary: str
    tables: list[CardTable]
    paper: str = ""
    address: str = ""
    authors: str = ""
    file_option: str = ""
    files_source: str = "other"
    files_licence: Licence = _UNKNOWN
    categories: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    splits: str = ""
    collection: str = ""
    limitations: str = ""
    biases: str = ""
    uses: str = ""
    people: str = ""
    disclaimer: str = ""
    figures: list[CardFigure] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    questions: list[str] = field(default_factory=lambda: ["question"])
    subjects: list[str] = field(default_factory=list)
    truth: list[CardFigure] = field(default_factory=list)
    examples: ExampleQueries | None = None
    verified: CardVerified | None = None


def read_texts(part: str) -> dict[str, str]:
    """Return the texts for a part of texts.toml, ``readme`` or ``contamination``, by name."""
    texts: dict[str, str] = read_toml("export/texts.toml")[part]
    return texts


def card(dataset: AnyDataset, columns: Mapping[str, Collection[str]]) -> Card:
    """Return the card of a dataset; ``columns`` are the columns of its tables, by table.

    Without a ``card.toml``, the card has the summary and all tables of the dataset.
    """
    texts = tomllib.loads(dataset.text("card.toml"))
    if not texts:
        return Card(dataset.summary, _tables(dataset, columns))
    return Card(**{key: _parse(key, value) for key, value in texts.items()})


def _parse(key: str, value: Any) -> Any:
    match key:
        case "tables":
            return [CardTable(name, **table) for name, table in value.items()]
        case "figures" | "truth":
            return [CardFigure(**figure) for figure in value]
        case "examples":
            return ExampleQueries(**value)
        case "verified":
            return CardVerified(**value)
        case "remarks":
            return [Remark(**remark) for remark in value]
        case "files_licence":
            return Licence(**value)
    return value.strip() if isinstance(value, str) else value


def _tables(dataset: AnyDataset, columns: Mapping[str, Collection[str]]) -> list[CardTable]:
    """Return all tables of a dataset; the split of tables without one is ``test``."""
    texts = descriptions([dataset.folder])
    first = dataset.tables[0]
    tables = []
    for name in dataset.tables:
        query = f"SELECT *, 'test' AS split FROM {name} ORDER BY rowid"  # noqa: S608
        if "split" in columns.get(name, ()):
            query = f"SELECT * FROM {name} ORDER BY rowid"  # noqa: S608
        elif "split" in columns.get(first, ()) and dataset.key in columns.get(name, ()):
            query = (
                f"SELECT {name}.*, {first}.split FROM {name} JOIN {first} USING ({dataset.key})"  # noqa: S608
                f" ORDER BY {name}.rowid"
            )
        text = texts[name]["description"] if name in texts else ""
        tables.append(CardTable(name.removeprefix(f"{dataset.name}_"), text, query))
    return tables
