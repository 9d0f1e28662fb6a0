"""Read answers with their references and knowledge from the records of a user's file.

Such a file belongs to no dataset: it has all texts that its answers are compared with.
"""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.errors import TableFileError
from kgbuild.rows import require_columns

INPUTS = ("references", "knowledge", "question")
"""The optional columns, but one of the first two must be there to compare with."""


class Grounded(NamedTuple):
    """A model's answer, and the texts it is compared with; empty where the file has none."""

    prediction: str
    references: Sequence[str]
    knowledge: Sequence[str]
    question: str


def grounded(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> list[Grounded]:
    """Return the answers in the records of the file ``path``, in their order.

    References and knowledge are a list or a text; in CSV, a list is written as in JSON. An
    answer that is missing is an empty text.

    Raises:
        TableFileError: there is no record, or there are neither references nor knowledge, or a
            cell is no text or list of texts.
        MissingColumnError: there is no prediction.
    """
    if not records:
        raise TableFileError(path, "it holds no answers")
    require_columns(path, columns, ["prediction"])
    answers = []
    for number, record in enumerate(records, 1):
        prediction, references, knowledge, question = (
            _texts(path, number, column, record.get(column)) for column in ("prediction", *INPUTS)
        )
        answers.append(Grounded(" ".join(prediction), references, knowledge, " ".join(question)))
    if not any(answer.references or answer.knowledge for answer in answers):
        raise TableFileError(path, "it has neither references nor knowledge to compare with")
    return answers


def _texts(path: Path, number: int, column: str, cell: object) -> list[str]:
    """Return the texts in a cell of the file."""
    value = read_cell(cell)
    texts = [read_cell(item) for item in value] if isinstance(value, list | tuple) else [value]
    if any(isinstance(text, list | tuple | dict | bytes) for text in texts):
        wrong = f"the {column} of answer {number:,} is neither a text nor a list of texts"
        raise TableFileError(path, wrong)
    return [plain for text in texts if text is not None and (plain := str(text).strip())]


def read_cell(cell: object) -> object:
    """Return a cell's value, parsed if it is JSON.

    In JSON files, columns with values of several types are read as texts of JSON.
    """
    if isinstance(cell, str) and cell[:1] in ("[", '"', "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(cell)
    return cell


def grades(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]], column: str
) -> list[float | None]:
    """Return the human judgements in a column, as numbers; None where a cell is empty.

    True is 1, and false 0.

    Raises:
        MissingColumnError: there is no such column.
        TableFileError: a judgement is no number, or there is none at all.
    """
    require_columns(path, columns, [column])
    judgements = [
        None if record[column] in (None, "") else _number(path, number, column, record[column])
        for number, record in enumerate(records, 1)
    ]
    if judgements.count(None) == len(judgements):
        raise TableFileError(path, f"nobody judged: {column} is empty")
    return judgements


def _number(path: Path, number: int, column: str, cell: object) -> float:
    text = str(cell).strip('" ').lower()
    with suppress(ValueError):
        judgement = float({"true": "1", "false": "0"}.get(text, text))
        if math.isfinite(judgement):
            return judgement
    wrong = f"answer {number:,} has '{text[:20]}' as {column}, which is no number"
    raise TableFileError(path, wrong)
