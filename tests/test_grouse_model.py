"""A judge that is a language model, put to tests by a server on loopback."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kgbuild.cli import cli
from kgbuild.datasets import database
from kgbuild.datasets.grouse.model_judge import grades, requests
from kgbuild.datasets.grouse.prompt_folder import PromptFolder
from kgbuild.datasets.grouse.rows import METRICS, Grades, GrouseSample
from kgbuild.models.chat import Failure, Reply
from tests.chat_server import Answer, ChatServer, grade_reply
from tests.test_grouse import ROW

SAMPLE = GrouseSample(["Rome is the capital."], "Which is it?", "Rome [1].", "It is Rome [1].")
GRADES = ("5", "5", "undefined", "1")
"""Of a perfect answer: relevancy, completeness, usefulness, faithfulness."""


def replies(*texts: str) -> dict[str, Reply]:
    readable = [Reply(grade_reply(text, "Well."), "stop", 0, 0, 0.0) for text in texts]
    return dict(zip(METRICS, readable, strict=False))  # the last two are not asked for


def test_each_request_has_the_inputs_of_its_metric() -> None:
    by_metric = requests(SAMPLE)
    names = {
        metric: [
            line.partition(":")[0]
            for line in request.messages[0].content.partition("\n\n")[2].splitlines()
        ]
        for metric, request in by_metric.items()
    }
    assert names == {
        "answer_relevancy": ["Question", "Answer"],
        "completeness": ["Question", "True answer", "Answer"],
        "usefulness": ["Question", "Answer"],
        "faithfulness": ["Question", "References", "[1] Rome is the capital.", "Answer"],
    }
    # Without a true answer there is no request for completeness; all else stays the same.
    del by_metric["completeness"]
    assert requests(SAMPLE._replace(expected_output=None)) == by_metric


def test_without_completeness_acceptance_is_undefined() -> None:
    by_metric = replies("undefined", "5", "1", "1")
    del by_metric["completeness"]
    assert grades(by_metric) == Grades(None, None, 1, 1, None, None)


def of_grouse(grade: Any) -> tuple[Any, ...]:
    """Return the grades that GroUSE's evaluator makes of the replies to its requests.

    It is written after the control flow of the package grouse, evaluate_single_sample, in which a
    grade that is not requested is None, and one after a failure is a failure.
    """
    relevancy, completeness, failed = grade("answer_relevancy"), grade("completeness"), "unreadable"
    if relevancy == failed:
        usefulness = faithfulness = failed
    elif relevancy is None:
        usefulness = grade("usefulness")
        faithfulness = grade("faithfulness") if usefulness in (0, 1) else usefulness
    else:
        usefulness, faithfulness = None, grade("faithfulness")
    if failed in (relevancy, completeness):
        last = (failed, failed)
    elif relevancy is None:
        last = (1, 1) if completeness is None else (0, None)
    else:
        last = (None, 0) if completeness is None else (None, None)
    return (relevancy, completeness, usefulness, faithfulness, *last)


@pytest.mark.parametrize("faithfulness", [None, "unreadable", 0, 1])
@pytest.mark.parametrize("usefulness", [None, "unreadable", 0, 1])
@pytest.mark.parametrize("completeness", [None, "unreadable", 1, 5])
@pytest.mark.parametrize("relevancy", [None, "unreadable", 1, 5])
def test_the_same_replies_have_the_grades_of_grouse(
    relevancy: Any, completeness: Any, usefulness: Any, faithfulness: Any
) -> None:
    said = dict(zip(METRICS, (relevancy, completeness, usefulness, faithfulness), strict=False))
    texts = ("undefined" if grade is None else str(grade) for grade in said.values())
    ours = ["unreadable" if isinstance(g, Failure) else g for g in grades(replies(*texts))]
    assert (*ours,) == of_grouse(said.__getitem__)


TEMPLATES = {
    "answer_relevancy": "Relevancy of {{ input }}: {{ expected_output }} | {{ actual_output }}",
    "completeness": "Completeness of {{ input }}:{% for text in contexts %} {{ text }}{% endfor %}",
    "usefulness": "Usefulness of {{ actual_output }}",
    "faithfulness": "Faithfulness:{% for t in contexts %} [{{ loop.index }}] {{ t }}{% endfor %}",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with prompts in the format of GroUSE's program."""
    path = tmp_path / "prompts"
    path.mkdir()
    for metric, text in TEMPLATES.items():
        (path / f"{metric}.txt.jinja").write_text(text, encoding="utf-8")
    return path


def test_prompts_of_the_user_take_the_place_of_ours(folder: Path) -> None:
    prompts = PromptFolder(folder)
    shown = {name: made.messages[0].content for name, made in prompts.requests(SAMPLE).items()}
    assert shown == {
        "answer_relevancy": "Relevancy of Which is it?: It is Rome [1]. | Rome [1].",
        "completeness": "Completeness of Which is it?: Rome is the capital.",
        "usefulness": "Usefulness of Rome [1].",
        "faithfulness": "Faithfulness: [1] Rome is the capital.",
    }
    without = prompts.requests(SAMPLE._replace(expected_output=None))
    assert without.keys() == TEMPLATES.keys() - {"completeness"}


@pytest.mark.parametrize(
    ("metric", "text", "grade"),
    [
        ("completeness", '{"answer_1": {"completeness": 5}, "answer_2": {"completeness": 4}}', 4),
        ("completeness", 'So:\n```json\n{"answer_2": {"completeness": null}}\n```', None),
        ("faithfulness", '<think>1</think>{"answer_2": {"faithfulness": true}}', 1),
        ("completeness", '{"answer_2": {"completeness": true}}', "'True' is not a grade"),
        ("completeness", 'So: {it is}\n{"answer_2": {"completeness": 4}}\nThat is all.', 4),
        ("completeness", '```json\r\n{"answer_2": {"completeness": " 4 "}}\r\n```', 4),
        ("completeness", '{"answer_2": {"completeness": "4.0"}}', 4),
        ("completeness", '~~~\n{"answer_2": {"completeness": 4, "why": "a\nb"}}', 4),
        (
            "completeness",
            '[{"answer_2": {"completeness": 3}}]\n{"answer_2": {"completeness": 4}}',
            4,
        ),
        ("faithfulness", '{"answer_2": {"faithfulness": 2}}', "'2' is not a grade"),
        ("completeness", '{"answer_2": {"completeness": 4.5}}', "'4.5' is not a grade"),
        ("completeness", '{"answer_2": {"completeness": [4]}}', "'[4]' is not a grade"),
        ("completeness", '{"answer_1": {"completeness": 5}}', "no JSON with the completeness"),
        ("completeness", "[1]", "no JSON with the completeness"),
        ("completeness", "Grade: 5", "no JSON with the completeness"),
    ],
)
def test_grades_are_read_as_grouse_reads_them(
    folder: Path, metric: str, text: str, grade: Any
) -> None:
    read = PromptFolder(folder).read(metric, Reply(text, "stop", 0, 0, 0.0))
    if isinstance(grade, str):
        assert isinstance(read, Failure) and read.detail.startswith(grade)
    else:
        assert read == grade


def test_a_folder_without_a_prompt_is_refused(folder: Path, run: Any, server: ChatServer) -> None:
    (folder / "usefulness.txt.jinja").unlink()
    done = run("--prompts", str(folder))
    assert done.exit_code == 2
    assert done.stderr.endswith("usefulness.txt.jinja: No such file or directory.\n")
    assert not server.sent


def test_a_model_judges_by_the_prompts_of_the_user(
    folder: Path, run: Any, server: ChatServer
) -> None:
    perfect = dict(zip(METRICS, (5, 5, None, 1), strict=False))
    server.say = lambda sent: json.dumps({"answer_2": perfect})
    done = run("--prompts", str(folder), "--json")
    assert done.exit_code == 0, done.output
    (rate,) = (
        one for one in json.loads(done.stdout) if (one["judge"], one["test_type"]) == ("m", "all")
    )
    assert (rate["passed"], rate["unparsable"]) == (1, 0)


def test_a_grade_of_another_scale_is_unreadable() -> None:
    graded = grades(replies("5", "5", "undefined", "5"))
    assert graded._replace(faithfulness=None) == Grades(5, 5, None, None, None, None)
    assert isinstance(graded.faithfulness, Failure)


@pytest.fixture
def run(server: ChatServer, tmp_path: Path) -> Callable[..., Result]:
    """Return a function that puts a model to one test, or to several that differ in the answer."""

    def call(*options: str, answers: int = 1) -> Result:
        file = tmp_path / "own.jsonl"
        rows = [{**ROW, "actual_output": f"{'Well, ' * n}Rome [1]."} for n in range(answers)]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        server_options = [
            "--model",
            "m",
            "--base-url",
            server.url,
            "--db",
            str(tmp_path / "a.duckdb"),
        ]
        arguments = ["judge", "--meta", str(file), *server_options, *options]
        return CliRunner().invoke(cli, arguments, env={"COLUMNS": "130"})

    return call


def says(*texts: str) -> Callable[[dict[str, Any]], str]:
    """Return what a model says to the request about each metric."""
    by_metric = dict(zip(METRICS, texts, strict=False))
    by_prompt = {
        request.messages[0].content.partition("\n\n")[0]: by_metric[metric]
        for metric, request in requests(SAMPLE).items()
    }
    return lambda sent: grade_reply(by_prompt[sent["messages"][0]["content"].partition("\n")[0]])


def test_a_model_passes_fails_and_is_unparsable(
    run: Callable[..., Result], server: ChatServer, tmp_path: Path
) -> None:
    server.say = says("5", "4", "undefined", "true")
    done = run("--json", answers=2)
    assert done.exit_code == 0, done.output
    rates = {(one["judge"], one["test_type"]): one for one in json.loads(done.stdout)}
    assert rates["m", "all"] == {
        "judge": "m",
        "test_type": "all",
        "tests": 2,
        "passed": 0,
        **dict.fromkeys(METRICS, 2),
        "completeness": 0,
        "faithfulness": 0,
        "conditions": 0.6667,
        "unparsable": 0.1667,
    }
    stored = database(tmp_path / "a.duckdb").sql(
        "SELECT metric, grade, outcome FROM grouse_results WHERE judge = 'm' AND test_id = '1'"
    )
    assert {metric: outcome for metric, *outcome in stored.rows} == {
        "answer_relevancy": [5, "passed"],
        "completeness": [4, "failed"],
        "usefulness": [None, "passed"],
        "faithfulness": [None, "unparsable"],
        "positive_acceptance": [None, "passed"],
        "negative_rejection": [None, "passed"],
    }
    # What was answered is not asked again.
    assert len(server.sent) == 8
    shown = run(answers=2)
    assert len(server.sent) == 8
    assert "Tests passed by the m judge" in shown.stdout
    (line,) = (line for line in shown.stdout.splitlines() if line.startswith("m "))
    assert line.split() == ["m", "100%", "0%", "100%", "0%", "100%", "100%", "0%", "17%"]


def test_tests_without_an_answer_are_left_out(
    run: Callable[..., Result], server: ChatServer
) -> None:
    server.say = says(*GRADES)
    server.plan = [Answer(status=422)]  # a request that the server doesn't take
    done = run("--json", answers=2)
    assert "1 tests missing: refused" in done.stderr
    whole = next(one for one in json.loads(done.stdout) if one["test_type"] == "all")
    assert (whole["judge"], whole["tests"], whole["passed"]) == ("m", 1, 1)


def test_without_any_answer_nothing_is_written(
    run: Callable[..., Result], server: ChatServer, tmp_path: Path
) -> None:
    server.otherwise = Answer(status=422)
    done = run()
    assert done.exit_code == 1 and "none of 1 questions got an answer" in done.stderr
    assert done.stdout == "" and not (tmp_path / "a.duckdb").exists()


def test_a_model_grades_answers(server: ChatServer, tmp_path: Path) -> None:
    server.say = says("4", "3", "undefined", "true")
    file = tmp_path / "answers.jsonl"
    rows = [ROW, {**ROW, "expected_output": None}]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    server_options = ["--model", "m", "--base-url", server.url, "--db", str(tmp_path / "a.duckdb")]
    done = CliRunner().invoke(cli, ["judge", str(file), *server_options, "--json"])
    assert done.exit_code == 0, done.output
    means = {one["metric"]: one for one in json.loads(done.stdout) if one["judge"] == "m"}
    counts = {
        metric: (one["answers"], one["mean"], one["undefined"], one["unparsable"])
        for metric, one in means.items()
    }
    assert counts == {
        "answer_relevancy": (2, 4.0, 0, 0),
        "completeness": (1, 3.0, 1, 0),
        "usefulness": (0, None, 2, 0),
        "faithfulness": (0, None, 0, 2),
        "positive_acceptance": (0, None, 2, 0),
        "negative_rejection": (0, None, 2, 0),
    }
    out = tmp_path / "written.jsonl"
    server.say = lambda sent: grade_reply("1", "It is so.")
    again = ["judge", str(file), *server_options, "--cache-key", "b", "-o", str(out)]
    assert CliRunner().invoke(cli, again).exit_code == 0
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(record["judge"], record["test_id"]) for record in records] == [
        *(("m", "1"), ("m", "2")),
        *(("deterministic", "1"), ("deterministic", "2")),
    ]
    # Relevancy is defined, so usefulness is not, and needs no justification.
    graded = ("answer_relevancy", "completeness", "faithfulness")
    assert records[0]["justifications"] == dict.fromkeys(graded, "It is so.")
    assert records[0]["grades"]["usefulness"] is None and records[0]["grades"]["faithfulness"] == 1
    assert records[2]["justifications"] == {}
    kept = database(tmp_path / "a.duckdb").sql("FROM grouse_results SELECT justification").rows
    assert sum(text == "It is so." for (text,) in kept) == 5
    del server.sent[4:]
    # The two answers are one: what is the same is asked once, and completeness of one of them.
    assert len(server.sent) == 4


@pytest.mark.parametrize(
    "options", [["--model", ""], ["--model", "always top"], ["--budget", "9"], ["--base-url", "x"]]
)
def test_options_of_a_model_want_one(options: list[str]) -> None:
    assert CliRunner().invoke(cli, ["judge", "--meta", *options]).exit_code == 2
