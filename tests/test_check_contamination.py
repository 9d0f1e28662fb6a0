"""Questions that a corpus or a model contains are found, and can be left out of a release."""

import bz2
import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets import database, dataset
from kgbuild.export.contamination import corpus
from kgbuild.export.contamination.words import hash_words, windows
from kgbuild.export.release import canary
from kgbuild.rows import Build, Built
from tests.chat_server import Answer, ChatServer
from tests.conftest import commands, write_once
from tests.test_score_granola import SOURCE, question

QUESTIONS = {
    "a": "In which house was Édith Piaf's mother born?",
    "b": "In what place was Ann Lee born?",
    "c": "Where is it?",  # too short
    "d": "When did Bo Roe, who wrote the book about the old harbour of the small town, die?",
    "e": "Which prize did Cy Roe get?",
}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return a database with questions of GRANOLA about Q1, Q2 and so on."""
    rows: list[dict[str, Any]] = [
        {**question(name, "P19", 0), "question": text, "subject_qid": f"Q{number}"}
        for number, (name, text) in enumerate(QUESTIONS.items(), 1)
    ]
    built = Built("P19", {"granola_questions": rows, "granola_answers": []})
    return write_once(tmp_path / "a.duckdb", Build(dataset("granola"), [built], SOURCE))


def run(db: Path, *arguments: object) -> Result:
    return commands(KGBUILD_DB=db)(*arguments)


def found(db: Path, texts: Path) -> dict[str, dict[str, Any]]:
    """Return the records of what a folder contains, by the id of the row."""
    out = texts.parent / "found.jsonl"
    done = run(db, "check-contamination", "granola", "--texts", texts, "-o", out, "--json")
    assert done.exit_code == 0, done.output
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    counts = {row["text"]: row["found"] for row in json.loads(done.stdout)}
    assert counts["canary"] + counts["questions"] == len(records)
    return {record["id"]: record for record in records}


def test_questions_are_found_in_plain_json_and_compressed_texts(db: Path, tmp_path: Path) -> None:
    texts = tmp_path / "corpus"
    (texts / "deep").mkdir(parents=True)
    (texts / "a.txt").write_text("So: IN WHICH HOUSE — was Edith Piaf’s mother\nborn?", "utf-8")
    escaped = json.dumps({"text": f"\n{QUESTIONS['b']}\n{canary(dataset('granola'))}"})
    (texts / "deep" / "b.jsonl.gz").write_bytes(gzip.compress(escaped.encode()))
    # Thirteen words of a long question are enough.
    thirteen = " ".join(QUESTIONS["d"].split()[4:])
    (texts / "d.bz2").write_bytes(bz2.compress(thirteen.encode()))
    (texts / "e.zip").write_bytes(b"PK")
    parquet = str(texts / "f.parquet")
    duckdb.execute(
        f"COPY (SELECT 1 AS \"n\"\"1\", ['x', $$It is. {QUESTIONS['e']}$$] AS t) TO '{parquet}'"
    )
    records = found(db, texts)
    assert {name: record["file"] for name, record in records.items()} == {
        "a": "a.txt",
        "b": "deep/b.jsonl.gz",
        "canary": "deep/b.jsonl.gz",
        "d": "d.bz2",
        "e": "f.parquet",
    }
    assert records["a"]["excerpt"] == "So: IN WHICH HOUSE   was Edith Piaf s mother\nborn"
    assert records["d"]["windows"] == 1


def test_what_is_not_there_is_not_found(db: Path, tmp_path: Path) -> None:
    texts = tmp_path / "corpus"
    texts.mkdir()
    # Other names, a word between, twelve words of a long question, and one too short to tell.
    (texts / "a.txt").write_text(
        "In what place was Ann Roe born? In what place was Ann B. Lee born? Where is it? "
        + " ".join(QUESTIONS["d"].split()[5:])
    )
    assert found(db, texts) == {}


def test_a_folder_without_texts_is_an_error(db: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    done = run(db, "check-contamination", "granola", "--texts", tmp_path / "corpus")
    assert done.exit_code == 2 and "has no file that can be searched" in done.stderr
    (tmp_path / "corpus" / "a.gz").write_bytes(gzip.compress(b"a" * 1000)[:20])
    done = run(db, "check-contamination", "granola", "--texts", tmp_path / "corpus")
    assert done.exit_code == 1 and "cut short or damaged" in done.stderr
    done = run(db, "check-contamination", "granola")
    assert done.exit_code == 2 and "Pass either --texts or --model" in done.stderr


def test_a_file_is_searched_in_blocks(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = tmp_path / "corpus"
    texts.mkdir()
    (texts / "a.txt").write_text(f"x {QUESTIONS['b']} " * 50 + "y" * 200)
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr(corpus, "_BLOCK", size)
        assert found(db, texts)["b"]["windows"] == 50, size


@given(st.lists(st.sampled_from(["ann", "bo", "cy"]), max_size=20))
def test_equal_windows_have_equal_hashes_and_others_do_not(words: list[str]) -> None:
    hashes, _ = hash_words(" ".join(words).encode())
    assert len(hashes) == len(words)
    for length, values in windows(hashes):
        texts = [tuple(words[n : n + length]) for n in range(len(words) - length + 1)]
        assert len(values) == len(texts)
        assert len({*values.tolist()}) == len({*texts})
        assert len({*zip(values.tolist(), texts, strict=True)}) == len({*texts})


@pytest.mark.parametrize(
    ("name", "content", "left"),
    [
        ("a.txt", "in which house was edith piaf s mother born\n\nQ2\n", "cde"),
        ("a.csv", "subject,note\nQ1,x\nhttp://example.org/Q3,y\n", "bcde"),
        ("a.jsonl", '{"rows": [{"id": "c"}], "n": 1}\n', "abde"),
        ("a.txt", "Ann Lee\n", "abcde"),
    ],
)
def test_a_release_leaves_out_what_a_file_names(
    db: Path, tmp_path: Path, name: str, content: str, left: str
) -> None:
    (tmp_path / name).write_text(content)
    out = tmp_path / "out"
    done = run(db, "export", "granola", "--exclude", tmp_path / name, "-o", out)
    assert done.exit_code == 0, done.output
    count = len(QUESTIONS) - len(left)
    said = f"{count} rows are left out by {tmp_path / name}"
    assert f"{said}." in done.stderr if count else f"{said}: it has no question" in done.stderr
    lines = (out / "jsonl" / "questions" / "test.jsonl").read_text().splitlines()
    assert [json.loads(line)["question_id"] for line in lines] == [*left]
    excluded = json.loads((out / "PROVENANCE.json").read_text())["excluded"]
    assert (excluded["name"], excluded["rows"]) == (name, count)
    assert f"{count} rows are left out" in (out / "README.md").read_text()
    recipe = tomllib.loads((out / "recipe.toml").read_text())
    assert recipe["release"][0]["exclude"] == name
    assert recipe["sha256"][name] == excluded["sha256"]


def test_a_file_that_names_all_rows_is_an_error(db: Path, tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text("a\nb\nc\nd\ne\n")
    done = run(db, "export", "granola", "--exclude", tmp_path / "all.txt", "-o", tmp_path / "out")
    assert done.exit_code == 2 and "names all rows of granola" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_model_that_has_seen_the_dataset_continues_it(
    db: Path, tmp_path: Path, server: ChatServer
) -> None:
    mark = canary(dataset("granola"))
    seen = {mark[: mark.index("-")]: mark[mark.index("-") :], "In what place was": "Ann Lee born?"}

    def say(sent: dict[str, Any]) -> str:
        first = sent["messages"][-1]["content"].rpartition("\n")[2]
        return seen.get(first, "I do not know.")

    server.say = say
    options = ("--model", "parrot", "--base-url", server.url, "--json")
    out = tmp_path / "replies.jsonl"
    done = run(db, "check-contamination", "granola", *options, "-o", out)
    assert done.exit_code == 0, done.output
    counts = {row["text"]: (row["completed"], row["asked"]) for row in json.loads(done.stdout)}
    # "Where is it?" has no halves.
    assert counts == {"canary": (1, 1), "questions": (1, 4), "by chance": (0, 4)}
    replies = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in replies if row["complete"]] == ["canary", "b"]
    assert all("GRANOLA" in text for text in server.asked)
    # The prompt has no more of the canary than its first digits.
    assert not any(mark in text for text in server.asked)


def test_what_any_model_guesses_is_counted_as_chance(tmp_path: Path, server: ChatServer) -> None:
    rows = [
        {**question(f"{n}", "P19", 0), "question": f"Is Ann{n} the person who was born there?"}
        for n in range(20)
    ]
    built = Built("P19", {"granola_questions": rows, "granola_answers": []})
    database(tmp_path / "a.duckdb").write(Build(dataset("granola"), [built], SOURCE))
    server.say = lambda _: "who was born there"
    options = ("--model", "parrot", "--base-url", server.url, "--json", "--limit", "10")
    done = run(tmp_path / "a.duckdb", "check-contamination", "granola", *options)
    counts = {row["text"]: (row["completed"], row["asked"]) for row in json.loads(done.stdout)}
    assert counts == {"canary": (0, 1), "questions": (10, 10), "by chance": (10, 10)}


def test_a_model_without_an_answer_is_not_innocent(db: Path, server: ChatServer) -> None:
    server.otherwise = Answer(status=400)
    options = ("--model", "parrot", "--base-url", server.url, "--retries", "0")
    done = run(db, "check-contamination", "granola", *options)
    assert done.exit_code == 1 and "completed" not in done.stdout
