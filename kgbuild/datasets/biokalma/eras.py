"""Whether people are spoken of in the past."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.graph.knowledge import Knowledge

_PERSON = "person"
_OLDEST = 1930
"""Whoever was born before this year is spoken of in the past, whether a death is known or not."""
_YEARS = re.compile(r"\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)")
_PUBLISHED = "P577"
_WORKS = {"screen", "music", "writing"}
_OLD_WORK, _NEW_WORK = 1965, 1985
"""Whose works are, in the middle, older or newer than that, is of the past or of today."""
_MOSTLY = 0.45
"""The share of colleagues of the past from which somebody is taken for one of the past."""
_COLLEAGUES = 5
"""So many people of an occupation must have dates before it tells when somebody lived."""


class Eras:
    """Tells whether a person is dead, or must be; None where nothing tells.

    It follows from a death, or what only the dead have; else from a date of birth or of work;
    else from years in the description; else from the years of works; else from whether most who
    are known to follow the same occupations are of the past.
    """

    def __init__(self, knowledge: Knowledge, catalog: Catalog, lexicon: Lexicon, pools: Pools):
        self._knowledge = knowledge
        self._catalog = catalog
        self._lexicon = lexicon
        self._pools = pools

    def is_past(self, qid: str) -> bool | None:
        """Tell whether a person is dead, or must be; None if no date is known."""
        kind = self._catalog.kinds[_PERSON]
        if {fact.pid for fact in self._pools.of(qid)} & {*kind.ends, *self._lexicon.deadly}:
            return True
        begun = [
            first
            for pid in (*kind.begins, *self._lexicon.begun)
            for first, _ in self._knowledge.times.years(qid, pid)
        ]
        if begun:
            return min(begun) < _OLDEST
        described = _YEARS.search(self._knowledge.labels.description(qid) or "")
        if described:
            return bool(described["end"]) or int(described["begin"]) < _OLDEST
        return self._is_of_the_past(qid)

    def _is_of_the_past(self, qid: str) -> bool | None:
        """Tell it of somebody of whom no date is known, by works and colleagues."""
        if years := sorted(self._released[work] for work in self._works(qid)):
            middle = years[len(years) // 2]
            if not _OLD_WORK <= middle < _NEW_WORK:
                return middle < _OLD_WORK
        known = [self._eras[one] for one in self._knowledge.statements.values(qid, "P106")]
        shares = [era[True] / era.total() for era in known if era.total() >= _COLLEAGUES]
        return sum(shares) / len(shares) > _MOSTLY if shares else None

    def _works(self, qid: str) -> list[str]:
        """Return the works with a date in which somebody is stated to have a part."""
        pids = [
            relation.pid
            for relation in self._catalog.relations.values()
            if _PERSON in relation.object and _WORKS & {*relation.subject}
        ]
        found = (one for pid in pids for one in self._knowledge.statements.subjects(qid, pid))
        return [one for one in found if one in self._released]

    @functools.cached_property
    def _released(self) -> dict[str, int]:
        """The first year of the publication of each item that has one."""
        times = self._knowledge.times
        found = {qid: times.years(qid, _PUBLISHED) for qid in times.by_item(_PUBLISHED)}
        return {qid: min(first for first, _ in years) for qid, years in found.items() if years}

    @functools.cached_property
    def _eras(self) -> defaultdict[str, Counter[bool]]:
        """How many of those whose dates are known are of the past, for each occupation."""
        found: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        kind = self._catalog.kinds[_PERSON]
        ended = {qid for pid in kind.ends for qid in self._knowledge.times.by_item(pid)}
        for pid in kind.begins:
            for qid in self._knowledge.times.by_item(pid):
                first = min(
                    (year for year, _ in self._knowledge.times.years(qid, pid)), default=None
                )
                if first is not None:
                    is_past = qid in ended or first < _OLDEST
                    for occupation in self._knowledge.statements.values(qid, "P106"):
                        found[occupation][is_past] += 1
        return found
