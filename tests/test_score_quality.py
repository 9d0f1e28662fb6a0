"""The quality of texts as a judging model grades it: a server on loopback."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from kgbuild.datasets.biokalma.scoring.quality import (
    METRICS,
    OURS,
    PUBLISHED,
    AnswerText,
    Quality,
    quality,
    requests,
)
from kgbuild.models.chat import Failure, Reply
from tests.chat_server import Answer, ChatServer, grade_reply
from tests.test_score_biokalma import ANN, Score, db, run, save, told

__all__ = ["db", "run"]  # the fixtures


@pytest.fixture
def grade(run: Score, server: ChatServer, tmp_path: Path) -> Callable[..., Result]:
    """Return a function that has a model grade answers."""
    given = ["--quality", "--model", "m", "--base-url", server.url]
    given += ["--replies", str(tmp_path / "r.sqlite")]
    return lambda records, *options: run(save(tmp_path, records), *given, *options)


def test_each_grade_is_drawn_several_times() -> None:
    found = requests(AnswerText("Who?", ["Ann Roe, occupation: painter"], "Ann Roe, a painter."))
    assert tuple(found) == METRICS
    for some in found.values():
        assert [(one.sample, one.temperature) for one in some] == [
            (n, 1) for n in range(OURS.samples)
        ]
    shown = {name: some[0].messages[0].content.partition("\n\n")[2] for name, some in found.items()}
    asked = "Question: Who?\nAnswer: Ann Roe, a painter."
    assert shown == {
        "coherence": asked,
        "consistency": "Knowledge:\n[1] Ann Roe, occupation: painter\nAnswer: Ann Roe, a painter.",
        "fluency": "Answer: Ann Roe, a painter.",
        "relevance": asked,
    }


def test_the_authors_draw_one_grade_and_take_three_for_none() -> None:
    text = AnswerText("Who?", ["Ann Roe, occupation: painter"], "Ann Roe, a painter.")
    for some in requests(text, PUBLISHED).values():
        assert [(one.sample, one.temperature) for one in some] == [(0, 0)]
    unread = Reply("Very good.", "stop", 0, 0, 0.0)
    assert quality([unread], PUBLISHED) == Quality(3, 1, 1, ["Very good."])


def test_only_integers_of_the_scale_count() -> None:
    texts = [*map(grade_reply, ("4", "5", "4.5", "0")), "Very good."]
    replies = [Reply(text, "stop", 0, 0, 0.0) for text in texts]
    assert quality(replies) == Quality(4.5, 3, 5, ["", "", "", "", "Very good."])
    # What never came is no reply that cannot be read.
    assert quality([Failure("no answer", "it is down")]) == Quality(None, 0, 0, [])


def test_grades_and_justifications_are_written(
    grade: Callable[..., Result], server: ChatServer, tmp_path: Path
) -> None:
    server.say = lambda _: grade_reply("4", "It flows.")
    out = tmp_path / "graded.jsonl"
    assert grade(told(("wed", ANN)), "-o", out).exit_code == 0
    (record,) = map(json.loads, out.read_text().splitlines())
    assert record["question_id"] == "wed" and record["removed"] == 0
    assert record["grades"] == dict.fromkeys(METRICS, 4)
    assert record["justifications"] == dict.fromkeys(METRICS, ["It flows."] * OURS.samples)


def test_grades_are_averaged_over_samples_and_answers(
    grade: Callable[..., Result], server: ChatServer
) -> None:
    said = itertools.cycle([*map(grade_reply, ("5", "3", "4", "4")), "Good."])
    server.say = lambda sent: next(said) if "fluency" in sent["messages"][0]["content"] else "4"
    records = told(("wed", ANN), ("taught", ""), protocol="specific")
    done = grade(records, "--json")
    assert done.exit_code == 0, done.output
    found = {row["metric"]: row for row in json.loads(done.stdout)}
    assert tuple(found) == METRICS
    # The one has 4, of four samples; the empty one has 1, and nobody was asked about it.
    fluency = found["fluency"]
    assert (fluency["protocol"], fluency["answers"], fluency["mean"]) == ("specific", 2, 2.5)
    assert fluency["interval"] == [1, 4] and fluency["unparsable"] == 1 / OURS.samples
    # A bare number is no grade, so only the empty answer has one.
    assert (found["coherence"]["mean"], found["coherence"]["unparsable"]) == (1, 1)
    assert len(server.sent) == len(METRICS) * OURS.samples
    # Three metrics have five bare numbers each, and the fluency one word.
    assert "16 of 20 grades could not be read: a reply must have one object of JSON" in done.stderr
    lines = grade(records).stdout.splitlines()
    assert lines[0].split() == ["protocol", "metric", "answers", "mean", "unparsable"]
    assert lines[4].split() == ["specific", "fluency", "2", "2.50", "(1.00–4.00)", "20%"]
    assert len(server.sent) == len(METRICS) * OURS.samples  # nothing was asked twice


def test_the_text_is_graded_without_brackets_against_its_pool(
    grade: Callable[..., Result], server: ChatServer
) -> None:
    server.say = lambda _: grade_reply("5")
    grade(told(("wed", ANN), removed=1))
    (shown,) = {text for text in server.asked if "\nKnowledge:" in text}
    _, _, material = shown.partition("\n\n")
    *knowledge, answer = material.splitlines()
    assert answer == (
        "Answer: Ann Roe, a painter from Washington, D.C., married Bo Lind. "
        "He was born on 1 November 1871 and sang."
    )
    # In this round the marriage is taken away from both.
    assert len(knowledge) == 5 and not any("spouse" in line for line in knowledge)


def test_the_question_is_the_one_that_the_protocol_asks(
    grade: Callable[..., Result], server: ChatServer
) -> None:
    server.say = lambda _: grade_reply("5")
    grade(told(("wed", ANN), protocol="general-retrieved"))
    asked = {line for text in server.asked for line in text.splitlines() if "Question: " in line}
    assert asked == {"Question: Who were they?"}


def test_missing_grades(grade: Callable[..., Result], server: ChatServer) -> None:
    server.say = lambda _: grade_reply("5")
    server.plan = [Answer(status=422)]  # a request that the server doesn't take
    done = grade(told(("wed", ANN)), "--json")
    assert {row["mean"] for row in json.loads(done.stdout)} == {5}
    assert "could not be read" not in done.stderr
    assert "1 grades missing: refused" in done.stderr
    server.otherwise = Answer(status=422)
    failed = grade(told(("wed", "Another.")))
    assert failed.exit_code == 1 and failed.stdout == ""
