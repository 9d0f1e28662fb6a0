"""Infer whether sentences about people are in the past tense."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.graph.knowledge import Knowledge

_PERSON = "person"
_OLDEST = 1930
"""People born before this year count as past even without a known death."""
_YEARS = re.compile(r"\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)")
_PUBLISHED = "P577"
_WORKS = {"screen", "music", "writing"}
_OLD_WORK, _NEW_WORK = 1965, 1985
"""People whose median work is older than the first are past, newer than the second alive."""
_MOSTLY = 0.45
"""People count as past if a larger share of their colleagues is past."""
_COLLEAGUES = 5
"""The fewest people with dates in an occupation from which an era is inferred."""


class Eras:
    """Infers whether a person is dead; None if unknown.

    The sources, in this order: a death, or a property that only the dead have; dates of birth or
    work; years in the description; the years of works; whether most people of the same
    occupations are past.
    """

    def __init__(self, knowledge: Knowledge, catalog: Catalog, lexicon: Lexicon, pools: Pools):
        self._knowledge = knowledge
        self._catalog = catalog
        self._lexicon = lexicon
        self._pools = pools

    def is_past(self, qid: str) -> bool | None:
        """Return whether a person is dead; None if unknown."""
        kind = self._catalog.kinds[_PERSON]
        if {fact.pid for fact in self._pools.of(qid)} & {*kind.ends, *self._lexicon.deadly}:
            return True
        begins = [
            first
            for pid in (*kind.begins, *self._lexicon.begun)
            for first, _ in self._knowledge.times.years(qid, pid)
        ]
        if begins:
            return min(begins) < _OLDEST
        described = _YEARS.search(self._knowledge.labels.description(qid) or "")
        if described:
            return bool(described["end"]) or int(described["begin"]) < _OLDEST
        return self._is_of_the_past(qid)

    def _is_of_the_past(self, qid: str) -> bool | None:
        """Infer the era of a person without dates from works and colleagues."""
        if years := sorted(self._released[work] for work in self._works(qid)):
            median = years[len(years) // 2]
            if not _OLD_WORK <= median < _NEW_WORK:
                return median < _OLD_WORK
        eras = [self._eras[one] for one in self._knowledge.statements.values(qid, "P106")]
        shares = [era[True] / era.total() for era in eras if era.total() >= _COLLEAGUES]
        return sum(shares) / len(shares) > _MOSTLY if shares else None

    def _works(self, qid: str) -> list[str]:
        """Return the dated works to which statements link a person."""
        pids = [
            relation.pid
            for relation in self._catalog.relations.values()
            if _PERSON in relation.object and _WORKS & {*relation.subject}
        ]
        works = (one for pid in pids for one in self._knowledge.statements.subjects(qid, pid))
        return [one for one in works if one in self._released]

    @functools.cached_property
    def _released(self) -> dict[str, int]:
        """The first year of publication of each published item."""
        times = self._knowledge.times
        published = {qid: times.years(qid, _PUBLISHED) for qid in times.by_item(_PUBLISHED)}
        return {qid: min(first for first, _ in years) for qid, years in published.items() if years}

    @functools.cached_property
    def _eras(self) -> defaultdict[str, Counter[bool]]:
        """The numbers of past and living people with dates in each occupation."""
        counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        kind = self._catalog.kinds[_PERSON]
        ended = {qid for pid in kind.ends for qid in self._knowledge.times.by_item(pid)}
        for pid in kind.begins:
            for qid in self._knowledge.times.by_item(pid):
                first = min(
                    (year for year, _ in self._knowledge.times.years(qid, pid)), default=None
                )
                if first is not None:
                    is_past = qid in ended or first < _OLDEST
                    for occupation in self._knowledge.statements.values(qid, "P106"):
                        counts[occupation][is_past] += 1
        return counts
