"""A server that speaks the chat protocol on loopback, and misbehaves as a test tells it to."""

import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast


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
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def asked(self) -> list[str]:
        """What the last turn of each request says, in order of arrival."""
        return [sent["messages"][-1]["content"] for sent in self.sent]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    at_once = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.told = ChatServer(f"http://127.0.0.1:{self.server_port}/v1")

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that hang up, as tests make them do."""


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Run a server, and stop it at the end."""
    with _Server() as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield http.told
        finally:
            http.told.stopped.set()
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave together, or the client would wait for the body

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        server = cast(_Server, self.server)
        told = server.told
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            told.sent.append(sent)
            told.paths.append(self.path)
            told.keys.append(self.headers["Authorization"])
            told.times.append(time.monotonic())
            answer = told.plan.pop(0) if told.plan else told.otherwise
            server.at_once += 1
            told.most_at_once = max(told.most_at_once, server.at_once)
        told.stopped.wait(answer.seconds)
        body = self._body(told, sent) if answer.body is None else answer.body
        with server.lock:
            server.at_once -= 1
        self._answer(answer, body)

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

    def _answer(self, answer: Answer, text: str) -> None:
        body = text.encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if answer.is_cut else body)
        self.close_connection = answer.is_cut
