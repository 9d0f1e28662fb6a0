"""Find the sequences of words in a question that are names of items."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgbuild.datasets.biokalma.retrieval.spellings import spellings, without_umlauts
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
        spellings(
            question.span_text(first, last), question.words[first : last + 1], question.is_cased
        )
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


def existing_names(
    question: Question, meanings: Iterable[tuple[int, int, str]], table: Spellings
) -> Iterator[Name]:
    """Yield names for the words from ``first`` to ``last`` that mean a text in the table.

    ``meanings`` are (first, last, text); those whose texts are no names are left out.
    """
    options = [
        (first, last, spelling)
        for first, last, text in meanings
        for spelling in dict.fromkeys((text, text.replace("-", " ")))
    ]
    table.prefetch(spelling for _, _, spelling in options)
    for first, last, spelling in options:
        if pairs := table.spellings(spelling):
            yield Name(first, last, question.span_text(first, last), tuple(pairs))


def _name(
    question: Question, first: int, last: int, variants: list[str], table: Spellings
) -> Name | None:
    pairs = [pair for variant in variants for pair in table.spellings(variant)]
    text = question.span_text(first, last)
    if not pairs and (plain := without_umlauts(text)) != text:
        pairs = table.spellings(plain)
    if not pairs and (ruler := _ruler(variants)):
        pairs = table.beginning_with(f"{ruler} of ")
    if not pairs and not question.is_cased and text.endswith("s"):
        pairs = table.spellings(text[:-1])  # a possessive without an apostrophe
    return Name(first, last, text, tuple(dict.fromkeys(pairs))) if pairs else None


def _ruler(variants: Iterable[str]) -> str | None:
    """Return the variant of a name that ends with a number, as that of a ruler does, or None."""
    rulers = (name for name in variants if name.lower().split()[-1] in vocabulary().romans)
    return next((name for name in rulers if " " in name), None)


def _spans(question: Question) -> Iterator[tuple[int, int]]:
    """Yield the first and last words of each sequence that may be a name."""
    words, is_cased = question.words, question.is_cased
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


def _may_begin(words: tuple[Word, ...], index: int, is_cased: bool) -> bool:
    """Return whether a name may begin with a word: not in "O'Connor" or "Jean-Luc".

    A word in small letters that belongs to the grammar begins no name but "the Bard".
    """
    word = words[index]
    is_small = is_cased and word.is_function_word and word.text.islower() and len(word.text) > 1
    is_dotted = any(following.gap == "." for following in words[index + 1 : index + 2])
    if word.follows_apostrophe or (is_small and word.folded != "the" and not is_dotted):
        return False
    return not word.follows_hyphen or (is_cased and words[index - 1].text.islower())


def _may_end(words: tuple[Word, ...], index: int, is_cased: bool) -> bool:
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
