"""Measure how well sentences continue a paragraph, compared with each other.

Source: appendix A.3 of the BioKaLMA paper, equation 1. Models are passed as functions.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Coherence: TypeAlias = Callable[[str, Sequence[str]], list[float]]
"""Returns how well each sentence continues a paragraph: shares above 0, with a sum of 1.

``none``, which measures nothing, returns 0 for each.
"""


def none(paragraph: str, sentences: Sequence[str]) -> list[float]:
    """Return 0 for each sentence: coherence is not measured."""
    return [0.0 for _ in sentences]


def by_perplexity(perplexities: Callable[[Sequence[str]], Sequence[float]]) -> Coherence:
    """Return a measure that prefers sentences that a causal language model expects.

    ``perplexities`` gets a text for each new sentence: the paragraph with this sentence added.
    Known weakness: perplexities of 20 and of 50 give shares that differ by only 3 %, so the
    shares show an order rather than distances.
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
    return _shares(
        lambda paragraph, sentences: list(similarities([(paragraph, new) for new in sentences]))
    )


def softmax(values: Sequence[float]) -> list[float]:
    """Return the softmax of values; an empty list if there are no values.

    >>> softmax([1000.0, 1000.0])
    [0.5, 0.5]
    """
    maximum = max(values, default=0.0)  # subtracted, so that no power overflows
    powers = [math.exp(value - maximum) for value in values]
    return [power / math.fsum(powers) for power in powers]


def _shares(measure: Coherence) -> Coherence:
    """Return a measure: the softmax of another one, whose values are cached."""
    cache: dict[tuple[str, str], float] = {}

    def shares(paragraph: str, sentences: Sequence[str]) -> list[float]:
        if new := [
            sentence for sentence in dict.fromkeys(sentences) if (paragraph, sentence) not in cache
        ]:
            keys = [(paragraph, sentence) for sentence in new]
            cache.update(zip(keys, measure(paragraph, new), strict=True))
        return softmax([cache[paragraph, sentence] for sentence in sentences])

    return shares
