"""The drawing of a row's evidence: items and values in columns, statements as arrows between them.

Anyone may edit the labels of Wikidata: all that holds one is made by ElementTree.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree as ET

from kgbuild.drawing.layout import href_of
from kgbuild.wikidata import Value

MOST = 16
"""How many facts are drawn; the list beside the drawing has all."""

# In pixels: a box, the room between two columns for the words on an arrow, and between two rows.
_WIDTH, _HEIGHT = 160, 32
_ACROSS, _DOWN = 140, 18
_LOOP = 110  # for what joins two boxes of the first column, at their left
_LETTERS = 20
"""How many letters fit into a box, and onto an arrow."""


class Fact(NamedTuple):
    """A triple of ids or literals; ``is_assumed`` if it is what a false question assumes."""

    subject: str
    property: str
    object: str
    is_assumed: bool = False


def is_id(text: str) -> bool:
    """Return whether a text is the id of an item or a property, and no literal."""
    return re.fullmatch(r"[QP][1-9][0-9]*", text) is not None


class Place(NamedTuple):
    """Where the box of a node is: its column, and the middle of its left side in pixels."""

    column: int
    x: float
    y: float


def draw(facts: Sequence[Fact], starts: Sequence[str], name: Callable[[str], str]) -> str:
    """Return the drawing of facts as SVG, with the items ``starts`` in the first column.

    ``name`` gives the label of an id or a literal.
    """
    facts = facts[:MOST]
    places = _places(facts, starts)
    left = -_LOOP if any(_is_level(fact, places) for fact in facts) else -2
    right = max(place.x for place in places.values()) + _WIDTH + 2
    bottom = max(place.y for place in places.values()) + _HEIGHT / 2 + 14
    size = {"width": f"{right - left:.0f}", "height": f"{bottom:.0f}"}
    svg = ET.Element("svg", {"viewBox": f"{left} 0 {size['width']} {size['height']}", **size})
    svg.set("role", "img")
    svg.set("aria-label", "A drawing of the statements in the list below")
    defs = ET.SubElement(svg, "defs")
    for style in _STYLES:
        _add_head(defs, style)
    lines: Counter[Place] = Counter()
    words = []
    for (start, end, style), properties in _joined(facts).items():
        text = ", ".join(map(name, properties))
        _add_arrow(svg, places[start], places[end], style, text)
        right_end = max(places[start], places[end])
        words.append((right_end, style, text, lines[right_end]))
        lines[right_end] += 1
    for told in words:  # after all arrows, which would strike them through
        _add_words(svg, *told)
    for node, place in places.items():
        _add_box(svg, node, place, name(node))
    return ET.tostring(svg, encoding="unicode", short_empty_elements=False)


_STYLES = ("known", "assumed")


def _joined(facts: Iterable[Fact]) -> dict[tuple[str, str, str], list[str]]:
    """Return the properties that join two nodes, one arrow for all of them."""
    joined: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for fact in facts:
        joined[fact.subject, fact.object, _STYLES[fact.is_assumed]].append(fact.property)
    return joined


def _places(facts: Sequence[Fact], starts: Sequence[str]) -> dict[str, Place]:
    """Return the place of each node: in a column by how many arrows away from a start it is."""
    columns = _columns(facts, starts)
    ordered = sorted(columns, key=lambda node: columns[node])  # else as they come
    grouped = [list(nodes) for _, nodes in groupby(ordered, key=lambda node: columns[node])]
    tallest = max(map(len, grouped))
    places = {}
    for column, nodes in enumerate(grouped):
        above = (tallest - len(nodes)) / 2
        for row, node in enumerate(nodes):
            y = (above + row) * (_HEIGHT + _DOWN) + _HEIGHT / 2 + 1
            places[node] = Place(column, column * (_WIDTH + _ACROSS), y)
    return places


def _columns(facts: Sequence[Fact], starts: Sequence[str]) -> dict[str, int]:
    beside: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        beside[fact.subject].append(fact.object)
        beside[fact.object].append(fact.subject)
    columns: dict[str, int] = {}
    for first in ([start for start in starts if start in beside], *([node] for node in beside)):
        ahead = [node for node in first if node not in columns]
        columns.update(dict.fromkeys(ahead, 0))
        for node in ahead:  # which grows as it is gone through
            near = [one for one in dict.fromkeys(beside[node]) if one not in columns]
            columns.update(dict.fromkeys(near, columns[node] + 1))
            ahead += near
    return columns


def _is_level(fact: Fact, places: Mapping[str, Place]) -> bool:
    return places[fact.subject].column == places[fact.object].column


def _add_head(defs: ET.Element, style: str) -> None:
    """Add the head of arrows of a style."""
    about = {"viewBox": "0 0 8 8", "refX": "8", "refY": "4", "orient": "auto-start-reverse"}
    size = {"markerWidth": "8", "markerHeight": "8", "markerUnits": "userSpaceOnUse"}
    head = ET.SubElement(defs, "marker", {"id": f"head-{style}", "class": style, **about, **size})
    ET.SubElement(head, "path", {"d": "M0,0 L8,4 L0,8 z"})


def _add_arrow(svg: ET.Element, start: Place, end: Place, style: str, text: str) -> None:
    """Add an arrow; its words show in full when one points at it."""
    left, right = sorted((start, end))
    x1, x2, middle = left.x + _WIDTH, right.x, (left.x + _WIDTH + right.x) / 2
    if left.column == right.column:
        x1, x2, middle = left.x, right.x, left.x - _ACROSS / 2
    (first, a), (last, b) = [(left, x1), (right, x2)][:: 1 if left is start else -1]
    path = f"M{a:.0f},{first.y:.0f} C{middle:.0f},{first.y:.0f}"
    path += f" {middle:.0f},{last.y:.0f} {b:.0f},{last.y:.0f}"
    group = ET.SubElement(svg, "g", {"class": f"arrow {style}"})
    ET.SubElement(group, "title").text = text
    ET.SubElement(group, "path", {"d": path, "marker-end": f"url(#head-{style})"})


def _add_words(svg: ET.Element, right: Place, style: str, text: str, line: int) -> None:
    """Add the words of an arrow, before the box at its right: above the arrow, then below it."""
    group = ET.SubElement(svg, "g", {"class": f"arrow {style}"})
    ET.SubElement(group, "title").text = text
    y = right.y - 7 if not line else right.y + 2 + 13 * line
    about = {"x": f"{right.x - 12:.0f}", "y": f"{y:.0f}", "text-anchor": "end"}
    ET.SubElement(group, "text", about).text = _short(
        f"{text}?" if style == "assumed" else text, _LETTERS
    )


def _add_box(svg: ET.Element, node: str, place: Place, label: str) -> None:
    """Add the box of an item or a value; the keyboard passes it by: the list has all links."""
    group = ET.SubElement(svg, "g", {"class": "box"})
    ET.SubElement(group, "title").text = label if label == node else f"{label} ({node})"
    corner = {"x": f"{place.x:.0f}", "y": f"{place.y - _HEIGHT / 2:.0f}"}
    size = {"width": str(_WIDTH), "height": str(_HEIGHT), "rx": "8"}
    ET.SubElement(group, "rect", {**corner, **size})
    middle = {"x": f"{place.x + _WIDTH / 2:.0f}", "y": f"{place.y + 5:.0f}"}
    ET.SubElement(group, "text", {**middle, "text-anchor": "middle"}).text = _short(label, _LETTERS)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def page_of(node: str) -> str | None:
    """Return the address of the page of an item or a property at Wikidata; None for a literal."""
    kind = "item" if node.startswith("Q") else "property"
    return href_of(Value(kind, node)) if is_id(node) else None
