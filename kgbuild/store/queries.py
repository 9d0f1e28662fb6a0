"""Read the SPARQL files in ``queries/``: the only way from a query's name to its text.

A file opens with a header that names the query, says in a line what it gives, and declares
its parameters and columns, each with a kind::

    # name: statement_exists
    # summary: One row if the statement stands in the store, none if not.
    # param: subject item -- the item it is about
    # column: value value

The variable of a parameter that is a list takes each of its values in turn. A value of the kind
claims is an item and a property; it takes a row of a ``VALUES`` block of the query, whose first
variable is the parameter, and which holds ``(UNDEF UNDEF UNDEF UNDEF)``.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from kgbuild.errors import QueryFileError, QueryParameterError

LISTS = {"items": "item", "entities": "entity", "texts": "text", "claims": "claim"}
"""Kinds of parameters that are several values, and the kind of each."""
PARAM_KINDS = (
    *("item", "entity", "property", "novalue", "precision", "string", "text", "integer"),
    *LISTS,
)
COLUMN_KINDS = ("item", "property", "value", "string", "integer", "term")

_HEADER = re.compile(r"# (name|summary|param|column): (.+)")
_PARAM = re.compile(r"(\w+) (\w+) -- \S.*")
_COLUMN = re.compile(r"(\w+) (\w+)")


@dataclass(frozen=True)
class Query:
    """A query: its parameters and columns are (name, kind) in the order of the header."""

    name: str
    summary: str
    params: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    text: str

    def check(self, given: set[str]) -> None:
        """Raise unless ``given`` are exactly the parameters that the header declares.

        Raises:
            QueryParameterError: some are missing or unknown.
        """
        declared = {name for name, _ in self.params}
        if given != declared:
            raise QueryParameterError(self.name, sorted(declared - given), sorted(given - declared))


def folder() -> Path:
    """Return where the files are: in the installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "queries"
    return installed if installed.is_dir() else package.parent / "queries"


def names() -> list[str]:
    """Return the names of all queries, sorted."""
    return sorted(path.stem for path in folder().glob("*.rq"))


@functools.cache
def load(name: str) -> Query:
    """Return the query of the file ``name``.rq.

    Raises:
        QueryFileError: its header breaks the rules.
    """
    path = folder() / f"{name}.rq"
    return parse(path.name, path.read_text(encoding="utf-8"))


def parse(file: str, text: str) -> Query:
    """Parse the text of a query file, which ``file`` names in errors.

    Raises:
        QueryFileError: its header breaks the rules.
    """
    fields: dict[str, list[str]] = {"name": [], "summary": []}
    params: list[tuple[str, str]] = []
    columns: list[tuple[str, str]] = []
    for line, content in enumerate(text.splitlines(), 1):
        match = _HEADER.fullmatch(content)
        if match is None:
            break
        key, rest = match.groups()
        if key == "param":
            params.append(_declared(file, line, _PARAM.fullmatch(rest), PARAM_KINDS))
        elif key == "column":
            columns.append(_declared(file, line, _COLUMN.fullmatch(rest), COLUMN_KINDS))
        else:
            fields[key].append(rest)
    for key, found in fields.items():
        if len(found) != 1:
            raise QueryFileError(file, 1, f"the header needs one '# {key}:' line")
    if f"{fields['name'][0]}.rq" != file:
        raise QueryFileError(file, 1, "the name in the header is not the file's")
    return Query(fields["name"][0], fields["summary"][0], tuple(params), tuple(columns), text)


def _declared(
    file: str, line: int, match: re.Match[str] | None, kinds: tuple[str, ...]
) -> tuple[str, str]:
    if match is None:
        raise QueryFileError(
            file, line, "write '# param: NAME KIND -- what' or '# column: NAME KIND'"
        )
    name, kind = match.groups()
    if kind not in kinds:
        raise QueryFileError(file, line, f"the kind '{kind}' is none of {', '.join(kinds)}")
    return name, kind
