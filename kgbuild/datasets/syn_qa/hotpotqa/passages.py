"""What a passage of an encyclopedia tells of its subject: its names, its kind, its words."""

import functools
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import NamedTuple

_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")
_INNERMOST = re.compile(r"\([^()]*\)")
_WORD = re.compile(r"&|\w+")
_WORD_BEFORE = re.compile(r"\W(\w+) $")
_WORD_AFTER = re.compile(r" (\w+)")
ARTICLES = ("the", "a", "an")


class _Letters(dict[int, str]):
    """Letters without case and accents, one for one; each is looked up once."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        base = unicodedata.normalize("NFKD", letter)[0]
        lower = (base if base.isascii() else letter).lower()
        self[code] = lower if len(lower) == 1 else letter
        return self[code]


_LETTERS = _Letters(
    zip(map(ord, "‘’ʻ`´“”–—‐‑−"), "'''''\"\"-----", strict=True)  # signs with one meaning
)


def plain(text: str) -> str:
    """Return a text without case and accents, of the same length.

    >>> plain("Téa – “O’Hara”")
    'tea - "o\\'hara"'
    """
    return text.lower() if text.isascii() else text.translate(_LETTERS)


def short(title: str) -> str:
    """Return a title without the addition in brackets that tells it from its namesakes.

    >>> short("Ed Wood (film)")
    'Ed Wood'
    """
    return _BRACKET.sub("", title) or title


def words(text: str) -> list[str]:
    """Return the words of a text, plain; signs count for nothing, but ``&`` is ``and``."""
    return [_spelled(found) for found in _WORD.findall(plain(text))]


def _spelled(word: str) -> str:
    return "and" if word == "&" else word


class Span(NamedTuple):
    """A part of a text, as its first and its last place, which is not in it any more."""

    start: int
    end: int


class Text:
    """A text in which names are looked up, whatever the case, the accents and the signs."""

    def __init__(self, text: str):
        self.text = text
        self._spaced = f" {' '.join(words(text))} "  # a file has many: no more is kept of each

    @property
    def words(self) -> list[str]:
        """The words of the text, plain."""
        return self._spaced.split()

    def has(self, name: str) -> bool:
        """Tell whether the words of a name stand in the text, one after the other."""
        wanted = words(name)
        return bool(wanted) and f" {' '.join(wanted)} " in self._spaced

    def spans(self, name: str) -> list[Span]:
        """Return where a name stands as a name, by itself and not within a longer one.

        A name of one word has to be written as it is, large or small: 'poison' is not Poison.
        """
        if not self.has(name):
            return []
        wanted, held, bare = words(name), self.words, plain(self.text)
        places = [(found.start(), found.end()) for found in _WORD.finditer(bare)]
        signs = re.search(r"\W*$", plain(name))
        ending = signs[0] if signs else ""
        found = []
        for first in range(len(held) - len(wanted) + 1):
            last = first + len(wanted)
            if held[first:last] == wanted:
                start, end = places[first][0], places[last - 1][1]
                end += len(ending) * bare.startswith(ending, end)
                if self._is_name(Span(start, end), name):
                    found.append(Span(start, end))
        return found

    def _is_name(self, span: Span, name: str) -> bool:
        """Tell whether a part is not written like a common word, nor within a longer name."""
        if self._is_quoted(span):
            return True
        wanted = words(name)
        if len(wanted) == 1 and self.text[span.start] != name.lstrip("\"'(")[:1]:
            return False
        before, after = self.text[: span.start], self.text[span.end :]
        # The first word of a question is large, whatever it is.
        beside = (_WORD_BEFORE.search(before), _WORD_AFTER.match(after))
        large = [found[1] for found in beside if found and found[1][0].isupper()]
        is_within = any(plain(word) not in STOP_WORDS for word in large)
        return not set(wanted) <= STOP_WORDS and not is_within

    def _is_quoted(self, span: Span) -> bool:
        sides = plain(self.text[max(span.start - 1, 0) : span.end + 1])
        return sides[:1] == '"' and sides[-1:] == '"'


class Passage:
    """A title and the text that belongs to it, of which the first sentence says what it is."""

    def __init__(self, title: str, sentences: Sequence[str]):
        self.title = title
        self.name = short(title)
        self.text = Text("".join(sentences))
        self.lead = stems(words(f"{title} {sentences[0]}" if sentences else title))
        self._opening = _unbracketed(self.text.text[:_OPENING])

    @property
    def names(self) -> list[str]:
        """The names by which one would speak of it, the longest first."""
        bare = [self.title, self.name]
        first, _, rest = self.name.partition(" ")
        if first.lower() in ARTICLES and rest:
            bare.append(rest)
        return list(dict.fromkeys(bare))

    @functools.cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words of the text and the title that carry meaning."""
        return stems([*self.text.words, *words(self.title)])

    @functools.cached_property
    def description(self) -> list[str]:
        """The words that say what it is: of 'is an American film by X', an American film."""
        said = _COPULA.search(self._opening)
        clause = _CLAUSE_END.split(said["rest"])[0] if said else ""
        parts = (*clause.split(","), *re.split(r",|\band\b", clause))
        listed = [_trimmed(_WORD.findall(part)) for part in parts]
        return next(filter(_kind, listed), listed[0])

    @functools.cached_property
    def kind(self) -> str | None:
        """The kind of thing that it is, such as person or film; None if that is not plain."""
        if _NOT_THINGS.search(self.title):
            return None
        said = _kind(self.description)
        agent = bool(self.description) and plain(self.description[-1]).endswith(_AGENT)
        lived = bool(self._pronoun or self._dates)
        # A 'lead programmer' is nobody: no name, neither he nor she, without dates.
        is_somebody = said == "person" and (lived or self.name.istitle())
        if is_somebody or (said is None and agent and lived):
            return "person"
        kinds = (said, _kind(self._beside), _kind(self._head))
        return next((kind for kind in kinds if kind not in (None, "person")), None)

    @property
    def _beside(self) -> list[str]:
        """The word after the name where the text begins: 'Kaiser Ventures corporation was'."""
        opening = _WORD.findall(self._opening)
        first = opening[:1] != [] and opening[0].lower() == "the"
        count = first + len(words(self.name))
        begins = words(" ".join(opening[first:count])) == words(self.name)
        return opening[count : count + 1] if begins else []

    @property
    def _head(self) -> list[str]:
        """The word of the name that may say what it is: the last one, or that before 'of'."""
        return _WORD.findall(self.name.partition(" of ")[0])[-1:]

    @property
    def _dates(self) -> str:
        """What the first brackets hold, if it has a year."""
        brackets = _INNERMOST.search(self.text.text[:_OPENING])
        found = plain(brackets[0]) if brackets else ""
        return found if re.search(r"\d{4}\b", found) else ""

    @functools.cached_property
    def _pronoun(self) -> str | None:
        """The pronoun that the text has oftener: he or she; None if it has neither."""
        he = sum(word in ("he", "his", "him") for word in self.text.words)
        she = sum(word in ("she", "her", "hers") for word in self.text.words)
        return None if he == she else "he" if he > she else "she"

    @functools.cached_property
    def is_dead(self) -> bool | None:
        """Whether a person is dead; None if the text does not tell."""
        if re.search(r"\d{4}\b.*(-|died).*\d{4}|\bdied\b|\bd\. ", self._dates):
            return True
        if re.search(r"\bborn\b", self._dates) or re.match(r"[^,;]*\bis an?\b", self._opening):
            return False
        return True if re.match(r"[^,;]*\bwas an?\b", self._opening) else None

    @property
    def takes_the(self) -> bool:
        """Whether the text begins with the article and the name: 'The Robins Center is'."""
        return self.text.words[:2] == ["the", *words(self.name)[:1]]

    def alike(self, other: "Passage") -> bool:
        """Tell whether both are of one kind, and people of one sex as far as one can tell."""
        if self.kind is None or self.kind != other.kind:
            return False
        sexes = (self._pronoun, other._pronoun)
        return self.kind != "person" or None in sexes or sexes[0] == sexes[1]


def stems(found: Iterable[str]) -> frozenset[str]:
    """Return the stems of words that carry meaning, so that director is directed."""
    return frozenset(_stem(word) for word in found if word not in STOP_WORDS and len(word) > 1)


@functools.lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word.removesuffix(ending)
    return word


def _unbracketed(text: str) -> str:
    """Return a text without what stands in brackets, within each other too."""
    bare = _INNERMOST.sub("", text)
    return bare if bare == text else _unbracketed(bare)


@functools.lru_cache(maxsize=1 << 16)
def _noun(word: str) -> str | None:
    """Return the kind that a noun stands for, in the singular or the plural."""
    singular = f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")
    return _KINDS.get(word) or _KINDS.get(singular)


def _trimmed(said: Sequence[str]) -> list[str]:
    """Return words without participles at their end: 'a device released' is a device."""
    end = len(said)
    while end and _TRAILING.search(said[end - 1]) and not _noun(said[end - 1]):
        end -= 1
    return list(said[:end])


def kind_of(phrase: str) -> str | None:
    """Return the kind that a phrase stands for: of '1994 film by X', film; None if unknown."""
    return _kind(_trimmed(_WORD.findall(_CLAUSE_END.split(phrase)[0])))


def _kind(said: Sequence[str]) -> str | None:
    """Return the kind that the last one of some words stands for."""
    kind = _noun(said[-1].lower()) if said else None
    if kind == "series":  # of what, the words before it tell, as in manga series
        named = (_noun(word) for word in reversed(said[:-1]))
        return next((other for other in named if other not in (None, "series")), kind)
    return kind


_OPENING = 600
"""Letters within which a passage has said what it is about."""
_TRAILING = re.compile(r"(ed|ing|ly)$|^(best|born|built|held|made|run)$")
_LEAST = 4
_ENDINGS = (
    *("ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors"),
    *("ies", "er", "or", "ed", "es", "s", "e", "y"),
)
_AGENT = ("er", "or", "ist", "ian", "man", "woman", "ess", "eer", "ant", "star", "ee")
_NOT_THINGS = re.compile(
    r"^(List|Lists|Outline|Index|Timeline|Death|History) of |\b(discography|casualties)$"
)
_COPULA = re.compile(
    r"\b(?:is|was|are|were)\b\s+(?:also\s+)?(?:one of\s+)?(?:the name of\s+)?(?P<rest>.+)", re.S
)
_CLAUSE_END = re.compile(
    r"[.;:](?:\s|$)|\s(?:that|which|who|whose|whom|where|when|by|from|in|of|for|with|at|on|to|as"
    r"|about|across|along|between|during|based|composed|designed|developed|directed|founded|given|known"
    r"|located|owned|presented|produced|released|since|starring|sung|used|written)\b"
)
_WORDS = tomllib.loads(
    (resources.files("kgbuild.datasets.syn_qa.hotpotqa") / "words.toml").read_text(encoding="utf-8")
)
STOP_WORDS = frozenset(_WORDS["stop"].split())
"""Words that carry no meaning of their own."""
PRESENT = frozenset(_WORDS["present"].split())
"""Words of questions that are asked of the living."""
DEATH = frozenset(_WORDS["death"].split())
"""Words of questions that are asked of the dead."""
_KINDS = {noun: kind for kind, nouns in _WORDS["kinds"].items() for noun in nouns.split()}
