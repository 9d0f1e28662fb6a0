"""Find the places after a place that say where it lies: "Portland, Oregon"."""

import operator
from collections.abc import Sequence
from itertools import zip_longest

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.gazetteer import place_name, tails
from kgbuild.datasets.granola.name_bounds import is_part
from kgbuild.datasets.granola.readings import Mention, Reading
from kgbuild.datasets.granola.regions import holds
from kgbuild.datasets.granola.reply_words import AMERICAN_STATES, Word, begins_name
from kgbuild.datasets.granola.truths import TrueAnswer
from kgbuild.evaluate.text_metrics import normalise

_AMBIGUOUS_STATES = {"georgia", "new york", "washington"}
"""States of the United States whose names other places have."""
_NOW = {"now", "today", "currently"}
_BETWEEN = {
    *("in", "of", "capital", "city", "town", "village", "neighborhood", "neighbourhood"),
    *("district", "suburb", "part", "area", "section", "one", *_NOW),
}
"""The words between a place and one around it: "Encino, a neighborhood of Los Angeles"."""
_THAT_IS = {"ie", "that", "what", "which", "is"}
"""More words before a name of today: "Bohemia, i.e. what is now the Czech Republic"."""
_WORDS = read_toml("granola", "reply_words")
_FORMER = frozenset(_WORDS["kinds"]["former"])
_HEIRS = {
    normalise(state): frozenset(map(normalise, heirs))
    for state, heirs in _WORDS["former_states"].items()
}
"""The states of today in which places of a former state lie."""
_PARTS_OF = frozenset(_WORDS["parts_of"]["kinds"])
_MOST_OF_KIND = 5
"""The greatest number of words between a part and its town: "a quiet riverside suburb of"."""
_by_level = operator.attrgetter("level")


def places_after(reading: Reading, mention: Mention) -> list[Mention]:
    """Return the places after a place that say where it lies: "Portland, Oregon".

    A name of today replaces the one before it: "Czechoslovakia (now the Czech Republic)".
    """
    qualifiers: list[Mention] = []
    last = mention
    following = reading.words[mention.end : mention.end + 1]
    if reading.words[mention.end - 1].is_possessive and all(map(begins_name, following)):
        return []  # "Harvard's Lawrence Scientific School"
    for other in reading.mentions:
        if _is_address(reading, other):
            continue
        between = reading.words[last.end : other.start]
        texts = {word.text for word in between}
        is_plain = texts <= (_BETWEEN | _THAT_IS if texts & _NOW else _BETWEEN)
        is_next = other.start >= last.end and (is_plain or _is_kind(between))
        if is_next and not reading.words[last.end].begins_sentence:
            if texts & _NOW:
                qualifiers = qualifiers[:-1]
            qualifiers.append(other)
            last = other
    return qualifiers


def _is_address(reading: Reading, mention: Mention) -> bool:
    """Return whether a name in a bracket is a part of a longer one: "London (Hanover Terrace)"."""
    has_bracket = "(" in reading.words[mention.start].before
    return has_bracket and mention.answer is None and is_part(reading, mention)


def of_today(reading: Reading, mention: Mention, qualifiers: Sequence[Mention]) -> Mention | None:
    """Return the true state of today after a former one: "Czechoslovakia, now Slovakia"."""
    is_former = mention.answer is None and mention.name in _HEIRS
    first = next(iter(qualifiers), None)
    return first if is_former and first and first.answer else None


def _is_kind(words: Sequence[Word]) -> bool:
    """Return whether words say what kind of place lies in the next: "a riverside suburb of"."""
    if not 0 < len(words) <= _MOST_OF_KIND or not words[0].has_article:
        return False
    *adjectives, kind, link = words if len(words) > 1 else (*words, *words)
    is_joined = not any(word.before for word in words[1:])
    is_plain = not any(word.is_name for word in adjectives)
    return is_joined and is_plain and kind.text in _PARTS_OF and link.text in ("of", "in")


def contradiction(
    reading: Reading, qualifiers: Sequence[Mention], answer: TrueAnswer
) -> Mention | None:
    """Return the place after a true one that cannot contain it, None without one.

    What a nearest coarser answer follows lies around it: "St. Paul's in Concord, New Hampshire".
    """
    nearest = min((a.level for a in reading.truth.answers if a.level > 1), default=0)
    for qualifier, following in zip_longest(qualifiers, qualifiers[1:]):
        if qualifier.answer or _is_former_state(reading, qualifier):
            return None  # "Dresden, Saxony, German Empire": the first place is enough
        if following and following.answer and following.answer.level == nearest:
            return None
        if _contradicts(reading, qualifier, answer):
            return qualifier
    return None


def _is_former_state(reading: Reading, mention: Mention) -> bool:
    """Return whether a name is that of a former state of a true country: "Estonian SSR"."""
    people = reading.gazetteer.people
    if not _HEIRS.get(mention.name, frozenset()).isdisjoint(map(place_name, reading.truth.names)):
        return True
    own = {people.get(place_name(name)) for name in reading.truth.names} - {None}
    first, *others = mention.name.split()
    return first in own and not _FORMER.isdisjoint(others)


def _contradicts(reading: Reading, qualifier: Mention, answer: TrueAnswer) -> bool:
    """Return whether a place cannot contain a true answer.

    It can if it lies in a place that does: London contains Hammersmith, if it is in England. It
    also can if nothing says where it lies.
    """
    if (is_around := holds(qualifier.name, reading.truth.names)) is not None:
        return not is_around
    within = {name for name in tails(answer) if reading.gazetteer.has_state(name)}
    own = {place_name(name) for name in answer.names}
    if any(name.endswith(f" {qualifier.name}") for name in own):
        return False  # "Hebrew University (Jerusalem)"
    if qualifier.name in _HEIRS:
        true = map(place_name, reading.truth.names)
        return any(map(reading.gazetteer.is_state, true))  # "Oslo, Czechoslovakia"
    if qualifier.name in own | within or not reading.gazetteer.around(qualifier.name):
        return False
    names = {*map(place_name, reading.truth.names)}
    if qualifier.name in AMERICAN_STATES and "united states" in names:
        return not names.isdisjoint(AMERICAN_STATES | _AMBIGUOUS_STATES)
    coarser = sorted((a for a in reading.truth.answers if a.level > answer.level), key=_by_level)
    nearest = [a for a in coarser if a.level == coarser[0].level]
    states = [a for a in coarser if reading.gazetteer.is_state(place_name(a.text))]
    if nearest and all(a in states for a in nearest):
        nearest = states  # the former and the present one
    bounds = within or {place_name(name) for a in nearest for name in a.names}
    return bool(bounds) and not bounds & reading.gazetteer.around(qualifier.name)
