"""Labels of ids for the report: from the tables of all datasets, or from a store."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kgbuild.datasets.views import RowView, common_label
from kgbuild.errors import NoStoreError
from kgbuild.graph.open import open_store
from kgbuild.store import manifest
from kgbuild.tables.reviews import find_table
from kgbuild.wikidata import is_id

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

Label: TypeAlias = Callable[[str], str | None]
"""A function that returns the label of an id, or None."""


class ReportNames:
    """Labels of ids from the tables, and from the function ``label`` for other ids."""

    def __init__(self, labels: Mapping[str, str], label: Label):
        self._labels = labels
        self._label = label

    def label(self, text: str) -> str | None:
        """Return the label of an id, or None."""
        return self._labels.get(text) or common_label(text) or self._label(text)

    def text(self, view: RowView, text: str) -> str:
        """Return an id or a literal of a row in readable form."""
        return view.text_of(text, self.label)

    def lacks(self, view: RowView, text: object) -> bool:
        """Return whether a text is the id of an item that has no label."""
        if not isinstance(text, str) or not text.startswith("Q") or not is_id(text):
            return False
        return self.text(view, text) == text

    def title(self, relation: str) -> str:
        """Return the label and id of a relation; or the name of a file, which has no label."""
        label = self.text(RowView(""), relation)
        return label if label == relation else f"{label} ({relation})"


@contextmanager
def store_labels(store: Path, db: "Database | None") -> Iterator[Label]:
    """Yield a function that returns labels from a store.

    With ``db``, it returns labels only if rows of this database were built from the store. Without
    ``db``, the store must exist.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or it cannot be opened.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    with ExitStack() as stack:
        if db is None:
            yield stack.enter_context(open_store(store)).labels.label
            return
        with db.reading() as select:
            builds = "SELECT DISTINCT store_fingerprint FROM builds"
            rows = select(builds, {}) if select(find_table("builds"), {}) else []
        fingerprints = {row["store_fingerprint"] for row in rows}

        @cache
        def label_function() -> Label:
            with suppress(NoStoreError):
                if manifest.read(store).fingerprint in fingerprints:
                    return stack.enter_context(open_store(store)).labels.label
            return lambda _: None

        yield lambda entity: label_function()(entity)
