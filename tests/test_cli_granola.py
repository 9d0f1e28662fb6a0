"""The command that builds GRANOLA: from a store, from files, and with a model's help."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgbuild.datasets import database
from tests.chat_server import Answer, ChatServer
from tests.conftest import Run, commands, load_text, triples
from tests.test_granola_enrich import WORLD


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a store of three people and the towns where they were born."""
    return load_text(tmp_path_factory.mktemp("granola"), triples("".join(WORLD)), "world")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "sets" / "datasets.duckdb"


@pytest.fixture
def run(store: Path, db: Path) -> Run:
    """Return a function that runs the command line on that store and a database of its own."""
    return commands(KGBUILD_DB=db, KGBUILD_STORE=store, COLUMNS=120)


def texts(db: Path) -> dict[str, list[str]]:
    """Return the answers to each question, as they stand in the database."""
    found: dict[str, list[str]] = {one["question_id"]: [] for one in asked(db)}
    for row in database(db).rows("granola_answers"):
        found[row["question_id"]].append(row["answer"])
    return {one["question"]: found[one["question_id"]] for one in asked(db)}


def asked(db: Path) -> list[dict[str, Any]]:
    return database(db).rows("granola_questions")


def left(db: Path) -> list[tuple[str, str]]:
    """Return which questions were left out, and why."""
    rows = database(db).rows("rejections")
    return [(row["candidate"], row["reason"]) for row in rows if row["reason"] != "tells little"]


ANN, BO = "Where was Ann Lee, the painter, born?", "Where was Bo born?"


# From the store


def test_relations_of_the_store(run: Run, db: Path) -> None:
    done = run("granola", "--relations", "place of birth,p569", "--min-bits", "0.1")
    assert done.exit_code == 0, done.output
    assert texts(db)[ANN] == ["Lyon", "France", "Europe"]
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["P19", "place", "of", "birth", "2", "100%", "50%"] in lines  # Reno has no continent
    assert f"The questions are in {db}." in done.stderr
    # What it says to look at them can be run as it stands.
    query = done.stderr.rpartition('"SELECT')[2].rstrip().removesuffix('"')
    shown = json.loads(run("sql", f"SELECT{query}", "--json").stdout)
    assert {row["question"] for row in shown} == {ANN, BO}


def test_all_relations_but_the_coarse_ones(run: Run, db: Path) -> None:
    done = run("granola", "--min-bits", "0")
    assert done.exit_code == 0, done.output
    # Relations without statements share a line, and have none in the table.
    assert "The store has no such statement for: P26 spouse, P40 child, " in done.stderr
    assert "P26" not in done.stdout
    # Where the towns lie is stated, too, but a country is a coarse answer: it must be asked for.
    # Nobody is asked for the inception of towns.
    assert {row["relation"] for row in asked(db)} == {"P19", "P569"}
    assert run("granola", "--relations", "P17").exit_code == 0
    assert "P17" in {row["relation"] for row in asked(db)}


def test_what_it_was_built_from_is_kept(run: Run, db: Path) -> None:
    run("granola", "--relations", "P19", "--seed", "5", "--min-bits", "0.1", "--limit", "2")
    (row,) = database(db).rows("builds")
    assert (row["dataset"], row["relation"], row["seed"], row["rows"]) == ("granola", "P19", 5, 2)
    assert json.loads(row["options"]) == {"limit": 2, "min_bits": 0.1}


# From files


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes records, as the ending of the name says."""

    def saved(name: str, records: Sequence[dict[str, Any]]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if path.suffix == ".csv":
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, [*records[0]])
                writer.writeheader()
                writer.writerows(records)
        else:
            path.write_text(json.dumps(records), encoding="utf-8")
        return path

    return saved


GIVEN = [
    {"question": "Where was Ann Lee born?", "answers": ["Lyon"]},
    {"question": "Where was Zoë born?", "answers": ["Nowhere"]},
    {"question": "Where was Bo born?", "answers": ["Reno"]},
]


def test_a_file_of_questions(run: Run, db: Path, save: Any) -> None:
    path = save("P19.dev.json", GIVEN)
    done = run("granola", "--questions", path, "--min-bits", "0.1")
    assert done.exit_code == 0, done.output
    assert texts(db) == {
        "Where was Ann Lee born?": ["Lyon", "France", "Europe"],
        "Where was Bo born?": ["Reno", "the United States"],
    }
    assert left(db) == [("record 2", "unknown names")]
    assert "unknown names (1)" in done.stdout
    # What would mend the records that are left out is told, and the command that shows them runs.
    assert (
        "1 × no item has the name of the subject or of an answer: add a column 'subject'"
        " (such as: Where was Zoë born?)" in " ".join(done.stderr.split())
    )
    query = done.stderr.partition('"SELECT candidate')[2].partition('"')[0]
    (shown,) = json.loads(run("sql", f"SELECT candidate{query}", "--json").stdout)
    assert (shown["candidate"], shown["reason"]) == ("record 2", "unknown names")
    (row,) = database(db).rows("builds")
    assert row["relation"] == "P19.dev.json"
    assert [one["name"] for one in row["dump"]] == ["world.nt", "P19.dev.json"]


def test_answers_that_are_no_items_are_told(run: Run, db: Path, save: Any) -> None:
    rows = [
        {"question": "Where was Ann Lee born?", "gold": "Lyon, France"},
        {"question": "Where was Bo born?", "gold": "the biggest little city"},
    ]
    done = run("granola", "--questions", save("P19.csv", rows), "--min-bits", "0.1")
    assert done.exit_code == 0, done.output
    # "gold" has answers, and a town may stand before its country.
    assert texts(db)["Where was Ann Lee born?"] == ["Lyon, France", "France", "Europe"]
    told = " ".join(done.stderr.split())
    assert (
        "1 × an answer has no item in the store, and is no date that can be read (such as: the"
        " biggest little city)." in told
    )


def test_columns_that_may_be_answers_are_told_if_nothing_is_built(run: Run, save: Any) -> None:
    done = run("granola", "--questions", save("mine.csv", [{"question": "Who?", "right": "Ann"}]))
    assert done.exit_code == 1
    told = " ".join(done.stderr.split())
    assert "If they are in one of right, name it: --columns answers=COLUMN." in told


def test_a_folder_of_files_and_another_file(run: Run, db: Path, save: Any, tmp_path: Path) -> None:
    save("many/one.json", GIVEN[:1])
    save("many/two.csv", [{"question": "Where was Bo born?", "answers": "Reno"}])
    (tmp_path / "many" / "notes.txt").write_text("none of them")
    more = save("more.json", [{"question": "Where was Cy born?", "answers": ["Nice"]}])
    done = run("granola", "--questions", tmp_path / "many", "--questions", more)
    assert done.exit_code == 0, done.output
    assert {row["source"] for row in asked(db)} == {"one.json", "two.csv", "more.json"}


def test_two_files_of_one_name(run: Run, db: Path, save: Any) -> None:
    one, two = save("a/q.json", GIVEN), save("b/q.json", GIVEN)
    done = run("granola", "--questions", one, "--questions", two)
    assert done.exit_code == 2
    assert "another file is called q.json" in " ".join(done.stderr.split())
    assert not db.exists() or asked(db) == []


def test_rows_of_another_file_are_not_replaced_in_silence(run: Run, db: Path, save: Any) -> None:
    one = save("a/q.json", GIVEN)
    assert "were replaced" not in run("granola", "--questions", one).stderr
    assert "were replaced" not in run("granola", "--questions", one).stderr  # the same content
    done = run("granola", "--questions", save("b/q.json", GIVEN[:1]))
    assert "another version, called q.json were replaced. Rename" in " ".join(done.stderr.split())
    assert "were replaced" not in run("granola", "--questions", save("b/p.json", GIVEN)).stderr


def test_a_folder_without_questions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "notes.txt").write_text("none of them")
    done = run("granola", "--questions", tmp_path / "none")
    assert done.exit_code == 2
    assert "has no file of questions: .jsonl, .json, .csv, .tsv, .parquet." in " ".join(
        done.stderr.split()
    )


def test_a_second_file_leaves_the_first_as_it_was(run: Run, db: Path, save: Any) -> None:
    run("granola", "--questions", save("one.json", GIVEN[:1]))
    run("granola", "--questions", save("two.json", GIVEN[2:]))
    run("granola", "--questions", save("two.json", GIVEN[1:]))  # another file of that name
    assert [row["source"] for row in asked(db)] == ["one.json", "two.json"]


# Wrong calls, and nothing to build


def test_nothing_built_keeps_what_was_there(run: Run, db: Path, save: Any) -> None:
    assert run("granola", "--relations", "P19").exit_code == 0
    before = asked(db)
    none = run("granola", "--relations", "P26")
    assert none.exit_code == 1
    assert "Nothing was built: the store has no statement of P26." in none.stderr
    path = save("q.json", [GIVEN[1], {"question": "Why?", "answers": ["Because"]}])
    none = run("granola", "--questions", path)
    assert none.exit_code == 1
    assert "Nothing was built for q.json: all 2 candidates were rejected" in " ".join(
        none.stderr.split()
    )
    assert (
        "2 × no item has the name of the subject or of an answer: add a column 'subject'"
        f" (such as: {GIVEN[1]['question']})" in " ".join(none.stderr.split())
    )
    assert asked(db) == before
    # The reason of each candidate can be read; those of a relation with rows stay as they were.
    assert "has all 2 reasons." in none.stderr
    rejections = "SELECT candidate, reason FROM rejections WHERE relation = 'q.json'"
    assert [row["candidate"] for row in json.loads(run("sql", rejections, "--json").stdout)] == [
        "record 1",
        "record 2",
    ]


# With a model


def help_of(server: ChatServer, *more: object) -> tuple[object, ...]:
    """Return the options of a build of where people were born, with a model's help."""
    return ("granola", "--relations", "P19", "--model", "parrot", "--base-url", server.url, *more)


def who(sent: dict[str, Any]) -> str:
    said = sent["messages"][-1]["content"]
    return "Ann" if "Ann Lee" in said else "Bo"


def test_a_model_adds_what_the_graph_has_not(run: Run, db: Path, server: ChatServer) -> None:
    server.say = lambda sent: (
        "1:: Lyon\n2:: the Hexagon\n3:: somewhere mild"
        if who(sent) == "Ann"
        else "1:: Reno\n2:: United States\n3:: the west"
    )
    done = run(*help_of(server, "--min-bits", "0"))
    assert done.exit_code == 0, done.output
    found = texts(db)
    # "The Hexagon" is what the graph has as an alias of France, so it is there once.
    assert found[ANN] == ["Lyon", "France", "Europe", "somewhere mild"]
    assert found[BO] == ["Reno", "the United States", "the west"]
    kinds = {row["answer"]: row["kind"] for row in database(db).rows("granola_answers")}
    said = {text for text, kind in kinds.items() if kind == "model"}
    assert said == {"somewhere mild", "the west"}
    assert "parrot: 2 requests, 20 tokens, 0 cached replies." in done.stderr
    assert db.with_name("replies.sqlite").exists()  # beside the database
    (row,) = database(db).rows("builds")
    assert json.loads(row["options"])["model"] == "parrot"


def test_nonsense_is_left_out_and_the_rest_is_built(
    run: Run, db: Path, server: ChatServer, tmp_path: Path
) -> None:
    server.say = lambda sent: "Ask me later!" if who(sent) == "Bo" else "1:: Lyon\n2:: the south"
    replies = tmp_path / "kept" / "r.sqlite"
    done = run(*help_of(server, "--replies", replies))
    assert done.exit_code == 0, done.output
    assert list(texts(db)) == [ANN]
    assert left(db) == [("Q2 P19", "nonsense")]
    assert "nonsense (1)" in done.stdout
    assert replies.exists() and not db.with_name("replies.sqlite").exists()


def test_what_a_server_refuses_is_asked_again_by_the_next_build(
    run: Run, db: Path, server: ChatServer
) -> None:
    server.say = lambda sent: "1:: x\n2:: somewhere"
    server.plan = [Answer(400)]  # whichever of the two comes first
    done = run(*help_of(server))
    assert done.exit_code == 0, done.output
    ((_, why),) = left(db)
    assert (why, len(asked(db))) == ("refused", 1)
    run(*help_of(server))
    assert (len(asked(db)), left(db)) == (2, [])
    assert len(server.sent) == 3  # what was answered is not sent again
