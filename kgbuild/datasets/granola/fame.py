"""Estimate how well known people and items are, by what the store says about them."""

import re

from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.usual_nouns import has_relative

_WELL_KNOWN_PERSON, _MANY_ALIASES = 40, 8
"""The least number of statements about a person whom everybody knows, or of aliases."""
_MANY_PROPERTIES, _FAMOUS = 7, 24
"""The least number of different properties of a well-known person, and the least fame. Many
statements of one property are those about races and rows of a cast.
"""
_KNOWN_LEADER = 14
"""The least fame of somebody who led a country and is known by the name alone."""
_BRACKETS = re.compile(r"\s*\([^)]*\)")
_LEADER = re.compile(
    r"(?:^|[;,] |\band )(?:the |current |former |first |second |third |\w+th |\d+(?:st|nd|rd|th) )*"
    r"(?:president|prime minister) of (?:the )?(?:[\w' ]*Republic of (?:the )?)?"
    r"(?P<country>[^;,]+?)(?= (?:between|from|in|of|since|until)\b|[;,]|$)",
    re.IGNORECASE,
)
"""A description of the leader of a country: "37th President of Brazil"."""


def is_well_known(profiles: Profiles, person: str) -> bool:
    """Return whether a person is recognised by a name that others may have."""
    return _has_fame(profiles, person) or bool(country_led(profiles, person))


def needs_no_description(profiles: Profiles, person: str) -> bool:
    """Return whether readers know a person by the name alone, as not every president is known."""
    if _has_fame(profiles, person):
        return True
    return fame(profiles, person) >= _KNOWN_LEADER and bool(country_led(profiles, person))


def _has_fame(profiles: Profiles, person: str) -> bool:
    if is_famous(profiles, person):
        return True
    is_described = len(profiles.facts(person)) >= _MANY_PROPERTIES
    return is_described and fame(profiles, person) >= _FAMOUS


def fame(profiles: Profiles, qid: str) -> int:
    """Return the number of statements about an item and of its own, and twice that of aliases."""
    aliases = len(profiles.labels.aliases(qid))
    return profiles.popularity(qid) + 2 * aliases + sum(map(len, profiles.facts(qid).values()))


def is_famous(profiles: Profiles, person: str) -> bool:
    """Return whether everybody knows a person, like Plato, who has a single word for a name."""
    is_popular = profiles.popularity(person) >= _WELL_KNOWN_PERSON
    return is_popular or len(profiles.labels.aliases(person)) >= _MANY_ALIASES


def country_led(profiles: Profiles, person: str) -> str | None:
    """Return the country of which somebody is president or prime minister by the description."""
    description = without_brackets(profiles.labels.description(person) or "")
    match = None if has_relative(description) else _LEADER.search(description)
    return profiles.descriptions.country_of(f"leader of {match['country']}") if match else None


def without_brackets(text: str) -> str:
    """Return a text without what stands between brackets: the years of somebody's life."""
    return _BRACKETS.sub("", text)
