"""Measure how well sentences continue a paragraph, compared with each other.

Source: appendix A.3 of the BioKaLMA paper, equation 1. Models are passed as functions.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Measure: TypeAlias = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""A function that returns for pairs of a paragraph and a sentence how well the one continues."""


class Coherence:
    """Compares sentences by a measure, whose values are kept: themes share their first pieces."""

    def __init__(self, measure: Measure):
        self._measure = measure
        self._values: dict[tuple[str, str], float] = {}

    def __call__(self, paragraph: str, sentences: Sequence[str]) -> list[float]:
        """Return how well each sentence continues a paragraph: from 0 to 1, with a sum of 1."""
        pairs = [(paragraph, sentence) for sentence in sentences]
        if new_pairs := [pair for pair in dict.fromkeys(pairs) if pair not in self._values]:
            self._values.update(zip(new_pairs, self._measure(new_pairs), strict=True))
        return softmax([self._values[pair] for pair in pairs])


def by_perplexity(perplexities: Callable[[Sequence[str]], Sequence[float]]) -> Measure:
    """Return a measure that prefers sentences that a causal language model expects.

    ``perplexities`` gets texts: the paragraph with one of the sentences at its end. Known weakness:
    perplexities of 20 and of 50 lead to values that differ by only 3 %, so the values show an order
    rather than distances.
    """
    return lambda pairs: [1 / one for one in perplexities([" ".join(pair) for pair in pairs])]


def softmax(values: Sequence[float]) -> list[float]:
    """Return the softmax of values; an empty list if there are no values.

    >>> softmax([1000.0, 1000.0])
    [0.5, 0.5]
    """
    maximum = max(values, default=0.0)  # its subtraction prevents overflow
    powers = [math.exp(value - maximum) for value in values]
    return [power / math.fsum(powers) for power in powers]
