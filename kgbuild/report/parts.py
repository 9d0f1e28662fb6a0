"""The parts of the page: sections of figures, tables and samples."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

_NUMBER = re.compile(r"-?[0-9][0-9,]*(\.[0-9]+)?( ?%)?")
_HEIGHT = re.compile(r'height="([0-9]+)"')
_WORDS = 110
"""Approximate height in pixels of a figure's title and the text below it."""


@dataclass(frozen=True)
class Table:
    """A table: columns by name, and rows as they are shown."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers and nothing else."""
        columns = zip(*self.rows, strict=True)
        return [
            all(isinstance(cell, int | float) or _NUMBER.fullmatch(str(cell)) for cell in column)
            for column in columns
        ]


@dataclass(frozen=True)
class Figure:
    """A chart as SVG, its title and note, its alternative text, and its numbers as a table."""

    name: str
    title: str
    note: str
    svg: str
    alt: str
    numbers: Table

    @property
    def height(self) -> int:
        """The estimated height on the page in pixels."""
        return max(map(int, _HEIGHT.findall(self.svg))) + _WORDS


@dataclass(frozen=True)
class Triple:
    """A fact: its three parts in words, each with its address at Wikidata if it has one."""

    parts: Sequence[tuple[str, str | None]]
    is_assumed: bool


@dataclass(frozen=True)
class Sample:
    """A row to look at: marks, texts by title, its triples, their drawing, and a table."""

    id: str
    marks: Sequence[str]
    texts: Sequence[tuple[str, str]]
    triples: Sequence[Triple]
    drawing: str
    table: Table | None


@dataclass(frozen=True)
class Section:
    """A part of the page under a heading."""

    name: str
    title: str
    lead: str
    tiles: Mapping[str, int] = field(default_factory=dict)
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    samples: Sequence[Sample] = ()

    @property
    def columns(self) -> Sequence[Sequence[tuple[int, Figure]]]:
        """The figures with their places, in two columns of about the same height.

        The highest are put first, each where there is less; in a column they keep their order.
        """
        columns: tuple[list[tuple[int, Figure]], ...] = ([], [])
        for placed in sorted(enumerate(self.figures), key=lambda placed: -placed[1].height):
            min(columns, key=lambda column: sum(figure.height for _, figure in column)).append(
                placed
            )
        for column in columns:
            column.sort(key=itemgetter(0))
        return sorted(filter(None, columns), key=lambda column: column[0][0])


def table(caption: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of rows by column; there is one at least, and all have the same columns."""
    columns = [*rows[0]]
    return Table(caption, columns, [[row[column] for column in columns] for row in rows])
