"""Read when items began and ended, to see whether a replacement fits into the time of a subject."""

import functools
import re
from typing import NamedTuple

from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Dated, Years
from kgbuild.relations import Kind

_YOUNGEST = 5
"""The age from which on a person can take part in a work."""
_POSTHUMOUS = 3
"""The years for which a work can appear after the death of somebody who took part in it."""
_DESCRIBED = re.compile(
    r"^(?P<work>\d{4})\b|\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)"
)
"""The years in a description: "1934 film by Victor Schertzinger", "French painter (1840-1916)"."""


class _Era(NamedTuple):
    """The first and the last year that a beginning can mean, and so for an end, if known."""

    begin: Years | None = None
    end: Years | None = None


class Eras:
    """Tells the times of items by the years in their descriptions, or else by their dates.

    A description has the year alone; of a date in a truthy dump the precision is unknown.
    """

    def __init__(self, knowledge: Knowledge):
        self._times = knowledge.times
        self._labels = knowledge.labels
        self._of = functools.cache(self._read)

    def years_between(self, one: Dated, other: Dated) -> int:
        """Return the years between the beginnings of two items; 0 if one has no date."""
        first, second = self._of(*one).begin, self._of(*other).begin
        return abs(first[0] - second[0]) if first and second else 0

    def is_posthumous(self, person: Dated, work: Dated) -> bool:
        """Tell whether a person was long dead when a work was made."""
        death, made = self._of(*person).end, self._of(*work).begin
        return bool(death and made and death[1] + _POSTHUMOUS < made[0])

    def is_too_young(self, person: Dated, work: Dated) -> bool:
        """Tell whether a person was unborn or a small child when a work, or its end, was made."""
        birth, (begin, end) = self._of(*person).begin, self._of(*work)
        made = end or begin
        return bool(birth and made and made[1] < birth[0] + _YOUNGEST)

    def _read(self, qid: str, kind: Kind | None) -> _Era:
        if kind is None or not kind.begins:
            return _Era()
        match = _DESCRIBED.search(self._labels.description(qid) or "")
        if match and (begin := match["work"] or match["begin"]):
            return _Era(_year(begin), _year(match["end"]) if match["end"] else None)
        begins, ends = (
            [years for pid in pids for years in self._times.years(qid, pid)]
            for pids in (kind.begins, kind.ends)
        )
        return _Era(min(begins, default=None), max(ends, default=None, key=lambda years: years[1]))


def _year(text: str) -> Years:
    return int(text), int(text)
