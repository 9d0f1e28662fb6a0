"""The coarser answers that people would give instead of an item, by its kind."""

import itertools
from collections.abc import Iterable, Iterator, Set

from kgbuild.catalog import Catalog
from kgbuild.datasets.granola.classes import BROADER, OCCUPATION, Facet
from kgbuild.datasets.granola.facet_phrases import Coarser, FacetPhrases, without_brackets
from kgbuild.datasets.granola.places import CONTINENT
from kgbuild.datasets.granola.profiles import (
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
from kgbuild.english.articles import indefinite
from kgbuild.relations import Relation, clean
from kgbuild.store.labels import Labels

_MOST = 2
"""The most classes or occupations, and the most nationalities, that describe an item."""
_MONARCH = "Q116"


class CoarserAnswers:
    """Finds the coarser answers to the questions about one relation.

    ``expected`` are the classes that its answers are expected to have.
    """

    def __init__(
        self,
        labels: Labels,
        catalog: Catalog,
        relation: Relation,
        profiles: Profiles,
        expected: Set[str],
    ):
        self._labels = labels
        self._relation = relation
        self._profiles = profiles
        self._expected = expected
        self._phrases = FacetPhrases(labels, catalog, profiles)

    def of(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        """Yield the coarser answers of an item."""
        if self._relation.classes:
            yield from self._named(qid, profile, BROADER + self._relation.pid)
            sports = list(self._sports(profile))
            yield from sports or self._classes(profile, self._heads(profile))
        elif profile.kind == PERSON:
            yield from self._person(qid, profile)
        elif profile.kind in WORKS:
            yield from self._work(profile)
        elif profile.kind == PLACE or (self._relation.where and (PLACE, qid) in profile.facets):
            yield from self._place(qid, profile)
        else:
            yield from self._thing(qid, profile)

    def is_expected(self, qid: str) -> bool:
        """Tell whether a class is one that the relation expects, or a subclass of one."""
        return not self._expected.isdisjoint(self._profiles.classes.closure(qid))

    def _place(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        if self._relation.where:
            yield from self._named(qid, profile, PLACE)
            return
        heads = self._heads(profile)
        for head, place in itertools.product(heads[:1], _in_dimension(profile, PLACE)):
            if place[1] != qid:
                yield from self._phrases.combined(profile, (head, place))
        yield from self._classes(profile, heads)

    def _thing(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        if self._relation.where:
            yield from self._named(qid, profile, PLACE)
        if profile.kind in self._relation.object or not self._relation.where:
            heads = self._heads(profile)
            places = [place for place in _in_dimension(profile, PLACE) if place[1] != qid]
            for head, place in itertools.product(heads, places):
                if self._profiles.demonym(place[1]):
                    yield from self._phrases.combined(profile, (place, head))
            for head, place in itertools.product(heads[:1], places):
                if not self._relation.where and self._is_local(profile, place):
                    yield from self._phrases.combined(profile, (head, place))
            yield from self._classes(profile, heads)

    def _person(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        peoples = _in_dimension(profile, PEOPLE)
        named = [people for people in peoples if self._profiles.is_named(qid, people)]
        peoples = (named or peoples)[:_MOST]
        for occupation in self._with_superclasses(self._heads(profile)):
            for people in peoples:
                if occupation[1] != _MONARCH:  # who may rule one country and be born in another
                    yield from self._phrases.combined(profile, (people, occupation))
            yield from self._phrases.combined(profile, (occupation,))
        for people in peoples:
            yield self._phrases.people(profile, people)

    def _work(self, profile: Profile) -> Iterator[Coarser]:
        years = _in_dimension(profile, YEAR)
        peoples = _in_dimension(profile, PEOPLE)[:_MOST]
        for head in self._heads(profile)[:1]:
            combinations: list[tuple[Facet, ...]] = []
            for year in years:
                combinations += [*((year, people, head) for people in peoples), (year, head)]
            combinations += [(people, head) for people in peoples]
            combinations += [(head, maker) for maker in _in_dimension(profile, MAKER)]
            for facets in combinations:
                yield from self._phrases.combined(profile, facets)
            yield from self._classes(profile, [head])

    def _classes(self, profile: Profile, heads: Iterable[Facet]) -> Iterator[Coarser]:
        for facet in self._with_superclasses(heads):
            yield from self._phrases.combined(profile, (facet,))

    def _is_local(self, profile: Profile, place: Facet) -> bool:
        """Tell whether one says that a thing is in a place: a town, no road or continent."""
        is_continent = profile.facets[place][-1].property == CONTINENT
        is_place = self._profiles.is_place(place[1])
        return is_place and not is_continent and not self._profiles.demonym(place[1])

    def _named(self, qid: str, profile: Profile, dimension: str) -> Iterator[Coarser]:
        """Yield the places or classes above an item by their names."""
        for facet in _in_dimension(profile, dimension):
            label = self._labels.label(facet[1])
            path = profile.facets[facet]
            if facet[1] != qid and label:
                # Aliases of Europe are names of parts of it, and jokes.
                is_continent = path[-1].property == CONTINENT
                aliases = () if is_continent else self._labels.aliases(facet[1])
                text = self._phrases.place(facet[1]) if dimension == PLACE else clean(label)
                yield Coarser(text, (clean(label), *aliases), facet[1], (facet,), path)

    def _sports(self, profile: Profile) -> Iterator[Coarser]:
        """Yield the sport of a class: "a position in ice hockey"."""
        nouns = [self._labels.label(one) for one in self._relation.expected[:1]]
        for sport, noun in itertools.product(_in_dimension(profile, SPORT), nouns):
            if noun and (label := self._labels.label(sport[1])):
                text = indefinite(f"{without_brackets(noun)} in {label}")
                yield Coarser(text, (), None, (sport,), profile.facets[sport])

    def _heads(self, profile: Profile) -> list[Facet]:
        """Return the classes or occupations that describe an item best, none above another.

        They are those that its description names, else the first one. Expected classes take
        precedence; for a question that asks where, others answer nothing.
        """
        expected = tuple(one for one in profile.direct if self.is_expected(one[1]))
        candidates, named = (
            (expected, len(expected)) if expected else (profile.direct, profile.named)
        )
        if self._relation.where and profile.kind != PERSON:
            candidates = expected
        heads: list[Facet] = []
        for facet in candidates[: max(1, min(named, profile.named))]:
            is_above = any(facet in self._profiles.implied(head, None) for head in heads)
            if not is_above and self._profiles.implied(facet, None).isdisjoint(heads):
                heads.append(facet)
        return heads[:_MOST]

    def _with_superclasses(self, heads: Iterable[Facet]) -> list[Facet]:
        """Return classes or occupations with those above them, each once.

        Of classes, only expected ones: a conservatory is a music school and an association, but
        nobody would answer "an association".
        """
        facets: dict[Facet, None] = {}
        for pid, value in heads:
            facets[pid, value] = None
            for one in self._profiles.classes.superclasses(value, pid):
                if pid == OCCUPATION or self.is_expected(one):
                    facets[pid, one] = None
        return list(facets)


def _in_dimension(profile: Profile, dimension: str) -> list[Facet]:
    return [facet for facet in profile.facets if facet[0] == dimension]
