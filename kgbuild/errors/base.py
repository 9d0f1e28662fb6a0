"""The base classes of all errors that a user can meet, and helpers for their sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, dataclass_transform

_SHORT = 80
"""Maximum number of characters of the user's text that a sentence repeats."""
_SOME = 5
"""Maximum number of members of a list that a sentence repeats."""


@dataclass_transform(eq_default=False)
class KgbuildError(Exception):
    """The base of all errors that a user can meet.

    A subclass annotates its data and is called like a dataclass. It is not a dataclass, since
    creating that many dataclasses takes 20 ms at every start. ``str(error)`` is the sentence that
    the user sees: what is wrong, where, and what to do. It cannot control a terminal.
    """

    exit_code: ClassVar[int] = 1
    message: ClassVar[str] = ""
    """The sentence, a format string with the data as fields; ``_sentence`` may replace it."""
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *cls.__annotations__)

    def __init__(self, *values: object, **by_name: object):
        vars(self).update(zip(self._fields, values, strict=False), **by_name)
        super().__init__(*(getattr(self, name) for name in self._fields))

    def __str__(self) -> str:
        return clean(" ".join(self._sentence().split()))

    def _sentence(self) -> str:
        return self.message.format(**vars(self))


class WrongCallError(KgbuildError):
    """The base of errors that the user's call causes; others arise while a valid call runs."""

    exit_code = 2


def clean(text: str) -> str:
    """Return a text that cannot control a terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def escape(text: str) -> str:
    """Return a text of JSON or Turtle, with the same content, that cannot control a terminal."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but the line end, and marks that show the next text in another order."""


def shorten(text: str) -> str:
    """Return a text, cut to _SHORT characters."""
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def list_first(members: Sequence[str]) -> str:
    """Return the first _SOME members of a list, joined by commas."""
    return ", ".join(members[:_SOME]) + ", …" * (len(members) > _SOME)


def similar_sentence(entities: Iterable[tuple[str, str]]) -> str:
    """Return " Similar: ID (LABEL), ….", to append to a sentence; "" without entities."""
    listed = ", ".join(f"{entity} ({label})" for entity, label in entities)
    return f" Similar: {listed}." if listed else ""


def describe_counts(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    """Return the count of each reason, with its text in ``words``: "3 × no label, …"."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count:,} × {words.get(reason, reason)}" for reason, count in ordered)
