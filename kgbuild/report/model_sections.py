"""The sections of the report about reviews, verifications by second sources, models and judges."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from string import digits
from typing import TYPE_CHECKING

from kgbuild.datasets.answer_sets import read_answers, scored_ways
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.comparing import compare_models
from kgbuild.errors import KgbuildError
from kgbuild.evaluate.calibration import RIGHT_AT
from kgbuild.report.figures import figure
from kgbuild.report.parts import Figure, Section, Table, table
from kgbuild.report.queries import Queries, Row
from kgbuild.report.replies import graders
from kgbuild.review.verdicts import Survivors
from kgbuild.rows import natural

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_FEW = 20
"""Values behind which are fewer answers are marked."""


def reviews_section(queries: Queries, reviewed: Mapping[str, Survivors]) -> Section:
    """Return the section about manual reviews, from the reviews by title of the dataset."""
    rows = [
        {
            "label": title,
            "value": len(survivors.accepted) / len(survivors.decided),
            "accepted": len(survivors.accepted),
            "decided on": len(survivors.decided),
        }
        for title, survivors in reviewed.items()
        if survivors.decided
    ]
    return Section(
        "reviews",
        "Checked by hand",
        "The share of rows that reviewers accepted after reading them with their evidence.",
        figures=[figure("reviews", "accepted", queries.by_name["accepted"].headers, rows)],
    )


def verifications_section(queries: Queries, verified: Sequence[Row]) -> Section:
    """Return the section about assumptions that second sources verified, by source and relation."""
    headers = {
        "chart": "estimates",
        "title": "False assumptions that hold by another source",
        "note": "Shares of the verified assumptions, over all sources, including pairs that were "
        "removed. Relations without such assumptions are left out.",
        "labels": "relation",
        "values": "assumptions that hold, among those verified",
    }
    relations = queries.rows("verified_relations")
    return Section(
        "verifications",
        "Verified by other sources",
        "Verdicts of endpoints, texts and models on the assumptions of questions.",
        figures=[figure("verifications", "relations", headers, relations)] if relations else [],
        tables=[table("Verdicts, by source", verified)],
    )


def scores_section(
    scores: Sequence[Row], datasets: Mapping[str, AnyDataset], more: Sequence[Table]
) -> Section:
    """Return the section about scores: charts of main metrics, and tables of all metrics.

    ``more`` are tables that follow.
    """
    by_judge: dict[tuple[str, str], list[Row]] = {}
    for row in scores:
        by_judge.setdefault((row["dataset"], row["judge"]), []).append(row)
    figures: list[Figure] = []
    tables = []
    for index, ((name, judge), rows) in enumerate(by_judge.items()):
        dataset = datasets.get(name)
        title = f"{dataset.title if dataset else name}{f' by {judge}' if judge else ''}"
        if dataset:
            rows = _marked(dataset, rows)
            prefix = f"scores-{name}{f'-{index}' if judge else ''}"
            figures += [*_metrics(dataset, prefix, title, rows), *_reliability(prefix, title, rows)]
        tables.append(_score_table(title, rows))
    return Section(
        "scores",
        "Scores of models",
        "Scores of answers with 95 % intervals: bootstrap intervals, or Wilson's if a metric is "
        "0 or 1 for each question. Other metrics of a single question have no interval. Each cell "
        "of a table ends with the number of answers that count. The rules scored where no judge is "
        "named; one that failed its control is marked.",
        {
            "models": len({row["model"] for row in scores}),
            "runs": len({(row["dataset"], row["run"]) for row in scores}),
        },
        figures,
        [*tables, *more],
    )


def comparison_tables(db: "Database", datasets: Sequence[AnyDataset]) -> Iterator[Table]:
    """Yield a table for each dataset whose questions several models answered by one protocol.

    The rules decide; answers that have none are compared by each judge.
    """
    for dataset in chain.from_iterable(map(scored_ways, datasets)):
        options = graders(dataset, db)
        for judge in [""] if "" in options else options:
            with contextlib.suppress(KgbuildError):  # there is nothing to compare
                comparisons = compare_models(read_answers(dataset, None, db), db, **options[judge])
                of = f"the same questions of {dataset.title}, by {judge or 'the rules'}"
                cells = [comparison.cells for comparison in comparisons]
                yield table(f"Differences between models on {of}", cells)


def _few(answers: int) -> str:
    """Return the number of answers behind a value, if few: what comes of few looks like many."""
    return f" (n = {answers})" if answers < _FEW else ""


def _marked(dataset: AnyDataset, scores: Sequence[Row]) -> list[Row]:
    """Return scores with the number of answers in the name of their run, if few.

    It is what the first column of the tables counts: of other metrics, it may be pairs or pieces.
    """
    ways = [one.scoring for one in scored_ways(dataset) if one.scoring]
    counted = {way.tables[0].columns[0].metric if way.tables else way.compared for way in ways}
    few = {row["run"]: _few(row["answers"]) for row in scores if row["metric"] in counted}
    return [{**row, "run": row["run"] + few.get(row["run"], "")} for row in scores]


def _point(label: str, row: Row) -> Row:
    """Return the row of a chart about a score."""
    return {"label": label, **{key: row[key] for key in ("value", "low", "high", "answers")}}


def _metrics(dataset: AnyDataset, prefix: str, of: str, scores: Sequence[Row]) -> Iterator[Figure]:
    """Yield a chart for each main metric that has scores; ``of`` says of what they are."""
    for metric, title, meaning in dataset.scoring.main_metrics if dataset.scoring else ():
        headers = {
            "chart": "estimates",
            "title": f"{of}: {title}",
            "note": meaning,
            "labels": "run",
            "values": f"{title}, with 95 % intervals",
        }
        if rows := [_point(row["run"], row) for row in scores if row["metric"] == metric]:
            yield figure(prefix, metric, headers, rows)


def _reliability(prefix: str, of: str, scores: Sequence[Row]) -> Iterator[Figure]:
    """Yield a chart for each run with confidences: the share of right answers in each bin."""
    bins = [row for row in scores if row["metric"].startswith(RIGHT_AT)]
    for index, run in enumerate(dict.fromkeys(row["run"] for row in bins)):
        headers = {
            "chart": "estimates",
            "title": f"{of}: confidence of {run}",
            "note": "Where confidence is calibrated, the points lie in the grey bands.",
            "labels": "confidence",
            "values": "answers that are right, with 95 % intervals",
        }
        rows = [
            {
                **_point(f"{start}–{start + 10} %{_few(row['answers'])}", row),
                "band": (start / 100, (start + 10) / 100),
            }
            for row in sorted(bins, key=lambda row: natural(row["metric"]))
            if row["run"] == run
            for start in [int(row["metric"].removeprefix(RIGHT_AT))]
        ]
        yield figure(prefix, f"reliability-{index}", headers, rows)


def _score_table(of: str, scores: Sequence[Row]) -> Table:
    """Return a table with a row for each run and a column for each metric.

    A cell has the value, its interval and the number of answers that count. Metrics that differ
    only in a number at the end, such as that of a level, are adjacent and in its order.
    """
    names = [*dict.fromkeys(row["metric"] for row in scores)]
    stems = [*dict.fromkeys(name.rstrip(digits) for name in names)]
    metrics = sorted(names, key=lambda name: (stems.index(name.rstrip(digits)), natural(name)))
    cells: dict[str, dict[str, str]] = {}
    for row in scores:
        interval = "" if row["low"] is None else f" ({row['low']:.3f}–{row['high']:.3f})"
        cell = f"{row['value']:.3f}{interval} of {row['answers']:,}"
        cells.setdefault(row["run"], {})[row["metric"]] = cell
    return Table(
        f"All scores of {of}",
        ["model, protocol", *(metric.replace("_", " ") for metric in metrics)],
        [[run, *(of_run.get(metric, "") for metric in metrics)] for run, of_run in cells.items()],
    )


def judges_section(queries: Queries, passed: Sequence[Row]) -> Section:
    """Return the section about the results of judges in GroUSE's unit tests."""
    by_judge: dict[tuple[str, str], Row] = {}
    for row in queries.rows("conditions"):
        key = row["judge"], row["source"]
        shares = by_judge.setdefault(key, {"judge": row["judge"], "tests": row["source"]})
        shares[row["metric"].replace("_", " ")] = f"{row['met'] / row['tests']:.1%}"
    return Section(
        "judges",
        "Results of judges",
        "Judges, which grade answers, in GroUSE's unit tests.",
        figures=[figure("judges", "passed", queries.by_name["passed"].headers, passed)],
        tables=[table("Conditions that hold, by metric", [*by_judge.values()])],
    )
