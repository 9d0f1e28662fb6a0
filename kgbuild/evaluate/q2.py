"""Q²: whether the knowledge gives the same answers to questions about a text as the text itself.

The phrases of an answer are asked for by generated questions. A reader model answers each question
by the answer itself, which must give the phrase (else the question is left out), and then by the
knowledge. *Q² F1* is the mean token F1 of the two replies. *Q² NLI* replaces the F1 of replies
that differ in words by the verdict of a natural language inference model: 1 if the knowledge's
reply entails the phrase, 0 if it contradicts it. An answer without any question gets the verdict
on its whole text in both metrics: 1, 0, or 0.5 if it is neutral.

The models are passed as functions, which keep their libraries out of this package. The published
code differs in three details: its normalisation of replies, how it finds the best span of a reply,
and that it recognises personal questions by their grammar.

Games it: answers with few phrases that can be asked for, and copies of a passage. Known weakness:
it inherits the errors of four models, and phrases without a good question do not count.

Source: O. Honovich, L. Choshen, R. Aharoni, E. Neeman, I. Szpektor and O. Abend, Q²: evaluating
factual consistency in knowledge-grounded dialogues via question generation and question answering
(2021), section 3, and its published code, by beams and with one question for each phrase.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple, TypeAlias

from kgbuild.evaluate.instruct_qa import GroundedAnswer, Measured
from kgbuild.evaluate.text_metrics import f1, normalise

Q2_F1, Q2_NLI = METRICS = ("Q² F1", "Q² NLI")
Pairs: TypeAlias = Sequence[tuple[str, str]]
Classes: TypeAlias = Mapping[tuple[str, str], str]
"""The class of each pair of premise and hypothesis, such as "neutral"."""

_SCORES = {"entailment": 1.0, "contradiction": 0.0}
_PERSONAL = re.compile(r"\b(?:I|you|my|your)\b", re.IGNORECASE)
"""Questions about the two who talk, which no knowledge answers."""


class Models(NamedTuple):
    """The four models.

    ``phrases`` returns the phrases of each text, ``questions`` several questions for each pair of
    a phrase and its text, ``replies`` the reply to each pair of a question and a text ("" if the
    text has none), and ``classes`` the class of each pair of a premise and a hypothesis.
    """

    phrases: Callable[[Sequence[str]], Sequence[Sequence[str]]]
    questions: Callable[[Pairs], Sequence[Sequence[str]]]
    replies: Callable[[Pairs], Sequence[str]]
    classes: Callable[[Pairs], Sequence[str]]


class _Check(NamedTuple):
    """A phrase, the question that asks for it, and the reply of the knowledge; "" without one."""

    phrase: str
    question: str
    reply: str

    @property
    def f1(self) -> float:
        return f1(self.phrase, self.reply)

    @property
    def inference(self) -> tuple[str, str] | None:
        """The premise and the hypothesis to classify; None if words decide."""
        if not self.reply or self.f1 == 1:
            return None
        return f"{self.question} {self.reply}.", f"{self.question} {self.phrase}."

    def score(self, classes: Classes) -> float:
        """Return the score by meaning."""
        return _SCORES.get(classes[self.inference], self.f1) if self.inference else self.f1


def add_q2(measured: Sequence[Measured], answers: Sequence[GroundedAnswer], models: Models) -> None:
    """Add both metrics to the answers that have knowledge; an empty answer has 0."""
    texts = [
        (metrics, answer.prediction, " ".join(answer.knowledge))
        for metrics, answer in zip(measured, answers, strict=True)
        if answer.knowledge
    ]
    checks = _checks([(prediction, knowledge) for _, prediction, knowledge in texts], models)
    inferences = dict.fromkeys(
        pair
        for (prediction, knowledge), checks_of_text in checks.items()
        for pair in _inferences(prediction, knowledge, checks_of_text)
    )
    classes = dict(zip(inferences, models.classes([*inferences]), strict=True))
    for metrics, prediction, knowledge in texts:
        if checks_of_text := checks[prediction, knowledge]:
            metrics[Q2_F1] = fmean(check.f1 for check in checks_of_text)
            metrics[Q2_NLI] = fmean(check.score(classes) for check in checks_of_text)
        else:
            verdict = classes.get((knowledge, prediction), "contradiction")  # of an empty answer
            metrics[Q2_F1] = metrics[Q2_NLI] = _SCORES.get(verdict, 0.5)  # if it is neutral


def _checks(texts: Pairs, models: Models) -> dict[tuple[str, str], list[_Check]]:
    questions = _questions([*dict.fromkeys(prediction for prediction, _ in texts)], models)
    asked = dict.fromkeys(
        (question, knowledge)
        for prediction, knowledge in texts
        for _, question in questions[prediction]
    )
    replies = dict(zip(asked, models.replies([*asked]), strict=True))
    return {
        (prediction, knowledge): [
            _Check(phrase, question, replies[question, knowledge])
            for phrase, question in questions[prediction]
        ]
        for prediction, knowledge in texts
    }


def _questions(texts: Sequence[str], models: Models) -> dict[str, list[tuple[str, str]]]:
    """Return for each text its phrases and the first question that the text answers by them."""
    phrases = [
        (phrase, text)
        for text, phrases_of_text in zip(texts, models.phrases(texts), strict=True)
        for phrase in phrases_of_text
    ]
    candidates = [
        (phrase, question, text)
        for (phrase, text), questions in zip(phrases, models.questions(phrases), strict=True)
        for question in questions
        if not _PERSONAL.search(question)
    ]
    asked = dict.fromkeys((question, text) for _, question, text in candidates)
    replies = dict(zip(asked, models.replies([*asked]), strict=True))
    valid: dict[str, dict[str, str]] = {text: {} for text in texts}
    for phrase, question, text in candidates:
        reply = replies[question, text]
        if reply and normalise(reply) == normalise(phrase):
            valid[text].setdefault(phrase, question)
    return {text: [*questions.items()] for text, questions in valid.items()}


def _inferences(
    prediction: str, knowledge: str, checks: Sequence[_Check]
) -> Iterable[tuple[str, str]]:
    """Return the premises and hypotheses that decide on an answer."""
    if checks:
        return [check.inference for check in checks if check.inference]
    return [(knowledge, prediction)] if prediction else []
