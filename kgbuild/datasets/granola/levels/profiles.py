"""Describe items by facets, of which their coarser answers are made."""

import functools
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.classes import (
    BROADER,
    CLASS,
    OCCUPATION,
    Classes,
    Facet,
    Proof,
)
from kgbuild.datasets.granola.levels.descriptions import BRACKETS, DESCRIPTION, PEOPLE
from kgbuild.datasets.granola.levels.places import COUNTRIES, PLACE, Places
from kgbuild.english.articles import capitalised
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean_label
from kgbuild.rows import Evidence

PERSON = "person"
WORKS = frozenset({"screen", "music", "writing", "artwork"})
"""The kinds of works, whose titles stand in quotation marks."""
_MAKERS = ("P50", "P170", "P175")
"""Author, creator, performer."""
_DIRECTOR, _FILM = "P57", "Q11424"
"""Director, who counts as the maker of a film only: the parts of a series have several."""
CITIZENSHIP = "P27"
PLACES = (None, "place", "water")
"""Kinds of items that are places, and items of no kind; all others have a seat in a place."""
_COUNTRY, _DEMONYM = "P17", "P1549"
DISTRICT = "landkreis"
"""The kind of districts whose names are those of towns."""
_SCHOOL = re.compile(r"\b(?:Academy|College|Conservatory|Institute|School|University)\b")
_ORGANISATION = "organisation"
_SHORT_VOWELS = str.maketrans("ŌōŪū", "OoUu")
_NAMED_WITH_ARTICLES = ("army", "bloc", "diocese", "franchise", "organisation", "team", "place")
"""Kinds with rules for articles; most of their items are organisations by their classes, too."""
_CACHE_SIZE = 1 << 16
"""Maximum number of profiles that are kept in memory."""


class Profile(NamedTuple):
    """The facets of an item, each with the triples that prove it.

    The item itself is a facet without triples, if it is a place or a class. ``direct`` are its
    usual classes or occupations; those that its description names come first, and ``named`` is
    their number. ``kind`` is the kind of the item in relations.toml, or None. ``is_described`` is
    whether the item has a description.
    """

    facets: Mapping[Facet, Proof]
    direct: tuple[Facet, ...]
    named: int
    kind: str | None
    female_nouns: Mapping[Facet, tuple[str, Evidence]] = MappingProxyType({})
    is_described: bool = False


class Profiles:
    """The profiles of items, and the facets that follow from a facet.

    ``place_tier`` is that of ``Places``; ``place_phrase`` is the name of a place in a sentence.
    """

    def __init__(self, knowledge: Knowledge):
        self.knowledge = knowledge
        self.labels = knowledge.labels
        self.kinds = knowledge.kinds
        self.popularity = knowledge.statements.popularity
        self.facts = knowledge.statements.by_property
        self.values = self._values = knowledge.statements.values
        self._places = Places(knowledge)
        self.descriptions = self._places.descriptions
        self.history = self._places.history
        self.place_tier = self._places.tier
        self.place_phrase = functools.cache(self._place_phrase)
        self.classes = Classes(knowledge, self.descriptions)
        self.items_called = knowledge.names.items
        self.profile = functools.lru_cache(_CACHE_SIZE)(self._read)
        self.demonym = functools.cache(self._read_demonym)
        self.implied = functools.cache(self._read_implied)

    def label(self, qid: str) -> str:
        """Return the label of an item without invisible characters; empty if it has none."""
        return clean_label(self.labels.label(qid) or "")

    def place_name(self, place: str) -> str:
        """Return the usual name of a place, or its label.

        Long vowels are written without a mark, as in the names of most towns: "Kyoto Prefecture".
        """
        label = read_toml("datasets/granola/levels/place_exceptions.toml")["names"].get(place)
        name = BRACKETS.sub("", label or self.labels.label(place) or place)
        return name.translate(_SHORT_VOWELS)

    def _place_phrase(self, place: str) -> str:
        """Return the name of a place in a sentence: "the United States"."""
        name, kinds = self.place_name(place), self.kinds.names(place)
        if _SCHOOL.search(name) and kinds and "city" not in kinds:  # a university is a place, too
            return catalog().kinds[_ORGANISATION].phrase(name)
        kind = DISTRICT if DISTRICT in kinds else "water" if kinds[:1] == ["water"] else "place"
        return catalog().kinds[kind].phrase(name)

    def organisation_phrase(self, qid: str, label: str) -> str:
        """Return the name of an organisation with its article, and the label of other items."""
        kinds = self.kinds.names(qid)
        unknown = _ORGANISATION if not kinds and label.startswith("University of ") else ""
        kind = next((name for name in kinds if name in _NAMED_WITH_ARTICLES), unknown)
        return catalog().kinds[kind].phrase(label) if kind else label

    def of_class(self, qid: str, pid: str) -> Profile:
        """Return the profile of a class that is the value of a property, such as a language."""
        dimension = BROADER + pid
        superclasses = self.classes.superclasses(qid, dimension)
        direct = self.classes.direct(qid, CLASS)
        facets: dict[Facet, Proof] = {
            (dimension, qid): (),
            **{(dimension, superclass): path for superclass, path in superclasses.items()},
            **self.classes.with_superclasses(direct),
        }
        return Profile(facets, *self.classes.ranked(qid, direct), None)

    def _read_implied(self, facet: Facet) -> frozenset[Facet]:
        """Return a facet with all facets that follow from it."""
        dimension, value = facet
        broader: Iterable[str] = ()
        if dimension == PLACE:
            broader = self._places.above(value)
        elif dimension in (CLASS, OCCUPATION) or dimension.startswith(BROADER):
            broader = self.classes.implied(value)
        elif dimension == PEOPLE:
            broader = self.wider_people(value)
        return frozenset((dimension, qid) for qid in (value, *broader))

    def described_kinds(self, qid: str) -> list[str]:
        """Return the kinds of an item by its classes, or by its description if it has none."""
        names = self.kinds.names(qid)
        if names or self._values(qid, CLASS):
            return names
        if self._values(qid, OCCUPATION):
            return [PERSON]
        classes = (self.kinds.of_class(value) for _, value in self.classes.direct(qid, CLASS))
        described = frozenset[str]().union(*classes)
        return [name for name in catalog().kinds if name in described]

    def is_unusual(self, place: str) -> bool:
        """Return whether people do not name a place, or areas of its class."""
        unusual = read_toml("datasets/granola/levels/place_exceptions.toml")["unusual"]
        return not unusual.keys().isdisjoint((place, *self._values(place, CLASS)))

    def _read_demonym(self, country: str) -> str | None:
        """Return the demonym of a country, or None; other places have none.

        The store's demonyms count if there are any; of several, the one in ``demonyms.toml``, else
        the alphabetically first. Demonyms of states within countries are unusual: "a Bay Stater
        university".
        """
        usual = read_toml("english/demonyms.toml").get(country)
        candidates: list[str] = []
        if usual or COUNTRIES & {*self._values(country, CLASS)}:
            values = self.knowledge.graph.select("values", subject=country, property=_DEMONYM)
            candidates = sorted(value.text for (value,) in values if value.language == "en")
        demonym = usual if usual in candidates or not candidates else candidates[0]
        return capitalised(demonym) if demonym else None

    def _read(self, qid: str) -> Profile:
        kind = next(iter(self.kinds.names(qid)), None)
        if kind is None and self._is_person(qid):
            kind = PERSON
        direct = self.classes.direct(qid, OCCUPATION if kind == PERSON else CLASS)
        facets = self.classes.with_superclasses(direct)
        if kind == PERSON:
            facets |= self._peoples(qid)
        elif kind not in WORKS:
            if kind in PLACES:
                facets[PLACE, qid] = ()
            around = self._places.above(qid, seated=kind not in PLACES)
            facets |= {(PLACE, place): proof for place, proof in around.items()}
        nouns = {
            facet: noun
            for facet in (facets if kind == PERSON else ())
            if facet[0] == OCCUPATION and (noun := self.classes.female_noun(qid, facet))
        }
        is_described = self.labels.description(qid) is not None
        ranked, named = self.classes.ranked(qid, direct)
        return Profile(facets, ranked, named, kind, nouns, is_described)

    def makers(self, qid: str) -> list[Evidence]:
        """Return the triples that state the makers of a work: the directors of a film."""
        return [
            Evidence(qid, pid, maker)
            for pid in ([_DIRECTOR] if self.is_film(qid) else _MAKERS)
            for maker in self._values(qid, pid)
        ]

    def is_film(self, qid: str) -> bool:
        """Return whether an item is a film, by its classes or its description."""
        return _FILM in self.classes.all_of(qid)

    def _is_person(self, qid: str) -> bool:
        """Return whether an item without a kind has an occupation, by statement or description."""
        values = self._values
        by_description = not values(qid, CLASS) and self.classes.direct(qid, OCCUPATION)
        return bool(values(qid, OCCUPATION) or by_description)

    def _peoples(self, qid: str) -> dict[Facet, Proof]:
        """Return the nationalities of a person, with the one that only the description has."""
        facets: dict[Facet, Proof] = {}
        for country in self._values(qid, CITIZENSHIP):
            if demonym := self.demonym(country):
                facets.setdefault((PEOPLE, demonym), (Evidence(qid, CITIZENSHIP, country),))
        description, named = self.descriptions.read(qid), self.descriptions.peoples(qid)
        if description and description.people and named.isdisjoint(name for _, name in facets):
            facets[PEOPLE, description.people] = (Evidence(qid, DESCRIPTION, description.text),)
        return facets

    def wider_people(self, demonym: str) -> frozenset[str]:
        """Return a demonym with those of the states that it is part of: English, British."""
        country = self.descriptions.people.get(demonym)
        states = self._values(country, _COUNTRY) if country else ()
        present = (state for state in states if not self.history.is_former(state))
        return frozenset(filter(None, (demonym, *map(self.demonym, present))))
