"""Draw the one-hop subgraph of an item as an HTML page: an SVG drawing above a table.

The item is in the middle. A *branch* is a property, a *leaf* is a value; lines lead from the item
to branches and from there to leaves. Labels of Wikidata may be hostile, so ElementTree or ``html``
escapes them.
"""

import html
import itertools
import math
from collections.abc import Mapping, Sequence
from string import Template
from xml.etree import ElementTree as ET

from kgbuild.data_files import read_text
from kgbuild.drawing.layout import Paths, Point, paths_to
from kgbuild.drawing.nodes import STYLES, Node, NodeGroup, groups, item_node
from kgbuild.drawing.text import clean
from kgbuild.graph.subgraph import Edge, Subgraph
from kgbuild.wikidata import Value, href_of


def draw(subgraph: Subgraph) -> str:
    """Return the HTML page of a subgraph.

    The page loads no other file, and the same subgraph gives the same bytes.
    """
    grouped = groups(subgraph)
    page = Template(read_text("drawing/subgraph_page.html"))
    return page.substitute(
        label=html.escape(clean(subgraph.label)),
        qid=html.escape(clean(subgraph.qid)),
        href=href_of(Value("item", subgraph.qid)),
        description=html.escape(clean(subgraph.description)),
        shown=f"{len(subgraph.edges):,}",
        total=f"{subgraph.total:,}",
        drawing=_markup(_drawing(subgraph, grouped)),
        rows="\n".join(_markup(_rows(number, group.edges)) for number, group in enumerate(grouped)),
    )


def _drawing(subgraph: Subgraph, grouped: Sequence[NodeGroup]) -> ET.Element:
    item = item_node(subgraph)
    paths = paths_to(item, grouped)
    svg = ET.Element("svg", {"viewBox": _view(paths), "role": "img"})
    svg.set("aria-label", "A drawing of the statements in the table below")
    for group in grouped:
        _draw_group(svg, group, paths)
    _draw_item(svg, item, subgraph.qid)
    return svg


def _view(paths: Paths) -> str:
    """Return the SVG viewBox; its minimum size keeps the page from enlarging small drawings."""
    width = max([480.0, *(abs(path[-1][0]) + node.width for node, path in paths.items())]) + 20
    height = max([170.0, *(abs(path[-1][1]) for path in paths.values())]) + 30
    return f"{-width:.0f} {-height:.0f} {width * 2:.0f} {height * 2:.0f}"


def _curve(points: Sequence[Point]) -> str:
    path = "M{:.1f},{:.1f}".format(*points[0])
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        middle = (x1 + x2) / 2
        # A curve from the item, (0, 0), starts towards its end; other curves start horizontally.
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


def _draw_group(parent: ET.Element, group: NodeGroup, paths: Paths) -> None:
    """Draw a property, its values, and the lines to them; more values make a thicker line."""
    branch = group.branch
    container = _add(parent, "g", {"class": f"group {branch.style}"})
    width = f"{1 + math.sqrt(len(group.leaves)) * 0.8:.1f}"
    _add(container, "path", {"class": "spoke", "stroke-width": width, "d": _curve(paths[branch])})
    for leaf in group.leaves:
        _add(container, "path", {"class": "twig", "d": _curve(paths[leaf])})
        _draw_leaf(container, leaf, *paths[leaf][-1])
    _draw_branch(container, branch, *paths[branch][-1])


def _draw_branch(parent: ET.Element, node: Node, x: float, y: float) -> None:
    """Draw a property as an arrow-shaped sign that points from subject to object."""
    towards_item, towards_values = math.copysign(node.width + 20, -x), 0.0
    base, tip = towards_item, towards_values
    if node.style != "out":
        base, tip = tip, base
    neck = tip + math.copysign(8, base - tip)  # where the arrow becomes narrower
    points = f"{base:.1f},-11 {neck:.1f},-11 {tip:.1f},0 {neck:.1f},11 {base:.1f},11"
    link = _link(parent, node, x, y)
    _add(link, "polygon", {"points": points})
    _add(link, "text", {"x": f"{(base + neck) / 2:.1f}"}, node.text)


def _draw_leaf(parent: ET.Element, node: Node, x: float, y: float) -> None:
    link = _link(parent, node, x, y)
    if node.style != "more":
        corner = "0" if node.style in ("data", "text") else "4"
        _add(link, "rect", {"x": "-4", "y": "-4", "width": "8", "height": "8", "rx": corner})
    position = {"x": "10", "text-anchor": "start"} if x > 0 else {"x": "-10", "text-anchor": "end"}
    _add(link, "text", position, node.text)


def _link(parent: ET.Element, node: Node, x: float, y: float) -> ET.Element:
    """Add the element of a node; the Tab key skips its link, since the table has the same link."""
    attributes = {"class": f"node {node.style}", "transform": f"translate({x:.1f} {y:.1f})"}
    if node.href:
        attributes |= {**_target(node.href), "tabindex": "-1"}
    link = _add(parent, "a" if node.href else "g", attributes)
    _add(link, "title", {}, node.title)
    return link


def _target(href: str) -> dict[str, str]:
    """Return the attributes of a link; links to other pages open in a new tab."""
    if href.startswith("#"):
        return {"href": href}
    return {"href": href, "target": "_blank", "rel": "noreferrer"}


def _rows(number: int, edges: Sequence[Edge]) -> ET.Element:
    body = ET.Element("tbody", {"id": f"group-{number}", "class": edges[0].direction})
    rows = [_add(body, "tr", {}) for _ in edges]
    head = _add(rows[0], "th", {"scope": "rowgroup", "rowspan": str(len(edges))})
    _entry(head, edges[0].property_label, Value("property", edges[0].property))
    _add(head, "span", {}, "outgoing →" if edges[0].direction == "out" else "← incoming")
    for row, edge in zip(rows, edges, strict=True):
        style = STYLES.get(edge.value.kind, edge.value.kind)
        _entry(_add(row, "td", {"class": style}), edge.label, edge.value)
    return body


def _entry(parent: ET.Element, label: str, value: Value) -> None:
    """Add the label of a value with its link, and its id; a literal has neither."""
    href = href_of(value)
    container = _add(parent, "a", _target(href)) if href else parent
    _add(container, "bdi", {}, label)
    if href and label != value.text:
        _add(parent, "small", {}, value.text)


def _add(parent: ET.Element, tag: str, attributes: Mapping[str, str], text: str = "") -> ET.Element:
    element = ET.SubElement(parent, tag, dict(attributes))
    element.text = clean(text)
    return element


def _markup(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode", short_empty_elements=False)
