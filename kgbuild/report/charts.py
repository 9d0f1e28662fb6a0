"""Draw charts as SVG: texts keep their size on any screen, and bars stretch with the screen.

Horizontal measures are percentages of the width, vertical ones are pixels. Colours are CSS
variables of the page. Labels come from Wikidata and may be hostile, so ElementTree escapes them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from kgbuild.drawing.text import number, short, two_lines, width

_PHONE_WIDTH = 300.0
"""Width in pixels of a chart on a phone; texts are cut to fit it."""
_FONT_SIZE = 12.0
_COLOURS = ("--one", "--two", "--three", "--four")
"""CSS variables with the colours of the parts of a stack."""
_LINE, _PLOT_HEIGHT = 20.0, 150.0
"""Heights in pixels of a line of the legend, and of the highest column."""
_BAR_HEIGHT, _RADIUS = 8.0, 5
"""Pixels: the height of a horizontal bar, and the radius of the point of an estimate."""
_DASHES = ("none", "6 3", "2 3", "9 3 2 3")
"""The dashes of the lines of a chart, for those who do not tell its colours apart."""
_NAMES_WIDTH, _SWATCH, _DODGE = 30.0, 18.0, 1.5
"""Of a chart of lines: the width of the column of their names in percent, that of the sample of a
line in pixels, and the space in percent between the points of two lines at the same place."""


class Point(NamedTuple):
    """A value of a chart with its label.

    In a stack, ``part`` is the name of the series. An estimate has an interval from ``low`` to
    ``high``, and may have a ``band`` of values that are as expected. In a histogram, ``tick`` is
    the text below the left edge of the column.
    """

    label: str
    value: float
    part: str = ""
    low: float | None = None
    high: float | None = None
    tick: str = ""
    band: tuple[float, float] | None = None


class _Drawing:
    """An SVG drawing that grows downwards: ``y`` is the position in pixels of the next element."""

    def __init__(
        self, name: str, labels: str, values: str, points: Sequence[Point], has_legend: bool = True
    ):
        self.svg = ET.Element("svg", {"class": "chart", "width": "100%", "role": "img"})
        self.svg.set("aria-labelledby", f"{name}-alt")
        self.y = 0.0
        parts = [*dict.fromkeys(point.part for point in points)]
        self.colours = {
            part: f"var({colour})" for part, colour in zip(parts, _COLOURS, strict=False)
        }
        if has_legend and len(parts) > 1:
            self._add_legend()
        self.y += 14
        self.text(labels, 0, "soft")
        self.text(values, 100, "soft", "end")

    def _add_legend(self) -> None:
        x, self.y = 0.0, 14.0
        for part, colour in self.colours.items():
            text = short(part, _PHONE_WIDTH / 2, _FONT_SIZE)
            if x and x + 18 + width(text, _FONT_SIZE) > _PHONE_WIDTH:
                x, self.y = 0.0, self.y + _LINE
            square = {"x": f"{x:.0f}", "y": f"{self.y - 9:.0f}", "width": "10", "height": "10"}
            ET.SubElement(self.svg, "rect", {**square, "rx": "2", "style": f"fill: {colour}"})
            place = {"x": f"{x + 15:.0f}", "y": f"{self.y:.0f}"}
            ET.SubElement(self.svg, "text", place).text = text
            x += 30 + width(text, _FONT_SIZE)
        self.y += 6

    def text(
        self, text: str, x: float, css_class: str = "", anchor: str = "", max_width: float = 1
    ) -> None:
        """Write a text at ``x`` (percent), in at most two lines.

        ``max_width`` is the width of a line, as a share of a phone's width.
        """
        lines = two_lines(text, _PHONE_WIDTH * max_width, _FONT_SIZE)
        for index, line in enumerate(lines):
            self.y += 15 * index
            place = {"x": f"{x:.2f}%", "y": f"{self.y:.0f}"}
            style = {"class": css_class, "text-anchor": anchor}
            attributes = place | {name: value for name, value in style.items() if value}
            ET.SubElement(self.svg, "text", attributes).text = line

    def rect(self, x: float, y: float, percent: float, height: float, colour: str) -> None:
        """Draw a rectangle; ``x`` and ``percent`` (its width) are percentages of the width."""
        position = {"x": f"{x:.2f}%", "y": f"{y:.1f}", "width": f"{percent:.2f}%"}
        shape = {"height": f"{height:.1f}", "rx": "2", "style": f"fill: {colour}"}
        ET.SubElement(self.svg, "rect", {**position, **shape})

    def line(self, start: tuple[float, float], end: tuple[float, float], style: str) -> None:
        """Draw a line between two places; ``x`` is a percentage of the width, ``y`` is pixels."""
        (x1, y1), (x2, y2) = start, end
        ends = {"x1": f"{x1:.2f}%", "y1": f"{y1:.1f}", "x2": f"{x2:.2f}%", "y2": f"{y2:.1f}"}
        ET.SubElement(self.svg, "line", {**ends, "style": style})

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Draw a point; ``x`` is a percentage of the width."""
        place = {"cx": f"{x:.2f}%", "cy": f"{y:.1f}", "r": f"{radius:g}"}
        ET.SubElement(self.svg, "circle", {**place, "style": f"fill: {colour}"})

    def markup(self) -> str:
        """Return the drawing as markup for an HTML page."""
        self.svg.set("height", f"{self.y + 8:.0f}")
        return ET.tostring(self.svg, encoding="unicode", short_empty_elements=False)


def bars(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw a horizontal bar for each label, from top to bottom; a bar may be a stack of parts.

    ``name`` is unique on the page; ``labels`` is the heading of the labels, ``values`` of the
    numbers.
    """
    drawing = _Drawing(name, labels, values, points)
    stacks: dict[str, list[Point]] = {}
    for point in points:
        stacks.setdefault(point.label, []).append(point)
    totals = {label: sum(point.value for point in stack) for label, stack in stacks.items()}
    largest = max(totals.values(), default=0) or 1
    for label, stack in stacks.items():
        _start_row(drawing, label, number(totals[label]))
        x = 0.0
        for point in stack:
            percent = point.value / largest * 100
            colour = drawing.colours.get(point.part, "")
            drawing.rect(x, drawing.y - 7, percent, _BAR_HEIGHT, colour)
            x += percent
    return drawing.markup()


def _start_row(drawing: _Drawing, label: str, value: str) -> None:
    """Write a label and its value, and draw the background of the bar below them."""
    drawing.y += 22
    drawing.text(label, 0, max_width=1 - (width(value, _FONT_SIZE) + 10) / _PHONE_WIDTH)
    drawing.text(value, 100, anchor="end")
    drawing.y += 14
    drawing.rect(0, drawing.y - 7, 100, _BAR_HEIGHT, "var(--wash)")


def intervals(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw, below each label, a value as a point, and its interval as a line."""
    return _draw_intervals(name, points, (labels, values), None, number)


def estimates(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw, below each label, a share from 0 to 1 as a point with its interval."""
    return _draw_intervals(name, points, (labels, values), 1.0, lambda value: f"{value:.1%}")


def _draw_intervals(
    name: str,
    points: Sequence[Point],
    headings: tuple[str, str],
    scale_end: float | None,
    text: Callable[[float], str],
) -> str:
    """Draw points with intervals on a scale from 0, by default to the largest end.

    ``headings`` are those of the labels and of the values; ``text`` formats a value.
    """
    drawing = _Drawing(name, *headings, points)
    ends = [point.value if point.high is None else point.high for point in points]
    scale_end = scale_end or max(ends, default=0) or 1
    for point in points:
        _start_row(drawing, point.label, text(point.value))
        middle = drawing.y - 3
        if point.band:
            start, end = (end / scale_end * 100 for end in point.band)
            drawing.rect(start, drawing.y - 7, end - start, _BAR_HEIGHT, "var(--soft)")
        if point.low is not None and point.high is not None:
            ends_of_line = (point.low, point.high)
            low, high = (max(0.0, min(1.0, end / scale_end)) * 100 for end in ends_of_line)
            drawing.rect(low, middle - 2, high - low, 4, "var(--one)")
        drawing.circle(point.value / scale_end * 100, middle, _RADIUS, "var(--one)")
    return drawing.markup()


def histogram(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw a column for each label, from left to right; columns of several parts are adjacent.

    Space separates the column of an open bin, whose tick ends with +.
    """
    drawing = _Drawing(name, "", values, points)
    ticks = {point.label: point.tick for point in points}
    last_label, last_tick = [*ticks.items()][-1]
    is_open = last_tick.endswith("+")
    slot = 100 / (len(ticks) + is_open * 0.5)  # the room of a label, in percent of the width
    lefts = {label: index * slot for index, label in enumerate(ticks)}
    if is_open:
        lefts[last_label] += slot / 2
    margin = slot * 0.05  # at each side of the columns of a label
    bottom = drawing.y + 14 + _PLOT_HEIGHT
    unit = _draw_grid(drawing, bottom, max(point.value for point in points))
    column_width = (slot - 2 * margin) / len(drawing.colours)
    for index, (part, colour) in enumerate(drawing.colours.items()):
        for point in points:
            if point.part == part:
                x = lefts[point.label] + margin + index * column_width
                height = point.value * unit
                drawing.rect(x, bottom - height, column_width, height, colour)
    drawing.y = bottom + 16
    widest_tick = max(width(tick, _FONT_SIZE) + 6 for tick in ticks.values())
    _write_ticks(
        drawing,
        ticks,
        {label: x + margin for label, x in lefts.items()},
        every=math.ceil(widest_tick / _PHONE_WIDTH * 100 / slot),
        is_open=is_open,
    )
    drawing.y += 18
    drawing.text(labels, 0, "soft")
    return drawing.markup()


def _write_ticks(
    drawing: _Drawing,
    ticks: Mapping[str, str],
    lefts: Mapping[str, float],
    every: int,
    is_open: bool,
) -> None:
    """Write every n-th tick at the left edge of its column.

    The tick of an open bin is always written, in place of ticks that would overlap it.
    """
    last = len(ticks) - 1
    for index, (label, tick) in enumerate(ticks.items()):
        overlaps_last = is_open and last + 1 - every < index < last
        if index % every == 0 and not overlaps_last:
            drawing.text(tick, lefts[label])
    if is_open and last % every:
        drawing.text([*ticks.values()][-1], 100, anchor="end")


def lines(name: str, points: Sequence[Point], labels: str, values: str) -> str:
    """Draw a line for each part: shares with their intervals, on a scale from 0 to the largest end.

    Below are the labels and, for each part, its name with a sample of its line, and its values in
    percent.
    """
    drawing = _Drawing(name, "", values, points, has_legend=False)
    bottom = drawing.y + 14 + _PLOT_HEIGHT
    largest = max(point.value if point.high is None else point.high for point in points)
    unit = _draw_grid(drawing, bottom, largest, lambda share: f"{share * 100:g}%", 0)
    names = [*dict.fromkeys(point.label for point in points)]
    slot = (100 - _NAMES_WIDTH) / len(names)
    centres = {label: _NAMES_WIDTH + (index + 0.5) * slot for index, label in enumerate(names)}
    drawing.y = bottom + 18
    for label, x in centres.items():
        drawing.text(short(label, _PHONE_WIDTH * slot / 100, _FONT_SIZE), x, "soft", "middle")
    drawing.text(labels, 0, "soft", max_width=_NAMES_WIDTH / 100)
    for index, (part, colour) in enumerate(drawing.colours.items()):
        shift = (index - (len(drawing.colours) - 1) / 2) * _DODGE
        style = f"stroke: {colour}; stroke-width: 2; stroke-dasharray: {_DASHES[index]}"
        drawing.y += _LINE
        _name_line(drawing, part, style)
        last = None
        at = {point.label: point for point in points if point.part == part}
        for label, centre in centres.items():
            if (point := at.get(label)) is None:
                last = None  # a line does not lead over what has no value
                continue
            drawing.text(f"{point.value * 100:.1f}", centre, anchor="middle")
            x, y = centre + shift, bottom - point.value * unit
            if point.low is not None and point.high is not None:
                low, high = (bottom - end * unit for end in (point.low, point.high))
                drawing.line(
                    (x, low), (x, high), f"stroke: {colour}; stroke-width: 2; stroke-opacity: .5"
                )
            if last:
                drawing.line(last, (x, y), style)
            drawing.circle(x, y, _RADIUS - 2, colour)
            last = x, y
    return drawing.markup()


def _name_line(drawing: _Drawing, name: str, style: str) -> None:
    """Write the name of a line behind a sample of it."""
    y = f"{drawing.y - 4:.1f}"
    sample = {"x1": "0", "y1": y, "x2": f"{_SWATCH:g}", "y2": y, "style": style}
    ET.SubElement(drawing.svg, "line", sample)
    place = {"x": f"{_SWATCH + 5:g}", "y": f"{drawing.y:.0f}"}
    room = _PHONE_WIDTH * _NAMES_WIDTH / 100 - _SWATCH - 5
    ET.SubElement(drawing.svg, "text", place).text = short(name, room, _FONT_SIZE)


def _draw_grid(
    drawing: _Drawing,
    bottom: float,
    largest: float,
    text: Callable[[float], str] = number,
    text_at: float = 100,
) -> float:
    """Draw at most five lines at round values, and return the height of one unit in pixels.

    ``text`` formats a value, which stands at the right edge, or at ``text_at`` = 0 at the left one.
    """
    unit = _PLOT_HEIGHT / (largest or 1)
    power = 10 ** math.floor(math.log10(largest or 1))
    steps = (power / 5, power / 2, power, power * 2, power * 5)
    step = next(candidate for candidate in steps if largest / candidate <= 4)
    for index in range(int(largest / step) + 1):
        drawing.y = bottom - index * step * unit
        drawing.rect(0, drawing.y, 100, 1, "var(--edge)")
        if index:
            drawing.y -= 3
            drawing.text(text(index * step), text_at, "soft", "end" if text_at else "")
    return unit


KINDS: Mapping[str, Callable[[str, Sequence[Point], str, str], str]] = {
    "bars": bars,
    "histogram": histogram,
    "intervals": intervals,
    "estimates": estimates,
    "lines": lines,
}
"""The functions that draw charts, by the value of ``chart`` in an SQL file."""
