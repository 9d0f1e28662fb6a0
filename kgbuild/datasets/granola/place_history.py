"""Whether a place existed at a time, as far as a truthy dump tells.

A truthy dump has no qualifiers, so it does not say from when to when a statement was true. A
place that no longer exists counts only if both its beginning and its end are stated.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years

COUNTRY = "Q6256"
"""The class of countries."""
_BEGINS, _ENDS, _REPLACED_BY = "P571", "P576", "P1366"
_FORMER = re.compile(
    r"\b(?:former|historical|abolished|defunct|dissolved|eyalet|sanjak|uyezd|vilayet"
    r"|(?:of|in) (?:the )?(?:East Germany|German Democratic Republic|Prussia|Kingdom of Bavaria"
    r"|Czechoslovakia|Soviet Union|Yugoslavia|imperial territory"
    r"|(?:Russian|Ottoman|Austrian|Austro-Hungarian|Roman) Empire))\b",
    re.IGNORECASE,
)
"""Words in names and descriptions of places that no longer exist."""


@functools.cache
def place_tables() -> Mapping[str, Mapping[str, Any]]:
    """Return the tables of ``places.toml``."""
    text = (resources.files("kgbuild.datasets.granola") / "places.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


class PlaceHistory:
    """Tells when places existed."""

    def __init__(self, knowledge: Knowledge):
        self._values = knowledge.statements.values
        self._years = knowledge.times.years
        self._labels = knowledge.labels
        self._former: dict[str, bool] = {}

    def is_former(self, place: str) -> bool:
        """Tell whether a place no longer exists."""
        if place not in self._former:
            self._former[place] = self._is_former(place)
        return self._former[place]

    def existed(self, place: str, when: Years | None) -> bool:
        """Tell whether a place existed in some years, or exists now if ``when`` is None."""
        if when is None:
            return not self.is_former(place)
        begins, ends = (self._years(place, pid) for pid in (_BEGINS, _ENDS))
        if self.is_former(place) and not (begins and ends):
            return False
        first = min((years[0] for years in begins), default=self._first_year(place, when[1]))
        last = max((years[1] for years in ends), default=when[0])
        return first <= when[1] and when[0] <= last

    def had_ended(self, place: str, when: Years | None) -> bool:
        """Tell whether a place no longer exists, and had ended before ``when`` if that is given."""
        ends = [years[1] for years in self._years(place, _ENDS)]
        was_over = when is None or (ends and max(ends) <= when[0])
        return bool(self.is_former(place) and was_over)

    def _is_former(self, place: str) -> bool:
        if self._years(place, _ENDS):
            return True
        classes = self._values(place, "P31")
        if COUNTRY in classes:  # Canada is also a dominion of the British Empire
            return False
        texts = (
            self._labels.description(place),
            *map(self._labels.label, classes),
            self._labels.label(place),
        )
        return (
            bool(self._values(place, _REPLACED_BY))
            or any(text and _FORMER.search(text) for text in texts)
            or not place_tables()["former"].keys().isdisjoint(classes)
        )

    def _first_year(self, place: str, default: int) -> int:
        """Return the first year of an area in places.toml, which lists areas and classes."""
        table = place_tables()["begun"]
        keys = (place, *self._values(place, "P31"))
        return max((table[key] for key in keys if key in table), default=default)
