"""Charts as SVG: texts keep their size on any screen, and bars stretch with the screen.

Widths are percentages, heights are pixels. Colours are variables of the page. Any text may be a
label and so hostile: ElementTree writes it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from kgbuild.drawing.text import number, short, width

_NARROWEST = 300.0
"""Pixels that a chart has on a phone."""
_SIZE = 12.0
_SERIES = ("--one", "--two", "--three", "--four")
_HEAD, _PLOT = 20.0, 150.0
"""Pixels: a line of text above a chart, and its columns."""


class Point(NamedTuple):
    """A value with its label; in a stack, its part; of an estimate, its interval.

    ``tick`` is the text below the left edge of its column.
    """

    label: str
    value: float
    part: str = ""
    low: float | None = None
    high: float | None = None
    tick: str = ""


class _Drawing:
    """A drawing that grows downwards: ``y`` is the height of the next element."""

    def __init__(self, name: str, labels: str, values: str, points: Sequence[Point]):
        self.svg = ET.Element("svg", {"class": "chart", "width": "100%", "role": "img"})
        self.svg.set("aria-labelledby", f"{name}-alt")
        self.y = 0.0
        parts = [*dict.fromkeys(point.part for point in points)]
        self.colours = {
            part: f"var({colour})" for part, colour in zip(parts, _SERIES, strict=False)
        }
        if len(parts) > 1:
            self._add_legend()
        self.y += 14
        self.text(labels, 0, "soft")
        self.text(values, 100, "soft", "end")

    def _add_legend(self) -> None:
        x, self.y = 0.0, 14.0
        for part, colour in self.colours.items():
            text = short(part, _NARROWEST / 2, _SIZE)
            if x and x + 18 + width(text, _SIZE) > _NARROWEST:
                x, self.y = 0.0, self.y + _HEAD
            place = {"x": f"{x:.0f}", "y": f"{self.y - 9:.0f}", "width": "10", "height": "10"}
            ET.SubElement(self.svg, "rect", {**place, "rx": "2", "style": f"fill: {colour}"})
            ET.SubElement(
                self.svg, "text", {"x": f"{x + 15:.0f}", "y": f"{self.y:.0f}"}
            ).text = text
            x += 30 + width(text, _SIZE)
        self.y += 6

    def text(self, text: str, x: float, kind: str = "", anchor: str = "", room: float = 1) -> None:
        """Write a text at a percentage of the width, in a share of the room of a phone."""
        place = {"x": f"{x:.2f}%", "y": f"{self.y:.0f}"}
        more = {"class": kind, "text-anchor": anchor}
        element = ET.SubElement(self.svg, "text", place | {k: v for k, v in more.items() if v})
        element.text = short(text, _NARROWEST * room, _SIZE)

    def rect(self, x: float, y: float, wide: float, high: float, colour: str) -> None:
        """Draw a rectangle; x and width are percentages."""
        place = {"x": f"{x:.2f}%", "y": f"{y:.1f}", "width": f"{wide:.2f}%"}
        shape = {"height": f"{high:.1f}", "rx": "2", "style": f"fill: {colour}"}
        ET.SubElement(self.svg, "rect", {**place, **shape})

    def markup(self) -> str:
        """Return the drawing as part of a page."""
        self.svg.set("height", f"{self.y + 8:.0f}")
        return ET.tostring(self.svg, encoding="unicode", short_empty_elements=False)


def bars(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw a horizontal bar per label, the first one at the top; several parts are stacked.

    ``name`` is unique on the page; ``labels`` is a heading for the labels, ``values`` for the
    numbers.
    """
    drawing = _Drawing(name, labels, values, points)
    stacks: dict[str, list[Point]] = {}
    for point in points:
        stacks.setdefault(point.label, []).append(point)
    totals = {label: sum(point.value for point in stack) for label, stack in stacks.items()}
    most = max(totals.values(), default=0) or 1
    for label, stack in stacks.items():
        _row(drawing, label, number(totals[label]))
        left = 0.0
        for point in stack:
            wide = point.value / most * 100
            drawing.rect(left, drawing.y - 7, wide, 8, drawing.colours.get(point.part, ""))
            left += wide
    return drawing.markup()


def _row(drawing: _Drawing, label: str, value: str) -> None:
    """Write a label and its value, and draw the background of the bar below them."""
    drawing.y += 22
    room = 1 - (width(value, _SIZE) + 10) / _NARROWEST
    drawing.text(label, 0, room=room)
    drawing.text(value, 100, anchor="end")
    drawing.y += 14
    drawing.rect(0, drawing.y - 7, 100, 8, "var(--wash)")


def intervals(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw, below each label, a value as a point and its span from low to high as a line."""
    return _spans(name, points, (labels, values), None, number)


def estimates(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw, below each label, a share from 0 to 1 as a point with its interval."""
    return _spans(name, points, (labels, values), 1.0, lambda value: f"{value:.1%}")


def _spans(
    name: str,
    points: Sequence[Point],
    heads: tuple[str, str],
    most: float | None,
    text: Callable[[float], str],
) -> str:
    drawing = _Drawing(name, *heads, points)
    ends = [point.value if point.high is None else point.high for point in points]
    most = most or max(ends, default=0) or 1
    for point in points:
        _row(drawing, point.label, text(point.value))
        middle = drawing.y - 3
        if point.low is not None and point.high is not None:
            low, high = (max(0.0, min(1.0, end / most)) * 100 for end in (point.low, point.high))
            drawing.rect(low, middle - 2, high - low, 4, "var(--one)")
        circle = {"cx": f"{point.value / most * 100:.2f}%", "cy": f"{middle:.1f}", "r": "5"}
        ET.SubElement(drawing.svg, "circle", {**circle, "style": "fill: var(--one)"})
    return drawing.markup()


def histogram(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw a column per label, from left to right; the columns of several parts are adjacent.

    The column of an open bin, whose tick ends with +, is separate.
    """
    drawing = _Drawing(name, "", values, points)
    ticks = {point.label: point.tick for point in points}
    is_open = [*ticks.values()][-1].endswith("+")
    step = 100 / (len(ticks) + is_open * 0.5)
    lefts = {label: place * step for place, label in enumerate(ticks)}
    if is_open:
        lefts[[*ticks][-1]] += step / 2
    bottom = drawing.y + 14 + _PLOT
    scale = _draw_grid(drawing, bottom, max(point.value for point in points))
    for place, (part, colour) in enumerate(drawing.colours.items()):
        wide = step * 0.9 / len(drawing.colours)
        for point in points:
            if point.part == part:
                x = lefts[point.label] + step * 0.05 + place * wide
                drawing.rect(x, bottom - point.value * scale, wide, point.value * scale, colour)
    drawing.y = bottom + 16
    every = math.ceil(
        max(width(tick, _SIZE) + 6 for tick in ticks.values()) / _NARROWEST * 100 / step
    )
    for place, (label, tick) in enumerate(ticks.items()):
        if place % every == 0 and not (is_open and len(ticks) - every < place < len(ticks) - 1):
            drawing.text(tick, lefts[label] + step * 0.05)
    if is_open and (len(ticks) - 1) % every:
        drawing.text([*ticks.values()][-1], 100, anchor="end")
    drawing.y += 18
    drawing.text(labels, 0, "soft")
    return drawing.markup()


def _draw_grid(drawing: _Drawing, bottom: float, most: float) -> float:
    """Draw lines at round values, and return the height of one unit in pixels."""
    scale = _PLOT / (most or 1)
    step = 10 ** math.floor(math.log10(most or 1))
    steps = (step / 5, step / 2, step, step * 2, step * 5)
    step = next(candidate for candidate in steps if most / candidate <= 4)
    for place in range(int(most / step) + 1):
        drawing.y = bottom - place * step * scale
        drawing.rect(0, drawing.y, 100, 1, "var(--edge)")
        if place:
            drawing.y -= 3
            drawing.text(number(place * step), 100, "soft", "end")
    return scale


KINDS: Mapping[str, Callable[[str, Sequence[Point], str, str], str]] = {
    "bars": bars,
    "histogram": histogram,
    "intervals": intervals,
    "estimates": estimates,
}
"""The function that draws each kind of chart, by its name in an SQL file."""
