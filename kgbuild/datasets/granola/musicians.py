"""Tell who makes music, and what without a class is several musicians."""

import re

from kgbuild.datasets.granola.levels.profiles import Profiles

_OCCUPATION, _RECORD_LABEL = "P106", "P264"
_MUSICIAN = re.compile(
    r"music|singer|song|rapper|composer|vocalist|band|disc jockey|\bDJ\b|conductor|drummer|bass"
    r"|(?:guitar|pian|violin|keyboard|saxophon|organ|cell|trumpet|percussion)ist\b|soprano|tenor"
)
"""What somebody is who makes music."""
_ENSEMBLE = re.compile(
    r"\b(?:band|duo|trio|quartet|orchestra|(?:boy|girl|musical?|pop|rock|vocal) group)\b"
)
"""What several musicians are."""


def makes_music(profiles: Profiles, person: str) -> bool:
    """Return whether somebody is a musician by an occupation; others only made recordings."""
    label = profiles.labels.label
    names = [label(qid) or "" for qid in profiles.facts(person).get(_OCCUPATION, ())]
    texts = [*names, profiles.labels.description(person) or ""]
    return not names or any(map(_MUSICIAN.search, texts))


def is_ensemble(profiles: Profiles, item: str) -> bool:
    """Return whether an item without a class is several musicians."""
    description = profiles.labels.description(item) or ""
    return _RECORD_LABEL in profiles.facts(item) or bool(_ENSEMBLE.search(description))
