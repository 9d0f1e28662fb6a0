"""Find how precise a date is that may be one of the Julian calendar.

Where a country kept the Julian calendar, sources have dates of both calendars: Khrushchev was born
on 3 or on 15 April 1894. A truthy dump does not say of which one a date is, so the day is not safe,
nor is the month if the dates lie in different ones.
"""

import datetime

from kgbuild.datasets.base import read_toml
from kgbuild.english.dates import DAY
from kgbuild.graph.knowledge import Knowledge
from kgbuild.wikidata import Value

_LAST_DAYS = {
    entry["country"]: datetime.date.fromisoformat(entry["day"])
    for entry in read_toml("granola", "questions/old_style")["last_days"]
}
_REFORM = datetime.date(1582, 10, 15)
"""The first day of the Gregorian calendar."""
_LATEST = max(_LAST_DAYS.values())
_CITIZENSHIP, _COUNTRY = "P27", "P17"
_PLACES = {"P569": "P19", "P570": "P20"}
"""For birth and death, the property of the place."""


class OldStyle:
    """The precision of births, or of deaths, in countries that kept the Julian calendar.

    ``pid`` is a property of dates; all days by another one than birth or death are safe.
    """

    def __init__(self, knowledge: Knowledge, pid: str):
        self._statements = knowledge.statements
        self._place = _PLACES.get(pid)

    def safe(self, person: str, value: Value, finest: Value) -> Value:
        """Return a reading of a date with a precision that both calendars have in common.

        ``value`` is the date as stated: if it has a precision, the store has it from a dump that
        names the calendar, and the date has been converted.
        """
        is_day = finest.precision in (None, DAY)
        if self._place is None or not is_day or value.precision is not None:
            return finest
        day = _day(value)
        if day is None or not _REFORM <= day <= _LATEST or day > self._last_day(person):
            return finest
        return finest._replace(precision=common_precision(day))

    def _last_day(self, person: str) -> datetime.date:
        """Return the last day on which a country of a person used the Julian calendar."""
        values = self._statements.values
        places = values(person, self._place or "")
        countries = [*values(person, _CITIZENSHIP)]
        countries += [country for place in places for country in values(place, _COUNTRY)]
        days = (_LAST_DAYS[country] for country in countries if country in _LAST_DAYS)
        return max(days, default=datetime.date.min)


def common_precision(day: datetime.date) -> int:
    """Return the precision that a day has in common with the day of the same Julian date.

    >>> common_precision(datetime.date(1904, 2, 8)), common_precision(datetime.date(1904, 2, 21))
    (10, 9)
    """
    other = day + datetime.timedelta(days=_days_between_calendars(day))
    parts = (
        (DAY - 1, (day.year, day.month), (other.year, other.month)),
        (DAY - 2, day.year, other.year),
        (DAY - 3, day.year // 10, other.year // 10),
    )
    return next((precision for precision, own, one in parts if own == one), DAY - 4)


def _days_between_calendars(day: datetime.date) -> int:
    """Return how many days a Julian date is behind the Gregorian one: 13 since March 1900."""
    year = day.year if (day.month, day.day) > (2, 28) else day.year - 1
    return year // 100 - year // 400 - 2


def _day(value: Value) -> datetime.date | None:
    """Return the day of a time; None if it is no day of this era."""
    try:
        return datetime.date.fromisoformat(value.text.partition("T")[0])
    except ValueError:
        return None
