"""What people see of a row, in the report and in the review, and what reviewers are asked of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.catalog import catalog
from kgbuild.drawing.evidence import Fact
from kgbuild.wikidata import Value, is_id, show

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset
    from kgbuild.tables.reviews import Select

Record: TypeAlias = Mapping[str, Any]
"""A row of a table, by column."""
Records: TypeAlias = Mapping[str, Sequence[Record]]
"""Rows by their table."""

YES, NO = "yes", "no"
YES_OR_NO = (YES, NO)
GRADES = ("1", "2", "3", "4", "5")
_GOOD_ENOUGH = "3"
"""The lowest grade that accepts a row: the middle of the scale."""
_COMMON = {"Q5": "human", "Q6581072": "female", "Q6581097": "male"}
"""The labels of values that most items share, and that the tables seldom name."""


class Question(NamedTuple):
    """A question about a row, or about the part of it that ``about`` names.

    Questions of a ``kind`` are compared between reviewers; ``text`` is what a reviewer reads,
    under the ``heading`` of the part.
    """

    kind: str
    about: str
    text: str
    heading: str = ""
    choices: tuple[str, ...] = YES_OR_NO

    @property
    def key(self) -> str:
        """Its name in the table ``reviews``; within a row no other question has it."""
        return f"{self.kind}: {self.about}" if self.about else self.kind

    def accepts(self, answer: str) -> bool:
        """Return whether an answer speaks for the row: yes, or a grade from 3."""
        return answer == YES if self.choices == YES_OR_NO else answer >= _GOOD_ENOUGH


class SideTable(NamedTuple):
    """A table beside a row. A cell that is an id is shown by its label."""

    caption: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]


class RowView(NamedTuple):
    """What people see of a row.

    ``relation`` is the property, the path of two, or the file that it was built from, ``headings``
    say what kind of row it is. ``wordings`` are texts by column, which reviewers may word
    otherwise, ``texts`` are other texts by title. ``facts`` prove the row, beginning with its
    ``subjects``; ``background`` is only drawn beside them. ``names`` are the labels that the row
    has of ids, and ``guide`` explains the ``questions`` that reviewers are asked.
    """

    id: str
    relation: str = ""
    subjects: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    wordings: Mapping[str, str] = {}
    texts: Mapping[str, str] = {}
    facts: tuple[Fact, ...] = ()
    background: tuple[Fact, ...] = ()
    names: Mapping[str, str] = {}
    table: SideTable | None = None
    questions: tuple[Question, ...] = ()
    guide: str = ""

    @property
    def parts(self) -> list[list[Question]]:
        """The questions, those together that stand under one heading."""
        return [list(part) for _, part in groupby(self.questions, key=lambda one: one.heading)]

    @property
    def ids(self) -> set[str]:
        """The ids of items and properties that it shows."""
        cells = [cell for row in self.table.rows for cell in row] if self.table else []
        facts = [part for fact in (*self.facts, *self.background) for part in fact[:3]]
        texts = [part for part in (*cells, *facts, *self.subjects) if isinstance(part, str)]
        return {part for text in texts for part in text.split("/") if is_id(part)}

    def text_of(self, text: str, label: Callable[[str], str | None]) -> str:
        """Return an id, a path of properties or a literal as people read it.

        ``label`` gives the label of an id that the row does not name, or None.
        """
        if "/" in text and all(map(is_id, text.split("/"))):
            return " / ".join(self.text_of(part, label) for part in text.split("/"))
        if not is_id(text):
            return literal(text)
        return self.names.get(text) or label(text) or text


def common_label(text: str) -> str | None:
    """Return the label of a property of the catalog, or of an item that most others share."""
    return catalog().properties.get(text) or _COMMON.get(text)


def literal(text: str) -> str:
    """Return a literal as people read it: of a time at midnight, the day or the year.

    >>> literal("1980-02-20T00:00:00Z")
    '1980-02-20'
    """
    return show(Value("time" if text.endswith("T00:00:00Z") else "string", text))


def facts_of(evidence: Iterable[Mapping[str, str]]) -> tuple[Fact, ...]:
    """Return triples of a column ``evidence`` as facts, each once."""
    facts = (
        # A description is no statement, so its property has no id.
        Fact(triple["subject"], triple["property"].removeprefix("schema:"), triple["object"])
        for triple in evidence
    )
    return tuple(dict.fromkeys(facts))


def names_of(labels: Iterable[tuple[str | None, str | None]]) -> dict[str, str]:
    """Return labels by id, of those pairs that have both."""
    return {item: label for item, label in labels if item and label}


def by_key(records: Iterable[Record], key: str) -> Mapping[str, list[Record]]:
    """Return rows by what stands in a column, in their order."""
    grouped: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        grouped[record[key]].append(record)
    return grouped


def row_views(select: "Select", dataset: "AnyDataset", ids: Sequence[str]) -> list[RowView]:
    """Return what people see of the rows with these ids, in this order; of some there may be none.

    A dataset without a view has none.
    """
    if dataset.view is None:
        return []
    key = dataset.key
    records = {
        table: select(
            f"SELECT * FROM {table} SEMI JOIN (SELECT unnest($ids) AS {key}) USING ({key})"  # noqa: S608
            f" ORDER BY {table}.rowid",
            {"ids": [*ids]},
        )
        for table in dataset.shown_tables or dataset.tables
    }
    places = {row_id: place for place, row_id in enumerate(ids)}
    return sorted(dataset.view(records), key=lambda view: places[view.id])
