"""The command that builds BioKaLMA: from a store, from sentences, and with a model's help."""

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from kgbuild.datasets import database
from tests.chat_server import ChatServer, chat_server
from tests.conftest import Run, commands, load_text, triples
from tests.test_biokalma_written import good
from tests.test_granola_profile import CITY, item, person

COHERENCE = ("embedding", "perplexity")


def city(number: int, name: str, *facts: str) -> str:
    return item(f"Q{number}", name, CITY, *facts)


WORLD = (
    person(1, "Ann Lee", "wdt:P26 wd:Q2", "wdt:P19 wd:Q40", "wdt:P69 wd:Q41"),
    person(2, "Bo Ek", "wdt:P26 wd:Q1", "wdt:P19 wd:Q42", "wdt:P69 wd:Q43"),
    person(3, "Cy Um", "wdt:P26 wd:Q4", "wdt:P19 wd:Q44", "wdt:P69 wd:Q45"),
    person(4, "Di Ox", "wdt:P19 wd:Q46", "wdt:P69 wd:Q47", "wdt:P737 wd:Q1"),
    person(5, "Ed Ax", "wdt:P26 wd:Q6"),
    person(6, "Flo Ax"),
    person(7, "Gil Oz", "wdt:P1038 wd:Q8", "wdt:P19 wd:Q48", "wdt:P69 wd:Q49"),
    person(8, "Hal Oz", "wdt:P19 wd:Q50", "wdt:P69 wd:Q51"),
    city(10, "Lund", "wdt:P47 wd:Q11", "wdt:P37 wd:Q40", "wdt:P6 wd:Q1"),
    city(11, "Malmö", "wdt:P37 wd:Q41", "wdt:P6 wd:Q2", "wdt:P138 wd:Q3"),
    *(item(f"Q{40 + n}", f"Thing {n}", None) for n in range(12)),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return load_text(tmp_path_factory.mktemp("biokalma"), triples("".join(WORLD)), "world")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "sets" / "datasets.duckdb"


def runner(store: Path, db: Path) -> Run:
    """Return a function that runs the command line on a store and a database."""
    return commands(KGBUILD_DB=db, KGBUILD_STORE=store, COLUMNS=120)


@pytest.fixture
def run(store: Path, db: Path) -> Run:
    return runner(store, db)


@pytest.fixture(scope="module")
def couples(store: Path) -> Path:
    """Return a database of the questions about couples, which no test changes."""
    db = store.with_name("couples.duckdb")
    assert runner(store, db)("biokalma", "--relations", "P26").exit_code == 0
    return db


@pytest.fixture
def old(couples: Path, db: Path) -> list[dict[str, Any]]:
    """Return the questions about couples, which are in the database already."""
    db.parent.mkdir()
    shutil.copy(couples, db)
    return asked(db)


@pytest.fixture
def server(server: ChatServer) -> ChatServer:
    server.say = good
    return server


def asked(db: Path, table: str = "biokalma_questions") -> list[dict[str, Any]]:
    return database(db).rows(table)


def pairs(db: Path) -> set[tuple[str, str]]:
    """Return the source of each question, and its first subject."""
    return {(row["source"], row["subjects"][0]["label"]) for row in asked(db)}


def left(db: Path) -> set[tuple[str, str, str]]:
    """Return what was left out: of which build, what, and why."""
    rows = database(db).rows("rejections")
    return {(row["relation"], row["candidate"], row["reason"]) for row in rows}


def said(done: Result) -> str:
    return " ".join(done.stderr.split())


# From the store


def test_relations_of_the_store(run: Run, db: Path) -> None:
    done = run("biokalma", "--relations", "P26,p1038")
    assert done.exit_code == 0, done.output
    assert pairs(db) == {("P26", "Ann Lee"), ("P26", "Cy Um"), ("P1038", "Gil Oz")}
    header, _, *lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert header == "made from label questions pieces left out, mostly because"
    assert lines == [
        "P26 spouse 2 5.0 mirrored (1), too little knowledge (1)",
        "P1038 relative 1 5.0",
    ]
    assert left(db) == {
        ("P26", "Q2 P26 Q1", "mirrored"),
        ("P26", "Q5 P26 Q6", "too little knowledge"),
    }
    assert f"The questions are in {db}." in done.stderr
    # What it says to look at them can be run as it stands.
    query = done.stderr.rpartition('"SELECT')[2].rstrip().removesuffix('"')
    shown = json.loads(run("sql", f"SELECT{query}", "--json").stdout)
    assert shown[0]["property_label"] == "spouse"
    assert len(shown) == 7


def test_all_relations_that_join_people(run: Run, db: Path) -> None:
    done = run("biokalma")
    assert done.exit_code == 0, done.output
    builds = {row["relation"]: row["rows"] for row in asked(db, "builds")}
    assert builds == {"P26": 2, "P737": 0, "P1038": 1}
    assert {row["dataset"] for row in asked(db, "builds")} == {"biokalma"}


def test_the_variety_of_questions(run: Run) -> None:
    told = said(run("biokalma", "--relations", "P26", "--variety"))
    assert "Specific questions: entropy of shapes " in told
    assert "General questions: entropy of shapes " in told
    assert "Specific questions ask for 2 properties." in told


def test_what_it_was_built_from_is_kept(run: Run, db: Path) -> None:
    run("biokalma", "--relations", "P26", "--seed", "5", "--rounds", "5", "--remove", "1")
    (row,) = asked(db, "builds")
    assert (row["relation"], row["seed"], row["rows"], row["rejected"]) == ("P26", 5, 2, 2)
    assert json.loads(row["options"]) == {
        "of_class": "Q5",
        "rounds": 5,
        "alpha": 0.01,
        "remove": 1,
        "coherence": "none",
    }
    assert [one["name"] for one in row["dump"]] == ["world.nt"]


def test_rounds_of_removal_are_a_view(run: Run, db: Path) -> None:
    run("biokalma", "--relations", "P26", "--remove", "2")
    whole = {
        (row["question_id"], row["qid"], row["property"], row["value"])
        for row in asked(db, "biokalma_pool")
    }
    gone = {
        (row["removed"], row["question_id"], row["qid"], row["property"], row["value"])
        for row in asked(db, "biokalma_absent")
    }
    rounds = json.loads(run("sql", "FROM biokalma_rounds", "--json").stdout)
    found = {
        (row["removed"], row["question_id"], row["qid"], row["property"], row["value"])
        for row in rounds
    }
    assert found == {(removed, *one) for removed in range(3) for one in whole} - gone
    assert len(rounds) == len(found)
    # Bo's spouse goes with Ann's: one follows from the other.
    assert {removed for removed, *_ in gone} == {1, 2}


def test_a_build_replaces_its_relations_and_no_others(run: Run, db: Path) -> None:
    run("biokalma", "--relations", "P26,P1038")
    names = ("questions", "knowledge", "pool", "equivalents", "absent", "graphs")
    before = {
        name: [row for row in asked(db, f"biokalma_{name}") if row["source"] == "P1038"]
        for name in names
    }
    run("biokalma", "--relations", "P26", "--limit", "1")
    assert sum(source == "P26" for source, _ in pairs(db)) == 1
    ids = {row["question_id"] for row in asked(db)}
    for name in names:
        rows = asked(db, f"biokalma_{name}")
        assert [row for row in rows if row["source"] == "P1038"] == before[name]
        assert {row["question_id"] for row in rows} <= ids
    # The same again changes nothing.
    whole = [asked(db, f"biokalma_{name}") for name in names]
    run("biokalma", "--relations", "P26", "--limit", "1")
    assert [asked(db, f"biokalma_{name}") for name in names] == whole


@pytest.mark.usefixtures("old")
def test_another_class(run: Run, db: Path) -> None:
    done = run("biokalma", "--class", f" {CITY.lower()} ")
    assert done.exit_code == 0, done.output
    # The questions about people are still there.
    assert pairs(db) == {("P26", "Ann Lee"), ("P26", "Cy Um"), (f"{CITY}/P47", "Lund")}
    assert "shares border with" in done.stdout
    query = done.stderr.rpartition('"SELECT')[2].rstrip().removesuffix('"')
    assert len(json.loads(run("sql", f"SELECT{query}", "--json").stdout)) >= 5


# From sentences


def line(sentence: str, head: str, relation: str, tail: str) -> str:
    told = {"sentence": sentence, "head": head, "relation": relation, "tail": tail}
    return json.dumps(told, ensure_ascii=False)


MARRIED = line("Ann Lee of Thing 0 married Bo Ek.", "Ann Lee", "spouse", "Bo Ek")
LINES = [
    MARRIED,
    "",
    "{",
    line("Who is that?", "Jo Nobody", "spouse", "Bo Ek"),
    line("They met.", "Ann Lee", "met", "Bo Ek"),
    line("They married.", "Bo Ek", "P26", "Ann Lee"),
    line("They married, too.", "Ed Ax", "spouse", "Flo Ax"),
]


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the lines of a file."""

    def saved(lines: Sequence[str], name: str = "mine.jsonl", before: bytes = b"") -> Path:
        path = tmp_path / name
        path.write_bytes(before + "\n".join(lines).encode())
        return path

    return saved


def test_a_file_of_sentences(run: Run, db: Path, save: Any) -> None:
    done = run("biokalma", "--biographies", save(LINES))
    assert done.exit_code == 0, done.output
    assert pairs(db) == {("mine.jsonl", "Ann Lee")}
    assert left(db) == {
        ("mine.jsonl", "line 3", "wrong JSON"),
        ("mine.jsonl", "line 4: Jo Nobody spouse Bo Ek", "unknown name"),
        ("mine.jsonl", "line 5: Ann Lee met Bo Ek", "unknown relation"),
        ("mine.jsonl", "line 6: Bo Ek P26 Ann Lee", "asked before"),
        ("mine.jsonl", "line 7: Ed Ax spouse Flo Ax", "too little knowledge"),
    }
    first = [row["property"] for row in asked(db, "biokalma_knowledge") if row["round"] == 0]
    assert first == ["P26", "P19"]
    (row,) = asked(db, "builds")
    assert (row["relation"], row["rows"], row["rejected"]) == ("mine.jsonl", 1, 5)
    assert [one["name"] for one in row["dump"]] == ["world.nt", "mine.jsonl"]
    assert "mine.jsonl" in done.stdout


def test_the_file_of_some_editors(run: Run, db: Path, save: Any) -> None:
    # It begins with a mark of the order of bytes, and its lines end in CR LF.
    done = run("biokalma", "--biographies", save([f"{MARRIED}\r", ""], before=b"\xef\xbb\xbf"))
    assert done.exit_code == 0, done.output
    assert left(db) == set()


def test_bytes_that_are_no_text(run: Run, db: Path, save: Any) -> None:
    done = run("biokalma", "--biographies", save([MARRIED], before=b"\xff\xfe\n\x00\n"))
    assert done.exit_code == 0, done.output
    assert left(db) == {
        ("mine.jsonl", "line 1", "wrong JSON"),
        ("mine.jsonl", "line 2", "wrong JSON"),
    }


@pytest.mark.parametrize(
    "bad",
    [
        "[" * 100_000,
        '{"sentence": "\\ud800", "head": "Ann Lee", "relation": "spouse", "tail": "Bo Ek"}',
        '{"sentence": "S.", "head": "Ann \\ud800", "relation": "spouse", "tail": "Bo Ek"}',
        '{"sentence": "S.", "head": "Ann\\u0000 Lee", "relation": "spouse", "tail": "Bo Ek"}',
        '{"sentence": "S.", "head": "Ann Lee", "relation": "spouse", "tail": 7}',
        line("x" * 100_000, "y" * 100_000, "z" * 100_000, "a b"),
    ],
)
def test_one_bad_line_loses_no_other(run: Run, db: Path, save: Any, bad: str) -> None:
    other = line("They married.", "Cy Um", "spouse", "Di Ox")
    done = run("biokalma", "--biographies", save([bad, other]))
    assert done.exit_code == 0, done.output
    assert ("mine.jsonl", "Cy Um") in pairs(db)


@pytest.mark.usefixtures("old")
def test_a_file_replaces_its_own_questions(run: Run, db: Path, save: Any) -> None:
    run("biokalma", "--biographies", save([MARRIED], "one.jsonl"))
    run("biokalma", "--biographies", save([MARRIED], "two's.jsonl"))
    assert {source for source, _ in pairs(db)} == {"P26", "one.jsonl", "two's.jsonl"}
    married = line("They married.", "Cy Um", "spouse", "Di Ox")
    done = run("biokalma", "--biographies", save([married], "two's.jsonl"))
    # A name with a quote can be looked for, too.
    assert "k.source = 'two''s.jsonl'" in done.stderr
    assert ("two's.jsonl", "Cy Um") in pairs(db)
    assert ("two's.jsonl", "Ann Lee") not in pairs(db)
    assert ("one.jsonl", "Ann Lee") in pairs(db)


def test_no_line_makes_a_question(run: Run, db: Path, save: Any, old: list[dict[str, Any]]) -> None:
    done = run("biokalma", "--biographies", save(LINES[2:5]))
    assert (done.exit_code, done.stdout) == (1, "")
    assert said(done) == (
        f"The table rejections of {db} has all 3 reasons. "
        "Error: Nothing was built for mine.jsonl: all 3 candidates were rejected: "
        "1 × no item of the class has the name (such as: Jo Nobody); 1 × no relation that connects "
        "subjects has this id or label (such as: met); 1 × the line is not a JSON object (such as: "
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1))."
    )
    assert asked(db) == old
    empty = run("biokalma", "--biographies", save(["", " "]))
    assert empty.exit_code == 2
    assert "Traceback" not in empty.output


def test_a_limit_counts_questions(run: Run, db: Path, save: Any) -> None:
    run("biokalma", "--biographies", save(LINES[::-1]), "--limit", "1")
    assert len(asked(db)) == 1


def test_sentences_about_another_class(run: Run, db: Path, save: Any) -> None:
    told = line("Lund borders on Malmö.", "Lund", "P47", "Malmö")
    done = run("biokalma", "--class", CITY, "--biographies", save([told]))
    assert done.exit_code == 0, done.output


@pytest.mark.usefixtures("old")
def test_a_file_that_is_called_as_a_relation(run: Run, db: Path, save: Any) -> None:
    run("biokalma", "--biographies", save([MARRIED], "P26"))
    assert ("P26", "Cy Um") in pairs(db)


# Wrong calls, and nothing to build


def test_a_relation_that_joins_nobody(run: Run, db: Path, old: list[dict[str, Any]]) -> None:
    done = run("biokalma", "--relations", "P40")
    assert (done.exit_code, done.stdout) == (1, "")
    assert said(done) == (
        "Error: Nothing was built: the store has no statement of P40. See 'kgbuild relations'."
    )
    assert asked(db) == old


def test_pairs_of_whom_none_is_asked_about(run: Run, db: Path) -> None:
    done = run("biokalma", "--class", CITY, "--relations", "P26")
    assert (done.exit_code, done.stdout) == (1, "")
    assert said(done).startswith("Error: Nothing was built")


@pytest.mark.parametrize("by", COHERENCE)
def test_a_missing_extra_is_named_before_any_work(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as if not installed
    done = run("biokalma", "--coherence", by, "--coherence-model", f"a-model-for-{by}")
    assert (done.exit_code, done.stdout) == (1, "")
    assert said(done) == (
        "Error: This needs sentence-transformers, which is not installed: "
        "pip install 'kgbuild[semantic]'."
    )
    assert not db.exists()


@pytest.mark.extras
@pytest.mark.parametrize("by", COHERENCE)
def test_a_folder_that_is_no_model(run: Run, db: Path, tmp_path: Path, by: str) -> None:
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    (tmp_path / "model").mkdir()
    done = run("biokalma", "--coherence", by, "--coherence-model", tmp_path / "model")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "model" in said(done) and "Traceback" not in done.output
    assert not db.exists()


# With a model


def with_model(server: ChatServer, *more: object) -> tuple[object, ...]:
    return ("biokalma", *more, "--model", "parrot", "--base-url", server.url)


def test_a_model_writes(run: Run, db: Path, server: ChatServer) -> None:
    done = run(*with_model(server, "--relations", "P26"))
    assert done.exit_code == 0, done.output
    assert {row["general_question"] for row in asked(db)} == {
        "Who were Ann Lee and Bo Ek?",
        "Who were Cy Um and Di Ox?",
    }
    # Four rounds for one and six for the other, and two questions each.
    assert len(server.sent) == 4 + 6 + 2 * 2
    assert "0 cached replies." in done.stderr
    assert done.stderr.count("requests") == 1
    assert db.with_name("replies.sqlite").exists()
    (row,) = asked(db, "builds")
    options = json.loads(row["options"])
    assert (options["model"], options["base_url"]) == ("parrot", server.url)


def test_a_server_that_is_not_there(run: Run, db: Path, old: list[dict[str, Any]]) -> None:
    with chat_server() as gone:
        url = gone.url
    done = run("biokalma", "--relations", "P26", "--model", "parrot", "--base-url", url)
    assert done.exit_code == 1
    assert url in done.stderr and "Traceback" not in done.output
    assert asked(db) == old
