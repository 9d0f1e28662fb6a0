"""Ask a judging model whether an answer is correct, and whether it is faithful.

The prompts are our own; their criteria are the paper's. There the verdicts of a large model
correlate better with human judgements than any metric that counts words.

Known weaknesses: see ``grading``; and a judge that knows the answer itself may overlook that the
references or the knowledge contradict it.

Source: V. Adlakha et al., Evaluating correctness and faithfulness of instruction-following models
for question answering (2024): its evaluation by language models.
"""

from collections.abc import Mapping

from kgbuild.evaluate.grading import grade, request
from kgbuild.evaluate.grounded import Grounded
from kgbuild.models.chat import Failure, Reply, Request

CORRECTNESS, FAITHFULNESS = "correctness", "faithfulness"
NEEDS = {CORRECTNESS: ("question", "references"), FAITHFULNESS: ("question", "knowledge")}
"""The inputs of a verdict: a short answer means nothing without its question."""

_VERDICTS = {"yes": 1.0, "no": 0.0}
_TASKS = {
    CORRECTNESS: (
        "Is the answer to the question correct? It is if it gives what one of the references gives,"
        " in whatever words, and however much it says beside that; it is not if it contradicts"
        " that reference, leaves a part of it out, names several answers of which only some are"
        " right, or does not answer. Go by the references, not by what you know yourself."
        " Yes: it is correct. No: it is not."
    ),
    FAITHFULNESS: (
        "Does all that the answer says follow from the knowledge? It does if each of its claims is"
        " said there, in whatever words, even one that you hold for wrong; it does not if a single"
        " claim is missing there or contradicts it, even one that you know to be true. Whether the"
        " question is answered does not matter. Yes: all of it follows. No: something does not."
    ),
}


def requests(answer: Grounded) -> Mapping[str, Request]:
    """Return the requests for those verdicts on an answer whose inputs are there.

    An empty answer has none.
    """
    inputs = answer._asdict()
    return {
        name: request(
            _TASKS[name],
            {name.capitalize(): inputs[name] for name in needs} | {"Answer": answer.prediction},
            [*_VERDICTS],
        )
        for name, needs in NEEDS.items()
        if answer.prediction and all(inputs[name] for name in needs)
    }


def verdict(reply: Reply | Failure) -> float | Failure:
    """Return the verdict in a reply, 1 for yes and 0 for no, or why there is none."""
    given = grade(reply, [*_VERDICTS])
    return given if isinstance(given, Failure) else _VERDICTS[given]
