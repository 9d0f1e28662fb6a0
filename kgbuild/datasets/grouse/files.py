"""Read tests, and answers that are only to be graded, from a table or a user's file.

Source: the rows of the GroUSE dataset, and the files that its published code grades.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.datasets.grouse.rows import METRICS, UNDEFINED, Sample, conditions, is_condition
from kgbuild.errors import TableFileError
from kgbuild.rows import require_columns

_OF_ANSWERS = ("references", "input", "actual_output")
_OF_TESTS = (*_OF_ANSWERS, "expected_output", "conditions")


class Given(NamedTuple):
    """A test, or without conditions an answer; what nobody tells is an empty text."""

    test_id: str
    test_type: str
    split: str
    sample: Sample
    conditions: Mapping[str, str]


def tests(path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[Given]:
    """Return the tests in the records of the file ``path``, in their order.

    Those without an id are numbered, those whose metadata tells no type have none.

    Raises:
        TableFileError: there is no record, or one of them is no test.
        MissingColumnError: a column is missing.
    """
    answered = _read(path, columns, records, _OF_TESTS)
    told = [record["conditions"] for record in records]
    return [
        test._replace(conditions=_conditions(path, number, _value(cell)))
        for number, (test, cell) in enumerate(zip(answered, told, strict=True), 1)
    ]


def answers(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> list[Given]:
    """Return the answers in the records of the file ``path``, in their order.

    They may lack a true answer. If they are those of tests, their conditions are not looked at.

    Raises:
        TableFileError: there is no record, or one has no references.
        MissingColumnError: a column is missing.
    """
    return _read(path, columns, records, _OF_ANSWERS)


def _read(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    required: Sequence[str],
) -> list[Given]:
    if not records:
        raise TableFileError(path, "it is empty")
    require_columns(path, columns, required)
    found = [_given(path, number, record) for number, record in enumerate(records, 1)]
    seen: set[str] = set()
    for one in found:
        if one.test_id in seen:
            raise TableFileError(path, f"the test_id '{one.test_id[:20]}' stands twice")
        seen.add(one.test_id)
    return found


def _given(path: Path, number: int, record: Mapping[str, Any]) -> Given:
    metadata = _value(record.get("metadata"))
    test_type = metadata.get("test_type") if isinstance(metadata, dict) else None
    return Given(
        _text(record.get("test_id")) or str(number),
        _text(test_type),
        _text(record.get("split")),
        Sample(
            _references(path, number, record["references"]),
            _text(record["input"]),
            _text(record["actual_output"]),
            _text(record.get("expected_output")).strip() or None,
        ),
        {},
    )


def _references(path: Path, number: int, cell: object) -> list[str]:
    """Return references in their order, by which they are cited; a text is the only one."""
    value = _value(cell)
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or any(isinstance(text, dict | list) for text in texts):
        raise TableFileError(path, f"row {number:,} has no list of references, which are texts")
    return [_text(text) for text in texts]


def _conditions(path: Path, number: int, told: object) -> dict[str, str]:
    """Return conditions on all metrics: those of the last two, where they are missing, follow."""
    if not isinstance(told, dict) or not told.keys() & conditions("", "", "", "").keys():
        raise TableFileError(path, f"test {number:,} has no conditions")
    stated = {
        name: "".join(str(text).split()).replace("null", "None")
        for name, text in told.items()
        if text is not None
    }
    found = conditions(*(stated.get(f"{metric}_condition", UNDEFINED) for metric in METRICS[:4]))
    found |= {name: stated[name] for name in found if name in stated}
    for name, text in found.items():
        if not is_condition(text):
            raise TableFileError(path, f"the {name} of test {number:,} is '{text[:20]}'")
    return found


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)


def _value(cell: object) -> object:
    """Return a list or an object: in CSV, and where their types differ, they come as JSON."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(cell)
    return cell
