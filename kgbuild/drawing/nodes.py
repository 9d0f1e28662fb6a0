"""The drawing of a subgraph as nodes: the item, its properties, and the values of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from kgbuild.drawing.text import short, width
from kgbuild.graph.subgraph import Edge, Subgraph
from kgbuild.wikidata import Value, href_of

MOST = 12
"""Maximum number of values of a property that are drawn (13 values are drawn, too)."""
STYLES = {"time": "data", "quantity": "data", "point": "data", "string": "text", "link": "text"}
"""The styles of values by kind; other kinds are their own style."""
_ITEM, _PROPERTY, _VALUE = 260, 210, 260
"""Maximum widths in pixels of the texts of the item, of a property and of a value."""


@dataclass(frozen=True, eq=False)
class Node:
    """A text with a style: the item, a property (out or in), a value or "+ 3 more"."""

    style: str
    text: str
    title: str
    href: str | None

    @property
    def width(self) -> float:
        """The estimated width of the text in pixels."""
        return width(self.text)


class Group(NamedTuple):
    """A property in a direction, and its values; ``edges`` are all of them."""

    branch: Node
    leaves: list[Node]
    edges: list[Edge]


def item_node(subgraph: Subgraph) -> Node:
    """Return the node of the item in the middle."""
    title = f"{subgraph.label} ({subgraph.qid})\n{subgraph.description}"
    href = href_of(Value("item", subgraph.qid))
    return Node("middle", short(subgraph.label, _ITEM), title, href)


def groups(subgraph: Subgraph) -> list[Group]:
    """Return the edges by property and direction, in their order."""
    grouped = groupby(subgraph.edges, key=lambda edge: edge[:2])
    return [
        Group(_branch(edges), [*_leaves(number, edges, subgraph.label)], edges)
        for number, edges in enumerate(list(edges) for _, edges in grouped)
    ]


def _branch(edges: Sequence[Edge]) -> Node:
    direction, pid, label = edges[0][:3]
    count = f" · {len(edges):,}" if len(edges) > 1 else ""
    text = short(label, _PROPERTY - width(count)) + count
    return Node(direction, text, f"{label} ({pid}){count}", href_of(Value("property", pid)))


def _leaves(number: int, edges: Sequence[Edge], label: str) -> Iterator[Node]:
    shown = edges if len(edges) <= MOST + 1 else edges[:MOST]
    for edge in shown:
        style = STYLES.get(edge.value.kind, edge.value.kind)
        yield Node(style, short(edge.label, _VALUE), _sentence(edge, label), href_of(edge.value))
    if len(edges) > len(shown):
        more = f"+ {len(edges) - len(shown):,} more"
        yield Node("more", more, "All are in the table.", f"#group-{number}")


def _sentence(edge: Edge, label: str) -> str:
    value = edge.label if edge.label == edge.value.text else f"{edge.label} ({edge.value.text})"
    subject, value = (label, value) if edge.direction == "out" else (value, label)
    # A label that runs from right to left must not turn the others, so each is isolated.
    return " → ".join(f"\u2068{text}\u2069" for text in (subject, edge.property_label, value))
