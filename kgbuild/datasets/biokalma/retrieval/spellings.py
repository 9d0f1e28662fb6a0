"""The spellings under which a name of a question may stand in the store.

Case and accents do not matter, because the table of names ignores them.
"""

import itertools
import re
from collections.abc import Iterator, Sequence

from kgbuild.datasets.biokalma.retrieval.words import Word, vocabulary
from kgbuild.store.labels import spelling_variants

_STRAIGHT = str.maketrans("’ʼ“”‐‑–", "''\"\"---")
"""A table for ``str.translate`` that replaces curly apostrophes and quotes, and odd hyphens."""
_MAX_HYPHENATED = 4
"""Maximum number of words of a name that may have a hyphen where the question has a space."""
_MAX_INITIALS = 3
_JUNIOR = {"jr": "Jr.", "junior": "Jr.", "sr": "Sr.", "senior": "Sr."}
_INITIALS = re.compile(r"[A-Z]{2,3}")
_PREFIXES = ("de", "la", "le", "mac", "mc", "o", "van")
"""Beginnings of names that may be joined with the next word: "DeWitt", "LaToya"."""
_UMLAUT = re.compile(r"(?<=[^aeiouq])([aou])e(?=[^aeiou]|$)", re.IGNORECASE)


def spellings(text: str, words: Sequence[Word], is_cased: bool) -> list[str]:
    """Return the spellings of a name, first that of the question, with straight apostrophes.

    ``text`` is the name as the question spells it, and ``words`` are its words. Variants are those
    of apostrophes and quotes, hyphens, initials, "Jr.", numbers of rulers and "&". Words
    in small letters have few variants if the question ``is_cased``.
    """
    straight = text.translate(_STRAIGHT)
    variants = spelling_variants(straight)
    if any(word.is_capital for word in words) or not is_cased:
        variants += _variants(straight, words)
    return list(dict.fromkeys(variant for variant in variants if variant))


def _variants(text: str, words: Sequence[Word]) -> Iterator[str]:
    texts = [word.text for word in words]
    if len(texts[-1]) == 1 and not text.endswith("."):
        yield f"{text}."
    if " & " in text:
        yield text.replace(" & ", " and ")
    if len(words) > 1:
        yield from _with_other_hyphens(text, words)
        yield from _with_initials(texts)
        if words[0].folded in _PREFIXES and words[1].gap == " ":
            yield "".join(texts[:2]) + text[words[1].end - words[0].start :]
        if suffix := _JUNIOR.get(words[-1].folded):
            name = " ".join(texts[:-1])
            yield from (f"{name} {suffix}", f"{name}, {suffix}", f"{name} {suffix[:-1]}")
        if roman := vocabulary().ordinals.get(words[-1].folded):
            article = len(words) > 2 and words[-2].folded == "the"
            yield " ".join([*texts[: -2 if article else -1], roman])


def without_umlauts(text: str) -> str:
    """Return a text with single letters for umlauts that it writes as two, as in "Goedel"."""
    return _UMLAUT.sub(r"\1", text)


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
