"""Read the responses of models to questions of GRANOLA, grouped by question, model and protocol."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.cells import text_of
from kgbuild.errors import TableFileError
from kgbuild.evaluate.answers import OPTIONAL, repeated_answer, unknown_questions
from kgbuild.rows import require_columns
from kgbuild.text.replies import answer_of


class Responses(NamedTuple):
    """The responses of a model to a question, by one protocol, in the order of the file.

    ``model`` and ``protocol`` are empty if the file does not name them. Empty responses are left
    out, so there may be none.
    """

    question_id: str
    model: str
    protocol: str
    texts: tuple[str, ...]


def responses(
    path: Path,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    question_ids: Collection[str],
) -> list[Responses]:
    """Return the responses in the records of the file ``path``, in their order.

    Only the final answer of each text is kept.

    Raises:
        TableFileError: the file has no records.
        WrongCallError: the column question_id or answer is missing; an id is not among
            ``question_ids``; the file has a column of samples, and repeats a sample.
    """
    if not records:
        raise TableFileError(path, "it has no responses")
    require_columns(path, columns, ("question_id", "answer"))
    groups: dict[tuple[str, ...], list[str]] = {}
    seen = set()
    for record in records:
        fields = {name: text_of(record.get(name)) for name in ("question_id", *OPTIONAL, "sample")}
        key = tuple(fields.values())
        if "sample" in columns and key in seen:
            raise repeated_answer(path, [pair for pair in fields.items() if pair[1]])
        seen.add(key)
        groups.setdefault(key[:-1], []).append(answer_of(text_of(record["answer"])))
    unknown = [key[0] for key in seen if key[0] not in question_ids]
    if unknown:
        raise unknown_questions(path, sorted(unknown), len(seen))
    return [
        Responses(question_id, model, protocol, tuple(filter(None, texts)))
        for (question_id, model, protocol), texts in groups.items()
    ]
