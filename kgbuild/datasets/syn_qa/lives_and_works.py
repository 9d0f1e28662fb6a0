"""Compare the lives of people with the dates of works that they take part in."""

import functools

from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Dated, Years
from kgbuild.graph.years import described

_CACHE_SIZE = 1 << 17
"""Maximum number of items whose descriptions are kept in memory."""
_MIN_AGE = 5
"""Minimum age, in years, at which a person can take part in a work."""
_MAX_YEARS_AFTER_DEATH = 3
"""Maximum number of years between the death of a person who took part in a work and the work."""


class Lives:
    """Compares the lives of people with works, by descriptions or dates.

    If a year is unknown, a comparison returns False.
    """

    def __init__(self, knowledge: Knowledge):
        self._times = knowledge.times
        description = knowledge.labels.description
        self._described = functools.lru_cache(_CACHE_SIZE)(lambda qid: described(description(qid)))

    def is_posthumous(self, person: Dated, work: Dated) -> bool:
        """Return whether a person had been dead for several years when a work began."""
        death, beginning = self._end(person), self._begin(work)
        if not death or not beginning:
            return False
        (_, last_death_year), (first_work_year, _) = death, beginning
        return last_death_year + _MAX_YEARS_AFTER_DEATH < first_work_year

    def is_too_young(self, person: Dated, work: Dated) -> bool:
        """Return whether a person was not born or a small child when a work ended, or began."""
        birth, work_years = self._begin(person), self._end(work) or self._begin(work)
        if not birth or not work_years:
            return False
        (first_birth_year, _), (_, last_work_year) = birth, work_years
        return last_work_year < first_birth_year + _MIN_AGE

    def _begin(self, item: Dated) -> Years | None:
        """Return the first and the last possible year of the beginning of an item."""
        qid, kind = item
        if year := self._described(qid).begin:
            return year, year
        return min(self._years(qid, kind.begin_properties if kind else ()), default=None)

    def _end(self, item: Dated) -> Years | None:
        """Return the first and the last possible year of the end of an item."""
        qid, kind = item
        if year := self._described(qid).end:
            return year, year
        years = self._years(qid, kind.end_properties if kind else ())
        return max(years, default=None, key=lambda years: years[1])

    def _years(self, qid: str, pids: tuple[str, ...]) -> list[Years]:
        return [years for pid in pids for years in self._times.years(qid, pid)]
