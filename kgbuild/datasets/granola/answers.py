"""The answers to a question about a relation, at every granularity that the store knows."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from kgbuild import wikidata
from kgbuild.catalog import Catalog, Relation
from kgbuild.datasets.granola.classes import BROADER, CLASS, OCCUPATION, Facet, Path
from kgbuild.datasets.granola.description import PROPERTY
from kgbuild.datasets.granola.levels import Candidate, Dropped, Levelled, levelled, minimal
from kgbuild.datasets.granola.linker import Linker
from kgbuild.datasets.granola.measure import Measure
from kgbuild.datasets.granola.model_merge import merged
from kgbuild.datasets.granola.phrases import Coarser, Phrases
from kgbuild.datasets.granola.profile import PERSON, PLACE, Profile, Profiles
from kgbuild.datasets.granola.wording import demonyms
from kgbuild.english import date_parsing, dates
from kgbuild.english.aliases import names
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence
from kgbuild.wikidata import Value

DAYS_OF_YEAR = 365.2425
ITEM = "item"
"""The kind of a gold answer that is an item, or a name of one that the store doesn't hold."""


@dataclass(frozen=True)
class Gold:
    """A gold answer: how it is written, its item if one is known, and the triples that say it."""

    names: tuple[str, ...]
    qid: str | None
    evidence: Path


class ItemAnswers:
    """Finds the levels of answers that are items.

    ``population`` are the items that the relation may have as answers, each with the times of
    what happened there.
    """

    def __init__(
        self,
        known: Knowledge,
        catalog: Catalog,
        relation: Relation,
        population: Iterable[tuple[str, Years | None]],
        profiles: Profiles,
    ):
        of_kinds = (qid for name in relation.object for qid in catalog.kinds[name].classes)
        expected = {*(relation.expected or of_kinds)}
        self._labels = known.labels
        self._relation = relation
        self._profiles = profiles
        self._phrases = Phrases(known, catalog, relation, profiles, expected)
        self._trivial = frozenset(
            (pid, one)
            for pid in (CLASS, OCCUPATION, BROADER + relation.pid)
            for qid in expected
            for one in profiles.classes.all_above(qid)
        )
        facets: dict[str, Mapping[Facet, Path]] = {}
        for qid, when in population:
            facets[qid] = {**facets.get(qid, {}), **self._of(qid, when).facets}
        self._measure = Measure(facets)
        countries = ((PLACE, qid) for qid in demonyms())
        self._linker = Linker({*self._measure.facets, *countries}, known.labels, profiles)

    def finest(self, gold: Sequence[Gold], when: Years | None) -> list[Gold]:
        """Return gold answers without those that lie above another one: Paris, but not France."""
        kept = minimal([self._gold(one, when) for one in gold])
        return [one for one in gold if one.qid in {candidate.qid for candidate in kept}]

    def levelled(
        self,
        gold: Sequence[Gold],
        when: Years | None,
        subject: str,
        min_bits: float,
        said: Sequence[str] = (),
    ) -> tuple[list[Levelled], list[Dropped]]:
        """Return the answers at their levels, and what was left out.

        ``when`` are the years of what happened where the answer tells, ``subject`` is the name
        of what is asked about. ``said`` are answers of a model, the finest first.
        """
        finest = [self._gold(one, when) for one in gold]
        coarser = [
            self._coarser(one, phrase, when)
            for one in gold
            if one.qid
            for phrase in self._phrases.coarser(one.qid, self._of(one.qid, when))
        ]
        denied: list[str] = []
        if said:
            own = self._known_of(gold, when)
            link = functools.partial(self._linker.linked, own=own)
            denied = [text for text in said if _is_denied(link(text), own)]
            finest, coarser = merged(
                finest,
                coarser,
                [text for text in said if text not in denied],
                link,
                functools.partial(self._measured, when=when),
                min_bits,
            )
        answers, dropped = levelled(finest, coarser, self._trivial, min_bits, subject)
        return answers, dropped + [(text, "unconfirmed") for text in denied]

    def _known_of(self, gold: Iterable[Gold], when: Years | None) -> frozenset[Facet]:
        """Return what is known of gold answers, and all that follows from it."""
        known = (facet for one in gold if one.qid for facet in self._of(one.qid, when).facets)
        return frozenset[Facet]().union(*(self._profiles.implied(one, when) for one in known))

    def follows(
        self, gold: Gold, when: Years | None, subject: str, min_bits: float
    ) -> list[Levelled]:
        """Return an answer at level 1, and all that can be said of its item, which is known.

        That is by any of its classes or, of a person, any occupation: also by those that people
        would not think of, if they are such as the relation expects, or if none is.
        """
        qid = gold.qid or ""
        profile = self._of(qid, when)
        kinds = [
            one for one in profile.direct if self._phrases.is_expected(one[1])
        ] or profile.direct
        by_one = [profile._replace(direct=(kind,), named=1) for kind in kinds]
        coarser = [
            self._coarser(gold, phrase, when)
            for one in by_one or [profile]
            for phrase in self._phrases.coarser(qid, one)
        ]
        return levelled([self._gold(gold, when)], coarser, self._trivial, min_bits, subject)[0]

    def in_words(
        self, text: str, when: Years | None, subject: str, min_bits: float
    ) -> list[Levelled]:
        """Return "an American playwright", or "Europe", at level 1, and what follows from it.

        There is nothing if the words cannot be linked.
        """
        facets = self._linker.linked(text, frozenset())
        kind = next((one for one in facets if one[0] in (CLASS, OCCUPATION)), None)
        if facets and kind is None:
            ((_, qid),) = facets
            gold = Gold((self._labels.label(qid) or text,), qid, ())
            return self.follows(gold, when, subject, min_bits)
        if kind is None:
            return []
        profile = self._described(text, facets, kind, when)
        phrases = self._phrases.coarser("", profile)
        said = [self._coarser(Gold((text,), None, ()), phrase, when) for phrase in phrases]
        itself = [one for one in said if one.says == {*facets}]
        coarser = [one for one in said if one not in itself]
        return levelled(itself, coarser, self._trivial, min_bits, subject)[0] if itself else []

    def _described(
        self, text: str, facets: Iterable[Facet], kind: Facet, when: Years | None
    ) -> Profile:
        """Return the profile of whoever, or whatever, facets describe: of no item."""
        led = (Evidence("", PROPERTY, text),)
        true = sorted(one for facet in facets for one in self._profiles.implied(facet, when))
        things = (name for name in self._relation.object if name != PERSON)
        of = PERSON if kind[0] == OCCUPATION else next(things, None)
        return Profile(dict.fromkeys(true, led), (kind,), 1, of)

    def _of(self, qid: str, when: Years | None) -> Profile:
        if self._relation.classes:
            return self._profiles.as_class(qid, self._relation.pid)
        return self._profiles.of(qid, when)

    def _gold(self, gold: Gold, when: Years | None) -> Candidate:
        facets = self._of(gold.qid, when).facets if gold.qid else {}
        itself = [facet for facet, path in facets.items() if not path]
        says = frozenset[object](itself or [(ITEM, gold.qid or gold.names[0])])
        text, *others = gold.names
        return Candidate(
            text=text,
            aliases=(*others, *self._aliases(text, gold.qid, facets)),
            qid=gold.qid,
            kind=ITEM,
            bits=self._measure.of_itself(itself[0]) if itself else self._measure.most,
            says=says,
            implies=says.union(facets),
            evidence=gold.evidence,
        )

    def _aliases(self, text: str, qid: str | None, facets: Iterable[Facet]) -> tuple[str, ...]:
        """Return what an item is called, but for names of places around it."""
        if qid is None:
            return ()
        around = [value for dimension, value in facets if dimension == PLACE and value != qid]
        others = [
            name
            for place in around
            for name in (self._labels.label(place) or "", *self._labels.aliases(place))
        ]
        regions = self._profiles.regions() if around else ()
        own = tuple(name for name in self._labels.aliases(qid) if fold(name) not in regions)
        return names(text, own, tuple(others))

    def _coarser(self, gold: Gold, phrase: Coarser, when: Years | None) -> Candidate:
        bits, implies = self._measured(phrase.facets, when)
        return Candidate(
            text=phrase.text,
            aliases=names(phrase.text, phrase.aliases),
            qid=phrase.qid,
            kind=phrase.kind,
            bits=bits,
            says=frozenset(phrase.facets),
            implies=implies,
            evidence=(*gold.evidence, *phrase.evidence),
        )

    def _measured(
        self, facets: tuple[Facet, ...], when: Years | None
    ) -> tuple[float, frozenset[object]]:
        """Return the bits of an answer, and all that follows from it."""
        implied = (self._profiles.implied(facet, when) for facet in facets)
        return self._measure.bits(facets), frozenset[object]().union(*implied)


def _is_denied(facets: Collection[Facet], own: Set[Facet]) -> bool:
    """Tell whether an answer says what is not known of the gold ones, where the like of it is."""
    known = {dimension for dimension, _ in own}
    return any(facet not in own and facet[0] in known for facet in facets)


class TimeAnswers:
    """Finds the levels of answers that are times.

    ``population`` are the times that the relation has as answers: what they tell is measured by
    the time over which those spread.
    """

    def __init__(self, population: Iterable[Value]):
        years = [year for value in population for year in wikidata.years(value) or ()]
        self._span = DAYS_OF_YEAR * (max(years, default=0) - min(years, default=0) + 1)

    def levelled(
        self,
        gold: Sequence[tuple[Sequence[DateAnswer], Gold]],
        subject: str,
        min_bits: float,
        said: Sequence[str] = (),
    ) -> tuple[list[Levelled], list[Dropped]]:
        """Return the answers at their levels, and what was left out.

        Each gold answer comes with all forms of its time, the finest first; with none it has no
        coarser ones. One that lies above another one is coarser than it. ``said`` are answers of
        a model, the finest first; another date is none.
        """
        chains = [self._chain(forms, one) for forms, one in gold]
        finest = minimal([chain[0] for chain in chains])
        coarser = [one for chain in chains for one in chain[1:]]
        denied: list[str] = []
        if said:
            true = {
                normalise(text) for one in finest + coarser for text in (one.text, *one.aliases)
            }
            denied = [one for one in said if date_parsing.read(one) and normalise(one) not in true]
            left = [text for text in said if text not in denied]
            finest, coarser = merged(
                finest, coarser, left, lambda _: (), lambda _: (0.0, frozenset()), min_bits
            )
        answers, dropped = levelled(finest, coarser, frozenset(), min_bits, subject)
        return answers, dropped + [(text, "unconfirmed") for text in denied]

    def _chain(self, forms: Sequence[DateAnswer], gold: Gold) -> list[Candidate]:
        text, *others = gold.names
        known = forms or [DateAnswer("day", text, (), 1.0)]
        said = [(one.kind, one.text) for one in known]
        return [
            Candidate(
                text=one.text if n else text,
                aliases=one.aliases if n else (one.text, *one.aliases, *others),
                qid=None,
                kind=one.kind,
                bits=dates.bits(one.days, self._span),
                says=frozenset(said[n : n + 1]),
                implies=frozenset(said[n:]),
                evidence=gold.evidence,
            )
            for n, one in enumerate(known)
        ]
