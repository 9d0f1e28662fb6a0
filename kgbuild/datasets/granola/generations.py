"""Tell the names of people who share them with a parent or a child: "John Adams Jr."."""

from kgbuild.datasets.granola.fame import country_led, fame
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.plain_names import is_bare_ruler
from kgbuild.datasets.granola.usual_names import GENERATIONS

_FAMOUS_PARENT, _MORE_FAMOUS_PARENT = 40, 3
"""The least fame of somebody whose name without "Jr." or "Sr." is clear, and how many times as
famous as the other one somebody is who is not, in a family with one name.
"""
_LAST_WORDS = tuple(f" {word}" for word in GENERATIONS)
_ENDINGS = (*_LAST_WORDS, *(f",{word}" for word in _LAST_WORDS))
"""The ends of the names of a father and a son."""


def has_bare_name(profiles: Profiles, person: str, label: str) -> bool:
    """Return whether others are meant by the name of somebody without an addition.

    Rulers of several countries have a name and a number: "William III". Of a father and a son, one
    is called "Jr.", "Sr." or "II".
    """
    return is_bare_ruler(label) or is_one_generation(profiles, person, label)


def is_one_generation(profiles: Profiles, person: str, label: str) -> bool:
    """Return whether somebody, or a parent or child, is called "Jr." beside a label without it.

    The more famous one is meant by the name alone, and so is the leader of a country.
    """
    if label.endswith(_LAST_WORDS):
        return False
    others = profiles.namesakes.people_called(label, _ENDINGS)
    if not others:
        return False
    own_fame = fame(profiles, person)
    if own_fame >= _FAMOUS_PARENT or country_led(profiles, person):
        return False
    return any(
        other == person or own_fame < _MORE_FAMOUS_PARENT * fame(profiles, other)
        for other in others
    )
