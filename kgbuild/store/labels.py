"""From a name to items, ignoring case and accents.

Oxigraph finds an exact literal in no time and anything else by scanning. So a small table
beside the store says how each name is really spelled: ``lookup`` folds what the user typed,
finds the spellings, and asks the store for the items that have them.
"""

import contextlib
import difflib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.english.normalize import fold
from kgbuild.errors import DamagedStoreError, UnknownNameError, WriteError
from kgbuild.store.oxigraph import Graph

_ENOUGH = 2000
"""How many names are compared letter by letter when nothing matches."""
_LONGEST = 250
"""Letters of a name that are compared: as many as a label of Wikidata may have."""
_ARRIVED = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -32000;
PRAGMA temp_store = FILE;
CREATE TEMP TABLE arrived (folded TEXT, name TEXT, language TEXT);
PRAGMA temp.journal_mode = OFF;
"""
"""Names in the order of the dump, in 32 MB of memory and a file without a name."""
# IGNORE takes what is double out as it comes from the sort; DISTINCT would do so once more.
# Names are folded already: trigrams need not be. With 32 MB, FTS5 merges its trees less often.
_SCHEMA = """
BEGIN;
CREATE TABLE names (folded TEXT, name TEXT, language TEXT,
                    PRIMARY KEY (folded, name, language)) WITHOUT ROWID;
INSERT OR IGNORE INTO names SELECT folded, name, language FROM arrived ORDER BY 1, 2, 3;
DROP TABLE arrived;
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


class Match(NamedTuple):
    """An item found by name; ``matched`` says whether by its label or an alias."""

    qid: str
    label: str
    description: str
    matched: str
    name: str
    links: int


class Nearness(NamedTuple):
    """How a name comes near to one that an item has: the nearest is the smallest."""

    is_spelled_otherwise: bool
    is_alias: bool


class NamesWriter:
    """A new table of names, being filled.

    Names wait in a temporary table until SQLite sorts them, so that memory stays flat and
    the same names make the same file in whichever order they come.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path):
        self._path = path
        with self._writing():
            self._db = sqlite3.connect(path)
            _sort_in(self._db, str(path.parent.absolute()))
            self._db.executescript(_ARRIVED)

    def add(self, names: Iterable[tuple[str, str]]) -> None:
        """Add names and their languages; what comes twice counts once."""
        rows = ((fold(name), name, language) for name, language in names)
        with self._writing():
            self._db.executemany("INSERT INTO arrived VALUES (?, ?, ?)", rows)
            self._db.commit()

    def finish(self) -> None:
        """Write the table and the index of its trigrams."""
        with self._writing():
            self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the table, finished or not."""
        self._db.close()
        with contextlib.closing(sqlite3.connect(":memory:")) as other:
            _sort_in(other, "")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise WriteError(self._path, str(error)) from error


def _sort_in(db: sqlite3.Connection, folder: str) -> None:
    """Set where SQLite sorts what is too much for memory; it does so for the whole process.

    Its own choice is the system's folder for temporary files, which may be small, or memory.
    """
    quoted = folder.replace("'", "''")
    db.execute(f"PRAGMA temp_store_directory = '{quoted}'")


class Spellings(Protocol):
    """Tells how names are spelled."""

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return (name, language) of the names that are ``name``, but for case at least."""

    def expect(self, names: Iterable[str]) -> None:
        """Get ready to tell of several names, where it takes long to tell of each by itself."""

    def near(self, name: str) -> list[str] | None:
        """Return names that look like ``name``; None if nothing tells."""


class Names:
    """The table of names of a store.

    Raises:
        DamagedStoreError: the file cannot be opened or, later, read.
    """

    def __init__(self, path: Path):
        self._path = path
        try:
            self._db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error as error:
            raise DamagedStoreError(path, str(error)) from error
        self._rows("SELECT 1 FROM names LIMIT 1")

    def _rows(self, sql: str, params: Sequence[str | int] = ()) -> list[Any]:
        try:
            return self._db.execute(sql, params).fetchall()
        except sqlite3.Error as error:
            raise DamagedStoreError(self._path, str(error)) from error

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return (name, language) of the names that are ``name`` but for case and accents."""
        return self._rows(
            "SELECT name, language FROM names WHERE folded = ? ORDER BY name, language",
            (fold(name),),
        )

    def expect(self, names: Iterable[str]) -> None:
        """Do nothing: to tell of a name takes no time."""

    def near(self, name: str, most: int = 5) -> list[str]:
        """Return names that look like ``name``, the most alike first.

        Names that share one of its rarest trigrams are compared letter by letter
        (Ratcliff/Obershelp similarity, at least 0.6).
        """
        folded = fold(name)[:_LONGEST]
        trigrams = {folded[n : n + 3] for n in range(len(folded) - 2)}
        counted = self._rows(
            f"SELECT term, doc FROM frequency WHERE term IN ({','.join('?' * len(trigrams))})"  # noqa: S608
            " ORDER BY doc, term",
            sorted(trigrams),
        )
        found: set[str] = set()
        for term, _ in counted:
            rows = self._rows(
                "SELECT folded FROM trigrams WHERE trigrams MATCH ? LIMIT ?",
                ('"' + term.replace('"', '""') + '"', _ENOUGH),
            )
            found.update(row[0] for row in rows)
            if len(found) >= _ENOUGH:
                break
        close = difflib.get_close_matches(folded, sorted(found), n=most, cutoff=0.6)
        return [self.spellings(match)[0][0] for match in close]


def lookup(graph: Graph, names: Spellings, name: str, language: str = "en") -> list[Match]:
    """Return the items with that label or alias, best first.

    As it is spelled comes before other cases and accents, labels before aliases, then the
    more connected, then the smaller id.

    Raises:
        UnknownNameError: no item has that name.
    """
    best: dict[str, tuple[tuple[bool, bool, int, int], Match]] = {}
    for spelling, tag in names.spellings(name):
        for qid, matched, label, description, links in graph.select(
            "entity_lookup", name=(spelling, tag), language=language
        ):
            rank = (spelling != name.strip(), matched != "label", -links, wikidata.number(qid))
            match = Match(qid, label or qid, description or "", matched, spelling, links)
            best[qid] = min(best.get(qid, (rank, match)), (rank, match))
    if not best:
        raise UnknownNameError(name, names.near(name))
    return [match for _, match in sorted(best.values())]


def forms(name: str) -> list[str]:
    """Return a name as it may be written: with either apostrophe, or in quotes."""
    straight, curly = name.replace("’", "'"), name.replace("'", "’")
    return list(dict.fromkeys((name, straight, curly, f'"{straight}"')))


def named(graph: Graph, names: Spellings, name: str) -> dict[str, Nearness]:
    """Return the items with that label or alias, by number, and how near the name comes to it.

    It finds what ``lookup`` finds, without counting links; and no matter which apostrophes
    stand in the name, or whether the item's own stands in quotes.
    """
    found: dict[str, Nearness] = {}
    names.expect(forms(name))
    for form in forms(name):
        for spelling, tag in names.spellings(form):
            for qid, matched in graph.select("items_by_name", name=(spelling, tag)):
                near = Nearness(spelling != name.strip(), matched == "alias")
                found[qid] = min(found.get(qid, near), near)
    return {qid: found[qid] for qid in sorted(found, key=wikidata.number)}


_NO_LABEL = (3, "")
"""What comes after labels in any language."""


class Labels:
    """Labels, descriptions and aliases in one language, each read from the store once."""

    def __init__(self, graph: Graph, language: str = "en"):
        self._graph = graph
        self._language = language
        self._known: dict[str, tuple[str | None, str | None]] = {}
        self._labels: dict[str, str | None] = {}
        self._aliases: dict[str, tuple[str, ...]] = {}

    def read_all(self, pid: str) -> None:
        """Read the labels and descriptions of all items that have a property, by one query.

        It takes a fraction of the time of asking for each, but as much memory as they need.
        """
        labels: dict[str, tuple[int, str]] = {}
        descriptions: dict[str, str] = {}
        rows = self._graph.select("labels", property=pid, language=self._language)
        for item, label, description in rows:
            ranked = (self._rank(label.language), label.text) if label else _NO_LABEL
            labels[item] = min(ranked, labels.get(item, ranked))
            if description:
                descriptions[item] = min(description, descriptions.get(item, description))
        for item, (_, text) in labels.items():
            self._known.setdefault(item, (text or None, descriptions.get(item)))

    def read(self, entities: Iterable[str]) -> None:
        """Read the labels of some items and properties, by one query."""
        missing = [entity for entity in dict.fromkeys(entities) if entity not in self._labels]
        labels: dict[str, tuple[int, str]] = dict.fromkeys(missing, _NO_LABEL)
        if missing:
            rows = self._graph.select("labels_of", entity=missing, language=self._language)
            for entity, label in rows:
                ranked = (self._rank(label.language), label.text)
                labels[entity.text] = min(ranked, labels[entity.text])
        self._labels.update((entity, text or None) for entity, (_, text) in labels.items())

    def _rank(self, language: str) -> int:
        return 0 if language == self._language else 1 if language == "mul" else 2

    def _read(self, entity: str) -> tuple[str | None, str | None]:
        if entity not in self._known:
            rows = self._graph.select("entity", entity=entity, language=self._language)
            self._known[entity] = rows[0] if rows else (None, None)  # an endpoint may say nothing
        return self._known[entity]

    def label(self, entity: str) -> str | None:
        """Return the label of an item or a property, or None.

        A store may hold no labels of properties; the usual ones are known without it.
        """
        known = self._labels[entity] if entity in self._labels else self._read(entity)[0]
        return known or catalog().properties.get(entity)

    def description(self, entity: str) -> str | None:
        """Return the description of an item or a property, or None."""
        return self._read(entity)[1]

    def aliases(self, entity: str) -> tuple[str, ...]:
        """Return what an item or a property is called besides its label, in order."""
        if entity not in self._aliases:
            rows = self._graph.select("aliases", entity=entity, language=self._language)
            self._aliases[entity] = tuple(alias for (alias,) in rows)
        return self._aliases[entity]
