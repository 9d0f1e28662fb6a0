"""Check that a build fits the description and the schema of its dataset, before it is written."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.resources.abc import Traversable

import duckdb

from kgbuild.errors import DatasetError
from kgbuild.rows import Build, Built
from kgbuild.tables.schema import create

_COLUMNS = "SELECT table_name, list(column_name) FROM duckdb_columns() GROUP BY table_name"


def check(build: Build, folders: Iterable[Traversable]) -> None:
    """Check a build whose tables the ``folders`` describe.

    Raises:
        DatasetError: the schema or the rows do not fit the dataset.
    """
    with duckdb.connect() as connection:
        try:
            create(connection, folders)
        except duckdb.Error as error:
            detail = f"its schema.sql cannot be run: {error}".partition("\n")[0]
            raise DatasetError(build.dataset.name, detail) from error
        columns = dict(connection.execute(_COLUMNS).fetchall())
    faults = (fault for part in build.parts for fault in _faults(build, part, columns))
    if fault := next(faults, None):
        raise DatasetError(build.dataset.name, fault)


def _faults(build: Build, part: Built, columns: Mapping[str, Collection[str]]) -> Iterator[str]:
    dataset, source, key = build.dataset, build.dataset.source_column, build.dataset.key
    if part.tables.keys() != {*dataset.tables}:
        names = ", ".join(part.tables) or "none"
        yield f"it has the tables {', '.join(dataset.tables)}, part {part.relation} has {names}"
    for table, rows in part.tables.items():
        if table not in columns:
            yield f"its schema.sql does not create the table {table}"
        for column in (source, key)[: 2 if table == dataset.tables[0] else 1]:
            if column not in columns[table]:
                yield f"its table {table} has no column {column}, which it names"
        for column in sorted(set[str]().union(*rows) - {*columns[table]}):
            yield f"a row has the column {column}, which the table {table} does not have"
        for value in {str(row.get(source)) for row in rows} - {part.relation}:
            yield f"{source} is {value} in a row of part {part.relation}, and must be its name"
    ids = Counter(row.get(key) for row in part.tables[dataset.tables[0]])
    for row_id, count in ids.most_common(1):
        if count > 1:
            yield f"{count:,} rows of part {part.relation} have the {key} {row_id}"
    for reason in sorted(part.reasons.keys() - dataset.reasons.keys()):
        yield f"its reasons do not explain the reason '{reason}' of a rejection"
