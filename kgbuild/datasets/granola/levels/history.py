"""Find out which places no longer exist, and which places statements put around one."""

import functools
import re

from kgbuild.graph.knowledge import Knowledge

COUNTRY = "Q6256"
"""The class of countries."""
AREA_OF, COUNTRY_OF, PARTS = "P131", "P17", "P150"
"""The properties from a place to an area and to a country that contain it, and to its parts."""
SEATS = ("P159", "P276")
"""Headquarters location and location of items that have a seat, such as companies."""
_ENDS, _REPLACED_BY = "P576", "P1366"
_DIED, _DEATH = "P570", frozenset({"P20", "P119", "P509", "P1196"})
"""Date of death; place, burial, cause and manner of death."""
CACHE_SIZE = 1 << 16
"""Maximum number of places whose surroundings are kept in memory."""
_FORMER = re.compile(
    r"\b(?:former|historical|abolished|defunct|dissolved|empire|mandate|governorate|dominion"
    r"|crown colony|occupied|eyalet|sanjak|uyezd|vilayet|Soviet|Reich|Confederation of the Rhine"
    r"|(?:of|in) (?:the )?(?:East Germany|German Democratic Republic|Prussia|Kingdom of Bavaria"
    r"|Czechoslovakia|Yugoslavia|imperial territory))\b",
    re.IGNORECASE,
)
"""Words in names and descriptions of places that no longer exist."""


class History:
    """The places that no longer exist, and those around a place at any time.

    ``is_former`` returns whether a place no longer exists, ``around`` all places that statements
    put around a place or a seat; both are cached.
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._values = knowledge.statements.values
        self._years = knowledge.times.years
        self._labels = knowledge.labels
        self.is_former = functools.lru_cache(CACHE_SIZE)(self._is_former)
        self.around = functools.lru_cache(CACHE_SIZE)(self._read_around)

    def has_end(self, place: str) -> bool:
        """Return whether an end is stated of a place or an item, or the death of a person."""
        if not _DEATH.isdisjoint(self._statements.by_property(place)):
            return True
        return bool(self._years(place, _ENDS) or self._years(place, _DIED))

    def _read_around(self, place: str) -> frozenset[str]:
        seats = frozenset(value for pid in SEATS for value in self._values(place, pid))
        found: set[str] = {*seats}
        queue = [place, *seats]
        for item in queue:  # grows during the loop
            values = {value for pid in (AREA_OF, COUNTRY_OF) for value in self._values(item, pid)}
            values |= {*self._statements.subjects(item, PARTS)}
            queue += values - found
            found |= values
        return frozenset(found)

    def _is_former(self, place: str) -> bool:
        if self.has_end(place):
            return True
        classes = self._values(place, "P31")
        if COUNTRY in classes:  # Canada is also a dominion of the British Empire
            return False
        texts = (
            self._labels.description(place),
            *map(self._labels.label, classes),
            self._labels.label(place),
        )
        is_replaced = bool(self._values(place, _REPLACED_BY))
        return is_replaced or any(text and _FORMER.search(text) for text in texts)
