"""The metrics of other libraries, and kgbuild's own beside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.evaluate import library_metrics
from kgbuild.evaluate.instruct_qa import measure

pytestmark = pytest.mark.extras
rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="needs rouge-score")
pytest.importorskip("nltk", reason="needs nltk")

texts = st.lists(st.sampled_from(["lund", "graz", "born", "in", "of", "1970"]), max_size=12)


@given(texts, texts.filter(bool))
def test_f1_and_rouge_l_are_those_of_rouge_score(words: list[str], reference: list[str]) -> None:
    # Texts without articles, accents and punctuation, which the two normalise in their own ways.
    prediction, right = " ".join(words), " ".join(reference)
    results = measure(prediction, [right], [], "")
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"])
    rouge = scorer.score(right, prediction)
    assert results["F1"] == pytest.approx(rouge["rouge1"].fmeasure)
    assert results["recall"] == pytest.approx(rouge["rouge1"].recall)
    assert results["precision"] == pytest.approx(rouge["rouge1"].precision)
    assert results["ROUGE-L"] == pytest.approx(rouge["rougeL"].fmeasure)


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
