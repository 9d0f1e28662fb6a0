"""Estimate the precision of the dates of a property, which a truthy dump does not state.

A truthy dump writes a year, a decade and a century as a 1 January: "the 20th century" becomes
1 January 2000. A round year (1850, 1900) with many more such dates than the years around it has
mostly decades or centuries.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected
from kgbuild.wikidata import CENTURY, DECADE, YEAR, Value

_MIN_SHARE = 0.8
"""Minimum share of 1 Januaries of round years that must mean a year, so that all count as years.

The same share decides about decades and centuries.
"""
_NEIGHBOUR_DISTANCES = (-4, -3, -2, -1, 1, 2, 3, 4)
"""Distances in years from a round year to the years that it is compared with: none is round."""


class _Shares(NamedTuple):
    """The shares of the 1 Januaries of round years that mean a year, and that mean a decade."""

    year: float
    decade: float


class LostPrecision:
    """The precisions that the times of a property may have.

    ``times`` are by item, and ``group`` returns the group of an item, such as organisations. Shares
    are estimated for each group and century. ``description`` returns the description of an item,
    which may contain the year.
    """

    def __init__(
        self,
        times: Mapping[str, Iterable[Value]],
        group: Callable[[str], object],
        description: Callable[[str], str | None] = lambda _: None,
    ):
        self._group = group
        self._description = description
        self._counts: dict[object, Counter[int]] = defaultdict(Counter)
        for qid, values in times.items():
            self._counts[group(qid)].update(filter(None, map(_year_without_precision, values)))
        self._shares: dict[tuple[object, int, int], _Shares] = {}

    def safe(self, qid: str, value: Value) -> Value | None:
        """Return a time with the finest precision that is safe, or None if none is.

        A time with a stated precision keeps it, and so does a time that is not a 1 January of a
        round year, or whose year is in the description of the item. A century is safe if the year
        and the decade lie in it, as those of 1950 do. The century of 1900 is the one before it, so
        it is safe only if few dates mean a year or a decade.
        """
        year = _year_without_precision(value)
        if year is None or year % 10:
            return value if wikidata.day(value) else None
        shares = self._estimate_shares(self._group(qid), year)
        is_described = re.search(rf"\b{year}\b", self._description(qid) or "")
        if is_described or shares.year >= _MIN_SHARE:
            return value._replace(precision=YEAR)
        if year % 50 or shares.year + shares.decade >= _MIN_SHARE:
            return value._replace(precision=DECADE)
        if year % 100 or shares.year + shares.decade <= 1 - _MIN_SHARE:
            return value._replace(precision=CENTURY)
        return None

    def _estimate_shares(self, group: object, year: int) -> _Shares:
        """Return the shares for the years of a century that are as round as a year."""
        century, divisor = year // 100, _roundness(year)
        key = group, century, divisor
        if key not in self._shares:
            years = _round_years(century, divisor)
            count, expected = self._totals(group, years)
            decades = _round_years(century, 10)
            decade_count, decade_expected = self._totals(group, decades)
            # Years such as 1860 have no centuries, so their surplus over the neighbours is decades.
            decades_per_year = max(0.0, decade_count - decade_expected) / len(decades)
            self._shares[key] = _Shares(
                year=expected / count, decade=decades_per_year * len(years) / count
            )
        return self._shares[key]

    def _totals(self, group: object, years: Sequence[int]) -> tuple[int, float]:
        """Return the number of 1 Januaries in round years, at least 1, and the expected number.

        The expected number is the mean of the neighbouring years, whose dates mean the year.
        """
        counts = self._counts[group]
        expected = sum(
            counts[year + distance] for year in years for distance in _NEIGHBOUR_DISTANCES
        )
        return max(1, sum(counts[year] for year in years)), expected / len(_NEIGHBOUR_DISTANCES)


def _year_without_precision(value: Value) -> int | None:
    """Return the year of a 1 January without a stated precision; None for other times.

    The year -100 is 100 BC.
    """
    day = wikidata.day(value)
    if day is None or day[1:] != (1, 1) or value.precision is not None:
        return None
    return day[0] if day[0] > 0 else day[0] - 1


def _roundness(year: int) -> int:
    """Return the largest of 100, 50 and 10 that divides a round year."""
    return next(divisor for divisor in (100, 50, 10) if year % divisor == 0)


def _round_years(century: int, divisor: int) -> list[int]:
    """Return the years of a century with this largest divisor: 10 without multiples of 50."""
    decades = range(century * 100, century * 100 + 100, 10)
    return [year for year in decades if _roundness(year) == divisor]


class SafeDates:
    """The dates of items by a property, with the finest precision that is safe."""

    def __init__(self, knowledge: Knowledge, pid: str):
        self._times = knowledge.times.by_item(pid)
        kinds = knowledge.kinds
        self._precision = LostPrecision(
            self._times,
            lambda qid: next(iter(kinds.names(qid)), None),
            knowledge.labels.description,
        )

    def dates(self, qid: str) -> list[Value]:
        """Return the dates of an item, each with the finest precision that is safe.

        Raises:
            Rejected: none is precise to a century.
        """
        values = self._times.get(qid, ())
        safe = [one for value in values if (one := self._precision.safe(qid, value))]
        if not safe:
            raise Rejected("no date", ", ".join(value.text for value in values))
        return safe
