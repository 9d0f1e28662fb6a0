"""What is true of an item: the facets by which coarser answers describe it, with their evidence."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.datasets.granola.classes import (
    BROADER,
    CLASS,
    HANDFUL,
    OCCUPATION,
    Classes,
    Facet,
    Path,
    unsaid,
)
from kgbuild.datasets.granola.description import PROPERTY
from kgbuild.datasets.granola.places import COUNTRIES, Places
from kgbuild.datasets.granola.wording import capitalised, demonyms
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence

PLACE, PEOPLE, MAKER, YEAR, SPORT = "place", "people", "maker", "year", "sport"
PERSON = "person"
WORKS = ("screen", "music", "writing", "artwork")
_UNSEATED = (None, "place", "water")
"""Kinds of items that are places themselves, and have no seat in one."""
_MAKERS = ("P50", "P170", "P175")
"""Author, creator, performer."""
_DIRECTOR, _FILM = "P57", "Q11424"
"""Of a film; of a series it is whoever directed a part of it."""
_DATES = ("P577", "P571")
_CITIZENSHIP, _ORIGIN, _DEMONYM, _SPORT = "P27", "P495", "P1549", "P641"


class Profile(NamedTuple):
    """What is true of an item, each facet with the triples that lead to it; none to itself.

    ``direct`` are its classes or occupations, those first by which people speak of it; of them,
    ``named`` stand in its description. ``kind`` is that of relations.toml, None if it is of none.
    """

    facets: Mapping[Facet, Path]
    direct: tuple[Facet, ...]
    named: int
    kind: str | None


class Profiles:
    """Tells the facets of items, and what follows from a facet."""

    def __init__(self, known: Knowledge):
        self._known = known
        self._values = known.statements.values
        self.classes = Classes(known)
        self._places = Places(known)
        self._descriptions = self._places.descriptions
        self._read: dict[tuple[str, Years | None], Profile] = {}
        self._demonyms: dict[str, str | None] = {}
        self._implied: dict[tuple[Facet, Years | None], frozenset[Facet]] = {}

    def of(self, qid: str, when: Years | None) -> Profile:
        """Return the facets of an item; the places around it are those of a time."""
        if (qid, when) not in self._read:
            self._read[qid, when] = self._of(qid, when)
        return self._read[qid, when]

    def implied(self, facet: Facet, when: Years | None) -> frozenset[Facet]:
        """Return what follows from a facet: itself, and what lies above it at a time."""
        if (facet, when) not in self._implied:
            dimension, value = facet
            above: Iterable[str] = ()
            if dimension == PLACE:
                above = (ancestor.qid for ancestor in self._places.above(value, when))
            elif dimension in (CLASS, OCCUPATION) or dimension.startswith(BROADER):
                above = self.classes.all_above(value)
            self._implied[facet, when] = frozenset((dimension, one) for one in (value, *above))
        return self._implied[facet, when]

    def demonym(self, country: str) -> str | None:
        """Return what is said of somebody or something of a country, or None if nobody knows.

        Where the store has several, the usual one is taken, else the first by letter. Cities and
        continents have none here: nobody speaks of a Bay Stater university.
        """
        if country not in self._demonyms:
            usual = demonyms().get(country)
            said: list[str] = []
            if usual or COUNTRIES & {*self._values(country, CLASS)}:
                values = self._known.graph.select("values", subject=country, property=_DEMONYM)
                said = sorted(value.text for (value,) in values if value.language == "en")
            given = usual if usual in said or not said else said[0]
            self._demonyms[country] = capitalised(given) if given else None
        return self._demonyms[country]

    def as_class(self, qid: str, pid: str) -> Profile:
        """Return the facets of an item that is itself a class, which items have by a property."""
        dimension = BROADER + pid
        above = {
            (dimension, one): path
            for one, path in self.classes.superclasses(qid, dimension).items()
        }
        direct = self._direct(qid, CLASS)
        facets = {(dimension, qid): (), **above, **self._classified(direct)}
        for sport in self._values(qid, _SPORT):
            facets[SPORT, sport] = (Evidence(qid, _SPORT, sport),)
        return Profile(facets, *self._ranked(qid, direct), None)

    def _of(self, qid: str, when: Years | None) -> Profile:
        kind = next(iter(self._known.kinds.names(qid)), None)
        if kind is None and self._is_somebody(qid):
            kind = PERSON
        pid = OCCUPATION if kind == PERSON else CLASS
        direct = self._direct(qid, pid)
        facets = self._classified(direct)
        if kind == PERSON:
            facets |= self._people(qid, _CITIZENSHIP)
        elif kind in WORKS:
            facets |= self._people(qid, _ORIGIN) | self._made(qid)
        else:
            facets |= self._around(qid, when, kind not in _UNSEATED)
        return Profile(facets, *self._ranked(qid, direct), kind)

    def _is_somebody(self, qid: str) -> bool:
        """Tell whether an item without a kind has an occupation, by statement or description."""
        values = self._values
        described = not values(qid, CLASS) and self._direct(qid, OCCUPATION)
        return bool(values(qid, OCCUPATION) or described)

    def _direct(self, qid: str, pid: str) -> dict[Facet, Evidence]:
        """Return what an item is said to be: by statements, else, or as well, in its description.

        Of people, what the description tells counts where it names none of their occupations.
        """
        found = {(pid, value): Evidence(qid, pid, value) for value in self._values(qid, pid)}
        said = self._descriptions.read(qid)
        if said and not self._ranked(qid, found)[1]:
            nouns = (self._noun(noun, pid) for noun in said.nouns)
            described = {(pid, one): Evidence(qid, PROPERTY, said.text) for one in nouns if one}
            # Of occupations none may be what somebody is known for; a class says what it is.
            return {**described, **found} if pid == OCCUPATION or not found else found
        return found

    def _noun(self, words: str, pid: str) -> str | None:
        """Return the class or the occupation whose name most of the last words are."""
        parts, called = fold(words).split(), self.classes.called(pid)
        names = (" ".join(parts[n:]) for n in range(len(parts)))
        return next((called[name] for name in names if name in called), None)

    def _classified(self, direct: Mapping[Facet, Evidence]) -> dict[Facet, Path]:
        found: dict[Facet, Path] = {}
        for (pid, value), led in direct.items():
            found.setdefault((pid, value), (led,))
            for above, path in self.classes.superclasses(value, pid).items():
                found.setdefault((pid, above), (led, *path))
        return found

    def _people(self, qid: str, pid: str) -> dict[Facet, Path]:
        """Return what is said of an item by its countries, as its description does first."""
        found: dict[Facet, Path] = {}
        for country in self._values(qid, pid):
            if demonym := self.demonym(country):
                found.setdefault((PEOPLE, demonym), (Evidence(qid, pid, country),))
        said = self._descriptions.read(qid)
        is_named = any(self.is_named(qid, people) for people in found)
        if said and said.people and not is_named:
            found[PEOPLE, said.people] = (Evidence(qid, PROPERTY, said.text),)
        return dict(sorted(found.items(), key=lambda item: self._place(qid, [item[0][1]])))

    def regions(self) -> frozenset[str]:
        """Return the folded names of countries and states, which no town is meant by."""
        return self._descriptions.regions

    def is_place(self, qid: str) -> bool:
        """Tell whether an item is of the kind of places, as roads and buildings are not."""
        return "place" in self._known.kinds.names(qid)

    def is_named(self, qid: str, people: Facet) -> bool:
        """Tell whether an item's description names a nationality of it."""
        return self._place(qid, [people[1]]) < math.inf

    def _made(self, qid: str) -> dict[Facet, Path]:
        is_film = any(_FILM in self.classes.all_above(one) for one in self._values(qid, CLASS))
        found: dict[Facet, Path] = {
            (MAKER, maker): (Evidence(qid, pid, maker),)
            for pid in ([_DIRECTOR] if is_film else _MAKERS)
            for maker in self._values(qid, pid)
        }
        times = self._known.times
        dated = [
            (years, pid, value.text)
            for pid in _DATES
            for value in times.by_item(pid).get(qid, ())
            if (years := wikidata.years(value)) and years[0] == years[1]
        ]
        if dated:
            (year, _), pid, text = min(dated)
            found[YEAR, str(year)] = (Evidence(qid, pid, text),)
        return found

    def _around(self, qid: str, when: Years | None, seated: bool) -> dict[Facet, Path]:
        above = self._places.above(qid, when, seated)
        found: dict[Facet, Path] = {(PLACE, one.qid): one.evidence for one in above}
        return found if seated else {(PLACE, qid): (), **found}

    def _ranked(self, qid: str, direct: Iterable[Facet]) -> tuple[tuple[Facet, ...], int]:
        """Return classes or occupations as the description names them, then the commoner first.

        How many it names comes with them.
        """
        bearers = self.classes.bearers
        borne = [one for one in direct if bearers(one) >= HANDFUL and one[1] not in unsaid()]
        places = {facet: self._place(qid, self.classes.own_names(facet)) for facet in borne}

        def rank(facet: Facet) -> tuple[float, int, int]:
            return places[facet], -bearers(facet), wikidata.number(facet[1])

        named = sum(place < math.inf for place in places.values())
        return tuple(sorted(borne, key=rank)), named

    def _place(self, qid: str, names: Iterable[str]) -> float:
        """Return where an item's description has one of some names; infinity if it has none."""
        about = f" {fold(self._known.labels.description(qid) or '')}"
        places = (about.find(f" {fold(name)}") for name in names if name)
        return min((place for place in places if place >= 0), default=math.inf)
