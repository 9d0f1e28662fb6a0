"""Read the input of judges: tests from the database or a file, or answers from a file.

Source: the rows of the GroUSE dataset, and the files that its published code grades.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.cells import parsed, text_of
from kgbuild.datasets.grouse import rows
from kgbuild.datasets.grouse.rows import METRICS, UNDEFINED, GrouseSample, conditions
from kgbuild.errors import KgbuildError, TableFileError
from kgbuild.rows import require_columns


class JudgeInput(NamedTuple):
    """A test; or an answer to grade, whose ``conditions`` are empty. Missing texts are empty."""

    test_id: str
    test_type: str
    split: str
    sample: GrouseSample
    conditions: Mapping[str, str]


def tests(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> list[JudgeInput]:
    """Return the tests in the records of the file ``path``, in their order.

    A test without an id gets its number as id. The type of a test without metadata is empty.

    Raises:
        TableFileError: the file has no records, or a record is not a test.
        WrongCallError: a column is missing.
    """
    inputs = answers(path, columns, records)
    require_columns(path, columns, ("expected_output", "conditions"))
    return [
        test._replace(conditions=_conditions(path, number, parsed(record["conditions"])))
        for number, (test, record) in enumerate(zip(inputs, records, strict=True), 1)
    ]


def answers(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> list[JudgeInput]:
    """Return the answers in the records of the file ``path``, in their order.

    A true answer is optional. Conditions are ignored.

    Raises:
        TableFileError: the file has no records, or a record has no references.
        WrongCallError: a column is missing.
    """
    if not records:
        raise TableFileError(path, "it is empty")
    require_columns(path, columns, ("references", "input", "actual_output"))
    inputs = [_input(path, number, record) for number, record in enumerate(records, 1)]
    test_ids = Counter(judge_input.test_id for judge_input in inputs)
    ((test_id, count),) = test_ids.most_common(1)
    if count > 1:
        raise TableFileError(path, f"the test_id '{test_id[:20]}' stands twice")
    return inputs


def of_split(path: Path, tests: Sequence[JudgeInput], tuning: bool) -> list[JudgeInput]:
    """Return the tests of the tuning set if ``tuning``, otherwise all other tests.

    Raises:
        KgbuildError: the file ``path`` has no such tests.
    """
    selected = [test for test in tests if (test.split == rows.TUNING) == tuning]
    if not selected:
        all_tests = f"the {len(tests):,} tests of {path}"
        raise KgbuildError(
            f"None of {all_tests} is for tuning: none has the split dev."
            if tuning
            else f"All of {all_tests} are for tuning (their split is dev): add --tuning."
        )
    return selected


def _input(path: Path, number: int, record: Mapping[str, Any]) -> JudgeInput:
    metadata = parsed(record.get("metadata"))
    return JudgeInput(
        text_of(record.get("test_id")) or str(number),
        text_of(metadata.get("test_type") if isinstance(metadata, dict) else None),
        text_of(record.get("split")),
        GrouseSample(
            _references(path, number, record["references"]),
            text_of(record["input"]),
            text_of(record["actual_output"]),
            text_of(record.get("expected_output")).strip() or None,
        ),
        conditions={},
    )


def _references(path: Path, number: int, cell: object) -> list[str]:
    """Return the references in the order of their numbers; a single text is one reference."""
    value = parsed(cell)
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or any(isinstance(text, dict | list) for text in texts):
        raise TableFileError(path, f"row {number:,} has no list of references, which are texts")
    return [text_of(text) for text in texts]


def _conditions(path: Path, number: int, cell: object) -> dict[str, str]:
    """Return the conditions on all metrics by column, such as completeness_condition.

    The last two may be missing: they follow from the first two.
    """
    if not isinstance(cell, dict) or not cell.keys() & conditions("", "", "", "").keys():
        raise TableFileError(path, f"test {number:,} has no conditions")
    texts_in_file = {
        name: "".join(text_of(text).split()).replace("null", "None")
        for name, text in cell.items()
        if text is not None
    }
    texts = conditions(
        *(texts_in_file.get(f"{metric}_condition", UNDEFINED) for metric in METRICS[:4])
    )
    texts |= {name: texts_in_file[name] for name in texts if name in texts_in_file}
    for name, text in texts.items():
        if not rows.is_condition(text):
            raise TableFileError(path, f"the {name} of test {number:,} is '{text[:20]}'")
    return texts
