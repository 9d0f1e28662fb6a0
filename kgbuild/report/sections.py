"""The sections of the report, as far as the database has what they tell of."""

import json
from collections.abc import Iterator, Mapping, Sequence

from kgbuild.datasets.reasons import PARTS, REASONS
from kgbuild.datasets.registry import DATASETS
from kgbuild.report.charts import bars, estimates
from kgbuild.report.names import Names, names
from kgbuild.report.numbers import Numbers, Row
from kgbuild.report.parts import Figure, Section, Table, table
from kgbuild.report.plans import PLANS, SPLITS, Plan, binned, figure
from kgbuild.report.samples import COUNT, SAMPLES, items_of
from kgbuild.review.verdicts import Survivors

TITLES = {"syn_qa": "Syn-(QA)²", "granola": "GRANOLA", "biokalma": "BioKaLMA"}
"""What datasets are called in the papers."""
_LEADS = {
    "syn_qa": "Minimal pairs: the same question about a subject of which a relation holds, and "
    "about a similar item of which it does not.",
    "granola": "Questions with answers at every granularity: the finest first, each coarser one at "
    "a level of its own.",
    "biokalma": "Questions about two subjects, the minimum knowledge that answers them, and the "
    "pool of statements that it was chosen from.",
}
_UNITS = {"syn_qa": "pairs", "granola": "questions", "biokalma": "questions"}
_PART = {
    "syn_qa": "Why similar items might not stand in for the subject",
    "granola": "Why coarser answers were left out",
    "biokalma": "Why pieces of knowledge were left out",
}
_MAIN = {
    "syn_qa": ("accuracy", "paired_accuracy"),
    "granola": ("accuracy", "standard", "informativeness"),
    "biokalma": ("precision", "recall", "f1"),
}
"""The metrics that are drawn; the table has all."""
_METRICS = {
    "accuracy": ("accuracy", "Answers that are right, among all."),
    "paired_accuracy": ("paired accuracy", "Pairs of which both questions are judged rightly."),
    "standard": ("standard accuracy", "Answers that are right at the finest level."),
    "informativeness": ("informativeness", "Right answers, each weighted by how fine it is."),
    "precision": ("citation precision", "Citations that the question needs, among all."),
    "recall": ("citation recall", "Knowledge that the question needs and the answer cites."),
    "f1": ("citation F1", "The harmonic mean of precision and recall."),
}
"""What the drawn ones are called, and what each is."""


def sections(numbers: Numbers, reviewed: Mapping[str, Survivors], seed: int) -> Iterator[Section]:
    """Yield the sections of a database, none if it is empty.

    ``reviewed`` tells what people accepted, by dataset; the seed chooses the samples.
    """
    held = {row["table"] for row in numbers.of("shared", "held")}
    found = [name for name, one in DATASETS.items() if one.tables[0] in held]
    totals = {name: numbers.of(name, "totals")[0] for name in found}
    built = [name for name in found if next(iter(totals[name].values()))]
    if "builds" in held and (rows := numbers.of("shared", "builds")):
        yield _provenance(numbers, rows)
    for name in built:
        yield _dataset(numbers, name, totals[name], seed)
    if any(one.decided for one in reviewed.values()):
        yield _reviews(reviewed)
    if "scores" in held and (rows := numbers.of("models", "scores")):
        yield _scores(rows)
    if "grouse_results" in held and (rows := numbers.of("models", "passed")):
        yield _judges(numbers, rows)


def _provenance(numbers: Numbers, builds: Sequence[Row]) -> Section:
    dumps = numbers.of("shared", "dumps")
    told = [{**row, "options": _options(row["options"])} for row in builds]
    return Section(
        "provenance",
        "Built from what",
        "The same dump, options and seed give the same rows again, with the same version.",
        tables=[*([table("The dumps", dumps)] if dumps else []), table("The builds", told)],
    )


def _options(told: str) -> str:
    """Return options as they are read: relations 3, seed 0."""
    return ", ".join(f"{name} {value}" for name, value in json.loads(told).items())


def _dataset(numbers: Numbers, name: str, totals: Row, seed: int) -> Section:
    rows = numbers.of(name, "samples", seed=str(seed), samples=COUNT)
    known = names(numbers, items_of(rows))
    left = numbers.of("shared", "left_out", dataset=name, parts=[*PARTS.get(name, ())])
    return Section(
        name.replace("_", "-"),
        TITLES[name],
        _LEADS[name],
        totals,
        [
            *_relations(numbers, name, known),
            figure(name, SPLITS, numbers.of(name, SPLITS.name)),
            *_left_out(name, next(iter(totals.values())), left),
            *_planned(numbers, name),
        ],
        samples=[SAMPLES[name](row, known) for row in rows],
    )


def _relations(numbers: Numbers, name: str, known: Names) -> Iterator[Figure]:
    rows = numbers.of("shared", "relations", dataset=name)
    plan = Plan(
        "relations",
        f"How many {_UNITS[name]} each relation or file gave",
        "",
        bars,
        "relation",
        _UNITS[name],
    )
    if rows:
        yield figure(name, plan, [{**row, "label": known.titled(row["label"])} for row in rows])


def _left_out(name: str, built: int, left: Sequence[Row]) -> Iterator[Figure]:
    """Yield what became of the candidates, and why parts of rows were left out."""
    fallen = [row for row in left if not row["is_part"]]
    candidates = built + sum(row["value"] for row in fallen)
    funnel = Plan(
        "funnel",
        "What became of the candidates",
        f"Of {candidates:,} candidates {built:,} became {_UNITS[name]}: {built / candidates:.1%}.",
        bars,
        "reason",
        "candidates",
    )
    became = {"label": f"became {_UNITS[name]}", "part": "built", "value": built, "meaning": ""}
    reasons = [{**row, "part": "left out"} for row in _told(name, fallen)]
    yield figure(name, funnel, [became, *reasons])
    if parts := [row for row in left if row["is_part"]]:
        plan = Plan(
            "parts", _PART[name], "The table says what each means.", bars, "reason", "times"
        )
        yield figure(name, plan, _told(name, parts))


def _told(name: str, rows: Sequence[Row]) -> list[Row]:
    words = REASONS[name]
    return [
        {"label": row["reason"], "value": row["value"], "meaning": words.get(row["reason"], "")}
        for row in rows
    ]


def _planned(numbers: Numbers, name: str) -> Iterator[Figure]:
    for plan in PLANS[name]:
        rows = numbers.of(name, plan.name)
        if rows:
            yield figure(name, plan, binned(rows) if plan.name == "popularity" else rows)


def _reviews(reviewed: Mapping[str, Survivors]) -> Section:
    rows = [
        {
            "label": TITLES[name],
            "value": len(one.accepted) / len(one.decided),
            "accepted": len(one.accepted),
            "decided on": len(one.decided),
        }
        for name, one in reviewed.items()
        if one.decided
    ]
    plan = Plan(
        "accepted",
        "How many rows survived manual review",
        "Those that all reviewers who decided on them accept, among all that any decided on.",
        estimates,
        "dataset",
        "accepted rows, among those decided on",
    )
    return Section(
        "reviews",
        "Checked by hand",
        "What people accepted who read rows one by one, with their evidence.",
        figures=[figure("reviews", plan, rows)],
    )


def _scores(rows: Sequence[Row]) -> Section:
    by_dataset: dict[str, list[Row]] = {}
    for row in rows:
        by_dataset.setdefault(row["dataset"], []).append({**row, "run": _run(row)})
    return Section(
        "scores",
        "How models fare",
        "What answers scored, with 95 % intervals: by the bootstrap, or Wilson's where a metric is "
        "0 or 1 in every question; of a single question there is none.",
        {
            "models": len({row["model"] for row in rows}),
            "runs": len({(row["dataset"], _run(row)) for row in rows}),
        },
        [
            _metric(dataset, metric, found)
            for dataset, told in by_dataset.items()
            for metric in _MAIN.get(dataset, ())
            if (found := [row for row in told if row["metric"] == metric])
        ],
        [_score_table(dataset, told) for dataset, told in by_dataset.items()],
    )


def _run(row: Mapping[str, object]) -> str:
    """Return by what answers differ that were scored apart."""
    told = (row["model"] or "unnamed", row["protocol"], row["judge"])
    removed = f"{row['removed']} removed" if row["removed"] else ""
    accuracy = f"{row['accuracy']} % right" if row["accuracy"] not in (None, 100) else ""
    file = row["source"] if row["source"] != "predictions" else ""
    return " · ".join(str(part) for part in (*told, removed, accuracy, file) if part)


def _metric(dataset: str, metric: str, rows: Sequence[Row]) -> Figure:
    words, meaning = _METRICS[metric]
    axis = f"{words}, with 95 % intervals"
    plan = Plan(metric, f"{TITLES[dataset]}: {words}", meaning, estimates, "run", axis)
    points = [
        {"label": row["run"], **{key: row[key] for key in ("value", "low", "high", "answers")}}
        for row in rows
    ]
    return figure(f"scores-{dataset}", plan, points)


def _score_table(dataset: str, rows: Sequence[Row]) -> Table:
    return Table(
        f"All scores of {TITLES.get(dataset, dataset)}",
        ["model, protocol", "metric", "value", "95 % interval", "answers"],
        [
            [row["run"], row["metric"], f"{row['value']:.3f}", _interval(row), row["answers"]]
            for row in rows
        ],
    )


def _interval(row: Row) -> str:
    return "" if row["low"] is None else f"{row['low']:.3f} – {row['high']:.3f}"


def _judges(numbers: Numbers, rows: Sequence[Row]) -> Section:
    plan = Plan(
        "passed",
        "How many tests judges pass",
        "A test is passed if all six grades are as they are to be.",
        estimates,
        "judge",
        "tests passed",
    )
    by_metric: dict[tuple[str, str], Row] = {}
    for row in numbers.of("models", "conditions"):
        key = row["judge"], row["source"]
        told = by_metric.setdefault(key, {"judge": row["judge"], "tests": row["source"]})
        told[row["metric"].replace("_", " ")] = f"{row['met'] / row['tests']:.1%}"
    return Section(
        "judges",
        "How judges fare",
        "Judges of answers, put to GroUSE's unit tests.",
        figures=[figure("judges", plan, rows)],
        tables=[table("Conditions that hold, by metric", [*by_metric.values()])],
    )
