"""Make coarser answers from the facets of an item: "an American playwright".

A facet is a value in a dimension: the demonym American, or the occupation playwright. Each answer
implies the next coarser one. An answer that implies a coarser one, but does not follow from the
finer ones in between, such as "an American writer" beside "a playwright", is an alias of the
coarser one: of "a writer".
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.classes import BROADER, CLASS, OCCUPATION, Facet, Proof
from kgbuild.datasets.granola.levels.descriptions import BRACKETS, PEOPLE
from kgbuild.datasets.granola.levels.institutions import WHOLE
from kgbuild.datasets.granola.levels.order import Measured, RawAnswer
from kgbuild.datasets.granola.levels.places import CONTINENT, PLACE
from kgbuild.datasets.granola.levels.profiles import PERSON, Profile, Profiles
from kgbuild.english.aliases import names as unambiguous
from kgbuild.english.articles import indefinite
from kgbuild.relations import Relation

_DIMENSIONS = {CLASS: "class", OCCUPATION: "occupation", WHOLE: "item"}
_TIERS = {
    "item": 900,
    "people + occupation": 400,
    "place + class": 300,
    "occupation": 200,
    "class": 100,
}
"""The tiers of the kinds of answers, to which that of a place is added; other kinds have 0.

A finer answer has a higher tier: "a British record label" (300 + 100), "a record label" (100).
"""
_WIDER = read_toml("datasets/granola/levels/classes.toml")["wider"].keys()
_MAX_PEOPLES = _MAX_HEADS = 2
"""Maximum numbers of nationalities, and of classes, that describe an item."""
_AREA = "Q56061"
"""The class of administrative areas."""


class CoarserAnswers:
    """The coarser answers to the questions about one relation.

    ``bits`` measures the answer with some facets. ``trivial`` are the facets that every answer has.
    """

    def __init__(
        self, relation: Relation, profiles: Profiles, bits: Callable[[Iterable[Facet]], float]
    ):
        classes = (qid for name in relation.object_kinds for qid in catalog().kinds[name].classes)
        self._expected = {*(relation.expected or classes)}
        self.trivial = frozenset(
            (pid, superclass)
            for pid in (CLASS, OCCUPATION, BROADER + relation.pid)
            for qid in self._expected
            for superclass in profiles.classes.closure(qid)
        )
        self._labels = profiles.labels
        self._relation = relation
        self._profiles = profiles
        self._bits = bits

    def answers(self, qid: str, profile: Profile) -> Iterator[RawAnswer]:
        """Yield the coarser answers of an item with a profile; a description in words has no id."""
        if self._relation.accepts_classes:
            yield from self._named(qid, profile, BROADER + self._relation.pid)
            yield from self._described(profile, ())
        elif profile.kind == PERSON:
            peoples = _in_dimension(profile, PEOPLE)
            yield from self._described(profile, self._nationalities(qid, peoples))
        elif self._relation.accepts_places:
            yield from self._named(qid, profile, WHOLE)
            yield from self._named(qid, profile, PLACE)
        elif not (qid and _AREA in self._profiles.classes.stated(qid)):
            # The kind of a state does not say who founded what.
            countries = [place for place in _in_dimension(profile, PLACE) if place[1] != qid]
            yield from self._described(profile, self._nationalities(qid, countries))

    def tier(self, facets: Sequence[Facet]) -> int:
        """Return the tier of the answer with some facets; a finer answer has a higher tier."""
        places = (value for dimension, value in facets if dimension == PLACE)
        tiers = (self._profiles.place_tier(place) for place in places)
        return _TIERS.get(_kind_of(facets), 0) + sum(tiers)

    def measured(self, facets: tuple[Facet, ...]) -> Measured:
        """Return the bits of the answer with some facets, what follows from them, and its tier."""
        implied = frozenset[object]().union(*map(self._profiles.implied, facets))
        return self._bits(facets), implied, self.tier(facets)

    def _answer(
        self,
        text: str,
        aliases: tuple[str, ...],
        qid: str | None,
        facets: tuple[Facet, ...],
        evidence: Proof,
    ) -> RawAnswer:
        """Return a coarser answer; ``qid`` is the item that it names, None with several facets."""
        bits, implied, tier = self.measured(facets)
        names, kind = unambiguous(text, aliases), _kind_of(facets)
        return RawAnswer(text, names, qid, kind, bits, frozenset(facets), implied, evidence, tier)

    def _heads(self, profile: Profile) -> list[Facet]:
        """Return the classes or the occupation that describe an item best: nouns of its answers.

        Of a person, it is the first one in the description, or the only one without a description.
        Of a thing, they are the ones in the description, else the first one. Expected classes take
        precedence. None implies another.

        If a thing has a description without its classes, only classes that the relation expects by
        themselves count: a mass media corporation is a company, but no film production company.
        """
        direct = profile.direct
        if profile.kind == PERSON:  # presidents were teachers, and a first lady is no politician
            is_clear = profile.named or (len(direct) == 1 and not profile.is_described)
            return [*direct[:1]] if is_clear else []
        if profile.is_described and not profile.named:
            direct = tuple(facet for facet in direct if facet[1] in self._expected)
        expected = tuple(facet for facet in direct if self._is_expected(facet[1]))
        candidates = expected if self._relation.expected else expected or direct
        implied = self._profiles.implied
        heads: list[Facet] = []
        for facet in candidates[: max(1, profile.named)]:
            is_implied = any(facet in implied(head) for head in heads)
            if not is_implied and implied(facet).isdisjoint(heads):
                heads.append(facet)
        return heads[:_MAX_HEADS]

    def _is_expected(self, qid: str) -> bool:
        """Return whether a class is an expected class of the relation, or a subclass of one."""
        return not self._expected.isdisjoint(self._profiles.classes.closure(qid))

    def _nationalities(self, qid: str, stated: Sequence[Facet]) -> list[Facet]:
        """Return the nationalities or countries that the description names, with wider ones.

        If it names no nationality at all, the only one that is stated counts: others may be those
        of a former state or of a parent. An English actor is a British one, too, if this is stated.
        """
        names = {one: name for one in stated if (name := self._demonym(one))}
        wider = {name: self._profiles.wider_people(name) for name in names.values()}
        described = self._profiles.descriptions.peoples(qid) if qid else frozenset()
        chosen = [name for name in wider if name in described][:_MAX_PEOPLES]
        if not described:
            finest = [one for one in wider if not any(one in wider[o] - {o} for o in wider)]
            chosen = finest if len(finest) == 1 else []
        return [one for one, name in names.items() if any(name in wider[of] for of in chosen)]

    def _demonym(self, facet: Facet) -> str | None:
        dimension, value = facet
        return value if dimension == PEOPLE else self._profiles.demonym(value)

    def _described(self, profile: Profile, origins: Sequence[Facet]) -> Iterator[RawAnswer]:
        """Yield the heads of an item with its origins, then the heads and those above them.

        Those above the heads have aliases with the origins. Superclasses of classes must be
        expected: a conservatory is a music school and an association, but "an association" is not
        an answer. Of those of occupations, people name few: a novelist is a writer, but an
        architect is no "visual artist".
        """
        heads = self._heads(profile)
        for head, origin in itertools.product(heads, origins):
            yield from self._combined(profile, (origin, head))
        above = {
            (pid, qid): None
            for pid, value in heads
            for qid in (value, *self._profiles.classes.superclasses(value, pid))
            if qid == value or (qid in _WIDER if pid == OCCUPATION else self._is_expected(qid))
        }
        for facet in above:
            is_above = facet not in heads and facet not in self.trivial
            aliases = [(origin, facet) for origin in origins if is_above]
            yield from self._combined(profile, (facet,), aliases)

    def _combined(
        self, profile: Profile, facets: tuple[Facet, ...], finer: Iterable[tuple[Facet, ...]] = ()
    ) -> Iterator[RawAnswer]:
        """Yield the answer with all of ``facets``, which are in the order of its words.

        The last facet is a class or an occupation. There is no answer if this has no name, or a
        name that cannot be combined: "a German independent city of Germany". ``finer`` are the
        facets of answers that become aliases.
        """
        head = facets[-1]
        label, *aliases = self._profiles.classes.names(head)
        if not label or (len(facets) > 1 and label != label.lower()):
            return
        evidence = dict.fromkeys(triple for facet in facets for triple in profile.facets[facet])
        if head in profile.female_nouns:
            noun, proof = profile.female_nouns[head]
            aliases = [label, *(name for name in aliases if name != noun)]
            label = noun
            evidence[proof] = None
        yield self._answer(
            text=self._words(facets, BRACKETS.sub("", label)),
            aliases=(
                *(self._words(facets, name) for name in aliases),
                *(self._words(other, name) for other in finer for name in (label, *aliases)),
            ),
            qid=head[1] if len(facets) == 1 else None,
            facets=facets,
            evidence=tuple(evidence),
        )

    def _words(self, facets: tuple[Facet, ...], noun: str) -> str:
        """Return the text of an answer; ``noun`` is the name of its class or occupation."""
        *origins, _ = facets
        return indefinite(" ".join((*(self._demonym(origin) or "" for origin in origins), noun)))

    def _named(self, qid: str, profile: Profile, dimension: str) -> Iterator[RawAnswer]:
        """Yield the names of the institutions, places or classes above an item."""
        for facet in _in_dimension(profile, dimension):
            _, value = facet
            label = self._profiles.label(value)
            is_unusual = dimension == PLACE and self._profiles.is_unusual(value)
            if value == qid or not label or is_unusual:
                continue
            text, proof = label, profile.facets[facet]
            if dimension == PLACE:
                text = self._profiles.place_phrase(value)
            elif dimension == WHOLE:
                text = self._profiles.organisation_phrase(value, label)
            # The aliases of continents are jokes, or names of parts of them.
            is_continent = proof[-1].property == CONTINENT
            aliases = () if is_continent else self._labels.aliases(value)
            yield self._answer(text, (label, *aliases), value, (facet,), proof)


def _in_dimension(profile: Profile, dimension: str) -> list[Facet]:
    return [facet for facet in profile.facets if facet[0] == dimension]


def _kind_of(facets: Iterable[Facet]) -> str:
    return " + ".join(
        "class" if dimension.startswith(BROADER) else _DIMENSIONS.get(dimension, dimension)
        for dimension, _ in facets
    )
