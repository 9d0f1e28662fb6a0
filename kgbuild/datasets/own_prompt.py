"""Ask by a prompt of the user's own, such as that of a paper, in place of the dataset's.

The prompt is a text with fields in braces: {question}, and what else the requests of the dataset
show.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from kgbuild.datasets.asking import ItemRequest
from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import TableFileError, UnknownChoiceError
from kgbuild.models.chat import Message

_FIELD = re.compile(r"\{(\w+)\}")
"""Other braces, such as those of an object in JSON, stand for themselves."""
_NO_NAME = re.compile(r"[^\w.-]+")


def with_prompt(dataset: AnyDataset, items: Sequence[ItemRequest], path: Path) -> list[ItemRequest]:
    """Return requests with the prompt in a file in place of their messages.

    Their protocols get the name of the file behind an @: ``zero-shot@paper``. What else a protocol
    decides stays: the number of samples, the choice of the question, the evidence.

    Raises:
        TableFileError: the file is not a text, or has no field {question}.
        UnknownChoiceError: it has a field that the requests do not have.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise TableFileError(path, f"it cannot be read as a text: {error}") from error
    names = _FIELD.findall(text)
    if "question" not in names:
        raise TableFileError(path, "a prompt must have the field {question}")
    name = _NO_NAME.sub("-", path.stem)
    return [
        item._replace(
            protocol=f"{item.protocol}@{name}",
            request=item.request._replace(
                messages=(Message("user", _filled(dataset, text, item)),)
            ),
        )
        for item in items
    ]


def _filled(dataset: AnyDataset, text: str, item: ItemRequest) -> str:
    fields = dict(item.fields)

    def value(match: re.Match[str]) -> str:
        if match[1] not in fields:
            raise UnknownChoiceError(dataset.command, "field", match[1], [*fields])
        return fields[match[1]]

    return _FIELD.sub(value, text)
