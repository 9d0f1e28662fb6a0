"""Some rows of a dataset with their evidence, in words and as a drawing."""

from collections.abc import Sequence
from dataclasses import dataclass

from kgbuild.datasets.views import RowView
from kgbuild.drawing.evidence import draw
from kgbuild.report.names import Names
from kgbuild.report.parts import Table
from kgbuild.wikidata import page_of

COUNT = 4
"""Rows that are shown of a dataset."""
_DRAWN = 12
"""Facts that are drawn besides the background."""


@dataclass(frozen=True)
class Sample:
    """A row to look at: marks, texts by title, its triples, their drawing, and a table."""

    id: str
    marks: Sequence[str]
    texts: Sequence[tuple[str, str]]
    triples: Sequence["Triple"]
    drawing: str
    table: Table | None


@dataclass(frozen=True)
class Triple:
    """A fact: its three parts in words, each with its address at Wikidata if it has one."""

    parts: Sequence[tuple[str, str | None]]
    is_assumed: bool


def sample(view: RowView, names: Names) -> Sample:
    """Return what the report shows of a row."""
    texts = {column.replace("_", " "): text for column, text in view.wordings.items()}
    return Sample(
        view.id,
        tuple(filter(None, (names.titled(view.relation), *view.headings))),
        [*texts.items(), *view.texts.items()],
        [
            Triple([(names.text(view, part), page_of(part)) for part in fact[:3]], fact.is_assumed)
            for fact in view.facts
        ],
        _drawing(view, names),
        _table(view, names),
    )


def _drawing(view: RowView, names: Names) -> str:
    background = [fact for fact in view.background if not names.lacks(view, fact.object)]
    facts = [*view.facts[:_DRAWN], *background]
    return draw(facts, view.subjects, lambda text: names.text(view, text)) if facts else ""


def _table(view: RowView, names: Names) -> Table | None:
    """Return the table beside a row; rows with an id that has no label are only counted."""
    if view.table is None:
        return None
    rows = [
        [names.text(view, cell) if isinstance(cell, str) else cell for cell in row]
        for row in view.table.rows
        if not any(names.lacks(view, cell) for cell in row)
    ]
    unnamed = len(view.table.rows) - len(rows)
    caption = (
        f"{view.table.caption} ({unnamed:,} more have no label)" if unnamed else view.table.caption
    )
    return Table(caption, view.table.columns, rows)
