"""Which charts tell of a dataset: a plan each, in the order of the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgbuild.datasets.granola.metrics import popularity_bin
from kgbuild.drawing.text import number
from kgbuild.report.charts import Point, bars, columns, spans
from kgbuild.report.numbers import Row
from kgbuild.report.parts import Figure, table

MOST = 14
"""Bars of a chart; the table below it has all."""
_HIGHEST = 1_000
"""A popularity from which on no bins are told apart."""


@dataclass(frozen=True)
class Plan:
    """A chart of what the query ``name`` finds.

    ``along`` says what its labels are, ``axis`` what its values are.
    """

    name: str
    title: str
    note: str
    draw: Callable[[str, Sequence[Point], str, str], str]
    along: str
    axis: str


def figure(section: str, plan: Plan, rows: Sequence[Row]) -> Figure:
    """Return the chart of rows that have a label and a value, and may have a part, low and high."""
    labels = [*dict.fromkeys(row["label"] for row in rows)]
    shown = {*labels[:MOST]}
    note = plan.note
    if len(labels) > MOST:
        note = f"The first {MOST} of {len(labels):,}; the table has all. {note}".strip()
    points = [
        Point(row["label"], row["value"], row.get("part", ""), row.get("low"), row.get("high"))
        for row in rows
        if row["label"] in shown
    ]
    name = f"{section}-{plan.name}"
    heads = {"label": plan.along, "value": plan.axis}
    told = [{heads.get(key, key): _shown(value) for key, value in row.items()} for row in rows]
    drawn = plan.draw(name, points, plan.along, plan.axis)
    return Figure(name, plan.title, note, drawn, _alt(points), table(plan.title, told))


def binned(rows: Sequence[Row]) -> list[Row]:
    """Return how many there are in each bin of popularity, of rows ordered by it."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        key = _bin(row["popularity"]), row.get("part", "")
        counts[key] = counts.get(key, 0) + row["value"]
    return [
        {"label": label, **({"part": part} if part else {}), "value": count}
        for (label, part), count in counts.items()
    ]


def _bin(popularity: int) -> str:
    if popularity >= _HIGHEST:
        return f"{_HIGHEST:,} +"
    low, high = popularity_bin(popularity)
    return f"{low:,}–{high:,}" if high > low else f"{low:,}"


def _shown(value: Any) -> Any:
    return number(value) if isinstance(value, float) else value


def _alt(points: Sequence[Point]) -> str:
    """Return what a chart shows, in words."""
    return "; ".join(
        f"{', '.join(filter(None, (point.label, point.part)))}: {number(point.value)}"
        for point in points
    )


_FALSITY = (
    "impossible: dates rule it out; contradicted: the store has the one value that there can be; "
    "closed: it has other values; absent: it has none."
)
SPLITS = Plan(
    "splits",
    "How rows are split",
    "By a hash of the subject, so that none stands in two splits.",
    bars,
    "split",
    "rows",
)


def _popularity(whose: str) -> Plan:
    return Plan(
        "popularity",
        f"How popular {whose}",
        "Popularity is how many statements of the store point to an item.",
        columns,
        "statements that point to it",
        "rows",
    )


PLANS: Mapping[str, Sequence[Plan]] = {
    "syn_qa": (
        Plan(
            "overlap",
            "How many values subject and replacement share",
            "The more they share, the less the question itself gives the false assumption away.",
            columns,
            "shared property values",
            "pairs",
        ),
        Plan(
            "falsity",
            "How sure it is that the assumption is false, and over how many hops",
            f"In falling order of certainty. {_FALSITY}",
            bars,
            "falsity",
            "pairs",
        ),
        Plan(
            "risk",
            "How probable it is that the assumption is true all the same",
            "The estimated risk of pairs whose assumption the store does not hold.",
            columns,
            "risk, in percent",
            "pairs",
        ),
        _popularity("subjects and replacements are"),
    ),
    "granola": (
        Plan(
            "levels",
            "How many levels of granularity questions have",
            "Level 1 is the finest answer; each further one is coarser.",
            columns,
            "levels",
            "questions",
        ),
        Plan(
            "bits",
            "How much the answers at each level tell",
            "Points are medians, lines the middle half. One bit more: half as many possible "
            "answers are left.",
            spans,
            "level, from the finest",
            "bits",
        ),
        Plan("kinds", "What kinds of answers there are", "", bars, "kind", "answers"),
        _popularity("the subjects are"),
    ),
    "biokalma": (
        Plan(
            "pieces",
            "How many pieces of knowledge a question needs",
            "The size of the minimum knowledge set.",
            columns,
            "pieces of knowledge",
            "questions",
        ),
        Plan(
            "rounds",
            "How specific the piece of each round is",
            "log(2N/count) of its property among the items of the class: points are medians, "
            "lines the middle half. Round 0 is what joins the two subjects.",
            spans,
            "round",
            "specificity",
        ),
        Plan(
            "properties",
            "Which properties the pieces are of",
            "",
            bars,
            "property",
            "pieces of knowledge",
        ),
        Plan(
            "pool",
            "How much there is to choose from",
            "Statements in the pool of a question, which a model is given to cite.",
            columns,
            "statements in the pool",
            "questions",
        ),
        Plan(
            "absent",
            "Questions with knowledge taken away",
            "In each round of conscious incompetence one more piece is absent from the pool.",
            bars,
            "round",
            "questions",
        ),
        _popularity("the two subjects are together"),
    ),
}
"""By dataset."""
