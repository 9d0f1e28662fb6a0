"""Merge the coarser answers of a model with those of the graph, before they get levels."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from kgbuild.datasets.granola.levels.classes import Facet
from kgbuild.datasets.granola.levels.order import MODEL, Candidate
from kgbuild.evaluate.text_metrics import normalise

Link: TypeAlias = Callable[[str], tuple[Facet, ...]]  # from words to the facets they name
_FINEST = 10_000
"""The tier before the first answer: higher than that of any answer of the graph."""
MeasureFacets: TypeAlias = Callable[[tuple[Facet, ...]], tuple[float, frozenset[object], int]]
"""Returns the bits of an answer with some facets, the facets that follow from it, and its tier."""


def merged(
    gold: Sequence[Candidate],
    coarser: Sequence[Candidate],
    texts: Sequence[str],
    link: Link,
    measure: MeasureFacets,
    min_bits: float,
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the gold and the coarser answers, with the ``texts`` of a model, the finest first.

    An answer that the graph also has stays the same. An answer that can be linked to facets is
    measured like the others. An unlinked answer comes after all answers that precede it in
    ``texts``; its bits are interpolated between those of its measured neighbours, or ``min_bits``,
    and it comes after the answers of the graph that have more bits.
    """
    by_key: dict[object, Candidate] = {
        normalise(text): item for item in (*gold, *coarser) for text in (item.text, *item.aliases)
    }
    by_key |= {answer.facets: answer for answer in coarser}
    chain: list[Candidate] = []
    new: list[Candidate] = []
    for text in texts:
        facets = link(text)
        answer = by_key.get(normalise(text)) or by_key.get(frozenset(facets))
        if answer is None:
            key = frozenset[object](facets or [(MODEL, normalise(text))])
            text_bits, implied, tier = measure(facets) if facets else (math.nan, key, 0)
            answer = Candidate(text, (), None, MODEL, text_bits, key, implied, (), tier)
            by_key[normalise(text)] = answer
            new.append(answer)
        if answer not in chain:  # the first place counts
            chain.append(answer)
    cap = min(answer.bits for answer in gold)
    bits = _interpolated([cap, *(answer.bits for answer in chain)], min_bits)
    for place, answer in enumerate(chain):
        if _is_unlinked(answer):
            most_bits = min(bits[: place + 2])  # of the answers before it, which imply it
            before = (item.tier for item in coarser if item.bits >= most_bits)
            tier = min(before, default=_FINEST) - 1 - place  # room for those that imply it
            measured = answer._replace(bits=bits[place + 1], tier=tier)
            new[new.index(answer)] = chain[place] = measured
    after = {
        id(answer): frozenset(
            facet for later in chain[n + 1 :] if _is_unlinked(later) for facet in later.facets
        )
        for n, answer in enumerate(chain)
    }
    return _implying(gold, after), _implying((*coarser, *new), after)


def _interpolated(bits: Sequence[float], min_bits: float) -> list[float]:
    """Return bits with those that are NaN interpolated between their neighbours."""
    values = [*bits, min(min_bits, bits[0])]
    measured = [n for n, value in enumerate(values) if not math.isnan(value)]
    for before, after in itertools.pairwise(measured):
        step = (values[after] - values[before]) / (after - before)
        for n in range(before + 1, after):
            values[n] = values[before] + step * (n - before)
    return values[:-1]


def _is_unlinked(answer: Candidate) -> bool:
    return any(isinstance(facet, tuple) and facet[0] == MODEL for facet in answer.facets)


def _implying(
    answers: Iterable[Candidate], after: Mapping[int, frozenset[object]]
) -> list[Candidate]:
    """Return candidates that imply the unlinked answers after them."""
    return [item._replace(implied=item.implied | after.get(id(item), set())) for item in answers]
