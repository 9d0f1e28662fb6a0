"""Read models' answers from the records of a user's file, and check them."""

import contextlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.cells import text_of
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.evaluate.calibration import STATED, stated
from kgbuild.models.chat import state
from kgbuild.rows import require_columns

ALONE = ("question_id",)
OF_A_PAIR = ("pair_id", "false_assumption")
"""The columns that identify a question: a single one, or one of a pair."""
OPTIONAL = {"model": "", "protocol": ""}
OF_A_POOL = {**OPTIONAL, "removed": "0", "accuracy": "100"}
"""Optional columns and their defaults: for all files, and for answers from a pool of knowledge."""

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class Answer(NamedTuple):
    """A model's answer to a question.

    ``asked`` is the id of the question, or of its pair; then ``false_assumption`` says which of
    the two. ``model`` and ``protocol`` are empty where the file lacks them. ``removed`` and
    ``accuracy`` belong to answers from a pool: the number of pieces of knowledge that were removed
    from it, and the per cent of its graphs that are right. ``finish_reason`` is why the server
    ended the answer, or empty. ``confidence`` is that of the model, from 0 to 1, None if unknown;
    the text has none of it. By the protocol ``stated`` it is the one that the text has.
    """

    asked: str
    false_assumption: bool
    text: str
    model: str = ""
    protocol: str = ""
    removed: str = ""
    accuracy: str = ""
    finish_reason: str = ""
    confidence: float | None = None

    def identity(self, item_columns: Sequence[str], optional: Mapping[str, str]) -> dict[str, Any]:
        """Return the item, the optional columns and the text of an answer, by their columns."""
        item = dict(zip(item_columns, (self.asked, self.false_assumption), strict=False))
        values = {name: getattr(self, name) for name in optional}
        numbers = {name: int(values[name]) for name in optional if name not in OPTIONAL}
        return {**item, **values, **numbers, "answer": self.text}

    @property
    def must_state(self) -> bool:
        """Whether its text has to state its confidence."""
        return self.protocol.partition("@")[0] == STATED

    @property
    def state(self) -> str:
        """One of ``chat.STATES``: whether the answer is complete, or why not."""
        return state(self.text, self.finish_reason)


def answers(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    item_columns: Sequence[str],
    item_ids: Collection[str],
    optional: Mapping[str, str] = OPTIONAL,
) -> list[Answer]:
    """Return the answers in the records of the file ``path``, in their order.

    ``item_columns`` is ``ALONE`` or ``OF_A_PAIR``, and ``item_ids`` are the ids of all questions,
    or of all pairs. ``optional`` is ``OPTIONAL`` or ``OF_A_POOL``. A missing answer becomes an
    empty text. A confidence that an answer states at its end is taken from the text, and replaces
    that of the column ``confidence``.

    Raises:
        TableFileError: there is no record, or a false_assumption is neither true nor false, or a
            confidence is no number from 0 to 1.
        WrongCallError: a required column is missing; some answers have other ids; a model has two
            answers to a question by one protocol and pool.
    """
    if not records:
        raise TableFileError(path, "it has no answers")
    require_columns(path, columns, (*item_columns, "answer"))
    is_pair = "false_assumption" in item_columns
    results = []
    for number, record in enumerate(records, 1):
        text, confidence = stated(text_of(record["answer"]))
        answer = Answer(
            text_of(record[item_columns[0]]),
            is_pair and _truth(path, number, text_of(record["false_assumption"])),
            text,
            finish_reason=text_of(record.get("finish_reason")),
            confidence=confidence,
            **{name: text_of(record.get(name)) or default for name, default in optional.items()},
        )
        if confidence is None and not answer.must_state:
            own = _confidence(path, number, text_of(record.get("confidence")))
            answer = answer._replace(confidence=own)
        results.append(answer)
    unknown = [answer.asked for answer in results if answer.asked not in item_ids]
    if unknown:
        raise unknown_questions(path, unknown, len(results))
    _require_once(path, item_columns, optional, results)
    return results


def _truth(path: Path, number: int, cell: str) -> bool:
    if cell.lower() not in _TRUTH:
        wrong = f"the false_assumption of answer {number:,} is '{cell[:20]}', not true or false"
        raise TableFileError(path, wrong)
    return _TRUTH[cell.lower()]


def unknown_questions(path: Path, unknown: Sequence[str], total: int) -> WrongCallError:
    """Return the error that some of the ``total`` answers in a file are to unknown questions."""
    return WrongCallError(
        f"{len(unknown):,} of the {total:,} answers in {path} are to questions that are not in the "
        f"database, such as '{unknown[0]}'. Name the database of the prompts with --db."
    )


def repeated_answer(path: Path, key: Iterable[tuple[str, str]]) -> WrongCallError:
    """Return the error that a file answers a question twice: ``key`` are (column, value) of it."""
    listed = ", ".join(f"{column} '{value}'" for column, value in key)
    return WrongCallError(
        f"Two rows of {path} answer the same question: {listed}. Remove one of them."
    )


def _confidence(path: Path, number: int, cell: str) -> float | None:
    with contextlib.suppress(ValueError):
        if not cell or 0 <= float(cell) <= 1:
            return float(cell) if cell else None
    wrong = f"the confidence of answer {number:,} is '{cell[:20]}', not a number from 0 to 1"
    raise TableFileError(path, wrong)


def _require_once(
    path: Path, item_columns: Sequence[str], optional: Mapping[str, str], answers: Sequence[Answer]
) -> None:
    seen = set()
    for answer in answers:
        run = (answer.model, answer.protocol, answer.removed, answer.accuracy)
        key = (answer.asked, answer.false_assumption, *run)
        if key in seen:
            values = (answer.asked, str(answer.false_assumption).lower())
            fields = [*zip(item_columns, values, strict=False)]  # a single question has one column
            fields += [
                (name, getattr(answer, name))
                for name, default in optional.items()
                if getattr(answer, name) != default
            ]
            raise repeated_answer(path, fields)
        seen.add(key)
