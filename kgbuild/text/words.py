"""Split a text into words, and find out what the case of its letters says."""

import functools
import re
from typing import NamedTuple

from kgbuild.data_files import read_text, read_toml
from kgbuild.english.normalize import fold

_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
"""Letters and digits, with their combining marks."""
_APOSTROPHES = ("'", "’", "ʼ")
_HYPHENS = ("-", "‐", "‑", "–")
_CLITICS = frozenset(("s", "t", "d", "m", "ll", "re", "ve"))
_SENTENCE_END = re.compile(r"[.?!:;]['\"’”)]*\s|\n")
_MAX_ACRONYM_LETTERS = 4
"""Maximum number of letters of a word in capitals that may be an acronym, as in any text."""


class Vocabulary(NamedTuple):
    """The lists of words.toml; ``ordinals`` maps "second" and "2nd" to "II".

    ``common`` are the words of common_words.txt: those that English texts write in small letters,
    and that name nothing by themselves where a text is in small letters.
    """

    function: frozenset[str]
    particles: frozenset[str]
    titles: frozenset[str]
    abbreviations: frozenset[str]
    conjunctions: frozenset[str]
    ordinals: dict[str, str]
    romans: frozenset[str]
    adjective: re.Pattern[str]
    common: frozenset[str]


@functools.cache
def vocabulary() -> Vocabulary:
    """Return the content of words.toml."""
    lists = {**read_toml("text/words.toml")}
    adjective = re.compile(lists.pop("adjective"))
    romans: list[str] = lists.pop("romans")
    ordinals = dict(zip(lists.pop("ordinals"), romans, strict=True))
    for number, roman in enumerate(romans, 1):
        ending = {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
        ordinals |= {f"{number}{ending}": roman, str(number): roman}
    sets = {name: frozenset(words) for name, words in lists.items()}
    common = read_text("text/common_words.txt").split()
    return Vocabulary(
        **sets,
        ordinals=ordinals,
        romans=frozenset(map(str.lower, romans)),
        adjective=adjective,
        common=frozenset(common),
    )


class Word(NamedTuple):
    """A word of a text, from the character ``start`` to before ``end``.

    ``gap`` is the text between the word before and this one. A clitic is the "s" of "Ada's". A
    function word belongs to the grammar: an article, a preposition, an auxiliary.
    """

    text: str
    folded: str
    start: int
    end: int
    gap: str
    is_capital: bool
    is_clitic: bool
    is_function_word: bool
    begins_sentence: bool

    @property
    def is_number(self) -> bool:
        """Whether the word is that of a ruler's number, or a single letter."""
        return len(self.text) == 1 or (self.text.isupper() and self.folded in vocabulary().romans)

    @property
    def is_common(self) -> bool:
        """Whether the word is one that English texts write in small letters."""
        return self.is_function_word or self.folded in vocabulary().common

    @property
    def follows_hyphen(self) -> bool:
        """Whether a hyphen joins the word with the one before."""
        return self.gap in _HYPHENS

    @property
    def follows_apostrophe(self) -> bool:
        """Whether an apostrophe joins the word with the one before, as in "O'Connor"."""
        return self.gap in _APOSTROPHES


class Text(NamedTuple):
    """A text and its words. ``is_cased`` if capitals distinguish names from other words."""

    text: str
    words: tuple[Word, ...]
    is_cased: bool

    def span_text(self, first: int, last: int) -> str:
        """Return the text from a word to another one, with what lies between.

        The full stop of an abbreviation belongs to it: "D.C.", "Jr.".
        """
        word = self.words[last]
        is_abbreviation = word.folded in vocabulary().abbreviations or (
            len(word.text) == 1 and word.gap == "."
        )
        end = word.end + (is_abbreviation and self.text[word.end : word.end + 1] == ".")
        return self.text[self.words[first].start : end]


def split(text: str) -> Text:
    """Return a text with its words."""
    words: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        folded = fold(match[0])
        is_clitic = bool(words) and gap in _APOSTROPHES and folded in _CLITICS
        begins_sentence = not words or (
            _SENTENCE_END.search(gap) is not None and not _is_abbreviation(words[-1], gap)
        )
        words.append(
            Word(
                match[0],
                folded,
                match.start(),
                match.end(),
                gap,
                is_capital=match[0][0].isupper() or match[0][0].istitle(),
                is_clitic=is_clitic,
                is_function_word=folded in vocabulary().function,
                begins_sentence=begins_sentence,
            )
        )
        end = match.end()
    is_cased = text != text.upper() and any(map(_shows_case, words))
    return Text(text, tuple(words), is_cased)


def _is_abbreviation(word: Word, gap: str) -> bool:
    """Return whether a full stop after a word does not end the sentence: "Dr. Seuss", "J. K."."""
    is_short = len(word.text) == 1 or word.folded in vocabulary().abbreviations
    return is_short and gap.startswith(".") and not gap.strip(". ")


def _shows_case(word: Word) -> bool:
    """Return whether a capital of a word says that it is a name: not in "How" or "NBA"."""
    is_acronym = word.text.isupper() and len(word.text) <= _MAX_ACRONYM_LETTERS
    return word.is_capital and not (word.begins_sentence or is_acronym or word.is_clitic)
