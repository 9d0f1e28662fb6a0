"""Compute ROUGE-1, ROUGE-2 and METEOR by the libraries that papers use, for comparison.

They are not normalised as the metrics of ``instruct_qa`` are, which agree with people better.

Source: V. Adlakha et al., Evaluating correctness and faithfulness of instruction-following models
for question answering (2024), whose table of metrics has them.
"""

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

from kgbuild.errors import missing_extra

if TYPE_CHECKING:  # an extra
    from rouge_score.rouge_scorer import RougeScorer

METRICS = ("ROUGE-1", "ROUGE-2", "METEOR")
_EXTRA = "metrics"
_NO_SYNONYMS = SimpleNamespace(synsets=lambda _word: [])
"""Stands in for WordNet, which NLTK would have to download."""


def measure(prediction: str, references: Sequence[str]) -> dict[str, float]:
    """Return the metrics of a prediction with its best reference, from 0 to 1.

    ROUGE-1 and ROUGE-2 are the F1 of words and of pairs of words, by rouge-score without stemming.
    METEOR is that of NLTK with words and stems, but without the synonyms of WordNet, which NLTK
    would have to download. Without references there are no metrics.

    Games them: brevity. Known weakness: as for F1; METEOR punishes words in another order.

    Source: C.-Y. Lin, ROUGE: a package for automatic evaluation of summaries (2004), section 2;
    A. Lavie and A. Agarwal, METEOR (2007).

    Raises:
        KgbuildError: rouge-score or NLTK is not installed.
    """
    if not references:
        return {}
    rouge = _rouge().score_multi(references, prediction)
    return {
        "ROUGE-1": rouge["rouge1"].fmeasure,
        "ROUGE-2": rouge["rouge2"].fmeasure,
        "METEOR": max(_meteor(prediction, reference) for reference in references),
    }


@cache
def _rouge() -> "RougeScorer":
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise missing_extra(_EXTRA, "rouge-score") from error
    return RougeScorer(["rouge1", "rouge2"])


def _meteor(prediction: str, reference: str) -> float:
    try:
        from nltk.translate.meteor_score import single_meteor_score
    except ImportError as error:
        raise missing_extra(_EXTRA, "nltk") from error
    words, other = (_words(text) for text in (reference, prediction))
    return float(single_meteor_score(words, other, wordnet=_NO_SYNONYMS)) if other else 0.0


def _words(text: str) -> list[str]:
    from nltk.tokenize import word_tokenize

    return [*word_tokenize(text, preserve_line=True)]  # without sentences, which need a download
