"""Draw figures from the rows of a query."""

from collections.abc import Mapping, Sequence

from kgbuild.drawing.text import number
from kgbuild.report.bins import linear, logarithmic, place
from kgbuild.report.charts import KINDS, Point
from kgbuild.report.parts import Figure, table
from kgbuild.report.queries import Row

MOST = 14
"""Maximum number of labels in a chart; the table below it has all labels."""


def figure(section: str, name: str, headers: Mapping[str, str], rows: Sequence[Row]) -> Figure:
    """Return the figure of rows as the headers of their query describe it."""
    if headers["chart"] == "histogram":
        rows = binned(rows, headers.get("scale", ""), float(headers.get("step", 0)))
    labels = [*dict.fromkeys(row["label"] for row in rows)]
    note = headers.get("note", "")
    if len(labels) > MOST and headers["chart"] != "histogram":
        note = f"The first {MOST} of {len(labels):,}; the table has all. {note}".strip()
        labels = labels[:MOST]
    points = [
        Point(**{name: row[name] for name in Point._fields if name in row})
        for row in rows
        if row["label"] in labels
    ]
    full_name = f"{section}-{name}"
    svg = KINDS[headers["chart"]](full_name, points, headers["labels"], headers["values"])
    heads = {"label": headers["labels"], "value": headers["values"]}
    cells = [
        {
            heads.get(key, key): number(value) if isinstance(value, float) else value
            for key, value in row.items()
            if key != "tick"
        }
        for row in rows
    ]
    title = headers["title"]
    return Figure(full_name, title, note, svg, _alternative(points), table(title, cells))


def binned(rows: Sequence[Row], scale: str, step: float) -> list[Row]:
    """Return how many rows each bin holds, of rows with a number ``at`` and their count."""
    counts: dict[float, int] = {}
    for row in rows:
        counts[row["at"]] = counts.get(row["at"], 0) + row["value"]
    bins = logarithmic(counts) if scale == "log" else linear(counts, step)
    parts = dict.fromkeys(row.get("part", "") for row in rows)
    values = {(bin_, part): 0 for bin_ in range(len(bins)) for part in parts}
    for row in rows:
        values[place(bins, row["at"]), row.get("part", "")] += row["value"]
    return [
        {
            "label": bins[bin_].label,
            **({"part": part} if part else {}),
            "value": value,
            "tick": bins[bin_].tick,
        }
        for (bin_, part), value in values.items()
    ]


def _alternative(points: Sequence[Point]) -> str:
    return "; ".join(
        f"{', '.join(filter(None, (point.label, point.part)))}: {number(point.value)}"
        for point in points
    )
