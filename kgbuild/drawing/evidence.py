"""Draw a row's evidence: items and values are boxes in a tree, statements are arrows.

A box is below its parent, indented, with the property above its name. Further statements are
arrows at the right. So a drawing is as narrow as a phone and grows downwards only. Anyone may edit
the labels of Wikidata, so ElementTree writes every text.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from typing import NamedTuple, TypeAlias
from xml.etree import ElementTree as ET

from kgbuild.drawing.text import clean, short

MOST = 16
"""Maximum number of facts that are drawn; the list beside the drawing has all facts."""

# In pixels: the right end of all boxes, their height, the gap between two, the indent of a box
# from its parent (_DEEPEST times at most), and the width of the lane of an arrow.
_RIGHT, _HEIGHT, _GAP, _INDENT, _LANE = 278.0, 42.0, 10.0, 22.0, 13.0
_DEEPEST = 6
_NAME, _PROPERTY = 14.0, 12.0
"""The sizes of the two texts in a box."""
_STYLES = ("known", "assumed")
_HEAD = ((0, 0), (-7, -4), (-7, 4))
"""The head of an arrow that points to the right."""

Namer: TypeAlias = Callable[[str], str]
"""Gives the label of an id, and a literal as people read it."""


class Fact(NamedTuple):
    """A triple of ids or literals; ``is_assumed`` if it is what a false question assumes."""

    subject: str
    property: str
    object: str
    is_assumed: bool = False


class _Box(NamedTuple):
    """The position of the box of an item or a value, and its parent."""

    left: float
    y: float
    parent: str | None


def draw(facts: Sequence[Fact], starts: Sequence[str], name: Namer) -> str:
    """Return the drawing of facts as SVG, with the items ``starts`` at the top of trees.

    The same facts give the same bytes.
    """
    facts = facts[:MOST]
    boxes = _boxes(facts, starts)
    branches, lanes = _sorted_arrows(facts, boxes)
    width, height = _RIGHT + _LANE * len(lanes) + 3, len(boxes) * (_HEIGHT + _GAP) - _GAP + 2
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    svg = ET.Element("svg", {"viewBox": f"0 0 {width:.0f} {height:.0f}", **size})
    svg.attrib |= {"class": "evidence", "role": "img"}
    svg.set("aria-label", "A drawing of the statements in the list")
    for node, joined in branches.items():
        _draw_branch(svg, node, boxes, joined)
    for lane, joined in enumerate(lanes.values(), 1):
        for fact in joined:
            _draw_arc(svg, boxes[fact.subject], boxes[fact.object], lane, fact)
    for node, box in boxes.items():
        kind = "start" if node in starts else "box"
        _draw_box(svg, kind, box, name(node), _properties(node, box.parent, facts, name))
    return ET.tostring(svg, encoding="unicode", short_empty_elements=False)


def style() -> str:
    """Return the style sheet of the drawings; a page has its colours as variables."""
    return (resources.files("kgbuild.drawing") / "evidence.css").read_text(encoding="utf-8")


def _boxes(facts: Sequence[Fact], starts: Sequence[str]) -> dict[str, _Box]:
    """Return the boxes from top to bottom, tree by tree."""
    parents = _parents(facts, starts)
    children: dict[str | None, list[str]] = defaultdict(list)
    for node, parent in parents.items():
        children[parent].append(node)
    boxes: dict[str, _Box] = {}
    for node, depth in _walk(children, None, 0):
        left = min(depth, _DEEPEST) * _INDENT + 1
        boxes[node] = _Box(left, len(boxes) * (_HEIGHT + _GAP) + _HEIGHT / 2 + 1, parents[node])
    return boxes


def _walk(
    children: Mapping[str | None, Sequence[str]], parent: str | None, depth: int
) -> Iterator[tuple[str, int]]:
    for node in children.get(parent, ()):
        yield node, depth
        yield from _walk(children, node, depth + 1)


def _parents(facts: Sequence[Fact], starts: Sequence[str]) -> dict[str, str | None]:
    """Return the parent of each node on the shortest path from a start.

    The parent of a start is an earlier start that shares a fact with it. Nodes that no start
    reaches are roots of further trees.
    """
    beside: dict[str, list[str]] = defaultdict(list)
    for fact in sorted(facts, key=lambda fact: fact.is_assumed):
        beside[fact.subject].append(fact.object)
        beside[fact.object].append(fact.subject)
    parents: dict[str, str | None] = {}
    for start in filter(beside.__contains__, starts):
        parents[start] = next((near for near in beside[start] if near in parents), None)
    queue = deque(parents)
    for root in ("", *beside):
        if root and root not in parents:
            parents[root] = None
            queue.append(root)
        while queue:
            node = queue.popleft()
            for near in beside[node]:
                if near not in parents:
                    parents[near] = node
                    queue.append(near)
    return parents


def _sorted_arrows(
    facts: Sequence[Fact], boxes: Mapping[str, _Box]
) -> tuple[dict[str, list[Fact]], dict[tuple[str, bool], list[Fact]]]:
    """Return the facts between a box and its parent, by box; all others by lane."""
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
    """Return the properties whose value is the box or, with an arrow, its parent."""
    texts = [
        f"{'' if fact.object == node else '↑ '}{name(fact.property)}"
        for fact in facts
        if fact.object == node or (fact.subject == node and fact.object == parent)
    ]
    return ", ".join(dict.fromkeys(texts))


def _draw_branch(
    svg: ET.Element, node: str, boxes: Mapping[str, _Box], joined: Sequence[Fact]
) -> None:
    box, parent = boxes[node], boxes[boxes[node].parent or ""]
    x, top = box.left - _INDENT / 2, parent.y + _HEIGHT / 2
    path = f"M{x:.0f},{top:.0f} V{box.y:.0f} H{box.left:.0f}"
    if parent.left == box.left:  # at the deepest level
        path = f"M{box.left:.0f},{parent.y:.0f} H{x:.0f} V{box.y:.0f} H{box.left:.0f}"
    group = _add_arrow(svg, path, all(fact.is_assumed for fact in joined), x, box.y)
    if any(fact.object == node for fact in joined):
        _add_head(group, [(box.left + x, box.y + y) for x, y in _HEAD])
    if any(fact.subject == node for fact in joined):
        _add_head(group, [(x + y, top - dx) for dx, y in _HEAD])


def _draw_arc(svg: ET.Element, start: _Box, end: _Box, lane: int, fact: Fact) -> None:
    """Draw an arrow at the right of the boxes; those of one item and style share a lane."""
    x, leaves, meets = _RIGHT + _LANE * lane, start.y - 6, end.y + 6
    path = f"M{_RIGHT:.0f},{leaves:.0f} H{x:.0f} V{meets:.0f} H{_RIGHT:.0f}"
    group = _add_arrow(svg, path, fact.is_assumed, x, (leaves + meets) / 2)
    _add_head(group, [(_RIGHT - dx, meets + dy) for dx, dy in _HEAD])


def _add_arrow(svg: ET.Element, path: str, is_assumed: bool, x: float, y: float) -> ET.Element:
    """Add the line of an arrow, crossed out if it is only assumed; return its group."""
    group = ET.SubElement(svg, "g", {"class": f"arrow {_STYLES[is_assumed]}"})
    ET.SubElement(group, "path", {"d": path})
    if is_assumed:
        cross = f"M{x - 5:.0f},{y - 5:.0f} l10,10 m0,-10 l-10,10"
        ET.SubElement(group, "path", {"class": "cross", "d": cross})
    return group


def _add_head(group: ET.Element, points: Sequence[tuple[float, float]]) -> None:
    ET.SubElement(group, "polygon", {"points": " ".join(f"{x:.0f},{y:.0f}" for x, y in points)})


def _draw_box(svg: ET.Element, kind: str, box: _Box, label: str, properties: str) -> None:
    """Draw a box; its tooltip is the whole text."""
    group = ET.SubElement(svg, "g", {"class": kind})
    ET.SubElement(group, "title").text = clean(f"{properties}: {label}" if properties else label)
    width, x = _RIGHT - box.left, f"{box.left + 10:.0f}"
    corner = {"x": f"{box.left:.0f}", "y": f"{box.y - _HEIGHT / 2:.0f}"}
    size = {"width": f"{width:.0f}", "height": f"{_HEIGHT:.0f}", "rx": "8"}
    ET.SubElement(group, "rect", {**corner, **size})
    if properties:
        small = {"x": x, "y": f"{box.y - 5:.0f}", "class": "property"}
        ET.SubElement(group, "text", small).text = short(properties, width - 20, _PROPERTY)
    place = {"x": x, "y": f"{box.y + (12 if properties else 5):.0f}"}
    ET.SubElement(group, "text", place).text = short(label, width - 20, _NAME)
