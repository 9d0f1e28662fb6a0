"""Find the names of items in a question."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.english.normalize import fold
from kgbuild.store.labels import Nearness

_MAX_WORDS = 16
"""Maximum number of words of a name: longer names of works are rare, and cost look-ups."""
_TOKEN = re.compile(r"\S+")
_OPENING, _CLOSING = "\"'“‘«„([{", "\"'”’»)]}?!.,;:"
_POSSESSIVE = re.compile(r"['’]s?$")


class Mention(NamedTuple):
    """A name in a question, where it begins and ends, and the items with this name."""

    text: str
    start: int
    end: int
    items: Mapping[str, Nearness]

    def contains(self, mention: "Mention") -> bool:
        """Return whether another, shorter name is a part of this one."""
        is_inside = self.start <= mention.start and mention.end <= self.end
        return is_inside and self.end - self.start > mention.end - mention.start


def find(question: str, named: Callable[[str], Mapping[str, Nearness]]) -> list[Mention]:
    """Return the names in a question, the longest first; ``named`` returns the items of a name.

    A name consists of whole words, without the punctuation and the possessive "'s" after it
    unless they belong to it. Single words such as "who" are names only with a capital inside the
    question: "It" is a novel.
    """
    tokens = [match.span() for match in _TOKEN.finditer(question)]
    words = read_toml("granola", "question_words")
    common = frozenset((*words["common"], *words["no_names"]))
    mentions: list[Mention] = []
    for size in range(min(_MAX_WORDS, len(tokens)), 0, -1):
        for first in range(len(tokens) - size + 1):
            start, end = tokens[first][0], tokens[first + size - 1][1]
            is_common = size == 1 and fold(question[start:end].strip(_CLOSING)) in common
            if is_common and (first == 0 or not question[start].isupper()):
                continue
            for left, right in _bounds(question, start, end):
                if items := named(question[left:right]):
                    mentions.append(Mention(question[left:right], left, right, items))
                    break
    return mentions


def _bounds(question: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where a name may begin and end: with the punctuation around it, and without."""
    yield start, end
    bare = question[start:end]
    left = start + len(bare) - len(bare.lstrip(_OPENING))
    right = start + len(bare.rstrip(_CLOSING))
    if (left, right) != (start, end) and left < right:
        yield left, right
    possessive = _POSSESSIVE.search(question[left:right])
    if possessive and possessive.start():
        yield left, left + possessive.start()
