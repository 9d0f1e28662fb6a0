"""Encode the rows of a release for its website.

A page that is opened from a file cannot fetch other files, so the rows are in a script. Texts that
many rows share, such as labels, are in it once: rows refer to these *terms* by number.
"""

import json
from collections.abc import Mapping
from typing import Any

from kgbuild.datasets.views import RowView
from kgbuild.export.site.filters import Filters
from kgbuild.report.names import Label, ReportNames
from kgbuild.wikidata import is_id


class Rows:
    """The encoded rows of a release, and their terms, numbered in the order of their first use."""

    def __init__(self) -> None:
        self._rows: list[list[Any]] = []
        self._labels: dict[str, str] = {}
        self._numbers: dict[tuple[str, str | None], int] = {}

    def add(self, view: RowView, choices: list[int]) -> None:
        """Add a row; ``choices`` are the numbers of its values in the filters.

        A row is its id, its choices, its headings, its texts, its facts, and its table or null. The
        number of its title precedes each text. A fact is four numbers: three terms, and 1 if the
        fact is assumed falsely. A table is a caption, the columns, and the cells row by row.
        """
        self._labels |= view.names
        relation = [self._term(view, view.relation)] if view.relation else []
        texts = [*view.wordings.items(), *view.texts.items()]
        facts = (
            (*(self._term(view, part) for part in fact[:3]), int(fact.is_assumed))
            for fact in view.facts
        )
        row = [
            view.id,
            choices,
            [*relation, *map(self._text, view.headings)],
            [part for title, text in texts for part in (self._text(title.replace("_", " ")), text)],
            [number for fact in facts for number in fact],
            self._table(view),
        ]
        self._rows.append(row)

    def json(self, filters: Filters, meanings: Mapping[str, str], label: Label) -> str:
        """Return an object with the ids and labels of all terms, the filters, and the rows.

        A filter is the title of its column, the meaning of the column, and its values, with labels
        for ids. ``label`` returns labels of ids that no row has.
        """
        names, any_row = ReportNames(self._labels, label), RowView("")
        labels = (
            names.text(any_row, text) if own_label is None else own_label
            for text, own_label in self._numbers
        )
        content = {
            "ids": [text if is_id(text) else "" for text, _ in self._numbers],
            "labels": [*labels],
            "filters": [
                [column.replace("_", " "), meanings.get(column, ""), [*map(names.title, values)]]
                for column, values in filters.items()
            ],
            "rows": self._rows,
        }
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"))

    def _table(self, view: RowView) -> list[Any] | None:
        table = view.table
        if table is None or not table.rows:
            return None
        cells = (
            self._term(view, cell) if isinstance(cell, str) else self._text(f"{cell}" * bool(cell))
            for row in table.rows
            for cell in row
        )
        return [self._text(table.caption), [*map(self._text, table.columns)], [*cells]]

    def _text(self, text: str) -> int:
        """Return the number of a text that is shown as it is."""
        return self._numbers.setdefault((text, text), len(self._numbers))

    def _term(self, view: RowView, text: str) -> int:
        """Return the number of an id, which is shown by its label, or of a literal."""
        return self._numbers.setdefault((text, view.names.get(text)), len(self._numbers))
