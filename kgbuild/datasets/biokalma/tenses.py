"""Find out whether people are dead, so that sentences about them are in the past tense."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.graph.knowledge import Knowledge

_PERSON = "person"
_FIRST_ALIVE = 1930
"""People born before this year count as dead even if no death is stated."""
_YEARS = re.compile(r"\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)")
_PUBLISHED = "P577"
_WORKS = {"screen", "music", "writing"}
_LAST_OF_DEAD, _FIRST_OF_LIVING = 1965, 1985
"""People count as dead if their median work is from before 1965, as alive if it is from 1985 on."""
_MAX_DEAD_COLLEAGUES = 0.45
"""People count as dead if a larger share of the people with their occupations is dead."""
_MIN_COLLEAGUES = 5
"""Minimum number of people with dates in an occupation that is used for this share."""


class Tenses:
    """Finds out whether people are dead."""

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._knowledge = knowledge
        self._pools = pools

    def is_past(self, qid: str) -> bool | None:
        """Return whether a person is dead; None if unknown.

        The sources, in this order: a death, or a property that only dead people have; dates of
        birth or work; years in the description; the years of works; the share of dead people in
        the same occupations.
        """
        kind = catalog().kinds[_PERSON]
        if {fact.pid for fact in self._pools.facts(qid)} & {*kind.ends, *lexicon().deadly}:
            return True
        begins = [
            first
            for pid in (*kind.begins, *lexicon().begun)
            for first, _ in self._knowledge.times.years(qid, pid)
        ]
        if begins:
            return min(begins) < _FIRST_ALIVE
        years = _YEARS.search(self._knowledge.labels.description(qid) or "")
        if years:
            return bool(years["end"]) or int(years["begin"]) < _FIRST_ALIVE
        return self._is_probably_past(qid)

    def _is_probably_past(self, qid: str) -> bool | None:
        """Infer from works and colleagues whether a person without dates is dead."""
        if years := sorted(self._released[work] for work in self._works(qid)):
            median = years[len(years) // 2]
            if not _LAST_OF_DEAD <= median < _FIRST_OF_LIVING:
                return median < _LAST_OF_DEAD
        occupations = self._knowledge.statements.values(qid, "P106")
        eras = [self._eras[occupation] for occupation in occupations]
        shares = [era[True] / era.total() for era in eras if era.total() >= _MIN_COLLEAGUES]
        return sum(shares) / len(shares) > _MAX_DEAD_COLLEAGUES if shares else None

    def _works(self, qid: str) -> list[str]:
        """Return the dated works to which statements link a person."""
        pids = [
            relation.pid
            for relation in catalog().relations.values()
            if _PERSON in relation.object and _WORKS & {*relation.subject}
        ]
        works = (work for pid in pids for work in self._knowledge.statements.subjects(qid, pid))
        return [work for work in works if work in self._released]

    @functools.cached_property
    def _released(self) -> dict[str, int]:
        """The first year of publication of each published item."""
        times = self._knowledge.times
        published = {qid: times.years(qid, _PUBLISHED) for qid in times.by_item(_PUBLISHED)}
        return {qid: min(first for first, _ in years) for qid, years in published.items() if years}

    @functools.cached_property
    def _eras(self) -> defaultdict[str, Counter[bool]]:
        """The numbers of dead (True) and living people with dates, by occupation."""
        counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        kind = catalog().kinds[_PERSON]
        ended = {qid for pid in kind.ends for qid in self._knowledge.times.by_item(pid)}
        for pid in kind.begins:
            for qid in self._knowledge.times.by_item(pid):
                if years := [first for first, _ in self._knowledge.times.years(qid, pid)]:
                    is_past = qid in ended or min(years) < _FIRST_ALIVE
                    for occupation in self._knowledge.statements.values(qid, "P106"):
                        counts[occupation][is_past] += 1
        return counts
