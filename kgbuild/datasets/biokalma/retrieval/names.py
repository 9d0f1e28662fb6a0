"""Find the sequences of words in a question that are names of items."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgbuild.datasets.biokalma.retrieval.spellings import spellings
from kgbuild.datasets.biokalma.retrieval.words import Question, Word, vocabulary
from kgbuild.store.labels import Spellings

_MAX_WORDS = 16
"""Maximum number of words of a name."""
_MAX_SMALL_WORDS = 4
"""Maximum number of words of a name that does not begin and end with a capital."""
_MAX_UNCASED_WORDS = 8
"""Maximum number of words of a name in a question without capitals."""


class Name(NamedTuple):
    """A name from the word ``first`` to the word ``last``, both included.

    ``spellings`` are its (spelling, language) pairs in the store, the closest first.
    """

    first: int
    last: int
    text: str
    spellings: tuple[tuple[str, str], ...]

    @property
    def length(self) -> int:
        """The number of words."""
        return self.last - self.first + 1

    def overlaps(self, other: "Name") -> bool:
        """Return whether two names share a word."""
        return self.first <= other.last and other.first <= self.last


def find_names(question: Question, table: Spellings) -> list[Name]:
    """Return all names in a question, also those that overlap, in the order of their words."""
    spans = list(_spans(question))
    variants = [
        spellings(question.span_text(first, last), question.words[first : last + 1])
        for first, last in spans
    ]
    table.prefetch(variant for of_span in variants for variant in of_span)
    names = (
        _name(question, first, last, of_span, table)
        for (first, last), of_span in zip(spans, variants, strict=True)
    )
    return [name for name in names if name]


def without_overlaps(names: Iterable[Name]) -> list[Name]:
    """Return the longest of overlapping names, or the first of equal length."""
    chosen: list[Name] = []
    for name in sorted(names, key=lambda name: (-name.length, name.first)):
        if not any(map(name.overlaps, chosen)):
            chosen.append(name)
    return sorted(chosen)


def named(question: Question, first: int, last: int, text: str, table: Spellings) -> Name | None:
    """Return a name for the words from ``first`` to ``last``, which mean ``text``, or None."""
    for spelling in dict.fromkeys((text, text.replace("-", " "))):
        if pairs := table.spellings(spelling):
            return Name(first, last, question.span_text(first, last), tuple(pairs))
    return None


def _name(
    question: Question, first: int, last: int, variants: list[str], table: Spellings
) -> Name | None:
    pairs = [pair for variant in variants for pair in table.spellings(variant)]
    text = question.span_text(first, last)
    if not pairs and last > first and question.words[last].folded in vocabulary().romans:
        pairs = table.beginning_with(f"{text} of ")  # "Christian IX", who reigned somewhere
    if not pairs and not question.is_cased and text.endswith("s"):
        pairs = table.spellings(text[:-1])  # a possessive without an apostrophe
    return Name(first, last, text, tuple(dict.fromkeys(pairs))) if pairs else None


def _spans(question: Question) -> Iterator[tuple[int, int]]:
    """Yield the first and last words of each sequence that may be a name."""
    words = question.words
    for first, word in enumerate(words):
        if not _can_begin(words, first, question.is_cased):
            continue
        has_content = False
        for last in range(first, min(first + _MAX_WORDS, len(words))):
            end = words[last]
            has_content |= _has_content(end) or (last > first and end.gap == ".")
            limit = _max_words(word, end, question.is_cased)
            if has_content and last - first < limit and _can_end(words, last, question.is_cased):
                yield first, last


def _max_words(first: Word, last: Word, is_cased: bool) -> int:
    if not is_cased:
        return _MAX_UNCASED_WORDS
    return _MAX_WORDS if first.is_capital and last.is_capital else _MAX_SMALL_WORDS


def _can_begin(words: tuple[Word, ...], index: int, is_cased: bool) -> bool:
    """Return whether a name may begin with a word: not in "O'Connor" or "Jean-Luc"."""
    word = words[index]
    if word.follows_apostrophe:
        return False
    return not word.follows_hyphen or (is_cased and words[index - 1].text.islower())


def _can_end(words: tuple[Word, ...], index: int, is_cased: bool) -> bool:
    """Return whether a name may end with a word, as in "Ada's" and "Gandhi-led"."""
    if words[index].is_clitic:
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
    return not word.is_clitic and (is_initial or is_word) and (
        is_capital or not word.is_function_word
    )
