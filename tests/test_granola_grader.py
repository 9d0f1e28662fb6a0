"""A language model judges the replies that the rules leave open, or all of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kgbuild.cli import cli
from kgbuild.data_files import read_text
from kgbuild.datasets import database, dataset
from kgbuild.rows import Build, Built
from tests.chat_server import Answer, ChatServer, grade_reply
from tests.conftest import write_once
from tests.test_batch import result, save
from tests.test_embed import model_folder
from tests.test_score_granola import SHIP, SOURCE, question

Score = Callable[..., Result]
CONTROL = 40
"""The number of judged replies that a grader is tested by."""
REPLIES = {"plain": "In Stockholm.", "odd": "Djurgården island", "refused": "I don't know."}
"""A reply that the rules judge, one that they leave open, and a refusal, of three models."""


@pytest.fixture
def server(server: ChatServer) -> ChatServer:
    """Return a server whose model says that a reply about an island is right at level 2."""
    server.say = _grade
    return server


def _grade(sent: dict[str, Any]) -> str:
    prompt = sent["messages"][-1]["content"]
    return (
        grade_reply("2", "It lies there.")
        if "island" in prompt
        else grade_reply("wrong", "Nothing fits.")
    )


@pytest.fixture
def score(server: ChatServer, tmp_path: Path) -> Score:
    """Return a function that scores three replies by rules and by the model."""
    db = tmp_path / "datasets.duckdb"
    rows = {"granola_questions": [question("ship", "P276", 5)], "granola_answers": SHIP}
    write_once(db, Build(dataset("granola"), [Built("P276", rows)], SOURCE))
    answers = tmp_path / "answers.jsonl"
    lines = (
        json.dumps({"question_id": "ship", "answer": text, "model": model}) + "\n"
        for model, text in REPLIES.items()
    )
    answers.write_text("".join(lines))

    def call(*options: str) -> Result:
        fixed = ["score", "granola", str(answers), "--db", str(db), "-o", str(tmp_path / "o.jsonl")]
        return CliRunner().invoke(cli, [*fixed, *options])

    return call


def _verdicts(folder: Path) -> dict[str, tuple[Any, ...]]:
    lines = (folder / "o.jsonl").read_text().splitlines()
    return {
        row["model"]: (row["verdict"], row["level"], row["source"], row["reason"])
        for row in map(json.loads, lines)
    }


def test_grader_judges_what_the_rules_leave_open(
    score: Score, server: ChatServer, tmp_path: Path
) -> None:
    """Only the reply without a true answer or a refusal is sent, and the control, both once."""
    for requests in (CONTROL + 1, CONTROL + 1):  # the second time, the replies are cached
        done = score("--grader", "judge", "--base-url", server.url)
        assert done.exit_code == 0, done.output
        assert len(server.sent) == requests
    assert _verdicts(tmp_path) == {
        "plain": ("right", 2, "rules", "the name Stockholm"),
        "odd": ("right", 2, "judge", "It lies there."),
        "refused": ("abstained", None, "rules", "abstained"),
    }


def test_grader_judges_all(score: Score, server: ChatServer, tmp_path: Path) -> None:
    """With --grade-all, the model's verdict replaces that of the rules."""
    done = score("--grader", "judge", "--grade-all", "--base-url", server.url)
    assert done.exit_code == 0, done.output
    assert len(server.sent) == CONTROL + len(REPLIES)
    assert _verdicts(tmp_path)["plain"] == ("wrong", None, "judge", "Nothing fits.")
    score("--grader", "judge", "--base-url", server.url)  # keeps the scores of all
    judges = database(tmp_path / "datasets.duckdb").sql("SELECT DISTINCT judge FROM scores").rows
    marks = " (every answer)", ""
    assert {*judges} == {(f"judge{mark} (control 12/40)",) for mark in marks}


def test_nonsense_is_counted_and_the_rules_judge(
    score: Score, server: ChatServer, tmp_path: Path
) -> None:
    """An unreadable grade is never invented: the verdict by the rules stays, and it is said."""
    server.say = lambda _: grade_reply("nine")
    done = score("--grader", "judge", "--base-url", server.url)
    assert done.exit_code == 0, done.output
    assert "Grades that can't be read: 1 " in done.output
    assert "judge grades 0 of 40 judged replies as people do.\n" in done.stderr
    assert _verdicts(tmp_path)["odd"][:3] == ("wrong", None, "rules")


def _judged(sent: dict[str, Any]) -> str:
    """Grade the replies of the control as people did, and others as right at level 2."""
    prompt = sent["messages"][-1]["content"]
    verdicts = {"A": "abstains", "W": "wrong"}
    for line in read_text("datasets/granola/scoring/control.jsonl").splitlines():
        record = json.loads(line)
        if f"Question: {record['question']}\n" in prompt:
            return grade_reply(verdicts.get(record["verdict"], record["verdict"]))
    return grade_reply("2")


def test_control_is_told_beside_the_scores(
    score: Score, server: ChatServer, tmp_path: Path
) -> None:
    """The agreement with people is printed, and marks the scores of a grader that fails."""
    done = score("--grader", "judge", "--base-url", server.url)  # says "wrong" to nearly all
    assert "judge grades 12 of 40 judged replies as people do.\n" in done.stderr
    assert "too few to rely on its grades" in done.stderr
    levels = done.stdout.partition("Answers by the finest level")[2]
    assert all(text.count("judge (control 12/40)") >= 3 for text in (done.stdout, levels))
    server.say = _judged
    done = score("--grader", "good", "--base-url", server.url)
    assert "good grades 40 of 40 judged replies as people do.\n" in done.stderr
    assert "too few" not in done.stderr
    judges = database(tmp_path / "datasets.duckdb").sql("SELECT DISTINCT judge FROM scores").rows
    assert sorted(judges) == [("good",), ("judge (control 12/40)",)]


def test_one_batch_has_the_replies_and_the_control(
    score: Score, server: ChatServer, tmp_path: Path
) -> None:
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    done = score("--grader", "judge", "--batch-out", str(requests))
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in requests.read_text().splitlines()]
    assert len(lines) == CONTROL + 1
    save(results, [result(line, _grade(line["body"])) for line in lines])
    done = score("--grader", "judge", "--batch-in", str(results))
    assert done.exit_code == 0, done.output
    assert "judge grades 12 of 40 judged replies as people do.\n" in done.stderr
    assert _verdicts(tmp_path)["odd"][:3] == ("right", 2, "judge")
    assert server.sent == []


@pytest.mark.extras
def test_similarities_are_by_the_verdicts_of_the_grader(score: Score, server: ChatServer) -> None:
    where = ("--grader", "judge", "--base-url", server.url)
    done = score(*where, "--similarity", str(model_folder()), "--json")
    assert done.exit_code == 0, done.output
    (odd,) = (row for row in json.loads(done.stdout) if row["model"] == "odd")
    right = [one["answers"] for one in odd["strata"] if one["granola"]]
    assert (odd["accuracy"], sum(right)) == (1, 1)  # the rules alone find nothing right in it


@pytest.mark.parametrize("answer", [Answer(status=500), Answer(body="<html>sign in</html>")])
def test_server_without_a_grade_ends_the_command(
    score: Score, server: ChatServer, answer: Answer
) -> None:
    """Where no grade can be had, there are no scores, and no traceback: no grader has failed."""
    server.otherwise = answer
    done = score("--grader", "judge", "--base-url", server.url, "--retries", "0")
    assert done.exit_code == 1
    assert "Traceback" not in done.output


def test_grade_all_needs_a_grader(score: Score) -> None:
    """The option alone is a wrong call."""
    assert score("--grade-all").exit_code == 2
