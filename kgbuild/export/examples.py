"""Choose the examples of a card: rows whose evidence a reader can follow, with labels for ids."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kgbuild.datasets.views import common_label, literal
from kgbuild.export.cards import ExampleQueries
from kgbuild.export.markdown import cell
from kgbuild.tables.files import Result
from kgbuild.tables.snapshot import Snapshot
from kgbuild.wikidata import PAGE, is_id


def choose(tables: Snapshot, queries: ExampleQueries) -> Result:
    """Return four examples of a query, each with another value in the first column.

    Examples in whose evidence all items have a label come first. The cells are Markdown.
    """
    records = tables.sql(queries.labels).records if queries.labels else []
    labels = {row["id"]: row["label"] for row in records}

    def label(item_id: str) -> str | None:
        return labels.get(item_id) or common_label(item_id)

    result = tables.sql(queries.rows)
    ordered = sorted(result.rows, key=lambda row: sum(label(term) is None for term in _ids(row)))
    chosen: dict[Any, Sequence[Any]] = {}
    for row in ordered:
        chosen.setdefault(row[0], row)
    shown = [*chosen.values()][:4]
    return Result(result.columns, [tuple(_markdown(v, label) for v in row) for row in shown])


def _ids(row: Sequence[Any]) -> Iterator[str]:
    for value in row:
        for entry in value if isinstance(value, list) else ():
            if isinstance(entry, Mapping):
                yield from filter(is_id, entry.values())


def _markdown(value: Any, label: Callable[[str], str | None]) -> str:
    """Return a value as Markdown: the first five statements or texts of a list are lines."""
    if not isinstance(value, list):
        parts = str(value).split("/")  # a relation may be a path of two
        return cell(
            " / ".join(label(p) or p for p in parts) if all(map(is_id, parts)) else str(value)
        )
    lines = [
        " — ".join(_term(term, label) for term in entry.values())
        if isinstance(entry, Mapping)
        else cell(str(entry))
        for entry in value[:5]
    ]
    more = [f"… and {len(value) - len(lines):,} more"] if len(value) > len(lines) else []
    return "<br>".join(lines + more)


def _term(term: str, label: Callable[[str], str | None]) -> str:
    """Return a term of a statement; an id becomes a link to its page, with its label."""
    if not is_id(term):  # a literal, or the property "schema:description"
        return cell(literal(term).removeprefix("schema:"))
    name = f"Property:{term}" if term.startswith("P") else term
    return f"[{cell(label(term) or term)}]({PAGE}{name})"
