"""Write the statements about the items of a question as texts: evidence for a model."""

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from kgbuild.graph.subgraph import Edge, subgraph
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph

MOST = 30
"""Maximum number of statements about an item in a prompt."""
_MAX_READ = 10_000
"""Maximum number of statements of a property, in each direction, that are read from the store."""
_CACHE_SIZE = 1 << 10
"""Number of items whose statements are cached."""
_READABLE = ("item", "time", "text")
"""The kinds of values in evidence: numbers without units, points and links are not readable."""


class StatementTexts:
    """Writes statements about items as texts.

    If an item has too many statements, they are chosen in this order: statements that join it to
    another item of the question, directly or (by the relation of the question) through an item
    between; its values of that relation; its neighbours that another item of the question has as
    well; the first values of each property. The rule is the same for both questions of a pair, and
    chosen statements keep the order of the subgraph, so their position reveals nothing.
    """

    def __init__(self, graph: Graph, labels: Labels):
        self._graph = graph
        self._labels = labels
        self._edges = functools.lru_cache(_CACHE_SIZE)(self._read_edges)

    def about(self, items: Sequence[str], properties: Collection[str]) -> list[str]:
        """Return the statements about the items of a question, which asks about the properties.

        Raises:
            WrongCallError: the store has no statement of an item.
        """
        lines = (line for qid in items for line in self._lines(qid, items, properties))
        return [*dict.fromkeys(lines)]

    def _lines(self, qid: str, items: Sequence[str], properties: Collection[str]) -> Iterable[str]:
        label = self._labels.label(qid) or qid
        neighbours = {
            edge.value.text for item in items if item != qid for edge in self._edges(item)
        }
        edges = self._edges(qid)
        value_counts = Counter[tuple[str, str]]()
        sort_keys = []
        for position, edge in enumerate(edges):
            rank = _rank(edge, items, neighbours, properties)
            property_key = edge.direction, edge.property
            value_counts[property_key] += 1  # the first values of each property come first
            sort_keys.append((rank, value_counts[property_key], position))
        chosen_positions = sorted(position for *_, position in sorted(sort_keys)[:MOST])
        return [_line(label, edges[position]) for position in chosen_positions]

    def _read_edges(self, qid: str) -> Sequence[Edge]:
        return [
            edge
            for edge in subgraph(self._graph, self._labels, qid, _MAX_READ).edges
            if edge.value.kind in _READABLE
            # The label of an item without one is its id.
            if edge.value.kind != "item" or edge.label != edge.value.text
        ]


def _rank(
    edge: Edge, items: Collection[str], neighbours: Collection[str], properties: Collection[str]
) -> int:
    """Return the rank of a statement, from 0 for the statements that are chosen first."""
    is_of_relation, is_common = edge.property in properties, edge.value.text in neighbours
    conditions = (
        edge.value.text in items,
        is_of_relation and is_common,
        is_of_relation and edge.direction == "out",
        is_common,
        is_of_relation,
        True,
    )
    return conditions.index(True)


def _line(label: str, edge: Edge) -> str:
    subject, value = (label, edge.label) if edge.direction == "out" else (edge.label, label)
    return f"{subject} – {edge.property_label}: {value}"
