"""Split texts into words for comparison, and find the parts of states that words name."""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.english.normalize import plain
from kgbuild.text.sentences import sentence_spans

_WORD = re.compile(r"[^\W_]+(?:['’.&](?=[^\W_])[^\W_]+)*['’]?")
_PLAIN = re.compile(r"[A-Za-z0-9 ,?():-]+")
"""Texts whose words are runs of letters and digits."""
_RUN = re.compile(r"[a-z0-9]+")
_POSSESSIVE = re.compile(r"['’](?:s)?$")
_SILENT = str.maketrans("", "", "'’.&")
_ARTICLES = {"the", "a", "an"}
_SAME = {"saint": "st", "sainte": "ste", "mount": "mt", "fort": "ft", "univ": "university"}
"""Words that are spelled in two ways."""


class ReplyWord(NamedTuple):
    """A word of a text: for comparison, as it is written, and what stands before it.

    Articles are no words, but stand in ``gap``, which reaches back to the last word.
    """

    text: str
    written: str
    gap: str

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.written[0].isupper()

    @property
    def is_joined(self) -> bool:
        """Whether only a space or a hyphen stands between it and the last word."""
        return self.gap in {" ", "-", "–", "‐", "‑", ". "}


@functools.lru_cache(maxsize=1 << 16)
def _folded(word: str) -> str:
    lower = word.lower() if word.isascii() else plain(word)
    bare = _POSSESSIVE.sub("", lower).translate(_SILENT)
    return _SAME.get(bare, bare)


def words(text: str) -> list[ReplyWord]:
    """Return the words of a text, or its articles if it has no others: "The The"."""
    found, end = [], 0
    text = text.replace(" & ", " and ")
    matches = [*_WORD.finditer(text)]
    for match in [m for m in matches if m[0].lower() not in _ARTICLES] or matches:
        found.append(ReplyWord(_folded(match[0]), match[0], text[end : match.start()]))
        end = match.end()
    return found


def sentences(text: str) -> list[list[ReplyWord]]:
    """Return the words of each sentence that has any."""
    return [*filter(None, (words(text[start:end]) for start, end in sentence_spans(text)))]


@functools.lru_cache(maxsize=1 << 17)
def key(name: str) -> str:
    """Return a name for comparison: without case, accents, articles and punctuation.

    >>> key("The Saint-Étienne's"), key("D.C.")
    ('st etienne', 'dc')
    """
    if _PLAIN.fullmatch(name):
        runs = _RUN.findall(name.lower())
        parts = [_SAME.get(run, run) for run in runs if run not in _ARTICLES]
        if parts:
            return " ".join(parts)
    return " ".join(word.text for word in words(name))


@functools.cache
def listed(*names: str) -> frozenset[str]:
    """Return the words of lists in ``words.toml``.

    Those of ``types`` and ``kinds`` are no names by themselves.
    """
    return frozenset(word for name in names for word in _WORDS[name].split())


_WORDS = read_toml("datasets/granola/scoring/words.toml")
STATES: Mapping[str, str] = _WORDS["states"]
"""The parts of states by their codes in capitals: "CA"."""
CODES: Mapping[str, str] = {key(name): code.lower() for code, name in STATES.items()}
"""Their codes in small letters, by the keys of their names."""
