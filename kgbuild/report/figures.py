"""Draw figures from the rows of a query."""

from collections.abc import Mapping, Sequence

from kgbuild.drawing.text import number
from kgbuild.report.bins import bin_index, linear, logarithmic
from kgbuild.report.charts import KINDS, Point
from kgbuild.report.parts import Figure, table
from kgbuild.report.queries import Row

MAX_LABELS = 30
"""Maximum number of labels in a chart; the table below the chart has all labels."""


def figure(section: str, name: str, headers: Mapping[str, str], rows: Sequence[Row]) -> Figure:
    """Draw the rows of the query ``name`` as its headers describe; see ``queries``."""
    if headers["chart"] == "histogram":
        rows = binned(rows, headers.get("scale", ""), float(headers.get("step", 0)))
    labels = [*dict.fromkeys(row["label"] for row in rows)]
    note = headers.get("note", "")
    if len(labels) > MAX_LABELS and headers["chart"] != "histogram":
        ends = MAX_LABELS // 2
        note = f"The first and last {ends} of {len(labels):,}; the table has all. {note}".strip()
        labels = [*labels[:ends], *labels[-ends:]]
    points = [
        Point(**{name: row[name] for name in Point._fields if name in row})
        for row in rows
        if row["label"] in labels
    ]
    full_name = f"{section}-{name}"
    svg = KINDS[headers["chart"]](full_name, points, headers["labels"], headers["values"])
    column_names = {"label": headers["labels"], "value": headers["values"]}
    cells = [
        {
            column_names.get(key, key): number(value) if isinstance(value, float) else value
            for key, value in row.items()
            if key not in ("tick", "band")
        }
        for row in rows
    ]
    alternative_text = "; ".join(
        f"{', '.join(filter(None, (point.label, point.part)))}: {number(point.value)}"
        for point in points
    )
    title = headers["title"]
    return Figure(full_name, title, note, svg, alternative_text, table(title, cells))


def binned(rows: Sequence[Row], scale: str, step: float) -> list[Row]:
    """Return rows of a histogram: the number of cases in each bin and part.

    The given rows have a number ``at`` and their count, ``value``. ``scale`` is "log" or "".
    """
    counts: dict[float, int] = {}
    for row in rows:
        counts[row["at"]] = counts.get(row["at"], 0) + row["value"]
    bins = logarithmic(counts) if scale == "log" else linear(counts, step)
    parts = dict.fromkeys(row.get("part", "") for row in rows)
    sums = {(index, part): 0 for index in range(len(bins)) for part in parts}
    for row in rows:
        sums[bin_index(bins, row["at"]), row.get("part", "")] += row["value"]
    return [
        {
            "label": bins[index].label,
            **({"part": part} if part else {}),
            "value": value,
            "tick": bins[index].tick,
        }
        for (index, part), value in sums.items()
    ]
