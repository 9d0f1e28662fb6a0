"""The request to a language model for what several responses to a question have in common.

The prompt is our own; it asks for the same as table 8 of the GRANOLA paper.
"""

from collections.abc import Sequence

from kgbuild.evaluate.answers import final
from kgbuild.evaluate.text_metrics import abstains
from kgbuild.models.chat import Failure, Message, Reply, Request

_MAX_TOKENS = 2048
"""Enough for thoughts, too: an answer itself is short."""

_PROMPT = """\
Somebody was asked the same question several times and did not always say the same. Below are the \
question and what was said. Find the one answer that is true if any of them is, and that tells as \
much as possible. Mostly it is vaguer than they are: the area around several places, the year or \
the decade of several dates, what several people, works or organisations all are. If one of them \
already covers all the others, it is that one.

No vote is taken: an answer that even a single one contradicts is wrong, however many say it. If \
all that they share could be said by anybody who has seen nothing but the question, or they share \
nothing, the answer is IDK.

For example, to "Where did Jonas Brandt die?" somebody said "Oslo", "Bergen" and "Oslo": that \
comes to "Norway". "Oslo" and "in a city" come to IDK.

Reply with one line in the form "Answer: …", and nothing after it.
"""


def request(question: str, responses: Sequence[str]) -> Request:
    """Return the request for what responses to a question have in common.

    Source: section 4 of the paper.
    """
    listed = "\n".join(f"- {' '.join(one.split())}" for one in responses)
    text = f"{_PROMPT}\nQuestion: {' '.join(question.split())}\nSaid:\n{listed}"
    return Request((Message("user", text),), _MAX_TOKENS)


def read_answer(reply: Reply | Failure, idk: str) -> str | Failure:
    """Return the answer in a reply, ``idk`` if it abstains, or why there is none.

    The answer is one line, after "Answer:" or alone. A reply that was cut has no answer.
    """
    if isinstance(reply, Failure):
        return reply
    answer = final(reply.text)
    if reply.was_cut or not answer or "\n" in answer:
        return Failure("nonsense", "no answer on a line of its own")
    return idk if abstains(answer) else answer
