"""Make coarser answers from the facets of an item: "an American playwright".

A facet is a value in a dimension: the demonym American, or the occupation playwright. Each answer
implies the next coarser one. An answer that implies a coarser one, but does not follow from the
finer ones in between, such as "an American writer" beside "a playwright", is an alias of the
coarser one: of "a writer".
"""

import itertools
from collections.abc import Iterator, Sequence

from kgbuild.datasets.granola.levels.answer_words import AnswerWords, Coarser
from kgbuild.datasets.granola.levels.classes import BROADER, CLASS, OCCUPATION, Facet
from kgbuild.datasets.granola.levels.descriptions import PEOPLE
from kgbuild.datasets.granola.levels.heads import TRIVIAL, Heads
from kgbuild.datasets.granola.levels.institutions import WHOLE
from kgbuild.datasets.granola.levels.places import CONTINENT, PLACE
from kgbuild.datasets.granola.levels.profiles import PERSON, Profile, Profiles
from kgbuild.datasets.granola.levels.tiers import TIERS, kind_of
from kgbuild.graph.times import Years
from kgbuild.relations import Relation, clean_label

_MAX_PEOPLES = 2
"""Maximum number of nationalities that describe a person."""
_MONARCH = "Q116"
_AREA = "Q56061"
"""The class of administrative areas."""


class CoarserAnswers:
    """The coarser answers to the questions about one relation.

    ``heads`` chooses the classes that describe them; ``trivial`` are the facets that every answer
    has.
    """

    def __init__(self, relation: Relation, profiles: Profiles):
        self.heads = Heads(relation, profiles)
        self.trivial = frozenset(
            (pid, superclass)
            for pid in (CLASS, OCCUPATION, BROADER + relation.pid)
            for qid in (*self.heads.expected, *TRIVIAL)
            for superclass in profiles.classes.closure(qid)
        )
        self._labels = profiles.labels
        self._relation = relation
        self._profiles = profiles
        self._words = AnswerWords(profiles)

    def answers(
        self, qid: str, profile: Profile, *, are_all: bool = False
    ) -> Iterator[Coarser]:
        """Yield the coarser answers of an item with a profile.

        ``are_all`` adds the answers that are aliases otherwise, and those that do not answer the
        question as finely as others: the class of a school whose place is in question.
        """
        if self._relation.accepts_classes:
            yield from self._named(qid, profile, BROADER + self._relation.pid)
            yield from self._classes(profile, self.heads.of(profile))
        elif profile.kind == PERSON:
            yield from self._person(qid, profile, are_all)
        elif self._relation.accepts_places:
            yield from self._wholes(qid, profile)
            yield from self._named(qid, profile, PLACE)
            if are_all:
                yield from self._thing(qid, profile, are_all)
        else:
            yield from self._thing(qid, profile, are_all)

    def tier(self, facets: Sequence[Facet], when: Years | None) -> int:
        """Return the tier of the answer with some facets; a finer answer has a higher tier."""
        places = (value for dimension, value in facets if dimension == PLACE)
        tiers = (self._profiles.place_tier(place, when) for place in places)
        return TIERS.get(kind_of(facets), 0) + sum(tiers)

    def _thing(self, qid: str, profile: Profile, are_all: bool) -> Iterator[Coarser]:
        classes = self._profiles.classes
        if any(_AREA in classes.closure(class_qid) for class_qid in classes.of(qid)):
            return  # what kind of state or town it is does not say who founded something
        heads = self.heads.of(profile)
        countries = [
            place
            for place in _in_dimension(profile, PLACE)
            if place[1] != qid and self._profiles.demonym(place[1])
        ]
        origins = self._certain_origins(qid, countries)
        for head, origin in itertools.product(heads, origins):
            yield from self._words.combined(profile, (origin, head))
        yield from self._classes(profile, heads, origins, are_all=are_all)

    def _certain_origins(self, qid: str, origins: Sequence[Facet]) -> list[Facet]:
        """Return the countries of a thing that the description confirms.

        If it names none, the only one that is stated counts, with those around it.
        """
        people = [self._profiles.demonym(country) for _, country in origins]
        described = self._profiles.descriptions.peoples(qid)
        around = {name: self._profiles.with_wider_people(name) for name in (*people, *described)}
        certain = described or {*people}
        finest = [name for name in certain if not any(name in around[o] - {o} for o in certain)]
        if len(finest) != 1:
            return []
        wider = around[finest[0]]
        return [origin for origin, name in zip(origins, people, strict=True) if name in wider]

    def _person(self, qid: str, profile: Profile, are_all: bool) -> Iterator[Coarser]:
        used = self._certain_peoples(qid, profile)
        peoples = _in_dimension(profile, PEOPLE)
        # An English actor is a British one, too, if the United Kingdom is stated.
        implied = frozenset[Facet]().union(*(self._profiles.implied(p, None) for p in used))
        peoples = [*used, *(p for p in peoples if p in implied and p not in used)]
        heads = self.heads.of(profile)
        if any(value == _MONARCH for _, value in heads):
            peoples = []  # a monarch may be born in another country
        for head, people in itertools.product(heads, peoples):
            yield from self._words.combined(profile, (people, head))
        yield from self._classes(profile, heads, peoples, are_all)
        if are_all:
            for people in peoples:
                yield self._words.person_from(profile, people)

    def _certain_peoples(self, qid: str, profile: Profile) -> list[Facet]:
        """Return the nationalities that the description names, or the only one that is stated.

        Of several nationalities, some may be those of a former state or of a parent.
        """
        peoples = _in_dimension(profile, PEOPLE)
        if named := [people for people in peoples if self._profiles.is_named(qid, people)]:
            return named[:_MAX_PEOPLES]
        implied = {
            facet
            for people in peoples
            for facet in self._profiles.implied(people, None)
            if facet != people
        }
        finest = [people for people in peoples if people not in implied]
        return finest if len(finest) == 1 else []

    def _classes(
        self,
        profile: Profile,
        heads: Sequence[Facet],
        origins: Sequence[Facet] = (),
        are_all: bool = False,
    ) -> Iterator[Coarser]:
        """Yield classes or occupations with those above them.

        Those above the ``heads`` have aliases with the ``origins``, which are nationalities; if
        ``are_all``, these are answers of their own.
        """
        for facet in self.heads.with_superclasses(heads, are_all):
            finer = [(origin, facet) for origin in origins if facet not in heads]
            if are_all:
                for facets in finer:
                    yield from self._words.combined(profile, facets)
            aliases = [] if are_all or facet in self.trivial else finer
            yield from self._words.combined(profile, (facet,), aliases)

    def _named(self, qid: str, profile: Profile, dimension: str) -> Iterator[Coarser]:
        """Yield the names of the places or classes above an item."""
        for facet in _in_dimension(profile, dimension):
            _, value = facet
            if dimension == PLACE and self._profiles.is_unusual(value):
                continue
            label = self._labels.label(value)
            proof = profile.facets[facet]
            if value != qid and label:
                # The aliases of continents are jokes, or names of parts of them.
                is_continent = proof[-1].property == CONTINENT
                aliases = () if is_continent else self._labels.aliases(value)
                text = (
                    self._profiles.place_phrase(value) if dimension == PLACE else clean_label(label)
                )
                yield Coarser(text, (clean_label(label), *aliases), value, (facet,), proof)

    def _wholes(self, qid: str, profile: Profile) -> Iterator[Coarser]:
        """Yield the names of the institutions that an item is a part of."""
        for facet in _in_dimension(profile, WHOLE):
            _, whole = facet
            if whole != qid and (label := self._labels.label(whole)):
                text = self._profiles.organisation_phrase(whole, clean_label(label))
                names = (clean_label(label), *self._labels.aliases(whole))
                yield Coarser(text, names, whole, (facet,), profile.facets[facet])


def _in_dimension(profile: Profile, dimension: str) -> list[Facet]:
    """Return the facets of a profile in one dimension."""
    return [facet for facet in profile.facets if facet[0] == dimension]
