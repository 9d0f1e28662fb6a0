"""Add metrics that models on this machine compute: BERTScore, BEM and FaithCritic.

The models are passed as functions, which keep their libraries out of this package.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeAlias

from kgbuild.evaluate.instruct_qa import GroundedAnswer, Measured

BERTSCORE, K_BERTSCORE, BEM, FAITHCRITIC = "BERTScore", "K-BERTScore", "BEM", "FaithCritic"
Score: TypeAlias = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""A function that returns a score for each pair of texts."""


def add_bertscore(
    measured: Sequence[Measured], answers: Sequence[GroundedAnswer], score: Score
) -> None:
    """Add the BERTScore of each answer with the best of its references, and with its knowledge.

    Source: T. Zhang, V. Kishore, F. Wu, K. Q. Weinberger and Y. Artzi, BERTScore: evaluating text
    generation with BERT (2020); Instruct-QA's paper for the knowledge, as one text.
    """
    _add_best(BERTSCORE, measured, answers, score, lambda answer, text: (answer.prediction, text))
    places, pairs = _with_knowledge(answers)
    for place, similarity in zip(places, score(pairs), strict=True):
        measured[place][K_BERTSCORE] = similarity


def add_bem(
    measured: Sequence[Measured], answers: Sequence[GroundedAnswer], score: Score, separator: str
) -> None:
    """Add the probability that an answer is equivalent to the best of its references.

    The model reads the answer, and the reference and the question, which ``separator`` separates;
    its second class is equivalence.

    Games it: what its training data has; it was trained on answers to SQuAD.

    Source: J. Bulian, C. Buck, W. Gajewski, B. Börschinger and T. Schuster, Tomayto, Tomahto:
    beyond token-level answer equivalence for question answering evaluation (2022).
    """
    _add_best(
        BEM,
        measured,
        answers,
        score,
        lambda answer, text: (answer.prediction, f"{text} {separator} {answer.question}"),
    )


def add_faithcritic(
    measured: Sequence[Measured], answers: Sequence[GroundedAnswer], score: Score
) -> None:
    """Add the probability that the knowledge supports an answer, if there is any knowledge.

    The model reads the knowledge and the answer; its second class is hallucination. So higher is
    better here, other than in Instruct-QA's paper, which shows the probability of hallucination.

    Source: N. Dziri and others, FaithDial: a faithful benchmark for information-seeking dialogue
    (2022), which trains the critic.
    """
    places, pairs = _with_knowledge(answers)
    knowledge_first = [(knowledge, prediction) for prediction, knowledge in pairs]
    for place, probability in zip(places, score(knowledge_first), strict=True):
        measured[place][FAITHCRITIC] = 1 - probability


def _with_knowledge(answers: Sequence[GroundedAnswer]) -> tuple[list[int], list[tuple[str, str]]]:
    """Return the places of the answers that have knowledge, and these answers with it."""
    places = [place for place, answer in enumerate(answers) if answer.knowledge]
    return places, [(answers[n].prediction, " ".join(answers[n].knowledge)) for n in places]


def _add_best(
    name: str,
    measured: Sequence[Measured],
    answers: Sequence[GroundedAnswer],
    score: Score,
    pair: Callable[[GroundedAnswer, str], tuple[str, str]],
) -> None:
    """Add the highest score of each answer with one of its references."""
    scores = iter(score([pair(answer, text) for answer in answers for text in answer.references]))
    for metrics, answer in zip(measured, answers, strict=True):
        if answer.references:
            metrics[name] = max(islice(scores, len(answer.references)))
