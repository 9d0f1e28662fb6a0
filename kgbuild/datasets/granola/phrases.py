"""Coarser answers in words: what is true of an item, said as people would answer with it."""

import itertools
import re
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from kgbuild.catalog import Catalog, Relation, clean
from kgbuild.datasets.granola.classes import BROADER, CLASS, OCCUPATION, Facet, Path
from kgbuild.datasets.granola.description import PROPERTY
from kgbuild.datasets.granola.places import CONTINENT
from kgbuild.datasets.granola.profile import (
    MAKER,
    PEOPLE,
    PERSON,
    PLACE,
    SPORT,
    WORKS,
    YEAR,
    Profile,
    Profiles,
)
from kgbuild.datasets.granola.wording import described
from kgbuild.english.articles import indefinite
from kgbuild.graph.knowledge import Knowledge

_MOST = 2
"""How many classes or occupations, and how many nationalities, describe an item."""
_MONARCH = "Q116"
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")
_DIMENSIONS = {CLASS: "class", OCCUPATION: "occupation"}


class Coarser(NamedTuple):
    """A coarser answer: its words, what it says, and the triples from the item that prove it.

    ``qid`` is the item that it is the name of, None for one that says several things.
    """

    text: str
    aliases: tuple[str, ...]
    qid: str | None
    facets: tuple[Facet, ...]
    evidence: Path

    @property
    def kind(self) -> str:
        """The dimensions of what it says: "place", "people + occupation"."""
        dimensions = (dimension for dimension, _ in self.facets)
        return " + ".join(
            "class" if one.startswith(BROADER) else _DIMENSIONS.get(one, one) for one in dimensions
        )


class Phrases:
    """Words what may be answered instead of an item to questions about one relation.

    ``expected`` are the classes of which its answers are expected to be.
    """

    def __init__(
        self,
        known: Knowledge,
        catalog: Catalog,
        relation: Relation,
        profiles: Profiles,
        expected: Set[str],
    ):
        self._labels = known.labels
        self._relation = relation
        self._places = catalog.kinds["place"]
        self._profiles = profiles
        self._expected = expected

    def coarser(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        """Yield what may be answered instead of an item."""
        if self._relation.classes:
            yield from self._above(qid, profile, BROADER + self._relation.pid)
            sports = list(self._in_sports(profile))
            yield from sports or self._kinds(profile, self._heads(profile))
        elif profile.kind == PERSON:
            yield from self._person(qid, profile)
        elif profile.kind in WORKS:
            yield from self._work(profile)
        elif profile.kind == PLACE or (self._relation.where and (PLACE, qid) in profile.facets):
            yield from self._place(qid, profile)
        else:
            yield from self._thing(qid, profile)

    def _place(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        if self._relation.where:
            yield from self._above(qid, profile, PLACE)
        else:
            heads = self._heads(profile)
            for head, place in itertools.product(heads[:1], self._of(profile, PLACE)):
                if place[1] != qid:
                    yield from self._said(profile, (head, place))
            yield from self._kinds(profile, heads)

    def _thing(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        if self._relation.where:
            yield from self._above(qid, profile, PLACE)
        if profile.kind in self._relation.object or not self._relation.where:
            heads = self._heads(profile)
            places = [place for place in self._of(profile, PLACE) if place[1] != qid]
            for head, place in itertools.product(heads, places):
                if self._profiles.demonym(place[1]):
                    yield from self._said(profile, (place, head))
            for head, place in itertools.product(heads[:1], places):
                if not self._relation.where and self._is_local(profile, place):
                    yield from self._said(profile, (head, place))
            yield from self._kinds(profile, heads)

    def _kinds(self, profile: Profile, heads: Iterable[Facet]) -> Iterator[Coarser]:
        for one in self._with_superclasses(heads):
            yield from self._said(profile, (one,))

    def _is_local(self, profile: Profile, place: Facet) -> bool:
        """Tell whether one speaks of things in a place: a town, not a road or a continent."""
        is_continent = profile.facets[place][-1].property == CONTINENT
        is_place = self._profiles.is_place(place[1])
        return is_place and not is_continent and not self._profiles.demonym(place[1])

    def _above(self, qid: str, profile: Profile, dimension: str) -> Iterator[Coarser]:
        """Yield the places or the classes above an item by their names."""
        for facet in self._of(profile, dimension):
            label = self._labels.label(facet[1])
            path = profile.facets[facet]
            if facet[1] != qid and label:
                # What Europe is called besides are names of parts of it, and jokes.
                is_continent = path[-1].property == CONTINENT
                aliases = () if is_continent else self._labels.aliases(facet[1])
                text = self._phrase(facet[1]) if dimension == PLACE else clean(label)
                yield Coarser(text, (clean(label), *aliases), facet[1], (facet,), path)

    def _in_sports(self, profile: Profile) -> Iterator[Coarser]:
        """Yield the sport that a class belongs to: "a position in ice hockey"."""
        nouns = [self._labels.label(one) for one in self._relation.expected[:1]]
        for sport, noun in itertools.product(self._of(profile, SPORT), nouns):
            if noun and (label := self._labels.label(sport[1])):
                text = indefinite(f"{_IN_BRACKETS.sub('', noun)} in {label}")
                yield Coarser(text, (), None, (sport,), profile.facets[sport])

    def _person(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        every = self._of(profile, PEOPLE)
        named = [people for people in every if self._profiles.is_named(qid, people)]
        peoples = (named or every)[:_MOST]
        for occupation in self._with_superclasses(self._heads(profile)):
            for people in peoples:
                if occupation[1] != _MONARCH:  # of one country, but born in another
                    yield from self._said(profile, (people, occupation))
            yield from self._said(profile, (occupation,))
        for people in peoples:
            yield self._from(profile, people)

    def _work(self, profile: Profile) -> Iterator[Coarser]:
        years, peoples = self._of(profile, YEAR), self._of(profile, PEOPLE)[:_MOST]
        for head in self._heads(profile)[:1]:
            for year in years:
                for people in peoples:
                    yield from self._said(profile, (year, people, head))
                yield from self._said(profile, (year, head))
            for people in peoples:
                yield from self._said(profile, (people, head))
            for maker in self._of(profile, MAKER):
                yield from self._said(profile, (head, maker))
            yield from self._kinds(profile, [head])

    def _of(self, profile: Profile, dimension: str) -> list[Facet]:
        return [facet for facet in profile.facets if facet[0] == dimension]

    def _heads(self, profile: Profile) -> list[Facet]:
        """Return the classes or occupations by which people speak of an item, none above another.

        Those count that the description names, else the commonest alone; of classes those that
        the relation expects, if there are any.
        """
        direct = profile.direct
        below = tuple(one for one in direct if self.is_expected(one[1]))
        if self._relation.where and profile.kind != PERSON:
            direct = below  # where it is answers the question already
        named, among = (profile.named, direct) if not below else (len(below), below)
        heads: list[Facet] = []
        for facet in among[: max(1, min(named, profile.named))]:
            above = any(facet in self._profiles.implied(head, None) for head in heads)
            if not above and self._profiles.implied(facet, None).isdisjoint(heads):
                heads.append(facet)
        return heads[:_MOST]

    def is_expected(self, qid: str) -> bool:
        """Tell whether a class is one of those that the relation expects, or lies below one."""
        return not self._expected.isdisjoint(self._profiles.classes.all_above(qid))

    def _with_superclasses(self, heads: Iterable[Facet]) -> list[Facet]:
        """Return classes or occupations with what lies above them, each once.

        Of classes that is what the relation expects: a conservatory is a music school, and an
        association, too, but nobody would say so of where one went to school.
        """
        found: dict[Facet, None] = {}
        for pid, value in heads:
            found[pid, value] = None
            for one in self._profiles.classes.superclasses(value, pid):
                if pid == OCCUPATION or self.is_expected(one):
                    found[pid, one] = None
        return list(found)

    def _from(self, profile: Profile, people: Facet) -> Coarser:
        demonym, path = people[1], profile.facets[people]
        said = (described(demonym, "person"), demonym)
        country = path[0].object if path[0].property != PROPERTY else None
        if not country:
            return Coarser(said[0], said[1:], None, (people,), path)
        home = self._phrase(country)
        aliases = (*said, f"somebody from {home}")
        return Coarser(f"a person from {home}", aliases, None, (people,), path)

    def _said(self, profile: Profile, facets: tuple[Facet, ...]) -> Iterator[Coarser]:
        """Yield what says all of some facets of an item, in the order of the words."""
        kind = next(facet for facet in facets if facet[0] in (CLASS, OCCUPATION))
        label, *others = self._profiles.classes.own_names(kind)
        if not label or (len(facets) > 1 and label != label.lower()):
            return  # "a German independent city of Germany"
        noun = _IN_BRACKETS.sub("", label)
        aliases = tuple(self._worded(facets, name) for name in others)
        evidence = dict.fromkeys(triple for facet in facets for triple in profile.facets[facet])
        qid = kind[1] if len(facets) == 1 else None
        yield Coarser(self._worded(facets, noun), aliases, qid, facets, tuple(evidence))

    def _worded(self, facets: tuple[Facet, ...], noun: str) -> str:
        words = []
        for dimension, value in facets:
            if dimension in (CLASS, OCCUPATION):
                words.append(noun)
            elif dimension == PLACE:
                demonym = None if words else self._profiles.demonym(value)
                words.append(demonym if demonym else f"in {self._phrase(value)}")
            elif dimension == MAKER:
                words.append(f"by {self._labels.label(value) or value}")
            else:
                words.append(value)
        return indefinite(" ".join(words))

    def _phrase(self, qid: str) -> str:
        return self._places.phrase(_IN_BRACKETS.sub("", self._labels.label(qid) or qid))
