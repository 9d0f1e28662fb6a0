"""Find the list of names that an answer in a reply belongs to: "Ann Lee, Bo Ray and Cy Fox"."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.reply_words import TITLES, Word, begins_name
from kgbuild.english.normalize import fold
from kgbuild.wikidata import MONTHS

ORDER = frozenset(read_toml("granola", "reply_words")["joints"]["order"])
"""Words of an order in time, between two answers."""
_JOINTS = {"and", "or", "plus", "both", "also", "then", "as", "well", *ORDER}
_BESIDE = frozenset(read_toml("granola", "reply_words")["joints"]["beside"])
_MONTHS = frozenset(map(fold, MONTHS))
_BULLET = re.compile(r"\n\W*[-*•]")
_STOPS = set(".:!?()-–—")
_LONG = 3
"""The number of names from which commas alone make a list."""


class Name(NamedTuple):
    """A name in a reply, from its first word to the word after it; ``mention`` if it is known."""

    start: int
    end: int
    mention: Mention | None

    @property
    def is_class(self) -> bool:
        """Whether it is a description: "an actor" after a name is no second answer."""
        answer = self.mention.answer if self.mention else None
        return answer is not None and answer.is_class


def names_of_list(reading: Reading, mention: Mention) -> list[Mention | None]:
    """Return the names of the list around a mention, None for an unknown one.

    It is a list if its names are joined by "and", "&" or bullets, or if there are three, which "or"
    may join. Else it is the mention alone. Names of the subject are left out. The names after a
    comma belong to the name of a place, as in "Portland, Oregon", and are left out if the question
    asks for a place.
    """
    listed = _chain(reading, mention)
    joints = [_joint(reading, *pair) for pair in pairwise(listed)]
    if reading.asks_for_place:
        listed = [
            name for name, joint in zip(listed, ["and", *joints], strict=True) if joint == "and"
        ]
    members = [name for name in listed if name.mention in reading.claims or not name.mention]
    if not reading.asks_for_place and len(listed) >= _LONG:
        members = [name for name in listed if not _is_subject(reading, name)]
    is_known = all(name.mention in reading.claims for name in members)
    if is_known or "and" in joints or len(members) >= _LONG:
        return [name.mention if name.mention in reading.claims else None for name in members]
    return [mention]


def _is_subject(reading: Reading, name: Name) -> bool:
    """Return whether a name is that of the subject."""
    return all(reading.is_subject_word(word) for word in reading.words[name.start : name.end])


def _chain(reading: Reading, mention: Mention) -> list[Name]:
    """Return a mention and all names that are joined to it."""
    names = [*_names(reading)]
    position = next(n for n, name in enumerate(names) if name.mention is mention)
    first = last = position
    while first > 0 and _joint(reading, names[first - 1], names[first]):
        first -= 1
    while last + 1 < len(names) and _joint(reading, names[last], names[last + 1]):
        last += 1
    return names[first : last + 1]


def _names(reading: Reading) -> Iterator[Name]:
    """Yield the known names of a reply, and the unknown ones between them, in their order."""
    mentions = {mention.start: mention for mention in reading.mentions}
    start = 0
    while start < len(reading.words):
        if mention := mentions.get(start):
            yield Name(start, mention.end, mention)
            start = mention.end
            continue
        end = start
        while end < len(reading.words) and end not in mentions and _is_name(reading, start, end):
            end += 1
        if end > start and not _is_owner(reading, end):
            yield Name(start, end, None)
        start = max(end, start + 1)


def _is_name(reading: Reading, start: int, end: int) -> bool:
    """Return whether a word continues an unknown name that begins at ``start``."""
    word = reading.words[end]
    is_joined = start == end or not word.before
    if start == end > 0 and reading.is_subject_word(reading.words[end - 1]) and not word.before:
        return False
    is_other = reading.is_subject_word(word) or word.text in _MONTHS
    return is_joined and begins_name(word) and not is_other and not reading.is_nationality(word)


def _is_owner(reading: Reading, end: int) -> bool:
    """Return whether a possessive follows, so that the name is no answer: "Ann Lee's son"."""
    following = reading.words[end : end + 1]
    return any(word.is_possessive and not word.before for word in following)


def _joint(reading: Reading, name: Name, following: Name) -> str:
    """Return what joins two names, "and" or a comma, "" if nothing does."""
    if name.is_class or following.is_class:
        return ""
    words = reading.words
    between = words[name.end : following.start]
    texts = {word.text for word in between} - TITLES
    before = "".join(word.before for word in words[name.end : following.start + 1])
    if reading.truth.is_person and _is_beside(texts):
        return "" if _STOPS & set(before) or "\n" in before else "and"
    if any(not text.isdigit() for text in texts - _JOINTS):
        return ""
    if ("as" in texts) != ("well" in texts) or _begins_clause(reading, between, following):
        return ""
    if _BULLET.search(before) or ("\n" in before and texts):
        return "and"
    if _STOPS & set(before) or "\n" in before:
        return ""
    if "and" in texts or "plus" in texts or "well" in texts or "&" in before:
        return "and"
    return "," if "," in before or ";" in before or "or" in texts else ""


def _is_beside(texts: Set[str]) -> bool:
    """Return whether words join a person to another one: "together with", "alongside"."""
    return bool(texts & _BESIDE) and texts <= _BESIDE | {"with"}


def _begins_clause(reading: Reading, between: Sequence[Word], name: Name) -> bool:
    """Return whether a verb follows an unknown name after ", and": ", and Bo Ray says so"."""
    following = reading.words[name.end : name.end + 1]
    has_verb = any(not word.before and not word.is_name for word in following)
    return name.mention is None and has_verb and any("," in word.before for word in between)
