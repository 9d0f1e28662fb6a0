"""Look up items by name, ignoring case and accents.

Oxigraph has an index of exact literals only. So a table beside the store maps each normalised name
to the spellings that occur: ``lookup`` normalises a name, reads its spellings from the table, and
queries the store for the items that have them.
"""

import difflib
import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kgbuild import wikidata
from kgbuild.english.normalize import fold
from kgbuild.errors import DamagedStoreError, UnknownNameError
from kgbuild.store.oxigraph import Graph

_MAX_CANDIDATES = 2000
"""Number of similar names after which no more are collected."""
_MAX_LETTERS = 250
"""Number of letters of a name that are compared: the maximum length of Wikidata's labels."""
_RAREST = 5
"""Number of trigrams of a word by which names with a word like it are found."""
_MAX_PREFETCHED = 1 << 15
"""Number of names from which on those that were looked up are forgotten."""
_MAX_VARIABLES = 500
"""Number of names in one query; SQLite has a limit."""


class Match(NamedTuple):
    """An item, and the ``name`` by which it matches.

    ``matched`` is "label" or "alias"; ``links`` is the number of statements that point to the item.
    """

    qid: str
    label: str
    description: str
    matched: str
    name: str
    links: int


class Nearness(NamedTuple):
    """How a name differs from an item's label; the lowest tuple is the best match."""

    is_spelled_otherwise: bool
    is_alias: bool


class Spellings(Protocol):
    """Finds the spellings of names in a store or at an endpoint."""

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of a name, in upper or lower case."""

    def prefetch(self, names: Iterable[str]) -> None:
        """Look up several names at once, which is faster than one after the other."""

    def beginning_with(self, prefix: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names with a prefix, if they can be searched."""

    def ending_with(self, word: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word is ``word``, likewise."""

    def nearly_ending_with(self, word: str, fits: Callable[[str], bool]) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word ``fits`` and is like one.

        ``fits`` receives a folded word. These are the names that share a rare part with ``word``.
        """

    def similar_names(self, name: str) -> list[str] | None:
        """Return similar names, or None if they cannot be searched."""


class Names:
    """The table of names of a store.

    Raises:
        DamagedStoreError: the file cannot be opened or, later, read.
    """

    def __init__(self, path: Path):
        self._path = path
        if not path.exists():
            raise DamagedStoreError(path, "it is missing")
        try:
            self._db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error as error:
            raise DamagedStoreError(path, str(error)) from error
        self._rows("SELECT 1 FROM names LIMIT 1")
        # SQLite notices that half of a page is missing when it reads it, which may be after hours.
        sizes = (self._rows(f"PRAGMA {what}")[0][0] for what in ("page_size", "page_count"))
        if path.stat().st_size != math.prod(sizes):
            raise DamagedStoreError(path, "it has another size than when it was written")
        self._prefetched: dict[str, list[tuple[str, str]]] = {}

    def _rows(self, sql: str, params: Sequence[str | int] = ()) -> list[Any]:
        try:
            return self._db.execute(sql, params).fetchall()
        except sqlite3.Error as error:
            raise DamagedStoreError(self._path, str(error)) from error

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of a name, with any case and accents."""
        folded = fold(name)
        if folded not in self._prefetched:
            return self._rows(
                "SELECT name, language FROM names WHERE folded = ? ORDER BY name, language",
                (folded,),
            )
        return self._prefetched[folded]

    def prefetch(self, names: Iterable[str]) -> None:
        """Look up several names at once; those of an earlier call may be forgotten."""
        if len(self._prefetched) > _MAX_PREFETCHED:
            self._prefetched = {}
        folded_names = {fold(name) for name in names}
        if keys := sorted(name for name in folded_names if name not in self._prefetched):
            self._prefetched |= {folded: [] for folded in keys}
            for start in range(0, len(keys), _MAX_VARIABLES):
                batch = keys[start : start + _MAX_VARIABLES]
                for folded, *spelling in self._rows(
                    f"SELECT folded, name, language FROM names WHERE folded IN ({_marks(batch)})"  # noqa: S608
                    " ORDER BY folded, name, language",
                    batch,
                ):
                    self._prefetched[folded].append(tuple(spelling))

    def beginning_with(self, prefix: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names with a prefix, at most 100."""
        folded = f"{fold(prefix)} " if prefix.endswith(" ") else fold(prefix)
        return self._rows(
            "SELECT name, language FROM names WHERE folded >= ? AND folded < ?"
            " ORDER BY folded, name, language LIMIT 100",
            (folded, folded + "\U0010ffff"),
        )

    def ending_with(self, word: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word is ``word``."""
        end = f" {fold(word)[:_MAX_LETTERS]}"
        return self._rows(
            "SELECT name, language FROM names WHERE folded IN"
            " (SELECT folded FROM trigrams WHERE trigrams MATCH ? AND substr(folded, ?) = ?)"
            " ORDER BY folded, name, language",
            (" AND ".join(map(_quoted, sorted(_trigrams(end)))), -len(end), end),
        )

    def similar_names(self, name: str, limit: int = 5) -> list[str]:
        """Return at most ``limit`` names that are similar to ``name``, the most similar first.

        Candidates share a trigram with ``name``; those with its rarest trigrams come first.
        Their Ratcliff/Obershelp similarity is at least 0.6.
        """
        folded = fold(name)[:_MAX_LETTERS]
        candidates: set[str] = set()
        for term in self._rarest_first(_trigrams(folded)):
            candidates |= self._with(term)
            if len(candidates) >= _MAX_CANDIDATES:
                break
        matches = difflib.get_close_matches(folded, sorted(candidates), n=limit)
        return [self.spellings(match)[0][0] for match in matches]  # the first spelling

    def nearly_ending_with(self, word: str, fits: Callable[[str], bool]) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word fits, and is like another.

        The names have one of the rarest trigrams of ``word``, with the space before it: a typing
        error changes three of them at most.
        """
        rarest = self._rarest_first(_trigrams(f" {fold(word)[:_MAX_LETTERS]}"))[:_RAREST]
        by_word = defaultdict(set)
        for name in set[str]().union(*map(self._with, rarest)):
            by_word[name.rpartition(" ")[2]].add(name)
        names = [name for word in sorted(filter(fits, by_word)) for name in sorted(by_word[word])]
        self.prefetch(names)
        return [pair for name in names for pair in self.spellings(name)]

    def _rarest_first(self, trigrams: Collection[str]) -> list[str]:
        """Return the trigrams that names have, those of the fewest names first."""
        rows = self._rows(
            f"SELECT term FROM frequency WHERE term IN ({_marks(trigrams)})"  # noqa: S608
            " ORDER BY doc, term",
            sorted(trigrams),
        )
        return [term for (term,) in rows]

    def _with(self, trigram: str) -> set[str]:
        """Return folded names that have a trigram, at most ``_MAX_CANDIDATES``."""
        rows = self._rows(
            "SELECT folded FROM trigrams WHERE trigrams MATCH ? LIMIT ?",
            (_quoted(trigram), _MAX_CANDIDATES),
        )
        return {candidate for (candidate,) in rows}


def _trigrams(folded: str) -> set[str]:
    return {folded[n : n + 3] for n in range(len(folded) - 2)}


def _quoted(term: str) -> str:
    """Return a term as a string of the query language of FTS5."""
    return '"' + term.replace('"', '""') + '"'


def _marks(values: Collection[object]) -> str:
    """Return a question mark for each value, as SQL lists parameters."""
    return ",".join("?" * len(values))


def lookup(graph: Graph, names: Spellings, name: str, language: str = "en") -> list[Match]:
    """Return the items with a label or alias, the best matches first.

    Exact spellings come before other cases and accents, labels before aliases, then items with
    more links, then smaller ids.

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
        raise UnknownNameError(name, names.similar_names(name))
    return [match for _, match in sorted(best.values())]


def spelling_variants(name: str) -> list[str]:
    """Return a name with straight and curly apostrophes, and in quotation marks."""
    straight, curly = name.replace("’", "'"), name.replace("'", "’")
    return list(dict.fromkeys((name, straight, curly, f'"{straight}"')))


def items_named(graph: Graph, names: Spellings, name: str) -> dict[str, Nearness]:
    """Return the items with a label or alias, sorted by number, and how their names differ.

    These are the items of ``lookup``, and those whose name has other apostrophes or is in quotation
    marks.
    """
    variants = spelling_variants(name)
    names.prefetch(variants)
    spellings = [pair for variant in variants for pair in names.spellings(variant)]
    return items_spelled(graph, spellings, name)


def items_spelled(
    graph: Graph, spellings: Iterable[tuple[str, str]], name: str
) -> dict[str, Nearness]:
    """Return the items with one of the (spelling, language) pairs, sorted by number.

    Their nearness is how they differ from ``name``.
    """
    matches: dict[str, Nearness] = {}
    if pairs := [*dict.fromkeys(spellings)]:
        for spelling, qid, matched in graph.select("items_by_name", name=pairs):
            nearness = Nearness(spelling.text != name.strip(), matched == "alias")
            matches[qid] = min(matches.get(qid, nearness), nearness)
    return {qid: matches[qid] for qid in sorted(matches, key=wikidata.number)}


class Labels(Protocol):
    """Labels, descriptions and aliases in a language."""

    language: str

    def read_all(self, pid: str) -> None:
        """Read the labels and descriptions of all items that have a property, if this is faster."""

    def read(self, entities: Iterable[str]) -> None:
        """Read the labels and descriptions of these items and properties, if this is faster."""

    def label(self, entity: str) -> str | None:
        """Return the label of an item or a property, in the store or in the catalog, or None."""

    def description(self, entity: str) -> str | None:
        """Return the description of an item or a property, or None."""

    def aliases(self, entity: str) -> tuple[str, ...]:
        """Return the aliases of an item or a property, sorted."""
