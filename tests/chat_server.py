"""A server that speaks the chat protocol on loopback, and misbehaves as a test tells it to."""

import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http_servers import Handler, running


@dataclass
class Answer:
    """What the server does with one request; without more, what a good server does."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    """Sent as it stands, in the place of an answer."""
    is_cut: bool = False
    """Whether the connection is closed in the middle of the body."""
    seconds: float = 0.0
    """How long it takes, unless the server stops before."""


def grade_reply(grade: str, reason: str = "") -> str:
    """Return the reply of a judge that gives a grade."""
    return json.dumps({"reason": reason, "grade": grade})


@dataclass
class ChatServer:
    """A server while it runs: what it was sent, and what it is to do.

    ``plan`` has what it does with the next requests, the first one first; ``otherwise`` with all
    that come after. ``say`` gives the text of a good answer to the body of a request.
    """

    url: str
    say: Callable[[dict[str, Any]], str] = lambda sent: f"Re: {sent['messages'][-1]['content']}"
    confidence: Callable[[dict[str, Any]], float] = lambda _: 1.0
    """The probability of the text, for requests that ask for it."""
    plan: list[Answer] = field(default_factory=list)
    otherwise: Answer = field(default_factory=Answer)
    usage: Any = field(default_factory=lambda: {"prompt_tokens": 7, "completion_tokens": 3})
    sent: list[dict[str, Any]] = field(default_factory=list)
    """The bodies of the requests, as they came."""
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """When they came, in seconds of a clock that only goes forward."""
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def asked(self) -> list[str]:
        """What the last turn of each request says, in order of arrival."""
        return [sent["messages"][-1]["content"] for sent in self.sent]


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Run a server, and stop it at the end."""
    with running(_Handler, lambda at: ChatServer(f"{at}/v1")) as told:
        yield told


class _Handler(Handler):
    def respond(self) -> None:
        told: ChatServer = self.told
        sent = json.loads(self.sent())
        with told.lock:
            told.sent.append(sent)
            told.paths.append(self.path)
            told.keys.append(self.headers["Authorization"])
            told.times.append(time.monotonic())
            answer = told.plan.pop(0) if told.plan else told.otherwise
            told.at_once += 1
            told.most_at_once = max(told.most_at_once, told.at_once)
        self.server.over.wait(answer.seconds)
        body = self._body(told, sent) if answer.body is None else answer.body
        with told.lock:
            told.at_once -= 1
        headers = {"Content-Type": "application/json", **answer.headers}
        encoded = body.encode()
        cut = len(encoded) // 2 if answer.is_cut else None
        self.answer(answer.status, headers, encoded, cut)

    def _body(self, told: ChatServer, sent: dict[str, Any]) -> str:
        if self.path.endswith("/responses"):
            return self._response(told, sent)
        message = {"role": "assistant", "content": told.say(sent)}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
        if sent.get("logprobs"):
            token = {"token": message["content"], "logprob": math.log(told.confidence(sent))}
            choice["logprobs"] = {"content": [token]}
        return json.dumps({"object": "chat.completion", "choices": [choice], "usage": told.usage})

    def _response(self, told: ChatServer, sent: dict[str, Any]) -> str:
        """Return a reply in the format of the Responses API."""
        part = {"type": "output_text", "text": told.say({**sent, "messages": sent["input"]})}
        thoughts = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
        message = {"type": "message", "role": "assistant", "content": [part]}
        usage = {"input_tokens": 7, "output_tokens": 3}
        fields = {"status": "completed", "model": "parrot-2", "usage": usage}
        return json.dumps({"object": "response", "output": [thoughts, message], **fields})
