"""Messages, requests, replies and failures of language models."""

import hashlib
import json
from typing import Any, NamedTuple

from kgbuild.models.thoughts import separate

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
"""Reasons of servers for a reply that reached its limit of tokens."""
FILTERED = frozenset({"content_filter", "safety", "recitation"})
"""Reasons for a reply that a filter of the server removed or cut."""
REFUSED = "refusal"
"""The reason for a reply in which the server reports a refusal of the model."""


class Message(NamedTuple):
    """A turn of a conversation; ``role`` is user, assistant or system, as in OpenAI's protocol."""

    role: str
    content: str


class Request(NamedTuple):
    """A conversation for a model to continue, with a reply of at most ``most_tokens`` tokens.

    ``sample`` distinguishes requests that are otherwise equal, to draw several replies at a
    ``temperature`` above 0. ``more`` has further fields
    that are sent with the request, by name.
    """

    messages: tuple[Message, ...]
    most_tokens: int
    temperature: float = 0.0
    sample: int = 0
    more: tuple[tuple[str, Any], ...] = ()

    @property
    def characters(self) -> int:
        """The number of characters of all messages."""
        return sum(len(message.content) for message in self.messages)

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields that are sent beside the messages."""
        usual = {"temperature": self.temperature, "max_tokens": self.most_tokens}
        return usual | dict(self.more)

    def key(self, model: str, distinction: str = "") -> str:
        """Return a hash of this request, the model's name, and a ``distinction`` of the user.

        The server's address is no part of it: the same model answers on another port, too.
        """
        content = [model, distinction, self.messages, self.parameters, self.sample]
        text = json.dumps(content, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class Reply(NamedTuple):
    """A reply of a model, with what the server reports about it.

    ``finish_reason`` is why the reply ended, in the server's words: "stop", "length", …; "" if the
    server does not report it. ``reasoning`` are the thoughts that the server reports apart from the
    text. ``parameters`` are the fields that were sent beside the messages, as JSON, without those
    that the server refused. ``tokens_in`` and ``tokens_out`` are the tokens of the request and of
    the reply: the server's count, or an estimate if it gives none. ``seconds`` is how long the
    reply took. ``model`` is the server's name of the model.
    """

    text: str
    finish_reason: str
    tokens_in: int
    tokens_out: int
    seconds: float
    reasoning: str = ""
    model: str = ""
    parameters: str = ""

    @property
    def was_cut(self) -> bool:
        """Whether the reply reached its limit of tokens."""
        return self.finish_reason in CUT

    @property
    def spoken(self) -> str:
        """The text without thoughts."""
        return separate(self.text).spoken


class Failure(NamedTuple):
    """Why a request has no reply, as one of five reasons and a ``detail`` in free text.

    - "no answer": the server was down, busy, slow or broken in every try;
    - "nonsense": the server's response is not a reply of the chat protocol;
    - "refused": the server does not accept this request;
    - "budget": the budget of tokens was spent before;
    - "quota": the user's quota or balance at the server is spent.
    """

    reason: str
    detail: str
