"""Models' answers as they stand in a user's file: checked, before they are scored."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.columns import require
from kgbuild.errors import (
    RepeatedAnswerError,
    TableFileError,
    UnknownPairsError,
)

REQUIRED = ("pair_id", "false_assumption", "answer")
OPTIONAL = ("model", "protocol")

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class Answer(NamedTuple):
    """What a model said to a question of a pair; ``false_assumption`` tells to which of the two.

    ``model`` and ``protocol`` are empty where the file does not tell them.
    """

    pair_id: str
    false_assumption: bool
    text: str
    model: str = ""
    protocol: str = ""


def answers(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    known: Collection[str],
) -> list[Answer]:
    """Return the answers in the records of the file ``path``, in their order.

    ``known`` are the ids of the pairs that can have been asked. An answer that is missing is an
    empty text.

    Raises:
        TableFileError: there is no record, or a false_assumption is neither true nor false.
        MissingColumnError: there is no such column.
        UnknownPairsError: there are ids of other pairs.
        RepeatedAnswerError: a model was asked the same question twice, with one protocol.
    """
    if not records:
        raise TableFileError(path, "it holds no answers")
    require(path, columns, REQUIRED)
    found = [_answer(path, number, record) for number, record in enumerate(records, 1)]
    unknown = [answer.pair_id for answer in found if answer.pair_id not in known]
    if unknown:
        raise UnknownPairsError(path, len(unknown), len(found), unknown[0])
    _require_once(path, found)
    return found


def _answer(path: Path, number: int, record: Mapping[str, Any]) -> Answer:
    said = _text(record["false_assumption"])
    if said.lower() not in _TRUTH:
        wrong = f"the false_assumption of answer {number:,} is '{said[:20]}', not true or false"
        raise TableFileError(path, wrong)
    return Answer(
        _text(record["pair_id"]),
        _TRUTH[said.lower()],
        _text(record["answer"]),
        *(_text(record.get(name)) for name in OPTIONAL),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _require_once(path: Path, found: Sequence[Answer]) -> None:
    seen = set()
    for answer in found:
        asked = answer._replace(text="")
        if asked in seen:
            values = {**asked._asdict(), "false_assumption": str(asked.false_assumption).lower()}
            told = [(column, value) for column, value in values.items() if value]
            raise RepeatedAnswerError(path, told)
        seen.add(asked)
