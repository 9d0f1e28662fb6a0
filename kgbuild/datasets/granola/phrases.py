"""Write the names of places and organisations in a sentence: "the United States"."""

import re
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.base import read_toml
from kgbuild.graph.knowledge import Knowledge

DISTRICT = "landkreis"
"""The kind of districts whose names are those of towns."""
_BRACKETS = re.compile(r"\s*\([^)]*\)")
"""The part of a label in brackets: "Georgia (country)"."""
_SCHOOL = re.compile(r"\b(?:Academy|College|Conservatory|Institute|School|University)\b")
_COLLEGE = " College"
_SHORT_VOWELS = str.maketrans("ŌōŪū", "OoUu")
_NAMED_WITH_ARTICLES = ("army", "bloc", "diocese", "franchise", "organisation", "team", "place")
"""Kinds with rules for articles; most of their items are organisations by their classes, too."""


def place_phrase(knowledge: Knowledge, place: str) -> str:
    """Return the name of a place in a sentence: "the United States".

    Long vowels are written without a mark, as in the names of most towns: "Kyoto Prefecture".
    """
    label = read_toml("granola", "places")["names"].get(place) or knowledge.labels.label(place)
    name = _BRACKETS.sub("", label or place).translate(_SHORT_VOWELS)
    if _SCHOOL.search(name):  # a university is a place, too
        return catalog().kinds["organisation"].phrase(name)
    kinds = knowledge.kinds.names(place)
    kind = DISTRICT if DISTRICT in kinds else "water" if kinds[:1] == ["water"] else "place"
    return catalog().kinds[kind].phrase(name)


def organisation_phrase(knowledge: Knowledge, qid: str, label: str) -> str:
    """Return the name of an organisation with its article, and the label of other items."""
    if label.endswith(_COLLEGE):
        label = _with_university(label, knowledge.labels.aliases(qid))
    kinds = knowledge.kinds.names(qid)
    unknown = "organisation" if not kinds and label.startswith("University of ") else ""
    kind = next((name for name in kinds if name in _NAMED_WITH_ARTICLES), unknown)
    return catalog().kinds[kind].phrase(label) if kind else label


def _with_university(college: str, aliases: Sequence[str]) -> str:
    """Return the name of a college with its university, if an alias has it.

    >>> _with_university("University College", ["Univ", "University College, Oxford"])
    'University College, Oxford'
    """
    names = sorted(alias for alias in aliases if alias.startswith(f"{college}, "))
    return names[0] if len(names) == 1 else college
