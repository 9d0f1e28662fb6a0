"""Render the report as one HTML page; the template escapes all labels, which may be hostile."""

import base64
import json
import re
from collections import ChainMap
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild import __version__
from kgbuild.data_files import read_text
from kgbuild.datasets import all_datasets
from kgbuild.datasets.answer_sets import PREDICTIONS
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.row_views import row_views
from kgbuild.drawing.text import clean, number
from kgbuild.errors import KgbuildError, WrongCallError, missing_extra
from kgbuild.models.chat import CUT
from kgbuild.report import model_sections, queries, replies
from kgbuild.report.dataset_section import contents, dataset_section
from kgbuild.report.names import Label, ReportNames
from kgbuild.report.parts import Section, Table, table
from kgbuild.report.queries import Queries, Row
from kgbuild.review.selection import Selection
from kgbuild.review.verdicts import survivors
from kgbuild.rows import Progress, no_progress
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_HASH = re.compile(r"[0-9a-f]{16,}")
"""A cell that is a hash, which the page shortens."""
_WIDTH = "640"
"""Width in pixels of a downloaded picture; on the page, it fills the width."""
_COLOURS = "drawing/colours.css"
"""The style sheet with the colours of drawings and pages, light and dark."""
_FONT = "svg { font-family: system-ui, sans-serif; background: var(--card); }"


def require_page(path: Path) -> None:
    """Raise a WrongCallError if the name of a file ends like that of another kind than a page."""
    if path.suffix.lower() not in ("", ".html", ".htm"):
        raise WrongCallError(f"{path}: the page is HTML: name a file.html.")


def page(
    db: "Database",
    datasets: Sequence[AnyDataset] | None = None,
    seed: int = 0,
    label: Label = lambda _: None,
    progress: Progress = no_progress,
) -> str:
    """Return the page about datasets of a database, by default all datasets of this package.

    The seed chooses the sampled rows; ``label`` returns labels of ids that the tables lack. The
    page loads no other file and has no script. The same database gives the same bytes.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        KgbuildError: the database is empty, or jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError as error:
        raise missing_extra("report", "jinja2") from error
    datasets = all_datasets() if datasets is None else datasets
    with db.reading() as select:
        page_sections = [*_sections(db, select, datasets, seed, label, progress)]
    if not page_sections:
        raise KgbuildError(
            f"{db.path} has nothing to report. Build a dataset: kgbuild syn-qa --relations P26,P40"
        )
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read_text),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_cell,
    )
    environment.tests["hash"] = lambda value: isinstance(value, str) and _HASH.fullmatch(value)
    environment.globals |= {
        "picture": _data_url,
        "colours": read_text(_COLOURS),
        "chart_style": read_text("report/chart.css"),
        "evidence_style": read_text("drawing/evidence.css"),
    }
    return environment.get_template("report/page.html").render(
        title=_title(page_sections), sections=page_sections, version=__version__
    )


def _title(page_sections: Sequence[Section]) -> str:
    """Return the title of the page: the number of rows of each dataset."""
    counts = []
    for section in page_sections:
        if section.samples and not section.filters:
            unit, count = next(iter(section.tiles.items()))
            counts.append(f"{number(count)} {section.title} {unit}")
    return ", ".join(counts) or "Scores of models and judges"


def _cell(value: object) -> object:
    """Return a value for the page: numbers with commas, texts without control characters."""
    if isinstance(value, int | float):
        return number(value)
    if type(value) is str:  # and not its subclass Markup, which is already safe
        return clean(value)
    return "" if value is None else value


def _sections(
    db: "Database",
    select: Select,
    datasets: Sequence[AnyDataset],
    seed: int,
    label: Label,
    progress: Progress,
) -> Iterator[Section]:
    """Yield the sections about these datasets; none if the database is empty."""
    rows = select(f"SELECT DISTINCT dataset FROM {PREDICTIONS}", {})  # noqa: S608
    names_asked = {row["dataset"] for row in rows}
    asked = [dataset for dataset in datasets if dataset.name in names_asked]
    judged = {dataset.name: replies.judged(dataset, db, seed) for dataset in asked}
    compared = [*model_sections.comparison_tables(db, asked)]
    reviewed = {
        dataset.title: survivors(select, Selection(dataset)) for dataset in datasets if dataset.view
    }
    shared = queries.shared(select)
    tables = {row["table"] for row in shared.rows("tables")}
    all_contents = []
    for done, dataset in enumerate(datasets):
        progress(f"reading {dataset.title}", done, len(datasets))
        if dataset.tables[0] in tables and (data := contents(select, dataset, seed)).rows:
            all_contents.append(data)
    answered = [
        (view, judged[data.dataset.name][view.id])
        for data in all_contents
        if data.dataset.name in judged
        for view in row_views(select, data.dataset, replies.shown(judged[data.dataset.name]))
    ]
    ids = set[str]().union(
        *(data.ids for data in all_contents), *(view.ids for view, _ in answered)
    )
    found = ChainMap(*(data.queries.labels(ids) for data in reversed(all_contents)))
    labels = ReportNames(found, label)
    if "builds" in tables and (builds := shared.rows("builds")):
        yield _provenance(shared, builds)
    for done, data in enumerate(all_contents):
        progress(f"drawing {data.dataset.title}", done, len(all_contents))
        yield dataset_section(data, labels)
    if any(survivors.decided for survivors in reviewed.values()):
        yield model_sections.reviews_section(shared, reviewed)
    yield from _results(shared, tables, datasets, compared)
    if answered:
        yield replies.replies_section(answered, labels)


def _results(
    shared: Queries, tables: Set[str], datasets: Sequence[AnyDataset], compared: Sequence[Table]
) -> Iterator[Section]:
    """Yield the sections about verifications, models and judges."""
    if "verifications" in tables and (verified := shared.rows("verified")):
        yield model_sections.verifications_section(shared, verified)
    if {"predictions", "scores"} <= tables and (runs := shared.rows("runs", cut=[*CUT])):
        yield Section(
            "runs",
            "Runs of models",
            "What models were asked, and what came back. Questions are those that any model "
            "answered by the protocol; a run that was asked fewer lacks replies, too. Generative "
            "answers are scored by kgbuild score syn-qa --generative --model NAME.",
            tables=[table("Runs", runs)],
        )
    if "scores" in tables and (scores := shared.rows("scores")):
        yield model_sections.scores_section(
            scores, {dataset.name: dataset for dataset in datasets}, compared
        )
    if "grouse_results" in tables and (passed := shared.rows("passed")):
        yield model_sections.judges_section(shared, passed)


def _provenance(shared: Queries, builds: Sequence[Row]) -> Section:
    dumps, readable = shared.rows("dumps"), []
    for row in builds:
        options = json.loads(row["options"]).items()
        readable.append({**row, "options": ", ".join(f"{name} {value}" for name, value in options)})
    return Section(
        "provenance",
        "Sources of the datasets",
        "The same dump, options and seed give the same rows again, with the same version.",
        tables=[*([table("The dumps", dumps)] if dumps else []), table("The builds", readable)],
    )


def _data_url(svg: str, style: str) -> str:
    """Return a drawing as a data URL, a picture to download that contains its style sheet."""
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"{svg.removeprefix("<svg")}'
    picture = picture.replace('width="100%"', f'width="{_WIDTH}"', 1)
    start, _, rest = picture.partition(">")
    text = f"{start}><style>{read_text(_COLOURS)}{_FONT}{style}</style>{rest}"
    return f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"
