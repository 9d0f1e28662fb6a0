"""The page: sections in a template that escapes whatever a label holds."""

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from kgbuild import __version__
from kgbuild.datasets.registry import DATASETS
from kgbuild.drawing.text import clean, number
from kgbuild.errors import MissingExtraError, NothingToReportError
from kgbuild.report.numbers import Numbers
from kgbuild.report.parts import Section
from kgbuild.report.sections import sections
from kgbuild.review.selection import Sheet
from kgbuild.review.verdicts import survivors

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_HASH = re.compile(r"[0-9a-f]{16,}")


def page(db: "Database", seed: int) -> str:
    """Return the page about a database; the seed chooses the rows that are shown.

    It fetches nothing and runs nothing, and the same database gives the same bytes.

    Raises:
        NoDatasetsError: there is no database.
        NothingToReportError: it holds nothing.
        DatabaseBusyError, DamagedDatabaseError: it cannot be read.
        MissingExtraError: jinja2 or matplotlib is not installed.
    """
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("report", "jinja2") from error
    reviewed = {name: survivors(db, Sheet(name)) for name in DATASETS}
    with db.reading() as select:
        found = [*sections(Numbers(select), reviewed, seed)]
    if not found:
        raise NothingToReportError(db.path)
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    environment.tests["hash"] = _is_hash
    return environment.get_template("page.html").render(
        title=_title(found), sections=found, version=__version__
    )


def _title(found: Sequence[Section]) -> str:
    """Return what stands at the top: how many rows of which datasets."""
    told = [
        f"{number(count)} {section.title} {unit}"
        for section in found
        for unit, count in [*section.tiles.items()][:1]
        if section.samples
    ]
    return ", ".join(told) or "How models and judges fare"


def _file(name: str) -> str:
    return (resources.files("kgbuild.report") / name).read_text(encoding="utf-8")


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and bool(_HASH.fullmatch(value))


def _shown(value: object) -> object:
    """Return a value as the page shows it: numbers with commas, nothing that a page cannot hold."""
    if isinstance(value, int | float):
        return number(value)
    if type(value) is str:  # and no markup, which is the program's own
        return clean(value)
    return "" if value is None else value
