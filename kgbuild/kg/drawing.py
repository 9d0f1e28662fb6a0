"""The drawing of a one-hop subgraph: one HTML page that needs nothing but a browser.

The item stands in the middle, its properties around it, their values around those. Text is
never turned, so it is set in columns at both sides, which bend around the item as rings do.
Anyone may edit the labels of Wikidata: all that holds one is made by ElementTree, or escaped.
"""

import html
import itertools
import math
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
"""How many values of a property are drawn, if it has more than one more; the table has all."""

_WIKIDATA = "https://www.wikidata.org/wiki/"
_PAGES = {"item": _WIKIDATA, "property": f"{_WIKIDATA}Property:"}
_STYLES = {"time": "data", "quantity": "data", "point": "data", "string": "text", "link": "text"}

# In pixels: a row, the room between two groups, for a line between them, and between a property
# and its values; the most that the text of the item, of a property and of a value takes.
_ROW, _GAP, _LANE, _FAN = 22, 12, 10, 56
_ITEM, _PROPERTY, _VALUE = 260, 210, 260
_ROWS = 56  # in a column, about; more rows make a second and a third column at each side

Point = tuple[float, float]
Ways = dict["Node", list[Point]]


@dataclass(frozen=True, eq=False)
class Node:
    """What is drawn: the item, a property (its style is out or in), a value or "+ 3 more"."""

    style: str
    text: str
    title: str
    href: str | None

    @property
    def width(self) -> float:
        """The estimated width of the text in pixels."""
        return _width(self.text)


class Frame(NamedTuple):
    """The measures of a drawing around (0, 0)."""

    start: float
    bulge: float
    property: float
    column: float
    half: float

    def x(self, column: int, y: float) -> float:
        """Return where the properties of a column end, at a height: farthest in the middle."""
        bulge = self.bulge * (1 - (y / self.half) ** 2)
        return self.start + bulge + column * self.column + self.property


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
        href=_href(Value("item", subgraph.qid)),
        description=html.escape(_clean(subgraph.description)),
        shown=f"{len(subgraph.edges):,}",
        total=f"{subgraph.total:,}",
        drawing=_markup(_drawing(subgraph, groups)),
        rows="\n".join(_markup(_rows(number, group)) for number, group in enumerate(groups)),
    )


# The graph: a tree from the item over its properties to their values.


def _tree(subgraph: Subgraph, groups: Sequence[Sequence[Edge]]) -> "nx.DiGraph[Node]":
    import networkx as nx

    tree: nx.DiGraph[Node] = nx.DiGraph()
    title = f"{subgraph.label} ({subgraph.qid})\n{subgraph.description}"
    href = _href(Value("item", subgraph.qid))
    item = Node("middle", _short(subgraph.label, _ITEM), title, href)
    tree.add_node(item)
    for number, group in enumerate(groups):
        branch = _branch(group)
        tree.add_edge(item, branch)
        tree.add_edges_from((branch, leaf) for leaf in _leaves(number, group, subgraph.label))
    return tree


def _branch(group: Sequence[Edge]) -> Node:
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
    subject, value = (label, value) if edge.direction == "out" else (value, label)
    # A label that runs from right to left must not turn the others, so each is isolated.
    return " → ".join(f"\u2068{text}\u2069" for text in (subject, edge.property_label, value))


def _href(value: Value) -> str | None:
    page = _PAGES.get(value.kind)
    return None if page is None else page + quote(value.text, safe="")


# The layout: the points that the line to each node passes; the last is the node's own.


def _ways(tree: "nx.DiGraph[Node]", item: Node) -> Ways:
    levels = _levels(tree, item)
    frame = _frame(tree, item, levels)
    ways: Ways = {}
    for group, (side, level) in zip(tree[item], levels, strict=True):
        ways[group] = [(side * x, y) for x, y in _spoke(group, frame, level)]
        for leaf, twig in zip(tree[group], _twigs(frame, level, len(tree[group])), strict=True):
            ways[leaf] = [(side * x, y) for x, y in twig]
    return ways


def _levels(tree: "nx.DiGraph[Node]", item: Node) -> list[tuple[int, list[float]]]:
    """Set the properties clockwise, half of them at the right: their side (1, -1), their heights.

    The heights are those of the line to a property, column by column; the last is its own.
    """
    rows = [len(tree[group]) for group in tree[item]]
    heights = [_ROW * count + _GAP for count in rows]
    sums = list(itertools.accumulate(heights, initial=0))
    half = min(range(len(sums)), key=lambda n: abs(2 * sums[n] - sums[-1] - 1))
    columns = min(3, math.ceil(sum(rows) / (2 * _ROWS)))
    right, left = _pack(heights[:half], columns), _pack(heights[half:][::-1], columns)
    return [(1, level) for level in right] + [(-1, level) for level in left[::-1]]


def _pack(heights: Sequence[float], columns: int) -> list[list[float]]:
    # A group goes to the column that is filled least; its line takes a lane in those before.
    ends = [0.0] * columns
    packed = []
    for height in heights:
        column = ends.index(min(ends))
        steps = [_LANE] * column + [height]
        packed.append([end + step / 2 for end, step in zip(ends, steps, strict=False)])
        ends[: column + 1] = [end + step for end, step in zip(ends, steps, strict=False)]
    return [[y - end / 2 for y, end in zip(ys, ends, strict=False)] for ys in packed]


def _frame(
    tree: "nx.DiGraph[Node]", item: Node, levels: Sequence[tuple[int, Sequence[float]]]
) -> Frame:
    branch = max((group.width for group in tree[item]), default=0) + 26
    value = max((leaf.width for group in tree[item] for leaf in tree[group]), default=0)
    half = max((abs(y) for _, level in levels for y in level), default=0) + _ROW * MOST / 2
    bulge = min(half * 0.3, 150)
    start = max(70, item.width * 0.65 + 90 - bulge)
    return Frame(start, bulge, branch, branch + _FAN + value + 80, half)


def _spoke(group: Node, frame: Frame, level: Sequence[float]) -> Iterator[Point]:
    yield 0, 0
    for column, y in enumerate(level[:-1]):
        yield frame.x(column, y) - frame.property, y
        yield frame.x(column, y) + frame.column - frame.property - 70, y
    end = frame.x(len(level) - 1, level[-1])
    yield end - group.width - 20, level[-1]
    yield end, level[-1]


def _twigs(frame: Frame, level: Sequence[float], count: int) -> Iterator[list[Point]]:
    column, middle = len(level) - 1, level[-1]
    end = frame.x(column, middle)
    for n in range(count):
        y = middle + (n - (count - 1) / 2) * _ROW
        # Half of the bulge, for a fan that stays one even at the top and the bottom.
        yield [(end, middle), ((end + frame.x(column, y)) / 2 + _FAN, y)]


# The page: elements with their text.


def _drawing(subgraph: Subgraph, groups: Sequence[Sequence[Edge]]) -> ET.Element:
    tree = _tree(subgraph, groups)
    item = next(iter(tree))
    ways = _ways(tree, item)
    svg = ET.Element("svg", {"viewBox": _view(ways), "role": "img"})
    svg.set("aria-label", "A drawing of the statements in the table below")
    for branch in tree[item]:
        _draw_group(svg, branch, list(tree[branch]), ways)
    _draw_item(svg, item, subgraph.qid)
    return svg


def _view(ways: Ways) -> str:
    """Return the box around all; no small one, which a page would show very large."""
    width = max([480.0, *(abs(way[-1][0]) + node.width for node, way in ways.items())]) + 20
    height = max([170.0, *(abs(way[-1][1]) for way in ways.values())]) + 30
    return f"{-width:.0f} {-height:.0f} {width * 2:.0f} {height * 2:.0f}"


def _path(way: Sequence[Point]) -> str:
    path = "M{:.1f},{:.1f}".format(*way[0])
    for (x1, y1), (x2, y2) in itertools.pairwise(way):
        middle = (x1 + x2) / 2
        # What leaves the item heads for its end, all else is level at both ends.
        x, y = (x2 * 0.3, y2 * 0.75) if (x1, y1) == (0, 0) else (middle, y1)
        path += f"C{x:.1f},{y:.1f} {middle:.1f},{y2:.1f} {x2:.1f},{y2:.1f}"
    return path


def _draw_item(parent: ET.Element, item: Node, qid: str) -> None:
    width = item.width * 1.3 + 40
    link = _link(parent, item, 0, 0)
    size = {"width": f"{width:.1f}", "height": "60"}
    _add(link, "rect", {"x": f"{-width / 2:.1f}", "y": "-30", **size, "rx": "30"})
    _add(link, "text", {"y": "-7"}, item.text)
    _add(link, "text", {"y": "14"}, qid)


def _draw_group(parent: ET.Element, branch: Node, leaves: Sequence[Node], ways: Ways) -> None:
    group = _add(parent, "g", {"class": f"group {branch.style}"})
    width = f"{1 + math.sqrt(len(leaves)) * 0.8:.1f}"
    _add(group, "path", {"class": "spoke", "stroke-width": width, "d": _path(ways[branch])})
    for leaf in leaves:
        _add(group, "path", {"class": "twig", "d": _path(ways[leaf])})
        _draw_leaf(group, leaf, *ways[leaf][-1])
    _draw_branch(group, branch, *ways[branch][-1])


def _draw_branch(parent: ET.Element, node: Node, x: float, y: float) -> None:
    """Draw a property as a sign that points where its statements do."""
    ends = (math.copysign(node.width + 20, -x), 0.0)
    base, tip = ends if node.style == "out" else ends[::-1]
    neck = tip + math.copysign(8, base - tip)
    points = f"{base:.1f},-11 {neck:.1f},-11 {tip:.1f},0 {neck:.1f},11 {base:.1f},11"
    link = _link(parent, node, x, y)
    _add(link, "polygon", {"points": points})
    _add(link, "text", {"x": f"{(base + neck) / 2:.1f}"}, node.text)


def _draw_leaf(parent: ET.Element, node: Node, x: float, y: float) -> None:
    link = _link(parent, node, x, y)
    if node.style != "more":
        corner = "0" if node.style in ("data", "text") else "4"
        _add(link, "rect", {"x": "-4", "y": "-4", "width": "8", "height": "8", "rx": corner})
    word = {"x": "10", "text-anchor": "start"} if x > 0 else {"x": "-10", "text-anchor": "end"}
    _add(link, "text", word, node.text)


def _link(parent: ET.Element, node: Node, x: float, y: float) -> ET.Element:
    """Add what holds a node. The keyboard passes it by: all the links are in the table."""
    attributes = {"class": f"node {node.style}", "transform": f"translate({x:.1f} {y:.1f})"}
    if node.href:
        attributes |= {**_target(node.href), "tabindex": "-1"}
    link = _add(parent, "a" if node.href else "g", attributes)
    _add(link, "title", {}, node.title)
    return link


def _target(href: str) -> dict[str, str]:
    outside = {} if href.startswith("#") else {"target": "_blank", "rel": "noreferrer"}
    return {"href": href, **outside}


def _rows(number: int, group: Sequence[Edge]) -> ET.Element:
    """Return the part of the table for a property."""
    body = ET.Element("tbody", {"id": f"group-{number}", "class": group[0].direction})
    rows = [_add(body, "tr", {}) for _ in group]
    head = _add(rows[0], "th", {"scope": "rowgroup", "rowspan": str(len(group))})
    _entry(head, group[0].property_label, Value("property", group[0].property))
    _add(head, "span", {}, "outgoing →" if group[0].direction == "out" else "← incoming")
    for row, edge in zip(rows, group, strict=True):
        style = _STYLES.get(edge.value.kind, edge.value.kind)
        _entry(_add(row, "td", {"class": style}), edge.label, edge.value)
    return body


def _entry(parent: ET.Element, label: str, value: Value) -> None:
    href = _href(value)
    holder = _add(parent, "a", _target(href)) if href else parent
    _add(holder, "bdi", {}, label)
    if href and label != value.text:
        _add(parent, "small", {}, value.text)


def _add(parent: ET.Element, tag: str, attributes: Mapping[str, str], text: str = "") -> ET.Element:
    element = ET.SubElement(parent, tag, dict(attributes))
    element.text = _clean(text)
    return element


def _markup(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode", short_empty_elements=False)


def _clean(text: str) -> str:
    """Leave out what a page cannot hold: control characters, halves of surrogate pairs."""
    return "".join(" " if category(char) in ("Cc", "Cs") else char for char in text)


def _short(text: str, most: float) -> str:
    """Return a text that takes no more than some pixels, cut if need be."""
    if _width(text) <= most:
        return text
    ends = itertools.accumulate(_width(char) for char in f"…{text}")
    return text[: sum(end <= most for end in ends) - 1].rstrip() + "…"


def _width(text: str) -> float:
    """Estimate the width of a text in pixels, rather too wide than too narrow."""
    return sum(map(_char_width, text))


def _char_width(char: str) -> float:
    if east_asian_width(char) in "WF" or char in "MWmw%@—…":
        return 14
    return 10 if char.isupper() else 5 if char in " .,:;'!|()[]ijlt·" else 8.3
