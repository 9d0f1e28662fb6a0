"""Write the table of names of a store: the spellings of names, and an index of trigrams."""

import contextlib
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kgbuild.english.normalize import fold
from kgbuild.errors import WriteError
from kgbuild.store.entries import Entries

_NAMES = ("labels", "aliases")
"""The columns whose texts can be looked up."""
_COLLECTED = "names.collected"
"""The name of the file of names that are not sorted yet."""
_COLLECT = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
DROP TABLE IF EXISTS collected;
CREATE TABLE collected (folded TEXT, name TEXT, language TEXT);
"""
"""SQL that creates a table of names; ``folded`` is the normalised name."""
_WRITE = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -32000;
PRAGMA temp_store = FILE;
"""
"""SQL that prepares the file of the table, of which 32 MB are in memory."""
# IGNORE drops repeated names after the sort; DISTINCT would sort again. Names are already folded,
# so the tokenizer must not fold trigrams. With a hash table of 32 MB, FTS5 merges its trees less
# often.
_SCHEMA = """
BEGIN;
CREATE TABLE names (folded TEXT, name TEXT, language TEXT,
                    PRIMARY KEY (folded, name, language)) WITHOUT ROWID;
INSERT OR IGNORE INTO names SELECT folded, name, language FROM collected ORDER BY 1, 2, 3;
CREATE TABLE spelled (id INTEGER PRIMARY KEY, folded TEXT);
INSERT INTO spelled (folded) SELECT DISTINCT folded FROM names ORDER BY folded;
CREATE VIRTUAL TABLE trigrams USING fts5(
    folded, content='spelled', content_rowid='id',
    tokenize='trigram case_sensitive 1', detail='none', columnsize=0);
INSERT INTO trigrams (trigrams, rank) VALUES ('hashsize', 33554432);
INSERT INTO trigrams (trigrams) VALUES ('rebuild');
CREATE VIRTUAL TABLE frequency USING fts5vocab(trigrams, 'row');
COMMIT;
"""


class NamesWriter:
    """A new table of names.

    Names are collected in a file in ``folder`` until SQLite sorts them, so memory does not grow,
    and the table does not depend on the order of the names.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path, folder: Path):
        self._path = path
        self._collected = folder / _COLLECTED
        with self._writing():
            self._db = sqlite3.connect(self._collected, check_same_thread=False)
            _sort_in(self._db, str(folder.absolute()))
            self._db.executescript(_COLLECT)

    def add(self, entries: Entries) -> None:
        """Add the labels and aliases of items; repeated names are stored once."""
        if entries.column not in _NAMES:
            return
        texts, language = entries.texts(), entries.language
        rows = (
            (fold(name), name, language)
            for key, name in zip(entries.keys.tolist(), texts, strict=True)
            if key > 0
        )
        with self._writing():
            self._db.executemany("INSERT INTO collected VALUES (?, ?, ?)", rows)
            self._db.commit()

    def finish(self) -> None:
        """Write the table and the trigrams, in a thread, so that Ctrl-C can interrupt it."""
        self._db.close()
        self._path.unlink(missing_ok=True)
        with self._writing(), ThreadPoolExecutor(1) as pool:
            self._db = sqlite3.connect(self._path, check_same_thread=False)
            self._db.executescript(_WRITE)
            self._db.execute("ATTACH ? AS waiting", (str(self._collected),))
            future = pool.submit(self._db.executescript, _SCHEMA)
            try:
                future.result()
            except BaseException:
                self._db.interrupt()
                raise

    def close(self) -> None:
        """Close the table, and remove the names that were collected."""
        self._db.close()
        self._collected.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(":memory:")) as memory:
            _sort_in(memory, "")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise WriteError(self._path, str(error)) from error


def _sort_in(db: sqlite3.Connection, folder: str) -> None:
    """Set the folder of SQLite's temporary files, for the whole process.

    The default, the folder of the system, may be small, or be in memory.
    """
    quoted = folder.replace("'", "''")
    db.execute(f"PRAGMA temp_store_directory = '{quoted}'")
