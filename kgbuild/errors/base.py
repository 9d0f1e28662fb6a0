"""The base of all errors that a user can meet, and what their sentences share."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, dataclass_transform

_SHORT = 80
"""Characters shown of a text that a user typed."""
_SOME = 5
"""Members shown of a long list."""


@dataclass_transform(eq_default=False)
class KgbuildError(Exception):
    """The base of all errors that a user can meet.

    A subclass annotates its data and is called like a dataclass; it is none, as to make so many
    takes 20 ms of every start. ``str(error)`` is the sentence that the user sees: what is wrong,
    where, and what to do. It cannot control a terminal.
    """

    exit_code: ClassVar[int] = 1
    message: ClassVar[str] = ""
    """The sentence, a format of the data. Where it needs logic, ``_sentence`` is overridden."""
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *cls.__annotations__)

    def __init__(self, *values: object, **named: object):
        vars(self).update(zip(self._fields, values, strict=False), **named)
        super().__init__(*(getattr(self, name) for name in self._fields))

    def __str__(self) -> str:
        return clean(" ".join(self._sentence().split()))

    def _sentence(self) -> str:
        return self.message.format(**vars(self))


class WrongCallError(KgbuildError):
    """The base of errors of a wrong call; the others are failures of a right one."""

    exit_code = 2


def clean(text: str) -> str:
    """Return a text that cannot control a terminal."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _controls(c) else c for c in text)


def _controls(character: str) -> bool:
    """Tell whether a character moves the cursor, or changes the direction of the next text."""
    turns = unicodedata.bidirectional(character) in _TURNING
    return turns or (unicodedata.category(character) == "Cc" and character != "\n")


_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""The classes of the marks that make a terminal show characters in another order."""


def short(text: str) -> str:
    """Return the beginning of a text that a user typed."""
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def some(members: Sequence[str]) -> str:
    """Return the first members of a list."""
    return ", ".join(members[:_SOME]) + ", …" * (len(members) > _SOME)


def nearest(entities: Iterable[tuple[str, str]]) -> str:
    """Return a sentence, after a space, that names entities by id and label; or nothing."""
    listed = ", ".join(f"{entity} ({label})" for entity, label in entities)
    return f" Near it: {listed}." if listed else ""


def counted(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    """Return how often each reason occurred, in words, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count:,} × {words.get(reason, reason)}" for reason, count in ordered)
