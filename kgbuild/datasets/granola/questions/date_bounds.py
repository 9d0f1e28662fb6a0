"""Choose dates that other statements do not contradict: a film cannot be older than its actors.

A truthy dump has dates without their precision, so a date has several readings: as a day, a year, a
decade or a century (see ``lost_precision``). Bounds in date_bounds.toml compare two dates.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.questions.described_years import BIRTH, DEATH, contradicts
from kgbuild.datasets.granola.questions.lost_precision import LostPrecision, Reading
from kgbuild.datasets.granola.questions.old_style import OldStyle
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Rejected
from kgbuild.wikidata import Value

_OTHER = {BIRTH: DEATH, DEATH: BIRTH}
_UNLIMITED = 10**6
"""A number of years that no two dates are apart."""


class _Bound(NamedTuple):
    """Another date, and the minimum and maximum number of years from the date to the other date.

    The other date has the property ``property``. It belongs to the same item, or to the values of
    the property ``values_of``, or to the items whose value by ``subjects_by`` is the item.
    """

    property: str
    values_of: str | None = None
    subjects_by: str | None = None
    min_years: int = -_UNLIMITED
    max_years: int = _UNLIMITED


class SafeDates:
    """The dates of items by a property, with the finest precision that nothing contradicts."""

    def __init__(self, knowledge: Knowledge, pid: str):
        self._pid = pid
        self._description = knowledge.labels.description
        self._statements = knowledge.statements
        self._times_of = knowledge.times.of_item
        self._years = knowledge.times.years
        self._times = knowledge.times.by_item(pid)
        self._bounds = [
            _Bound(**bound) for bound in read_toml("granola", "questions/date_bounds").get(pid, ())
        ]
        self._old_style = OldStyle(knowledge, pid)
        kinds = knowledge.kinds
        self._precision = LostPrecision(
            self._times, lambda qid: next(iter(kinds.names(qid)), None), self._description
        )

    def dates(self, qid: str) -> list[Value]:
        """Return the dates of an item, each with the finest precision that is safe.

        Raises:
            Rejected: other statements contradict all dates, or none is precise to a century.
        """
        values = self._times.get(qid, ())
        readings = {value: [*self._precision.readings(qid, value)] for value in values}
        if not any(readings.values()):
            raise Rejected("no date", _texts(values))
        safe_dates = []
        for value, readings_of_value in readings.items():
            safe = (
                reading.value
                for reading in readings_of_value
                if not self._is_contradicted(qid, reading)
            )
            if finest := next(safe, None):
                safe_dates.append(self._old_style.safe(qid, value, finest))
        if not safe_dates:
            raise Rejected("contradicted", _texts(values))
        return safe_dates

    def _is_contradicted(self, qid: str, reading: Reading) -> bool:
        """Return whether an item has only dates outside a bound of the reading.

        Its description contradicts a reading, too, if it has another year.
        """
        years = reading.first, reading.last
        description = self._description(qid) or ""
        other = _OTHER.get(self._pid)
        if contradicts(description, self._pid, years, self._years(qid, other) if other else ()):
            return True
        return any(
            all(
                last - reading.first < bound.min_years or first - reading.last > bound.max_years
                for first, last in years
            )
            for years, bound in self._compared_years(qid)
        )

    def _compared_years(self, qid: str) -> Iterator[tuple[list[Years], _Bound]]:
        """Yield the years of the other dates of each bound, for each item that has such dates."""
        values = self._statements.by_property(qid)
        pids_to = self._statements.properties_to(qid)
        for bound in self._bounds:
            items: Iterable[str] = (qid,)
            if bound.values_of:
                items = values.get(bound.values_of, ())
            elif bound.subjects_by:  # most items have no such subjects
                is_value = bound.subjects_by in pids_to
                items = self._statements.subjects(qid, bound.subjects_by) if is_value else ()
            for item in items:
                has_date = bound.property in self._times_of(item)
                if has_date and (years := self._years(item, bound.property)):
                    yield years, bound


def _texts(values: Iterable[Value]) -> str:
    return ", ".join(value.text for value in values)
