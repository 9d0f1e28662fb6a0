"""Assign levels to the answers to a question whose gold answers are items."""

import functools
from collections.abc import Iterable, Iterator, Sequence

from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS, OCCUPATION, Facet
from kgbuild.datasets.granola.levels.coarser_answers import CoarserAnswers
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION
from kgbuild.datasets.granola.levels.institutions import Institutions
from kgbuild.datasets.granola.levels.linker import FacetLinker
from kgbuild.datasets.granola.levels.measure import SHARE_TYPES, Measure, shares
from kgbuild.datasets.granola.levels.order import (
    ITEM,
    Gold,
    Levelled,
    Levels,
    RawAnswer,
    in_common_tiers,
    minimal,
    new_answers,
    put_at_levels,
)
from kgbuild.datasets.granola.levels.places import COUNTRY_TIER, PLACE, TOWN
from kgbuild.datasets.granola.levels.profiles import PERSON, Profile, Profiles
from kgbuild.datasets.granola.relation_facts import Population
from kgbuild.english.aliases import names as unambiguous
from kgbuild.native.arrays import Array
from kgbuild.relations import Relation
from kgbuild.rows import Evidence, Progress, no_progress
from kgbuild.store.counts import Counts

_TELL_EVERY = 1000
"""Number of possible answers that are read between two calls of ``progress``."""


class ItemAnswers:
    """The answers to the questions about one relation, at their levels.

    ``population`` has the items that are possible answers. If they are all values of the relation
    in the store, ``counts`` keeps what is counted over them. ``progress`` receives
    the number of values that are counted so far.
    """

    def __init__(
        self,
        relation: Relation,
        population: Population,
        profiles: Profiles,
        counts: Counts | None = None,
        progress: Progress = no_progress,
    ):
        self._labels = profiles.labels
        self._relation = relation
        self._profiles = profiles
        institutions: Sequence[str] = ()
        if relation.accepts_places and "place" not in relation.object_kinds:
            institutions = population.items()
        self._institutions = Institutions(institutions, profiles.knowledge)

        def count() -> list[Array]:
            return shares(self._facets_of_each(population, progress))

        name = ("granola_shares", relation.pid)
        self._measure = Measure(counts.arrays(name, SHARE_TYPES, count) if counts else count())
        self._coarser = CoarserAnswers(relation, profiles, self._measure.bits)
        countries = [(PLACE, qid) for qid in read_toml("english/demonyms.toml")]
        # Many questions have the same answers.
        self._exact_candidate = functools.cache(self._read_exact)
        self._coarser_candidates = functools.cache(
            lambda qid: [*self._coarser.answers(qid, self._profile(qid))]
        )
        self._linker = FacetLinker(lambda: {*self._measure.facets(), *countries}, profiles)

    def finest(self, gold: Sequence[Gold]) -> list[Gold]:
        """Return gold answers without those coarser than another one: Paris, but not France.

        Of a town and a state or a country, only the town stays, even if it does not lie in it: a
        coarser answer must contain an exact one. Towns and their quarters are equal, since people
        call the same place by both.
        """
        if len(gold) == 1:
            return [*gold]
        candidates = [self._gold_candidate(answer) for answer in gold]
        kept = minimal(candidates)
        if "place" in self._relation.object_kinds:
            limit = min(TOWN, max((a.tier for a in kept if a.kind == PLACE), default=0))
            kept = [answer for answer in kept if answer.kind != PLACE or answer.tier >= limit]
        qids = {answer.qid for answer in kept}
        return [answer for answer in gold if answer.qid in qids]

    def are_in_countries(self, gold: Sequence[Gold]) -> bool:
        """Return whether each of some answers is or lies in a country of today, or a continent."""
        is_former, tier = self._profiles.history.is_former, self._profiles.place_tier
        return all(
            any(
                dimension == PLACE and tier(place) <= COUNTRY_TIER and not is_former(place)
                for dimension, place in self._profile(answer.qid or "").facets
            )
            for answer in gold
        )

    def levelled(
        self, gold: Sequence[Gold], subject: str, min_bits: float, texts: Sequence[str] = ()
    ) -> Levels:
        """Return the answers at their levels, and the answers that are left out.

        ``subject`` is the name of the subject, ``texts`` are answers of a model, the finest first.
        """
        finest = [self._gold_candidate(answer) for answer in gold]
        coarser = [
            candidate._replace(evidence=answer.evidence + candidate.evidence)
            for answer in gold
            if answer.qid
            for candidate in self._coarser_candidates(answer.qid)
        ]
        if len(finest) > 1:
            coarser = in_common_tiers(finest, coarser, self._coarser.trivial)
        false: list[str] = []
        if texts:
            qids = (answer.qid for answer in gold if answer.qid)
            facets = (facet for qid in qids for facet in self._profile(qid).facets)
            true = frozenset[Facet]().union(*(self._profiles.implied(f) for f in facets))
            dimensions = {dimension for dimension, _ in true}
            link = functools.partial(self._linker.link, preferred=true)
            false = [
                text
                for text in texts
                if any(facet not in true and facet[0] in dimensions for facet in link(text))
            ]
            kept = [text for text in texts if text not in false]
            coarser += new_answers(finest, coarser, kept, link, self._coarser.measured)
        levels, dropped = put_at_levels(finest, coarser, self._coarser.trivial, min_bits, subject)
        return levels, dropped + [(text, "unconfirmed") for text in false]

    def by_words(self, text: str, subject: str, min_bits: float) -> list[Levelled]:
        """Return an answer in words ("Europe", "an American writer") at level 1, with coarser ones.

        The list is empty if the words cannot be linked to a place, a class or an occupation.
        """
        facets = self._linker.link(text, frozenset())
        kind = next((facet for facet in facets if facet[0] in (CLASS, OCCUPATION)), None)
        if kind is None:
            places = [value for dimension, value in facets if dimension == PLACE]
            gold = [Gold((self._labels.label(place) or text,), place) for place in places]
            return self.levelled(gold, subject, min_bits)[0] if gold else []
        profile = self._profile_of_words(text, facets, kind)
        answers = [*self._coarser.answers("", profile)]
        exact = [answer for answer in answers if answer.facets == {*facets}]
        coarser = [answer for answer in answers if answer not in exact]
        if not exact:
            return []
        return put_at_levels(exact, coarser, self._coarser.trivial, min_bits, subject)[0]

    def _profile_of_words(self, text: str, facets: Iterable[Facet], kind: Facet) -> Profile:
        """Return the profile of an unnamed item that has ``facets``."""
        proof = (Evidence("", DESCRIPTION, text),)
        implied = sorted(f for facet in facets for f in self._profiles.implied(facet))
        things = (name for name in self._relation.object_kinds if name != PERSON)
        item_kind = PERSON if kind[0] == OCCUPATION else next(things, None)
        return Profile(dict.fromkeys(implied, proof), (kind,), 1, item_kind)

    def _facets_of_each(self, population: Population, progress: Progress) -> Iterator[set[Facet]]:
        """Yield the facets of each item, and tell their number in between."""
        items, step = population.sampled(), f"counting the possible answers to {self._relation.pid}"
        for number, qid in enumerate(items):
            if number % _TELL_EVERY == 0:
                progress(step, number, len(items))
            yield {*self._profile(qid).facets}

    def _profile(self, qid: str) -> Profile:
        if self._relation.accepts_classes:
            return self._profiles.of_class(qid, self._relation.pid)
        profile = self._profiles.profile(qid)
        return profile._replace(facets={**self._institutions.facets(qid), **profile.facets})

    def _gold_candidate(self, gold: Gold) -> RawAnswer:
        return self._exact_candidate(gold.names, gold.qid)._replace(evidence=gold.evidence)

    def _read_exact(self, names: tuple[str, ...], qid: str | None) -> RawAnswer:
        facets = self._profile(qid).facets if qid else {}
        # The facet of a place, or of a class, that is the item itself has no proof.
        own_facets = [facet for facet, proof in facets.items() if not proof]
        key = frozenset[object](own_facets or [(ITEM, qid or names[0])])
        measure, profiles = self._measure, self._profiles
        text, *others = names
        is_place = any(dimension == PLACE for dimension, _ in own_facets)
        if qid and text == self._labels.label(qid):
            others.append(text)
            text = (
                profiles.place_phrase(qid) if is_place else profiles.organisation_phrase(qid, text)
            )
        return RawAnswer(
            text=text,
            aliases=(
                *(other for other in others if other != text),
                *self._aliases(text, qid, facets),
            ),
            qid=qid,
            kind=PLACE if is_place else ITEM,
            bits=measure.bits(own_facets[:1]) if own_facets else measure.max_bits,
            facets=key,
            implied=key.union(facets),
            evidence=(),
            tier=self._coarser.tier(own_facets[:1]) if is_place else 0,
        )

    def _aliases(self, text: str, qid: str | None, facets: Iterable[Facet]) -> tuple[str, ...]:
        """Return the aliases of an item, without the names of places around it."""
        if qid is None:
            return ()
        around = [value for dimension, value in facets if dimension == PLACE and value != qid]
        others = [
            name
            for place in around
            for name in (self._labels.label(place) or "", *self._labels.aliases(place))
        ]
        return unambiguous(text, self._labels.aliases(qid), tuple(others))
