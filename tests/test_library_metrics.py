"""The metrics of other libraries, and kgbuild's own beside them."""

import pytest

from kgbuild.evaluate import library_metrics

pytestmark = pytest.mark.extras
rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="needs rouge-score")
pytest.importorskip("nltk", reason="needs nltk")


def test_the_best_reference_counts() -> None:
    results = library_metrics.measure("She was born in Lund", ["Graz", "born in Lund"])
    # Three words of five and three; two pairs of words of four and two.
    assert results["ROUGE-1"] == pytest.approx(2 * 3 / (5 + 3))
    assert results["ROUGE-2"] == pytest.approx(2 * 2 / (4 + 2))
    # Recall 1, precision 3/5, in one piece: 0.5 · (1/3)³ is the penalty.
    assert results["METEOR"] == pytest.approx(
        (3 / 5) / (0.9 * 3 / 5 + 0.1) * (1 - 0.5 * (1 / 3) ** 3)
    )


def test_nothing_to_compare() -> None:
    assert library_metrics.measure("Lund", []) == {}
    assert set(library_metrics.measure("", ["Lund"]).values()) == {0.0}
