"""Messages, requests, replies and failures of language models."""

import hashlib
import json
from typing import NamedTuple


class Message(NamedTuple):
    """A turn of a conversation; ``role`` is user, assistant or system, as in OpenAI's protocol."""

    role: str
    content: str


class Request(NamedTuple):
    """A conversation for a model to continue, with a reply of at most ``most_tokens`` tokens.

    ``sample`` distinguishes requests that are otherwise equal, to draw several replies at a
    ``temperature`` above 0.
    """

    messages: tuple[Message, ...]
    most_tokens: int
    temperature: float = 0.0
    sample: int = 0

    @property
    def characters(self) -> int:
        """The number of characters of all messages."""
        return sum(len(message.content) for message in self.messages)

    def key(self, url: str, model: str) -> str:
        """Return a hash of this request, the server's URL and the model's name."""
        content = json.dumps([url, model, self])
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


class Reply(NamedTuple):
    """A reply of a model; ``was_cut`` if it reached the request's limit of tokens.

    ``tokens_in`` and ``tokens_out`` are the tokens of the request and of the reply: the server's
    count, or an estimate if it gives none. ``seconds`` is how long the reply took.
    """

    text: str
    was_cut: bool
    tokens_in: int
    tokens_out: int
    seconds: float

    @property
    def spoken(self) -> str:
        """The text without the part between ``<think>`` and ``</think>``."""
        return self.text.rpartition("</think>")[2].partition("<think>")[0]


class Failure(NamedTuple):
    """Why a request has no reply, as one of four reasons and a ``detail`` in free text.

    - "no answer": the server was down, busy, slow or broken in every try;
    - "nonsense": the server's response is not a reply of the chat protocol;
    - "refused": the server does not accept this request;
    - "budget": the budget of tokens was spent before.
    """

    reason: str
    detail: str
