"""Tell when items began: by descriptions, dates, or the dates of the items they are joined to."""

import functools
import re
import statistics
from typing import NamedTuple

from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.store.labels import Labels

_BEGINS = ("P569", "P571", "P577", "P1191", "P580", "P585", "P2031")
"""Birth, inception, publication, first performance, start, point in time, start of work."""
_YEARS = {
    **dict.fromkeys(("P22", "P25"), 30),
    **dict.fromkeys(("P184", "P1066"), 25),
    **dict.fromkeys(("P26", "P451", "P3373"), 0),
    **dict.fromkeys(("P185", "P802"), -25),
    "P40": -30,
    **dict.fromkeys(("P50", "P57", "P58", "P86", "P161", "P162", "P170", "P175", "P676"), 38),
    "P800": -38,
}
"""The years by which the subject of a property usually begins later than the value.

In a slice of 10,051 people with dates, the median over relatives, teachers and works differs from
the date of birth by 8 years (median), and by 33 in at most 5 %.
"""

_PEERS = ("P102", "P108", "P166", "P463", "P54", "P607", "P1344", "P1411")
"""The properties of people whose values have people of one time: party, employer, award, member
of, team, conflict, participant in, nomination."""
_MIN_PEERS, _MAX_PEERS = 3, 200
"""Minimum number of dated people with a value, and maximum number that are read."""
_MAX_SPREAD = 40
"""Maximum number of years between the first and the last fifth of the people with a value.

In a slice of 16,154 dated people the estimate of such a value differs from the date by 8 years
(median), and by more than 38 for 5 %.
"""

_DESCRIBED = re.compile(
    r"^(?P<work>\d{4})\b|\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)"
)


class Described(NamedTuple):
    """The years of a beginning and an end in a description, None where there is none."""

    begin: int | None
    end: int | None


def described(description: str | None) -> Described:
    """Return the years in a description, as Wikidata writes them.

    They are exact, while a truthy dump lacks the precision of dates.

    >>> described("1934 film by Victor Schertzinger"), described("French painter (1840-1916)")
    (Described(begin=1934, end=None), Described(begin=1840, end=1916))
    """
    match = _DESCRIBED.search(description or "")
    begin, end = (match["work"] or match["begin"], match["end"]) if match else (None, None)
    return Described(int(begin) if begin else None, int(end) if end else None)


class Eras:
    """Estimates the years in which items began; each item once."""

    def __init__(self, statements: Statements, times: Times, labels: Labels):
        self._statements = statements
        self._times = times
        self._labels = labels
        self.year = functools.cache(self._year)
        self._spread = functools.cache(self._read_spread)
        self._stated = functools.cache(self._read_stated)

    def years_between(self, one: str, other: str) -> int:
        """Return the years between the beginnings of two items; 0 if one is not known."""
        return abs(self.years_later(one, other) or 0)

    def years_later(self, one: str, other: str) -> int | None:
        """Return the years by which an item began after another one; None if one is not known."""
        first, second = self.year(one), self.year(other)
        return None if first is None or second is None else second - first

    def _year(self, qid: str) -> int | None:
        """Return the described or stated year, else the median that others suggest, or None."""
        if (year := self._own(qid)) is not None:
            return year
        suggested = []
        for pid, later in _YEARS.items():
            links = [(value, later) for value in self._statements.values(qid, pid)]
            links += [(subject, -later) for subject in self._statements.subjects(qid, pid)]
            dated = ((self._stated(item), years) for item, years in links)
            suggested += [year + years for year, years in dated if year is not None]
        return statistics.median_low(suggested) if suggested else self._of_peers(qid)

    def _of_peers(self, qid: str) -> int | None:
        """Return the median year of the people with the value that tells the time best, or None."""
        values = ((pid, value) for pid in _PEERS for value in self._statements.values(qid, pid))
        spreads = [spread for pair in values if (spread := self._spread(*pair))]
        years, median = min(spreads, default=(_MAX_SPREAD + 1, 0))
        return median if years <= _MAX_SPREAD else None

    def _read_spread(self, pid: str, value: str) -> tuple[int, int] | None:
        """Return by how many years the people with a value differ, and their median year."""
        people = self._statements.subjects(value, pid)[:_MAX_PEERS]
        years = [year for qid in people if (year := self._own(qid)) is not None]
        if len(years) < _MIN_PEERS:
            return None
        fifths = statistics.quantiles(years, n=5, method="inclusive")
        return round(fifths[-1] - fifths[0]), statistics.median_low(years)

    def _own(self, qid: str) -> int | None:
        """Return the year of the description, else of a statement, or None."""
        year = described(self._labels.description(qid)).begin
        return self._stated(qid) if year is None else year

    def _read_stated(self, qid: str) -> int | None:
        """Return the earliest date, in the middle of the years that it can mean."""
        years = (sum(span) // 2 for pid in _BEGINS for span in self._times.years(qid, pid))
        return min(years, default=None)
