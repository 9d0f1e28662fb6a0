"""Read the SPARQL files in ``queries/``.

A file begins with a header that names the query, summarises its result in a line, and declares
its parameters and columns, each with a kind::

    # name: statement_exists
    # summary: One row if the statement is in the store, none if not.
    # param: subject item -- the item it is about
    # column: value value

The kinds in LISTS are those of list parameters, whose variable takes each value of a list. A value
of the kind claims is an item and a property. The query has a ``VALUES`` block for such a list,
whose first variable is the parameter, and which has the empty row ``(UNDEF)``, of a claim
``(UNDEF UNDEF UNDEF UNDEF)``.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from kgbuild.errors import WrongCallError, unknown_choice

LISTS = {"items": "item", "entities": "entity", "texts": "text", "claims": "claim"}
"""The kinds of list parameters, and the kind of their values."""
_DECLARATION = re.compile(r"^# (param|column): (\w+) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Query:
    """A query; ``params`` and ``columns`` have each (name, kind) in the order of the header."""

    name: str
    params: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    text: str

    def check(self, names: set[str]) -> None:
        """Raise a WrongCallError if names are not exactly the parameters of the header."""
        declared = [name for name, _ in self.params]
        if names != {*declared}:
            raise WrongCallError(
                f"The query {self.name} has the parameters ({', '.join(declared)}), and not "
                f"({', '.join(sorted(names))})."
            )


def folder() -> Path:
    """Return the folder ``queries``: in the installed package, or beside it in a checkout."""
    installed = Path(__file__).parents[2] / "queries"
    return installed if installed.is_dir() else installed.parents[1] / "queries"


@functools.cache
def load(name: str) -> Query:
    """Return the query of the file ``queries/NAME.rq``; raise a WrongCallError without one."""
    path = folder() / f"{name}.rq"
    if not path.is_file():
        names = sorted(file.stem for file in folder().glob("*.rq"))
        raise unknown_choice("kgbuild", "query", name, names)
    return parse(name, path.read_text(encoding="utf-8"))


def parse(name: str, text: str) -> Query:
    """Return the query with this name and text."""
    declared: dict[str, list[tuple[str, str]]] = {"param": [], "column": []}
    for field, variable, kind in _DECLARATION.findall(text):
        declared[field].append((variable, kind))
    return Query(name, tuple(declared["param"]), tuple(declared["column"]), text)
