"""Show rows in the report and in the review, and ask reviewers questions about them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
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
"""The rows of each table, by its name."""

YES, NO = "yes", "no"
YES_OR_NO = (YES, NO)
GRADES = ("1", "2", "3", "4", "5")
_GOOD_ENOUGH = "3"
"""The lowest grade that accepts a row: the middle of the scale."""
_COMMON = {"Q5": "human", "Q6581072": "female", "Q6581097": "male"}
"""Labels of frequent values, which rows often lack."""


class Question(NamedTuple):
    """A question about a row, or about the part of it that ``about`` names.

    Agreement of reviewers is computed for each ``kind``. A reviewer reads ``text`` under the
    ``heading`` of the part.
    """

    kind: str
    about: str
    text: str
    heading: str = ""
    choices: tuple[str, ...] = YES_OR_NO

    @property
    def key(self) -> str:
        """The name of the question in the table ``reviews``, unique within a row."""
        return f"{self.kind}: {self.about}" if self.about else self.kind

    def accepts(self, answer: str) -> bool:
        """Return whether an answer accepts the row: yes, or a grade from 3."""
        return answer == YES if self.choices == YES_OR_NO else answer >= _GOOD_ENOUGH


class SideTable(NamedTuple):
    """A table beside a row. A cell that is an id is shown by its label."""

    caption: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]


class RowView(NamedTuple):
    """The presentation of a row.

    ``relation`` is its property, path or file, ``headings`` describe the kind of row. ``wordings``
    are texts by column, which reviewers can edit; ``texts`` are other texts by title. ``facts``
    prove the row, beginning with its ``subjects``; ``background`` is only drawn. ``names`` are the
    row's labels by id; ``guide`` explains the ``questions`` for reviewers.
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
        """The questions in groups with the same heading."""
        return [list(part) for _, part in groupby(self.questions, attrgetter("heading"))]

    @property
    def ids(self) -> set[str]:
        """The ids of all shown items and properties."""
        cells = [cell for row in self.table.rows for cell in row] if self.table else []
        facts = [part for fact in (*self.facts, *self.background) for part in fact[:3]]
        texts = [part for part in (*cells, *facts, *self.subjects) if isinstance(part, str)]
        return {part for text in texts for part in text.split("/") if is_id(part)}

    def text_of(self, text: str, label: Callable[[str], str | None]) -> str:
        """Return an id, a path of properties or a literal in readable form.

        ``label`` returns the label of an id that the row does not name, or None.
        """
        if "/" in text and all(map(is_id, text.split("/"))):
            return " / ".join(self.text_of(part, label) for part in text.split("/"))
        if not is_id(text):
            return literal(text)
        return self.names.get(text) or label(text) or text


def common_label(text: str) -> str | None:
    """Return the label of a property of the catalog, or of a frequent value."""
    return catalog().properties.get(text) or _COMMON.get(text)


def literal(text: str) -> str:
    """Return a literal in readable form: for a time at midnight, the day or the year.

    >>> literal("1980-02-20T00:00:00Z")
    '1980-02-20'
    """
    return show(Value("time" if text.endswith("T00:00:00Z") else "string", text))


def facts_of(evidence: Iterable[Mapping[str, str]]) -> tuple[Fact, ...]:
    """Return the triples of a column ``evidence`` as facts, without duplicates."""
    facts = (
        # A description is not a statement, so its property has no id.
        Fact(triple["subject"], triple["property"].removeprefix("schema:"), triple["object"])
        for triple in evidence
    )
    return tuple(dict.fromkeys(facts))


def names_of(labels: Iterable[tuple[str | None, str | None]]) -> dict[str, str]:
    """Return labels by id, from the pairs that have both."""
    return {item: label for item, label in labels if item and label}


def by_key(records: Iterable[Record], key: str) -> Mapping[str, list[Record]]:
    """Return rows by their value of a column, in their order."""
    grouped: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        grouped[record[key]].append(record)
    return grouped


def row_views(select: "Select", dataset: "AnyDataset", ids: Sequence[str]) -> list[RowView]:
    """Return the views of the existing rows with these ids, in their order; none without a view."""
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
