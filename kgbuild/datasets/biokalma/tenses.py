"""Infer whether people are dead, so that sentences about them are in the past tense."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.graph.knowledge import Knowledge

_PERSON = "person"
_MIN_BIRTH_YEAR = 1930
"""People born before this year count as dead even if the store has no death."""
# "(1874–1951)", "(born 1950)", "(1950)"
_YEARS = re.compile(r"\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)")
_PUBLICATION = "P577"
_WORK_KINDS = {"screen", "music", "writing"}
_WORKS_OF_DEAD_BEFORE, _WORKS_OF_LIVING_FROM = 1965, 1985
"""People count as dead or alive if the median year of their works is before or from these years."""
_MAX_DEAD_COLLEAGUES = 0.45
"""People count as dead if a larger share of the people with their occupations is dead."""
_MIN_COLLEAGUES = 5
"""Minimum number of people with dates in an occupation that is used for this share."""


class Tenses:
    """Infers whether people are dead."""

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._knowledge = knowledge
        self._pools = pools

    def is_dead(self, qid: str) -> bool | None:
        """Return whether a person is dead; None if unknown.

        The sources, in this order: a death, or a property that only dead people have; dates of
        birth or work; years in the description; the years of works; the share of dead people in
        the same occupations.
        """
        kind = catalog().kinds[_PERSON]
        if {fact.pid for fact in self._pools.facts(qid)} & {
            *kind.end_properties,
            *lexicon().of_dead_people,
        }:
            return True
        first_years = [
            earliest
            for pid in (*kind.begin_properties, *lexicon().work_dates)
            for earliest, _ in self._knowledge.times.years(qid, pid)
        ]
        if first_years:
            return min(first_years) < _MIN_BIRTH_YEAR
        years = _YEARS.search(self._knowledge.labels.description(qid) or "")
        if years:
            return bool(years["end"]) or int(years["begin"]) < _MIN_BIRTH_YEAR
        return self._is_probably_dead(qid)

    def _is_probably_dead(self, qid: str) -> bool | None:
        """Infer from works and colleagues whether a person without dates is dead."""
        if years := sorted(self._publication_years[work] for work in self._works(qid)):
            median = years[len(years) // 2]
            if median < _WORKS_OF_DEAD_BEFORE:
                return True
            if median >= _WORKS_OF_LIVING_FROM:
                return False
        occupations = self._knowledge.statements.values(qid, "P106")
        counts_by_death = [self._colleagues[occupation] for occupation in occupations]
        shares = [
            counts[True] / counts.total()
            for counts in counts_by_death
            if counts.total() >= _MIN_COLLEAGUES
        ]
        return sum(shares) / len(shares) > _MAX_DEAD_COLLEAGUES if shares else None

    def _works(self, qid: str) -> list[str]:
        """Return the dated works to which statements link a person."""
        pids = [
            relation.pid
            for relation in catalog().relations.values()
            if _PERSON in relation.object_kinds and _WORK_KINDS & {*relation.subject_kinds}
        ]
        works = (work for pid in pids for work in self._knowledge.statements.subjects(qid, pid))
        return [work for work in works if work in self._publication_years]

    @functools.cached_property
    def _publication_years(self) -> dict[str, int]:
        """The first year of publication of each item with a date of publication."""
        times = self._knowledge.times
        intervals = {qid: times.years(qid, _PUBLICATION) for qid in times.by_item(_PUBLICATION)}
        return {
            qid: min(earliest for earliest, _ in years) for qid, years in intervals.items() if years
        }

    @functools.cached_property
    def _colleagues(self) -> defaultdict[str, Counter[bool]]:
        """The numbers of dead (True) and living people with dates, by occupation."""
        counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        kind = catalog().kinds[_PERSON]
        dead_people = {
            qid for pid in kind.end_properties for qid in self._knowledge.times.by_item(pid)
        }
        for pid in kind.begin_properties:
            for qid in self._knowledge.times.by_item(pid):
                if years := [earliest for earliest, _ in self._knowledge.times.years(qid, pid)]:
                    is_dead = qid in dead_people or min(years) < _MIN_BIRTH_YEAR
                    for occupation in self._knowledge.statements.values(qid, "P106"):
                        counts[occupation][is_dead] += 1
        return counts
