"""Find the sequences of words that may be names, by how a text writes them.

A name must be whole: "Washington" is no name in "George Washington Carver" if the store does not
know him, and "Casino" is no name in "riviera casino".
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.text.index import Items, Nearness
from kgbuild.text.words import Text, Word, split, vocabulary

_MAX_WORDS = 16
"""Maximum number of words of a name."""
_MAX_SMALL_WORDS = 4
"""Maximum number of words of a name that does not begin and end with a capital."""
_MAX_UNCASED_WORDS = 8
"""Maximum number of words of a name in a text without capitals."""
_SIGNS = ("/", " & ", ": ")
"""What stands between the parts of the title of a work or the name of a firm."""
_AND = "and"
_OF_BEFORE = re.compile(r"(?<=\S )[A-Z]\w* (?:of|for) (?:the )?$")
_OF_AFTER = re.compile(r" (?:of|for) (?:the )?[A-Z]")
"""What may make a name a part of another one: "Duke of X", "X of Y"."""
_QUOTES = str.maketrans("“”‟", '"""')
_OF = ("of", "the", "von", "van", "de", "bin")
_LIKE = Nearness(is_alias=True, is_spelled_otherwise=True)
"""How a shortened or misspelt name differs from a label."""


class ItemName(NamedTuple):
    """A name from the word ``first`` to the word ``last``, both included, and its items.

    ``is_completed`` if the text has the name in part, or spelled otherwise.
    """

    first: int
    last: int
    text: str
    items: Items
    is_completed: bool = False

    @property
    def length(self) -> int:
        """The number of words."""
        return self.last - self.first + 1

    def overlaps(self, other: "ItemName") -> bool:
        """Return whether two names share a word."""
        return self.first <= other.last and other.first <= self.last


def without_overlaps(names: Iterable[ItemName]) -> list[ItemName]:
    """Return the longest of overlapping names, or the first of equal length."""
    chosen: list[ItemName] = []
    for name in sorted(names, key=lambda name: (-name.length, name.is_completed, name.first)):
        if not any(map(name.overlaps, chosen)):
            chosen.append(name)
    return sorted(chosen, key=lambda name: name.first)


def places(text: Text, name: str) -> Iterator[tuple[int, int]]:
    """Yield where a text has a name that is whole: the first and the last word of each place.

    In quotes, a name is whole. A name of one word must have the same capital: "poison" is not
    Poison. "&" is "and".
    """
    told = split(name).words
    own = [word.folded for word in told if word.folded != _AND]
    words = [(index, word) for index, word in enumerate(text.words) if word.folded != _AND]
    for start in range(len(words) - len(own) + 1 if own else 0):
        window = words[start : start + len(own)]
        if [word.folded for _, word in window] != own:
            continue
        (first, word), (last, _) = window[0], window[-1]
        one = ItemName(first, last, text.span_text(first, last), {})
        if _is_quoted(text, first, last) or not (
            (len(own) == 1 and word.is_capital != told[0].is_capital)
            or all(word.is_function_word for _, word in window)
            or text.text[: word.start].translate(_QUOTES).count('"') % 2
            or _OF_BEFORE.search(text.text[: word.start])
            or _OF_AFTER.match(text.text[text.words[last].end :])
            or not is_unbroken(text, one, ())
        ):
            yield first, last


def possible(text: Text) -> Iterator[tuple[int, int]]:
    """Yield the first and last words of each sequence that may be a name."""
    words, is_cased = text.words, text.is_cased
    may_end = [_may_end(words, index, is_cased) for index in range(len(words))]
    content = [*map(_has_content, words)]
    for first, word in enumerate(words):
        if not _may_begin(words, first, is_cased):
            continue
        has_content = False
        for last in range(first, min(first + _MAX_WORDS, len(words))):
            has_content |= content[last] or (last > first and words[last].gap == ".")
            if not (has_content and may_end[last]):
                continue
            if last - first < _MAX_SMALL_WORDS or last - first < _max_words(
                word, words[last], is_cased
            ):
                yield first, last


def _max_words(first: Word, last: Word, is_cased: bool) -> int:
    if not is_cased:
        return _MAX_UNCASED_WORDS
    return _MAX_WORDS if first.is_capital and last.is_capital else _MAX_SMALL_WORDS


def _may_begin(words: Sequence[Word], index: int, is_cased: bool) -> bool:
    """Return whether a name may begin with a word: not in "O'Connor" or "Jean-Luc".

    A word in small letters that belongs to the grammar begins no name but "the Bard".
    """
    word = words[index]
    is_small = is_cased and word.is_function_word and word.text.islower() and len(word.text) > 1
    is_dotted = any(following.gap == "." for following in words[index + 1 : index + 2])
    if word.follows_apostrophe or (is_small and word.folded != "the" and not is_dotted):
        return False
    return not word.follows_hyphen or (is_cased and words[index - 1].text.islower())


def _may_end(words: Sequence[Word], index: int, is_cased: bool) -> bool:
    """Return whether a name may end with a word: not in "Ada's", but in "Gandhi-led"."""
    word = words[index]
    is_small = is_cased and word.is_function_word and word.text.islower()
    if word.is_clitic or (is_small and len(word.text) > 1 and word.gap == " "):
        return False
    if index + 1 == len(words):
        return True
    following = words[index + 1]
    if following.follows_apostrophe:
        return following.is_clitic
    return not following.follows_hyphen or (is_cased and following.text.islower())


def _has_content(word: Word) -> bool:
    """Return whether a word may be part of a name that has no other such word.

    A function word with a capital inside a sentence may be a name, such as "May" or "Who".
    """
    is_capital = word.is_capital and not word.begins_sentence
    is_word = len(word.text) > 1 and any(map(str.isalpha, word.text))
    is_initial = len(word.text) == 1 and word.text.isupper()
    return (
        not word.is_clitic and (is_initial or is_word) and (is_capital or not word.is_function_word)
    )


def _is_quoted(text: Text, first: int, last: int) -> bool:
    """Return whether quotes are directly around some words."""
    before = text.text[: text.words[first].start].translate(_QUOTES)
    after = text.text[text.words[last].end :].translate(_QUOTES)
    return before[-1:] == '"' and after.lstrip(".,;?!")[:1] == '"'


def is_unbroken(text: Text, name: ItemName, others: Iterable[ItemName]) -> bool:
    """Return whether other names explain the words that are joined to a name."""
    if not text.is_cased and name.length > 1:
        return True
    beside = [
        index
        for index in (name.first - 1, name.last + 1)
        if 0 <= index < len(text.words) and _is_joined(text, name, index)
    ]
    return all(
        any(o.first <= index <= o.last and not o.overlaps(name) for o in others) for index in beside
    )


def _is_joined(text: Text, name: ItemName, index: int) -> bool:
    """Return whether a word beside a name belongs to the same name, by how it is written."""
    word, is_before = text.words[index], index < name.first
    later = text.words[name.first] if is_before else word
    if word.is_clitic or later.begins_sentence:
        return False
    if later.follows_hyphen or later.gap in _SIGNS:
        return word.is_capital or (is_before and not text.is_cased)
    if later.gap != " ":
        return False
    if not text.is_cased:
        return word.text.isalpha() and not word.is_common and len(word.text) > 1
    if word.folded in vocabulary().titles or vocabulary().adjective.search(word.folded):
        return False
    if word.folded in _OF and name.length == 1 and not is_before:
        following = text.words[index + 1 : index + 2]
        return any(one.is_capital and one.gap == " " for one in following)
    is_plain = word.is_function_word and (word.begins_sentence or not is_before)
    return word.is_capital and not is_plain and not (word.begins_sentence and word.is_common)


def completed(text: Text, first: int, last: int, qid: str) -> ItemName:
    """Return the name of an item that a text has in part, or spells otherwise."""
    return ItemName(first, last, text.span_text(first, last), {qid: _LIKE}, is_completed=True)
