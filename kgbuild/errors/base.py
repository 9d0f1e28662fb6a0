"""The base classes of all errors that a user can meet, and helpers for their sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, dataclass_transform

_MAX_LENGTH = 80
"""Maximum number of characters of the user's text that a sentence repeats."""
_MAX_MEMBERS = 5
"""Maximum number of members of a list that a sentence repeats."""


@dataclass_transform(eq_default=False)
class KgbuildError(Exception):
    """The base of all errors that a user can meet.

    A subclass annotates its fields and is called like a dataclass. It is not a dataclass, since
    the creation of so many dataclasses would take 20 ms at every start. ``str(error)`` is the
    sentence for the user: what is wrong, where, and what to do, without control characters.
    """

    exit_code: ClassVar[int] = 1
    message: ClassVar[str] = ""
    """The format string of the sentence, with the fields of the error; see ``_sentence``."""
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *cls.__annotations__)

    def __init__(self, *values: object, **by_name: object):
        vars(self).update(zip(self._fields, values, strict=False), **by_name)
        super().__init__(*(getattr(self, name) for name in self._fields))

    def __str__(self) -> str:
        return replace_controls(" ".join(self._sentence().split()))

    def _sentence(self) -> str:
        return self.message.format(**vars(self))


class OutOfMemoryError(KgbuildError):
    """Raised if memory ran out."""

    detail: str

    message = (
        "There is too little memory: {detail}. What was there before is unchanged; run the command "
        "again with more memory, or with a higher limit ('ulimit -v')."
    )


class NativeCodeError(KgbuildError):
    """Raised if machine code cannot be compiled or loaded."""

    detail: str

    message = (
        "Machine code cannot be compiled: {detail}. If memory is limited, raise the limit "
        "('ulimit -v'); if not, install numba and llvmlite again."
    )


class WrongCallError(KgbuildError):
    """The base of errors in the user's call; other errors occur while a valid call runs."""

    exit_code = 2


def replace_controls(text: str) -> str:
    """Replace characters that could control a terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def escape_controls(text: str) -> str:
    """Escape characters of JSON or Turtle that could control a terminal; the content stays."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except the line end, and marks that change the direction of text."""


def shorten(text: str) -> str:
    """Return a text, cut to _MAX_LENGTH characters."""
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def list_first(members: Sequence[str]) -> str:
    """Return the first _MAX_MEMBERS members of a list, joined by commas."""
    return ", ".join(members[:_MAX_MEMBERS]) + ", …" * (len(members) > _MAX_MEMBERS)


def similar_sentence(entities: Iterable[tuple[str, str]]) -> str:
    """Return " Similar: ID (LABEL), ….", to append to a sentence; "" without entities."""
    listed = ", ".join(f"{entity} ({label})" for entity, label in entities)
    return f" Similar: {listed}." if listed else ""


def describe_counts(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    """Return the counts of reasons as a text, "3 × no label, …"; ``words`` explain the reasons."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count:,} × {words.get(reason, reason)}" for reason, count in ordered)
