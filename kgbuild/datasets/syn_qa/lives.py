"""Tell whether a person was alive when a work was made."""

from kgbuild.graph.eras import described
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Dated, Years

_YOUNGEST = 5
"""The age from which on a person can take part in a work."""
_POSTHUMOUS = 3
"""The years for which a work can appear after the death of somebody who took part in it."""


class Lives:
    """Compares the lives of people with works, as far as descriptions or dates tell."""

    def __init__(self, knowledge: Knowledge):
        self._times = knowledge.times
        self._labels = knowledge.labels

    def is_posthumous(self, person: Dated, work: Dated) -> bool:
        """Tell whether a person was long dead when a work was made."""
        death, made = self._end(person), self._begin(work)
        return bool(death and made and death[1] + _POSTHUMOUS < made[0])

    def is_too_young(self, person: Dated, work: Dated) -> bool:
        """Tell whether a person was unborn or a small child when a work, or its end, was made."""
        birth, made = self._begin(person), self._end(work) or self._begin(work)
        return bool(birth and made and made[1] < birth[0] + _YOUNGEST)

    def _begin(self, item: Dated) -> Years | None:
        """Return the first and the last year that the beginning of an item can mean."""
        qid, kind = item
        if year := described(self._labels.description(qid)).begin:
            return year, year
        return min(self._years(qid, kind.begins if kind else ()), default=None)

    def _end(self, item: Dated) -> Years | None:
        qid, kind = item
        if year := described(self._labels.description(qid)).end:
            return year, year
        years = self._years(qid, kind.ends if kind else ())
        return max(years, default=None, key=lambda span: span[1])

    def _years(self, qid: str, pids: tuple[str, ...]) -> list[Years]:
        return [years for pid in pids for years in self._times.years(qid, pid)]
