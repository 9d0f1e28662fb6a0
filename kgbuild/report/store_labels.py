"""Labels that the tables lack, from the store that they were built from."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.errors import NoStoreError
from kgbuild.graph.open import open_store
from kgbuild.report.names import Label
from kgbuild.store import manifest

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_BUILDS = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'builds'"
_FINGERPRINTS = "SELECT DISTINCT store_fingerprint AS fingerprint FROM builds"


@contextmanager
def store_labels(store: Path, db: "Database | None") -> Iterator[Label]:
    """Yield a function that returns labels of a store, which it opens when it needs one.

    With ``db``, nothing has a label unless rows of this database were built from the store;
    without it, the store must exist.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or it cannot be opened.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    fingerprints = None if db is None else _fingerprints(db)
    with ExitStack() as stack:

        @cache
        def labels() -> Label:
            if fingerprints is not None and _fingerprint(store) not in fingerprints:
                return lambda _: None
            return stack.enter_context(open_store(store)).labels.label

        yield lambda entity: labels()(entity)


def _fingerprints(db: "Database") -> set[str]:
    """Return the fingerprints of the stores that rows of a database were built from."""
    with db.reading() as select:
        rows = select(_FINGERPRINTS, {}) if select(_BUILDS, {}) else []
    return {row["fingerprint"] for row in rows}


def _fingerprint(store: Path) -> str:
    """Return the fingerprint of a store, an empty text if there is none."""
    try:
        return manifest.read(store).fingerprint
    except NoStoreError:
        return ""
