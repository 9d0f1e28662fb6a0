"""Assign the columns of a file of questions to fields, by name or by the shape of the file."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kgbuild.cells import parsed
from kgbuild.datasets.base import read_toml
from kgbuild.errors import ColumnsError, NoQuestionColumnError
from kgbuild.rows import require_columns, similar_columns

FIELDS = (
    *("question", "answers", "subject", "subject_qid", "answer_qids", "relation"),
    "source_id",
)
"""The fields of a record."""

Columns: TypeAlias = Mapping[str, Sequence[str]]
"""The columns of each field; a name with dots leads into nested fields: ``metadata.s_uri``."""
Cells: TypeAlias = Mapping[str, object]

_ANSWERS = ("answer", "gold", "gold_answers", "gold_answer", "golden_answers", "target", "targets")
"""Further names of the column of the answers, the usual ones first."""
SAMPLE = 100
"""Number of rows that are searched for nested fields."""


def parse_columns(text: str) -> dict[str, str]:
    """Return the columns of fields from a text such as ``question=text,answers=gold``.

    Raises:
        ColumnsError: a field is unknown or repeated, or has no column.
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        field, _, column = map(str.strip, part.partition("="))
        _check_field(field, part)
        if not column:
            raise ColumnsError(part, f"names no column: write {field}=COLUMN")
        if field in columns:
            raise ColumnsError(part, f"names the field '{field}' a second time")
        columns[field] = column
    return columns


def read_cells(row: Mapping[str, Any]) -> Cells:
    """Return the values of a row by column. A text that is JSON, or a list in Python, is parsed."""
    return {column: parsed(cell) for column, cell in row.items()}


def assign(
    path: Path, columns: Sequence[str], rows: Sequence[Cells], renamed: Mapping[str, str]
) -> Columns:
    """Return the columns of the fields that a table has.

    ``rows`` are its first ones. ``renamed`` are columns that the user names; the others are those
    of the first shape of question_shapes.toml that fits, in capitals or not.

    Raises:
        MissingColumnError, ColumnsError: the file lacks a column, or ``renamed`` has a wrong field.
    """
    for field, column in renamed.items():
        _check_field(field, f"{field}={column}")
    existing = [*columns, *_nested(rows)]
    spelled = {name.lower(): name for name in reversed(existing)}
    shape = next(
        shape
        for shape in read_toml("granola", "question_shapes")["shapes"]
        if {*shape["needs"]} <= {*spelled}
    )
    usual = {
        field: names
        for field in FIELDS
        if (names := [spelled[name] for name in shape.get(field, ()) if name in spelled])
    }
    if "answers" not in usual and (name := next(filter(spelled.get, _ANSWERS), None)):
        usual["answers"] = [spelled[name]]
    chosen = usual | {field: [column] for field, column in renamed.items()}
    if "question" not in chosen:
        similar = similar_columns("question", existing)
        raise NoQuestionColumnError(path, "question", existing, similar)
    require_columns(path, existing, [name for names in chosen.values() for name in names])
    return chosen


def value(cells: Cells, names: Sequence[str]) -> object:
    """Return the value of a field: that of its column, or a list with those of several columns."""
    values = [_follow(cells, name) for name in names]
    if len(values) == 1:
        return values[0]
    return [part for v in values for part in (v if isinstance(v, list | tuple) else [v])]


def _check_field(field: str, part: str) -> None:
    if field not in FIELDS:
        raise ColumnsError(part, f"names no field: they are {', '.join(FIELDS)}")


def _nested(rows: Sequence[Cells]) -> list[str]:
    """Return the names of the nested fields that a column has in all rows where it is filled."""
    by_column: dict[str, list[list[str]]] = {}
    for row in rows:
        for column, cell in row.items():
            if cell is not None:
                by_column.setdefault(column, []).append([*_names_below(column, cell)])
    return [
        name
        for first, *others in by_column.values()
        for name in dict.fromkeys(first)
        if all(name in names for names in others)
    ]


def _names_below(name: str, cell: object) -> Iterator[str]:
    """Yield the names of the fields of a cell, at all levels: ``metadata.s_uri``."""
    for part in cell if isinstance(cell, list | tuple) else [cell]:
        if isinstance(part, Mapping):
            for key, inner in part.items():
                yield f"{name}.{key}"
                yield from _names_below(f"{name}.{key}", inner)


def _follow(cell: object, name: str) -> object:
    """Return the nested field of a cell, or None. Of a list of objects, it is a list, too."""
    if isinstance(cell, list | tuple):
        values = [v for part in cell if (v := _follow(part, name)) is not None]
        return values or None
    if not isinstance(cell, Mapping):
        return None
    if name in cell:
        return cell[name]
    column, dot, rest = name.partition(".")
    return _follow(cell.get(column), rest) if dot else None
