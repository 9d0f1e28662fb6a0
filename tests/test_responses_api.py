"""Models behind OpenAI's Responses API."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.models.llm import Model
from kgbuild.models.responses_reply import read
from kgbuild.models.settings import Settings
from tests.chat_server import Answer, ChatServer

ASKED = Request((Message("user", "2 + 2?"),), 9)


@pytest.fixture
def model(server: ChatServer, tmp_path: Path) -> Model:
    return Model("parrot", tmp_path / "r.sqlite", server.url, pauses=(0, 0.01), api="responses")


def test_what_is_sent_and_what_comes_back(server: ChatServer, model: Model) -> None:
    model.settings = Settings(system="Be brief.", top_p=0.9, reasoning_effort="low")
    (reply,) = model.ask([ASKED])
    assert server.paths == ["/v1/responses"]
    assert server.sent == [
        {
            "model": "parrot",
            "input": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "2 + 2?"},
            ],
            "store": False,
            "temperature": 0,
            "max_output_tokens": 9,
            "top_p": 0.9,
            "reasoning": {"effort": "low"},
        }
    ]
    assert isinstance(reply, Reply)
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("Re: 2 + 2?", "Hm.", "stop")
    assert (reply.tokens_in, reply.tokens_out, reply.model) == (7, 3, "parrot-2")
    assert model.used.tokens == 10


def test_a_refused_parameter_is_left_out(server: ChatServer, model: Model) -> None:
    message = "Unsupported parameter: 'reasoning.effort' is not supported with this model."
    body = json.dumps({"error": {"message": message, "param": "reasoning.effort"}})
    server.plan = [Answer(400, body=body)]
    model.settings = Settings(reasoning_effort="low")
    (reply,) = model.ask([ASKED])
    assert isinstance(reply, Reply) and "reasoning" not in server.sent[1]


def response(*output: Any, **fields: Any) -> str:
    return json.dumps({"output": [*output], "status": "completed", **fields})


def message(*parts: Any) -> dict[str, Any]:
    return {"type": "message", "content": [*parts]}


@pytest.mark.parametrize(
    ("body", "text", "reason"),
    [
        (response(message({"type": "output_text", "text": "4"})), "4", "stop"),
        (response(message({"type": "refusal", "refusal": "No."})), "No.", "refusal"),
        (
            response(
                message({"type": "output_text", "text": "4 is"}),
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            "4 is",
            "max_output_tokens",
        ),
        (
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "",
            "content_filter",
        ),
        # A model that only reasoned, and one that wants to call a tool.
        (response({"type": "reasoning", "summary": []}), "", "stop"),
        (response({"type": "function_call", "name": "add"}), "", "stop"),
    ],
)
def test_replies(body: str, text: str, reason: str) -> None:
    reply = read(body, ASKED, 1.0)
    assert (reply.text, reply.finish_reason) == (text, reason)
    assert reply.was_cut == (reason == "max_output_tokens")


def test_confidence_by_the_probabilities_of_the_tokens() -> None:
    # vLLM reports them for "include": ["message.output_text.logprobs"], else null.
    tokens = [{"token": "4", "bytes": [52], "logprob": math.log(p)} for p in (0.9, 0.4)]
    part = {"type": "output_text", "text": "4", "annotations": []}
    with_logprobs = read(response(message({**part, "logprobs": tokens})), ASKED, 1.0)
    assert with_logprobs.confidence == pytest.approx(0.6)
    for none in (None, [], "0.9", [{}]):
        assert read(response(message({**part, "logprobs": none})), ASKED, 1.0).confidence is None


@pytest.mark.parametrize("body", ["[]", "{}", '{"output": 3}', "data: {}", '{"output": []}'])
def test_what_is_no_reply_is_a_failure(server: ChatServer, model: Model, body: str) -> None:
    server.otherwise = Answer(body=body)
    (reply,) = model.ask([ASKED])
    assert isinstance(reply, Failure) and reply.reason == "nonsense"
