"""Several responses to each question, as they stand in a user's file, checked."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.errors import RepeatedAnswerError, TableFileError, UnknownQuestionsError
from kgbuild.evaluate.answers import OPTIONAL, final
from kgbuild.rows import require_columns


class Responses(NamedTuple):
    """What a model responded to a question, by one protocol, in the order of the file.

    ``model`` and ``protocol`` are empty where the file does not tell them. What is empty is no
    response, so there may be none.
    """

    question_id: str
    model: str
    protocol: str
    texts: tuple[str, ...]


def responses(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    known: Collection[str],
) -> list[Responses]:
    """Return the responses in the records of the file ``path``, in their order.

    Of each text only what it gives as the answer is kept. ``known`` are the ids of questions.

    Raises:
        TableFileError: there is no record.
        MissingColumnError: there is no question_id, or no answer.
        UnknownQuestionsError: there are other ids.
        RepeatedAnswerError: the file has samples, and one of them twice.
    """
    if not records:
        raise TableFileError(path, "it holds no responses")
    require_columns(path, columns, ("question_id", "answer"))
    found: dict[tuple[str, ...], list[str]] = {}
    seen = set()
    for record in records:
        asked = {name: _text(record.get(name)) for name in ("question_id", *OPTIONAL, "sample")}
        which = tuple(asked.values())
        if "sample" in columns and which in seen:
            raise RepeatedAnswerError(path, [pair for pair in asked.items() if pair[1]])
        seen.add(which)
        found.setdefault(which[:-1], []).append(final(_text(record["answer"])))
    unknown = [which[0] for which in seen if which[0] not in known]
    if unknown:
        raise UnknownQuestionsError(path, len(unknown), len(seen), min(unknown))
    return [
        Responses(question_id, model, protocol, tuple(filter(None, texts)))
        for (question_id, model, protocol), texts in found.items()
    ]


def _text(value: object) -> str:
    return "" if value is None else str(value)
