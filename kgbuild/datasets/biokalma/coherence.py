"""How well each of several sentences goes on from a paragraph, compared with the others.

Source: appendix A.3 of the BioKaLMA paper, equation 1. Models are handed in as functions.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Coherence: TypeAlias = Callable[[str, Sequence[str]], list[float]]
"""Tells of a paragraph and sentences how well each sentence goes on from it.

Unless nothing is asked of them, the numbers are shares: above 0, with a sum of 1.
"""


def none(paragraph: str, sentences: Sequence[str]) -> list[float]:
    """Return that nothing is known: 0 for each sentence."""
    return [0.0 for _ in sentences]


def by_perplexity(perplexities: Callable[[Sequence[str]], Sequence[float]]) -> Coherence:
    """Return what prefers the sentences that a causal language model expects.

    ``perplexities`` is asked of texts, each of which is the paragraph and one sentence: for all
    sentences that it has not been asked of, at once. Known weakness: perplexities of 20 and of
    50 make shares that differ by 3 %, so these tell little more than an order.
    """

    def ask(paragraph: str, sentences: Sequence[str]) -> list[float]:
        texts = [f"{paragraph} {sentence}" for sentence in sentences]
        return [1 / perplexity for perplexity in perplexities(texts)]

    return _shares(ask)


def by_similarity(
    similarities: Callable[[Sequence[tuple[str, str]]], Sequence[float]],
) -> Coherence:
    """Return a measure that prefers sentences whose meaning is close to the paragraph.

    ``similarities`` returns the cosine of pairs of the paragraph and a sentence; it gets all new
    sentences at once. It replaces the perplexity of the paper if there is no causal model.
    """

    def ask(paragraph: str, sentences: Sequence[str]) -> list[float]:
        return list(similarities([(paragraph, sentence) for sentence in sentences]))

    return _shares(ask)


def softmax(values: Sequence[float]) -> list[float]:
    """Return the softmax of values; an empty list of none.

    >>> softmax([1000.0, 1000.0])
    [0.5, 0.5]
    """
    most = max(values, default=0.0)  # so that no power overflows
    powers = [math.exp(value - most) for value in values]
    return [power / math.fsum(powers) for power in powers]


def _shares(ask: Coherence) -> Coherence:
    """Return the softmax of what ``ask`` returns; each paragraph and sentence is asked once."""
    cache: dict[tuple[str, str], float] = {}

    def shares(paragraph: str, sentences: Sequence[str]) -> list[float]:
        new = [one for one in dict.fromkeys(sentences) if (paragraph, one) not in cache]
        if new:
            for sentence, value in zip(new, ask(paragraph, new), strict=True):
                cache[paragraph, sentence] = value
        return softmax([cache[paragraph, sentence] for sentence in sentences])

    return shares
