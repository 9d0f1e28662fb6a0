"""Models' answers as they stand in a user's file, checked, as all scores need them."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.errors import RepeatedAnswerError, TableFileError, UnknownQuestionsError
from kgbuild.rows import require_columns

ALONE = ("question_id",)
OF_A_PAIR = ("pair_id", "false_assumption")
"""The columns that tell which question was asked: one that stands alone, or one of a pair."""
OPTIONAL = {"model": "", "protocol": ""}
OF_A_POOL = {**OPTIONAL, "removed": "0", "accuracy": "100"}
"""The columns that may be missing, and what is taken then: of all files, and of those with answers
from a pool of knowledge, of which some was removed, or put in the place of the right one."""

_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_THOUGHT_ENDS = "</think>"
_NEXT_QUESTION = re.compile(r"\n[^\w\n]*question[^\w\n]*:", re.IGNORECASE)
_ANSWER = re.compile(r"^[^\w\n]*(?:final )?answer[^\w\n]*:", re.IGNORECASE | re.MULTILINE)


class Answer(NamedTuple):
    """What a model said to a question.

    ``asked`` is the id of the question, or of its pair; then ``false_assumption`` tells to which
    of the two. A question that stands alone has no false assumption. ``model`` and
    ``protocol`` are empty where the file does not tell them. ``removed`` and ``accuracy`` are of
    answers from a pool: how many pieces of knowledge were taken out of it, and how many of its
    graphs in a hundred are right.
    """

    asked: str
    false_assumption: bool
    text: str
    model: str = ""
    protocol: str = ""
    removed: str = ""
    accuracy: str = ""


def answers(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    asked: Sequence[str],
    known: Collection[str],
    optional: Mapping[str, str] = OPTIONAL,
) -> list[Answer]:
    """Return the answers in the records of the file ``path``, in their order.

    ``asked`` is ``ALONE`` or ``OF_A_PAIR``, and ``known`` are the ids of the questions, or of
    the pairs, that can have been asked. ``optional`` is ``OPTIONAL`` or ``OF_A_POOL``. An answer
    that is missing is an empty text.

    Raises:
        TableFileError: there is no record, or a false_assumption is neither true nor false.
        MissingColumnError: there is no such column.
        UnknownQuestionsError: there are other ids.
        RepeatedAnswerError: a model was asked the same question twice, with one protocol, and
            of one pool.
    """
    if not records:
        raise TableFileError(path, "it holds no answers")
    require_columns(path, columns, (*asked, "answer"))
    found = [
        _answer(path, number, asked, optional, record) for number, record in enumerate(records, 1)
    ]
    unknown = [answer.asked for answer in found if answer.asked not in known]
    if unknown:
        raise UnknownQuestionsError(path, len(unknown), len(found), unknown[0])
    _require_once(path, asked, optional, found)
    return found


def _answer(
    path: Path,
    number: int,
    asked: Sequence[str],
    optional: Mapping[str, str],
    record: Mapping[str, Any],
) -> Answer:
    return Answer(
        _text(record[asked[0]]),
        "false_assumption" in asked and _truth(path, number, _text(record["false_assumption"])),
        _text(record["answer"]),
        **{name: _text(record.get(name)) or default for name, default in optional.items()},
    )


def _truth(path: Path, number: int, said: str) -> bool:
    if said.lower() not in _TRUTH:
        wrong = f"the false_assumption of answer {number:,} is '{said[:20]}', not true or false"
        raise TableFileError(path, wrong)
    return _TRUTH[said.lower()]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _require_once(
    path: Path, asked: Sequence[str], optional: Mapping[str, str], found: Sequence[Answer]
) -> None:
    seen = set()
    for answer in found:
        which = answer._replace(text="")
        if which in seen:
            values = (which.asked, str(which.false_assumption).lower())
            told = [*zip(asked, values, strict=False)]  # one column is enough to tell one alone
            told += [
                (name, getattr(which, name))
                for name, default in optional.items()
                if getattr(which, name) != default
            ]
            raise RepeatedAnswerError(path, told)
        seen.add(which)


def final(text: str) -> str:
    """Return what a model gives as its answer, without what it writes around it.

    That is what stands after the last ``Answer:`` at the beginning of a line, or all of the text
    if there is none; without what a model writes in ``<think>``, without Markdown's emphasis,
    and without a next question that it makes up.
    """
    text = re.sub(r"[*`]", "", text.rpartition(_THOUGHT_ENDS)[2]).strip()
    return _ANSWER.split(_NEXT_QUESTION.split(text)[0])[-1].strip()
