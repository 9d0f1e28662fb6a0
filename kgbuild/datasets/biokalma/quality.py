"""How a judging model is asked for the quality of a text: how well it is written, not how cited.

Criteria and steps are of our own wording; what they grade is the BioKaLMA paper's (section 4.1),
which has them from G-Eval: coherence, consistency, fluency and relevance, from 1 to 5.

Known weaknesses: a model prefers texts in its own style, its own above all, so let none judge
itself; and all but the worst texts tend to get the same high grades. Games it: long, smooth
sentences.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.evaluate.grading import grade, missing, request
from kgbuild.models.chat import Failure, Reply, Request

SAMPLES = 5
"""How often each grade is drawn."""
LOWEST = 1
"""The grade of an empty text, about which nobody is asked."""

_TEMPERATURE = 1.0
_GRADES = ("1", "2", "3", "4", "5")
_SCALE = "5 is the best grade, 3 has faults that a reader stumbles over, 1 is the worst."
_TASKS = {
    "coherence": (
        "Grade the coherence of the answer: whether it is built up so that one can follow it."
        " First see what each sentence is about. Then see whether each follows from the one"
        " before, whether what belongs together stands together, and whether anything is repeated"
        " or left hanging."
    ),
    "consistency": (
        "Grade the consistency of the answer with the knowledge: whether it says what stands there."
        " First list what the answer states. Then look each up in the knowledge, and nowhere else,"
        " and lower the grade for all that contradicts it, more than for what is missing in it."
    ),
    "fluency": (
        "Grade the fluency of the answer: whether it is good English. First look for mistakes of"
        " grammar, spelling and punctuation. Then see whether words and sentences are such as a"
        " careful writer would choose. What it says does not matter."
    ),
    "relevance": (
        "Grade the relevance of the answer: whether it is about what the question asks. First list"
        " what is asked for. Then see how much of that is answered, and how much stands there that"
        " nobody asked for. Whether it is true does not matter."
    ),
}
METRICS = tuple(_TASKS)


class Written(NamedTuple):
    """A text without its citations, the question that it answers, and what its writer was given."""

    question: str
    knowledge: Sequence[str]
    text: str


class Quality(NamedTuple):
    """The mean of the grades of a text, None of none, and how many replies have no grade."""

    value: float | None
    unparsable: int
    replies: int


def requests(written: Written) -> Mapping[str, list[Request]]:
    """Return the requests for the grades of a text, ``SAMPLES`` of each metric.

    Source: section 4.1 of the paper.
    """
    question, text = {"Question": written.question}, {"Answer": written.text}
    shown: Mapping[str, Mapping[str, str | Sequence[str]]] = {
        "coherence": question | text,
        "consistency": {"Knowledge": written.knowledge, **text},
        "fluency": text,
        "relevance": question | text,
    }
    return {
        name: [
            request(f"{task} {_SCALE}", shown[name], _GRADES)._replace(
                temperature=_TEMPERATURE, sample=sample
            )
            for sample in range(SAMPLES)
        ]
        for name, task in _TASKS.items()
    }


def quality(replies: Sequence[Reply | Failure]) -> Quality:
    """Return what the replies to the requests of one metric come to, as far as there are any."""
    told = [grade(one, _GRADES) for one in replies if not missing(one)]
    grades = [int(one) for one in told if not isinstance(one, Failure)]
    value = sum(grades) / len(grades) if grades else None
    return Quality(value, len(told) - len(grades), len(told))
