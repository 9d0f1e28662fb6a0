"""Write what a store has beside its graph: as today, as DuckDB sorts it, or in one DuckDB file."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import duckdb
import numpy as np
from kgbuild.store.columns_writer import ColumnsWriter
from kgbuild.store.names_writer import NamesWriter
from kgbuild.store.postings import PostingsWriter
from kgbuild.store.repeats import Repeats

from kgbuild.dump import rules
from kgbuild.dump.filter import Filter, scan_lines
from kgbuild.dump.pipeline import Pipeline
from kgbuild.dump.rejects import rejecting
from kgbuild.dump.scanner import Scanned
from kgbuild.english.normalize import fold
from kgbuild.store import columns, manifest, postings
from kgbuild.store.arrays import Array, Positions, write_arrays
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK, Columns
from kgbuild.store.entries import Entry, read_entries
from kgbuild.store.fingerprint import Survey
from kgbuild.store.loader import Loader
from kgbuild.store.oxigraph import canonical, name_blank_nodes

FILE = "tables.duckdb"
"""The name of the DuckDB file."""
WAYS = ("read only", "files", "sorted files", "tables", "graph", "graph and tables")
"""What ``fill`` writes."""
_KINDS = {name: number for number, name in enumerate(Columns._fields)}
"""Numbers of the columns; the first ones have names, of which labels and aliases are looked up."""
_SETTINGS: dict[str, Any] = {"threads": 2, "memory_limit": "500MB"}
_VERSION = "v1.4.0"
"""The oldest version of DuckDB that can read the file."""

_COLLECT = """
PRAGMA force_compression = 'uncompressed';
CREATE TABLE statements (subject INTEGER, property INTEGER, value INTEGER);
CREATE TABLE entries
    (kind UTINYINT, item INTEGER, property INTEGER, text VARCHAR, language VARCHAR, folded VARCHAR);
"""
# The best label has the lowest rank; ``min`` compares the rank and then the text.
_TEXTS = """
    SELECT kind, item, 0 AS property, substr(min(rank || text), 2) AS text FROM (
        SELECT kind, item, text, CASE WHEN language = getvariable('language') THEN '0'
            WHEN kind = 0 AND language = 'mul' THEN '1'
            WHEN kind = 0 AND starts_with(language, getvariable('language') || '-') THEN '2'
            END AS rank
        FROM waiting.entries WHERE kind = 0 OR (kind = 1 AND text <> ''))
    WHERE rank IS NOT NULL GROUP BY kind, item HAVING text <> ''
    UNION ALL
    SELECT DISTINCT kind, item, property, text FROM waiting.entries
    WHERE kind > 2 OR (kind = 2 AND language IN (getvariable('language'), 'mul'))
"""
# A value of 0 is no item, but a text, a time or a number.
_SORT = f"""
PRAGMA force_compression = 'auto';
CREATE TABLE by_value AS
    SELECT DISTINCT property, value, subject FROM waiting.statements ORDER BY ALL;
CREATE TABLE by_item AS SELECT subject, property, value FROM by_value ORDER BY ALL;
CREATE TABLE texts AS FROM ({_TEXTS}) ORDER BY ALL;
CREATE TABLE names AS SELECT DISTINCT folded, text AS name, language
    FROM waiting.entries WHERE kind IN (0, 2) AND item > 0 ORDER BY ALL;
CHECKPOINT;
"""
_NUMBER = f"""
CREATE TEMP TABLE links AS
    SELECT DISTINCT subject, property, value FROM waiting.statements WHERE value > 0;
CREATE TEMP TABLE keys AS
    SELECT *, (row_number() OVER (ORDER BY size, property, value) - 1)::INTEGER AS key
    FROM (SELECT property, value, count(*) AS size FROM links GROUP BY ALL);
CREATE TEMP TABLE items AS
    SELECT *, (row_number() OVER (ORDER BY subject) - 1)::INTEGER AS row
    FROM (SELECT subject, count(*) AS size FROM links GROUP BY ALL);
CREATE TEMP TABLE numbered AS
    SELECT key, row FROM links JOIN keys USING (property, value) JOIN items USING (subject);
CREATE TEMP TABLE texts AS {_TEXTS};
"""


class Beside(Protocol):
    """Writes what a store has beside its graph."""

    def add(self, scanned: Scanned, entries: Sequence[Entry]) -> None:
        """Add lines, and the entries of these lines."""

    def finish(self) -> None:
        """Sort everything into files."""


class Files:
    """Writes the files of today."""

    def __init__(self, folder: Path, language: str):
        self._folder = folder
        self._index = PostingsWriter(folder)
        self._columns = ColumnsWriter(folder / manifest.COLUMNS, language, folder)
        self._names = NamesWriter(folder / manifest.NAMES, folder)

    def add(self, scanned: Scanned, entries: Sequence[Entry]) -> None:
        """Add lines, and the entries of these lines."""
        self._index.add(scanned)
        self._names.add(
            (entry.text, entry.language)
            for entry in entries
            if entry.column in ("labels", "aliases") and entry.key > 0
        )
        self._columns.add(entries)

    def finish(self) -> None:
        """Sort everything into the files."""
        self._names.finish()
        self._names.remove()
        self._index.write(self._folder / manifest.POSTINGS, "")
        self._columns.write("")


class Tables:
    """Writes a DuckDB file."""

    def __init__(self, folder: Path, language: str):
        self._folder = folder
        temporary = {"temp_directory": str(folder / "sorting")}
        self._db = duckdb.connect(config=_SETTINGS | temporary)
        self._attach("waiting")
        self._db.execute(_COLLECT)
        self._db.execute("SET VARIABLE language = ?", [language])
        self._db.begin()

    def _attach(self, name: str) -> None:
        """Create a file, which the following statements write."""
        path = self._folder / (FILE if name == "store" else name)
        self._db.execute(f"ATTACH '{path}' AS {name} (STORAGE_VERSION '{_VERSION}'); USE {name}")

    def add(self, scanned: Scanned, entries: Sequence[Entry]) -> None:
        """Add the direct statements of items, and entries."""
        chosen = (scanned.predicate > 0) & (scanned.predicate < rules.PROPERTIES)
        chosen &= (scanned.subject > 0) & (scanned.object >= 0)
        numbers = (scanned.subject, scanned.predicate, scanned.object)
        self._append("statements", *(each[chosen].astype(np.int32) for each in numbers))
        if entries:
            names, all_keys, texts, languages = zip(*entries, strict=True)
            kinds, keys = np.array([_KINDS[name] for name in names]), np.array(all_keys, np.int64)
            are_names = kinds < _KINDS["times"]
            folded = [
                fold(text) if is_name else ""
                for text, is_name in zip(texts, are_names.tolist(), strict=True)
            ]
            self._append(
                "entries",
                kinds.astype(np.uint8),
                np.where(are_names, keys, keys >> PROPERTY_BITS).astype(np.int32),
                np.where(are_names, 0, keys & PROPERTY_MASK).astype(np.int32),
                *(np.array(column, object) for column in (texts, languages, folded)),
            )

    def _append(self, table: str, *arrays: Array) -> None:
        part = {f"column_{n}": array for n, array in enumerate(arrays)}  # noqa: F841 (SQL reads it)
        self._db.execute(f"INSERT INTO {table} FROM part")

    def finish(self) -> None:
        """Sort everything into the file."""
        self._db.commit()
        self._attach("store")
        self._db.execute(_SORT)
        self._close()

    def _close(self) -> None:
        self._db.close()
        (self._folder / "waiting").unlink()


class SortedFiles(Tables):
    """Writes the index and the columns of today, which DuckDB sorts; no names."""

    def finish(self) -> None:
        """Sort everything into the files."""
        self._db.commit()
        self._db.execute(_NUMBER)
        items, row_sizes = self._read("SELECT subject, size FROM items ORDER BY row")
        pids, values, key_sizes = self._read("SELECT property, value, size FROM keys ORDER BY key")
        rows = _ends(row_sizes), *self._read("SELECT key FROM numbered ORDER BY row, key")
        keys = _ends(key_sizes), *self._read("SELECT row FROM numbered ORDER BY key, row")
        by_value = np.lexsort((pids, values)).astype(np.int32)
        index = [items, pids, values, *rows, *keys, by_value]
        write_arrays(self._folder / manifest.POSTINGS, postings.LAYOUT, "", index)
        arrays = [array for kind in _KINDS.values() for array in self._column(kind)]
        write_arrays(self._folder / manifest.COLUMNS, columns.LAYOUT, "", arrays)
        self._close()

    def _column(self, kind: int) -> tuple[Array, Array, Array]:
        """Return the arrays of a ``Column``."""
        keys, texts = self._read(
            "SELECT if(kind < 3, item, item::BIGINT << ? | property) AS key, text FROM texts"
            " WHERE kind = ? ORDER BY key, text",
            *(PROPERTY_BITS, kind),
        )
        encoded = [*map(str.encode, texts.tolist())]
        content = np.frombuffer(b"".join(encoded), np.uint8)
        return keys.astype(np.int64), _ends(np.array([*map(len, encoded)], np.int64)), content

    def _read(self, sql: str, *params: int) -> list[Array]:
        return [np.asarray(each) for each in self._db.execute(sql, params).fetchnumpy().values()]


def _ends(sizes: Array) -> Positions:
    """Return where each group ends, after a zero."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def fill(dump: str, folder: Path, way: str) -> None:
    """Read, check and survey the lines of a dump, and write them in one of ``WAYS``."""
    folder.mkdir()
    keep, survey, repeats = Filter(), Survey(), Repeats()
    writers: dict[str, type[Files | Tables]] = {
        "files": Files,
        "sorted files": SortedFiles,
        "tables": Tables,
    }
    make = writers.get(way.removeprefix("graph and "))
    beside: Beside | None = make(folder, keep.languages[0]) if make else None
    with contextlib.ExitStack() as stack:
        rejects = stack.enter_context(rejecting(folder / manifest.REJECTS, folder))
        pipeline = Pipeline([dump], keep.rules(), rejects)
        loader = Loader(pipeline, folder / manifest.GRAPH, True) if "graph" in way else None
        if loader:
            stack.enter_context(contextlib.closing(loader))
        for batch in pipeline.batches():
            if loader:
                loader.add(batch, name_blank_nodes(batch.scanned))
            scanned = repeats.without(batch.scanned)
            text = name_blank_nodes(scanned)
            rewritten = canonical(text, scanned)
            survey.add(scanned, rewritten)
            if beside:
                of_lines = read_entries(text.split(b"\n"), scanned, scanned.canonical)
                are_canonical = np.ones(len(rewritten), np.bool_)
                others = read_entries(rewritten, scan_lines(rewritten), are_canonical)
                beside.add(scanned, [*of_lines, *others])
        if loader:
            loader.finish()
        with loader.compacting() if loader else contextlib.nullcontext():
            if beside:
                beside.finish()
        pipeline.check(max_bad=0.01)
