"""Choose the columns by which the website of a release filters rows: source, split, few values."""

from collections.abc import Iterable, Mapping

from kgbuild.datasets.base import AnyDataset
from kgbuild.tables.snapshot import Snapshot

Filters = Mapping[str, list[str]]
"""The values of each column by which rows are filtered, in alphabetical order."""


def filters(tables: Snapshot, table: str, dataset: AnyDataset) -> Filters:
    """Return the filters for the rows of a table in a snapshot, the dataset's first table.

    A column that follows from the source, such as the label of a relation, is left out.
    """
    source = dataset.source_column
    columns = [
        name
        for name, kind in tables.columns(table).items()
        if kind == "VARCHAR" and name not in (source, dataset.key)
    ]
    counts = tables.sql(
        f'SELECT count(DISTINCT "{source}") AS "{source}",'  # noqa: S608
        + ", ".join(
            f'{{"values": count(DISTINCT "{name}"), rows: count(*), length: max(len("{name}")), '
            f'pairs: count(DISTINCT ("{source}", "{name}"))}} AS "{name}"'
            for name in columns
        )
        + f" FROM {table}"
    ).records[0]
    sources = counts.pop(source)
    chosen = [source] if sources > 1 else []
    chosen += sorted(
        (name for name, figures in counts.items() if _is_filter(figures, sources)),
        key=lambda name: name != "split",
    )
    return {name: _values(tables, table, name) for name in chosen}


def choices(values: Iterable[str | None], filters: Filters) -> list[int]:
    """Return the numbers of a row's values in each filter; -1 without a value."""
    pairs = zip(values, filters.values(), strict=True)
    return [-1 if value is None else texts.index(value) for value, texts in pairs]


def _is_filter(column: Mapping[str, int], sources: int) -> bool:
    """Return whether a column, other than the source, has few and short values that can filter."""
    is_few = 2 <= column["values"] <= min(30, column["rows"] / 4)
    return is_few and column["length"] <= 40 and column["pairs"] > sources


def _values(tables: Snapshot, table: str, column: str) -> list[str]:
    query = f'SELECT DISTINCT CAST("{column}" AS VARCHAR) FROM {table} ORDER BY ALL'  # noqa: S608
    return [value for (value,) in tables.sql(query).rows if value is not None]
