"""Estimate how precise the dates of a property are, in a store that does not state it.

A truthy dump writes a year, a decade and a century as a 1 January: "the 20th century" becomes
1 January 2000. If a round year has many more of them than the years around it, most are decades or
centuries.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.wikidata import CENTURY, DECADE, YEAR, Value

_MIN_SHARE = 0.8
"""Minimum share of the 1 Januaries of round years that mean the year, where all count as years."""
_NEIGHBOURS = (-4, -3, -2, -1, 1, 2, 3, 4)
"""The distances of the years to which a round year is compared: none of these is round."""


class Reading(NamedTuple):
    """A time with a precision that it may have, and the first and the last year that it covers."""

    value: Value
    first: int
    last: int


class _Shares(NamedTuple):
    """The estimated shares of the 1 Januaries of some round years that mean a year or a decade."""

    year: float
    decade: float


class LostPrecision:
    """The precisions that the times of a property may have.

    ``times`` are the times of each item. Round years are compared within groups of items, such as
    organisations, and within centuries.
    """

    def __init__(self, times: Mapping[str, Iterable[Value]], group: Callable[[str], object]):
        self._group = group
        self._counts: dict[object, Counter[int]] = defaultdict(Counter)
        for qid, values in times.items():
            self._counts[group(qid)].update(filter(None, map(_lost_year, values)))
        self._shares: dict[tuple[object, int, int], _Shares] = {}

    def readings(self, qid: str, value: Value) -> Iterator[Reading]:
        """Yield the readings of a time that are safe, the finest first.

        A time with a stated precision has one, and so has one that is no 1 January. A century is
        safe if the decade lies in it, or if hardly any of the 1 Januaries mean a decade.
        """
        year = _lost_year(value)
        if year is None or year % 10:
            yield from _with_own_precision(value)
            return
        shares = self._of_tier(self._group(qid), year)
        if shares.year >= _MIN_SHARE:
            yield _reading(value, year, YEAR)
        if year % 50 or shares.year + shares.decade >= _MIN_SHARE:
            yield _reading(value, year, DECADE)
        if year % 50 == 0 and (year % 100 or shares.decade <= 1 - _MIN_SHARE):
            yield _reading(value, year, CENTURY)

    def _of_tier(self, group: object, year: int) -> _Shares:
        """Return the shares for a year and those of its century that are equally round."""
        century, tier = year // 100, _tier(year)
        if (group, century, tier) not in self._shares:
            count, expected = self._totals(group, _years(century, tier))
            decades = _years(century, 10)
            decade_count, decade_expected = self._totals(group, decades)
            extra = max(0.0, decade_count - decade_expected) / len(decades)
            self._shares[group, century, tier] = _Shares(
                expected / count, extra * len(_years(century, tier)) / count
            )
        return self._shares[group, century, tier]

    def _totals(self, group: object, years: Sequence[int]) -> tuple[int, float]:
        """Return the number of 1 Januaries in some years, at least 1, and the expected number."""
        counts = self._counts[group]
        expected = sum(counts[year + step] for year in years for step in _NEIGHBOURS)
        return max(1, sum(counts[year] for year in years)), expected / len(_NEIGHBOURS)


def _lost_year(value: Value) -> int | None:
    """Return the year of a 1 January without a precision: -100 is 100 BC; None for others."""
    day = wikidata.day(value)
    if day is None or day[1:] != (1, 1) or value.precision is not None:
        return None
    return day[0] if day[0] > 0 else day[0] - 1


def _tier(year: int) -> int:
    """Return the largest of 100, 50 and 10 that divides a round year."""
    return next(divisor for divisor in (100, 50, 10) if year % divisor == 0)


def _years(century: int, tier: int) -> list[int]:
    return [year for year in range(century * 100, century * 100 + 100, 10) if _tier(year) == tier]


def _with_own_precision(value: Value) -> Iterator[Reading]:
    day = wikidata.day(value)
    if day is not None:
        first, last = wikidata.years(value) or (day[0], day[0])
        yield Reading(value, first, last)


def _reading(value: Value, year: int, precision: int) -> Reading:
    """Return a round year with a precision; the century of 1900 ends with it."""
    spans = {
        YEAR: (year, year),
        DECADE: (year, year + 9),
        CENTURY: (year - 99, year) if year % 100 == 0 else (year - 49, year + 50),
    }
    return Reading(value._replace(precision=precision), *spans[precision])
