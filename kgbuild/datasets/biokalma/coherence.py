"""Measure how well sentences continue a paragraph, compared with each other.

Source: appendix A.3 of the BioKaLMA paper, equation 1. Models are passed as functions.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Coherence: TypeAlias = Callable[[str, Sequence[str]], list[float]]
"""Returns how well each sentence continues a paragraph: shares above 0, with a sum of 1.

Without a measure, all are 0.
"""


def none(paragraph: str, sentences: Sequence[str]) -> list[float]:
    """Return 0 for each sentence."""
    return [0.0 for _ in sentences]


def by_perplexity(perplexities: Callable[[Sequence[str]], Sequence[float]]) -> Coherence:
    """Return a measure that prefers sentences that a causal language model expects.

    ``perplexities`` gets texts of the paragraph and one sentence, for all new sentences at once.
    Known weakness: perplexities of 20 and of 50 make shares that differ by 3 %, so the shares are
    little more than an order.
    """

    def measure(paragraph: str, sentences: Sequence[str]) -> list[float]:
        texts = [f"{paragraph} {sentence}" for sentence in sentences]
        return [1 / perplexity for perplexity in perplexities(texts)]

    return _shares(measure)


def by_similarity(
    similarities: Callable[[Sequence[tuple[str, str]]], Sequence[float]],
) -> Coherence:
    """Return a measure that prefers sentences whose meaning is close to the paragraph.

    ``similarities`` returns the cosine of pairs of the paragraph and a sentence; it gets all new
    sentences at once. It replaces the perplexity of the paper if there is no causal model.
    """

    def measure(paragraph: str, sentences: Sequence[str]) -> list[float]:
        return list(similarities([(paragraph, sentence) for sentence in sentences]))

    return _shares(measure)


def softmax(values: Sequence[float]) -> list[float]:
    """Return the softmax of values; an empty list of none.

    >>> softmax([1000.0, 1000.0])
    [0.5, 0.5]
    """
    most = max(values, default=0.0)  # so that no power overflows
    powers = [math.exp(value - most) for value in values]
    return [power / math.fsum(powers) for power in powers]


def _shares(measure: Coherence) -> Coherence:
    """Return the softmax of a measure, which gets each paragraph and sentence once."""
    cache: dict[tuple[str, str], float] = {}

    def shares(paragraph: str, sentences: Sequence[str]) -> list[float]:
        if new := [one for one in dict.fromkeys(sentences) if (paragraph, one) not in cache]:
            keys = [(paragraph, sentence) for sentence in new]
            cache.update(zip(keys, measure(paragraph, new), strict=True))
        return softmax([cache[paragraph, sentence] for sentence in sentences])

    return shares
