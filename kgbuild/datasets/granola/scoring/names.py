"""The names by which replies call the true answers to a question."""

import functools
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property

from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.datasets.granola.scoring.words import CODES, key, listed, words

_LEAST_INITIALS = 2
_MOST_INITIALS = 3
"""The greatest number of initials that may be another word, too: "He", "Can", "As"."""


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
            found.update(dict.fromkeys(_keys(answer.names[1:]), answer))
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
def _keys(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of names; many questions share the coarser answers."""
    return _no_kinds(map(key, names))


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
