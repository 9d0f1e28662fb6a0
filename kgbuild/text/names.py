"""The forms of names: spellings of the same name, and how like two names of a person are."""

import functools
import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from kgbuild.english.normalize import fold
from kgbuild.store.labels import spelling_variants
from kgbuild.text.words import Word, vocabulary

_STRAIGHT = str.maketrans("’ʼ“”‐‑–", "''\"\"---")
"""A table for ``str.translate`` that replaces curly apostrophes and quotes, and odd hyphens."""
_MAX_HYPHENATED = 4
"""Maximum number of words of a name that may have a hyphen where a text has a space."""
_MAX_INITIALS = 3
_JUNIOR = {"jr": "Jr.", "junior": "Jr.", "sr": "Sr.", "senior": "Sr."}
_INITIALS = re.compile(r"[A-Z]{2,3}|[a-z]{2}|[b-df-hj-np-tv-z]{3}")
_PREFIXES = ("de", "la", "le", "mac", "mc", "o", "van")
"""Beginnings of names that may be joined with the next word: "DeWitt", "LaToya"."""
_UMLAUT = re.compile(r"(?<=[^aeiouq])([aou])e(?=[^aeiou]|$)", re.IGNORECASE)
"""An umlaut that is written as two letters, as in "Goedel"."""
_SOUNDS = (("ph", "f"), ("ae", "a"), ("oe", "o"), ("ue", "u"), ("ou", "u"), ("ck", "k"))
"""Letters that are written for each other: "Hambourg"."""
_LETTERS = str.maketrans("cqywz", "kkivs")
_FIRST = {"c": "k", "q": "k", "y": "i", "w": "v", "z": "s", "p": "f"}
"""First letters that are written for each other."""
_JOINT = re.compile("['’ʼ]")
_PART = re.compile(r"[^\W_]+")
_DOUBLED = re.compile(r"(.)\1+")
LEAST_NEAR = 4
"""The least number of letters of a misspelt surname, apart from how unlike it is."""
_LEAST_LETTERS = 4
"""The least length of a word with a typing error: "Joly" is Jolie."""
_MOST_APART = 3
"""The greatest difference in length of two spellings of a word."""
_LONG = 8
"""The least length of a word with two typing errors."""
_LEAST_SHORT = 3
"""The least number of letters of the beginning of a first name: "Leo" for Leonardo."""
_MOST_UNLIKE = 6
"""The greatest sum of what makes two names of a person unlike: two words with typing errors."""
_MIDDLE = ("of", "the", "and", "von", "van", "de", "bin", "ibn")
"""Words of names of people that are no names by themselves."""


def forms(text: str, words: Sequence[Word], is_cased: bool) -> list[str]:
    """Return the spellings of a name, first that of a text, with straight apostrophes.

    ``words`` are the words of the name. The forms have other apostrophes and quotes, hyphens,
    initials, "Jr.", numbers of rulers and "&". Words in small letters have few forms if the text
    ``is_cased``. Case and accents do not matter, since an index of names ignores them.
    """
    straight = text.translate(_STRAIGHT)
    variants = [*spelling_variants(straight), *spelling_variants(text)]
    if any(word.is_capital for word in words) or not is_cased:
        variants += _other_forms(straight, words)
    return list(dict.fromkeys(variant for variant in variants if variant))


def _other_forms(text: str, words: Sequence[Word]) -> Iterator[str]:
    texts = [word.text for word in words]
    if len(texts[-1]) == 1 and not text.endswith("."):
        yield f"{text}."
    if " & " in text:
        yield text.replace(" & ", " and ")
    if len(words) > 1:
        yield from _with_other_hyphens(text, words)
        yield from _with_initials(texts)
        yield from _with_other_prefix(text, words)
        if suffix := _JUNIOR.get(words[-1].folded):
            name = " ".join(texts[:-1])
            yield from (f"{name} {suffix}", f"{name}, {suffix}", f"{name} {suffix[:-1]}")
        if roman := vocabulary().ordinals.get(words[-1].folded):
            article = len(words) > 2 and words[-2].folded == "the"
            yield " ".join([*texts[: -2 if article else -1], roman])
    if (plain := _UMLAUT.sub(r"\1", text)) != text:
        yield plain


def _with_other_prefix(text: str, words: Sequence[Word]) -> Iterator[str]:
    """Yield a name with a prefix joined to the first word, or apart from the last: "De Niro"."""
    if words[0].folded in _PREFIXES and words[1].gap == " ":
        yield words[0].text + text[words[1].start - words[0].start :]
    for prefix in filter(words[-1].folded.startswith, _PREFIXES):
        at = words[-1].start - words[0].start + len(prefix)
        yield f"{text[:at]} {text[at:]}"


def _with_other_hyphens(text: str, words: Sequence[Word]) -> Iterator[str]:
    """Yield a name with spaces for its hyphens, or with a hyphen for one of its spaces."""
    if "-" in text:
        yield text.replace("-", " ")
        if "." in text:
            return
    if len(words) > _MAX_HYPHENATED:
        return
    start = words[0].start
    for word in words[1:]:
        if word.gap == " ":
            position = word.start - start - 1
            yield f"{text[:position]}-{text[position + 1 :]}"


def _with_initials(texts: Sequence[str]) -> Iterator[str]:
    """Yield a name that has initials with full stops and spaces between them, or without."""
    initials = list(itertools.takewhile(lambda text: len(text) == 1, texts))
    rest = texts[len(initials) :]
    if not initials and _INITIALS.fullmatch(texts[0]):
        initials, rest = list(texts[0]), texts[1:]
    if rest and 1 <= len(initials) <= _MAX_INITIALS:
        letters = [letter.upper() for letter in initials]
        name = " ".join(rest)
        yield " ".join([*(f"{letter}." for letter in letters), name])
        yield f"{''.join(f'{letter}.' for letter in letters)} {name}"
        yield f"{''.join(letters)} {name}"
    elif len(texts) > 2 and not initials and any(len(text) == 1 for text in texts[1:-1]):
        yield " ".join(f"{text}." if len(text) == 1 else text for text in texts)


def parts(name: str) -> list[str]:
    """Return the words of a name of a person, folded, without "Jr." and additions.

    >>> parts("Robert Downey, Jr."), parts("Massimo D'Alema")
    (['robert', 'downey'], ['massimo', 'dalema'])
    """
    words = _PART.findall(_JOINT.sub("", fold(name.partition(",")[0])))
    return words[:-1] if words and words[-1] in _JUNIOR else words


def likeness(
    words: Sequence[str], name: Sequence[str], further: Collection[str] = ()
) -> int | None:
    """Return how unlike the words of a text are the name of a person; None if it is another name.

    Both are folded words, as ``parts`` returns them. The last words must agree, and the others must
    be given names in their order, though some may be missing: 0 if all are equal or initials. The
    beginning of one counts 1, a middle name as the first one 1, letters that sound alike 2, and a
    typing error 3. A given name may also be one of ``further`` names of the person.
    """
    unlike = _unlike(words[-1], name[-1]) if words and name else None
    if unlike is None:
        return None
    rest = [*name[:-1]]
    given = [word for word in words[:-1] if word not in _MIDDLE]
    if all(len(word) == 1 for word in given):
        given = given[: max(len([n for n in rest if n not in _MIDDLE]), 1)]
    for word in given:
        costs = [(c, at) for at, own in enumerate(rest) if (c := _given(word, own)) is not None]
        if costs:
            cost, at = min(costs)
            is_middle = bool(at) and len(rest) + 1 == len(name)
            rest = rest[at + 1 :]
            unlike += cost + is_middle
        elif word not in further:
            return None
    return unlike if unlike <= _MOST_UNLIKE else None


def _given(word: str, name: str) -> int | None:
    if word == name or (1 in (len(word), len(name)) and word[0] == name[0]):
        return 0
    return 1 if is_short(word, name) else _unlike(word, name)


def _unlike(word: str, name: str) -> int | None:
    if word == name:
        return 0
    if not is_near(word, name):
        return None
    return 2 if _sound(word) == _sound(name) else 3


def is_short(word: str, name: str) -> bool:
    """Return whether one of two first names is the beginning of the other: "Leo"."""
    short, full = sorted((word, name), key=len)
    return len(short) >= _LEAST_SHORT and _sound(full).startswith(_sound(short))


def is_near(word: str, name: str) -> bool:
    """Return whether a word is another one with typing errors, or with letters that sound so.

    One letter may be wrong, or two of a long word; none in the first sound. "Williams" is not
    "Williamson".

    >>> is_near("speilberg", "spielberg"), is_near("regan", "reagan"), is_near("lee", "leo")
    (True, True, False)
    """
    if _FIRST.get(word[:1], word[:1]) != _FIRST.get(name[:1], name[:1]):
        return False
    shortest, longest = sorted((len(word), len(name)))
    if shortest < _LEAST_LETTERS - 1 or longest - shortest > _MOST_APART:
        return False
    if not (word + name).isalpha():
        return False
    if _sound(word) == _sound(name):
        return True
    if shortest < _LEAST_LETTERS or word.startswith(name) or name.startswith(word):
        return False
    most = 2 if shortest >= _LONG else 1
    return longest - shortest <= most and edits(word, name) <= most


@functools.lru_cache(maxsize=2**14)
def _sound(word: str) -> str:
    for letters, sound in _SOUNDS:
        word = word.replace(letters, sound)
    return _DOUBLED.sub(r"\1", word.translate(_LETTERS))


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
