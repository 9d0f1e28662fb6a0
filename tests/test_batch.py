"""Requests and replies as files of a batch API."""

import dataclasses
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kgbuild.datasets import database
from kgbuild.errors import TableFileError
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.models.connection import HOSTED
from kgbuild.models.llm import Model
from kgbuild.models.settings import Settings
from tests.chat_server import chat_server
from tests.conftest import Run, commands

REQUESTS = [Request((Message("user", text),), 9) for text in ("one", "two", "three", "four")]
Json = dict[str, Any]


@pytest.fixture
def model(tmp_path: Path) -> Model:
    """Return a model whose server does not exist."""
    return Model("parrot", tmp_path / "r.sqlite", "http://127.0.0.1:9/v1")


def result(line: Json, text: str = "") -> Json:
    """Return what a server makes of a line of a batch."""
    message = {"role": "assistant", "content": text or f"Re: {line['body']['messages'][-1]}"}
    body = {
        "model": "parrot-2",
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    return {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}}


def save(path: Path, records: list[Json]) -> Path:
    path.write_text("".join(f"{json.dumps(r, ensure_ascii=False)}\n" for r in records), "utf-8")
    return path


def test_a_batch_goes_out_and_comes_in(model: Model, tmp_path: Path) -> None:
    model.settings = Settings(seed=5, extra_body={"temperature": None})
    lines = [json.loads(line) for line in model.batch([*REQUESTS, REQUESTS[0]])]
    assert len(lines) == len(REQUESTS)  # equal requests are sent once
    assert {name: lines[0][name] for name in ("method", "url", "body")} == {
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "parrot",
            "messages": [{"role": "user", "content": "one"}],
            "max_tokens": 9,
            "seed": 5,
        },
    }
    # The server answers in another order, refuses one request and forgets another.
    error = {"error": {"message": "This is not allowed."}}
    refused = {"custom_id": lines[1]["custom_id"], "response": {"status_code": 400, "body": error}}
    results = [refused, result(lines[3], "vier\u2028Zeilen"), result(lines[0], "eins")]
    path = save(tmp_path / "results.jsonl", [*results, result({**lines[0], "custom_id": "x"}, "?")])
    one, two, three, four = model.read_batch(path, REQUESTS)
    assert isinstance(one, Reply) and isinstance(four, Reply)
    assert (one.text, four.text) == ("eins", "vier\u2028Zeilen")
    assert json.loads(one.parameters) == {"max_tokens": 9, "seed": 5}
    assert (one.model, one.tokens_in, one.seconds) == ("parrot-2", 7, 0)
    assert two == Failure("refused", "HTTP 400: This is not allowed")
    assert three == Failure("no answer", f"{path} has no reply to it")
    assert (model.used.requests, model.used.tokens, model.used.cached) == (3, 20, 0)
    # Replies are kept, so the next batch has the two others.
    again = [json.loads(line)["custom_id"] for line in model.batch(REQUESTS)]
    assert again == [lines[1]["custom_id"], lines[2]["custom_id"]]


def outcomes(line: Json) -> dict[str, Json]:
    """Return results of a request by name: a failure, worse replies and complete ones."""
    records = {
        name: result(line, text or " ")
        for name, text in {"empty": "", "cut": "Lu", "open": "<think>L", "filtered": "L"}.items()
    }
    for name, reason in (("cut", "length"), ("filtered", "content_filter")):
        records[name]["response"]["body"]["choices"][0]["finish_reason"] = reason
    busy = {"response": {"status_code": 500, "body": {"error": {"message": "busy"}}}}
    failed = {"custom_id": line["custom_id"], **busy}
    return {"failed": failed, **records, "whole": result(line, "Lund"), "other": result(line, "O")}


WORTH = {"failed": 0, "empty": 1, "cut": 1, "open": 1, "filtered": 1, "whole": 2, "other": 2}


@pytest.mark.parametrize(("first", "second"), [*itertools.product(WORTH, repeat=2)])
def test_the_better_of_two_replies_stays_in_a_file_and_across_files(
    model: Model, tmp_path: Path, first: str, second: str
) -> None:
    line = json.loads(next(iter(model.batch(REQUESTS[:1]))))
    records = [outcomes(line)[name] for name in (first, second)]
    expected = records[WORTH[second] > WORTH[first]]  # the first of equals
    in_one, in_two = (dataclasses.replace(model, cache=tmp_path / name) for name in "ab")
    told: list[str] = []
    both = save(tmp_path / "both.jsonl", records)
    (of_one,) = in_one.read_batch(both, REQUESTS[:1], told.append)
    assert told == [f"{both}: 1 lines repeat a request; its best reply is kept."]
    for record in records:
        (of_two,) = in_two.read_batch(save(tmp_path / "one.jsonl", [record]), REQUESTS[:1])
    for _ in range(2):  # the second time it is kept, and counts no more
        (alone,) = model.read_batch(save(tmp_path / "one.jsonl", [expected]), REQUESTS[:1])
    assert model.used.tokens == 10 * isinstance(alone, Reply)
    assert of_one == of_two == alone
    for asked in (in_one, in_two):  # also what is kept
        (kept,) = asked.read_batch(save(tmp_path / "none.jsonl", []), REQUESTS[:1])
        assert kept == alone or not isinstance(alone, Reply)


@pytest.mark.parametrize(
    ("url", "length"),
    [
        (HOSTED, "max_completion_tokens"),
        ("https://x.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://127.0.0.1:9/v1", "max_tokens"),  # local servers may not know the newer name
        ("http://openai.com.example.org/v1", "max_tokens"),
    ],
)
def test_a_batch_has_the_names_of_its_server(model: Model, url: str, length: str) -> None:
    """OpenAI's server requires the newer name; nobody hears its refusal of the other one."""
    model.base_url = url
    (line,) = map(json.loads, model.batch(REQUESTS[:1]))
    assert {"max_tokens", "max_completion_tokens"} & line["body"].keys() == {length}


def test_a_batch_sends_what_a_connection_sends(tmp_path: Path) -> None:
    settings = Settings(top_p=0.5, seed=3, reasoning_effort="low", extra_body={"logprobs": True})
    for api in ("chat", "responses"):
        with chat_server() as server:
            model = Model("m", tmp_path / f"{api}.sqlite", server.url, settings=settings, api=api)
            (line,) = map(json.loads, model.batch(REQUESTS[:1]))
            model.ask(REQUESTS[:1])
        assert server.sent == [line["body"]]


def test_a_batch_of_the_responses_api(model: Model, tmp_path: Path) -> None:
    model.api = "responses"
    (line,) = map(json.loads, model.batch(REQUESTS[:1]))
    assert (line["url"], line["body"]["max_output_tokens"]) == ("/v1/responses", 9)
    parts = [{"type": "output_text", "text": "eins"}]
    body = {"status": "completed", "output": [{"type": "message", "content": parts}]}
    outcome = {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}}
    (reply,) = model.read_batch(save(tmp_path / "r.jsonl", [outcome]), REQUESTS[:1])
    assert isinstance(reply, Reply) and reply.text == "eins"


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "{", '{"custom_id": 1, "response": 3}', "\ud800", "[" * 99_999, "1" * 5000),
        '{"custom_id": [], "response": {"status_code": 200}}',
        '{"custom_id": "a", "response": {"status_code": [200]}}',
    ],
)
def test_what_is_no_result_is_an_error(model: Model, tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(TableFileError, match=r"r\.jsonl"):
        model.read_batch(path, REQUESTS)


def test_a_reply_that_cannot_be_read_is_a_failure(model: Model, tmp_path: Path) -> None:
    line = json.loads(next(iter(model.batch(REQUESTS))))
    outcome = {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": {"a": 1}}}
    reply, *_ = model.read_batch(save(tmp_path / "r.jsonl", [outcome]), REQUESTS)
    assert isinstance(reply, Failure) and reply.reason == "nonsense"


@pytest.fixture
def run(tmp_path: Path, sample_store: Path) -> Run:
    """Return a function that runs the command line on a database with two questions."""
    call = commands(KGBUILD_DB=tmp_path / "sets.duckdb", KGBUILD_STORE=sample_store)
    assert call("granola", "--relations", "P19", "--limit", 2).exit_code == 0
    return call


def test_a_dataset_is_asked_by_a_batch(run: Run, tmp_path: Path) -> None:
    out, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    ask = ("ask", "granola", "--model", "parrot", "--protocol", "vanilla,idk")
    done = run(*ask, "--batch-out", out)
    assert done.exit_code == 0 and "It has 4 requests." in done.stderr
    assert "predictions" not in done.stdout
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    save(results, [result(line, "Lund") for line in lines[:-1]])
    done = run(*ask, "--batch-in", results)
    assert done.exit_code == 1, done.output
    assert "1 left out: no answer: " in done.stderr
    rows = database(tmp_path / "sets.duckdb").sql("SELECT text FROM predictions").rows
    assert rows == [("Lund",)] * 3
    save(results, [result(lines[-1], "Graz")])
    assert run(*ask, "--batch-in", results).exit_code == 0
    # Nothing is left to be sent, so the command goes on, also without a server.
    done = run(*ask, "--batch-out", shutil.copy(out, tmp_path / "again.jsonl"))
    assert done.exit_code == 0 and "4 cached replies" in done.stderr
    assert run(*ask, "--batch-out", out, "--batch-in", results).exit_code == 2
