"""Tell whether two names are one name in two spellings: "Tom Steitz" is Thomas A. Steitz."""

import functools
import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.reply_words import NUMERAL, SUFFIXES
from kgbuild.text.names import short_forms

_SOUNDS = (("ph", "f"), ("ae", "a"), ("oe", "o"), ("ue", "u"), ("ou", "u"), ("ck", "k"))
"""Letters that are written for each other in other languages: "Hambourg"."""
_LETTERS = str.maketrans("cqywz", "kkivs")
_DOUBLED = re.compile(r"(.)\1+")
_PREPOSITIONS = {"of", "at", "in", "for", "de", "di", "des", "du", "der", "della", "zu", "and"}
_SAINTS = {"s": {"sao", "san", "santo", "santa"}, "sta": {"santa"}, "sto": {"santo"}}
"""Abbreviated first words of the names of places: "S. Paulo"."""
NOT_IN_ANY_ORDER = {"washington", "miami", "york"}
"""Places with two universities: Washington University is not the University of Washington."""
_CONFUSABLE = frozenset(read_toml("granola", "reply_words")["confusable"]["words"])
_LEAST_LETTERS = 5
"""The least length of a word with a typing error."""
_LEAST_SOUNDS = 4
"""The least length of a word that has letters for the same sounds."""
_LEAST_LIKE = 6
"""The least number of sounds of a word with an error in one of them: "Juliard"."""
_LONG = 8
"""The least length of a word with two typing errors."""
_MOST_INITIALS = 4
"""The greatest number of initials that stand for words within a name: "CD Logroñés"."""
_FULL = 2
"""The least number of words of a full name."""

HasWord = Callable[[str], bool]
"""Whether a word belongs to the name of another answer, so that it is no typing error."""


def is_same_person(words: Sequence[str], name: Sequence[str], is_known: HasWord) -> bool:
    """Return whether normalised words are the name of a person in another form.

    The surnames and the first names must agree; a first name may be short, or an initial. Middle
    names may be missing. One of the words may have a typing error.
    """
    if _ending(words) != _ending(name):
        return False
    words, name = _without_ending(words), _without_ending(name)
    if len(words) < _FULL or len(name) < _FULL:
        return len(words) == len(name) == 1 and is_misspelt(words[0], name[0], is_known)
    if len(words) == _FULL < len(name) and is_exact_initials(words[0], name[:-1]):
        return words[-1] == name[-1]
    if len(words) == len(name) == _FULL and [*words] == [name[1], name[0]]:
        return True
    is_exact_last, is_exact_first = words[-1] == name[-1], words[0] == name[0]
    has_last = is_exact_last or is_misspelt(words[-1], name[-1], is_known)
    has_first = is_short(words[0], name[0]) or (
        is_exact_last and is_misspelt(words[0], name[0], is_known)
    )
    is_allowed = has_last and has_first and (is_exact_last or is_exact_first)
    return is_allowed and _agree(words[1:-1], name[1:-1])


def is_exact_initials(word: str, names: Sequence[str]) -> bool:
    """Return whether a word is the initials of first names: "CPE Bach", "JK Rowling".

    Two of them must have no vowel, since "Jo" and "Ed" are names.
    """
    is_name = len(word) == _FULL and not set(word).isdisjoint("aeiouy")
    return word == "".join(name[0] for name in names) and not is_name


def is_same_thing(words: Sequence[str], name: Sequence[str], is_known: HasWord) -> bool:
    """Return whether normalised words are the name of a thing or a place in another form.

    The words may have another order and other prepositions ("Università di Pisa"), or spaces
    elsewhere ("Anchor Man"). One of the words may have a typing error.
    """
    words, name = ([w for w in part if w not in _PREPOSITIONS] for part in (words, name))
    text, full = "".join(words), "".join(name)
    if len(full) < _LEAST_LETTERS:
        return False
    has_other_order = sorted(words) == sorted(name) and NOT_IN_ANY_ORDER.isdisjoint(words)
    if text == full or has_other_order:
        return True
    if len(words) != len(name):
        return _spells_out(words, name) or _spells_out(name, words)
    pairs = [pair for pair in zip(words, name, strict=False) if pair[0] != pair[1]]
    if len(pairs) != 1:
        return False
    word, right = pairs[0]
    if right in _SAINTS.get(word, ()):
        return True
    is_plural = len(name) > _FULL and right in (f"{word}s", word.removesuffix("s"))
    return is_plural or is_misspelt(word, right, is_known)


def _spells_out(words: Sequence[str], name: Sequence[str]) -> bool:
    """Return whether words are a name whose first or last word is initials: "CD" of a club."""
    size = len(words) - len(name) + 1
    if not _FULL <= size <= _MOST_INITIALS or len(name) < _FULL:
        return False
    initials = ("".join(word[0] for word in part) for part in (words[:size], words[-size:]))
    first, last = initials
    is_first = name[0] == first and [*name[1:]] == [*words[size:]]
    return is_first or (name[-1] == last and [*name[:-1]] == [*words[:-size]])


def is_misspelt(word: str, right: str, is_known: HasWord) -> bool:
    """Return whether a word is another one with a typing error, or with letters that sound so."""
    shortest = min(len(word), len(right))
    if shortest < _LEAST_SOUNDS or not (word + right).isalpha():
        return False
    own, other = _sound(word), _sound(right)
    if own == other:
        return True
    if shortest < _LEAST_LETTERS or word.startswith(right) or right.startswith(word):
        return False  # Williams is not Williamson
    most = 2 if shortest >= _LONG else 1
    if own[0] != other[0] or is_known(word) or word in _CONFUSABLE:
        return False
    if abs(len(word) - len(right)) <= most and edits(word, right) <= most:
        return True
    is_doubled = len(own) < len(word) or len(other) < len(right)
    is_long = min(len(own), len(other)) >= _LEAST_LIKE
    return is_doubled and is_long and abs(len(own) - len(other)) <= 1 and edits(own, other) == 1


def is_short(word: str, name: str) -> bool:
    """Return whether first names are one: equal, one of them an initial, or a short form."""
    if word == name or (1 in (len(word), len(name)) and word[0] == name[0]):
        return True
    return word in _short_forms(name) or name in _short_forms(word)


def edits(one: str, other: str) -> int:
    """Return the least number of letters to add, to remove, to replace or to swap."""
    before: list[int] = []
    row: list[int] = [*range(len(other) + 1)]
    for number, letter in enumerate(one, 1):
        before, last, row = row, before, [number]
        for position, target in enumerate(other, 1):
            cost = min(before[position] + 1, row[-1] + 1, before[position - 1] + (letter != target))
            is_swap = number > 1 and position > 1 and letter == other[position - 2]
            if is_swap and one[number - 2] == target:
                cost = min(cost, last[position - 2] + 1)
            row.append(cost)
    return row[-1]


def _agree(middle: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether all middle names of the one with fewer of them are also those of the other."""
    fewer, more = sorted((middle, names), key=len)
    rest = iter(more)
    return all(any(is_short(word, name) for name in rest) for word in fewer)


def _ending(words: Sequence[str]) -> str:
    last = words[-1] if words else ""
    return last if last in SUFFIXES or NUMERAL.fullmatch(last) else ""


def _without_ending(words: Sequence[str]) -> Sequence[str]:
    return words[:-1] if _ending(words) else words


def _short_forms(name: str) -> Sequence[str]:
    return short_forms().get(name, ())


@functools.lru_cache(maxsize=2**14)
def _sound(word: str) -> str:
    for letters, sound in _SOUNDS:
        word = word.replace(letters, sound)
    return _DOUBLED.sub(r"\1", word.translate(_LETTERS))
