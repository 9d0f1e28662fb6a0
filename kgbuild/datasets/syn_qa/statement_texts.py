"""The statements about the items of a question, in words: evidence for a model."""

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from kgbuild.graph.subgraph import Edge, subgraph
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph

MOST = 30
"""Statements that are shown about an item."""
_READ = 10_000
"""Statements of a property, in each direction, from which those to show are chosen."""
_CACHED = 1 << 10
_READABLE = ("item", "time", "text")
"""The kinds of values that are shown: a number without unit, a point or a link tells nothing."""


class StatementTexts:
    """Words the statements about items.

    Of an item with too many statements, the first are those that join it to another item of the
    question, directly or, by the relation of the question, over one item between; then its own
    values of that relation; then what both items are joined to; then the first values of each
    property. Both questions of a pair are treated alike, and all statements stand in the order of
    the subgraph, so the place of a statement tells nothing.
    """

    def __init__(self, graph: Graph, labels: Labels):
        self._graph = graph
        self._labels = labels
        self._edges = functools.lru_cache(_CACHED)(self._read_edges)

    def about(self, items: Sequence[str], properties: Collection[str]) -> list[str]:
        """Return the statements about the items of a question, which asks about the properties.

        Raises:
            UnknownItemError: the store has no statement of an item.
        """
        lines = (line for qid in items for line in self._lines(qid, items, properties))
        return [*dict.fromkeys(lines)]

    def _lines(self, qid: str, items: Sequence[str], properties: Collection[str]) -> Iterable[str]:
        label = self._labels.label(qid) or qid
        joined = {edge.value.text for other in items if other != qid for edge in self._edges(other)}
        counts = Counter[tuple[str, str]]()
        ranks = []
        for place, edge in enumerate(self._edges(qid)):
            group = edge.direction, edge.property
            counts[group] += 1
            ranks.append((_rank(edge, items, joined, properties), counts[group], place))
        shown = sorted(place for *_, place in sorted(ranks)[:MOST])
        return [_line(label, self._edges(qid)[place]) for place in shown]

    def _read_edges(self, qid: str) -> Sequence[Edge]:
        edges = subgraph(self._graph, self._labels, qid, _READ).edges
        return [edge for edge in edges if edge.value.kind in _READABLE and _has_label(edge)]


def _rank(
    edge: Edge, items: Collection[str], joined: Collection[str], properties: Collection[str]
) -> int:
    """Return how near a statement is to the question; the nearest is 0."""
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


def _has_label(edge: Edge) -> bool:
    return edge.value.kind != "item" or edge.label != edge.value.text


def _line(label: str, edge: Edge) -> str:
    ends = (label, edge.label) if edge.direction == "out" else (edge.label, label)
    return f"{ends[0]} – {edge.property_label}: {ends[1]}"
