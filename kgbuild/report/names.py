"""Labels of ids for the report: from the tables of all datasets, or from a store."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kgbuild.datasets.views import RowView, common_label
from kgbuild.errors import NoStoreError
from kgbuild.graph.open import open_store
from kgbuild.report.queries import Queries
from kgbuild.store import manifest
from kgbuild.wikidata import is_id

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

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


_BUILDS = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'builds'"
_FINGERPRINTS = "SELECT DISTINCT store_fingerprint AS fingerprint FROM builds"


@contextmanager
def store_labels(store: Path, db: "Database | None") -> Iterator[Label]:
    """Yield a function that returns labels of a store.

    With ``db``, nothing has a label unless rows of this database were built from the store;
    without it, the store must exist.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or it cannot be opened.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    with ExitStack() as stack:
        if db is None:
            yield stack.enter_context(open_store(store)).labels.label
            return
        fingerprints = _fingerprints(db)

        @cache
        def labels() -> Label:
            with suppress(NoStoreError):
                if manifest.read(store).fingerprint in fingerprints:
                    return stack.enter_context(open_store(store)).labels.label
            return lambda _: None

        yield lambda entity: labels()(entity)


def _fingerprints(db: "Database") -> set[str]:
    """Return the fingerprints of the stores that rows of a database were built from."""
    with db.reading() as select:
        rows = select(_FINGERPRINTS, {}) if select(_BUILDS, {}) else []
    return {row["fingerprint"] for row in rows}
