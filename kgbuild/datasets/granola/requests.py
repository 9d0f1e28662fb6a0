"""Make the requests to a model for answers to GRANOLA's questions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgbuild.datasets.asking import ItemRequest, Sample
from kgbuild.datasets.granola import prompts
from kgbuild.models.chat import Request

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = "SELECT question_id, question FROM granola_questions"


def requests(
    db: "Database",
    protocols: Sequence[str],
    sample: Sample,
    *,
    samples: int = prompts.SAMPLES,
    temperature: float = prompts.TEMPERATURE,
) -> list[ItemRequest]:
    """Return the requests about a sample of the questions, by each protocol.

    The protocol ``sampled`` draws this number of ``samples``, at this ``temperature``.
    """
    questions = dict(db.sql(_QUESTIONS).rows)

    def by(protocol: str, question: str) -> Sequence[Request]:
        if protocol == prompts.SAMPLED:
            return prompts.samples(question, samples, temperature)
        return [prompts.request(protocol, question)]

    return [
        ItemRequest(question_id, protocol, request)
        for question_id in sample.choose(questions)
        for protocol in protocols
        for request in by(protocol, questions[question_id])
    ]
