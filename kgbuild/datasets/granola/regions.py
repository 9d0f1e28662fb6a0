"""Tell whether a region contains an answer whose levels leave the region out: "Rouen, Normandy"."""

import functools
import re
from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.evaluate.text_metrics import normalise

_KINDS = "province|department|metropolitan city|region|county|district|canton|state|prefecture"
_KIND = re.compile(rf"^(?:{_KINDS}) (?:of )?|(?<=\w) (?:{_KINDS})$")


class Region(NamedTuple):
    """A region of a state, with the areas and towns in it; all names are normalised."""

    name: str
    state: str
    members: Set[str]


def bare_name(name: str) -> str:
    """Return the normalised name of an area without its kind.

    >>> bare_name("the Province of Massa-Carrara")
    'massacarrara'
    """
    return _KIND.sub("", normalise(name))


def holds(name: str, names: Iterable[str]) -> bool | None:
    """Return whether a region contains a place; None if it is no region, or nothing says so.

    ``names`` are those of the place and of the places around it. It does not contain the place if
    another region of the same state does.
    """
    bare = {bare_name(text) for text in names}
    for region in regions().get(name) or regions().get(bare_name(name), []):
        if region.state not in bare:
            continue
        if _contains(region, bare):
            return True
        others = (other for every in regions().values() for other in every)
        if any(other.state == region.state and _contains(other, bare) for other in others):
            return False
    return None


def _contains(region: Region, names: Set[str]) -> bool:
    return region.name in names or not region.members.isdisjoint(names)


@functools.cache
def regions() -> Mapping[str, list[Region]]:
    """Return the regions by their normalised names, which several states may use."""
    by_name: dict[str, list[Region]] = {}
    for state, members_by_region in read_toml("granola", "regions").items():
        for name, members in members_by_region.items():
            region = Region(normalise(name), normalise(state), frozenset(map(normalise, members)))
            by_name.setdefault(region.name, []).append(region)
    return by_name
