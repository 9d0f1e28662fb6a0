"""Say what somebody is in the words that people use: "the American cyclist"."""

import re
from collections.abc import Sequence

from kgbuild.datasets.base import read_toml

_TABLES = read_toml("granola", "usual_nouns")
_SAID, _CHOSEN = _TABLES["said"], _TABLES["chosen"]
_WITHIN, _BESIDE = _TABLES["within"], _TABLES["beside"]
_POLITICIANS, _POLITICAL = frozenset(_TABLES["politicians"]), frozenset(_TABLES["political"])
_RELATIVES, TITLES = frozenset(_TABLES["relatives"]), frozenset(_TABLES["titles"])
_FOOTBALLERS, _OTHER_FOOTBALL = _TABLES["footballers"], frozenset(_TABLES["other_football"])
_WORD = re.compile(r"[\w-]+")


def usual_nouns(nouns: Sequence[str], description: str, peoples: Sequence[str] = ()) -> list[str]:
    """Return the nouns by which people call somebody, in the order of the description.

    ``peoples`` are the nationalities: a football player is a footballer in most countries.

    >>> usual_nouns(["racing cyclist"], ""), usual_nouns(["actor", "film director"], "")
    (['cyclist'], ['actor'])
    >>> usual_nouns(["recording artist"], "American recording artist, singer, actor")
    ['singer']
    """
    usual = [_chosen(noun, description) for noun in nouns[:1]] + [*nouns[1:]]
    usual = [_SAID.get(noun, noun) for noun in usual]
    if peoples and _OTHER_FOOTBALL.isdisjoint(peoples):
        usual = ["footballer" if noun == _FOOTBALLERS else noun for noun in usual]
    usual = [*dict.fromkeys(usual)]
    if len(usual) != 2:
        return usual
    first, second = usual
    if _holds_office(second):
        return [first if _last(first) in _POLITICIANS else "politician"]
    if _is_within(second, first) or second not in _BESIDE.get(first, (second,)):
        return [first]
    if _is_within(first, second):
        return [second]
    kind, _, last = second.rpartition(" ")
    is_same_kind = kind and first.startswith(f"{kind} ")
    return [first, last if is_same_kind else second]  # "film director and producer"


def is_political(office: str) -> bool:
    """Return whether politicians hold an office: "37th governor of California"."""
    head, *_ = office.casefold().partition(" of ")
    return not _POLITICAL.isdisjoint(_WORD.findall(head))


def has_relative(description: str) -> bool:
    """Return whether a description names a relative: "daughter of John Tyler, 10th president"."""
    return not _RELATIVES.isdisjoint(_WORD.findall(description.casefold()))


def _chosen(noun: str, description: str) -> str:
    """Return the first plainer noun of the description, if a noun says little."""
    names = _CHOSEN.get(noun, ())
    return next((word for word in _WORD.findall(description.casefold()) if word in names), noun)


def _is_within(noun: str, other: str) -> bool:
    """Return whether a noun says nothing new about somebody of whom another one is said."""
    return noun in _WITHIN.get(_last(other), ()) or noun in _WITHIN.get(other, ())


def _holds_office(noun: str) -> bool:
    return _last(noun) in _POLITICAL


def _last(noun: str) -> str:
    return noun.rpartition(" ")[2]
