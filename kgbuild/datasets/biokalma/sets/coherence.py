"""Measure how well sentences continue a paragraph, compared with each other.

Source: appendix A.3 of the BioKaLMA paper, equation 1. Models are passed as functions.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Coherence: TypeAlias = Callable[[str, Sequence[str]], list[float]]
"""A function of a paragraph and sentences: it returns how well each sentence continues it.

The values are between 0 and 1 and have a sum of 1. ``unmeasured`` returns 0 for each sentence.
"""


def unmeasured(paragraph: str, sentences: Sequence[str]) -> list[float]:
    """Return 0 for each sentence: coherence is not measured."""
    return [0.0 for _ in sentences]


def by_perplexity(perplexities: Callable[[Sequence[str]], Sequence[float]]) -> Coherence:
    """Return a measure that prefers sentences that a causal language model expects.

    ``perplexities`` gets texts: the paragraph with one of the sentences at its end. Known weakness:
    perplexities of 20 and of 50 lead to values that differ by only 3 %, so the values show an order
    rather than distances.
    """

    def measure(paragraph: str, sentences: Sequence[str]) -> list[float]:
        texts = [f"{paragraph} {sentence}" for sentence in sentences]
        return [1 / perplexity for perplexity in perplexities(texts)]

    return _normalised(measure)


def by_similarity(
    similarities: Callable[[Sequence[tuple[str, str]]], Sequence[float]],
) -> Coherence:
    """Return a measure that prefers sentences whose meaning is close to the paragraph.

    ``similarities`` returns the cosine similarities of pairs of the paragraph and a sentence. The
    paper uses perplexity; this measure is for users without a causal language model.
    """

    def measure(paragraph: str, sentences: Sequence[str]) -> list[float]:
        return list(similarities([(paragraph, sentence) for sentence in sentences]))

    return _normalised(measure)


def softmax(values: Sequence[float]) -> list[float]:
    """Return the softmax of values; an empty list if there are no values.

    >>> softmax([1000.0, 1000.0])
    [0.5, 0.5]
    """
    maximum = max(values, default=0.0)  # its subtraction prevents overflow
    powers = [math.exp(value - maximum) for value in values]
    return [power / math.fsum(powers) for power in powers]


def _normalised(measure: Coherence) -> Coherence:
    """Return the softmax of a measure; values of the measure are cached."""
    values_by_pair: dict[tuple[str, str], float] = {}

    def normalised(paragraph: str, sentences: Sequence[str]) -> list[float]:
        pairs = [(paragraph, sentence) for sentence in sentences]
        if new_pairs := [pair for pair in dict.fromkeys(pairs) if pair not in values_by_pair]:
            values = measure(paragraph, [sentence for _, sentence in new_pairs])
            values_by_pair.update(zip(new_pairs, values, strict=True))
        return softmax([values_by_pair[pair] for pair in pairs])

    return normalised
