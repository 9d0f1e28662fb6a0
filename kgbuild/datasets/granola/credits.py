"""Say what somebody is known for by the works that credit them: an actor of 40 films who wrote one.

A description may name all that somebody ever did.
"""

import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.noun_phrases import enumeration
from kgbuild.datasets.granola.usual_nouns import last_word

_TABLES = read_toml("granola", "usual_nouns")
_CREDITS: dict[str, list[str]] = _TABLES["credits"]
_OWN: dict[str, list[str]] = _TABLES["own_credits"]
_MANY = 4
"""The least number of works from which on they tell what somebody is known for."""
_SHARE = 0.25
"""The least number of works of an occupation beside the first one, as a share of that one's."""
_BETWEEN = re.compile(r", | and ")
_PEOPLES = re.compile(r"the (?:[A-Z][\w-]* )*")
_FIRST: dict[str, str] = _TABLES["first_credits"]
"""Occupations in film, and what they are called without another one before them."""


def with_credits(
    phrase: str, count_works: Callable[[str], int], has_value: Callable[[str], object]
) -> str:
    """Return what a person is without the later occupations of which the store has few works.

    ``count_works`` returns the number of works that credit the person by a property, such as P161
    (cast member); ``has_value`` whether the person has a value of a property, such as P264 (record
    label). A later occupation with many works takes the place of a first one without any. A phrase
    stays as it is if its first occupation has few works.

    >>> works = {"P161": 9, "P58": 1}
    >>> with_credits("the American actor, writer and comedian", lambda pid: works.get(pid, 0), bool)
    'the American actor and comedian'
    >>> with_credits("the American film director and editor", {"P1040": 5, "P57": 0}.get, bool)
    'the American film editor'
    """
    parts = _BETWEEN.split(phrase)
    if better := _better_first(parts, count_works):
        return with_credits(enumeration(better), count_works, has_value)
    most = _works(parts[0], count_works)
    if most < _MANY or len(parts) == 1:
        return phrase
    kept = [
        noun
        for noun in parts[1:]
        if any(map(has_value, _OWN.get(last_word(noun), ())))
        or (_works(noun, count_works) >= most * _SHARE)
        or last_word(noun) not in _CREDITS
    ]
    return enumeration([parts[0], *kept])


def _better_first(parts: Sequence[str], count_works: Callable[[str], int]) -> list[str]:
    """Return occupations with the one that most works show first, if they do not show the first.

    The list is empty if the order may stay.
    """
    first, *others = parts
    best = max(others, key=lambda noun: _works(noun, count_works), default=first)
    is_shown = last_word(first) not in _FIRST or _works(first, count_works) > 0
    if is_shown or _works(best, count_works) < _MANY:
        return []
    before = _PEOPLES.match(first)
    names = [_FIRST.get(best, best), *(noun for noun in others if noun != best)]
    return [f"{before[0] if before else ''}{names[0]}", *names[1:]]


def _works(noun: str, count_works: Callable[[str], int]) -> int:
    return sum(map(count_works, _CREDITS.get(last_word(noun), ())))
