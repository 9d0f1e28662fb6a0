"""Charts as SVG that stands in a page: its colours are the page's, its fonts too.

Every text may hold a label, and so anything: matplotlib writes it as XML, and is told to see no
formulas in it. Matplotlib is imported when a chart is drawn.
"""

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from kgbuild.drawing.text import number, short
from kgbuild.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 4.9
"""Inches; 72 units of the drawing are one."""
_ROW, _FRAME, _TALL = 0.27, 0.65, 2.6
"""Inches that a bar takes, that all around the bars does, and that a chart of columns is high."""
_SIZE = 9.5
_BESIDE = 44
"""Characters that stand beside each other below columns, all as wide as the widest."""
COLOURS = {
    # What matplotlib draws with, and which of the page's colours it becomes.
    "#000001": "ink",
    "#000002": "soft",
    "#000003": "edge",
    "#000004": "one",
    "#000005": "two",
    "#000006": "three",
    "#000007": "four",
}
_INK, _SOFT, _EDGE, *_SERIES = COLOURS
_STYLE = {
    "svg.fonttype": "none",  # texts stay texts
    "svg.hashsalt": "kgbuild",  # the same chart has the same ids
    "text.parse_math": False,
    "font.size": _SIZE,
    "text.color": _INK,
    "axes.labelcolor": _SOFT,
    "axes.edgecolor": _EDGE,
    "axes.axisbelow": True,
    "axes.labelsize": _SIZE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.spines.bottom": False,
    "axes.grid": True,
    "grid.color": _EDGE,
    "grid.linewidth": 0.8,
    "xtick.color": _SOFT,
    "ytick.color": _SOFT,
    "xtick.labelcolor": _SOFT,
    "ytick.labelcolor": _INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.labelcolor": _INK,
}
_NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_COLOUR = re.compile("|".join(COLOURS))
_FONT = re.compile(r"font-family: [^;]*;? ?")
_ID = re.compile(r"#([\w.-]+)")


class Point(NamedTuple):
    """A value under a label; of a stack the part that it is, of an estimate its interval."""

    label: str
    value: float
    part: str = ""
    low: float | None = None
    high: float | None = None


def bars(name: str, points: Sequence[Point], along: str, axis: str) -> str:
    """Draw a horizontal bar a label, the first one at the top; of several parts it is a stack.

    ``name`` is unlike that of any other chart of the page, ``along`` says what the labels are,
    and ``axis`` what is counted.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    labels = _labels(points)
    with _drawn(_ROW * len(labels) + _FRAME + 0.3 * _has_parts(points)) as (figure, axes, drawn):
        left = dict.fromkeys(labels, 0.0)
        for colour, (part, values) in zip(_SERIES, _parts(points).items(), strict=False):
            widths = [values.get(label, 0) for label in labels]
            axes.barh(
                range(len(labels)),
                widths,
                left=[*left.values()],
                height=0.68,
                color=colour,
                label=short(part),
            )
            left = {label: left[label] + width for label, width in zip(labels, widths, strict=True)}
        for place, total in enumerate(left.values()):
            axes.annotate(
                number(total), (total, place), (4, 0), textcoords="offset points", va="center"
            )
        axes.set_yticks(range(len(labels)), [short(label) for label in labels])
        axes.invert_yaxis()
        axes.set_xlim(0, max(left.values(), default=1) * 1.16 or 1)
        axes.set_ylabel(along)
        _count_along(axes, "x", axis)
        _legend(figure, points)
    return _page_part(name, drawn)


def columns(name: str, points: Sequence[Point], along: str, axis: str) -> str:
    """Draw an upright bar a label, from left to right; of several parts they stand side by side.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    labels = _labels(points)
    parts = _parts(points)
    width = 0.8 / len(parts)
    with _drawn(_TALL) as (figure, axes, drawn):
        for place, (colour, (part, values)) in enumerate(zip(_SERIES, parts.items(), strict=False)):
            shift = (place - (len(parts) - 1) / 2) * width
            axes.bar(
                [where + shift for where in range(len(labels))],
                [values.get(label, 0) for label in labels],
                width=width * 0.94,
                color=colour,
                label=short(part),
            )
        _turned(axes, labels)
        axes.set_xlabel(along)
        _count_along(axes, "y", axis)
        _legend(figure, points)
    return _page_part(name, drawn)


def spans(name: str, points: Sequence[Point], along: str, axis: str) -> str:
    """Draw, over each label, a value as a point and its span from low to high as a line.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with _drawn(_TALL) as (_, axes, drawn):
        places = range(len(points))
        lows = [point.value if point.low is None else point.low for point in points]
        highs = [point.value if point.high is None else point.high for point in points]
        axes.vlines(places, lows, highs, color=_SERIES[0], linewidth=7, alpha=0.35)
        axes.scatter(places, [point.value for point in points], s=42, color=_SERIES[0], zorder=3)
        _turned(axes, [point.label for point in points])
        axes.set_xlim(-0.6, len(points) - 0.4)
        axes.set_ylim(0, max(highs, default=1) * 1.08 or 1)
        axes.grid(visible=False, axis="x")
        axes.set_xlabel(along)
        axes.set_ylabel(axis)
    return _page_part(name, drawn)


def estimates(name: str, points: Sequence[Point], along: str, axis: str) -> str:
    """Draw, beside each label, a share from 0 to 1 as a point with its interval.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with _drawn(0.34 * len(points) + _FRAME) as (_, axes, drawn):
        places = range(len(points))
        for place, point in enumerate(points):
            if point.low is not None and point.high is not None:
                axes.hlines(place, point.low, point.high, color=_SERIES[0], linewidth=1.5)
                ends = [point.low, point.high]
                axes.vlines(ends, place - 0.2, place + 0.2, color=_SERIES[0], linewidth=1.5)
        axes.scatter(
            [point.value for point in points],
            places,
            s=20,
            color=_SERIES[0],
            zorder=3,
            clip_on=False,
        )
        for place, point in enumerate(points):
            axes.annotate(
                f"{point.value:.1%}",
                (1, place),
                (6, 0),
                textcoords="offset points",
                va="center",
                annotation_clip=False,
            )
        axes.set_yticks(places, [short(point.label) for point in points])
        axes.set_ylim(len(points) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlabel(axis)
        axes.set_ylabel(along)
        axes.grid(visible=False, axis="y")
    return _page_part(name, drawn)


@contextmanager
def _drawn(height: float) -> Iterator[tuple["Figure", "Axes", io.StringIO]]:
    """Give a figure, its axes, and what holds its drawing once it is done."""
    try:
        from matplotlib import style
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("report", "matplotlib") from error
    drawn = io.StringIO()
    # Not in the style that a user has chosen for her own charts.
    with warnings.catch_warnings(), style.context(["default", _STYLE]):
        # Letters that the font lacks by which it measures: a page has others.
        warnings.simplefilter("ignore")
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        yield figure, figure.add_subplot(), drawn
        figure.savefig(drawn, format="svg", transparent=True, metadata=_NOTHING)


def _labels(points: Sequence[Point]) -> list[str]:
    return [*dict.fromkeys(point.label for point in points)]


def _parts(points: Sequence[Point]) -> Mapping[str, Mapping[str, float]]:
    return {
        part: {point.label: point.value for point in points if point.part == part}
        for part in dict.fromkeys(point.part for point in points)
    }


def _has_parts(points: Sequence[Point]) -> bool:
    return len({point.part for point in points}) > 1


def _legend(figure: "Figure", points: Sequence[Point]) -> None:
    if _has_parts(points):
        figure.legend(loc="outside upper left", ncols=4, handlelength=1, handleheight=1)


def _turned(axes: "Axes", labels: Sequence[str]) -> None:
    """Set the labels below columns, aslant if they would not stand beside each other."""
    aslant = max(map(len, labels)) * len(labels) > _BESIDE
    axes.set_xticks(range(len(labels)), [short(label, 16) for label in labels])
    if aslant:
        for label in axes.get_xticklabels():
            label.set(rotation=38, ha="right", rotation_mode="anchor")
    axes.tick_params(axis="x", labelcolor=_INK)
    axes.tick_params(axis="y", labelcolor=_SOFT)
    axes.grid(visible=False, axis="x")


def _count_along(axes: "Axes", direction: str, label: str) -> None:
    from matplotlib.ticker import MaxNLocator

    along = axes.xaxis if direction == "x" else axes.yaxis
    along.set_major_locator(MaxNLocator(nbins=5, integer=True))
    along.set_major_formatter(lambda value, _: number(value))
    along.set_label_text(label)
    axes.grid(visible=False, axis="y" if direction == "x" else "x")


def _page_part(name: str, drawn: io.StringIO) -> str:
    """Return a drawing as part of a page: in its colours and fonts, with ids of its own."""
    svg = ET.fromstring(drawn.getvalue())  # noqa: S314  (matplotlib made it just now)
    used = {
        found for one in svg.iter() for text in one.attrib.values() for found in _ID.findall(text)
    }
    for one in svg.iter():
        one.tag = one.tag.removeprefix(_SVG)
        one.attrib = {
            key.removeprefix(_XLINK): _attribute(name, key, text)
            for key, text in one.attrib.items()
            if key != "id" or text in used
        }
    for above in [*svg.iter()]:
        for one in [one for one in above if one.tag in ("style", "metadata")]:
            above.remove(one)
    del svg.attrib["width"], svg.attrib["height"]
    svg.set("role", "img")
    svg.set("aria-labelledby", f"{name}-alt")
    return ET.tostring(svg, encoding="unicode", short_empty_elements=False)


def _attribute(name: str, key: str, text: str) -> str:
    if key == "id":
        return f"{name}-{text}"
    if key == "style":
        told = _FONT.sub("", _COLOUR.sub(lambda found: f"var(--{COLOURS[found[0]]})", text))
        return _ID.sub(rf"#{name}-\1", told)
    if key in ("clip-path", f"{_XLINK}href"):
        return _ID.sub(rf"#{name}-\1", text)
    return text
