"""Look up items by name, ignoring case and accents.

Oxigraph has an index of exact literals only. So ``names`` beside the graph have the spellings that
occur of each normalised name: ``lookup`` reads the spellings of a name, and queries the graph for
the items that have them.
"""

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.english.normalize import fold
from kgbuild.errors import KgbuildError, WrongCallError, shorten
from kgbuild.store.oxigraph import Graph
from kgbuild.store.sparql.terms import Row
from kgbuild.wikidata import entity_key

if TYPE_CHECKING:
    from kgbuild.store.columns import Columns  # it imports NumPy, which few commands need

_CACHE_SIZE = 1 << 15
"""Maximum number of labels, of descriptions and of aliases that are kept in memory."""
_MAX_LONGER = 50
"""Maximum numbers of longer names that are looked up: those that begin and that end with a name."""


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


class Spellings(Protocol):
    """Finds the spellings of names in a store or at an endpoint."""

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of a name, in upper or lower case."""

    def prefetch(self, names: Iterable[str]) -> None:
        """Look up several names at once, if this is faster than one after the other."""
        return

    def beginning_with(self, prefix: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names with a prefix, if they can be searched."""
        return []

    def ending_with(self, word: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word is ``word``, likewise."""
        return []

    def nearly_ending_with(self, word: str, fits: Callable[[str], bool]) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word ``fits`` and is like one.

        ``fits`` receives a folded word. These are the names that share parts with ``word``.
        """
        return []

    def similar_names(self, name: str) -> list[str] | None:
        """Return similar names, or None if they cannot be searched."""
        return None


def lookup(graph: Graph, names: Spellings, name: str, language: str = "en") -> list[Match]:
    """Return the items with a label or alias, the best matches first.

    Exact spellings come before other cases and accents, labels before aliases, then items with
    more links, then smaller ids. If no item has the name, these are items whose names begin or end
    with it, as far as names can be searched.

    Raises:
        KgbuildError: no item has that name, or one that begins or ends with it.
        WrongCallError: the name is empty.
    """
    if not name.strip():
        raise WrongCallError("The name is empty. Type a name.")
    best: dict[str, tuple[tuple[bool, bool, int, int], Match]] = {}
    for spelling, tag in names.spellings(name) or _longer(names, name):
        for qid, matched, label, description, links in graph.select(
            "entity_lookup", name=(spelling, tag), language=language
        ):
            rank = (spelling != name.strip(), matched != "label", -links, wikidata.number(qid))
            match = Match(qid, label or qid, description or "", matched, spelling, links)
            best[qid] = min(best.get(qid, (rank, match)), (rank, match))
    if not best:
        near = names.similar_names(name)
        similar = f". Similar names: {', '.join(near or [])}"
        if near is None:
            advice = "An endpoint finds only exact names; --lang sets their language"
            similar = f" in this spelling. {advice}"
        elif not near:
            similar = ", and no name is similar"
        raise KgbuildError(f"No item is called '{shorten(name)}'{similar}.")
    return [match for _, match in sorted(best.values())]


def _longer(names: Spellings, name: str) -> list[tuple[str, str]]:
    """Return the first (spelling, language) pairs of names that begin or end with a name."""
    last_word = name.split()[-1:]
    folded = fold(name)
    ending = (pair for word in last_word for pair in names.ending_with(word))
    matching = [pair for pair in ending if fold(pair[0]).endswith(f" {folded}")]
    beginning = names.beginning_with(f"{name.strip()} ") if last_word else []
    return [*matching[:_MAX_LONGER], *beginning[:_MAX_LONGER]]


def spelling_variants(name: str) -> list[str]:
    """Return a name with straight and curly apostrophes, and in quotation marks."""
    straight, curly = name.replace("’", "'"), name.replace("'", "’")
    return list(dict.fromkeys((name, straight, curly, f'"{straight}"')))


def items_named(graph: Graph, names: Spellings, name: str) -> dict[str, tuple[bool, bool]]:
    """Return the items with a label or alias, sorted by number.

    Each has whether its name is spelled otherwise, and whether it is an alias: the lowest pair is
    the best match. These are the items of ``lookup``, and those whose name has other apostrophes or
    is in quotation marks.
    """
    variants = spelling_variants(name)
    names.prefetch(variants)
    pairs = [*dict.fromkeys(pair for variant in variants for pair in names.spellings(variant))]
    matches: dict[str, tuple[bool, bool]] = {}
    for spelling, qid, matched in graph.select("items_by_name", name=pairs) if pairs else ():
        nearness = (spelling.text != name.strip(), matched == "alias")
        matches[qid] = min(matches.get(qid, nearness), nearness)
    return {qid: matches[qid] for qid in sorted(matches, key=wikidata.number)}


class StoredLabels:
    """The labels, descriptions and aliases in the columns that ``open_columns`` returns.

    They are in ``language``. ``label`` and ``description`` are None without one; ``aliases`` are
    sorted. The catalog has labels of properties, too.
    """

    def __init__(self, open_columns: "Callable[[], Columns]", language: str):
        self.language = language
        self._columns = open_columns
        self.label = functools.lru_cache(_CACHE_SIZE)(self._label)
        self.description = functools.lru_cache(_CACHE_SIZE)(self._description)
        self.aliases = functools.lru_cache(_CACHE_SIZE)(self._aliases)

    def read(self, entities: Iterable[str]) -> None:
        """Do nothing: single labels are fast."""

    def _label(self, entity: str) -> str | None:
        label = self._columns().labels.text(entity_key(entity))
        return label or catalog().properties.get(entity)

    def _description(self, entity: str) -> str | None:
        return self._columns().descriptions.text(entity_key(entity))

    def _aliases(self, entity: str) -> tuple[str, ...]:
        return tuple(self._columns().aliases.texts(entity_key(entity)))


class QueriedLabels:
    """Labels, descriptions and aliases in a language; each is read once."""

    def __init__(self, graph: Graph, language: str = "en"):
        self._graph = graph
        self.language = language
        self._texts: dict[str, tuple[str | None, str | None]] = {}
        self._aliases: dict[str, tuple[str, ...]] = {}

    def read(self, entities: Iterable[str]) -> None:
        """Read the labels and descriptions of these items and properties in one query."""
        missing = [*dict.fromkeys(entity for entity in entities if entity not in self._texts)]
        if missing:
            rows = self._graph.select("texts_of", entity=missing, language=self.language)
            by_id = ((entity.text, label, description) for entity, label, description in rows)
            texts = self._best_texts(by_id)
            self._texts.update((entity, texts.get(entity, (None, None))) for entity in missing)

    def _best_texts(self, rows: Iterable[Row]) -> dict[str, tuple[str | None, str | None]]:
        """Return the (label, description) of each entity in rows (entity, label, description).

        If an entity has several, they are its best label and its first description.
        """
        labels: dict[str, tuple[int, str]] = {}
        descriptions: dict[str, str] = {}
        for entity, label, description in rows:
            tag, text = (label.language, label.text) if label else ("", "")
            candidate = (wikidata.language_rank(tag, self.language), text)
            labels[entity] = min(candidate, labels.get(entity, candidate))
            if description:
                descriptions[entity] = min(description, descriptions.get(entity, description))
        return {
            entity: (text or None, descriptions.get(entity)) for entity, (_, text) in labels.items()
        }

    def _read(self, entity: str) -> tuple[str | None, str | None]:
        if entity not in self._texts:
            self.read([entity])
        return self._texts[entity]

    def label(self, entity: str) -> str | None:
        """Return the label of an item or a property, in the store or in the catalog, or None."""
        return self._read(entity)[0] or catalog().properties.get(entity)

    def description(self, entity: str) -> str | None:
        """Return the description of an item or a property, or None."""
        return self._read(entity)[1]

    def aliases(self, entity: str) -> tuple[str, ...]:
        """Return the aliases of an item or a property, in the order of the query."""
        if entity not in self._aliases:
            rows = self._graph.select("aliases", entity=entity, language=self.language)
            self._aliases[entity] = tuple(alias for (alias,) in rows)
        return self._aliases[entity]


Labels: TypeAlias = StoredLabels | QueriedLabels
