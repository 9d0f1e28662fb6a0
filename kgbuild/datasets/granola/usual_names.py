"""Tell formal names of people, which documents print, from those by which people call them."""

import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.english.normalize import fold

_TABLES = read_toml("granola", "usual_names")
_PEERS, _FOREIGN = frozenset(_TABLES["peers"]), frozenset(_TABLES["foreign"])
_HOUSES, _FULL = frozenset(_TABLES["houses"]), frozenset(_TABLES["full"])
TWO_SURNAMES = frozenset(_TABLES["surnames"])
"""The countries whose people have two surnames, of which most are called by the first one."""
SAY_MIDDLE_NAMES = frozenset(_TABLES["middle_names"])
"""The countries whose people have middle names, which few people say."""
GENERATIONS = tuple(_TABLES["generations"])
"""What tells a father from a son of the same name."""
_DOUBLE, _PARTICLES = frozenset(_TABLES["double"]), frozenset(_TABLES["particles"])
_PATRONYMICS, _SUFFIXES = tuple(_TABLES["patronymics"]), frozenset(_TABLES["suffixes"])
_INITIAL = re.compile(r"^\w\.?$")
_ASIDE = re.compile(r'[()"\\]')
"""What encloses a nickname or another form of a name: "Andrew (Frank) Johnson"."""
_FULL_NAME, _LONG_NAME = 3, 4
"""The least numbers of words of a name that may be too long, and of one that surely is."""


def has_title(label: str) -> bool:
    """Return whether a name ends with the title of a peer, or has a German one inside.

    >>> has_title("William Thomson, 1st Baron Kelvin"), has_title("Roman Herzog")
    (True, False)
    """
    _, comma, tail = label.partition(", ")
    is_peer = bool(comma) and not _PEERS.isdisjoint(tail.split())
    *words, last = label.split() or [""]
    is_foreign = not _FOREIGN.isdisjoint(words) or not _HOUSES.isdisjoint((*words, last))
    return is_peer or is_foreign or bool(_ASIDE.search(label))


def is_always_full(label: str) -> bool:
    """Return whether people say a whole name with its initial, as in "Harry S. Truman"."""
    return label in _FULL


def has_middle_name(label: str) -> bool:
    """Return whether a full middle name stands in a name, which is neither double nor a title.

    >>> has_middle_name("Harvey Doolittle Colvin"), has_middle_name("Jamie Lee Curtis")
    (True, False)
    """
    words = label.split()
    if len(words) != _FULL_NAME or label in _FULL:
        return False
    first, middle, last = words
    is_name = all(word.isalpha() and len(word) > 2 and word.istitle() for word in (first, middle))
    return is_name and middle not in _DOUBLE | _PARTICLES and last not in _SUFFIXES


def is_formal(
    label: str, aliases: Sequence[str], first_name: Callable[[str], int], has_two_surnames: bool
) -> bool:
    """Return whether people leave out a part of a name, as its aliases show.

    They say "Rafael Correa" for "Rafael Correa Delgado", who has two surnames; "Edward J. Kelly"
    for "Edward Joseph Kelly"; "W. Averell Harriman" for "William Averell Harriman"; and "Eduard
    Meier" for "Moritz Hermann Eduard Meier".
    ``first_name`` returns how many people have a first name.

    >>> is_formal("Edward Joseph Kelly", ["Edward J. Kelly"], len, False)
    True
    """
    words = label.split()
    first, married, hyphen, _ = (words[0], *words[-1].partition("-")) if words else ("",) * 4
    if hyphen and label not in _FULL and f"{first} {married}" in aliases:
        return True  # "Julia Nickson" for "Julia Nickson-Soul"
    if len(words) < _FULL_NAME or "," in label or words[-1] in _SUFFIXES or label in _FULL:
        return False
    if any(_INITIAL.match(word) for word in words):
        return False
    if any(word.endswith(_PATRONYMICS) for word in words[1:-1]):
        return True
    is_second = has_two_surnames and _has_second_surname(words, aliases, first_name)
    others = [alias.split() for alias in aliases]
    is_long = is_second or any(_is_shorter(alias, words, first_name) for alias in others)
    return is_long or _has_many_first_names(words, first_name)


def _has_second_surname(
    words: Sequence[str], aliases: Sequence[str], first_name: Callable[[str], int]
) -> bool:
    """Return whether an alias is a name without its last word, and ends with a surname."""
    *parts, last = words
    surname = parts[-1]
    is_surname = surname[0].isupper() and first_name(fold(surname)) == 0
    return is_surname and " ".join(parts) in aliases and last not in aliases


def _is_shorter(
    alias: Sequence[str], words: Sequence[str], first_name: Callable[[str], int]
) -> bool:
    """Return whether an alias has an initial for a name, or lacks the first ones."""
    if alias[-1:] != words[-1:]:
        return False
    is_tail = 1 < len(alias) < len(words) and [*alias] == [*words[-len(alias) :]]
    if is_tail:
        names = (*words[: -len(alias)], alias[0])
        return all(first_name(fold(name)) > 1 for name in names)
    if len(alias) != len(words) or words[1][0].islower():
        return False
    shortened = [n for n, name in enumerate(alias) if name != words[n]]
    return shortened in ([0], [1]) and alias[shortened[0]] == f"{words[shortened[0]][0]}."


def _has_many_first_names(words: Sequence[str], first_name: Callable[[str], int]) -> bool:
    """Return whether three or more first names stand before a surname."""
    names = [word for word in words if word[0].isupper()]
    if len(names) < _LONG_NAME:
        return False
    return all(first_name(fold(name)) > 1 for name in names[: _LONG_NAME - 1])
