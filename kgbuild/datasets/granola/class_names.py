"""The names of the classes and occupations that answer a question, with other words for them."""

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Set
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.reply_words import without_variants
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import normalise

YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_TAIL = re.compile(r" (?:in|by) ")
"""What separates a class from its place or its maker: "a label in Oslo", "a film by Max Orr"."""
_MOST_PEOPLE = 3
"""The greatest number of words of a nationality."""
_ROUNDS = 2
"""How often other words are put in: "television series" becomes "tv series", then "tv show"."""


class ClassName(NamedTuple):
    """The parts of "a 1970 American film by Max Orr"; parts that a name lacks are empty."""

    year: str
    people: str
    noun: str
    tail: str


class ClassNames:
    """The true classes of a question by their parts, and the nouns by which replies call them.

    ``people`` are all normalised nationalities.
    """

    def __init__(self, truth: Truth, people: Set[str]):
        self._people = people
        self.answers: dict[ClassName, TrueAnswer] = {}
        self.nouns: dict[str, set[str]] = defaultdict(set)
        for answer in sorted(truth.answers, key=lambda answer: answer.level):
            if not answer.is_class:
                continue
            parts = self.parts(_plain(answer.text))
            self.answers.setdefault(parts, answer)
            for name in answer.names:
                for noun in synonyms(self.parts(_plain(name)).noun):
                    for form in (noun, plural(noun)):
                        self.nouns[form].add(parts.noun)

    def parts(self, name: str) -> ClassName:
        """Return the parts of a normalised name."""
        head, *tail = _TAIL.split(name, maxsplit=1)
        words = head.split()
        year = words.pop(0) if len(words) > 1 and YEAR.fullmatch(words[0]) else ""
        sizes = range(min(_MOST_PEOPLE, len(words) - 1), 0, -1)
        size = next((n for n in sizes if " ".join(words[:n]) in self._people), 0)
        return ClassName(year, " ".join(words[:size]), " ".join(words[size:]), "".join(tail))


def plural(noun: str) -> str:
    """Return the plural of a noun: "companies"."""
    if noun.endswith("man"):
        return f"{noun[:-2]}en"
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun if noun.endswith("s") else f"{noun}s"


def _plain(name: str) -> str:
    return without_variants(normalise(name))


@functools.lru_cache(maxsize=4096)
def synonyms(noun: str) -> frozenset[str]:
    """Return a noun with all other words for it."""
    nouns = {noun}
    for _ in range(_ROUNDS):
        nouns |= {without_variants(other) for known in nouns for other in _replaced(known)}
    return frozenset(nouns)


def _replaced(noun: str) -> Iterator[str]:
    for usual, others in read_toml("granola", "reply_words")["same"].items():
        pattern = re.compile(rf"\b{re.escape(normalise(usual))}\b")
        if pattern.search(noun):
            yield from (pattern.sub(other, noun) for other in others)
