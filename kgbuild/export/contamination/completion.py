"""Test whether a model continues the canary or the questions of a dataset word by word.

A model that has seen a text may continue its first half exactly. Source: O. Sainz et al. (2023),
NLP evaluation in trouble, and S. Golchin and M. Surdeanu (2024), Time travel in LLMs, section 3.
Templates are easy to continue, so a control counts how often a reply to one question continues
another question of the same relation.
"""

from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.asking import Ask
from kgbuild.export.cards import read_texts
from kgbuild.export.questions import word_form
from kgbuild.models.chat import Message, Reply, Request

_SHOWN_OF_GUID = 8
"""Number of digits of the canary that the model is shown."""


class Half(NamedTuple):
    """A text in two halves; ``group`` is the relation of a question."""

    id: str
    group: str
    first: str
    second: str


class Completion(NamedTuple):
    """The reply of a model to a half.

    ``is_chance`` is whether the reply continues the next question of the same relation instead,
    None if there is no other.
    """

    half: Half
    reply: str
    is_complete: bool
    is_chance: bool | None


def halve(row_id: str, group: str, text: str) -> Half | None:
    """Return the halves of a text, or None if it has fewer than four words."""
    words = text.split()
    if len(words) < 4:
        return None
    middle = (len(words) + 1) // 2
    return Half(row_id, group, " ".join(words[:middle]), " ".join(words[middle:]))


def halve_canary(canary: str) -> Half:
    """Return the canary up to the first digits of its GUID, and the rest."""
    at = canary.index("GUID ") + len("GUID ") + _SHOWN_OF_GUID
    return Half("canary", "canary", canary[:at], canary[at:])


def complete(halves: Sequence[Half], title: str, ask: Ask) -> list[Completion]:
    """Ask a model to continue first halves; those without a reply are left out."""
    prompt = read_texts("contamination")["prompt"]
    requests = [
        Request((Message("user", prompt.format(title=title, first=half.first)),), max_tokens=512)
        for half in halves
    ]
    completions = []
    for number, (half, reply) in enumerate(zip(halves, ask(requests), strict=True)):
        if isinstance(reply, Reply):
            other = _next(halves, number)
            is_chance = None if other is None else _continues(reply.text, other)
            completions.append(
                Completion(half, reply.text, _continues(reply.text, half), is_chance)
            )
    return completions


def _next(halves: Sequence[Half], number: int) -> Half | None:
    """Return the next half of the same group, from the start again after the last one."""
    group = halves[number].group
    others = (*halves[number + 1 :], *halves[:number])
    return next((half for half in others if half.group == group), None)


def _continues(reply: str, half: Half) -> bool:
    """Return whether a reply has the words of the second half, one after the other."""
    return f" {word_form(half.second)} " in f" {word_form(reply)} "
