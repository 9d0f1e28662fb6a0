"""Check that a build fits the tables of its dataset, before it is written."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from importlib.resources.abc import Traversable
from itertools import chain

import duckdb

from kgbuild.errors import wrong_dataset
from kgbuild.rows import Build, Built
from kgbuild.tables.shape import expected


def check(build: Build, folders: tuple[Traversable, ...]) -> None:
    """Check a build whose tables are described in the ``folders``.

    Raises:
        WrongCallError: the schema or the rows do not fit the dataset.
    """
    try:
        columns = expected(folders)
    except duckdb.Error as error:
        detail = f"its schema.sql cannot be run: {error}".partition("\n")[0]
        raise wrong_dataset(build.dataset.name, detail) from error
    parts = chain.from_iterable(_part_faults(build, part, columns) for part in build.parts)
    for fault in chain(_schema_faults(build, columns), parts):  # the first fault
        raise wrong_dataset(build.dataset.name, fault)


def _schema_faults(build: Build, columns: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield the faults of the tables that ``schema.sql`` creates; ``columns`` are by table."""
    dataset = build.dataset
    required = [(table, dataset.source_column) for table in dataset.tables]
    for table, column in (*required, (dataset.tables[0], dataset.key)):
        if table not in columns:
            yield f"its schema.sql creates no table '{table}'"
        elif column not in columns[table]:
            yield f"its table '{table}' has no column '{column}', which it names"


def _part_faults(
    build: Build, part: Built, columns: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Yield the faults of the rows of a part of a build."""
    dataset, name = build.dataset, f"the part '{part.relation}'"
    for table in {*dataset.tables} ^ part.tables.keys():
        yield f"its tables are {', '.join(dataset.tables)}; {name} differs in '{table}'"
    for table, rows in part.tables.items():
        for column in sorted(set[str]().union(*rows) - {*columns[table]}):
            yield f"{name} has a column '{column}', which its table '{table}' does not have"
        for value in {str(row.get(dataset.source_column)) for row in rows} - {part.relation}:
            yield f"{name} has a row whose {dataset.source_column} is '{value}': name both alike"
    ids = Counter(str(row.get(dataset.key)) for row in part.tables[dataset.tables[0]])
    yield from (f"{name} has two rows of {dataset.key} '{id_}'" for id_ in ids if ids[id_] > 1)
    for reason in sorted(part.reasons.keys() - dataset.reasons.keys()):
        yield f"{name} has the reason '{reason}', which its reasons do not explain"
