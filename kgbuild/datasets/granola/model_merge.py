"""Merge the coarser answers of a language model with those of the graph."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from kgbuild.datasets.granola.classes import Facet
from kgbuild.datasets.granola.levels import Candidate
from kgbuild.evaluate.text_metrics import normalise

MODEL = "model"
"""The kind of an answer that only a model gives."""
Link: TypeAlias = Callable[[str], tuple[Facet, ...]]
MeasureFacets: TypeAlias = Callable[[tuple[Facet, ...]], tuple[float, frozenset[object]]]
"""Returns the bits of an answer with some facets, and all that follows from it."""


def merged(
    gold: Sequence[Candidate],
    coarser: Sequence[Candidate],
    texts: Sequence[str],
    link: Link,
    measure: MeasureFacets,
    min_bits: float,
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the gold and the coarser answers, with the ``texts`` of a model in its order.

    An answer that the graph also has stays the same. One that can be linked to facets is measured
    like the others. One that cannot comes after all answers that precede it in the model's order;
    its bits are interpolated between those of its measured neighbours, or ``min_bits``.
    """
    by_key: dict[object, Candidate] = {
        normalise(text): one for one in (*gold, *coarser) for text in (one.text, *one.aliases)
    }
    by_key |= {one.facets: one for one in coarser}
    chain: list[Candidate] = []
    new: list[Candidate] = []
    for text in texts:
        facets = link(text)
        one = by_key.get(normalise(text)) or by_key.get(frozenset(facets))
        if one is None:
            own = frozenset[object](facets or [(MODEL, normalise(text))])
            bits_of_it, implied = measure(facets) if facets else (math.nan, own)
            one = Candidate(text, (), None, MODEL, bits_of_it, own, implied, ())
            by_key[normalise(text)] = one
            new.append(one)
        if one not in chain:  # the first place counts
            chain.append(one)
    bits = _interpolated([min(one.bits for one in gold), *(one.bits for one in chain)], min_bits)
    for place, one in enumerate(chain):
        if _is_unlinked(one):
            measured = one._replace(bits=bits[place + 1])
            new[new.index(one)] = chain[place] = measured
    after = {
        id(one): frozenset(
            facet for later in chain[n + 1 :] if _is_unlinked(later) for facet in later.facets
        )
        for n, one in enumerate(chain)
    }
    return _implying(gold, after), _implying((*coarser, *new), after)


def _interpolated(bits: Sequence[float], min_bits: float) -> list[float]:
    """Return bits with those that are NaN interpolated between their neighbours."""
    values = [*bits, min(min_bits, bits[0])]
    measured = [n for n, one in enumerate(values) if not math.isnan(one)]
    for before, after in itertools.pairwise(measured):
        step = (values[after] - values[before]) / (after - before)
        for n in range(before + 1, after):
            values[n] = values[before] + step * (n - before)
    return values[:-1]


def _is_unlinked(one: Candidate) -> bool:
    return any(isinstance(facet, tuple) and facet[0] == MODEL for facet in one.facets)


def _implying(
    candidates: Iterable[Candidate], after: Mapping[int, frozenset[object]]
) -> list[Candidate]:
    """Return candidates that imply the unlinked answers after them."""
    return [one._replace(implied=one.implied | after.get(id(one), set())) for one in candidates]
