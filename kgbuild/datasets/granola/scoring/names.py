"""Compare names: the words of texts, and the names by which replies call the true answers."""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.english.normalize import plain
from kgbuild.text.sentences import sentence_spans

_WORD = re.compile(r"[^\W_]+(?:['’.&](?=[^\W_])[^\W_]+)*['’]?")
_PLAIN = re.compile(r"[A-Za-z0-9 ,?():-]+")
"""Texts whose words are runs of letters and digits."""
_RUN = re.compile(r"[a-z0-9]+")
_POSSESSIVE = re.compile(r"['’](?:s)?$")
_SILENT = str.maketrans("", "", "'’.&")
_ARTICLES = {"the", "a", "an"}
_SAME = {"saint": "st", "sainte": "ste", "mount": "mt", "fort": "ft", "univ": "university"}
"""Words that are spelled in two ways."""
_LEAST_INITIALS = 2
_MOST_INITIALS = 3
"""The greatest number of initials that may be another word, too: "He", "Can", "As"."""


class ReplyWord(NamedTuple):
    """A word of a text: for comparison, as it is written, and what stands before it.

    Articles are no words, but stand in ``gap``, which reaches back to the last word.
    """

    text: str
    written: str
    gap: str

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.written[0].isupper()

    @property
    def is_joined(self) -> bool:
        """Whether only a space or a hyphen stands between it and the last word."""
        return self.gap in {" ", "-", "–", "‐", "‑", ". "}


@functools.lru_cache(maxsize=1 << 16)
def _folded(word: str) -> str:
    lower = word.lower() if word.isascii() else plain(word)
    bare = _POSSESSIVE.sub("", lower).translate(_SILENT)
    return _SAME.get(bare, bare)


def words(text: str) -> list[ReplyWord]:
    """Return the words of a text, or its articles if it has no others: "The The"."""
    found, end = [], 0
    text = text.replace(" & ", " and ")
    matches = [*_WORD.finditer(text)]
    for match in [m for m in matches if m[0].lower() not in _ARTICLES] or matches:
        found.append(ReplyWord(_folded(match[0]), match[0], text[end : match.start()]))
        end = match.end()
    return found


def sentences(text: str) -> list[list[ReplyWord]]:
    """Return the words of each sentence that has any."""
    return [*filter(None, (words(text[start:end]) for start, end in sentence_spans(text)))]


@functools.lru_cache(maxsize=1 << 17)
def key(name: str) -> str:
    """Return a name for comparison: without case, accents, articles and punctuation.

    >>> key("The Saint-Étienne's"), key("D.C.")
    ('st etienne', 'dc')
    """
    if _PLAIN.fullmatch(name):
        runs = _RUN.findall(name.lower())
        parts = [_SAME.get(run, run) for run in runs if run not in _ARTICLES]
        if parts:
            return " ".join(parts)
    return " ".join(word.text for word in words(name))


@functools.cache
def listed(*names: str) -> frozenset[str]:
    """Return the words of lists in ``words.toml``.

    Those of ``types`` and ``kinds`` are no names by themselves.
    """
    return frozenset(word for name in names for word in _WORDS[name].split())


_WORDS = read_toml("datasets/granola/scoring/words.toml")
STATES: Mapping[str, str] = _WORDS["states"]
"""The parts of states by their codes in capitals: "CA"."""
CODES: Mapping[str, str] = {key(name): code.lower() for code, name in STATES.items()}
"""Their codes in small letters, by the keys of their names."""


class TrueNames:
    """The true answers to a question by the keys of their names.

    A coarser answer that the question names is left out, since to repeat it is no answer.
    """

    def __init__(self, truth: Truth):
        self.truth = truth
        self.asked = key(truth.question).split()
        self._asked = f" {' '.join(self.asked)} "
        self._own = [
            answer
            for answer in reversed(truth.answers)  # finer ones replace coarser ones
            if not answer.is_class
            and (answer.level == 1 or f" {key(answer.text)} " not in self._asked)
        ]

    @cached_property
    def _texts(self) -> dict[str, TrueAnswer]:
        return {key(answer.text): answer for answer in self._own}

    @cached_property
    def full(self) -> dict[str, TrueAnswer]:
        """The answers by their texts and aliases; a word such as "university" is no alias."""
        found: dict[str, TrueAnswer] = {}
        for answer in self._own:
            found.update(dict.fromkeys(_no_kinds(map(key, answer.aliases)), answer))
        return found | self._texts

    @cached_property
    def answers(self) -> dict[str, TrueAnswer]:
        """The answers by all names, also by shorter and other forms of their texts and aliases."""
        found: dict[str, TrueAnswer] = {}
        for answer in self._own:
            found.update(dict.fromkeys(self._forms(answer), answer))
        return found | self.full

    @cached_property
    def classes(self) -> list[tuple[list[str], TrueAnswer]]:
        """The words of the answers that describe: "an American film actor"."""
        return [
            (key(name).split(), answer)
            for answer in self.truth.answers
            if answer.is_class
            for name in answer.names
        ]

    @cached_property
    def describing(self) -> frozenset[str]:
        """All words of the answers that describe."""
        return frozenset(word for parts, _ in self.classes for word in parts)

    def is_written(self, name: str, written: str) -> bool:
        """Return whether a word is a name as it is written: initials and codes in capitals."""
        is_short = len(name) <= _MOST_INITIALS and name not in self._spelled
        return not is_short or written[: len(name)].isupper()

    @cached_property
    def _spelled(self) -> Set[str]:
        """The words of all names that are more than capitals."""
        spelled = (word for a in self._own for name in a.names for word in words(name))
        return {word.text for word in spelled if not word.written.isupper()}

    @cached_property
    def _first_words(self) -> Set[str]:
        return {name.partition(" ")[0] for name in self.answers}

    @cached_property
    def _longest(self) -> int:
        return max((1 + name.count(" ") for name in self.answers), default=0)

    def at(self, texts: Sequence[str], start: int) -> Iterator[tuple[int, TrueAnswer]]:
        """Yield the ends of the names at a word, the longest first, and their answers.

        A short name or an alias that the question has is an answer only by itself.
        """
        if texts[start] not in self._first_words:
            return
        for end in range(min(start + self._longest, len(texts)), start, -1):
            name = " ".join(texts[start:end])
            answer = self.answers.get(name)
            if answer and (name in self._texts or f" {name} " not in self._asked):
                yield end, answer

    def _forms(self, answer: TrueAnswer) -> Iterable[str]:
        """Return the keys of shorter and other forms of an answer's names."""
        is_finest = answer.level == 1
        is_person = is_finest and self.truth.is_person
        forms = _forms(
            answer.names,
            is_thing=is_finest and not is_person,
            is_place=self.truth.is_place or not is_finest,
        )
        if not is_person:
            return forms
        people = (_of_person(name, self.asked, name == answer.text) for name in answer.names)
        return [*forms, *_no_kinds(form for forms in people for form in forms)]


def _no_kinds(forms: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are more than a word for a kind of things."""
    return tuple(form for form in forms if form and form not in listed("types", "kinds"))


@functools.lru_cache(maxsize=1 << 15)
def _forms(names: tuple[str, ...], *, is_thing: bool, is_place: bool) -> tuple[str, ...]:
    """Return the keys of shorter and other forms of the names of a thing or a place."""
    things = [form for name in names if is_thing for form in _of_thing(name)]
    return _no_kinds([*things, *(form for name in names if is_place for form in _of_place(name))])


def _of_place(name: str) -> tuple[str, ...]:
    """Return a place without its kind and without the area after a comma, and its code.

    "the district of Rems-Murr" is "Rems-Murr", "California" also "CA".
    """
    head = key(name.partition(",")[0])
    parts = head.split()
    # A county often has the name of another town, Los Angeles; "French" is no name of a republic.
    kept = {"county", *parts[-1:]} & {"county", "republic", "kingdom"}
    bare = [word for word in parts if word in kept or word not in listed("kinds")]
    while bare and bare[0] in {"of", "de"}:
        del bare[0]
    return tuple(filter(None, (head, " ".join(bare), CODES.get(head))))


def _of_thing(name: str) -> tuple[str, ...]:
    """Return "juilliard" for "Juilliard School", "ea" for "Electronic Arts"."""
    parts, forms = key(name).split(), []
    for end in range(len(parts) - 1, 0, -1):
        if parts[end] not in listed("types"):
            break
        forms.append(" ".join(parts[:end]))
    capitals = [word.written[0] for word in words(name) if word.is_capital]
    if len(capitals) >= _LEAST_INITIALS:
        forms.append("".join(capitals).lower())
    return tuple(forms)


def _of_person(name: str, asked: Sequence[str], is_usual: bool) -> Iterator[str]:
    """Yield a person's first and last name, and the surname; if that is asked, the first name."""
    parts = key(name).split()
    if len(parts) <= 1:
        return
    yield f"{parts[0]} {parts[-1]}"
    if is_usual:
        yield parts[0] if parts[-1] in asked else parts[-1]
