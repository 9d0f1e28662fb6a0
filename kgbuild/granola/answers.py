"""The answers to a question about a relation, at every granularity that the store knows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kgbuild.granola import dates
from kgbuild.granola.levels import Candidate, Dropped, Levelled, levelled, minimal
from kgbuild.granola.measure import Measure
from kgbuild.granola.phrases import Coarser, Phrases
from kgbuild.granola.profile import CLASS, OCCUPATION, Facet, Path, Profile, Profiles
from kgbuild.kg import wikidata
from kgbuild.kg.knowledge import Knowledge
from kgbuild.kg.times import Years
from kgbuild.kg.wikidata import Value
from kgbuild.relations import Catalog, Relation

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
            for pid in (CLASS, OCCUPATION, relation.pid)
            for qid in expected
            for one in profiles.all_above(qid)
        )
        facets: dict[str, Mapping[Facet, Path]] = {}
        for qid, when in population:
            facets[qid] = {**facets.get(qid, {}), **self._of(qid, when).facets}
        self._measure = Measure(facets)

    def levelled(
        self, gold: Sequence[Gold], when: Years | None, subject: str, min_bits: float
    ) -> tuple[list[Levelled], list[Dropped]]:
        """Return the answers at their levels, and what was left out.

        ``when`` are the years of what happened where the answer tells, ``subject`` is the name
        of what is asked about. A gold answer that lies above another one is coarser than it.
        """
        finest = minimal([self._gold(one, when) for one in gold])
        coarser = [
            self._coarser(one, said, when)
            for one in gold
            if one.qid
            for said in self._phrases.coarser(one.qid, self._of(one.qid, when))
        ]
        return levelled(finest, coarser, self._trivial, min_bits, subject)

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
            aliases=(*others, *(self._labels.aliases(gold.qid) if gold.qid else ())),
            qid=gold.qid,
            kind=ITEM,
            bits=self._measure.bits(itself) if itself else self._measure.most,
            says=says,
            implies=says.union(facets),
            evidence=gold.evidence,
        )

    def _coarser(self, gold: Gold, said: Coarser, when: Years | None) -> Candidate:
        implied = (self._profiles.implied(facet, when) for facet in said.facets)
        return Candidate(
            text=said.text,
            aliases=said.aliases,
            qid=said.qid,
            kind=said.kind,
            bits=self._measure.bits(said.facets),
            says=frozenset(said.facets),
            implies=frozenset[object]().union(*implied),
            evidence=(*gold.evidence, *said.evidence),
        )


class TimeAnswers:
    """Finds the levels of answers that are times.

    ``population`` are the times that the relation has as answers: what they tell is measured by
    the time over which those spread.
    """

    def __init__(self, population: Iterable[Value]):
        years = [year for value in population for year in wikidata.years(value) or ()]
        self._span = DAYS_OF_YEAR * (max(years, default=0) - min(years, default=0) + 1)

    def levelled(
        self, gold: Sequence[tuple[Value, Gold]], subject: str, min_bits: float
    ) -> tuple[list[Levelled], list[Dropped]]:
        """Return the answers at their levels, and what was left out.

        Each time must be one that has an answer.
        """
        chains = [self._chain(value, one) for value, one in gold]
        finest = minimal([chain[0] for chain in chains])
        coarser = [one for chain in chains for one in chain[1:]]
        return levelled(finest, coarser, frozenset(), min_bits, subject)

    def _chain(self, value: Value, gold: Gold) -> list[Candidate]:
        found = dates.answers(value)
        texts = [(one.kind, one.text) for one in found]
        return [
            Candidate(
                text=one.text,
                aliases=(*one.aliases, *(gold.names if n == 0 else ())),
                qid=None,
                kind=one.kind,
                bits=dates.bits(one.days, self._span),
                says=frozenset(texts[n : n + 1]),
                implies=frozenset(texts[n:]),
                evidence=gold.evidence,
            )
            for n, one in enumerate(found)
        ]
