"""Find the fields of a file of questions: its columns, by their names, also in nested records."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kgbuild.cells import parsed
from kgbuild.data_files import read_toml
from kgbuild.errors import WrongCallError
from kgbuild.rows import missing_column, require_columns

FIELDS = (
    *("question", "answers", "subject", "subject_qid", "answer_qids", "relation"),
    "source_id",
)
"""The fields of a record."""
ALIASES = "aliases"
"""The field of further names of the answers, which no option names."""

Columns: TypeAlias = Mapping[str, Sequence[str]]
"""The possible columns of each field; a name with dots leads into nested fields: ``meta.s_uri``."""
Cells: TypeAlias = Mapping[str, object]

_USUAL: Columns = read_toml("datasets/granola/files/columns.toml")
SAMPLE = 100
"""Number of rows that are searched for nested fields."""


def parse_columns(text: str) -> dict[str, str]:
    """Return the columns of fields from a text such as ``question=text,answers=gold``.

    Raises:
        WrongCallError: a field is unknown or repeated, or has no column.
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        field, _, column = map(str.strip, part.partition("="))
        _check_field(field, part)
        if not column:
            raise WrongCallError(f"--columns: '{part}' names no column: write {field}=COLUMN.")
        if field in columns:
            raise WrongCallError(f"--columns: '{part}' names the field '{field}' a second time.")
        columns[field] = column
    return columns


def read_cells(row: Mapping[str, Any]) -> Cells:
    """Return the values of a row by column. A text that is JSON, or a list in Python, is parsed."""
    return {column: parsed(cell) for column, cell in row.items()}


def unnested(rows: Sequence[Cells], renamed: Mapping[str, str]) -> tuple[list[Cells], str]:
    """Return the records that lie in others, such as ``data.paragraphs.qas`` of SQuAD.

    They are the objects with a column of questions, at any depth. With them, the names of the
    fields that lead to them are returned; both are empty if the rows have questions themselves.
    """
    chosen = renamed.get("question", "").lower()
    names = {*_USUAL["question"], chosen}
    if any(isinstance(row.get(chosen.partition(".")[0]), list) for row in rows):
        names.add(chosen.rpartition(".")[2])

    def inside(cell: object, path: str) -> Iterator[tuple[str, Cells]]:
        for part in cell if isinstance(cell, list | tuple) else [cell]:
            if isinstance(part, Mapping) and not names.isdisjoint(map(str.lower, part)):
                yield path, read_cells(part)
            elif isinstance(part, Mapping):
                for key, inner in part.items():
                    yield from inside(inner, f"{path}{key}.")

    if not rows or any(not names.isdisjoint(map(str.lower, row)) for row in rows):
        return [], ""
    found = [one for row in rows for key, cell in row.items() for one in inside(cell, f"{key}.")]
    return [record for _, record in found], found[0][0] if found else ""


def assign(
    path: Path, columns: Sequence[str], rows: Sequence[Cells], renamed: Mapping[str, str]
) -> Columns:
    """Return the columns of the fields that a table has, the usual ones first.

    ``rows`` are its first ones. ``renamed`` are columns that the user names; the others are those
    of columns.toml, in capitals or not.

    Raises:
        WrongCallError: the file lacks a column, or ``renamed`` has a wrong field.
    """
    for field, column in renamed.items():
        _check_field(field, f"{field}={column}")
    existing = [*columns, *_nested(rows)]
    spelled = {name.lower(): name for name in reversed(existing)}
    usual = {
        field: found
        for field, names in _USUAL.items()
        if (found := [spelled[name] for name in names if name in spelled])
    }
    chosen = usual | {field: [column] for field, column in renamed.items()}
    if "answers" in renamed:
        chosen.pop(ALIASES, None)
    if "question" not in chosen:
        if len(existing) == 1 and any(mark in existing[0] for mark in ";\t|,"):
            raise WrongCallError(
                f"{path} has a single column, '{existing[0]}'. Save it with commas between its "
                "columns, or with tabs as .tsv."
            )
        missing = missing_column(path, "question", existing)
        raise WrongCallError(
            f"{missing} Name the column of the questions: --columns question=COLUMN."
        )
    require_columns(path, existing, [*renamed.values()])
    return chosen


def unused(fields: Columns, rows: Sequence[Cells]) -> list[str]:
    """Return the columns with texts that are no field; nested ones as ``meta.gold``."""
    names = dict.fromkeys((*(column for row in rows for column in row), *_nested(rows)))
    others = names.keys() - {name for names in fields.values() for name in names}
    return [name for name in names if name in others and any(_has_text(r, name) for r in rows)]


def value(cells: Cells, names: Sequence[str]) -> object:
    """Return the first value of some columns that is a text or a list of texts.

    Without any, it is the first value that there is, or None.
    """
    values = [v for name in names if (v := _follow(cells, name)) not in (None, "", [])]
    return next(filter(_is_plain, values), values[0] if values else None)


def _is_plain(value: object) -> bool:
    parts = value if isinstance(value, list | tuple) else [value]
    return not any(isinstance(part, Mapping | list | tuple | bytes) for part in parts)


def _has_text(row: Cells, name: str) -> bool:
    cell = _follow(row, name)
    return cell not in (None, "") and _is_plain(cell)


def _check_field(field: str, part: str) -> None:
    if field not in FIELDS:
        raise WrongCallError(f"--columns: '{part}' names no field: they are {', '.join(FIELDS)}.")


def _nested(rows: Sequence[Cells]) -> list[str]:
    names = (name for row in rows for column, cell in row.items() for name in _below(column, cell))
    return [*dict.fromkeys(names)]


def _below(name: str, cell: object) -> Iterator[str]:
    """Yield the names of the fields of a cell, at all levels: ``metadata.s_uri``."""
    for part in cell if isinstance(cell, list | tuple) else [cell]:
        if isinstance(part, Mapping):
            for key, inner in part.items():
                yield f"{name}.{key}"
                yield from _below(f"{name}.{key}", inner)


def _follow(cell: object, name: str) -> object:
    """Return the nested field of a cell, or None. Of a list of objects, it is a list, too."""
    if isinstance(cell, list | tuple):
        values = [v for part in cell if (v := _follow(part, name)) is not None]
        flat = [p for v in values for p in (v if isinstance(v, list | tuple) else [v])]
        return flat or None
    if not isinstance(cell, Mapping):
        return None
    if name in cell:
        return cell[name]
    column, dot, rest = name.partition(".")
    return _follow(cell.get(column), rest) if dot else None
