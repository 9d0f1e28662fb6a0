"""A drawing of a row's evidence: its items and values as boxes, its triples as arrows, in SVG.

What the row is about stands first, what a triple away next, and so on: from left to right, or,
where that is a long way through few boxes, from top to bottom. Text is never turned. Where all
arrows to a box are of one property, that stands in the box, else at each arrow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree import ElementTree as ET

from kgbuild.drawing.text import short

_BOX, _TALL = 184.0, 44.0
"""The width and the height of a box, in pixels."""
_ACROSS, _DOWN = 110.0, 12.0
"""The room between columns of boxes, and between boxes of a column."""
_BESIDE, _BELOW = 20.0, 40.0
"""The room between boxes of a row, and between rows."""
_NAME, _PROPERTY, _BESIDE_ARROW = 20, 25, 15
"""Characters of a name and of a property in a box, and of a property at an arrow."""
_LETTER = 6.4
"""Pixels that a letter at an arrow takes, about."""
_MARK = 5.0
"""Half the width, in pixels, of the cross on the arrow of what is not true."""


@dataclass(frozen=True)
class Arrow:
    """A triple with the label of its property; ``is_false`` of a triple that is not true."""

    subject: str
    property: str
    object: str
    is_false: bool = False


class _Place(NamedTuple):
    """The middle of a box, or the end of an arrow."""

    x: float
    y: float


def draw(arrows: Sequence[Arrow], names: Mapping[str, str], begins: Sequence[str]) -> str:
    """Draw triples, beginning with what the row is about. ``names`` are those of items.

    The same triples give the same bytes.
    """
    arrows = _merged(arrows)
    layers = _layers(arrows, begins)
    places, width, height = _down(layers) if _is_deep(layers) else _across(layers)
    told = _told(arrows, begins)
    svg = ET.Element("svg", {"viewBox": f"0 0 {width:.0f} {height:.0f}", "role": "img"})
    svg.set("aria-label", "A drawing of the triples that are listed below")
    svg.set("style", f"--width: {width:.0f}px")
    for arrow in arrows:
        _draw_arrow(svg, arrow, places, "" if arrow.object in told else arrow.property)
    for key, place in places.items():
        kind = "first" if key in begins else "box"
        _draw_box(svg, kind, names.get(key, key), told.get(key, ""), place)
    return ET.tostring(svg, encoding="unicode", short_empty_elements=False)


def _merged(arrows: Sequence[Arrow]) -> list[Arrow]:
    """Return one arrow for all that lead from one box to another, with all their properties."""
    found: dict[tuple[str, str, bool], list[str]] = {}
    for arrow in arrows:
        labels = found.setdefault((arrow.subject, arrow.object, arrow.is_false), [])
        if arrow.property not in labels:
            labels.append(arrow.property)
    return [Arrow(one, ", ".join(told), other, lie) for (one, other, lie), told in found.items()]


def _told(arrows: Sequence[Arrow], begins: Sequence[str]) -> dict[str, str]:
    """Return the property of all arrows to a box, if they have one, and it is not a first box."""
    found: dict[str, set[str]] = {}
    for arrow in arrows:
        found.setdefault(arrow.object, set()).add(arrow.property)
    return {
        key: next(iter(properties))
        for key, properties in found.items()
        if len(properties) == 1 and key not in begins
    }


def _layers(arrows: Sequence[Arrow], begins: Sequence[str]) -> list[list[str]]:
    """Return what is drawn by how many triples lead to it from what the row is about.

    Each stands beside those of the layer before that it is joined to, as far as may be.
    """
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(begins)
    graph.add_edges_from((arrow.subject, arrow.object) for arrow in arrows)
    order = {node: place for place, node in enumerate(graph)}
    layers = [sorted(begins, key=order.__getitem__)]
    for layer in [*nx.bfs_layers(graph, begins)][1:]:
        before = {node: place for place, node in enumerate(layers[-1])}

        def middle(node: str, before: Mapping[str, int] = before) -> tuple[float, int]:
            joined = [before[one] for one in graph[node] if one in before]
            return sum(joined) / len(joined), order[node]

        layers.append(sorted(layer, key=middle))
    placed = {node for layer in layers for node in layer}
    rest = [node for node in graph if node not in placed]
    return [*layers, rest] if rest else layers


def _is_deep(layers: Sequence[Sequence[str]]) -> bool:
    return len(layers) > max(map(len, layers))


def _down(layers: Sequence[Sequence[str]]) -> tuple[dict[str, _Place], float, float]:
    """Return where boxes stand, a layer a row, and the width and the height of the drawing."""
    step, rise = _BOX + _BESIDE, _TALL + _BELOW
    width = max(map(len, layers)) * step
    places = {
        node: _Place(width / 2 + (n - (len(layer) - 1) / 2) * step, _TALL / 2 + 2 + depth * rise)
        for depth, layer in enumerate(layers)
        for n, node in enumerate(layer)
    }
    return places, width, len(layers) * rise - _BELOW + 4


def _across(layers: Sequence[Sequence[str]]) -> tuple[dict[str, _Place], float, float]:
    """Return where boxes stand, a layer a column, and the width and the height of the drawing."""
    step = _BOX + _ACROSS
    height = max(map(len, layers)) * (_TALL + _DOWN)
    places = {
        # Those of a column share all of the height.
        node: _Place(2 + _BOX / 2 + depth * step, 2 + height * (n + 0.5) / len(layer))
        for depth, layer in enumerate(layers)
        for n, node in enumerate(layer)
    }
    return places, len(layers) * step - _ACROSS + 4, height + 4


def _ends(start: _Place, end: _Place) -> tuple[_Place, _Place]:
    """Return where an arrow leaves a box, and where it meets another one."""
    if abs(end.x - start.x) < _BOX + _ACROSS and start.y != end.y:  # not in another column
        rise = _TALL / 2 if end.y > start.y else -_TALL / 2
        return _Place(start.x, start.y + rise), _Place(end.x, end.y - rise)
    side = _BOX / 2 if end.x > start.x else -_BOX / 2
    return _Place(start.x + side, start.y), _Place(end.x - side, end.y)


def _draw_arrow(
    svg: ET.Element, arrow: Arrow, places: Mapping[str, _Place], property_label: str
) -> None:
    start, end = _ends(places[arrow.subject], places[arrow.object])
    group = ET.SubElement(svg, "g", {"class": "false" if arrow.is_false else "true"})
    _line(group, start, end)
    length = ((end.x - start.x) ** 2 + (end.y - start.y) ** 2) ** 0.5 or 1.0
    across, down = (end.x - start.x) / length, (end.y - start.y) / length
    points = [
        end,
        _Place(end.x - 9 * across - 4 * down, end.y - 9 * down + 4 * across),
        _Place(end.x - 9 * across + 4 * down, end.y - 9 * down - 4 * across),
    ]
    ET.SubElement(group, "polygon", {"points": " ".join(f"{x:.1f},{y:.1f}" for x, y in points)})
    middle = _Place((start.x + end.x) / 2, (start.y + end.y) / 2)
    if arrow.is_false:
        cross = ET.SubElement(group, "g", {"class": "cross"})
        for lean in (-_MARK, _MARK):
            _line(
                cross,
                _Place(middle.x - _MARK, middle.y - lean),
                _Place(middle.x + _MARK, middle.y + lean),
            )
    if property_label:
        _name_arrow(group, short(property_label, _BESIDE_ARROW), middle)


def _line(parent: ET.Element, start: _Place, end: _Place) -> None:
    line = f"M{start.x:.1f},{start.y:.1f} L{end.x:.1f},{end.y:.1f}"
    ET.SubElement(parent, "path", {"d": line})


def _name_arrow(group: ET.Element, text: str, middle: _Place) -> None:
    width = len(text) * _LETTER + 8
    corner = {"x": f"{middle.x - width / 2:.1f}", "y": f"{middle.y - 9:.1f}"}
    ET.SubElement(group, "rect", {**corner, "width": f"{width:.1f}", "height": "18"})
    _write(group, text, middle.x, middle.y)


def _draw_box(svg: ET.Element, kind: str, name: str, property_label: str, place: _Place) -> None:
    group = ET.SubElement(svg, "g", {"class": kind})
    corner = {"x": f"{place.x - _BOX / 2:.1f}", "y": f"{place.y - _TALL / 2:.1f}"}
    size = {"width": f"{_BOX:.0f}", "height": f"{_TALL:.0f}", "rx": "9"}
    ET.SubElement(group, "rect", {**corner, **size})
    if property_label:
        small = _write(group, short(property_label, _PROPERTY), place.x, place.y - 10)
        small.set("class", "property")
    _write(group, short(name, _NAME), place.x, place.y + (8 if property_label else 0))


def _write(group: ET.Element, text: str, x: float, y: float) -> ET.Element:
    element = ET.SubElement(group, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}"})
    element.text = text
    return element
