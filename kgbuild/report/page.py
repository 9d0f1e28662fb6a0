"""The page: sections in a template that escapes whatever a label holds."""

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from kgbuild import __version__
from kgbuild.datasets import all_datasets
from kgbuild.datasets.base import AnyDataset
from kgbuild.drawing import evidence, picture
from kgbuild.drawing.text import clean, number
from kgbuild.errors import MissingExtraError, NothingToReportError
from kgbuild.report.names import Label
from kgbuild.report.parts import Section
from kgbuild.report.sections import sections
from kgbuild.review.selection import Selection
from kgbuild.review.verdicts import survivors
from kgbuild.rows import Progress, no_progress

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_HASH = re.compile(r"[0-9a-f]{16,}")


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
        "picture": picture.address,
        "colours": picture.colours(),
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
