"""Facets of many items in vectors: each facet with the items that have it."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from kgbuild.datasets.granola.levels.classes import Facet
from kgbuild.datasets.granola.plain_links import Links
from kgbuild.store.arrays import Numbers

Tell = Callable[[int], None]
"""A function that is called with the number of the items whose facets are known so far."""


class PlainFacets(NamedTuple):
    """Items with their facets: ``holders`` has the positions in ``items`` of those with a facet."""

    items: Numbers
    holders: Mapping[Facet, Numbers]


class FacetNumbers:
    """Numbers of facets, so that links of items and facets can be kept in arrays."""

    def __init__(self) -> None:
        self._numbers: dict[Facet, int] = {}

    def of(self, facets: Iterable[Facet]) -> list[int]:
        """Return the numbers of facets."""
        return [self._numbers.setdefault(facet, len(self._numbers)) for facet in facets]

    def holders(self, links: Links) -> dict[Facet, Numbers]:
        """Return the places that are linked to the number of each facet, sorted."""
        numbers, places = Links(links.numbers, links.places).distinct()
        chosen, starts = np.unique(numbers, return_index=True)
        facets = [*self._numbers]
        parts = np.split(places.astype(np.int32), starts[1:])
        return {facets[number]: part for number, part in zip(chosen.tolist(), parts, strict=False)}


def in_batches(
    items: Numbers, size: int, read: Callable[[Numbers], PlainFacets], tell: Tell
) -> PlainFacets:
    """Return the facets of items, of which ``read`` gets ``size`` at a time."""
    count = 0
    chosen = [items[:0]]
    holders: dict[Facet, list[Numbers]] = {}
    for start in range(0, len(items), size):
        tell(count)
        part = read(items[start : start + size])
        for facet, places in part.holders.items():
            holders.setdefault(facet, []).append(places + np.int32(count))
        chosen.append(part.items)
        count += len(part.items)
    all_holders = {facet: np.concatenate(places) for facet, places in holders.items()}
    return PlainFacets(np.concatenate(chosen), all_holders)
