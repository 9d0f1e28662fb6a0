"""Parse the descriptions of items: "English rock band", "city in Fairfax County, Virginia".

In the GRANOLA paper a model reads descriptions. Here rules read them, for facts that no statement
has. A word counts if it is the name of a class, an occupation or a place in the store, or a
demonym.
"""

import functools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.history import History
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.wikidata import number

PEOPLE = "people"
"""The dimension of nationalities: the demonyms of countries."""
DESCRIPTION = "schema:description"
"""The property of a triple whose object is a description."""

_UNTRUE = re.compile(r"\b(?:fictional|fictitious|mythical|mythological|legendary|proposed)\b", re.I)
BRACKETS = re.compile(r"\s*\([^)]*\)")
"""The part of a text in brackets: "Georgia (country)"."""
_LEADING = re.compile(r"^(?:(?:an?|the|former|retired|late|\d\w*[- ]century|\d{4})\s+)+", re.I)
_HEAD_ENDS = re.compile(
    r"\s*(?:[;:.]|\b(?:of|from|in|by|at|on|for|who|that|which|whose|located|based|known|best|with"
    r"|to|near|played|published|founded|formed|between|during|since|under|as|born|appearing|created"
    r"|led|directed|depicted|written|produced|owned|headquartered|established|operating)\b)"
)
_SEPARATOR = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&)\s*")
_NAME = (
    r"(?:(?:north|south|east|west|central)[\w-]*\s+)*(?:the\s+)?"
    r"([A-Z][^,;]*?)(?=\s+(?:(?:in|of|from)\b|and [^A-Z])|[,;]|\.?$|\.\s)"
)
_PLACES = re.compile(rf"\b(?:in|of|from)\s+{_NAME}(?:,\s*{_NAME})*")
_PLACE = re.compile(rf"(?:\b(?:in|of|from)\s+|,\s*){_NAME}")
"""A name after a preposition, with further ones after commas; and one of these names."""
_CAPITAL = re.compile(r"\bWashington,? D\.? ?C\b\.?")
"""The only city whose name has a comma, and that of a state before it."""
_DIRECTION = re.compile(r"(?:(?:north|south|east|west|central)(?:ern)?\b[ -]?)+", re.I)
"""The beginning of the name of a part of a country, and a word before a nationality."""
_TOWARDS = r"(?:(?:north|south|east|west)[a-z]*[ -])+of\b"
_BESIDE = re.compile(
    rf"(\bthe {_TOWARDS})|(?:\bto the |\b){_TOWARDS}[^,;]*?(?:,|$|(?=\s(?:in|from)\s))"
)
"""A direction within a place, "the north of Spain", or one from a place that is only near."""
_FOOTBALL = re.compile(r"(?:American|Australian|Canadian) (?:rules )?football")
"""Sports whose names begin like that of a nationality."""
_WORDS = re.compile(r"[^\s/,;:()–-]+")
_SHORT_PEOPLES = {"US": "American", "U.S.": "American", "UK": "British", "U.K.": "British"}
MAX_DEMONYM_WORDS = 3
"""Maximum number of words in a demonym: Bosnian and Herzegovinian."""
_CACHE_SIZE = 1 << 15
"""Maximum number of descriptions that are kept in memory; many items have the same one."""
_AMBIGUOUS = {"georgia", "luxembourg", "macedonia", "guinea", "congo", "america", "athens"}
"""Names of countries that are also names of other places, or common words."""
_CODES = {"us", "uk", "usa"}
_CODE_LETTERS = 2
"""The number of letters of codes: "CA" is California, not Canada."""
_BETTER_KNOWN = 10
"""How many times as many statements must be about a place as about others of its name."""


class Description(NamedTuple):
    """A parsed description.

    ``people`` is the demonym, or None; ``nouns`` name classes or occupations; ``places`` are
    those that it names, the first one first, and ``country`` is the country, or None.
    """

    text: str
    people: str | None
    nouns: tuple[str, ...]
    places: tuple[str, ...]
    country: str | None


class Descriptions:
    """The parsed descriptions of items. ``people`` has the country of each demonym."""

    def __init__(self, knowledge: Knowledge, history: History):
        self._labels = knowledge.labels
        self._names = knowledge.names
        self._kinds = knowledge.kinds
        self._popularity = knowledge.statements.popularity
        self._is_former = is_former = history.is_former
        self._around = history.around
        demonyms = read_toml("english/demonyms.toml")
        by_age = sorted(demonyms, key=lambda qid: (is_former(qid), number(qid)))
        self.people = {demonyms[qid]: qid for qid in reversed(by_age)}
        self._countries = self._by_name(by_age)
        self._nations = {qid for qid in demonyms if not is_former(qid)}
        self._parse = functools.lru_cache(_CACHE_SIZE)(self._parse_text)
        self._places_called = functools.lru_cache(_CACHE_SIZE)(self._read_places_called)

    def read(self, qid: str) -> Description | None:
        """Return the description of an item; None if it lacks one, or is not real."""
        return self._parse(self._labels.description(qid) or "")

    def country(self, qid: str) -> str | None:
        """Return the country that the description of an item names."""
        description = self.read(qid)
        return description.country if description else None

    def _parse_text(self, text: str) -> Description | None:
        if not text or _UNTRUE.search(text):
            return None
        plain = _LEADING.sub("", BRACKETS.sub("", text).strip())
        head = _HEAD_ENDS.split(plain, maxsplit=1)[0]
        people, rest = self._split_demonym(head.split())
        nouns = tuple(noun for noun in _SEPARATOR.split(" ".join(rest)) if noun)
        named = _BESIDE.sub(lambda m: m[1] or "in", _CAPITAL.sub("District of Columbia", plain))
        spans = _PLACES.finditer(named)
        places = [name for span in spans for name in _PLACE.findall(span[0])]
        countries = {qid for name in places if (qid := self._country_called(name))}
        if people:
            countries.add(self.people[people])
        countries = {qid for qid in countries if not self._is_former(qid)}
        inner = (one for one in countries if countries <= self._around(one) | {one})
        country = min(inner, default=None)
        return Description(text, people, nouns, self._places(places, country), country)

    def _country_called(self, name: str) -> str | None:
        """Return the country with a name, or the one that it is a part of: North East England."""
        names = (name, _DIRECTION.sub("", name))
        return next((qid for one in names if (qid := self._countries.get(fold(one)))), None)

    def _places(self, names: Sequence[str], country: str | None) -> tuple[str, ...]:
        """Return the places that a description names, the first one first, and the country.

        Of several places with a name, it is the only one in an area that the description names, or
        in the country if none that may be there is better known; else the one that is by far the
        best known, or the only one, unless it is elsewhere.
        """
        found: dict[str, str] = {}
        countries = {country} if country else set()
        for name in (*reversed(names), *reversed(names)):  # each name helps to read the others
            areas = {*found.values()} - countries
            places = self._places_called(name)
            possible = [one for one in places if not self._is_elsewhere(one, areas, country)]
            inside = [one for one in possible if not self._around(one).isdisjoint(areas)]
            at_home = [one for one in possible if not self._around(one).isdisjoint(countries)]
            if len(inside) == 1:
                found.setdefault(name, inside[0])
            elif len(at_home) == 1 and at_home == possible[:1]:
                found.setdefault(name, at_home[0])
            elif possible and possible[0] == places[0] and self._is_clear(*places[:2]):
                found.setdefault(name, places[0])
        return tuple(found[name] for name in names if name in found) + (
            (country,) if country else ()
        )

    def _is_elsewhere(self, place: str, areas: set[str], country: str | None) -> bool:
        """Return whether a place is in another country, or in another area of the kind of one."""
        around = self._around(place)
        if country in around or not around.isdisjoint(areas):
            return False
        if country and not {place, *around} & self._nations <= {country, *self._around(country)}:
            return True
        kinds = [self._kinds.names(area) for area in areas]
        within = areas.union(*map(self._around, areas))
        return any(self._kinds.names(one) in kinds for one in around - within)

    def _is_clear(self, place: str, *others: str) -> bool:
        """Return whether a place is the only one of its name, or by far the best known."""
        popularity = self._popularity
        return all(popularity(place) > _BETTER_KNOWN * popularity(other) for other in others)

    def peoples(self, qid: str) -> frozenset[str]:
        """Return the demonyms in the description of an item: "British/US record label"."""
        words = _WORDS.findall(self._labels.description(qid) or "")
        names = (" ".join(words[n:end]) for n in range(len(words)) for end in (n + 1, n + 2))
        return frozenset(
            name for word in names if (name := _SHORT_PEOPLES.get(word, word)) in self.people
        )

    def _split_demonym(self, words: list[str]) -> tuple[str | None, list[str]]:
        """Return the demonym at the beginning of ``words``, and the words after it."""
        if _FOOTBALL.match(" ".join(words)):
            return None, words
        for start in (0, 1) if words[:1] and _DIRECTION.fullmatch(words[0]) else (0,):
            for end in range(min(start + MAX_DEMONYM_WORDS, len(words) - 1), start, -1):
                if (demonym := " ".join(words[start:end])) in self.people:
                    return demonym, words[end:]
        return None, words

    def _read_places_called(self, name: str) -> list[str]:
        """Return the places of today with a label, the best known first."""
        places = [
            item
            for item in self._names.items(name)
            if self._labels.label(item) == name
            and "place" in self._kinds.names(item)
            and not self._is_former(item)
        ]
        return sorted(places, key=self._popularity, reverse=True)

    def _by_name(self, countries: list[str]) -> Mapping[str, str]:
        """Return the first country with each label or alias."""
        labels = [(self._labels.label(qid) or "", qid) for qid in countries]
        aliases = [(alias, qid) for qid in countries for alias in self._labels.aliases(qid)]
        by_name = {fold(name): qid for name, qid in reversed(labels + aliases) if name}
        return {
            name: qid
            for name, qid in by_name.items()
            if name not in _AMBIGUOUS and (len(name) > _CODE_LETTERS or name in _CODES)
        }


def position(text: str, names: Iterable[str]) -> float:
    """Return the position of the first of ``names`` in a description, or infinity."""
    description = f" {fold(text)}"
    positions = (description.find(f" {fold(name)}") for name in names if name)
    return min((position for position in positions if position >= 0), default=math.inf)
