"""The sections of the report about the datasets, scores and reviews that the database has."""

import json
from collections.abc import Iterator, Mapping, Sequence

from kgbuild.datasets.base import AnyDataset
from kgbuild.report import queries
from kgbuild.report.dataset_section import contents, dataset_section
from kgbuild.report.model_sections import judges_section, reviews_section, scores_section
from kgbuild.report.names import Label, names
from kgbuild.report.parts import Section, table
from kgbuild.report.queries import Queries, Row
from kgbuild.review.verdicts import Survivors
from kgbuild.rows import Progress
from kgbuild.tables.reviews import Select


def sections(
    select: Select,
    datasets: Sequence[AnyDataset],
    reviewed: Mapping[str, Survivors],
    seed: int,
    label: Label,
    progress: Progress,
) -> Iterator[Section]:
    """Yield the sections about these datasets, none if the database is empty.

    ``reviewed`` are the reviewed rows by the title of the dataset; the seed chooses the rows that
    are shown, and ``label`` gives labels that the tables do not have.
    """
    shared = queries.shared(select)
    tables = {row["table"] for row in shared.rows("tables")}
    shown = []
    for place, dataset in enumerate(datasets):
        progress(f"reading {dataset.title}", place, len(datasets))
        if dataset.tables[0] in tables and (rows := contents(select, dataset, seed)).rows:
            shown.append(rows)
    ids = set[str]().union(*(rows.ids for rows in shown))
    labels = names([rows.queries for rows in shown], ids, label)
    if "builds" in tables and (builds := shared.rows("builds")):
        yield _provenance(shared, builds)
    for place, rows in enumerate(shown):
        progress(f"drawing {rows.dataset.title}", place, len(shown))
        yield dataset_section(rows, labels)
    if any(survivors.decided for survivors in reviewed.values()):
        yield reviews_section(reviewed)
    if "scores" in tables and (scores := shared.rows("scores")):
        yield scores_section(scores, {dataset.name: dataset for dataset in datasets})
    if "grouse_results" in tables and (passed := shared.rows("passed")):
        yield judges_section(shared, passed)


def _provenance(shared: Queries, builds: Sequence[Row]) -> Section:
    dumps = shared.rows("dumps")
    readable = [
        {**row, "options": ", ".join(f"{k} {v}" for k, v in json.loads(row["options"]).items())}
        for row in builds
    ]
    return Section(
        "provenance",
        "Built from what",
        "The same dump, options and seed give the same rows again, with the same version.",
        tables=[*([table("The dumps", dumps)] if dumps else []), table("The builds", readable)],
    )
