"""Draw the evidence of a row: items and values are boxes in a tree, statements are arrows.

A box is indented below its parent, and shows the property that connects them above its name. A
statement between other boxes is an arrow at the right, in a vertical lane. So a drawing is as
narrow as a phone. Labels of Wikidata may be hostile, so ElementTree escapes every text.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias
from xml.etree import ElementTree as ET

from kgbuild.drawing.text import clean, short

MAX_FACTS = 16
"""Maximum number of facts in a drawing; the list beside the drawing has all facts."""

# Pixels: the right end of all boxes, the height of a box, the gap between two boxes, the indent of
# a box from its parent, and the width of a lane.
_RIGHT, _HEIGHT, _GAP, _INDENT, _LANE = 278.0, 42.0, 10.0, 22.0, 13.0
_NAME_SIZE, _PROPERTY_SIZE = 14.0, 12.0
"""Font sizes of the two texts in a box."""
_ARROW_HEAD = ((0, 0), (-7, -4), (-7, 4))
"""The corners, relative to the tip, of an arrow head that points to the right."""

Namer: TypeAlias = Callable[[str], str]
"""A function that returns the label of an id, or a literal in readable form."""


class Fact(NamedTuple):
    """A triple of ids or literals; ``is_assumed`` if a question assumes it falsely."""

    subject: str
    property: str
    object: str
    is_assumed: bool = False


class _Box(NamedTuple):
    """The left end and the vertical middle of the box of an item or a value, and its parent."""

    left: float
    y: float
    parent: str | None


def draw(facts: Sequence[Fact], starts: Sequence[str], name: Namer) -> str:
    """Return the drawing of facts as SVG; the items ``starts`` are roots of the trees.

    The same facts give the same bytes. The page has the style sheet ``evidence.css``, and defines
    its colours as CSS variables.
    """
    facts = facts[:MAX_FACTS]
    boxes = _boxes(facts, starts)
    branches, lanes = _group_arrows(facts, boxes)
    width, height = _RIGHT + _LANE * len(lanes) + 3, len(boxes) * (_HEIGHT + _GAP) - _GAP + 2
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    svg = ET.Element("svg", {"viewBox": f"0 0 {width:.0f} {height:.0f}", **size})
    svg.attrib |= {"class": "evidence", "role": "img"}
    svg.set("aria-label", "A drawing of the statements in the list")
    for node, branch_facts in branches.items():
        _draw_branch(svg, node, boxes, branch_facts)
    for lane, lane_facts in enumerate(lanes.values(), 1):
        for fact in lane_facts:
            _draw_arc(svg, boxes[fact.subject], boxes[fact.object], lane, fact)
    for node, box in boxes.items():
        css_class = "start" if node in starts else "box"
        _draw_box(svg, css_class, box, name(node), _properties(node, box.parent, facts, name))
    return ET.tostring(svg, encoding="unicode", short_empty_elements=False)


def _boxes(facts: Sequence[Fact], starts: Sequence[str]) -> dict[str, _Box]:
    """Return the boxes from top to bottom, tree by tree."""
    parents = _parents(facts, starts)
    children: dict[str | None, list[str]] = defaultdict(list)
    for node, parent in parents.items():
        children[parent].append(node)
    boxes: dict[str, _Box] = {}
    for node, depth in _walk(children, None, 0):
        left = min(depth, 6) * _INDENT + 1  # deeper boxes are not indented further
        boxes[node] = _Box(left, len(boxes) * (_HEIGHT + _GAP) + _HEIGHT / 2 + 1, parents[node])
    return boxes


def _walk(
    children: Mapping[str | None, Sequence[str]], parent: str | None, depth: int
) -> Iterator[tuple[str, int]]:
    """Yield the descendants of a node and their depth, each parent before its children."""
    for node in children.get(parent, ()):
        yield node, depth
        yield from _walk(children, node, depth + 1)


def _parents(facts: Sequence[Fact], starts: Sequence[str]) -> dict[str, str | None]:
    """Return the parent of each node: the previous node on a shortest path from a start.

    The parent of a start is an earlier start that shares a fact with it. A node that no start
    reaches is the root of a further tree, with the parent None.
    """
    neighbours: dict[str, list[str]] = defaultdict(list)
    for fact in sorted(facts, key=lambda fact: fact.is_assumed):
        neighbours[fact.subject].append(fact.object)
        neighbours[fact.object].append(fact.subject)
    parents: dict[str, str | None] = {}
    for start in filter(neighbours.__contains__, starts):
        parents[start] = next((node for node in neighbours[start] if node in parents), None)
    queue = deque(parents)
    for root in ("", *neighbours):  # "": first the nodes that the starts reach
        if root and root not in parents:
            parents[root] = None
            queue.append(root)
        while queue:
            node = queue.popleft()
            for neighbour in neighbours[node]:
                if neighbour not in parents:
                    parents[neighbour] = node
                    queue.append(neighbour)
    return parents


def _group_arrows(
    facts: Sequence[Fact], boxes: Mapping[str, _Box]
) -> tuple[dict[str, list[Fact]], dict[tuple[str, bool], list[Fact]]]:
    """Return the facts between a box and its parent by box, and all other facts by lane.

    Facts of a subject share a lane, except that assumed facts have a lane of their own.
    """
    branches: dict[str, list[Fact]] = defaultdict(list)
    lanes: dict[tuple[str, bool], list[Fact]] = defaultdict(list)
    for fact in facts:
        if boxes[fact.object].parent == fact.subject:
            branches[fact.object].append(fact)
        elif boxes[fact.subject].parent == fact.object:
            branches[fact.subject].append(fact)
        else:
            lanes[fact.subject, fact.is_assumed].append(fact)
    return branches, lanes


def _properties(node: str, parent: str | None, facts: Sequence[Fact], name: Namer) -> str:
    """Return the properties of facts whose value is the box or, marked by ↑, its parent."""
    texts = [
        f"{'' if fact.object == node else '↑ '}{name(fact.property)}"
        for fact in facts
        if fact.object == node or (fact.subject == node and fact.object == parent)
    ]
    return ", ".join(dict.fromkeys(texts))


def _draw_branch(
    svg: ET.Element, node: str, boxes: Mapping[str, _Box], facts: Sequence[Fact]
) -> None:
    """Draw the arrow between a box and its parent, which has a head for each direction."""
    box, parent = boxes[node], boxes[boxes[node].parent or ""]
    x, top = box.left - _INDENT / 2, parent.y + _HEIGHT / 2
    path = f"M{x:.0f},{top:.0f} V{box.y:.0f} H{box.left:.0f}"
    if parent.left == box.left:  # at the deepest level
        path = f"M{box.left:.0f},{parent.y:.0f} H{x:.0f} V{box.y:.0f} H{box.left:.0f}"
    group = _add_arrow(svg, path, all(fact.is_assumed for fact in facts), x, box.y)
    if any(fact.object == node for fact in facts):
        _add_head(group, [(box.left + dx, box.y + dy) for dx, dy in _ARROW_HEAD])
    if any(fact.subject == node for fact in facts):  # upwards: turned by 90 degrees
        _add_head(group, [(x + dy, top - dx) for dx, dy in _ARROW_HEAD])


def _draw_arc(svg: ET.Element, start: _Box, end: _Box, lane: int, fact: Fact) -> None:
    x, start_y, end_y = _RIGHT + _LANE * lane, start.y - 6, end.y + 6
    path = f"M{_RIGHT:.0f},{start_y:.0f} H{x:.0f} V{end_y:.0f} H{_RIGHT:.0f}"
    group = _add_arrow(svg, path, fact.is_assumed, x, (start_y + end_y) / 2)
    _add_head(group, [(_RIGHT - dx, end_y + dy) for dx, dy in _ARROW_HEAD])


def _add_arrow(svg: ET.Element, path: str, is_assumed: bool, x: float, y: float) -> ET.Element:
    """Add the line of an arrow, crossed out at (x, y) if it is assumed; return its SVG group."""
    group = ET.SubElement(svg, "g", {"class": f"arrow {'assumed' if is_assumed else 'known'}"})
    ET.SubElement(group, "path", {"d": path})
    if is_assumed:
        cross = f"M{x - 5:.0f},{y - 5:.0f} l10,10 m0,-10 l-10,10"
        ET.SubElement(group, "path", {"class": "cross", "d": cross})
    return group


def _add_head(group: ET.Element, points: Sequence[tuple[float, float]]) -> None:
    ET.SubElement(group, "polygon", {"points": " ".join(f"{x:.0f},{y:.0f}" for x, y in points)})


def _draw_box(svg: ET.Element, css_class: str, box: _Box, label: str, properties: str) -> None:
    """Draw a box with its properties and its label; its tooltip is the whole text."""
    group = ET.SubElement(svg, "g", {"class": css_class})
    ET.SubElement(group, "title").text = clean(f"{properties}: {label}" if properties else label)
    width, x = _RIGHT - box.left, f"{box.left + 10:.0f}"
    corner = {"x": f"{box.left:.0f}", "y": f"{box.y - _HEIGHT / 2:.0f}"}
    size = {"width": f"{width:.0f}", "height": f"{_HEIGHT:.0f}", "rx": "8"}
    ET.SubElement(group, "rect", {**corner, **size})
    if properties:
        upper = {"x": x, "y": f"{box.y - 5:.0f}", "class": "property"}
        ET.SubElement(group, "text", upper).text = short(properties, width - 20, _PROPERTY_SIZE)
    lower = {"x": x, "y": f"{box.y + (12 if properties else 5):.0f}"}
    ET.SubElement(group, "text", lower).text = short(label, width - 20, _NAME_SIZE)
