"""Labels that the tables lack, from the store that they were built from."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.errors import NoStoreError
from kgbuild.graph.open import open_store
from kgbuild.report.names import Label
from kgbuild.store import manifest

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


def built_from(db: "Database") -> set[str]:
    """Return the fingerprints of the stores that the rows of a database were built from.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    with db.reading() as select:
        if not select("SELECT 1 FROM duckdb_tables() WHERE table_name = 'builds'", {}):
            return set()
        rows = select("SELECT DISTINCT store_fingerprint AS fingerprint FROM builds", {})
        return {row["fingerprint"] for row in rows}


@contextmanager
def store_labels(store: Path, fingerprints: Collection[str] | None) -> Iterator[Label]:
    """Give the labels of a store, which is opened once one is needed.

    It must have one of the fingerprints; if it has none of them, or if there is no store, nothing
    has a label. Without ``fingerprints`` any store will do, and there must be one.

    Raises:
        NoStoreError, DamagedStoreError: there is none, or it cannot be opened.
    """
    with ExitStack() as stack:
        opened: list[Callable[[str], str | None]] = []

        def label(item: str) -> str | None:
            if not opened:
                fits = fingerprints is None or _fingerprint(store) in fingerprints
                opened.append(
                    stack.enter_context(open_store(store)).labels.label if fits else _no_label
                )
            return opened[0](item)

        yield label


def _fingerprint(store: Path) -> str:
    """Return the fingerprint of a store, an empty text if there is none."""
    try:
        return manifest.read(store).fingerprint
    except NoStoreError:
        return ""


def _no_label(item: str) -> None:
    return None
