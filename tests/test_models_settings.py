"""How models are asked: parameters and servers that refuse them, the pace, quotas and secrets."""

import json
import math
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.models.llm import Model
from kgbuild.models.refusals import read_refusal
from kgbuild.models.settings import Settings
from tests.chat_server import Answer, ChatServer

KEY = "sk-parrot-0123456789"


@pytest.fixture
def model(server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return Model("parrot", tmp_path / "replies.sqlite", server.url, pauses=(0, 0.01, 0.02))


def request(text: str) -> Request:
    return Request((Message("user", text),), 50)


def error(message: str, **more: str) -> str:
    return json.dumps({"error": {"message": message, **more}})


def parameters(sent: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if name not in ("model", "messages")}


def test_settings_replace_those_of_requests(server: ChatServer, model: Model) -> None:
    model.settings = Settings(
        max_tokens=9,
        temperature=0.3,
        top_p=0.9,
        seed=0,
        reasoning_effort="low",
        system="Be brief.",
        extra_body={"top_k": 5, "chat_template_kwargs": {"enable_thinking": False}},
    )
    (reply,) = model.ask([request("hi")])
    assert isinstance(reply, Reply)
    assert server.sent[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hi"},
    ]
    sent = parameters(server.sent[0])
    assert sent == {
        "max_tokens": 9,
        "temperature": 0.3,
        "top_p": 0.9,
        "seed": 0,
        "reasoning_effort": "low",
        "top_k": 5,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert json.loads(reply.parameters) == sent


def test_each_sample_has_its_own_seed(server: ChatServer, model: Model) -> None:
    model.settings = Settings(seed=7)
    model.concurrency = 1
    model.ask([request("hi")._replace(sample=sample) for sample in range(3)])
    assert [sent["seed"] for sent in server.sent] == [7, 8, 9]


REFUSALS = [
    error("Unsupported value: 'temperature' does not support 0 with this model."),
    error("Unsupported parameter.", param="temperature"),
    json.dumps({"detail": "temperature: extra fields not permitted"}),
    "temperature is deprecated for this model",
]


@pytest.mark.parametrize("body", REFUSALS)
@pytest.mark.parametrize("status", [400, 422])
def test_a_parameter_that_a_server_refuses_is_left_out(
    server: ChatServer, model: Model, status: int, body: str
) -> None:
    notices: list[Failure] = []
    model.notice = notices.append
    model.concurrency = 1
    server.plan = [Answer(status=status, body=body)]
    replies = model.ask([request("one"), request("two")])
    assert [parameters(sent) for sent in server.sent] == [
        {"temperature": 0, "max_tokens": 50},
        {"max_tokens": 50},
        {"max_tokens": 50},
    ]
    assert [json.loads(reply.parameters) for reply in replies if isinstance(reply, Reply)] == [
        {"max_tokens": 50}
    ] * 2
    (notice,) = notices
    assert notice.reason == "refused" and notice.detail.endswith("; temperature is left out")


@pytest.mark.parametrize(
    ("parameter", "body"),
    [
        # Servers' own words: vLLM 0.32, and Ollama.
        (
            "temperature",
            error(
                "temperature must be in [0, 2], got 5.0. (parameter=temperature, value=5.0)",
                param="temperature",
                type="BadRequestError",
            ),
        ),
        (
            "reasoning_effort",
            error(
                "1 validation error:\n  {'type': 'literal_error', 'loc': 'body.reasoning_effort', "
                "'msg': \"Input should be 'none', 'low' or 'high'\", 'input': 'huge'}",
                param="body.reasoning_effort",
                type="Bad Request",
            ),
        ),
        ("reasoning_effort", error('"llama3.2:1b" does not support thinking', type="api_error")),
        (
            "reasoning_effort",
            error('think value "medium" is not supported for this model', type="api_error"),
        ),
    ],
)
def test_refusals_of_local_servers(
    server: ChatServer, model: Model, parameter: str, body: str
) -> None:
    model.settings = Settings(reasoning_effort="medium")
    server.plan = [Answer(status=400, body=body)]
    (reply,) = model.ask([request("hi")])
    assert isinstance(reply, Reply)
    all_parameters = {"temperature", "max_tokens", "reasoning_effort"}
    assert {*parameters(server.sent[1])} == all_parameters - {parameter}


def test_several_parameters_are_left_out_one_by_one(server: ChatServer, model: Model) -> None:
    model.settings = Settings(top_p=0.5, extra_body={"top_k": 3})
    names = ["top_k", "top_p", "max_tokens", "max_completion_tokens", "temperature"]
    server.plan = [Answer(status=400, body=error(f"'{name}' is not supported")) for name in names]
    (reply,) = model.ask([request("hi")])
    assert isinstance(reply, Reply) and reply.parameters == "{}"


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 50. The context length is 40 tokens.",
        "max_tokens=50 cannot be greater than max_model_len=40. (parameter=max_tokens, value=50)",
    ],
)
def test_a_limit_that_is_too_large_for_one_prompt_stays_for_others(
    server: ChatServer, model: Model, message: str
) -> None:
    model.concurrency = 1
    server.plan = [Answer(status=400, body=error(message))]
    model.ask([request("long"), request("short")])
    assert [parameters(sent) for sent in server.sent] == [
        {"temperature": 0, "max_tokens": 50},
        {"temperature": 0},
        {"temperature": 0, "max_tokens": 50},
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        (429, error("You exceeded your current quota.", code="insufficient_quota")),
        (429, error("Slow down.", type="insufficient_quota")),
        (402, error("Insufficient Balance")),
        (400, error("Your credit balance is too low to access the API.")),
    ],
)
def test_a_spent_quota_ends_the_run_at_once(
    server: ChatServer, model: Model, refusal: tuple[int, str]
) -> None:
    status, body = refusal
    model.concurrency = 2
    server.plan = [Answer()] * 3
    server.otherwise = Answer(status=status, body=body)
    replies = model.ask([request(str(n)) for n in range(50)])
    failures = [reply for reply in replies if isinstance(reply, Failure)]
    assert len(failures) == 47  # besides the three that came
    assert {failure.reason for failure in failures} == {"quota"}
    assert len(server.sent) <= 3 + 2  # no second try; the other was on its way
    # Nothing is lost: with a new quota, the rest is asked.
    server.otherwise = Answer()
    again = Model("parrot", model.cache, server.url)
    again.ask([request(str(n)) for n in range(50)])
    assert (again.used.cached, again.used.requests) == (3, 47)


def test_faults_in_a_list_are_told() -> None:
    # FastAPI's form, in which vLLM and others refuse parameters.
    fault = {"loc": ["body", "temperature"], "msg": "extra fields not permitted"}
    refusal = read_refusal(422, json.dumps({"detail": [fault]}), ["max_tokens", "temperature"])
    assert "extra fields not permitted" in refusal.detail
    assert refusal.parameter == "temperature"


def test_a_limit_of_requests_is_no_spent_quota() -> None:
    refusal = read_refusal(429, error("Rate limit reached for requests"), ["temperature"])
    assert not refusal.is_quota and refusal.parameter == ""


@pytest.mark.parametrize("status", [400, 403, 404, 422, 500])
def test_a_key_is_not_repeated_in_failures(server: ChatServer, model: Model, status: int) -> None:
    server.plan = [Answer()]
    server.otherwise = Answer(status=status, body=error(f"The key {KEY} is not allowed"))
    model.concurrency = 1
    _, failure = model.ask([request("one"), request("two")])
    assert isinstance(failure, Failure)
    assert failure.detail == f"HTTP {status}: The key *** is not allowed"


def test_a_key_is_not_kept_in_replies(server: ChatServer, model: Model) -> None:
    server.say = lambda _: f"My key is {KEY}."
    (reply,) = model.ask([request("hi")])
    assert isinstance(reply, Reply) and reply.text == "My key is ***."
    server.plan = [Answer(body=f"<p>{KEY}</p>")] * 3
    (failure,) = model.ask([request("ho")])
    assert isinstance(failure, Failure) and KEY not in failure.detail
    assert KEY.encode() not in model.cache.read_bytes()


def test_a_short_key_is_a_placeholder(
    server: ChatServer, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server.say = lambda _: "There is none."
    (reply,) = model.ask([request("hi")])
    assert isinstance(reply, Reply) and reply.text == "There is none."


def test_a_serial_server_is_not_asked_again_and_again(server: ChatServer, model: Model) -> None:
    # It answers one request after the other; 64 at once would wait beyond the time-out.
    turn = threading.Lock()

    def say(_: dict[str, Any]) -> str:
        with turn:
            time.sleep(0.05)
        return "here"

    server.say = say
    model.timeout = 2.0
    replies = model.ask([request(str(n)) for n in range(60)])
    assert all(isinstance(reply, Reply) for reply in replies)
    assert len(server.sent) <= 66  # 1.1 times a question
    assert server.most_at_once <= 16


def test_a_fast_server_gets_many_requests_at_once(server: ChatServer, model: Model) -> None:
    server.otherwise = Answer(seconds=0.3)
    model.ask([request(str(n)) for n in range(120)])
    assert len(server.sent) == 120
    assert server.most_at_once >= 16  # from 4 in the beginning


def test_a_server_that_is_slow_gets_fewer_requests(server: ChatServer, model: Model) -> None:
    server.plan = [Answer(seconds=0.3)] * 60
    server.otherwise = Answer(status=503)
    model.pauses = (0,)
    model.ask([request(str(n)) for n in range(60)])
    peak, server.most_at_once = server.most_at_once, 0
    model.ask([request(str(n)) for n in range(60, 90)])  # each turn halves the number
    assert server.most_at_once <= 4 < peak


def test_the_type_of_a_response_does_not_matter(server: ChatServer, model: Model) -> None:
    server.otherwise = Answer(headers={"Content-Type": "text/html; charset=utf-16"})
    server.say = lambda _: "São Paulo"
    (reply,) = model.ask([request("where?")])
    assert isinstance(reply, Reply) and reply.text == "São Paulo"


@pytest.mark.parametrize(
    ("logprobs", "confidence"),
    [
        ({"content": [{"logprob": math.log(0.9)}, {"logprob": math.log(0.4)}]}, 0.6),
        ({"content": []}, None),
        ({"content": None}, None),
        (None, None),
    ],
)
def test_confidence_is_the_mean_probability_of_the_tokens(
    server: ChatServer, model: Model, logprobs: Any, confidence: float | None
) -> None:
    choice = {"message": {"content": "hi"}, "finish_reason": "stop", "logprobs": logprobs}
    server.otherwise = Answer(body=json.dumps({"choices": [choice]}))
    model.settings = Settings(extra_body={"logprobs": True})
    (reply,) = model.ask([request("hello")])
    assert isinstance(reply, Reply) and server.sent[0]["logprobs"] is True
    assert server.sent[0]["top_logprobs"] == 1  # without it, llama.cpp's server reports none
    assert reply.confidence == (confidence and pytest.approx(confidence))
    assert model.ask([request("hello")]) == [reply]  # from the cache
