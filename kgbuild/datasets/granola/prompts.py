"""The prompts by which models answer the questions of GRANOLA.

The wording is our own; the tasks are the tasks of the paper (section 5 and table 7).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgbuild.datasets.asking import ItemRequest, Sample
from kgbuild.models.chat import Message, Request

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

SAMPLED = "sampled"
"""The protocol with several answers, which ``kgbuild aggregate`` combines into one answer."""
SAMPLES, TEMPERATURE = 10, 0.7
"""The defaults of the protocol ``sampled``: the number of answers, and their temperature."""

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply: a short answer, and reasoning."""
INSTRUCTIONS = {
    "vanilla": "",
    "idk": " If you do not know the answer, reply with IDK in its place.",
    "idk-if-uncertain": (
        " Unless you are certain that your answer is right, reply with IDK in its place."
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


def sampled(question: str, count: int, temperature: float) -> list[Request]:
    """Return ``count`` requests for answers to a question, by the protocol "vanilla".

    Source: sections 4 and 5 of the paper: the first stage of response aggregation and of
    self-consistency.
    """
    messages = (_message("vanilla", question),)
    return [Request(messages, _MAX_TOKENS, temperature, sample) for sample in range(count)]


def _message(protocol: str, question: str) -> Message:
    # Answers are compared word by word, so a sentence around a right answer would make it wrong.
    task = "Answer the question with the answer alone: a few words, no sentence."
    question = f"Question: {' '.join(question.split())}\nAnswer:"
    return Message("user", f"{task}{INSTRUCTIONS[protocol]}\n\n{question}")


_QUESTIONS = "SELECT question_id, question FROM granola_questions"


def requests(
    db: "Database",
    protocols: Sequence[str],
    sample: Sample,
    *,
    samples: int = SAMPLES,
    temperature: float = TEMPERATURE,
) -> list[ItemRequest]:
    """Return the requests about a sample of the questions, for each question and protocol.

    ``samples`` and ``temperature`` are the options of the protocol ``sampled``.
    """
    questions = dict(db.read(_QUESTIONS).rows)

    def requests_of(protocol: str, question: str) -> Sequence[Request]:
        if protocol == SAMPLED:
            return sampled(question, samples, temperature)
        return [request(protocol, question)]

    return [
        ItemRequest(question_id, protocol, request, fields=(("question", questions[question_id]),))
        for question_id in sample.choose(questions)
        for protocol in protocols
        for request in requests_of(protocol, questions[question_id])
    ]
