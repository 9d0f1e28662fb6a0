"""Read the SPARQL files in ``queries/``.

A file begins with a header that names the query, summarises its result in a line, and declares
its parameters and columns, each with a kind::

    # name: statement_exists
    # summary: One row if the statement is in the store, none if not.
    # param: subject item -- the item it is about
    # column: value value

The kinds in LISTS are those of list parameters, whose variable takes each value of a list. A value
of the kind claims is an item and a property. The query has a ``VALUES`` block for such a list,
whose first variable is the parameter, and which has the empty row ``(UNDEF UNDEF UNDEF UNDEF)``.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from kgbuild.errors import QueryFileError, QueryParameterError, UnknownChoiceError

LISTS = {"items": "item", "entities": "entity", "texts": "text", "claims": "claim"}
"""The kinds of list parameters, and the kind of their values."""
PARAM_KINDS = (
    *("item", "entity", "property", "novalue", "precision", "string", "text", "integer"),
    *LISTS,
)
COLUMN_KINDS = ("item", "property", "value", "string", "integer", "term")

_HEADER = re.compile(r"# (name|summary|param|column): (.+)")
_DECLARATION_HINT = "write '# param: NAME KIND -- what' or '# column: NAME KIND'"
# The form of a declaration, and its kinds.
_DECLARATIONS = {
    "param": (re.compile(r"(\w+) (\w+) -- \S.*"), PARAM_KINDS),
    "column": (re.compile(r"(\w+) (\w+)"), COLUMN_KINDS),
}


@dataclass(frozen=True)
class Query:
    """A query; ``params`` and ``columns`` have each (name, kind) in the order of the header."""

    name: str
    summary: str
    params: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    text: str

    def check(self, names: set[str]) -> None:
        """Check that the names are exactly the parameters that the header declares.

        Raises:
            QueryParameterError: parameters are missing or unknown.
        """
        declared = [name for name, _ in self.params]
        if names != {*declared}:
            raise QueryParameterError(self.name, ", ".join(declared), ", ".join(sorted(names)))


def folder() -> Path:
    """Return the folder ``queries``: in the installed package, or beside it in a checkout."""
    installed = Path(__file__).parents[1] / "queries"
    return installed if installed.is_dir() else installed.parents[1] / "queries"


@functools.cache
def load(name: str) -> Query:
    """Return the query of the file ``queries/NAME.rq``.

    Raises:
        UnknownChoiceError: there is no such file.
        QueryFileError: its header is wrong.
    """
    path = folder() / f"{name}.rq"
    if not path.is_file():
        names = sorted(file.stem for file in folder().glob("*.rq"))
        raise UnknownChoiceError("kgbuild", "query", name, names)
    return parse(path.name, path.read_text(encoding="utf-8"))


def parse(file: str, text: str) -> Query:
    """Parse the text of a query file; ``file`` is its name.

    Raises:
        QueryFileError: the header of the file is wrong.
    """
    header: dict[str, list[str]] = {"name": [], "summary": []}
    declared: dict[str, list[tuple[str, str]]] = {"param": [], "column": []}
    for line, content in enumerate(text.splitlines(), 1):
        if (match := _HEADER.fullmatch(content)) is None:
            break
        field, value = match.groups()
        if field in declared:
            declared[field].append(_declaration(file, line, field, value))
        else:
            header[field].append(value)
    for field, values in header.items():
        if len(values) != 1:
            raise QueryFileError(file, 1, f"the header needs one '# {field}:' line")
    (name,), (summary,) = header.values()
    if f"{name}.rq" != file:
        raise QueryFileError(file, 1, "the name in the header is not the file's")
    return Query(name, summary, tuple(declared["param"]), tuple(declared["column"]), text)


def _declaration(file: str, line: int, field: str, value: str) -> tuple[str, str]:
    """Return the (name, kind) of a parameter or column."""
    form, kinds = _DECLARATIONS[field]
    if (match := form.fullmatch(value)) is None:
        raise QueryFileError(file, line, _DECLARATION_HINT)
    if match[2] not in kinds:
        raise QueryFileError(file, line, f"the kind '{match[2]}' is none of {', '.join(kinds)}")
    return match[1], match[2]
