"""Parse the descriptions of items: "English rock band", "city in Fairfax County, Virginia".

In the GRANOLA paper a model reads descriptions. Here rules read them, for facts that no statement
has. A word counts if it is the name of a class, an occupation or a country in the store, or a
demonym.
"""

import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.wikidata import number

PEOPLE = "people"
"""The dimension of nationalities: the demonyms of countries."""
DESCRIPTION = "schema:description"
"""The property of a triple whose object is a description."""

_UNTRUE = re.compile(r"\b(?:fictional|fictitious|mythical|mythological|legendary|proposed)\b", re.I)
_BRACKETS = re.compile(r"\s*\([^)]*\)")
_LEADING = re.compile(r"^(?:(?:an?|the|former|retired|late|\d\w*[- ]century|\d{4})\s+)+", re.I)
_HEAD_ENDS = re.compile(
    r"\s*(?:[;:.]|\b(?:of|from|in|by|at|on|for|who|that|which|whose|located|based|known|best|with"
    r"|to|near|played|published|founded|formed|between|during|since|under|as|born)\b)"
)
_PRIVATE_OFFICE = re.compile(
    r"(?:,|,? and) (?:president|secretary|chancellor) of [^,;]*\b"
    r"(?:Academy|Association|Company|Corporation|Guild|Institute|Society|University)\b.*$"
)
"""An office that no politician holds: "film director, and president of the Directors Guild"."""
_SEPARATOR = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&)\s*")
_PLACE = re.compile(r"\b(?:in|of|from)\s+(?:the\s+)?([A-Z][^,;.]*?)(?=\s+(?:in|of|from)\b|[,;.]|$)")
_SEGMENT = re.compile(r",\s*(?:the\s+)?([A-Z][^,;.]*)")
_OTHER_WASHINGTON = re.compile(
    r"(?<!County, )(?<!state of )\bWashington\b(?!, (?:United States|USA|U\.S\.))"
)
"""Of the many places called Washington, only the state has counties, and only it lies in the
United States by its description.
"""
_DIRECTION = re.compile(r"(?:north|south|east|west|central)(?:ern)?", re.I)
_STATE_OF_AMERICA = re.compile(r"\bCounty\b|\b(?:United States|USA?|U\.S\.)(?!\w)")
"""What says that Georgia is not the country."""
_OF_COUNTRY = re.compile(r".* (?:of|in) (?:the )?(.+)$")
_FOOTBALL = re.compile(r"(?:American|Australian|Canadian) (?:rules )?football")
"""Sports whose names begin like that of a nationality."""
_WORDS = re.compile(r"[^\s/,;:()–-]+")
_SHORT_PEOPLES = {"US": "American", "U.S.": "American", "UK": "British", "U.K.": "British"}
_MAX_DEMONYM_WORDS = 3
"""Maximum number of words in a demonym."""
_CACHE_SIZE = 1 << 15
"""Maximum number of descriptions that are kept in memory; many items have the same one."""
_AMBIGUOUS = {"georgia", "luxembourg", "macedonia", "us", "uk", "guinea", "congo", "america"}
"""Names of countries that are also names of other places, or common words."""

_CODE_LETTERS = 2
"""The number of letters of codes: "CA" is California, not Canada."""


class Description(NamedTuple):
    """A parsed description.

    ``people`` is the demonym, or None; ``nouns`` name classes or occupations; ``where`` is a city,
    a state or a country, or None if the description names no place, or several.
    """

    text: str
    people: str | None
    nouns: tuple[str, ...]
    where: str | None


class Descriptions:
    """The parsed descriptions of items.

    ``is_former`` returns whether a country no longer exists. ``states`` are classes of states
    within countries, ``cities`` are well-known cities; both are recognised by name.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        is_former: Callable[[str], bool],
        states: Sequence[str],
        cities: Sequence[str],
    ):
        self._labels = knowledge.labels
        subjects = knowledge.statements.subjects
        self._states = self._by_label(qid for state in states for qid in subjects(state, "P31"))
        self._cities = self._by_label(cities)
        demonyms = read_toml("granola", "demonyms")
        by_age = sorted(demonyms, key=lambda qid: (is_former(qid), number(qid)))
        self._people = {demonyms[qid]: qid for qid in reversed(by_age)}
        self._countries = self._by_name(by_age)
        self._parse = functools.lru_cache(_CACHE_SIZE)(self._parse_text)

    def read(self, qid: str) -> Description | None:
        """Return the description of an item; None if it lacks one, or is not real."""
        return self._parse(self._labels.description(qid) or "")

    def beginning(self, text: str) -> tuple[str | None, tuple[str, ...]]:
        """Return the ``people`` and the ``nouns`` of the description with this text.

        There are none if it is not real. The place in a description takes longer to find.
        """
        return self._beginning(_plain(text)) if _is_real(text) else (None, ())

    def _parse_text(self, text: str) -> Description | None:
        if not _is_real(text):
            return None
        people, nouns = self._beginning(plain := _plain(text))
        return Description(text, people, nouns, self._where(plain, people))

    def _beginning(self, plain: str) -> tuple[str | None, tuple[str, ...]]:
        head = _HEAD_ENDS.split(_PRIVATE_OFFICE.sub("", plain), maxsplit=1)[0]
        people, rest = self._split_demonym(head.split())
        return people, tuple(noun for noun in _SEPARATOR.split(" ".join(rest)) if noun)

    def peoples(self, qid: str) -> frozenset[str]:
        """Return the demonyms in the description of an item: "British/US record label"."""
        words = _WORDS.findall(self._labels.description(qid) or "")
        names = (" ".join(words[n:end]) for n in range(len(words)) for end in (n + 1, n + 2))
        return frozenset(
            name for word in names if (name := _SHORT_PEOPLES.get(word, word)) in self._people
        )

    def country_of(self, label: str) -> str | None:
        """Return the country that the label of a class ends with: "municipality of Finland"."""
        match = _OF_COUNTRY.search(label)
        return self._countries.get(fold(match[1])) if match else None

    def country_of_people(self, demonym: str) -> str | None:
        """Return the country whose people a demonym names, or None."""
        return self._people.get(demonym)

    @functools.cached_property
    def regions(self) -> Mapping[str, str]:
        """The countries and states by folded name."""
        return {**self._states, **self._countries}

    def _split_demonym(self, words: list[str]) -> tuple[str | None, list[str]]:
        """Return the demonym at the beginning of ``words``, and the words after it."""
        if _FOOTBALL.match(" ".join(words)):
            return None, words
        for start in (0, 1) if words[:1] and _DIRECTION.fullmatch(words[0]) else (0,):
            for end in range(min(start + _MAX_DEMONYM_WORDS, len(words) - 1), start, -1):
                if (demonym := " ".join(words[start:end])) in self._people:
                    return demonym, words[end:]
        return None, words

    def _where(self, text: str, people: str | None) -> str | None:
        text = _OTHER_WASHINGTON.sub("", text)
        matches = (*_PLACE.findall(text), *_SEGMENT.findall(text))
        # "borough in New York City and county in New York", "in France and in Germany"
        parts = (part for name in matches for part in (name, re.split(r" and\b", name)[0]))
        names = list(dict.fromkeys(map(fold, parts)))
        cities, states, countries = (
            {qid for name in names if (qid := by_name.get(name))}
            for by_name in (self._cities, self._states, self._countries)
        )
        if "georgia" in names and not _STATE_OF_AMERICA.search(text):
            return None
        if people:
            countries.add(self._people[people])
        if len(countries) > 1 or len(states) > 1 or len(cities) > 1:
            return None
        return next(iter((*cities, *states, *countries)), None)

    def _by_label(self, qids: Iterable[str]) -> dict[str, str]:
        return {fold(label): qid for qid in qids if (label := self._labels.label(qid))}

    def _by_name(self, countries: list[str]) -> Mapping[str, str]:
        """Return the first country with each label or alias."""
        labels = [(self._labels.label(qid) or "", qid) for qid in countries]
        aliases = [(alias, qid) for qid in countries for alias in self._labels.aliases(qid)]
        by_name = {fold(name): qid for name, qid in reversed(labels + aliases) if name}
        return {
            name: qid
            for name, qid in by_name.items()
            if name not in _AMBIGUOUS and len(name) > _CODE_LETTERS
        }


def added_people(people: str | None, text: str, stated: Iterable[str]) -> str | None:
    """Return the demonym that a description adds to ``stated`` ones: none if it contains one.

    ``people`` is the demonym at the beginning of the description.
    """
    is_named = people is not None and any(position(text, [name]) < math.inf for name in stated)
    return None if is_named else people


def position(text: str, names: Iterable[str]) -> float:
    """Return the position of the first of ``names`` in a description, or infinity."""
    description = f" {fold(text)}"
    positions = (description.find(f" {fold(name)}") for name in names if name)
    return min((position for position in positions if position >= 0), default=math.inf)


def _is_real(text: str) -> bool:
    """Return whether a description is that of something real."""
    return bool(text) and not _UNTRUE.search(text)


def _plain(text: str) -> str:
    """Return a description without brackets, and without words before its demonym."""
    return _LEADING.sub("", _BRACKETS.sub("", text).strip())
