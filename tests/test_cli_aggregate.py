"""From a file of several responses to a question to one of answers that can be scored."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgbuild.datasets import database, dataset
from kgbuild.rows import Build, Built
from tests.chat_server import Answer, ChatServer
from tests.conftest import Run, commands, load_text
from tests.test_granola_aggregate import WORLD
from tests.test_score_granola import SOURCE, answers, question


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store, and a database of three questions."""
    folder = tmp_path_factory.mktemp("aggregate")
    load_text(folder, WORLD)
    builds = [
        Built(
            pid,
            {
                "granola_questions": [question(name, pid, 0) for name in names],
                "granola_answers": [
                    row for name in names for row in answers(name, pid, (gold, [], kind))
                ],
            },
        )
        for pid, names, gold, kind in (
            ("P19", ["ann", "bo"], "Sweden", "place"),
            ("P569", ["cy"], "1962", "year"),
        )
    ]
    database(folder / "sets.duckdb").write(Build(dataset("granola"), builds, SOURCE))
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Run:
    """Return a function that runs the command line on that database and store."""
    return commands(KGBUILD_DB=made / "sets.duckdb", KGBUILD_STORE=made / "kg")


def told(asked: str, *said: str, **more: object) -> list[dict[str, object]]:
    return [{"question_id": asked, "answer": one, **more} for one in said]


SAID = [
    *told("ann", "Lund", "Lund", "Uppsala"),
    *told("bo", "Lund", "Villa 1"),
    *told("cy", "3 May 1962", "3 May 1962"),
]


@pytest.fixture
def save(tmp_path: Path) -> Callable[[Sequence[Mapping[str, Any]]], Path]:
    def saved(records: Sequence[Mapping[str, Any]]) -> Path:
        path = tmp_path / "said.jsonl"
        path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
        return path

    return saved


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts(path: Path) -> list[str]:
    return [one["answer"] for one in read(path)]


def test_by_the_graph(run: Run, save: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run("aggregate", save(SAID), "-o", out)
    assert done.exit_code == 0, done.output
    assert read(out) == [
        # No response says Sweden or IDK, both say the day.
        {"question_id": "ann", "answer": "Sweden", "protocol": "graph", "confidence": None},
        {"question_id": "bo", "answer": "IDK", "protocol": "graph", "confidence": None},
        {"question_id": "cy", "answer": "3 May 1962", "protocol": "graph", "confidence": 1.0},
    ]
    assert done.stderr == (
        f"3 answers are in {out}: 1 are equal to a response, 1 coarser than all responses, 1 IDK.\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "said.jsonl"]


def test_without_samples_there_is_nothing_to_aggregate(run: Run) -> None:
    done = run("aggregate")
    assert done.exit_code == 1
    assert "Ask a model: 'kgbuild ask granola --protocol sampled --model NAME'" in done.stderr


def test_what_is_empty_stays_so(run: Run, save: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run("aggregate", save([*told("ann", "", " "), *told("bo", "", "Oslo")]), "-o", out)
    # Whoever sends nothing has failed, not abstained; what was sent counts.
    assert texts(out) == ["", "Oslo"]
    assert "1 are empty, as all responses were." in done.stderr


def test_by_a_model(run: Run, save: Any, server: ChatServer, tmp_path: Path) -> None:
    out, replies = tmp_path / "out.jsonl", tmp_path / "replies.sqlite"
    server.say = lambda sent: (
        "Answer: Scania" if "Uppsala" in sent["messages"][-1]["content"] else "Answer: IDK"
    )
    options = ("--by", "model", "--model", "parrot", "--base-url", server.url)
    done = run("aggregate", save(SAID), "-o", out, *options, "--replies", replies)
    assert done.exit_code == 0, done.output
    assert texts(out) == ["Scania", "IDK", "3 May 1962"]
    assert {one["protocol"] for one in read(out)} == {"model"}
    # What all say alike needs no model.
    assert len(server.sent) == 2
    again = run("aggregate", save(SAID), "-o", out, *options, "--replies", replies, "--force")
    assert again.exit_code == 0
    assert len(server.sent) == 2  # the replies were kept


def test_what_a_model_does_not_answer_is_left_out(
    run: Run, save: Any, server: ChatServer, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    server.otherwise = Answer(400)
    options = ("--by", "model", "--model", "parrot", "--base-url", server.url)
    replies = ("--replies", tmp_path / "replies.sqlite")
    done = run("aggregate", save(SAID), "-o", out, *options, *replies)
    assert done.exit_code == 1, done.output
    assert texts(out) == ["3 May 1962"]
    assert "2 left out: refused: HTTP 400." in done.stderr
    failed = run("aggregate", save(SAID[:3]), "-o", out, "--force", *options, *replies)
    assert failed.exit_code == 1
    assert failed.stderr.endswith(
        "Error: Nothing was written: none of 1 questions got an answer. "
        "The first failed: refused: HTTP 400.\n"
    )
    assert texts(out) == ["3 May 1962"]  # what was there before is


def test_nothing_is_replaced_unasked(run: Run, save: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine", encoding="utf-8")
    done = run("aggregate", save(SAID), "-o", out)
    assert (done.exit_code, out.read_text(encoding="utf-8")) == (2, "mine")
    assert "Replace it with --force" in done.stderr
    assert run("aggregate", save(SAID), "-o", out, "--force").exit_code == 0
    assert texts(out) == ["Sweden", "IDK", "3 May 1962"]


def test_outcomes_as_json(run: Run, save: Any, tmp_path: Path) -> None:
    done = run("aggregate", save(SAID), "-o", tmp_path / "out.jsonl", "--by", "majority", "--json")
    assert done.exit_code == 0, done.output
    outcomes = json.loads(done.stdout)
    assert sum(row["answers"] for row in outcomes) == len(texts(tmp_path / "out.jsonl"))
    assert {row["outcome"] for row in outcomes} <= {"a response", "IDK", "empty"}
