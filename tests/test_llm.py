"""Asking language models: a real server that limits, fails, cuts, stalls and talks nonsense."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from time import sleep, time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.errors import KgbuildError, WrongCallError
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.models.connection import HOSTED
from kgbuild.models.llm import Model
from kgbuild.models.reply_cache import ReplyCache
from kgbuild.models.settings import Settings
from tests.chat_server import Answer, ChatServer, chat_server


@pytest.fixture
def model(server: ChatServer, tmp_path: Path) -> Model:
    return Model("parrot", tmp_path / "replies.sqlite", server.url, pauses=(0, 0.01, 0.02))


def request(text: str) -> Request:
    return Request((Message("user", text),), 50)


def texts(replies: list[Reply | Failure]) -> list[str]:
    """Return what was answered, and the reasons why not."""
    return [reply.text if isinstance(reply, Reply) else reply.reason for reply in replies]


def test_answers_come_in_the_order_of_the_requests(server: ChatServer, model: Model) -> None:
    server.plan = [Answer(seconds=0.1)]  # so the first request is answered last
    seen: list[tuple[int, int]] = []
    replies = model.ask(
        [request("one"), request("two"), request("one")], lambda *done: seen.append(done)
    )
    assert texts(replies) == ["Re: one", "Re: two", "Re: one"]
    assert sorted(server.asked) == ["one", "two"]  # what is asked twice is sent once
    assert seen == [(0, 2), (1, 2), (2, 2)]
    used = model.used
    assert (used.tokens_in, used.tokens_out, used.tokens) == (14, 6, 20)
    assert (used.requests, used.cached) == (2, 0)


def test_no_requests_send_nothing(model: Model) -> None:
    assert model.ask([]) == []


def test_what_is_sent(server: ChatServer, model: Model) -> None:
    turns = (Message("user", "2 + 2?"), Message("assistant", "4"), Message("user", "3 + 3?"))
    model.ask([Request(turns, max_tokens=9, temperature=0.5, sample=3)])
    assert server.sent == [
        {
            "model": "parrot",
            "messages": [
                {"role": "user", "content": "2 + 2?"},
                {"role": "assistant", "content": "4"},
                {"role": "user", "content": "3 + 3?"},
            ],
            "temperature": 0.5,
            "max_tokens": 9,
        }
    ]
    assert server.paths == ["/v1/chat/completions"]
    assert server.keys == [None]  # a local server needs no key


def test_server_and_key_come_from_the_environment(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "secret\n")  # as a file has it
    Model("parrot", tmp_path / "replies.sqlite").ask([request("hi")])
    assert server.keys == ["Bearer secret"]


def test_requests_run_at_once(server: ChatServer, model: Model) -> None:
    together = threading.Barrier(4, timeout=10)

    def say(_: dict[str, Any]) -> str:
        together.wait()  # until there are four: with fewer it would break
        return "here"

    server.say = say
    model.concurrency = 4
    assert texts(model.ask([request(str(n)) for n in range(8)])) == ["here"] * 8
    assert server.most_at_once == 4


FAULTS = {
    "limit": Answer(status=429, headers={"Retry-After": "0"}),
    "limit without a time": Answer(status=429),
    "limit with no time": Answer(status=429, headers={"Retry-After": "soon"}),
    "limit of no number": Answer(status=429, headers={"Retry-After": "nan"}),
    "limit that is over": Answer(status=429, headers={"Retry-After": formatdate(0, usegmt=True)}),
    "error": Answer(status=500, body="{}"),
    "gateway": Answer(status=502, headers={"Content-Type": "text/html"}, body="<h1>Bad</h1>"),
    "timeout": Answer(status=408),
    "conflict": Answer(status=409),
    "cut": Answer(is_cut=True),
    "page": Answer(headers={"Content-Type": "text/html"}, body="<h1>Welcome</h1>"),
    "stream": Answer(
        body='data: {"choices": [{"delta": {"content": "hi"}}]}\n\ndata: [DONE]\n\n',
        headers={"Content-Type": "text/event-stream"},
    ),
    "page called JSON": Answer(body="<h1>Welcome</h1>"),
    "nothing": Answer(body=""),
    "no choices": Answer(body='{"choices": []}'),
    "no object": Answer(body="null"),
    "no message": Answer(body='{"choices": [{}]}'),
    "no content": Answer(body='{"choices": [{"message": {"content": null}}]}'),
    "empty": Answer(body='{"choices": [{"message": {"content": " \\n"}}], "usage": null}'),
    "parts": Answer(body='{"choices": [{"message": {"content": ["Hi"]}}], "usage": [1]}'),
    "deep": Answer(body="[" * 100_000),
    "slow": Answer(seconds=30),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_temporary_failures_are_tried_again(server: ChatServer, model: Model, fault: str) -> None:
    server.plan = [FAULTS[fault], FAULTS[fault]]
    model.timeout = 0.3 if fault == "slow" else 30
    assert texts(model.ask([request("hi")])) == ["Re: hi"]
    assert server.asked == ["hi"] * 3
    assert model.used.requests == 3


WORDS = {
    "limit": ("no answer", "HTTP 429"),
    "error": ("no answer", "HTTP 500"),
    "gateway": ("no answer", "HTTP 502"),
    "cut": ("no answer", "the server closed the connection before the end of the response"),
    "page": ("nonsense", "this is not a reply of the chat protocol: <h1>Welcome</h1>"),
    "stream": ("nonsense", "the server streams its reply, which the request does not ask for"),
    "no choices": ("nonsense", 'this is not a reply of the chat protocol: {"choices": []}'),
    "empty": ("nonsense", "an empty reply"),
    "slow": ("no answer", "no response in 0.5 s"),
}


@pytest.mark.parametrize("fault", WORDS)
def test_lasting_failures_are_returned(server: ChatServer, model: Model, fault: str) -> None:
    server.otherwise = FAULTS[fault]
    model.timeout = 0.5 if fault == "slow" else 30  # which a busy machine keeps
    first, second = model.ask([request("hi"), request("ho")])
    assert isinstance(first, Failure)
    reason, detail = WORDS[fault]
    assert first.reason == reason
    assert first.detail.startswith(detail)
    assert second == first
    assert len(server.sent) == 6  # three tries each
    # A failure is not kept: once the server is well, the same is asked again.
    server.otherwise = Answer()
    assert texts(model.ask([request("hi")])) == ["Re: hi"]


_MANY = [request(str(n)) for n in range(400)]


@pytest.mark.parametrize(
    ("concurrency", "pauses", "death"),
    [
        (1, (0, 0.01, 0.02, 0.03, 0.04), Answer(status=503)),
        (64, (0, 0.01, 0.02, 0.03, 0.04), Answer(is_cut=True)),
        (4, (0.01,), Answer(status=503)),
    ],
)
def test_a_dead_server_is_not_asked_all_that_remains(
    server: ChatServer, model: Model, concurrency: int, pauses: tuple[float, ...], death: Answer
) -> None:
    """When a request has failed in all its tries, the run ends, and keeps what it has."""
    server.plan, server.otherwise = [Answer()] * 20, death
    model.concurrency, model.pauses = concurrency, pauses
    replies = model.ask(_MANY)
    assert [*map(type, replies)].count(Reply) == 20
    assert len(server.sent) - 20 <= 8 + concurrency * len(pauses)
    # It is well again: what is missing is asked.
    server.otherwise, before = Answer(), len(server.sent)
    assert [*map(type, model.ask(_MANY))] == [Reply] * 400
    assert len(server.sent) - before == 380


@pytest.mark.parametrize("count", [7, 8, 12])
def test_a_server_that_recovers_is_asked_on(server: ChatServer, model: Model, count: int) -> None:
    server.plan = [Answer()] * 5 + [Answer(status=503)] * count
    model.concurrency, model.pauses = 4, (0, *[0.01] * 9)
    assert [*map(type, model.ask(_MANY))] == [Reply] * 400
    assert len(server.sent) == 400 + count


def test_retry_after_is_followed(server: ChatServer, model: Model) -> None:
    server.plan = [Answer(status=429, headers={"Retry-After": "0.3"})]
    assert texts(model.ask([request("hi")])) == ["Re: hi"]
    first, second = server.times
    assert second - first > 0.25  # whereas the pause alone would be 0.01


@pytest.mark.parametrize("when", ["3600", "a date", "inf"])
def test_too_long_a_pause_is_not_made(server: ChatServer, model: Model, when: str) -> None:
    # The date is made here: when tests are collected, each process would make another one.
    asked = formatdate(time() + 3600, usegmt=True) if when == "a date" else when
    server.plan = [Answer(status=429, headers={"Retry-After": asked}, body='{"error": "quota"}')]
    (reply,) = model.ask([request("hi")])
    assert isinstance(reply, Failure) and reply.reason == "no answer"
    told = r"HTTP 429: quota, and it asks for a pause of ([\d,]+|inf) s"
    assert re.fullmatch(told, reply.detail)
    assert len(server.sent) == 1


def refusal(text: str) -> str:
    return json.dumps({"error": {"message": text, "type": "invalid_request_error"}})


@pytest.mark.parametrize(
    ("status", "said", "words"),
    [
        (
            401,
            "Incorrect key",
            "{} does not accept the key in OPENAI_API_KEY: HTTP 401: Incorrect key.",
        ),
        (
            404,
            "no parrot here",
            "{} has no model 'parrot', or the URL is wrong (most end in /v1): "
            "HTTP 404: no parrot here.",
        ),
    ],
)
def test_a_wrong_setup_stops_all_requests(
    server: ChatServer,
    model: Model,
    status: int,
    said: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    server.otherwise = Answer(status=status, body=refusal(said))
    model.concurrency = 2
    with pytest.raises(KgbuildError) as caught:
        model.ask([request(str(n)) for n in range(50)])
    assert len(server.sent) <= 2  # those that were on their way
    assert (str(caught.value), caught.value.exit_code) == (words.format(server.url), 1)


def test_a_refusal_after_a_reply_concerns_one_request(server: ChatServer, model: Model) -> None:
    server.plan = [Answer(), Answer(status=404, body=refusal("gone"))]
    model.concurrency = 1
    replies = model.ask([request("one"), request("two"), request("three")])
    assert replies[1] == Failure("refused", "HTTP 404: gone")
    assert texts(replies) == ["Re: one", "refused", "Re: three"]
    assert len(server.sent) == 3  # no other try would mend it


def test_ten_refusals_without_a_reply_stop_all_requests(server: ChatServer, model: Model) -> None:
    # The longest prompt may be refused before any other is answered; ten are no accident.
    model.concurrency = 1
    server.plan = [Answer(status=400, body=refusal("too long"))]
    assert texts(model.ask([request("one"), request("two")])) == ["refused", "Re: two"]
    other = replace(model, name="cockatoo")
    server.otherwise = Answer(status=400, body=refusal("not for parrots"))
    with pytest.raises(KgbuildError) as caught:
        other.ask([request(str(n)) for n in range(50)])
    assert len(server.sent) == 2 + 10
    words = f"{server.url} refuses the requests to 'cockatoo': HTTP 400: not for parrots."
    assert (str(caught.value), caught.value.exit_code) == (words, 1)


def test_refusals_of_the_rest_do_not_stop_a_run_that_was_answered_before(
    server: ChatServer, model: Model
) -> None:
    model.ask([request("good")])
    again = replace(model)
    server.otherwise = Answer(status=422, body="{}")
    replies = again.ask([request("good"), *(request(str(n)) for n in range(20))])
    assert texts(replies) == ["Re: good", *["refused"] * 20]


def test_no_server(server: ChatServer, model: Model, tmp_path: Path) -> None:
    with chat_server() as gone:
        first = Model("parrot", tmp_path / "gone.sqlite", gone.url, pauses=(0, 0.01))
        assert texts(first.ask([request("hi")])) == ["Re: hi"]
    # It has been there, so it may come back: that is a failure, and the work goes on.
    (failure,) = first.ask([request("ho")])
    assert isinstance(failure, Failure)
    assert failure.reason == "no answer"
    with pytest.raises(KgbuildError, match="Start it, or name another with --base-url") as caught:
        replace(first).ask([request("ho")])
    words, code = str(caught.value), caught.value.exit_code
    assert code == 1
    assert words.startswith(f"No server at {gone.url}: ")
    assert words.endswith("Start it, or name another with --base-url or OPENAI_BASE_URL.")


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://localhost/v1", "http://", "http://[1", "http://a:99999/v1"]
)
def test_invalid_addresses(tmp_path: Path, url: str) -> None:
    with pytest.raises(WrongCallError, match="Start it, or name another") as caught:
        Model("parrot", tmp_path / "replies.sqlite", url).ask([request("hi")])
    assert str(caught.value) == (
        f"No server at {url}: this is not an http or https address. "
        "Start it, or name another with --base-url or OPENAI_BASE_URL."
    )


def test_a_key_that_cannot_be_sent(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "clé")  # a header has no such letter
    with pytest.raises(KgbuildError) as caught:
        model.ask([request("hi")])
    assert "does not accept the key" in str(caught.value)


def test_nothing_is_sent_to_a_server_that_nobody_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(WrongCallError, match="Set OPENAI_BASE_URL to the server of the") as caught:
        Model("parrot", tmp_path / "replies.sqlite").ask([request("hi")])
    assert (str(caught.value), caught.value.exit_code) == (
        "Set OPENAI_BASE_URL to the server of the model, such as http://localhost:8000/v1, "
        f"or set OPENAI_API_KEY to use {HOSTED}.",
        2,
    )


def test_redirects_are_not_followed(server: ChatServer, model: Model) -> None:
    with chat_server() as other:
        server.plan = [Answer(status=307, headers={"Location": f"{other.url}/chat/completions"})]
        assert model.ask([request("hi")]) == [Failure("refused", "HTTP 307")]
        assert other.sent == []


def test_a_missing_client_is_an_error(
    server: ChatServer, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.ask([request("hi")])
    monkeypatch.setitem(sys.modules, "aiohttp", None)  # as if it were not installed
    assert texts(model.ask([request("hi")])) == ["Re: hi"]  # what is known needs no client
    with pytest.raises(KgbuildError) as caught:
        model.ask([request("ho")])
    assert "needs aiohttp, " in str(caught.value) and "kgbuild[llm]" in str(caught.value)


def test_a_second_run_sends_nothing(server: ChatServer, model: Model) -> None:
    requests = [request(str(n)) for n in range(20)]
    first = model.ask(requests)
    again = replace(model)
    assert again.ask(requests) == first  # with the tokens and the seconds of that time
    assert len(server.sent) == 20
    assert (again.used.requests, again.used.tokens, again.used.cached) == (0, 0, 20)


def test_the_cache_distinguishes_all_that_is_sent(server: ChatServer, model: Model) -> None:
    one = request("hi")
    requests = [
        one,
        one._replace(sample=1),
        one._replace(temperature=0.1),
        one._replace(max_tokens=51),
        one._replace(messages=(Message("system", "hi"),)),
        one._replace(messages=(Message("user", ""), Message("user", "hi"))),
    ]
    model.ask(requests)
    assert len(server.sent) == 6
    replace(model, name="cockatoo").ask([one])
    assert len(server.sent) == 7
    replace(model, cache_key="4 bits").ask([one])
    assert len(server.sent) == 8
    settings = [Settings(top_p=0.5), Settings(system="hi"), Settings(extra_body={"top_k": 1})]
    for number, setting in enumerate(settings, 9):
        replace(model, settings=setting).ask([one])
        assert len(server.sent) == number


def test_another_address_of_a_model_is_not_asked_again(server: ChatServer, model: Model) -> None:
    model.ask([request("hi")])
    with chat_server() as other:
        assert texts(replace(model, base_url=other.url).ask([request("hi")])) == ["Re: hi"]
        assert other.sent == []


def test_a_spent_budget_ends_the_sending(server: ChatServer, model: Model) -> None:
    # An answer makes 10 tokens with its request: after three of them 25 are used up.
    model.budget, model.concurrency = 25, 1
    replies = model.ask([request(str(n)) for n in range(5)])
    assert texts(replies) == ["Re: 0", "Re: 1", "Re: 2", "budget", "budget"]
    assert replies[3] == Failure("budget", "30 of 25 tokens are used")
    assert len(server.sent) == 3
    # What came is kept and costs nothing: another 25 tokens are enough for the rest.
    again = replace(model)
    assert texts(again.ask([request(str(n)) for n in range(5)])) == [f"Re: {n}" for n in range(5)]
    assert len(server.sent) == 5


def test_failed_tries_count_in_the_budget(server: ChatServer, model: Model) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 100}
    empty = {"choices": [{"message": {"content": ""}}], "usage": usage}
    server.otherwise = Answer(body=json.dumps(empty))
    model.budget = 1500
    assert model.ask([request("hi")]) == [Failure("budget", "2,000 of 1,500 tokens are used")]


@pytest.mark.parametrize("usage", [None, [], {}, {"prompt_tokens": "7", "completion_tokens": -1}])
def test_tokens_that_a_server_does_not_count_are_estimated(
    server: ChatServer, model: Model, usage: Any
) -> None:
    server.usage = usage
    (reply,) = model.ask([request("12345678")])
    assert isinstance(reply, Reply)
    # Four bytes each: 8 of the request, and 12 of "Re: 12345678".
    assert (reply.tokens_in, reply.tokens_out) == (2, 3)


def test_requests_wait_for_the_budget(server: ChatServer, model: Model) -> None:
    # What the first answer takes is not known before it comes, so nothing else is sent; after
    # that each takes ten tokens, and as many are on their way as the budget allows.
    model.budget, model.concurrency = 95, 32
    server.otherwise = Answer(seconds=0.05)
    replies = texts(model.ask([request(str(n)) for n in range(20)]))
    assert sum(text.startswith("Re: ") for text in replies) == len(server.sent)
    assert 9 <= len(server.sent) <= 10  # one more than 95 tokens are enough for, at most
    assert 1 < server.most_at_once < 20


def test_the_newer_name_of_the_length_is_used_if_required(server: ChatServer, model: Model) -> None:
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    refusal = json.dumps({"error": {"message": said}})
    server.plan = [Answer(status=400, body=refusal)]
    model.concurrency = 1
    assert texts(model.ask([request("hi"), request("ho")])) == ["Re: hi", "Re: ho"]
    lengths = [{"max_tokens", "max_completion_tokens"} & sent.keys() for sent in server.sent]
    assert lengths == [{"max_tokens"}] + [{"max_completion_tokens"}] * 2


def test_a_server_that_wants_a_key(server: ChatServer, model: Model) -> None:
    server.otherwise = Answer(status=401, body=refusal("Who are you?"))
    with pytest.raises(WrongCallError) as caught:
        model.ask([request("hi")])
    told = "Who are you? Set OPENAI_API_KEY."
    assert str(caught.value).startswith(server.url) and str(caught.value).endswith(told)


def test_the_first_pause_is_noticed(server: ChatServer, model: Model) -> None:
    told: list[Failure] = []
    model.notice = told.append
    server.plan = [Answer(status=500)] * 2
    model.ask([request("hi")])
    assert told == [Failure("no answer", "HTTP 500")]


def test_a_failure_without_another_try_is_not_noticed(server: ChatServer, model: Model) -> None:
    told: list[Failure] = []
    model.notice, model.pauses = told.append, (0,)
    server.otherwise = Answer(status=500)
    assert model.ask([request("hi")]) == [Failure("no answer", "HTTP 500")]
    assert told == []


def reply_of(server: ChatServer, model: Model, choice: dict[str, Any]) -> Reply:
    """Return the reply that a server's choice becomes."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    body = {"model": "parrot-0.6b", "choices": [choice], "usage": usage}
    server.plan = [Answer(body=json.dumps(body))]
    model.cache.unlink(missing_ok=True)
    (reply,) = model.ask([request("hi")])
    assert isinstance(reply, Reply)
    return reply


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}


@pytest.mark.parametrize(
    ("message", "reason", "read"),
    [
        ({"content": "Hi"}, "stop", ("Hi", "", "stop")),
        ({"content": "H"}, "length", ("H", "", "length")),
        # DeepSeek, vLLM and llama.cpp; OpenRouter, Ollama and newer servers of vLLM.
        ({"content": "Hi", "reasoning_content": "Hm."}, "stop", ("Hi", "Hm.", "stop")),
        ({"content": "Hi", "reasoning": "Hm."}, "stop", ("Hi", "Hm.", "stop")),
        ({"content": None, "reasoning_content": "Hm."}, "length", ("", "Hm.", "length")),
        ({"reasoning": "Hm."}, "stop", ("", "Hm.", "stop")),
        ({"content": None, "tool_calls": [{}]}, "tool_calls", ("", "", "tool_calls")),
        ({"content": ""}, "content_filter", ("", "", "content_filter")),
        ({"content": None, "refusal": "I can't."}, "stop", ("I can't.", "", "refusal")),
        # Parts: several of a text, and thoughts as Mistral sends them.
        (
            {"content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]},
            "stop",
            ("Hi", "", "stop"),
        ),
        ({"content": [THINKING, {"type": "text", "text": "Hi"}]}, "stop", ("Hi", "Hm.", "stop")),
        (
            {"content": [{"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "Hi"}]},
            "stop",
            ("Hi", "Hm.", "stop"),
        ),
        (
            {"content": [{"type": "refusal", "refusal": "I can't."}]},
            "stop",
            ("I can't.", "", "refusal"),
        ),
    ],
)
def test_what_a_server_says_of_a_reply_is_kept(
    server: ChatServer, model: Model, message: Any, reason: str, read: tuple[str, str, str]
) -> None:
    reply = reply_of(server, model, {"message": message, "finish_reason": reason})
    assert (reply.text, reply.reasoning, reply.finish_reason) == read
    assert reply.model == "parrot-0.6b"
    assert json.loads(reply.parameters) == {"temperature": 0, "max_tokens": 50}


def test_lone_surrogates_are_replaced(server: ChatServer, model: Model) -> None:
    server.say = lambda _: "half a smile: \ud83d"
    (reply,) = model.ask([request("another half: \ude00")])
    assert server.asked == ["another half: ?"]
    assert isinstance(reply, Reply)
    assert reply.text == "half a smile: ?"


ASKING = """
import sys
from pathlib import Path
from kgbuild.models.llm import Model
from kgbuild.models.chat import Message, Request

model = Model("parrot", Path(sys.argv[2]), sys.argv[1], concurrency=3)
requests = [Request((Message("user", str(n)),), 50) for n in range(12)]
try:
    model.ask(requests, lambda done, _: print(done, flush=True))
except KeyboardInterrupt:
    print("interrupted", model.used.requests)
    raise SystemExit(130)
"""


def asking(server: ChatServer, model: Model, answered: int) -> subprocess.Popen[str]:
    """Start a process that asks 12 things; return when so many are answered, and no more will."""
    server.plan = [Answer()] * answered
    server.otherwise = Answer(seconds=60)
    process = subprocess.Popen(
        [sys.executable, "-c", ASKING, server.url, str(model.cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while process.stdout.readline() != f"{answered}\n":
        assert process.poll() is None
    return process


def test_a_killed_process_loses_no_reply(server: ChatServer, model: Model) -> None:
    with asking(server, model, 5) as process:
        process.kill()
    assert process.returncode == -signal.SIGKILL
    before = 0
    while before < len(server.sent):  # what was on its way may arrive after the kill
        before = len(server.sent)
        sleep(0.3)
    assert 5 <= before <= 8  # the three on their way brought nothing
    server.otherwise = Answer()
    replies = model.ask([request(str(n)) for n in range(12)])
    assert texts(replies) == [f"Re: {n}" for n in range(12)]
    assert len(server.sent) - before == 12 - 5
    assert model.used.cached == 5


def test_ctrl_c_ends_the_asking(server: ChatServer, model: Model) -> None:
    with asking(server, model, 4) as process:
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=20)  # the server would take a minute
    assert process.returncode == 130
    assert said.startswith("interrupted")
    assert complaints == ""
    with closing(sqlite3.connect(model.cache)) as db:
        assert db.execute("SELECT count(*) FROM chat_replies").fetchone() == (4,)


FILLING = """
import sys
from pathlib import Path
from kgbuild.models.chat import Reply
from kgbuild.models.reply_cache import ReplyCache

sys.stdin.readline()
cache = ReplyCache(Path(sys.argv[1]))
for n in range(50):
    cache.put(f"{sys.argv[2]}-{n}", Reply("so", "stop", 1, 1, 0.5))
assert len(cache.get(f"{sys.argv[2]}-{n}" for n in range(50))) == 50
"""


def test_processes_share_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", FILLING, str(path), str(number)],
            stdin=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for process in processes:  # all make the file at once
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=30)
        assert process.returncode == 0
    with closing(ReplyCache(path)) as cache:
        found = cache.get(f"{number}-{n}" for number in range(4) for n in range(50))
    assert set(found.values()) == {Reply("so", "stop", 1, 1, 0.5)}
    assert len(found) == 200


@given(st.text(), st.sampled_from(["stop", "length", ""]), st.integers(0, 2**31), st.text())
def test_cached_replies_come_back(text: str, reason: str, tokens: int, more: str) -> None:
    reply = Reply(text, reason, tokens, tokens, 0.5, reasoning=more, model=more, parameters="{}")
    with closing(ReplyCache(Path(":memory:"))) as cache:
        cache.put("key", reply)
        cache.put("key", reply)  # as two processes do that ask the same
        assert cache.get(["key", "other"]) == {"key": reply}


def another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript("CREATE TABLE replies (key TEXT); INSERT INTO replies VALUES ('mine')")


def damaged(path: Path) -> None:
    with closing(ReplyCache(path)) as cache:
        for n in range(500):
            cache.put(str(n), Reply("so" * 50, "stop", 1, 1, 0.5))
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 20_000)


@pytest.mark.parametrize(
    ("spoil", "detail"),
    [
        (another_program, "it is another program's database"),
        (lambda path: path.write_text("key,text\n" * 500), "file is not a database"),
        (damaged, "database disk image is malformed"),
        (Path.mkdir, "unable to open database file"),
    ],
)
def test_another_file_is_not_taken_for_a_cache(model: Model, spoil: Any, detail: str) -> None:
    spoil(model.cache)
    before = None if model.cache.is_dir() else model.cache.read_bytes()
    with pytest.raises(KgbuildError, match="It keeps the replies that it has:") as caught:
        model.ask([request("hi")])
    assert (str(caught.value), caught.value.exit_code) == (
        f"{model.cache} cannot be used to cache the replies of models: {detail}. "
        "It keeps the replies that it has: free some space if its disk is full, "
        "or name another file.",
        1,
    )
    if before is not None:
        assert model.cache.read_bytes() == before


def test_the_folder_of_the_cache_is_created(server: ChatServer, tmp_path: Path) -> None:
    Model("parrot", tmp_path / "a" / "b" / "replies.sqlite", server.url).ask([request("hi")])
    assert (tmp_path / "a" / "b" / "replies.sqlite").is_file()
    (tmp_path / "file").touch()
    with pytest.raises(KgbuildError, match="It keeps the replies that it has:"):
        Model("parrot", tmp_path / "file" / "replies.sqlite", server.url).ask([request("hi")])


def test_an_error_of_the_caller_passes_through(server: ChatServer, model: Model) -> None:
    def stop(done: int, _: int) -> None:
        if done == 1:
            raise KgbuildError("stop")

    model.concurrency = 1
    with pytest.raises(KgbuildError):
        model.ask([request(str(n)) for n in range(9)], stop)
    assert model.ask([request("0")])[0][0] == "Re: 0"  # and what had come is kept
    assert model.used.cached == 1
