"""Labels of ids for the report: from the tables of all datasets, or from a store."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from kgbuild.datasets.views import RowView, common_label
from kgbuild.drawing.links import is_id
from kgbuild.report.queries import Queries

Label: TypeAlias = Callable[[str], str | None]
"""Gives the label of an id, or None."""


class Names:
    """The labels of ids: those of the tables, and for other ids those of ``label``."""

    def __init__(self, labels: Mapping[str, str], label: Label):
        self._labels = labels
        self._label = label

    def label(self, text: str) -> str | None:
        """Return the label of an id, None if there is none."""
        return self._labels.get(text) or common_label(text) or self._label(text)

    def text(self, view: RowView, text: str) -> str:
        """Return an id or a literal of a row as people read it."""
        return view.text_of(text, self.label)

    def lacks(self, view: RowView, text: object) -> bool:
        """Return whether a text is the id of an item that has no label."""
        if not isinstance(text, str) or not text.startswith("Q") or not is_id(text):
            return False
        return self.text(view, text) == text

    def titled(self, relation: str) -> str:
        """Return the label of a relation with its id; a file has its name only."""
        label = self.text(RowView(""), relation)
        return label if label == relation else f"{label} ({relation})"


def names(queries: Sequence[Queries], ids: Iterable[str], label: Label) -> Names:
    """Return the names of ids, from the tables of all datasets and then from ``label``."""
    labels = ChainMap(*(of_dataset.labels(ids) for of_dataset in reversed(queries)))
    return Names(labels, label)
