"""The prompts by which models answer the questions of GRANOLA.

The wording is our own; the tasks are the tasks of the paper (section 5 and table 7).
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from kgbuild.calls import Range
from kgbuild.datasets.item_requests import ItemRequest, Sample
from kgbuild.evaluate.calibration import STATED
from kgbuild.models.chat import Message, Request
from kgbuild.rows import shuffled

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

SAMPLED = "sampled"
"""The protocol with several answers, which ``kgbuild aggregate`` combines into one answer."""
LIKELIHOOD = "likelihood"
"""The protocol in which a model on this machine has to find one of several answers likeliest."""
_OTHERS = 3
"""Number of further questions whose answers a model has to find less likely."""
SAMPLES, TEMPERATURE = 10, 0.7
"""The defaults of the protocol ``sampled``: the number of answers, and their temperature."""

Answers: TypeAlias = Mapping[str, tuple[str, Sequence[str]]]
"""The relation of each question, and its answers, the finest first."""

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply: a short answer, and reasoning."""
INSTRUCTIONS = {
    "vanilla": "",
    "idk": " If you do not know the answer, reply with IDK in its place.",
    "idk-if-uncertain": (
        " Unless you are certain that your answer is right, reply with IDK in its place."
    ),
    STATED: (
        " Add a line that says how likely your answer is to be right, such as: Confidence: 70 %"
    ),
    "granular": (
        " Be as precise as you can be certain of, and no more: where you are in doubt about the"
        " exact answer, give a vaguer one that is surely true, such as the country of a city, the"
        " decade of a day or the profession of a person. Reply with IDK if you know nothing at"
        " all of the answer."
    ),
}
"""The instruction that each protocol adds to the common instruction."""


def request(protocol: str, question: str) -> Request:
    """Return the request for an answer to a question, by a protocol of ``INSTRUCTIONS``.

    Source: section 5 of the paper: greedy decoding, IDK, IDKIfUncertain, and a prompt for answers
    at the granularity of which the model is certain.
    """
    return Request((_message(protocol, question),), _MAX_TOKENS)


def _message(protocol: str, question: str) -> Message:
    # Answers are compared word by word, so a sentence around a right answer would make it wrong.
    task = "Answer the question with the answer alone: a few words, no sentence."
    question = f"Question: {' '.join(question.split())}\nAnswer:"
    return Message("user", f"{task}{INSTRUCTIONS[protocol]}\n\n{question}")


def choices(question_id: str, answers: Answers, seed: int) -> tuple[str, ...]:
    """Return the answers to a question at all levels, and those to others of its relation."""
    relation, own = answers[question_id]
    alike = [other for other in answers if other != question_id and answers[other][0] == relation]
    others = shuffled(alike, lambda other: (question_id, other), seed)[:_OTHERS]
    further = (text for other in others for text in answers[other][1])
    return tuple(dict.fromkeys((*own, *further)))


_QUESTIONS = "SELECT question_id, question FROM granola_questions"
_ANSWERS = """
    SELECT question_id, (any_value(relation), list(answer ORDER BY "level", answer))
    FROM granola_answers JOIN granola_questions USING (question_id) GROUP BY question_id
"""


def requests(
    db: "Database",
    protocols: Sequence[str],
    sample: Sample,
    *,
    samples: Annotated[int, Range(1, 1000)] = SAMPLES,
    temperature: Annotated[float, Range(0, 2)] = TEMPERATURE,
) -> list[ItemRequest]:
    """Return the requests about a sample of the questions, for each question and protocol.

    ``samples`` and ``temperature`` are the options of the protocol ``sampled``.
    """
    questions = dict(db.read(_QUESTIONS).rows)
    answers = dict(db.read(_ANSWERS).rows) if LIKELIHOOD in protocols else {}

    def requests_of(protocol: str, question_id: str) -> Sequence[Request]:
        question = questions[question_id]
        if protocol == SAMPLED:
            # Source: sections 4 and 5 of the paper: the first stage of response aggregation.
            messages = (_message("vanilla", question),)
            return [Request(messages, _MAX_TOKENS, temperature, n) for n in range(samples)]
        if protocol == LIKELIHOOD:
            texts = choices(question_id, answers, sample.seed)
            return [Request((_message("vanilla", question),), 1, choices=texts)]
        return [request(protocol, question)]

    return [
        ItemRequest(question_id, protocol, request, fields=(("question", questions[question_id]),))
        for question_id in sample.choose(questions)
        for protocol in protocols
        for request in requests_of(protocol, question_id)
    ]
