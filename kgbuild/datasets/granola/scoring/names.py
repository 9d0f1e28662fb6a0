"""The names by which replies call the true answers to a question."""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.datasets.granola.scoring.words import code_of, key, listed, words

_SUFFIXES = {"jr", "sr", "ii", "iii", "iv"}
_BRACKET = re.compile(r"\s*\([^)]*\)")
_SUBTITLE = re.compile(r"(?<=\w)(?:: |, | – | - ).*")
_LEAST_INITIALS = 2
_MOST_CAPITALS = 4
"""The greatest length of a name that needs capitals: "US", "IT"."""


class _Forms(NamedTuple):
    """The keys of an answer's text, of its aliases, and of shorter and other forms of both.

    ``lower`` are those that are written in small letters, ``longest`` is the number of words of the
    longest one.
    """

    text: str
    aliases: tuple[str, ...]
    others: tuple[str, ...]
    lower: frozenset[str]
    longest: int


class Names:
    """The true answers to a question by the keys of their names.

    ``answers`` has all names, ``full`` those that are no shorter or other form of one. ``classes``
    are the words of the answers that describe: "an American film actor". A coarser answer that the
    question names is left out, since to repeat it is no answer.
    """

    def __init__(self, truth: Truth):
        self.truth = truth
        self.asked = key(truth.question).split()
        self._asked = f" {' '.join(self.asked)} "
        self._texts: dict[str, TrueAnswer] = {}
        aliases: dict[str, TrueAnswer] = {}
        others: dict[str, TrueAnswer] = {}
        self._lower: set[str] = set()
        self._longest = 0
        for answer in reversed(truth.answers):  # finer ones replace coarser ones
            forms = self._forms(answer)
            if answer.is_class or (answer.level > 1 and self._is_told(answer)):
                continue
            self._texts[forms.text] = answer
            aliases |= dict.fromkeys(forms.aliases, answer)
            others |= dict.fromkeys(forms.others, answer)
            self._lower |= forms.lower
            self._longest = max(self._longest, forms.longest)
        self.answers = others | aliases | self._texts
        self.answers.pop("", None)
        self.full = self._texts.keys() | aliases.keys()
        self.classes = [
            (key(name).split(), answer)
            for answer in truth.answers
            if answer.is_class
            for name in answer.names
        ]

    def at(self, texts: Sequence[str], start: int) -> tuple[int, TrueAnswer] | None:
        """Return the end of the longest name at a word, and its answer.

        A short name or an alias that the question has is an answer only by itself.
        """
        for end in range(min(start + self._longest, len(texts)), start, -1):
            name = " ".join(texts[start:end])
            answer = self.answers.get(name)
            if answer and (name in self._texts or f" {name} " not in self._asked):
                return end, answer
        return None

    def needs_capital(self, name: str) -> bool:
        """Return whether a single word is the name only if it is written with a capital."""
        return name not in self._lower and not name.isdigit()

    def longer(self, texts: Sequence[str]) -> TrueAnswer | None:
        """Return the answer with a name of more words: "Lee Strasberg Institute" lacks "Theatre".

        The first word, which is no type, and the last one are the same.
        """
        if len(texts) == 1 or texts[0] in listed("types"):
            return None
        for name, answer in self.answers.items():
            if name.startswith(texts[0]) and name.endswith(texts[-1]):
                parts = name.split()
                remaining = iter(parts)
                ends = parts[0], parts[-1]
                if ends == (texts[0], texts[-1]) and all(text in remaining for text in texts):
                    return answer
        return None

    def _is_told(self, answer: TrueAnswer) -> bool:
        """Return whether the question names an answer."""
        forms = (key(answer.text), *_of_place(answer.text))
        return any(f" {form} " in self._asked for form in forms if form)

    def _forms(self, answer: TrueAnswer) -> _Forms:
        if answer.level > 1:
            return _of_coarser(answer.text, tuple(answer.aliases))
        others: list[str] = []
        for name in answer.names:
            if self.truth.is_person:
                others += _of_person(name, self.asked, name == answer.text)
            else:
                others += _of_thing(name)
            if self.truth.is_place:
                others += _of_place(name)
        return _with_forms(answer.names, others)


@functools.lru_cache(maxsize=1 << 16)
def _of_coarser(text: str, aliases: tuple[str, ...]) -> _Forms:
    names = (text, *aliases)
    return _with_forms(names, (form for name in names for form in _of_place(name)))


def _with_forms(names: Sequence[str], others: Iterable[str]) -> _Forms:
    """Return the keys of names and of other forms; a word such as "university" is no name."""
    kinds = listed("types") | listed("kinds")
    text, *keys = map(key, names)
    aliases = tuple(alias for alias in keys if alias not in kinds)
    known = tuple(form for form in dict.fromkeys(others) if form not in kinds)
    lower = frozenset(key(name) for name in names if name == name.lower())
    longest = max(1 + name.count(" ") for name in (text, *aliases, *known))
    return _Forms(text, aliases, known, lower, longest)


@functools.lru_cache(maxsize=1 << 16)
def _of_place(name: str) -> tuple[str, ...]:
    """Return a place without its kind and without the area after a comma, and its code.

    "the district of Rems-Murr" is "Rems-Murr", "California" also "CA".
    """
    head = key(name.partition(",")[0])
    parts = head.split()
    # A county often has the name of another town: Los Angeles.
    bare = [word for word in parts if word == "county" or word not in listed("kinds")]
    while bare and bare[0] in {"of", "de"}:
        del bare[0]
    return tuple(filter(None, (head, " ".join(bare), code_of().get(head))))


@functools.lru_cache(maxsize=1 << 12)
def _of_thing(name: str) -> tuple[str, ...]:
    """Return "juilliard" for "Juilliard School", "und" for "University of North Dakota"."""
    plain = _BRACKET.sub("", name)
    forms = []
    for text in (plain, _SUBTITLE.sub("", plain)):
        parts = key(text).split()
        forms.append(" ".join(parts))
        while len(parts) > 1 and parts[-1] in listed("types"):
            del parts[-1]
            forms.append(" ".join(parts))
    parts = key(plain).split()
    if parts[:2] == ["university", "of"]:
        forms.append(" ".join([*parts[2:], "university"]))
    elif parts[-1:] == ["university"]:
        forms.append(" ".join(["university", "of", *parts[:-1]]))
    capitals = [word.written[0] for word in words(plain) if word.is_capital]
    if len(capitals) >= _LEAST_INITIALS:
        forms.append("".join(capitals).lower())
    return tuple(forms)


def _of_person(name: str, asked: Sequence[str], is_usual: bool) -> Iterator[str]:
    """Yield a person's first and last name, and the surname; if that is asked, the first name."""
    parts = key(_BRACKET.sub("", name.partition(",")[0])).split()
    bare = [word for word in parts if word not in _SUFFIXES]
    if len(bare) <= 1:
        return
    yield " ".join(bare)
    if "of" in bare:
        yield " ".join(bare[: bare.index("of")])
        return
    yield f"{bare[0]} {bare[-1]}"
    yield "".join(word[0] for word in bare)
    if is_usual:
        yield bare[0] if bare[-1] in asked else bare[-1]


def is_short(name: str) -> bool:
    """Return whether a name is so short that it is one only in capitals: "US", "IT"."""
    return " " not in name and len(name) <= _MOST_CAPITALS
