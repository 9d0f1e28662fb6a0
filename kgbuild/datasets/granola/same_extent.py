"""Find areas that are a city by another name, which are no coarser answers than the city."""

from collections.abc import Callable, Iterable

from kgbuild.datasets.granola.history import AREA_OF

_CONSOLIDATED = "Q3301053"
"""The class of cities that are one with their county."""
_COUNTIES = (" County", " Parish")
_GREATER = "Greater "


def of_same_extent(
    places: Iterable[str],
    label_of: Callable[[str], str | None],
    values: Callable[[str, str], Iterable[str]],
) -> set[str]:
    """Return areas among nested places that are a city by another name, such as Greater London.

    The county of a consolidated city and county is the city: San Francisco County.
    """
    labels = {qid: label_of(qid) or "" for qid in places}
    names = {*labels.values()}
    same = {
        qid
        for qid, label in labels.items()
        if label.startswith(_GREATER) and label.removeprefix(_GREATER) in names
    }
    for city in labels:
        if _CONSOLIDATED in values(city, "P31"):
            areas = values(city, AREA_OF)
            same |= {qid for qid in areas if labels.get(qid, "").endswith(_COUNTIES)}
    return same
