"""Find statements that contradict a date: nobody is born after a film with them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.lost_precision import LostPrecision, Reading
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Rejected
from kgbuild.wikidata import Value


class _Bound(NamedTuple):
    """The other date of an item, and the years that may lie between the two dates."""

    at: str
    via: str | None = None
    of: str | None = None
    least: int = -(10**6)
    most: int = 10**6


class SafeDates:
    """The dates of items by one property, as precise as is safe."""

    def __init__(self, knowledge: Knowledge, pid: str):
        self._statements = knowledge.statements
        self._years = knowledge.times.years
        self._times = knowledge.times.by_item(pid)
        self._bounds = [
            _Bound(**bound) for bound in read_toml("granola", "date_bounds").get(pid, ())
        ]
        kinds = knowledge.kinds
        self._precision = LostPrecision(self._times, lambda qid: next(iter(kinds.names(qid)), None))

    def dates(self, qid: str) -> list[Value]:
        """Return the dates of an item, each with the finest precision that is safe.

        Raises:
            Rejected: other statements contradict all dates, or none is precise to a century.
        """
        values = self._times.get(qid, ())
        readings = {value: [*self._precision.readings(qid, value)] for value in values}
        if not any(readings.values()):
            raise Rejected("no date", _texts(values))
        dates = (
            next(
                (reading.value for reading in several if not self._is_contradicted(qid, reading)),
                None,
            )
            for several in readings.values()
        )
        if not (safe := [date for date in dates if date]):
            raise Rejected("contradicted", _texts(values))
        return safe

    def _is_contradicted(self, qid: str, reading: Reading) -> bool:
        """Return whether all dates of another item are too far from the date of an item."""
        return any(
            all(
                last - reading.first < bound.least or first - reading.last > bound.most
                for first, last in dates
            )
            for bound in self._bounds
            for dates in self._others(qid, bound)
        )

    def _others(self, qid: str, bound: _Bound) -> Iterator[list[Years]]:
        """Yield the dates of each item to which a bound compares an item; each has at least one."""
        items: Iterable[str] = [qid]
        if bound.via:
            items = self._statements.values(qid, bound.via)
        elif bound.of:
            items = self._statements.subjects(qid, bound.of)
        yield from filter(None, (self._years(item, bound.at) for item in items))


def _texts(values: Iterable[Value]) -> str:
    return ", ".join(value.text for value in values)
