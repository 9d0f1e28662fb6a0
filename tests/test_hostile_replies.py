"""What servers send: whatever stands at any place of a reply, there is a reply or a failure."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.errors import TableFileError
from kgbuild.models import batch, chat_reply
from kgbuild.models.api_formats import API_FORMATS
from kgbuild.models.chat import Message, Reply, Request, confidence
from kgbuild.models.refusals import Refusal, read_refusal
from kgbuild.models.reply_cache import ReplyCache

REQUEST = Request((Message("user", "Who?"),), 9)
TOKENS = [{"token": "eins", "logprob": -0.1, "top_logprobs": []}]
BODIES: dict[str, Any] = {
    "chat": {
        "model": "parrot-2",
        "choices": [
            {
                "message": {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "eins", "thinking": [{"text": "so"}]}],
                    "refusal": None,
                    "reasoning_content": "hm",
                },
                "finish_reason": "stop",
                "logprobs": {"content": TOKENS},
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    },
    "responses": {
        "model": "parrot-2",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [
            {"type": "reasoning", "summary": [{"text": "hm"}], "content": []},
            {
                "type": "message",
                "content": [{"type": "output_text", "text": "eins", "logprobs": TOKENS}],
            },
        ],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    },
}
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-(10**400), 10**400, 2**63, -1e308, math.nan, math.inf, -math.inf, 200, 0]),
    st.sampled_from(["", "\ud83d", "\0", "eins", "data: x", "-0.5", "stop", "\x1b[31m"]),
    st.text(max_size=5),
    st.floats(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "message", "logprob", "reason", "x"]), inner)
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, ...]]:
    """Return the paths to all values in a value."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    inner = value.items() if isinstance(value, dict) else ()
    return [(), *((key, *rest) for key, part in inner for rest in places(part))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy with another value at a path."""
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    for _ in range(draw(st.integers(1, 3))):
        value = replaced(value, draw(st.sampled_from(places(value))), draw(VALUES))
    return value


def line(body: Any) -> dict[str, Any]:
    return {"custom_id": "key", "response": {"status_code": 200, "body": body}, "error": None}


@pytest.mark.parametrize("api", API_FORMATS)
@settings(max_examples=30)
@given(data=st.data())
def test_a_line_of_a_batch_is_a_result_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, api: str, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("batch") / "r.jsonl"
    path.write_text(json.dumps(data.draw(mutated(line(BODIES[api])))) + "\n")
    try:
        results = [*batch.read(path, {"key": REQUEST}, API_FORMATS[api])]
    except TableFileError as error:
        assert error.detail == "line 1 is not a result of a batch"
        return
    assert len(results) <= 1
    for reply in (result for _, result in results if isinstance(result, Reply)):
        check(reply, path.parent)


@pytest.mark.parametrize("api", API_FORMATS)
@settings(max_examples=30)
@given(data=st.data())
def test_a_body_is_a_reply_or_no_reply(
    tmp_path_factory: pytest.TempPathFactory, api: str, data: st.DataObject
) -> None:
    body = json.dumps(data.draw(mutated(BODIES[api])))
    try:
        reply = API_FORMATS[api].read(body, REQUEST, 0.0)
    except ValueError as error:
        str(error).encode()
        assert isinstance(chat_reply.tokens(body, API_FORMATS[api].usage), tuple)
        return
    check(reply, tmp_path_factory.mktemp("cache"))


def check(reply: Reply, folder: Path) -> None:
    """Check that a reply is kept as it is."""
    cache = ReplyCache(folder / "r.sqlite")
    cache.put("key", reply)
    assert cache.get(["key"]) == {"key": reply}
    cache.close()
    assert reply.confidence is None or 0 <= reply.confidence <= 1


@settings(max_examples=30)
@given(mutated({"error": {"message": "max_tokens is too large", "param": "max_tokens"}}))
def test_a_refusal_is_read_from_anything(body: Any) -> None:
    refusal = read_refusal(400, json.dumps(body), ["max_tokens"])
    assert isinstance(refusal, Refusal) and refusal.detail.startswith("HTTP 400")
    refusal.detail.encode()


@pytest.mark.parametrize("logprob", [-(10**400), math.nan, -math.inf, math.inf, "-0.5", None, 0.1])
def test_a_logarithm_that_is_none_gives_no_confidence(logprob: Any) -> None:
    assert chat_reply.logprobs_of([{"logprob": -0.1}, {"logprob": logprob}]) == []
    assert confidence(chat_reply.logprobs_of([{"logprob": -9999}])) == 0
