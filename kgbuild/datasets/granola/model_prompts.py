"""Make and read the requests for coarser answers, for verdicts, and for a common answer.

A verdict says whether a description fits a question. The wording is our own; the tasks are the
tasks of the paper (table 8 and appendix C).
"""

import re
from collections.abc import Sequence

from kgbuild.data_files import read_toml
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.text.replies import answer_of, refuses

SAMPLES = 5
"""Number of verdicts of a model on a description."""
MAX_INCONSISTENCY = 0.5
"""Maximum share of "no" among the verdicts on a question that is kept, as in appendix C."""

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply: a short answer, and reasoning."""
# "2 :: a city in France"
_NUMBERED = re.compile(r"\s*(\d{1,3})\s*::\s*(\S.*?)\s*", re.ASCII)
# A text that is "yes" or "no", or begins with a line or sentence that is
_VERDICT = re.compile(r"\W*(yes|no)(?:\W*|[.,;:!]?\s*\n.*|[.,;:!]\s.*)", re.IGNORECASE | re.DOTALL)

_PROMPTS = read_toml("datasets/granola/model_prompts.toml")


def coarser_request(
    question: str, answer: str, about_subject: str | None, about_answer: str | None
) -> Request:
    """Return the request for coarser answers to a question.

    ``about_subject`` and ``about_answer`` are the descriptions of the items of the question and
    of the answer, if they have any.

    Source: section 3.1 of the paper.
    """
    fields = {
        "Question": question,
        "Exact answer": answer,
        "About what the question names": about_subject,
        "About the exact answer": about_answer,
    }
    return Request((Message("user", _PROMPTS["coarsen"] + _lines(fields)),), _MAX_TOKENS)


def read_answers(reply: Reply | Failure) -> list[str] | Failure:
    """Return the answers in a reply, the finest first, or a failure.

    An answer is a line with its number (1, 2, 3 and so on) and two colons. Other text is ignored:
    reasoning in ``<think>``, text around the list, Markdown, and the last line of a cut reply.
    """
    if isinstance(reply, Failure):
        return reply
    lines = map(_NUMBERED.fullmatch, _text(reply).splitlines())
    matches = [match for match in lines if match]
    if not matches:
        return Failure("nonsense", "no list of answers")
    if [int(match[1]) for match in matches] != list(range(1, len(matches) + 1)):
        return Failure("nonsense", "the answers are not numbered in order")
    return [match[2] for match in matches]


def consistency_requests(question: str, description: str) -> list[Request]:
    """Return the requests for verdicts on a description, ``SAMPLES`` of them.

    The description belongs to the item that was chosen as the subject of the question. The prompt
    has five examples; the temperature is 1.

    Source: appendix C of the paper.
    """
    turns = []
    for example, example_description, verdict in _PROMPTS["examples"]:
        turns += [_description_message(example, example_description), Message("assistant", verdict)]
    turns.append(_description_message(question, description))
    turns[0] = Message("user", _PROMPTS["judge"] + turns[0].content)
    return [Request(tuple(turns), _MAX_TOKENS, 1.0, sample) for sample in range(SAMPLES)]


def inconsistency(replies: Sequence[Reply | Failure]) -> float | Failure:
    """Return the share of "no" among the verdicts in replies; a failure if there is no verdict.

    A reply is a verdict if its first sentence or line is "yes" or "no".
    """
    matches = [_VERDICT.fullmatch(_text(reply)) for reply in replies if isinstance(reply, Reply)]
    verdicts = [match[1].lower() for match in matches if match]
    if verdicts:
        return verdicts.count("no") / len(verdicts)
    failures = [reply for reply in replies if isinstance(reply, Failure)]
    return failures[0] if failures else Failure("nonsense", "neither yes nor no")


def aggregation_request(question: str, responses: Sequence[str]) -> Request:
    """Return the request for the answer that responses to a question have in common.

    Source: section 4 of the paper.
    """
    listed = "\n".join(f"- {' '.join(response.split())}" for response in responses)
    text = f"{_PROMPTS['aggregate']}\nQuestion: {' '.join(question.split())}\nSaid:\n{listed}"
    return Request((Message("user", text),), _MAX_TOKENS)


def read_answer(reply: Reply | Failure, idk: str) -> str | Failure:
    """Return the answer in a reply, or a failure; if the answer abstains, return ``idk``.

    A valid answer is one line, which may follow "Answer:". A reply that was cut has no answer.
    """
    if isinstance(reply, Failure):
        return reply
    answer = answer_of(reply.text)
    if reply.was_cut or not answer or "\n" in answer:
        return Failure("nonsense", "no answer on a line of its own")
    return idk if refuses(answer) else answer


def _description_message(question: str, description: str) -> Message:
    return Message("user", _lines({"Question": question, "Description": description}))


def _lines(fields: dict[str, str | None]) -> str:
    """Return one line for each field; a text of several lines becomes one line."""
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in fields.items() if text)


def _text(reply: Reply) -> str:
    """Return the text of a reply without reasoning, Markdown, and a last line that was cut."""
    text = re.sub(r"\*\*|`", "", reply.spoken).strip()
    return text.rpartition("\n")[0] if reply.was_cut else text
