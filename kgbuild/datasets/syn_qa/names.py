"""Compare names: words that a subject shares with an object reveal that they belong together.

Hannover 96 is in Hannover: its name says so.
"""

import functools
import itertools
import re
from typing import NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.english.stems import cut
from kgbuild.store.labels import Labels

_CACHE_SIZE = 1 << 17
"""Maximum number of items whose names are kept in memory."""

_COMMON = ("and", "for", "the")
_MIN_LETTERS = 3
"""Minimum number of letters of a significant word."""


class Shared(NamedTuple):
    """The number of words that two names share, and whether they share the last word."""

    words: int
    is_last: bool


_NOTHING = Shared(0, False)


class Name(NamedTuple):
    """The stems of the words of a name, and its last word: Curtis and Curtiz are no family."""

    stems: frozenset[str]
    last: str

    def shared(self, object_name: "Name") -> Shared:
        """Return the number of words that two names share, and whether the last word is one."""
        is_last = bool(self.last) and self.last == object_name.last
        if not is_last and self.stems.isdisjoint(object_name.stems):
            return _NOTHING  # the names of most items
        return Shared(len(self.stems & object_name.stems), is_last)


@functools.lru_cache(_CACHE_SIZE)
def name(label: str, aliases: tuple[str, ...] = ()) -> Name:
    """Return the stems of a label, and of the aliases that are a single word."""
    words = _words(label)
    alias_words = (_words(alias) for alias in aliases if " " not in alias.strip())
    stems = map(cut, itertools.chain(words, *alias_words))
    return Name(frozenset(stems), words[-1] if words else "")


class NameReader:
    """The names of items by their labels; ``of_object`` has those of the aliases, too.

    All are cached, because each is read a million times.
    """

    def __init__(self, labels: Labels):
        def label(qid: str) -> str:
            return labels.label(qid) or ""

        keep = functools.lru_cache(_CACHE_SIZE)
        self.label = keep(label)
        self.folded = keep(lambda qid: fold(label(qid)))
        self.of_subject = keep(lambda qid: name(label(qid)))
        self.of_object = keep(lambda qid: name(label(qid), labels.aliases(qid)))


names = functools.lru_cache(1)(NameReader)
"""Return the names of the items of a store, which its relations share."""


def _words(text: str) -> list[str]:
    """Return the significant words of a text."""
    words = re.findall(r"\w+", fold(text))
    return [word for word in words if len(word) >= _MIN_LETTERS and word not in _COMMON]
