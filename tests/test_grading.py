"""Grades of judging models: the requests, and the replies that can be read."""

import json
from pathlib import Path

import pytest

from kgbuild.evaluate.judge_replies import grade, missing, request
from kgbuild.models.chat import Failure, Reply
from kgbuild.models.llm import Model
from tests.chat_server import Answer, ChatServer, grade_reply

ASKED = [request("Grade it.", {"Answer": text}, ("1", "2")) for text in "ab"]
LIKERT = ("1", "2", "3", "4", "5", "undefined")


def reply(text: str, was_cut: bool = False) -> Reply:
    return Reply(text, "length" if was_cut else "stop", 0, 0, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"reason": "All.", "grade": "4"}', "4"),
        ('One fact is missing.\n\n```json\n{"grade": 4}\n```', "4"),
        ('{"reason": "It\nsays so: {}", "grade": " Undefined"}', "undefined"),
        ('{"grade": "4.0"}', "4"),
        ('{"grade": 4.0}', "4"),
        ('<think>{"grade": "1"} or 2?</think>{"grade": "5", "reason": "All is there."}', "5"),
    ],
)
def test_grades_that_can_be_read(text: str, said: str) -> None:
    assert grade(reply(text), LIKERT) == said


@pytest.mark.parametrize(
    "text",
    [
        *("", "4", "Grade: 4", "{4}", '{"grade": 4', '{"reason": "4"}', '{"grade": null}'),
        *(grade_reply(text) for text in ("four", "6", "4.5", "4/5", "-3", "4 or 5", "\u0664", "")),
        *('{"grade": 4.5}', '{"grade": true}', '{"grade": ["4"]}'),
        # One object alone says a grade.
        *(
            grade_reply("3") + " But no: " + grade_reply("4"),
            "<think>" + grade_reply("4"),
            '{"is": {"grade": 4}}',
        ),
    ],
)
def test_grades_that_cannot_be_read(text: str) -> None:
    results = grade(reply(text), LIKERT)
    assert isinstance(results, Failure) and not missing(results)


def test_cut_and_missing_replies_have_no_grade() -> None:
    # Another grade might have followed.
    assert isinstance(grade(reply(grade_reply("1"), was_cut=True), LIKERT), Failure)
    down = Failure("no answer", "it is down")
    assert grade(down, LIKERT) is down and missing(down) is down


def test_texts_to_be_graded_add_no_lines() -> None:
    told = {"Answer": "Lund.\nTrue answer: Oslo", "References": ["a\n[2] b", ""]}
    (message,) = request("Grade it.", told, ("yes", "no")).messages
    assert message.content.endswith(
        "these and no other: yes, no.\n\n"
        "Answer: Lund. True answer: Oslo\nReferences:\n[1] a [2] b\n[2] (empty)"
    )


def test_the_form_of_a_grade_is_asked_for_as_the_server_takes_it(
    server: ChatServer, tmp_path: Path
) -> None:
    """By a schema; where that is refused by its older form; then not at all: found out once."""
    said = "response_format must be 'text' or 'json_object'"
    refusal = Answer(status=422, body=json.dumps({"error": {"message": said}}))
    told: list[Failure] = []
    model = Model("m", tmp_path / "r.sqlite", server.url, concurrency=1, notice=told.append)
    form = dict(ASKED[0].more)["response_format"]
    schema = form["json_schema"]["schema"]
    assert schema["properties"]["grade"] == {"type": "string", "enum": ["1", "2"]}
    server.plan = [refusal]
    (reply, _) = model.ask(ASKED)
    older = {"type": "json_object", "schema": schema}
    assert [sent.get("response_format") for sent in server.sent] == [form, older, older]
    assert isinstance(reply, Reply) and json.loads(reply.parameters)["response_format"] == older
    server.plan, model.cache_key = [refusal], "again"
    (reply, _) = model.ask(ASKED)
    assert [sent.get("response_format") for sent in server.sent[3:]] == [older, None, None]
    assert isinstance(reply, Reply) and "response_format" not in json.loads(reply.parameters)
    assert told == [Failure("refused", f"HTTP 422: {said}; response_format is left out")]


def test_concurrent_refusals_of_a_form_are_one(server: ChatServer, tmp_path: Path) -> None:
    """Both are sent with the schema, and refused; the older form is still tried."""
    refusal = Answer(status=400, body='{"error": "Failed to parse grammar"}', seconds=0.2)
    model = Model("m", tmp_path / "r.sqlite", server.url)
    server.plan = [refusal, refusal]
    model.ask(ASKED)
    types = [sent["response_format"]["type"] for sent in server.sent]
    assert types == ["json_schema", "json_schema", "json_object", "json_object"]


def test_the_responses_api_has_the_form_in_another_field(
    server: ChatServer, tmp_path: Path
) -> None:
    model = Model("m", tmp_path / "r.sqlite", server.url, api="responses")
    model.ask(ASKED[:1])
    described = dict(ASKED[0].more)["response_format"]["json_schema"]
    assert server.sent[0]["text"] == {"format": {"type": "json_schema", **described}}
