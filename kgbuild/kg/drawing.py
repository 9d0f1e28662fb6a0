"""The drawing of a one-hop subgraph: one HTML page that needs nothing but a browser.

The item stands in the middle, its properties around it, their values around those. Text is
never turned, so it is set in columns at both sides; these bend around the item, as rings do.
Anyone may edit the labels of Wikidata: all that holds one is made by ElementTree, or escaped.
"""

import html
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category, east_asian_width
from urllib.parse import quote
from xml.etree import ElementTree as ET

from kgbuild.kg.subgraph import Edge, Subgraph
from kgbuild.kg.wikidata import Value

if TYPE_CHECKING:
    import networkx as nx

MOST = 12
"""How many values of a property are drawn, if it has many; the table has them all."""

_WIKIDATA = "https://www.wikidata.org/wiki/"
_PAGES = {"item": _WIKIDATA, "property": f"{_WIKIDATA}Property:"}
_STYLES = {"time": "data", "quantity": "data", "point": "data", "string": "text", "link": "text"}

# Pixels: a row, the room between groups, the room for a line between two groups, the line from
# a property to its values, the half height of a property; the most that a text may take.
_ROW, _GAP, _LANE, _FAN, _HALF = 22, 12, 10, 64, 11
_LABEL, _PROPERTY, _VALUE = 260, 210, 270
_ROWS = 50  # in a column; more rows make a second and a third column at their side

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Node:
    """What is drawn: the item, a property (its style is out or in), a value or "+ 3 more"."""

    style: str
    text: str
    title: str
    href: str | None


class Place(NamedTuple):
    """Where a node stands: the points of the line to it, the last its own; left -1 or right 1."""

    way: Sequence[Point]
    side: int


class Frame(NamedTuple):
    """The measures of a drawing around (0, 0)."""

    start: float
    property: float
    column: float
    half: float

    def x(self, column: int, y: float) -> float:
        """Return where a column begins at a height: nearer to the middle at its ends."""
        bend = min(self.half * 0.3, 150)
        return self.start + bend * (1 - (y / self.half) ** 2) + column * self.column


def draw(subgraph: Subgraph) -> str:
    """Draw a subgraph as an HTML page.

    The page fetches nothing, and the same subgraph gives the same bytes.
    """
    grouped = itertools.groupby(subgraph.edges, key=lambda edge: edge[:2])
    groups = [list(group) for _, group in grouped]
    page = Template((resources.files("kgbuild.kg") / "drawing.html").read_text(encoding="utf-8"))
    return page.substitute(
        label=html.escape(_clean(subgraph.label)),
        qid=html.escape(_clean(subgraph.qid)),
        href=html.escape(_href(Value("item", subgraph.qid)) or ""),
        description=html.escape(_clean(subgraph.description)),
        counts=_counts(subgraph),
        drawing=_markup(_drawing(_tree(subgraph, groups), subgraph.qid)),
        rows="\n".join(_markup(_rows(number, group)) for number, group in enumerate(groups)),
    )


def _counts(subgraph: Subgraph) -> str:
    shown, properties = len(subgraph.edges), len({edge.property for edge in subgraph.edges})
    of = f" of {subgraph.total:,}" if subgraph.total > shown else ""
    return f"Statements: {shown:,}{of}. Properties: {properties:,}."


def _tree(subgraph: Subgraph, groups: Sequence[Sequence[Edge]]) -> "nx.DiGraph[Node]":
    """Return the tree from the item over its properties to their values, in their order."""
    import networkx as nx

    tree: nx.DiGraph[Node] = nx.DiGraph()
    title = f"{subgraph.label} ({subgraph.qid})\n{subgraph.description}"
    text = _short(subgraph.label, _LABEL)
    item = Node("middle", text, title, _href(Value("item", subgraph.qid)))
    tree.add_node(item)
    for number, group in enumerate(groups):
        branch = _property(group)
        tree.add_edge(item, branch)
        tree.add_edges_from((branch, leaf) for leaf in _leaves(number, group, subgraph.label))
    return tree


def _property(group: Sequence[Edge]) -> Node:
    direction, pid, label = group[0][:3]
    count = f" · {len(group):,}" if len(group) > 1 else ""
    text = _short(label, _PROPERTY - _width(count)) + count
    return Node(direction, text, f"{label} ({pid}){count}", _href(Value("property", pid)))


def _leaves(number: int, group: Sequence[Edge], label: str) -> Iterator[Node]:
    shown = group if len(group) <= MOST + 1 else group[:MOST]
    for edge in shown:
        style = _STYLES.get(edge.value.kind, edge.value.kind)
        yield Node(style, _short(edge.label, _VALUE), _sentence(edge, label), _href(edge.value))
    if len(group) > len(shown):
        more = f"+ {len(group) - len(shown):,} more"
        yield Node("more", more, "All are in the table.", f"#group-{number}")


def _sentence(edge: Edge, label: str) -> str:
    value = edge.label if edge.label == edge.value.text else f"{edge.label} ({edge.value.text})"
    ends = (label, value) if edge.direction == "out" else (value, label)
    # A label that runs from right to left must not turn the rest: isolate (FSI, PDI).
    start, name, end = (f"\u2068{text}\u2069" for text in (ends[0], edge.property_label, ends[1]))
    return f"{start} → {name} → {end}"


def _href(value: Value) -> str | None:
    page = _PAGES.get(value.kind)
    return None if page is None else page + quote(value.text, safe="", errors="replace")


def _places(tree: "nx.DiGraph[Node]", item: Node) -> dict[Node, Place]:
    """Set the properties and values: clockwise in their order, without an overlap."""
    groups = list(tree.successors(item))
    split = _split(tree, groups)
    packed = {
        side: list(zip(members, _pack(tree, members), strict=True))
        for side, members in ((1, groups[:split]), (-1, groups[split:][::-1]))
    }
    frame = _frame(
        tree, item, groups, [y for side in packed.values() for _, ys in side for y in ys]
    )
    places = {item: Place([(0, 0)], 1)}
    for side, members in packed.items():
        for group, heights in members:
            places.update(_group(tree, group, frame, heights, side))
    return places


def _split(tree: "nx.DiGraph[Node]", groups: Sequence[Node]) -> int:
    """Return how many groups stand at the right: the outgoing ones if that is balanced."""
    heights = [_height(tree, group) for group in groups]
    outgoing = sum(group.style == "out" for group in groups)
    if 0.35 <= sum(heights[:outgoing]) / (sum(heights) or 1) <= 0.65:
        return outgoing
    sums = list(itertools.accumulate(heights, initial=0))
    return min(range(len(sums)), key=lambda n: (abs(sums[n] * 2 - sums[-1]), -n))


def _height(tree: "nx.DiGraph[Node]", group: Node) -> int:
    return _ROW * len(tree[group]) + _GAP


def _pack(tree: "nx.DiGraph[Node]", groups: Sequence[Node]) -> list[list[float]]:
    """Return for each group the heights of its line, in the columns up to its own."""
    rows = sum(len(tree[group]) for group in groups)
    bottoms = [0.0] * min(1 + rows // _ROWS, 3)
    packed = []
    for group in groups:
        column = bottoms.index(min(bottoms))
        height = _height(tree, group)
        steps = [_LANE] * column + [height]
        packed.append([bottoms[n] + step / 2 for n, step in enumerate(steps)])
        for n, step in enumerate(steps):
            bottoms[n] += step
    return [[y - bottoms[n] / 2 for n, y in enumerate(heights)] for heights in packed]


def _frame(
    tree: "nx.DiGraph[Node]", item: Node, groups: Sequence[Node], heights: Sequence[float]
) -> Frame:
    leaves = [_width(leaf.text) for group in groups for leaf in tree.successors(group)]
    branch = max((_width(group.text) for group in groups), default=0) + 26
    column = branch + _FAN + max(leaves, default=0) + 40
    half = max((abs(y) for y in heights), default=0) + _ROW * (MOST + 1) / 2
    return Frame(_width(item.text) / 2 * 1.2 + 70, branch, column, half)


def _group(
    tree: "nx.DiGraph[Node]", group: Node, frame: Frame, heights: Sequence[float], side: int
) -> Iterator[tuple[Node, Place]]:
    """Yield the places of a property and of its values, which stand behind its outer end."""
    *lanes, middle = heights
    column = len(lanes)
    way: list[Point] = [(0, 0)]
    for n, y in enumerate(lanes):
        x = frame.x(n, y)
        way += [(side * x, y), (side * (x + frame.column - 30), y)]
    end = frame.x(column, middle) + frame.property
    tip = (side * end, middle)
    yield group, Place([*way, tip], side)
    leaves = list(tree.successors(group))
    for n, leaf in enumerate(leaves):
        y = middle + (n - (len(leaves) - 1) / 2) * _ROW
        lean = (frame.x(column, y) + frame.property - end) / 2
        yield leaf, Place([tip, (side * (end + _FAN + lean), y)], side)


def _drawing(tree: "nx.DiGraph[Node]", qid: str) -> ET.Element:
    item = next(iter(tree))
    places = _places(tree, item)
    svg = ET.Element("svg", {"viewBox": _view(places), "role": "img", "aria-label": "…"})
    for group in tree.successors(item):
        element = _add(svg, "g", {"class": f"group {group.style}"})
        _spoke(element, group, places[group], len(tree[group]))
        for leaf in tree.successors(group):
            _line(element, places[leaf].way, "twig")
            _leaf(element, leaf, places[leaf])
        _branch(element, group, places[group])
    _middle(svg, item, qid)
    return svg


def _view(places: Mapping[Node, Place]) -> str:
    """Return the box around all, not too small, so that little is not shown very large."""
    ends = [
        (place.way[-1][0] + place.side * (_width(node.text) + 30), place.way[-1][1])
        for node, place in places.items()
    ]
    left, right = min(-340.0, *(x for x, _ in ends)), max(340.0, *(x for x, _ in ends))
    half = max(160.0, *(abs(y) + 40 for _, y in ends))
    return f"{left:.0f} {-half:.0f} {right - left:.0f} {half * 2:.0f}"


def _spoke(parent: ET.Element, group: Node, place: Place, count: int) -> None:
    inner = place.way[-1][0] - place.side * (_width(group.text) + 20)
    line = _line(parent, [*place.way[:-1], (inner, place.way[-1][1])], "spoke")
    line.set("stroke-width", f"{1 + count**0.5 * 0.8:.1f}")


def _line(parent: ET.Element, way: Sequence[Point], style: str) -> ET.Element:
    path = f"M{way[0][0]:.1f},{way[0][1]:.1f}"
    for (x1, y1), (x2, y2) in itertools.pairwise(way):
        bend = (x1 + x2) / 2
        start = (x2 * 0.3, y2 * 0.75) if (x1, y1) == (0, 0) else (bend, y1)
        path += f"C{start[0]:.1f},{start[1]:.1f} {bend:.1f},{y2:.1f} {x2:.1f},{y2:.1f}"
    return _add(parent, "path", {"class": style, "d": path})


def _branch(parent: ET.Element, node: Node, place: Place) -> None:
    """Draw a property as a sign that points where its statements point."""
    x, y = place.way[-1]
    width = _width(node.text) + 20
    outer, inner = x, x - place.side * width
    tip, base = (outer, inner) if node.style == "out" else (inner, outer)
    neck = tip + (8 if base > tip else -8)
    points = [(base, -_HALF), (neck, -_HALF), (tip, 0), (neck, _HALF), (base, _HALF)]
    link = _link(parent, node, "branch")
    _add(link, "polygon", {"points": " ".join(f"{px:.1f},{y + py:.1f}" for px, py in points)})
    _word(link, node.text, (outer + inner + (base - tip) / width * 5) / 2, y, "middle")


def _leaf(parent: ET.Element, node: Node, place: Place) -> None:
    x, y = place.way[-1]
    link = _link(parent, node, f"leaf {node.style}")
    if node.style in ("data", "text"):
        _add(
            link,
            "rect",
            {"x": f"{x - 3.5:.1f}", "y": f"{y - 3.5:.1f}", "width": "7", "height": "7"},
        )
    elif node.style != "more":
        _add(link, "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "4"})
    _word(link, node.text, x + place.side * 10, y, "start" if place.side > 0 else "end")


def _middle(parent: ET.Element, item: Node, qid: str) -> None:
    width = _width(item.text) * 1.2 + 40
    link = _link(parent, item, "middle")
    box = {
        "x": f"{-width / 2:.1f}",
        "y": "-30",
        "width": f"{width:.1f}",
        "height": "60",
        "rx": "30",
    }
    _add(link, "rect", box)
    _word(link, item.text, 0, -7, "middle")
    _word(link, qid, 0, 13, "middle")


def _link(parent: ET.Element, node: Node, style: str) -> ET.Element:
    """Add what holds a node. The keyboard passes over it: all its links are in the table."""
    if node.href is None:
        link = _add(parent, "g", {"class": style})
    else:
        link = _anchor(parent, node.href, {"class": style, "tabindex": "-1"})
    _add(link, "title", {}, node.title)
    return link


def _anchor(parent: ET.Element, href: str, attributes: Mapping[str, str]) -> ET.Element:
    outside = {} if href.startswith("#") else {"target": "_blank", "rel": "noreferrer"}
    return _add(parent, "a", {"href": href, **outside, **attributes})


def _word(parent: ET.Element, text: str, x: float, y: float, anchor: str) -> None:
    _add(parent, "text", {"x": f"{x:.1f}", "y": f"{y + 4.5:.1f}", "text-anchor": anchor}, text)


def _rows(number: int, group: Sequence[Edge]) -> ET.Element:
    """Return the part of the table for a property."""
    body = ET.Element("tbody", {"id": f"group-{number}"})
    for n, edge in enumerate(group):
        row = _add(body, "tr", {})
        if n == 0:
            head = _add(row, "th", {"scope": "rowgroup", "rowspan": str(len(group))})
            _entry(head, edge.property_label, Value("property", edge.property))
            words = {"out": "outgoing →", "in": "← incoming"}
            _add(head, "span", {"class": f"way {edge.direction}"}, words[edge.direction])
        _entry(_add(row, "td", {"class": edge.value.kind}), edge.label, edge.value)
    return body


def _entry(parent: ET.Element, label: str, value: Value) -> None:
    href = _href(value)
    holder = parent if href is None else _anchor(parent, href, {})
    _add(holder, "bdi", {}, label)
    if label != value.text:
        _add(parent, "small", {}, value.text)


def _add(parent: ET.Element, tag: str, attributes: Mapping[str, str], text: str = "") -> ET.Element:
    element = ET.SubElement(parent, tag, dict(attributes))
    element.text = _clean(text)
    return element


def _markup(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode", short_empty_elements=False)


def _clean(text: str) -> str:
    """Leave out what a page cannot hold: control characters and halves of surrogate pairs."""
    return "".join(" " if category(char) in ("Cc", "Cs") else char for char in text)


def _short(text: str, most: float) -> str:
    """Return a text that takes no more than some pixels, cut if need be."""
    if _width(text) <= most:
        return text
    widths = itertools.accumulate(_width(char) for char in text + "…")
    return text[: sum(width + _width("…") <= most for width in widths)].rstrip() + "…"


def _width(text: str) -> float:
    """Estimate the width of a text in pixels, rather too wide than too narrow."""
    return sum(map(_wide, text))


def _wide(char: str) -> float:
    if east_asian_width(char) in "WF":
        return 14.5
    return 10.0 if char.isupper() else 5.0 if char in " .,:;'!|()[]ijlt·" else 8.3
