"""Put answers in order from fine to coarse, by what lies above what and by how much each tells."""

from collections.abc import Mapping, Set
from typing import NamedTuple


class Placed(NamedTuple):
    """An answer's place: its level, 1 for the finest, and its bits, which never grow with it.

    ``was_capped`` tells that it covers less than a finer answer does, as counted in a store that
    holds a part of the world only: then it is given as many bits as that one.
    """

    key: str
    level: int
    bits: float
    was_capped: bool


def placed(bits: Mapping[str, float], above: Mapping[str, Set[str]], finest: str) -> list[Placed]:
    """Return answers from fine to coarse, each at a level of its own.

    ``bits`` has each answer's surprise, by its key; ``above`` has, for each, the keys of all that
    are coarser than it, whatever a sparse store counts. ``finest`` is the answer that the others
    are coarser forms of. Where neither of two lies above the other, the one that tells more
    comes first; ties go by key.
    """
    finer = {key: {one for one in bits if key in above.get(one, ())} for key in bits}
    finer[finest].clear()
    found: list[Placed] = []
    cap = float("inf")
    while len(found) < len(bits):
        done = {one.key for one in found}
        ready = [key for key in bits if key not in done and finer[key] <= done]
        # In a circle (A above B above A) nothing is ready: it is broken where most is told.
        ready = [finest] if not found else ready or [key for key in bits if key not in done]
        key = min(ready, key=lambda one: (-bits[one], one))
        found.append(Placed(key, len(found) + 1, min(bits[key], cap), bits[key] > cap))
        cap = found[-1].bits
    return found
