"""The places around a place, as they were at a time, each with the triples that lead there."""

from typing import NamedTuple

from kgbuild.building import Evidence
from kgbuild.kg import wikidata
from kgbuild.kg.knowledge import Knowledge

Years = tuple[int, int]
"""The first and the last year that a time may mean."""

_WITHIN = ("P131", "P17")
"""Located in the administrative territorial entity; country."""
_CONTINENT = "P30"
_BEGINS, _ENDS = "P571", "P576"


class Ancestor(NamedTuple):
    """A place that another one lies in, and the triples that lead from that one to it."""

    qid: str
    evidence: tuple[Evidence, ...]


class Places:
    """Climbs from places to those around them."""

    def __init__(self, known: Knowledge):
        self._values = known.statements.values
        self._graph = known.graph
        self._lasted: dict[str, Years] = {}

    def above(self, place: str, when: Years | None) -> list[Ancestor]:
        """Return all places around a place, the nearest first, those as near by number.

        ``when`` are the years of what happened there, or None if it is there now. What had
        ended before or began after is left out, and nothing is reached through it. A
        continent is reached from a country only.
        """
        found = {place: Ancestor(place, ())}
        ahead = [place]
        for one in ahead:  # grows while it is walked: breadth first
            for step in self._steps(one):
                if step.object not in found and self._was_there(step.object, when):
                    found[step.object] = Ancestor(step.object, (*found[one].evidence, step))
                    ahead.append(step.object)
        return [found[qid] for qid in ahead[1:]]

    def _steps(self, place: str) -> list[Evidence]:
        steps = [Evidence(place, pid, v) for pid in _WITHIN for v in self._values(place, pid)]
        # A country is what is the country of something, itself at least.
        if place in self._values(place, "P17"):
            steps += [Evidence(place, _CONTINENT, v) for v in self._values(place, _CONTINENT)]
        return steps

    def _was_there(self, place: str, when: Years | None) -> bool:
        first, last = self._years(place)
        return last == _NEVER if when is None else first <= when[1] and when[0] <= last

    def _years(self, place: str) -> Years:
        """Return the first and the last year in which a place may have been there."""
        if place not in self._lasted:
            begins, ends = (self._dates(place, pid) for pid in (_BEGINS, _ENDS))
            first = min((years[0] for years in begins), default=-_NEVER)
            last = max((years[1] for years in ends), default=_NEVER)
            self._lasted[place] = (first, last)
        return self._lasted[place]

    def _dates(self, place: str, pid: str) -> list[Years]:
        values = self._graph.select("values", subject=place, property=pid)
        return [years for (value,) in values if (years := wikidata.years(value))]


_NEVER = 1 << 60
