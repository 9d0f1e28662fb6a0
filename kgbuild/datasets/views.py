"""How the report and the review show rows of a dataset, and what reviewers are asked about them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from kgbuild.catalog import catalog
from kgbuild.drawing.evidence import Fact
from kgbuild.wikidata import Value, is_id, show

Record: TypeAlias = Mapping[str, Any]
Records: TypeAlias = Mapping[str, Sequence[Record]]
"""The rows of each table, by its name."""

YES, NO = "yes", "no"
YES_OR_NO = (YES, NO)
GRADES = ("1", "2", "3", "4", "5")
_FREQUENT_LABELS = {"Q5": "human", "Q6581072": "female", "Q6581097": "male"}
"""Labels by id of frequent values, for rows that do not store them."""


class Question(NamedTuple):
    """A question to reviewers about a row, or about the part of the row that ``about`` names.

    The agreement of reviewers is computed for each ``kind`` of question. The page shows ``text``
    under ``heading``, the title of the part. Whether the row is accepted depends on the questions
    that ``decide``.
    """

    kind: str
    about: str
    text: str
    heading: str = ""
    choices: tuple[str, ...] = YES_OR_NO
    decides: bool = True

    @property
    def key(self) -> str:
        """The name of the question in the table ``reviews``, unique within a row."""
        return f"{self.kind}: {self.about}" if self.about else self.kind

    @property
    def is_graded(self) -> bool:
        """Whether the choices are grades, not yes and no."""
        return self.choices != YES_OR_NO

    def number(self, answer: str) -> int:
        """Return the number of an answer: 1 is yes, 0 is no, or the grade."""
        return self.choices.index(answer) + 1 if self.is_graded else int(answer == YES)

    def accepts(self, answer: str) -> bool:
        """Return whether an answer accepts the row: yes, or a grade from 3."""
        return answer >= "3" if self.is_graded else answer == YES


class SideTable(NamedTuple):
    """A table that is shown beside a row. Labels replace ids in its cells."""

    caption: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]


class RowView(NamedTuple):
    """The presentation of a row in the report and in the review.

    ``relation`` is the property, path or file from which the row was built; ``headings`` describe
    the kind of row. ``wordings`` are texts by column, which reviewers can edit; ``texts`` are other
    texts by title. ``facts`` are the evidence of the row, those about its ``subjects`` first;
    ``background`` are further facts for the drawing only. ``names`` are labels by id; ``guide``
    tells reviewers how to answer the ``questions``.
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
        """The questions, grouped by heading."""
        return [list(questions) for _, questions in groupby(self.questions, attrgetter("heading"))]

    @property
    def ids(self) -> set[str]:
        """The ids of all shown items and properties."""
        cells = [cell for row in self.table.rows for cell in row] if self.table else []
        terms = [
            term
            for fact in (*self.facts, *self.background)
            for term in (fact.subject, fact.property, fact.object)
        ]
        texts = [text for text in (*cells, *terms, *self.subjects) if isinstance(text, str)]
        # A path of properties contains several ids: P19/P17.
        return {part for text in texts for part in text.split("/") if is_id(part)}

    def text_of(self, text: str, label: Callable[[str], str | None]) -> str:
        """Return an id, a path of properties or a literal in readable form.

        ``label`` returns the label of an id that ``names`` lacks, or None.
        """
        if "/" in text and all(map(is_id, text.split("/"))):
            return " / ".join(self.text_of(part, label) for part in text.split("/"))
        if not is_id(text):
            return literal(text)
        return self.names.get(text) or label(text) or text


Answered: TypeAlias = tuple[RowView, Record]
"""The view of a row, and a row of ``predictions``: the answer of a model to it."""


def common_label(text: str) -> str | None:
    """Return the label of an id that is a property of the catalog or a frequent value."""
    return catalog().properties.get(text) or _FREQUENT_LABELS.get(text)


def literal(text: str) -> str:
    """Return a literal in readable form: a time at midnight becomes a day or a year.

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
    """Return labels by id, from pairs of an id and a label; incomplete pairs are skipped."""
    return {item_id: label for item_id, label in labels if item_id and label}


def by_key(records: Iterable[Record], key: str) -> Mapping[str, list[Record]]:
    """Group rows by their value in the column ``key``; groups keep the order of rows."""
    grouped: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        grouped[record[key]].append(record)
    return grouped
