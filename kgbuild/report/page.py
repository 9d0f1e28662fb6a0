"""The page: its sections, in a template that escapes whatever a label holds."""

import base64
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING

from kgbuild import __version__
from kgbuild.datasets import all_datasets
from kgbuild.datasets.base import AnyDataset
from kgbuild.drawing import evidence
from kgbuild.drawing.text import clean, number
from kgbuild.errors import MissingExtraError, NothingToReportError
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
from kgbuild.review.selection import Selection
from kgbuild.review.verdicts import Survivors, survivors
from kgbuild.rows import Progress, no_progress
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_HASH = re.compile(r"[0-9a-f]{16,}")
_WIDTH = "640"
"""Pixels of a picture that is as wide as its page."""
_FONT = "svg { font-family: system-ui, sans-serif; background: var(--card); }"


def page(
    db: "Database",
    datasets: Sequence[AnyDataset] | None = None,
    seed: int = 0,
    label: Label = lambda _: None,
    progress: Progress = no_progress,
) -> str:
    """Return the page about datasets of a database, all of this package if none are named.

    The seed chooses the rows that are shown; ``label`` gives the labels of ids that the tables do
    not have. The page fetches nothing and runs nothing, and the same database gives the same bytes.

    Raises:
        NoDatasetsError: there is no database.
        NothingToReportError: it holds nothing.
        DatabaseBusyError, DamagedDatabaseError: it cannot be read.
        MissingExtraError: jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("report", "jinja2") from error
    datasets = all_datasets() if datasets is None else datasets
    with db.reading() as select:
        reviewed = {
            dataset.title: survivors(select, Selection(dataset))
            for dataset in datasets
            if dataset.view
        }
        parts = [*sections(select, datasets, reviewed, seed, label, progress)]
    if not parts:
        raise NothingToReportError(db.path)
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_cell,
    )
    environment.tests["hash"] = lambda value: isinstance(value, str) and _HASH.fullmatch(value)
    environment.globals |= {
        "picture": _address,
        "colours": _colours(),
        "chart_style": _file("chart.css"),
        "evidence_style": evidence.style(),
    }
    return environment.get_template("page.html").render(
        title=_title(parts), sections=parts, version=__version__
    )


def _title(parts: Sequence[Section]) -> str:
    """Return the title: the numbers of rows of the datasets."""
    counts = [
        f"{number(count)} {section.title} {unit}"
        for section in parts
        for unit, count in [*section.tiles.items()][:1]
        if section.samples
    ]
    return ", ".join(counts) or "How models and judges fare"


def _file(name: str) -> str:
    return (resources.files("kgbuild.report") / name).read_text(encoding="utf-8")


def _cell(value: object) -> object:
    """Return a value as the page shows it: numbers with commas, nothing that a page cannot hold."""
    if isinstance(value, int | float):
        return number(value)
    if type(value) is str:  # and no markup, which is the program's own
        return clean(value)
    return "" if value is None else value


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
        yield reviews_section(shared, reviewed)
    yield from _results(shared, tables, datasets)


def _results(
    shared: Queries, tables: Collection[str], datasets: Sequence[AnyDataset]
) -> Iterator[Section]:
    """Yield the sections about second sources, models and judges."""
    if "verifications" in tables and (verified := shared.rows("verified")):
        yield verifications_section(shared, verified)
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


def _colours() -> str:
    """Return the style sheet with the colours of drawings and pages, light and dark."""
    return (resources.files("kgbuild.drawing") / "colours.css").read_text(encoding="utf-8")


def _address(svg: str, style: str) -> str:
    """Return a drawing as the address (data:) of a picture to download, with its own style."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg"{svg.removeprefix("<svg")}'
    head = head.replace('width="100%"', f'width="{_WIDTH}"', 1)
    start, _, rest = head.partition(">")
    text = f"{start}><style>{_colours()}{_FONT}{style}</style>{rest}"
    return f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"
