"""The parts of the report: a page has sections, and a section has figures, tables and samples."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

_NUMBER = re.compile(r"-?[0-9][0-9,]*(\.[0-9]+)?( ?%)?")
"""A formatted number, such as -1,234.5 or 12 %."""
_HEIGHT = re.compile(r'height="([0-9]+)"')


@dataclass(frozen=True)
class Table:
    """A table: the names of its columns, and its rows of cells."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def numeric(self) -> list[bool]:
        """For each column, whether all of its cells are numbers."""
        columns = zip(*self.rows, strict=True)
        return [
            all(isinstance(cell, int | float) or _NUMBER.fullmatch(str(cell)) for cell in column)
            for column in columns
        ]


@dataclass(frozen=True)
class Figure:
    """A chart as SVG with title, note and alternative text, and its numbers as a table."""

    name: str
    title: str
    note: str
    svg: str
    alt: str
    numbers: Table

    @property
    def height(self) -> int:
        """The estimated height on the page in pixels."""
        return max(map(int, _HEIGHT.findall(self.svg))) + 110  # of the title and the text below it


@dataclass(frozen=True)
class ShownTriple:
    """A fact: its three terms in words, each with the URL of its page at Wikidata, or None."""

    parts: Sequence[tuple[str, str | None]]
    is_assumed: bool


@dataclass(frozen=True)
class SampledRows:
    """A sampled row: headings (``marks``), texts with titles, facts with a drawing, and a table.

    ``kinds`` are the filters of its section that show it.
    """

    id: str
    marks: Sequence[str]
    texts: Sequence[tuple[str, str]]
    triples: Sequence[ShownTriple]
    drawing: str
    table: Table | None
    kinds: Sequence[str] = ()


@dataclass(frozen=True)
class Section:
    """A section of the page; ``lead`` is its first sentence, ``tiles`` are counts by unit.

    ``filters`` are the choices of its samples, by name.
    """

    name: str
    title: str
    lead: str
    tiles: Mapping[str, int] = field(default_factory=dict)
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    samples: Sequence[SampledRows] = ()
    filters: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> Sequence[Sequence[tuple[int, Figure]]]:
        """The figures with their index, in at most two columns of about the same height.

        From the highest figure to the lowest, each goes to the shorter column. Within a column, the
        figures keep the order of the section.
        """
        columns: tuple[list[tuple[int, Figure]], ...] = ([], [])
        for index, figure in sorted(enumerate(self.figures), key=lambda pair: -pair[1].height):
            shorter = min(columns, key=lambda column: sum(figure.height for _, figure in column))
            shorter.append((index, figure))
        for column in columns:
            column.sort(key=itemgetter(0))
        return sorted(filter(None, columns), key=lambda column: column[0][0])


def table(caption: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of records. There must be a record, and all must have the same columns."""
    columns = [*rows[0]]
    return Table(caption, columns, [[row[column] for column in columns] for row in rows])
