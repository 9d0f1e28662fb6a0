"""Read how a reply describes an answer: "a well-known film actress from Sweden"."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.class_names import YEAR, ClassName, ClassNames
from kgbuild.datasets.granola.reply_words import Word
from kgbuild.datasets.granola.truths import TrueAnswer
from kgbuild.evaluate.text_metrics import normalise

_WORDS = read_toml("granola", "reply_words")
_LINKS, _PLACES = frozenset(_WORDS["links"]["words"]), frozenset(_WORDS["links"]["places"])
_ENDS = frozenset(_WORDS["ends"]["words"])
_MOST_WORDS = 9
"""The number of words before a class that may belong to its description."""
_MOST_ADJECTIVES = 3
_BASED = re.compile(r"(.+)[-‐‑–]based$")
_MOST_STATE = 5
"""The number of words of the name of a state."""


class Description(NamedTuple):
    """What a reply says of a class: the years, the nationalities, and the words after it.

    ``start`` is the first word of the description. ``place`` are the words after "in" or "by".
    ``owner`` is a name before the class: "James Cameron" of "one of James Cameron's films".
    """

    start: int
    years: Set[str]
    people: Set[str]
    place: str
    owner: str = ""


def true_class(
    classes: ClassNames, name: str, description: Description
) -> tuple[TrueAnswer | None, bool]:
    """Return the finest true answer that a description of a class states, None if it is false.

    ``name`` is the class, normalised, perhaps with a year or a nationality. The second value is
    whether the description adds anything to the class. What no answer states is not false: "a Swiss
    actor" is right if the answers are actors of an unknown nationality.
    """
    parts = classes.parts(name)
    nouns = classes.nouns.get(parts.noun, set())
    if not nouns:
        return None, False
    years = description.years | ({parts.year} - {""})
    people = description.people | ({parts.people} - {""})
    known = {own: answer for own, answer in classes.answers.items() if own.noun in nouns}
    fitting = {
        own: answer
        for own, answer in known.items()
        if own.year in {"", *years}
        and own.people in {"", *people}
        and (
            own.tail in {"", description.owner}
            or f"{description.place} ".startswith(f"{own.tail} ")
        )
    }
    claims = {"year": years, "people": people, "tail": description.place}
    is_contradicted = any(
        claim and _have(known, part) and not _have(fitting, part) for part, claim in claims.items()
    )
    best = min(fitting.values(), key=lambda answer: answer.level, default=None)
    return None if is_contradicted else best, any(claims.values())


def _have(names: Iterable[ClassName], part: str) -> bool:
    """Return whether a name has a part: a year, a nationality or a place."""
    return any(getattr(name, part) for name in names)


def describe(
    words: Sequence[Word], start: int, end: int, people_of: Mapping[str, str], dated: bool
) -> Description:
    """Return what the words around a class say of it.

    ``people_of`` are nationalities by themselves and by the names of their states. ``dated`` is
    whether a year belongs to the class, as to a film, but not to a person.
    """
    first = _first_word(words, start)
    before = words[first:start]
    years = {word.text for word in before if YEAR.fullmatch(word.text)}
    people = {*_people(before, people_of), *_people_after(words, end, people_of)}
    after = [*_after(words, end)]
    texts = [word.text for word in after]
    if texts and YEAR.fullmatch(texts[0]):
        years.add(texts[0])
    state = next(
        (s for n in range(_MOST_STATE, 0, -1) if (s := people_of.get(" ".join(texts[:n])))), None
    )
    is_place = bool(after) and after[0].is_name and not YEAR.fullmatch(texts[0])
    if state and is_place and not people:
        people.add(state)
        is_place = False
    place = " ".join(texts) if is_place else _base(before)
    return Description(first, years if dated else set(), people, place, _owner(words, start))


def _owner(words: Sequence[Word], start: int) -> str:
    """Return the name before a class and its adjectives: "max orr" of "Max Orr's early films"."""
    end = start
    while end > max(0, start - _MOST_ADJECTIVES) and not words[end - 1].is_name:
        end -= 1
    first = end
    while first > 0 and words[first - 1].is_name and (first == end or not words[first].before):
        first -= 1
    return " ".join(
        [*(w.text for w in words[first : end - 1]), *(w.base for w in words[first:end][-1:])]
    )


def _first_word(words: Sequence[Word], start: int) -> int:
    """Return the first word of a description: after an article, a verb, a name or a stop."""
    first = start
    while first > max(0, start - _MOST_WORDS):
        word, following = words[first - 1], words[first]
        is_end = following.has_article or set(following.before) - set(",-–'\"“”*")
        if is_end or word.text in _ENDS or word.is_possessive:
            break
        first -= 1
    return first


def _people(words: Sequence[Word], people_of: Mapping[str, str]) -> Iterator[str]:
    """Yield the nationalities in words: both of "Russian-American", none of "Swedish-born"."""
    for number, word in enumerate(words):
        if not word.written[:1].isupper():
            continue
        pair = " ".join(other.text for other in words[number : number + 2])
        parts = word.written.replace(".", "").lower().split("-")
        if pair in people_of:
            yield people_of[pair]
        elif all(part in people_of for part in parts):
            yield from map(people_of.__getitem__, parts)
        elif word.text in people_of:
            yield people_of[word.text]


def _people_after(words: Sequence[Word], end: int, people_of: Mapping[str, str]) -> Iterator[str]:
    """Yield the nationality after a class and a comma: "an author, American, …"."""
    following = words[end : end + 2]
    if following and "," in following[0].before and all(word.before for word in following[1:]):
        name = following[0].text
        if people_of.get(name) == name:
            yield name


def _base(words: Sequence[Word]) -> str:
    """Return the place before "-based": "new york" of "a New York-based label"; "" if none."""
    for number, word in enumerate(words):
        base = _BASED.match(word.written)
        if base and word.is_name:
            first = number
            while first > 0 and words[first - 1].is_name and not words[first].before:
                first -= 1
            return normalise(" ".join([*(w.written for w in words[first:number]), base[1]]))
    return ""


def _after(words: Sequence[Word], end: int) -> Iterator[Word]:
    """Yield the words after a class and a preposition: "Oslo" of "that is based in Oslo"."""
    position = end
    while position < len(words) and words[position].text in _LINKS and not words[position].before:
        position += 1
    preposition = words[position : position + 1]
    if any(word.text in {*_PLACES, "by"} and not word.before for word in preposition):
        yield from words[position + 1 : position + _MOST_WORDS]
