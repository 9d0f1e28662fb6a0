"""Merge what a model says with what the graph does."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from kgbuild.datasets.granola.classes import Facet
from kgbuild.datasets.granola.levels import Candidate
from kgbuild.evaluate.text_metrics import normalise

MODEL = "model"
"""The kind of an answer that only a model gives."""


def merged(
    gold: Sequence[Candidate],
    coarser: Sequence[Candidate],
    said: Sequence[str],
    link: Callable[[str], tuple[Facet, ...]],
    measured: Callable[[tuple[Facet, ...]], tuple[float, frozenset[object]]],
    least: float,
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the gold and the coarser answers with those of a model, ``said`` in its order.

    What the graph says, too, stays as the graph says it. What can be linked to facets is measured
    like the rest, whatever place the model gave it. Of what cannot, nothing is known but its
    place: it comes after all that the model puts before it, and its bits are put evenly between
    those of what stands around it and is measured, or the ``least`` that an answer may have.
    """
    known: dict[object, Candidate] = {
        text: one for one in (*gold, *coarser) for text in _texts(one)
    }
    known |= {one.says: one for one in coarser}
    chain: list[Candidate] = []
    new: list[Candidate] = []
    for text in said:
        facets = link(text)
        one = known.get(normalise(text)) or known.get(frozenset(facets))
        if one is None:
            one = _candidate(text, facets, measured)
            known[normalise(text)] = one
            new.append(one)
        if one not in chain:  # what is said twice stands where it was said first
            chain.append(one)
    bits = _interpolated([min(one.bits for one in gold), *(one.bits for one in chain)], least)
    for place, one in enumerate(chain):
        if _is_unlinked(one):
            even = one._replace(bits=bits[place + 1])
            new[new.index(one)] = chain[place] = even
    after = {
        id(one): frozenset(s for later in chain[n + 1 :] if _is_unlinked(later) for s in later.says)
        for n, one in enumerate(chain)
    }
    return _told(gold, after), _told((*coarser, *new), after)


def _interpolated(bits: Sequence[float], least: float) -> list[float]:
    """Return bits with those that are unknown put evenly between the known ones around them."""
    found = [*bits, min(least, bits[0])]
    known = [n for n, one in enumerate(found) if not math.isnan(one)]
    for before, after in itertools.pairwise(known):
        step = (found[after] - found[before]) / (after - before)
        for n in range(before + 1, after):
            found[n] = found[before] + step * (n - before)
    return found[:-1]


def _texts(one: Candidate) -> Iterable[str]:
    return map(normalise, (one.text, *one.aliases))


def _candidate(
    text: str,
    facets: tuple[Facet, ...],
    measured: Callable[[tuple[Facet, ...]], tuple[float, frozenset[object]]],
) -> Candidate:
    says = frozenset[object](facets or [(MODEL, normalise(text))])
    bits, implies = measured(facets) if facets else (math.nan, says)
    return Candidate(text, (), None, MODEL, bits, says, implies, ())


def _is_unlinked(one: Candidate) -> bool:
    return any(isinstance(said, tuple) and said[0] == MODEL for said in one.says)


def _told(
    candidates: Sequence[Candidate], after: Mapping[int, frozenset[object]]
) -> list[Candidate]:
    return [one._replace(implies=one.implies | after.get(id(one), set())) for one in candidates]
