"""The nodes of the drawing of a subgraph: the item, its properties, and the values of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from kgbuild.drawing.text import short, width
from kgbuild.graph.subgraph import Edge, Subgraph
from kgbuild.wikidata import Value, href_of

MAX_VALUES = 12
"""Maximum number of drawn values of a property. If it has 13 values, all are drawn, since the text
"+ 1 more" needs the same room."""
STYLES = {"time": "data", "quantity": "data", "point": "data", "string": "text", "link": "text"}
"""CSS classes of values by kind; the class of any other kind is its name."""
_ITEM_WIDTH, _PROPERTY_WIDTH, _VALUE_WIDTH = 260, 210, 260
"""Maximum widths in pixels of the texts of the item, of a property and of a value."""


@dataclass(frozen=True, eq=False)
class Node:
    """A text with a CSS class, a tooltip and a link: an item, a property, a value or "+ 3 more"."""

    style: str
    text: str
    title: str
    href: str | None

    @property
    def width(self) -> float:
        """The estimated width of the text in pixels."""
        return width(self.text)


class NodeGroup(NamedTuple):
    """A property in one direction with its drawn values; ``edges`` are all of its statements."""

    branch: Node
    leaves: list[Node]
    edges: list[Edge]


def item_node(subgraph: Subgraph) -> Node:
    """Return the node of the item in the middle."""
    title = f"{subgraph.label} ({subgraph.qid})\n{subgraph.description}"
    href = href_of(Value("item", subgraph.qid))
    return Node("middle", short(subgraph.label, _ITEM_WIDTH), title, href)


def groups(subgraph: Subgraph) -> list[NodeGroup]:
    """Group the edges by direction and property; the groups keep the order of the edges."""
    grouped = groupby(subgraph.edges, key=lambda edge: edge[:2])
    return [
        NodeGroup(_branch(edges), [*_leaves(number, edges, subgraph.label)], edges)
        for number, edges in enumerate(list(edges) for _, edges in grouped)
    ]


def _branch(edges: Sequence[Edge]) -> Node:
    direction, pid, label = edges[0][:3]
    count = f" · {len(edges):,}" if len(edges) > 1 else ""
    text = short(label, _PROPERTY_WIDTH - width(count)) + count
    return Node(direction, text, f"{label} ({pid}){count}", href_of(Value("property", pid)))


def _leaves(number: int, edges: Sequence[Edge], label: str) -> Iterator[Node]:
    drawn = edges if len(edges) <= MAX_VALUES + 1 else edges[:MAX_VALUES]
    for edge in drawn:
        style = STYLES.get(edge.value.kind, edge.value.kind)
        yield Node(
            style, short(edge.label, _VALUE_WIDTH), _sentence(edge, label), href_of(edge.value)
        )
    if len(edges) > len(drawn):
        more = f"+ {len(edges) - len(drawn):,} more"
        yield Node("more", more, "All are in the table.", f"#group-{number}")


def _sentence(edge: Edge, label: str) -> str:
    """Return a statement as a text: subject → property → value; ``label`` is that of the item."""
    value = edge.label if edge.label == edge.value.text else f"{edge.label} ({edge.value.text})"
    subject, value = (label, value) if edge.direction == "out" else (value, label)
    # Unicode marks isolate each label, so right-to-left text does not reorder the others.
    return " → ".join(f"\u2068{text}\u2069" for text in (subject, edge.property_label, value))
