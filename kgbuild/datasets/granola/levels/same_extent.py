"""Find areas that are a city by another name, which are no coarser answers than the city."""

from collections.abc import Callable, Iterable

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.history import AREA_OF

_CONSOLIDATED = "Q3301053"
"""The class of cities that are one with their county."""
_COUNTIES = (" County", " Parish")
_LIKE_CITY = ("Greater ", "Municipality of ")
_CITY_OF = ("City of ", "city of ", "Free Hanseatic City of ")
"""The beginnings of names of cities around their centres; the City of London lies in London."""


def of_same_extent(
    places: Iterable[str],
    label_of: Callable[[str], str | None],
    values: Callable[[str, str], Iterable[str]],
) -> set[str]:
    """Return areas among nested places that are a city by another name, such as Greater London.

    ``places`` begin with the nearest one. The county of a consolidated city and county is the
    city: San Francisco County. Others are in places.toml.
    """
    labels = {qid: label_of(qid) or "" for qid in places}
    names = {*labels.values()}
    table = read_toml("granola", "levels/places")["same"]
    same = {
        qid
        for qid, label in labels.items()
        if table.get(qid) in labels
        or any(label == f"{word}{name}" for word in _LIKE_CITY for name in names)
    }
    seen = set[str]()
    for qid, label in labels.items():  # the nearest first
        if any(label == f"{words}{name}" for words in _CITY_OF for name in seen):
            same.add(qid)
        seen.add(label)
    for city in labels:
        if is_consolidated(city, values):
            areas = values(city, AREA_OF)
            same |= {qid for qid in areas if labels.get(qid, "").endswith(_COUNTIES)}
    return same


def may_be_same(
    places: Iterable[str],
    label_of: Callable[[str], str | None],
    values: Callable[[str, str], Iterable[str]],
) -> bool:
    """Return whether ``of_same_extent`` may find one of ``places`` among these and any others."""
    table = read_toml("granola", "levels/places")["same"]
    return any(
        qid in table
        or (label_of(qid) or "").startswith((*_LIKE_CITY, *_CITY_OF))
        or is_consolidated(qid, values)
        for qid in places
    )


def is_consolidated(city: str, values: Callable[[str, str], Iterable[str]]) -> bool:
    """Return whether a city is one with its county."""
    return _CONSOLIDATED in values(city, "P31")
