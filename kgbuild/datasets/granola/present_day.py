"""Tell whether it is sure that a company or a team exists: a store lacks the end of most."""

from collections.abc import Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS
from kgbuild.datasets.granola.levels.profiles import Profiles

_ASKED_IN_THE_PRESENT = {"P131", "P159", "P276"}
_TEAM, _PLACE = "team", "place"
_KNOWN_COMPANY, _KNOWN_TEAM = 25, 2
"""The least numbers of statements about a company and a team whose end the store would state."""


def may_have_ended(profiles: Profiles, pid: str, subject: str, kinds: Sequence[str]) -> bool:
    """Return whether a question about a subject by ``pid`` may wrongly speak in the present.

    A company exists if its shares are traded, if it is a member of something, or if it has an
    executive; a team, if it has a league, a coach or a venue. Of well-known ones, the store states
    the end.
    """
    if pid not in _ASKED_IN_THE_PRESENT or _PLACE in kinds:
        return False
    table = read_toml("granola", "levels/classes")["present"]
    if _TEAM in kinds:
        least, evidence = _KNOWN_TEAM, table["of_teams"]
    elif _is_company(profiles, subject):
        least, evidence = _KNOWN_COMPANY, table["of_companies"]
    else:
        return False
    has_evidence = any(profiles.values(subject, one) for one in evidence)
    return not has_evidence and profiles.popularity(subject) < least


def _is_company(profiles: Profiles, subject: str) -> bool:
    """Return whether an item is a company, a record label or a channel, and nothing that lasts."""
    table = read_toml("granola", "levels/classes")["present"]
    classes = [value for _, value in profiles.classes.direct(subject, CLASS)]
    closure = frozenset[str]().union(*map(profiles.classes.closure, classes))
    is_lasting = not closure.isdisjoint(table["lasting"])
    return not is_lasting and not closure.isdisjoint(table["companies"])
