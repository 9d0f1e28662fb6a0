"""Order answers from fine to coarse, by what is above what and by their bits."""

from collections.abc import Mapping, Set
from typing import NamedTuple


class Place(NamedTuple):
    """The place of an answer in the order: its level, 1 for the finest, and its bits.

    Bits never grow with the level. ``was_capped`` tells that an answer would have more than a
    finer one, since a store holds only a part of the world: it gets the bits of that one.
    """

    key: str
    level: int
    bits: float
    was_capped: bool


def ordered(bits: Mapping[str, float], above: Mapping[str, Set[str]], finest: str) -> list[Place]:
    """Return answers from fine to coarse, each at a level of its own.

    ``bits`` has the bits of each answer by its key, ``above`` the keys of all coarser answers.
    ``finest`` is the key of the gold answer. Of two answers that are not above each other, the
    one with more bits comes first, then the one with the smaller key.
    """
    finer = {key: {one for one in bits if key in above.get(one, ())} for key in bits}
    finer[finest].clear()
    places: list[Place] = []
    cap = float("inf")
    while len(places) < len(bits):
        done = {place.key for place in places}
        ready = [key for key in bits if key not in done and finer[key] <= done]
        # In a circle (A above B above A) no answer is ready: take the one with the most bits.
        ready = [finest] if not places else ready or [key for key in bits if key not in done]
        key = min(ready, key=lambda one: (-bits[one], one))
        places.append(Place(key, len(places) + 1, min(bits[key], cap), bits[key] > cap))
        cap = places[-1].bits
    return places
