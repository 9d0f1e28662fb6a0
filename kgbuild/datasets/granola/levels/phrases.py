"""Write the names of places and organisations in a sentence: "the United States"."""

import re

from kgbuild.catalog import catalog
from kgbuild.datasets.base import read_toml
from kgbuild.graph.knowledge import Knowledge

DISTRICT = "landkreis"
"""The kind of districts whose names are those of towns."""
_BRACKETS = re.compile(r"\s*\([^)]*\)")
"""The part of a label in brackets: "Georgia (country)"."""
_SCHOOL = re.compile(r"\b(?:Academy|College|Conservatory|Institute|School|University)\b")
_ORGANISATION = "organisation"
_SHORT_VOWELS = str.maketrans("ŌōŪū", "OoUu")
_NAMED_WITH_ARTICLES = ("army", "bloc", "diocese", "franchise", "organisation", "team", "place")
"""Kinds with rules for articles; most of their items are organisations by their classes, too."""


def place_name(knowledge: Knowledge, place: str) -> str:
    """Return the usual name of a place, or its label.

    Long vowels are written without a mark, as in the names of most towns: "Kyoto Prefecture".
    """
    label = read_toml("granola", "levels/places")["names"].get(place)
    name = _BRACKETS.sub("", label or knowledge.labels.label(place) or place)
    return name.translate(_SHORT_VOWELS)


def place_phrase(knowledge: Knowledge, place: str) -> str:
    """Return the name of a place in a sentence: "the United States"."""
    name, kinds = place_name(knowledge, place), knowledge.kinds.names(place)
    if _SCHOOL.search(name) and kinds and "city" not in kinds:  # a university is a place, too
        return catalog().kinds[_ORGANISATION].phrase(name)
    kind = DISTRICT if DISTRICT in kinds else "water" if kinds[:1] == ["water"] else "place"
    return catalog().kinds[kind].phrase(name)


def organisation_phrase(knowledge: Knowledge, qid: str, label: str) -> str:
    """Return the name of an organisation with its article, and the label of other items."""
    kinds = knowledge.kinds.names(qid)
    unknown = _ORGANISATION if not kinds and label.startswith("University of ") else ""
    kind = next((name for name in kinds if name in _NAMED_WITH_ARTICLES), unknown)
    return catalog().kinds[kind].phrase(label) if kind else label
