"""Messages, requests, replies and failures of language models."""

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from kgbuild.errors import KgbuildError
from kgbuild.models.thoughts import separate

LOCAL = "hf:"
"""The beginning of the name of a model that is a folder on this machine."""
CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
"""Values of ``finish_reason`` if a reply reached its maximum number of tokens."""
FILTERED = frozenset({"content_filter", "safety", "recitation"})
"""Values of ``finish_reason`` if a filter of the server removed or cut a reply."""
REFUSED = "refusal"
"""The ``finish_reason`` of a reply in which the server reports a refusal of the model."""
FINISHED = "finished"
STATES = (FINISHED, "cut", "filtered", "refused", "empty")
"""The states of answers: complete; cut at the limit of tokens or within a thought; removed or cut
by a filter of the server; refused, as the server reports; without a text."""


class Message(NamedTuple):
    """A turn of a conversation; ``role`` is user, assistant or system, as in OpenAI's protocol."""

    role: str
    content: str


def state(text: str, finish_reason: str) -> str:
    """Return one of ``STATES``: whether an answer is complete, or why not.

    An answer whose thoughts do not end was cut, whatever the server reports.
    """
    spoken, is_open = separate(text)
    reason = finish_reason.lower()
    if reason in CUT or is_open:
        return "cut"
    if reason in FILTERED:
        return "filtered"
    if reason == REFUSED:
        return "refused"
    return FINISHED if spoken.strip() else "empty"


class Request(NamedTuple):
    """A conversation for a model to continue by a reply of at most ``max_tokens`` tokens.

    ``sample`` numbers requests that are otherwise equal, to draw several replies at a
    ``temperature`` above 0. ``more`` has the names and values of further fields; one that is None,
    such as a temperature, is not sent. If there are ``choices``, the reply is the likeliest of
    them, which only a model on this machine tells.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    sample: int = 0
    more: tuple[tuple[str, Any], ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def characters(self) -> int:
        """The number of characters of all messages."""
        return sum(len(message.content) for message in self.messages)

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields that are sent with the messages."""
        values = {"temperature": self.temperature, "max_tokens": self.max_tokens, **dict(self.more)}
        return {name: value for name, value in values.items() if value is not None}

    def key(self, model: str, distinction: str = "") -> str:
        """Return a hash of this request, the model's name and a user's text, ``distinction``.

        The URL of the server is not part of it: the same model may run on another port.
        """
        content = [model, distinction, self.messages, self.parameters, self.sample]
        content += [self.choices] if self.choices else []
        text = json.dumps(content, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class Reply(NamedTuple):
    """A reply of a model, with the server's report about it.

    ``finish_reason`` is the server's reason for the end of the reply: "stop", "length", …; "" if
    the server reports none. ``reasoning`` is the reasoning that the server reports separately from
    the text. ``parameters`` are the fields that were sent with the messages, as JSON.
    ``tokens_in`` and ``tokens_out`` are the numbers of tokens of the request and of the reply: the
    server's count, or an estimate without one. ``seconds`` is the duration of the request.
    ``model`` is the server's name of the model. ``confidence`` is the mean probability (geometric)
    that the model gave the tokens of the reply, None if it is not reported.
    """

    text: str
    finish_reason: str
    tokens_in: int
    tokens_out: int
    seconds: float
    reasoning: str = ""
    model: str = ""
    parameters: str = ""
    confidence: float | None = None

    @property
    def was_cut(self) -> bool:
        """Whether the reply reached its maximum number of tokens."""
        return self.finish_reason in CUT

    @property
    def spoken(self) -> str:
        """The text without the model's reasoning."""
        return separate(self.text).spoken


def confidence(logprobs: Sequence[float]) -> float | None:
    """Return the geometric mean of probabilities, whose logarithms are passed; None without any.

    >>> round(confidence([math.log(0.9), math.log(0.4)]), 3)
    0.6
    """
    return math.exp(math.fsum(logprobs) / len(logprobs)) if logprobs else None


class Failure(NamedTuple):
    """A request without a reply: one of five reasons, and a ``detail`` in free text.

    - "no answer": the server was down, busy, slow or broken in every try;
    - "nonsense": the server's response is not a reply of the chat protocol;
    - "refused": the server does not accept this request;
    - "budget": the budget of tokens was spent before the request;
    - "quota": the user's quota or balance at the server is spent.
    """

    reason: str
    detail: str


def no_answers(questions: int, first: Failure) -> KgbuildError:
    """Return the error that none of some questions got an answer, and how the first one failed."""
    return KgbuildError(
        f"Nothing was written: none of {questions:,} questions got an answer. The first failed: "
        f"{first.reason}: {first.detail}."
    )


def better(first: Reply | Failure | None, second: Reply | Failure) -> Reply | Failure:
    """Return the result of a request to keep: the first one, unless the second is better.

    A finished reply is better than another one (a refusal is the model's, and finished), which is
    better than a failure.
    """
    return second if first is None or _worth(second) > _worth(first) else first


def _worth(result: Reply | Failure) -> int:
    if isinstance(result, Failure):
        return 0
    return 2 if state(result.text, result.finish_reason) in (FINISHED, "refused") else 1
