"""The sections of the report, as far as the database has what they are about."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from kgbuild.datasets.base import AnyDataset
from kgbuild.report import queries
from kgbuild.report.dataset_section import contents, dataset_section
from kgbuild.report.model_sections import (
    judges_section,
    reviews_section,
    scores_section,
    verifications_section,
)
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

    ``reviewed`` says what people accepted, by the title of the dataset; the seed chooses the rows
    that are shown, and ``label`` gives labels that the tables do not have.
    """
    shared = queries.shared(select)
    tables = {row["table"] for row in shared.rows("tables")}
    held = []
    for place, dataset in enumerate(datasets):
        progress(f"reading {dataset.title}", place, len(datasets))
        if dataset.tables[0] in tables and (one := contents(select, dataset, seed)).rows:
            held.append(one)
    ids = set[str]().union(*(one.ids for one in held))
    labels = names([one.queries for one in held], ids, label)
    if "builds" in tables and (builds := shared.rows("builds")):
        yield _provenance(shared, builds)
    for place, one in enumerate(held):
        progress(f"drawing {one.dataset.title}", place, len(held))
        yield dataset_section(one, labels)
    if any(one.decided for one in reviewed.values()):
        yield reviews_section(reviewed)
    yield from _of_results(shared, tables, datasets)


def _of_results(
    shared: Queries, tables: Collection[str], datasets: Sequence[AnyDataset]
) -> Iterator[Section]:
    """Yield the sections about what was found of rows, models and judges."""
    if "verifications" in tables and (verified := shared.rows("verified")):
        yield verifications_section(shared, verified)
    if "scores" in tables and (scores := shared.rows("scores")):
        yield scores_section(scores, {dataset.name: dataset for dataset in datasets})
    if "grouse_results" in tables and (passed := shared.rows("passed")):
        yield judges_section(shared, passed)


def _provenance(shared: Queries, builds: Sequence[Row]) -> Section:
    dumps = shared.rows("dumps")
    readable = [{**row, "options": _options(row["options"])} for row in builds]
    return Section(
        "provenance",
        "Built from what",
        "The same dump, options and seed give the same rows again, with the same version.",
        tables=[*([table("The dumps", dumps)] if dumps else []), table("The builds", readable)],
    )


def _options(text: str) -> str:
    """Return options as people read them: relations 3, seed 0."""
    return ", ".join(f"{name} {value}" for name, value in json.loads(text).items())
