"""The one-hop subgraph of an item: its statements, and the statements that point to it."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.errors import WrongCallError
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph
from kgbuild.store.sparql import terms
from kgbuild.store.sparql.terms import Row
from kgbuild.wikidata import Value


class Edge(NamedTuple):
    """A statement whose subject (direction "out") or object ("in") is the item of the subgraph.

    ``value`` is the other end; ``label`` is its label, or its text from ``wikidata.show``.
    """

    direction: str
    property: str
    property_label: str
    value: Value
    label: str


class Subgraph(NamedTuple):
    """An item with its edges; ``total`` is the number of edges that it has without a limit.

    Labels are in ``language``, or in Wikidata's "mul" (for all languages).
    """

    qid: str
    label: str
    description: str
    edges: Sequence[Edge]
    total: int
    language: str = "en"

    def __repr__(self) -> str:
        return f"<Subgraph of {self.qid} ({self.label}): {len(self.edges):,} edges>"


def subgraph(graph: Graph, labels: Labels, qid: str, limit: int, language: str = "en") -> Subgraph:
    """Return the one-hop subgraph of an item.

    Edges are sorted by direction (outgoing first), property and value. Each property has at most
    ``limit`` edges in each direction.

    Raises:
        WrongCallError: the store has no statement about the item, and no label.
    """
    rows = _keep_first_labels(graph.select("one_hop", item=qid, language=language))
    if not rows and labels.label(qid) is None:
        raise unknown_item(qid)
    rows = _with_precision(rows, graph.select("precisions", item=qid))
    rows.sort(key=_order)
    grouped = itertools.groupby(rows, key=lambda row: row[:2])
    limited = [row for _, group in grouped for row in itertools.islice(group, limit)]
    labels.read(
        entity
        for _, pid, value, label in limited
        for entity in ((pid, value.text) if label is None and _has_id(value) else (pid,))
    )
    edges = [
        Edge(direction, pid, labels.label(pid) or pid, value, label or _label(value, labels))
        for direction, pid, value, label in limited
    ]
    label, description = labels.label(qid) or qid, labels.description(qid) or ""
    return Subgraph(qid, label, description, edges, len(rows), language)


def _keep_first_labels(rows: Sequence[Row]) -> list[Row]:
    """Return rows in which each statement has the alphabetically first label of its value."""
    labels: dict[Row, str] = {}
    without_label: list[Row] = []
    for *statement, label in rows:
        if label is None:
            without_label.append((*statement, None))  # unknown values stay separate
        else:
            key = tuple(statement)
            labels[key] = min(label, labels.get(key, label))
    return [(*statement, label) for statement, label in labels.items()] + without_label


def _with_precision(rows: Sequence[Row], precisions: Sequence[Row]) -> list[Row]:
    """Return the rows with the precision of times, if the store has it."""
    parts = ((pid, text.rpartition("/")) for pid, text in precisions)  # text: TIME/PRECISION
    by_time = {(pid, time): int(precision) for pid, (time, _, precision) in parts}
    return [
        (direction, pid, value._replace(precision=by_time.get((pid, value.text))), label)
        if direction == "out" and value.kind == "time"
        else (direction, pid, value, label)
        for direction, pid, value, label in rows
    ]


def _has_id(value: Value) -> bool:
    return value.kind in ("item", "property")


def _label(value: Value, labels: Labels) -> str:
    """Return the label of an item or a property; for other values, a readable text."""
    label = labels.label(value.text) if _has_id(value) else None
    return label or wikidata.show(value)


def _order(row: tuple[str, str, Value, str | None]) -> tuple[bool, int, int, str]:
    direction, pid, value, _ = row
    number = wikidata.number(value.text) if _has_id(value) else 0
    return direction == "in", wikidata.number(pid), number, value.text


def unknown_item(qid: str) -> WrongCallError:
    """Return the error that the store has no statement of an item."""
    return WrongCallError(f"There is no statement of {qid}.")


def turtle(subgraph: Subgraph) -> str:
    """Return a subgraph, with the labels of its items, as Turtle."""
    item = Value("item", subgraph.qid)
    labels = {subgraph.qid: subgraph.label} | {
        edge.value.text: edge.label for edge in subgraph.edges if edge.value.kind == "item"
    }
    triples = [
        (Value("item", qid), wikidata.LABEL, Value("text", label, subgraph.language))
        for qid, label in labels.items()
        if label != qid  # an item without a label has its id as label
    ]
    for edge in subgraph.edges:
        ends = (item, edge.value) if edge.direction == "out" else (edge.value, item)
        triples.append((ends[0], wikidata.DIRECT + edge.property, ends[1]))
    return terms.turtle(triples)
