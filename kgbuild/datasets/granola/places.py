"""The places around a place, as they were at a time, each with the triples that lead there.

A truthy dump has lost from when to when a statement holds. So what is no longer there counts only
where its beginning and its end are known, and of several countries of one place, where nothing
tells when it was in which, only what its area confirms.
"""

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from kgbuild.datasets.granola.description import PROPERTY, Descriptions
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence

CONTINENT = "P30"
_AREA, _COUNTRY = "P131", "P17"
_SEATS = ("P159", "P276")
"""Headquarters location; location: of a company or a museum, say. Of a county, its seat is no
place around it."""
_BEGINS, _ENDS, _REPLACED_BY = "P571", "P576", "P1366"
_PRESENT = "Q6256"
"""The class of countries."""
_CONTINENTS = "Q5107"
"""The class of continents."""
_EURASIA = "Q5401"
COUNTRIES = {_PRESENT, "Q3624078"}
"""Those and sovereign states."""

_OVER = re.compile(
    r"\b(?:former|historical|abolished|defunct|dissolved|eyalet|sanjak|uyezd|vilayet"
    r"|(?:of|in) (?:the )?(?:East Germany|German Democratic Republic|Prussia|Kingdom of Bavaria"
    r"|Czechoslovakia|Soviet Union|Yugoslavia|imperial territory"
    r"|(?:Russian|Ottoman|Austrian|Austro-Hungarian|Roman) Empire))\b",
    re.IGNORECASE,
)
"""What names and descriptions of places say that are no longer there."""


class Ancestor(NamedTuple):
    """A place that another one lies in, and the triples that lead from that one to it."""

    qid: str
    evidence: tuple[Evidence, ...]


class Places:
    """Climbs from places to those around them."""

    def __init__(self, known: Knowledge):
        self._values = known.statements.values
        self._times = known.times
        self._found: dict[tuple[str, Years | None, bool], list[Ancestor]] = {}
        self._former: dict[str, bool] = {}
        self._kinds = known.kinds
        self._labels = known.labels
        self.descriptions = Descriptions(
            known, self.is_former, tuple(_tables()["states"]), tuple(_tables()["cities"])
        )

    def above(self, place: str, when: Years | None, seated: bool = False) -> list[Ancestor]:
        """Return all places around a place, the nearest first, those as near by number.

        ``when`` are the years of what happened there, or None if it is there now. What had
        ended before or began after is left out, and nothing is reached through it. A continent
        is reached from a country only, and leads nowhere. What is ``seated`` is no place itself,
        but has a seat in one.
        """
        key = place, when, seated
        if key not in self._found:
            found = {place: Ancestor(place, ())}
            ahead = [place]
            for one in ahead:  # grows while it is walked: breadth first
                for target, step in self._steps(found[one], when, seated and one == place):
                    if target not in found:
                        found[target] = Ancestor(target, (*found[one].evidence, step))
                        if step.property != CONTINENT:
                            ahead.append(target)
            self._found[key] = list(found.values())[1:]
        return self._found[key]

    def is_former(self, place: str) -> bool:
        """Tell whether a place is no longer there, as far as the store knows."""
        if place not in self._former:
            self._former[place] = self._is_former(place)
        return self._former[place]

    def _steps(
        self, reached: Ancestor, when: Years | None, seated: bool
    ) -> list[tuple[str, Evidence]]:
        """Return the places that a place is said to lie in, each with the triple that says so."""
        place = reached.qid
        pids = (*(_SEATS if seated else ()), _AREA)
        steps = [
            (value, pid)
            for pid in pids
            for value in self._values(place, pid)
            if pid == _AREA or not self._is_country(value)  # "the United States" is no seat
        ]
        steps += [(value, _COUNTRY) for value in self._countries(place, seated)]
        steps = [step for step in steps if self._is_around(step[0], place)]
        found = [
            (value, Evidence(place, pid, value))
            for value, pid in steps
            if self._was_there(value, when)
        ]
        if all(self._had_ended(value, when) for value, _ in steps):
            found += self._described(place, when)
        if self._is_country(place):
            found += [(one, Evidence(place, CONTINENT, one)) for one in self._continents(reached)]
        return found

    def _had_ended(self, place: str, when: Years | None) -> bool:
        """Tell whether a place is no longer there, and, of the past, was not there by then.

        A description tells where something is now. Of Königsberg in 1880 it knows nothing.
        """
        ends = [years[1] for years in self._times.years(place, _ENDS)]
        was_over = when is None or (ends and max(ends) <= when[0])
        return bool(self.is_former(place) and was_over)

    def _is_country(self, place: str) -> bool:
        classes = {*self._values(place, "P31")}
        return place in self._values(place, _COUNTRY) or bool(COUNTRIES & classes)

    def _is_around(self, other: str, place: str) -> bool:
        """Tell whether a place may lie in another: in no organisation, nor an area beside it."""
        kinds = self._kinds.names(other)
        is_continent = _CONTINENTS in self._values(other, "P31")
        is_apart = other in _tables()["apart"].get(place, ())
        return (not kinds or "place" in kinds) and not is_continent and not is_apart

    def _described(self, place: str, when: Years | None) -> list[tuple[str, Evidence]]:
        """Return the state or country that a description tells, where no statement does."""
        said = self.descriptions.read(place)
        where = said.where if said else None
        if not said or not where or where == place or not self._was_there(where, when):
            return []
        return [(where, Evidence(place, PROPERTY, said.text))]

    def _countries(self, place: str, seated: bool) -> list[str]:
        """Return the countries of a place, all at once or one after the other.

        Of several that are there still, it was in some at other times, or never: Florence is said
        to be in France, as it was for six years.
        """
        told = self._by_class(place)
        countries = tuple(
            country
            for country in self._values(place, _COUNTRY)
            if not told or country in told or self.is_former(country)
        )
        present = [country for country in countries if not self.is_former(country)]
        if len(present) < 2:
            return list(countries)
        around = self._around(place, seated)
        confirmed = {country for one in around for country in self._values(one, _COUNTRY)}
        sure = confirmed.union(around, [place])
        return [country for country in countries if self.is_former(country) or country in sure]

    def _by_class(self, place: str) -> set[str]:
        """Return the countries that the classes of a place name: "municipality of Finland"."""
        labels = (self._labels.label(one) for one in self._values(place, "P31"))
        found = (self.descriptions.country_of(label) for label in labels if label)
        return {country for country in found if country}

    def _around(self, place: str, seated: bool) -> list[str]:
        """Return the areas around a place, whenever they were there."""
        pids = (*(_SEATS if seated else ()), _AREA)
        found = list(dict.fromkeys(v for pid in pids for v in self._values(place, pid)))
        for one in found:  # grows while it is walked
            found += [value for value in self._values(one, _AREA) if value not in found]
        return found

    def _continents(self, country: Ancestor) -> Sequence[str]:
        """Return the continent of a country, unless a place on the way to it is on another."""
        continents = self._values(country.qid, CONTINENT)
        if len(continents) > 1:
            mainland = _tables()["mainland"].get(country.qid)
            continents = tuple(one for one in continents if one == mainland)
        on_the_way = (self._values(step.subject, CONTINENT) for step in country.evidence)
        said = {continent for values in on_the_way for continent in values} - {_EURASIA}
        return [one for one in continents if not said or one in said]

    def _was_there(self, place: str, when: Years | None) -> bool:
        begins, ends = (self._times.years(place, pid) for pid in (_BEGINS, _ENDS))
        if when is None:
            return not self.is_former(place)
        if self.is_former(place) and not (begins and ends):
            return False
        first = min((years[0] for years in begins), default=self._begun(place, when[1]))
        last = max((years[1] for years in ends), default=when[0])
        return first <= when[1] and when[0] <= last

    def _begun(self, place: str, otherwise: int) -> int:
        """Return the year in which an area began, by itself or by its class."""
        table = _tables()["begun"]
        return max(
            (table[one] for one in (place, *self._values(place, "P31")) if one in table),
            default=otherwise,
        )

    def _is_called_former(self, place: str, classes: Iterable[str]) -> bool:
        """Tell whether a description, or the name of a class, says that something is over."""
        texts = (
            self._labels.description(place),
            *(self._labels.label(one) for one in classes),
            self._labels.label(place),
        )
        return any(text and _OVER.search(text) for text in texts)

    def _is_former(self, place: str) -> bool:
        if self._times.years(place, _ENDS):
            return True
        classes = {*self._values(place, "P31")}
        # Canada is a dominion of the British Empire, too, and a country still.
        was_replaced = bool(self._values(place, _REPLACED_BY))
        was_replaced = was_replaced or self._is_called_former(place, classes)
        return _PRESENT not in classes and (
            was_replaced or bool(classes & _tables()["former"].keys())
        )


@functools.cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    text = (resources.files("kgbuild.datasets.granola") / "places.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
