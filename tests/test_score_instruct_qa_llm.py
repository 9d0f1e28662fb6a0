"""Correctness and faithfulness by a judging model: a server on loopback."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from kgbuild.evaluate.grounded import requests
from kgbuild.evaluate.instruct_qa import GroundedAnswer
from tests.chat_server import Answer, ChatServer, grade_reply
from tests.test_score_instruct_qa import LUND, OSLO, run, save, told


@pytest.fixture
def score(server: ChatServer, tmp_path: Path) -> Callable[..., Result]:
    """Return a function that scores records with a model's verdicts."""

    def call(*records: dict[str, Any], options: tuple[str, ...] = ("--json",)) -> Result:
        given = ["--model", "m", "--base-url", server.url, "--db", tmp_path / "a.duckdb"]
        return run(save(tmp_path, records), *given, *options)

    return call


MARK = " (control 10/40)"
"""The mark of verdicts by ``judged``, which denies all answers of the control that it can read."""


def is_about_knowledge(sent: dict[str, Any]) -> bool:
    return "\nKnowledge:" in sent["messages"][-1]["content"]


def judged(sent: dict[str, Any]) -> str:
    """Say that Lund is correct, and nothing readable on what the knowledge says."""
    if is_about_knowledge(sent):
        return "Faithful, I think."
    is_right = sent["messages"][-1]["content"].endswith("Answer: She was born in Lund")
    return grade_reply("yes" if is_right else "no", "Compared.")


def test_requests_show_the_needed_inputs() -> None:
    answer = GroundedAnswer("Lund", ["Lund"], ["In Lund."], "Where?")
    results = requests(answer)
    shown = {name: one.messages[0].content.partition("\n\n")[2] for name, one in results.items()}
    assert shown == {
        "correctness": "Question: Where?\nReferences:\n[1] Lund\nAnswer: Lund",
        "faithfulness": "Question: Where?\nKnowledge:\n[1] In Lund.\nAnswer: Lund",
    }
    assert list(requests(answer._replace(references=()))) == ["faithfulness"]
    assert not requests(answer._replace(prediction=""))
    assert not requests(answer._replace(question=""))


def test_verdicts_and_the_share_that_cannot_be_read(
    score: Callable[..., Result], server: ChatServer
) -> None:
    server.say = judged
    done = score(LUND, OSLO, {**LUND, "prediction": ""}, LUND)
    results = told(done)
    # An answer that is missing is wrong without being asked about: two of four are right.
    assert (results["correctness" + MARK]["answers"], results["correctness" + MARK]["mean"]) == (
        4,
        0.5,
    )
    # The third answer alone has a faithfulness: none of the others can be read.
    assert (results["faithfulness" + MARK]["answers"], results["faithfulness" + MARK]["mean"]) == (
        1,
        0,
    )
    assert results["correctness, unparsable"]["mean"] == 0
    assert results["faithfulness, unparsable"]["answers"] == 3
    assert results["faithfulness, unparsable"]["mean"] == 1
    assert "m grades 10 of 40 judged replies as people do" in done.stderr
    assert len(server.sent) == 4 + 40  # equal answers are judged once, and the control's
    assert score(LUND, OSLO).exit_code == 0 and len(server.sent) == 4 + 40


def test_verdicts_go_with_people(score: Callable[..., Result], server: ChatServer) -> None:
    server.say = judged
    results = told(score(LUND, OSLO, options=("--human", "correct", "--json")))
    assert results["correctness" + MARK]["spearman"] == pytest.approx(1)
    assert "correctness, unparsable" not in results


def test_verdicts_that_never_came_are_not_counted(
    score: Callable[..., Result], server: ChatServer
) -> None:
    server.say = judged
    server.plan = [Answer(status=422)]  # a request that the server doesn't take
    in_order = ("--json", "--concurrency", "1")  # so that it is none of the control
    records = ({**LUND, "knowledge": None, "references": [one]} for one in ("Lund", "Graz"))
    done = score(*records, options=in_order)
    assert told(done)["correctness" + MARK]["answers"] == 1
    assert "1 verdicts missing: refused" in done.stderr
    server.otherwise = Answer(status=422)
    failed = score(OSLO)
    assert failed.exit_code == 1 and failed.stdout == ""
    assert "none of 2 questions got an answer" in failed.stderr


def test_missing_verdicts_are_reported(score: Callable[..., Result], server: ChatServer) -> None:
    done = score({"prediction": "Lund", "references": "Lund"})
    assert not server.sent
    left_out = [line.rpartition(", ")[2] for line in done.stderr.splitlines()[:2]]
    assert left_out == ["faithfulness", "faithfulness"]  # without knowledge, without a question
    assert "K-recall++, correctness, faithfulness" in done.stderr
