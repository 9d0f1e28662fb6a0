"""Read evidence about questions from a user's file, such as results of a search engine."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kgbuild.cells import parsed, text_of
from kgbuild.errors import TableFileError
from kgbuild.rows import require_columns

COLUMNS = ("pair_id", "false_assumption", "evidence")
_BOOLEANS = {"true": True, "false": False}

Question: TypeAlias = tuple[str, bool]
"""The id of a pair, and whether it is the question with the false assumption."""


def parse(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    pair_ids: Collection[str],
) -> dict[Question, list[str]]:
    """Return the evidence in the records of the file ``path``, by question.

    Raises:
        TableFileError: there is no record; or a record is about an unknown pair, about the same
            question as an earlier record, or has evidence that is not a list of texts.
        WrongCallError: a column is missing.
    """
    if not records:
        raise TableFileError(path, "it has no evidence")
    require_columns(path, columns, COLUMNS)
    evidence: dict[Question, list[str]] = {}
    for number, record in enumerate(records, 1):
        pair_id, false_assumption = (text_of(record[name]) for name in COLUMNS[:2])
        texts = parsed(record["evidence"])
        is_false = _BOOLEANS.get(false_assumption.lower())
        question = pair_id, bool(is_false)
        if question[0] not in pair_ids:
            fault = f"the pair '{question[0][:40]}' is not in the database"
        elif is_false is None:
            fault = "its false_assumption is not true or false"
        elif question in evidence:
            fault = f"there is evidence about this question of '{pair_id}' before"
        elif not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
            fault = "its evidence is no list of texts"
        else:
            evidence[question] = texts
            continue
        raise TableFileError(path, f"record {number:,}: {fault}")
    return evidence
