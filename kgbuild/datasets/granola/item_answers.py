"""Put the answers to a question whose gold answers are items at levels."""

import functools
from collections.abc import Iterable, Mapping, Sequence

from kgbuild.datasets.granola.classes import BROADER, CLASS, OCCUPATION, Facet, Proof
from kgbuild.datasets.granola.coarser_answers import Coarser, CoarserAnswers
from kgbuild.datasets.granola.descriptions import DESCRIPTION
from kgbuild.datasets.granola.levels import (
    Candidate,
    Gold,
    Levelled,
    Levels,
    levelled,
    merged,
    minimal,
)
from kgbuild.datasets.granola.linker import Linker
from kgbuild.datasets.granola.measure import Measure
from kgbuild.datasets.granola.profiles import PERSON, PLACE, Profile, Profiles
from kgbuild.datasets.granola.word_tables import word_tables
from kgbuild.english.aliases import names
from kgbuild.english.normalize import fold
from kgbuild.graph.times import Years
from kgbuild.relations import Relation
from kgbuild.rows import Evidence

ITEM = "item"
"""The kind of a gold answer that is an item, or the name of one that the store does not have."""


class ItemAnswers:
    """The answers to the questions about one relation, at their levels.

    ``population`` are the items that are possible answers, each with the years for which its
    places are looked up.
    """

    def __init__(
        self,
        relation: Relation,
        population: Iterable[tuple[str, Years | None]],
        profiles: Profiles,
    ):
        self._labels = profiles.labels
        self._relation = relation
        self._profiles = profiles
        self._coarser = CoarserAnswers(relation, profiles)
        self._trivial = frozenset(
            (pid, one)
            for pid in (CLASS, OCCUPATION, BROADER + relation.pid)
            for qid in self._coarser.expected
            for one in profiles.classes.closure(qid)
        )
        facets: dict[str, Mapping[Facet, Proof]] = {}
        for qid, when in population:
            facets[qid] = {**facets.get(qid, {}), **self._profile(qid, when).facets}
        self._measure = Measure(facets)
        countries = ((PLACE, qid) for qid in word_tables("demonyms"))
        self._linker = Linker({*self._measure.facets, *countries}, profiles)

    def finest(self, gold: Sequence[Gold], when: Years | None) -> list[Gold]:
        """Return gold answers without those above another one: Paris, but not France."""
        kept = {candidate.qid for candidate in minimal([self._of_gold(one, when) for one in gold])}
        return [one for one in gold if one.qid in kept]

    def levelled(
        self,
        gold: Sequence[Gold],
        when: Years | None,
        subject: str,
        min_bits: float,
        texts: Sequence[str] = (),
    ) -> Levels:
        """Return the answers at their levels, and those that are left out.

        ``when`` are the years for which places are looked up, ``subject`` is the name of the
        subject, ``texts`` are answers of a model, the finest first.
        """
        finest = [self._of_gold(one, when) for one in gold]
        coarser = [
            self._of_coarser(one, phrase, when)
            for one in gold
            if one.qid
            for phrase in self._coarser.of(one.qid, self._profile(one.qid, when))
        ]
        denied: list[str] = []
        if texts:
            facets = (
                facet for one in gold if one.qid for facet in self._profile(one.qid, when).facets
            )
            own = frozenset[Facet]().union(*(self._profiles.implied(one, when) for one in facets))
            dimensions = {dimension for dimension, _ in own}
            link = functools.partial(self._linker.link, own=own)
            denied = [
                text
                for text in texts
                if any(facet not in own and facet[0] in dimensions for facet in link(text))
            ]
            kept = [text for text in texts if text not in denied]
            measure = functools.partial(self._measured, when=when)
            finest, coarser = merged(finest, coarser, kept, link, measure, min_bits)
        answers, dropped = levelled(finest, coarser, self._trivial, min_bits, subject)
        return answers, dropped + [(text, "unconfirmed") for text in denied]

    def implied_by_item(
        self, gold: Gold, when: Years | None, subject: str, min_bits: float
    ) -> list[Levelled]:
        """Return an item at level 1, and all coarser answers that are true of it.

        Each of its classes or occupations describes it, also an unusual one; if the relation
        expects some of them, only those do.
        """
        qid = gold.qid or ""
        profile = self._profile(qid, when)
        expected = [one for one in profile.direct if self._coarser.is_expected(one[1])]
        profiles = [
            profile._replace(direct=(kind,), named=1) for kind in expected or profile.direct
        ]
        coarser = [
            self._of_coarser(gold, phrase, when)
            for one in profiles or [profile]
            for phrase in self._coarser.of(qid, one)
        ]
        return levelled([self._of_gold(gold, when)], coarser, self._trivial, min_bits, subject)[0]

    def implied_by_words(
        self, text: str, when: Years | None, subject: str, min_bits: float
    ) -> list[Levelled]:
        """Return an answer in words at level 1, such as "Europe", and all that follows from it.

        The list is empty if the words cannot be linked to facets.
        """
        facets = self._linker.link(text, frozenset())
        kind = next((one for one in facets if one[0] in (CLASS, OCCUPATION)), None)
        if facets and kind is None:
            ((_, qid),) = facets
            gold = Gold((self._labels.label(qid) or text,), qid)
            return self.implied_by_item(gold, when, subject, min_bits)
        if kind is None:
            return []
        phrases = self._coarser.of("", self._profile_of_words(text, facets, kind, when))
        answers = [self._of_coarser(Gold((text,)), phrase, when) for phrase in phrases]
        itself = [one for one in answers if one.facets == {*facets}]
        coarser = [one for one in answers if one not in itself]
        return levelled(itself, coarser, self._trivial, min_bits, subject)[0] if itself else []

    def _profile_of_words(
        self, text: str, facets: Iterable[Facet], kind: Facet, when: Years | None
    ) -> Profile:
        """Return the profile of an unnamed item that has some facets."""
        path = (Evidence("", DESCRIPTION, text),)
        implied = sorted(one for facet in facets for one in self._profiles.implied(facet, when))
        things = (name for name in self._relation.object if name != PERSON)
        of = PERSON if kind[0] == OCCUPATION else next(things, None)
        return Profile(dict.fromkeys(implied, path), (kind,), 1, of)

    def _profile(self, qid: str, when: Years | None) -> Profile:
        if self._relation.classes:
            return self._profiles.of_class(qid, self._relation.pid)
        return self._profiles.of(qid, when)

    def _of_gold(self, gold: Gold, when: Years | None) -> Candidate:
        facets = self._profile(gold.qid, when).facets if gold.qid else {}
        itself = [facet for facet, path in facets.items() if not path]
        own = frozenset[object](itself or [(ITEM, gold.qid or gold.names[0])])
        text, *others = gold.names
        return Candidate(
            text=text,
            aliases=(*others, *self._aliases(text, gold.qid, facets)),
            qid=gold.qid,
            kind=ITEM,
            bits=self._measure.bits_of_item(itself[0]) if itself else self._measure.max_bits,
            facets=own,
            implied=own.union(facets),
            evidence=gold.evidence,
        )

    def _aliases(self, text: str, qid: str | None, facets: Iterable[Facet]) -> tuple[str, ...]:
        """Return the aliases of an item that are no names of places around it."""
        if qid is None:
            return ()
        around = [value for dimension, value in facets if dimension == PLACE and value != qid]
        others = [
            name
            for place in around
            for name in (self._labels.label(place) or "", *self._labels.aliases(place))
        ]
        regions = self._profiles.descriptions.regions if around else ()
        own = tuple(name for name in self._labels.aliases(qid) if fold(name) not in regions)
        return names(text, own, tuple(others))

    def _of_coarser(self, gold: Gold, phrase: Coarser, when: Years | None) -> Candidate:
        bits, implied = self._measured(phrase.facets, when)
        return Candidate(
            text=phrase.text,
            aliases=names(phrase.text, phrase.aliases),
            qid=phrase.qid,
            kind=phrase.kind,
            bits=bits,
            facets=frozenset(phrase.facets),
            implied=implied,
            evidence=(*gold.evidence, *phrase.evidence),
        )

    def _measured(
        self, facets: tuple[Facet, ...], when: Years | None
    ) -> tuple[float, frozenset[object]]:
        implied = (self._profiles.implied(facet, when) for facet in facets)
        return self._measure.bits(facets), frozenset[object]().union(*implied)
