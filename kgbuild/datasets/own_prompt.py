"""Replace the prompts of a dataset by a prompt file of the user, such as the prompt of a paper.

The file is a text with fields in braces, such as {question}. Each request of the dataset lists the
texts that can fill fields (``ItemRequest.fields``).
"""

import re
from collections.abc import Sequence
from pathlib import Path

from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.item_requests import ItemRequest
from kgbuild.errors import TableFileError, unknown_choice
from kgbuild.models.chat import Message

_FIELD = re.compile(r"\{(\w+)\}")
"""A field such as {question}; other braces, such as those of a JSON object, are text."""


def with_prompt(dataset: AnyDataset, items: Sequence[ItemRequest], path: Path) -> list[ItemRequest]:
    """Return the requests with their messages replaced by the prompt in a file.

    The name of the file is added to the names of their protocols: with paper.txt, ``zero-shot``
    becomes ``zero-shot@paper``. The protocol still chooses the question, the evidence and the
    number of samples.

    Raises:
        TableFileError: the file is not a text, or has no field {question}.
        WrongCallError: the prompt has a field that a request cannot fill.
    """
    try:
        prompt = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise TableFileError(path, f"it cannot be read as a text: {error}") from error
    if "question" not in _FIELD.findall(prompt):
        raise TableFileError(path, "a prompt must have the field {question}")
    prompt_name = re.sub(r"[^\w.-]+", "-", path.stem)  # without spaces and the like
    return [
        item._replace(
            protocol=f"{item.protocol}@{prompt_name}",
            request=item.request._replace(
                messages=(Message("user", _fill(prompt, item, dataset)),)
            ),
        )
        for item in items
    ]


def _fill(prompt: str, item: ItemRequest, dataset: AnyDataset) -> str:
    texts = dict(item.fields)

    def text_of(field: re.Match[str]) -> str:
        name = field[1]
        if name not in texts:
            raise unknown_choice(dataset.command, "field", name, [*texts])
        return texts[name]

    return _FIELD.sub(text_of, prompt)
