"""Coherence of sentences with a paragraph, by fixed scores; test_embed has the real models."""

import math
from collections.abc import Sequence

import pytest

from kgbuild.datasets.biokalma.sets.coherence import Coherence, by_perplexity, softmax


def test_softmax_by_hand() -> None:
    # e⁰ : e^ln2 : e^ln5 are 1 : 2 : 5.
    assert softmax([0.0, math.log(2), math.log(5)]) == pytest.approx([1 / 8, 2 / 8, 5 / 8])
    assert softmax([-4.0]) == [1.0]
    assert softmax([]) == []


def test_softmax_of_large_values_is_one_of_their_distances() -> None:
    assert softmax([1e9, 1e9 - math.log(3)]) == pytest.approx([3 / 4, 1 / 4])
    assert softmax([-1e9, -1e9]) == [0.5, 0.5]
    assert softmax([0.0, -1e9]) == [1.0, 0.0]


def test_perplexity_is_of_the_paragraph_and_the_sentence() -> None:
    asked = []

    def perplexity(texts: Sequence[str]) -> list[float]:
        asked.append(list(texts))
        return [1.0, 2.0]

    found = Coherence(by_perplexity(perplexity))("Ann is old.", ["She wept.", "She slept."])
    assert asked == [["Ann is old. She wept.", "Ann is old. She slept."]]
    # Equation 1: e^(1/1) : e^(1/2).
    whole = math.e + math.sqrt(math.e)
    assert found == pytest.approx([math.e / whole, math.sqrt(math.e) / whole])


def test_what_is_not_expected_at_all_has_the_smallest_share() -> None:
    # Such is the perplexity of a text of one token.
    first, second = Coherence(by_perplexity(lambda _: [math.inf, 1.0]))("", ["a", "b"])
    assert first == pytest.approx(1 / (1 + math.e))
    assert second == pytest.approx(math.e / (1 + math.e))


def test_similarity_is_of_the_paragraph_with_the_sentence() -> None:
    asked = []

    def cosine(pairs: Sequence[tuple[str, str]]) -> list[float]:
        asked.append(list(pairs))
        return [-1.0, 1.0]

    found = Coherence(cosine)("Ann is old.", ["It rains.", "Ann has lived."])
    assert asked == [[("Ann is old.", "It rains."), ("Ann is old.", "Ann has lived.")]]
    assert found == pytest.approx([1 / (1 + math.e**2), math.e**2 / (1 + math.e**2)])


def test_of_what_comes_again_nothing_is_asked_again() -> None:
    asked: list[str] = []

    def perplexity(texts: Sequence[str]) -> list[float]:
        asked.extend(texts)
        return [float(len(text)) for text in texts]

    coherence = Coherence(by_perplexity(perplexity))
    whole = coherence("p", ["a", "bb", "a"])
    assert asked == ["p a", "p bb"]  # of a sentence that stands there twice, once
    assert whole[0] == whole[2]
    rest = coherence("p", ["bb", "ccc"])
    assert asked == ["p a", "p bb", "p ccc"]
    # The shares are of those that are compared: e^(1/4) : e^(1/5).
    assert rest == pytest.approx(softmax([1 / 4, 1 / 5]))
    assert coherence("p", []) == []
    assert coherence("q", ["a"]) == [1.0]  # another paragraph
    assert asked == ["p a", "p bb", "p ccc", "q a"]
