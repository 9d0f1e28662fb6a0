"""The evidence about a question: what the store says of its items, or what somebody found."""

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kgbuild.errors import TableFileError
from kgbuild.graph.subgraph import Edge, subgraph
from kgbuild.rows import require_columns
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph

MOST = 30
"""Statements about an item that are shown."""
COLUMNS = ("pair_id", "false_assumption", "evidence")
Asked: TypeAlias = tuple[str, bool]
"""A question: its pair, and whether it is the one with the false assumption."""

_READ = 10_000
"""Statements of a property, for each direction, of which those to show are chosen."""
_REMEMBERED = 1 << 10
_READABLE = ("item", "time", "text")
"""What a value may be: a number without its unit, a point or a link says nothing to a reader."""
_TRUTH = {"true": True, "false": False}


class Statements:
    """Says in words what the one-hop subgraphs of items say.

    Of an item with too many statements, those stay that join it to another item of the question,
    directly, or by the relation that is asked about over one item between; then its own values of
    that relation; then what both items are joined to, then the first values of each property.
    That is done alike to both questions of a pair, and all stand in the order of the subgraph, so
    where a statement stands tells nothing.
    """

    def __init__(self, graph: Graph, labels: Labels):
        self._graph = graph
        self._labels = labels
        self._edges = functools.lru_cache(_REMEMBERED)(self._read)

    def about(self, items: Sequence[str], properties: Collection[str]) -> list[str]:
        """Return what is said of the items of a question about these properties.

        Raises:
            UnknownItemError: the store says nothing of an item.
        """
        said = (line for qid in items for line in self._lines(qid, items, properties))
        return [*dict.fromkeys(said)]

    def _lines(self, qid: str, items: Sequence[str], properties: Collection[str]) -> Iterable[str]:
        label = self._labels.label(qid) or qid
        joined = {edge.value.text for other in items if other != qid for edge in self._edges(other)}
        seen = Counter[tuple[str, str]]()
        ranks = []
        for place, edge in enumerate(self._edges(qid)):
            group = edge.direction, edge.property
            seen[group] += 1
            rank = _rank(edge, items, joined, properties)
            ranks.append((rank, seen[group], place))
        chosen = sorted(place for *_, place in sorted(ranks)[:MOST])
        return [_line(label, self._edges(qid)[place]) for place in chosen]

    def _read(self, qid: str) -> Sequence[Edge]:
        edges = subgraph(self._graph, self._labels, qid, _READ).edges
        return [edge for edge in edges if edge.value.kind in _READABLE and _is_named(edge)]


def _rank(
    edge: Edge, items: Collection[str], joined: Collection[str], properties: Collection[str]
) -> int:
    """Return how near a statement is to what is asked; the nearest is 0."""
    is_asked, is_joined = edge.property in properties, edge.value.text in joined
    order = (
        edge.value.text in items,
        is_asked and is_joined,
        is_asked and edge.direction == "out",
        is_joined,
        is_asked,
        True,
    )
    return order.index(True)


def _is_named(edge: Edge) -> bool:
    return edge.value.kind != "item" or edge.label != edge.value.text


def _line(label: str, edge: Edge) -> str:
    ends = (label, edge.label) if edge.direction == "out" else (edge.label, label)
    return f"{ends[0]} – {edge.property_label}: {ends[1]}"


def found(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    known: Collection[str],
) -> dict[Asked, list[str]]:
    """Return somebody's evidence in the records of the file ``path``, by question.

    ``known`` are the ids of the pairs.

    Raises:
        TableFileError: there is no record, or one is of no such question, or of one that was
            there before, or its evidence is no list of texts.
        MissingColumnError: there is no such column.
    """
    if not records:
        raise TableFileError(path, "it holds no evidence")
    require_columns(path, columns, COLUMNS)
    told: dict[Asked, list[str]] = {}
    for number, (pair_id, is_false, texts) in enumerate(
        ([record[name] for name in COLUMNS] for record in records), 1
    ):
        asked = str(pair_id), _TRUTH.get(str(is_false).lower())
        if fault := _fault(asked, texts, known, told):
            raise TableFileError(path, f"record {number:,}: {fault}")
        told[str(pair_id), bool(asked[1])] = texts
    return told


def _fault(
    asked: tuple[str, bool | None],
    texts: object,
    known: Collection[str],
    told: Collection[tuple[str, bool | None]],
) -> str:
    """Return what is wrong with a record, if anything is."""
    pair_id, is_false = asked
    if pair_id not in known:
        return f"the pair '{pair_id[:40]}' is not in the database"
    if is_false is None:
        return "its false_assumption is not true or false"
    if asked in told:
        return f"there is evidence about this question of '{pair_id}' before"
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return "its evidence is no list of texts"
    return ""
