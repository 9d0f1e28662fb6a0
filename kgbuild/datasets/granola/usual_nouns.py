"""Say what somebody is in the words that people use: "the American cyclist"."""

import re
from collections.abc import Sequence

from kgbuild.datasets.base import read_toml

_TABLES = read_toml("granola", "usual_nouns")
_SAID, _CHOSEN = _TABLES["said"], _TABLES["chosen"]
_WITHIN, _BESIDE = _TABLES["within"], _TABLES["beside"]
_POLITICIANS, _POLITICAL = frozenset(_TABLES["politicians"]), frozenset(_TABLES["political"])
POLITICIAN = re.compile(rf"\b(?:{'|'.join(_TABLES['politicians'])})\b")
"""What a description calls a politician."""
_RELATIVES, TITLES = frozenset(_TABLES["relatives"]), frozenset(_TABLES["titles"])
_FOOTBALLERS, _OTHER_FOOTBALL = _TABLES["footballers"], frozenset(_TABLES["other_football"])
_GENERIC, _ALIKE = _TABLES["generic"], [frozenset(group) for group in _TABLES["alike"]]
_NO_CALLING, _SURE = frozenset(_TABLES["no_calling"]), frozenset(_TABLES["sure"])
_VOICE_ACTORS, _VISIBLE_ACTORS = _TABLES["voice_actors"], frozenset(_TABLES["visible_actors"])
_SIDELINES = frozenset(_TABLES["sidelines"])
BESIDE_OTHERS = frozenset(_TABLES["beside_others"])
"""Nouns that are left out after another one: "historian and professor"."""
_BEFORE_OTHERS = frozenset(_TABLES["before_others"])
_MAX_NOUNS = 3
"""Maximum number of nouns by which a question calls somebody."""
_SEVERAL = 2
"""The least number of other occupations of somebody whose description does not say enough."""
_MALE_FORM = re.compile(r"\bactor\b")
_WORD = re.compile(r"[\w-]+")


def usual_nouns(nouns: Sequence[str], description: str, peoples: Sequence[str] = ()) -> list[str]:
    """Return the nouns by which people call somebody, in the order of the description.

    ``peoples`` are the nationalities: a football player is a footballer in most countries. A noun
    that adds nothing to another one is left out, and an office is that of a politician.

    >>> usual_nouns(["racing cyclist"], ""), usual_nouns(["singer", "musician"], "")
    (['cyclist'], ['singer'])
    >>> usual_nouns(["recording artist"], "American recording artist, singer, actor")
    ['singer']
    >>> usual_nouns(["poet", "governor"], "")
    ['poet', 'politician']
    >>> usual_nouns(["professor", "jurist"], ""), usual_nouns(["jurist", "professor"], "")
    (['jurist'], ['jurist'])
    """
    usual = [_chosen(noun, description) for noun in nouns[:1]] + [*nouns[1:]]
    usual = [_SAID.get(noun, noun) for noun in usual]
    if peoples and _OTHER_FOOTBALL.isdisjoint(peoples):
        usual = ["footballer" if noun == _FOOTBALLERS else noun for noun in usual]
    first, later = usual[:1], usual[1:]
    is_told = any(last_word(noun) in _POLITICIANS for noun in usual)
    offices = [] if is_told else ["politician"]
    later = [name for noun in later for name in (offices if _holds_office(noun) else [noun])]
    usual = [*dict.fromkeys(first + later)]
    usual = [*usual[:1], *(noun for noun in usual[1:] if last_word(noun) not in BESIDE_OTHERS)]
    if usual[1:] and usual[0] in _BEFORE_OTHERS:
        usual = usual[1:]
    usual = _without_sidelines(_telling(usual))
    if len(usual) >= _MAX_NOUNS:
        usual = [*usual[:1], *(noun for noun in usual[1:] if noun not in _BESIDE.get(usual[0], ()))]
    return _with_kinds_once(usual[:_MAX_NOUNS])


def _telling(nouns: Sequence[str]) -> list[str]:
    """Return nouns without those that add nothing to one before them, or of two to the other.

    >>> _telling(["writer", "novelist"]), _telling(["writer", "novelist", "critic"])
    (['novelist'], ['writer', 'novelist', 'critic'])
    """
    telling: list[str] = []
    for noun in nouns:
        if not any(_is_within(noun, other) for other in telling):
            telling.append(noun)
    first, *others = telling or [""]
    return others if len(others) == 1 and _is_within(first, others[0]) else telling


def _without_sidelines(nouns: Sequence[str]) -> list[str]:
    """Return nouns without those that say little of somebody who is known for the first one.

    A politician is known as such, whatever else the description names.

    >>> _without_sidelines(["actor", "engineer"]), _without_sidelines(["engineer", "actor"])
    (['actor'], ['engineer', 'actor'])
    >>> _without_sidelines(["entrepreneur", "politician"])
    ['politician']
    """
    if not nouns or (_is_sideline(nouns[0]) and _POLITICIANS.isdisjoint(nouns)):
        return [*nouns]
    return [noun for noun in nouns if not _is_sideline(noun)]


def _is_sideline(noun: str) -> bool:
    return not _SIDELINES.isdisjoint((noun, last_word(noun)))


def _with_kinds_once(nouns: Sequence[str]) -> list[str]:
    """Return nouns without the word before them that the first one has, too.

    >>> _with_kinds_once(["film director", "film producer"])
    ['film director', 'producer']
    """
    kind = nouns[0].partition(" ")[0] if nouns and " " in nouns[0] else None
    return [*nouns[:1], *(noun.removeprefix(f"{kind} ") for noun in nouns[1:])]


def in_female_form(text: str) -> str:
    """Return a text in which actors are actresses.

    >>> in_female_form("the British voice actor and singer")
    'the British voice actress and singer'
    """
    return _MALE_FORM.sub("actress", text)


def with_occupations(phrase: str, occupations: Sequence[str], description: str) -> str:
    """Return what somebody is with a finer noun, if the occupations have one instead of the noun.

    >>> with_occupations("the British scientist", ["physicist", "inventor"], "British scientist")
    'the British physicist'
    >>> with_occupations("the Japanese actor", ["actor"], "Japanese actor and voice actor")
    'the Japanese voice actor'
    """
    noun = last_word(phrase)
    before = phrase.removesuffix(noun)
    if not _is_noun_alone(before):
        return phrase
    finer = [name for name in occupations if name in _GENERIC.get(noun, ())]
    if len(finer) == 1:
        return f"{before}{finer[0]}"
    voice = _VOICE_ACTORS.get(noun)
    if voice and voice in description.casefold() and _VISIBLE_ACTORS.isdisjoint(occupations):
        return f"{before}{voice}"
    return phrase


def has_other_calling(phrase: str, occupations: Sequence[str]) -> bool:
    """Return whether somebody has several occupations, and a description names another one only.

    >>> has_other_calling("the Polish politician", ["writer", "journalist"])
    True
    """
    noun = last_word(phrase)
    is_sure = noun in _SURE or any(_is_like(noun, name) for name in occupations)
    if is_sure or not _is_noun_alone(phrase.removesuffix(noun)):
        return False
    names = [name for name in occupations if name not in _NO_CALLING]
    return len(names) >= _SEVERAL and not any(name in _GENERIC.get(noun, ()) for name in names)


def _is_noun_alone(words: str) -> bool:
    """Return whether the words before a noun are an article and peoples: "the American actor"."""
    return all(word[0].isupper() for word in words.split()[1:])


def _is_like(noun: str, other: str) -> bool:
    """Return whether somebody who is one thing may be called by the other: poets are writers."""
    last = last_word(other)
    is_near = any(noun in group and (other in group or last in group) for group in _ALIKE)
    is_said = _SAID.get(other, other) == noun or _is_within(noun, other) or _is_within(other, noun)
    return last == noun or is_near or is_said


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
    """Return whether a noun adds nothing to another noun of the same person.

    >>> _is_within("historian", "art historian"), _is_within("art historian", "historian")
    (True, False)
    """
    is_wider = last_word(noun) == last_word(other) and noun.count(" ") <= other.count(" ")
    return is_wider or noun in _WITHIN.get(last_word(other), ()) or noun in _WITHIN.get(other, ())


def _holds_office(noun: str) -> bool:
    return last_word(noun) in _POLITICAL


def last_word(noun: str) -> str:
    """Return the last word of a noun: "director" of "film director"."""
    return noun.rpartition(" ")[2]
