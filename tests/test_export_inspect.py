"""The tasks of a release run in Inspect, the real library, against a server on loopback."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kgbuild.datasets import asking, database, dataset
from kgbuild.datasets.syn_qa.scoring import judging
from tests.chat_server import Answer, chat_server, grade_reply
from tests.test_export import db, releases

__all__ = ["db", "releases"]  # fixtures, which pytest finds by their names here
pytestmark = pytest.mark.extras
for library in ("inspect_ai", "openai"):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"needs {library}: make test-extras", allow_module_level=True)


def completion(text: str) -> str:
    """Return the body of an answer with all fields that the library requires."""
    message = {"role": "assistant", "content": text}
    return json.dumps(
        {
            "id": "1",
            "created": 0,
            "model": "parrot",
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
    )


def evaluate(
    releases: Path, name: str, task: str, text: str, logs: Path, grade: str = ""
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the log of a task, and what the model with the role ``grader`` was sent.

    A model answers ``text`` to all questions; the grader, if there is one, always gives ``grade``.
    """
    with chat_server() as server, chat_server() as grader:
        server.otherwise = Answer(body=completion(text))
        grader.otherwise = Answer(body=completion(grade_reply(grade)))
        environment = {"LOOPBACK_API_KEY": "none", "LOOPBACK_BASE_URL": server.url}
        environment |= {"JUDGE_API_KEY": "none", "JUDGE_BASE_URL": grader.url}
        command = [sys.executable, "-m", "inspect_ai", "eval"]
        command += [f"{name}/tasks/inspect_tasks.py@{task}", "--log-format", "json"]
        command += ["--model", "openai-api/loopback/parrot", "--display", "none"]
        command += ["--model-role", "grader=openai-api/judge/owl"] if grade else []
        done = subprocess.run(
            [*command, "--limit", "4", "--log-dir", str(logs)],
            cwd=releases,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = logs.glob("*.json")
    log: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert log["status"] == "success", log.get("error")
    return log, grader.sent


def metrics(log: dict[str, Any], errors: bool = False) -> dict[str, float]:
    """Return the metrics of a log, or their standard errors."""
    (score,) = log["results"]["scores"]
    found = {name: metric["value"] for name, metric in score["metrics"].items()}
    return {name: found[name] for name in found if name.endswith("_stderr") == errors}


def test_pairs_are_scored_together(releases: Path, tmp_path: Path) -> None:
    log, _ = evaluate(releases, "syn-qa", "kgbuild_syn_qa_zero_shot", "No.", tmp_path)
    # Two pairs: each question is said to have no false assumption.
    assert metrics(log) == {
        "accuracy": 0.5,
        "on_true": 1.0,
        "on_false": 0.0,
        "paired_accuracy": 0.0,
        "unparsed": 0.0,
    }
    # No pair is right: Wilson's interval of 0 of 2 ends at 0.658, 3.92 standard errors from 0.
    errors = metrics(log, errors=True)
    assert errors["paired_accuracy_stderr"] == pytest.approx(0.168, abs=0.001)
    assert errors.keys() == {f"{name}_stderr" for name in metrics(log)}


def test_answers_to_pairs_are_judged_by_the_grader(
    db: Path, releases: Path, tmp_path: Path
) -> None:
    task = "kgbuild_syn_qa_generative"
    log, sent = evaluate(releases, "syn-qa", task, "In 1895.", tmp_path / "yes", grade="yes")
    judged = ("acceptable", "on_true", "on_false", "paired_acceptable")
    assert metrics(log) == {**dict.fromkeys(judged, 1.0), "unparsable": 0.0}
    assert metrics(log, errors=True).keys() == {f"{name}_stderr" for name in metrics(log)}
    # The model is asked as by 'kgbuild ask', and the grader as by 'kgbuild score --generative'.
    asked = {
        (one.item_id, one.false_assumption): one.request.messages[0].content
        for one in asking.requests(dataset("syn_qa"), database(db), ["generative"])
    }
    pairs = {row["pair_id"]: row for row in database(db).rows("syn_qa_pairs")}
    expected = []
    for sample in log["samples"]:
        record = sample["metadata"]["record"]
        question = record["pair_id"], record["false_assumption"]
        assert sample["input"][0]["content"] == asked[question]
        expected.append(judging.request(pairs[question[0]], question[1], "In 1895."))
    assert {one["messages"][0]["content"] for one in sent} == {
        request.messages[0].content for request in expected
    }
    assert len(sent) == 4 and all(
        dict(expected[0].more)["response_format"]["json_schema"]["schema"]["required"]
        == one["response_format"]["json_schema"]["schema"]["required"]
        and one["temperature"] == 0
        for one in sent
    )
    # A verdict must be one of two words. There is nothing to judge in an empty answer.
    log, _ = evaluate(releases, "syn-qa", task, "In 1895.", tmp_path / "maybe", grade="maybe")
    assert metrics(log)["unparsable"] == 1.0
    log, sent = evaluate(releases, "syn-qa", task, "", tmp_path / "empty", grade="yes")
    assert metrics(log)["acceptable"] == 0.0 and sent == []


def test_answers_at_any_level_are_right(releases: Path, tmp_path: Path) -> None:
    log, _ = evaluate(releases, "granola", "kgbuild_granola_vanilla", "IDK", tmp_path)
    values = metrics(log)
    assert values["abstained"] == 1.0 and values["accuracy"] == 0.0
    assert all(sample["target"] for sample in log["samples"])


def test_samples_are_drawn_at_their_temperature(releases: Path, tmp_path: Path) -> None:
    log, _ = evaluate(releases, "granola", "kgbuild_granola_sampled", "IDK", tmp_path)
    assert metrics(log)["abstained"] == 1.0
    for sample in log["samples"]:
        calls = [event for event in sample["events"] if event["event"] == "model"]
        assert [call["config"]["temperature"] for call in calls] == [0.7] * 10
        assert sample["metadata"]["responses"] == ["IDK"] * 10


def test_the_model_is_asked_as_by_ask(db: Path, releases: Path, tmp_path: Path) -> None:
    log, _ = evaluate(releases, "biokalma", "kgbuild_biokalma_specific", "I know.", tmp_path)
    assert metrics(log)["uncited"] == 1.0
    asked = {
        (one.item_id, one.protocol): [turn.content for turn in one.request.messages]
        for one in asking.requests(dataset("biokalma"), database(db))
    }
    for sample in log["samples"]:
        messages = [message["content"] for message in sample["input"]]
        question_id = sample["metadata"]["record"]["question_id"]
        assert messages == asked[question_id, "specific"]
