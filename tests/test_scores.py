"""Scores of what models were asked: kept in the database."""

import dataclasses
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

import kgbuild
from kgbuild import datasets
from kgbuild.cli import cli
from kgbuild.datasets import database, dataset
from kgbuild.rows import Build, Built, Provenance
from kgbuild.tables import connection
from kgbuild.tables.records import Prediction, Scored
from tests.processes import interrupted_after_rename
from tests.test_detection import pair
from tests.test_detection import write as write_pairs
from tests.test_score_biokalma import TAUGHT, built
from tests.test_score_granola import SHIP, TOMB, question

Run = Callable[..., Result]
SOURCE = Provenance(seed=0, options={}, files=[], store_fingerprint="f" * 32, store_triples=7)


def predicted(item_id: str, text: str, **more: Any) -> Prediction:
    common = {
        **{"dataset": "granola", "item_id": item_id, "false_assumption": None, "model": "m"},
        **{"protocol": "vanilla", "removed": None, "accuracy": None, "sample": 0},
        **{"prompt_hash": "", "text": text, "tokens_in": 1, "tokens_out": 1, "seconds": 0.1},
    }
    return Prediction(**{**common, **more})


OF_A_POOL = {"dataset": "biokalma", "protocol": "specific", "removed": 0, "accuracy": 100}
OF_A_PAIR = {"dataset": "syn_qa", "item_id": "a", "protocol": "zero-shot"}
PREDICTIONS = [
    # Model m has one place exactly and one of its country, n one and none.
    *(predicted("ship", "Vasa Museum"), predicted("tomb", "Egypt")),
    *(predicted("ship", "Sweden", model="n"), predicted("tomb", "Lima", model="n")),
    # What is not scored: samples, and answers that people are to judge.
    *(predicted("ship", "Lima", protocol="sampled", sample=n) for n in (0, 1)),
    predicted(text="In 1990.", **{**OF_A_PAIR, "protocol": "generative"}, false_assumption=True),
    *(predicted(text="No", **OF_A_PAIR, false_assumption=truth) for truth in (False, True)),
    # One of the two pieces that are needed.
    predicted("taught", "A pupil of Eva Blom [Q41, student of: Eva Blom].", **OF_A_POOL),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "sets.duckdb"
    write_pairs(path, pair("a", "P26", "Who?", "Whose?", "absent"))
    asked = [question(name, "P276", 5) for name in ("ship", "tomb")]
    built_granola = Built("P276", {"granola_questions": asked, "granola_answers": SHIP + TOMB})
    database(path).write(Build(dataset("granola"), [built_granola], SOURCE))
    needed = [("Q41", "P1066"), ("Q42", "P19")]
    built_biokalma = built("taught", "P1066", TAUGHT, needed, [], [])
    database(path).write(Build(dataset("biokalma"), [built_biokalma], SOURCE))
    database(path).write_predictions(PREDICTIONS)
    return path


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "sets.duckdb"))


@pytest.fixture
def run(db: Path) -> Run:
    """Return a function that scores with that database."""
    return lambda *arguments: CliRunner().invoke(
        cli, ["score", *map(str, arguments), "--db", str(db)], env={"COLUMNS": "140"}
    )


def shown(done: Result) -> list[dict[str, Any]]:
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("dataset", ["granola", "syn_qa", "biokalma"])
def test_predictions_score_as_a_file_of_them_does(
    run: Run, db: Path, tmp_path: Path, dataset: str
) -> None:
    found = database(db).sql(datasets.dataset(dataset).scoring.predictions)
    path = tmp_path / "answers.json"
    records = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    path.write_text(json.dumps(records), encoding="utf-8")
    name = dataset.replace("_", "-")
    assert shown(run(name, "--json")) == shown(run(name, path, "--json"))
    kept = database(db).rows("scores")
    of_predictions, of_file = (
        [{**row, "source": ""} for row in kept if row["source"] == source]
        for source in ("predictions", "answers.json")
    )
    assert of_predictions == of_file and len(of_file) == len(kept) / 2 > 0


def test_scores_are_kept_as_they_are_shown(run: Run, db: Path) -> None:
    one, _ = shown(run("granola", "--json"))
    kept = {row["metric"]: row for row in database(db).rows("scores") if row["model"] == "m"}
    low, high = one["accuracy_interval"]
    assert kept["accuracy"] == {
        **{"dataset": "granola", "model": "m", "protocol": "vanilla", "removed": None},
        **{"accuracy": None, "grouped_by": "", "group": "", "judge": "", "metric": "accuracy"},
        **{"value": 1.0, "low": low, "high": high, "answers": 2, "source": "predictions"},
    }
    shares = {name: one[name] for name in kept if name in one}
    assert shares == {name: row["value"] for name, row in kept.items() if name in one}
    # One answer of two matches the first level, one the second.
    assert [kept[f"level_{n}"]["value"] for n in (1, 2)] == [0.5, 0.5]


def test_the_pool_and_the_group_are_kept(run: Run, db: Path) -> None:
    assert run("biokalma", "--by", "relation").exit_code == 0
    found = (
        database(db)
        .sql("""SELECT removed, accuracy, grouped_by, "group", "value", answers
        FROM scores WHERE metric = 'recall'""")
        .rows
    )
    assert found == [(0, 100, "relation", "P1066", 0.5, 2)]
    # Nothing is absent, so there is nothing to say of [NA].
    assert database(db).sql("FROM scores WHERE starts_with(metric, 'na_')").rows == []


def test_only_the_same_scores_are_replaced(run: Run, db: Path) -> None:
    for arguments in (["granola"], ["granola", "--by", "relation"], ["syn-qa"]):
        assert run(*arguments).exit_code == 0
    before = database(db).rows("scores")
    database(db).write_predictions([dataclasses.replace(PREDICTIONS[0], text="Lima")])
    assert run("granola").exit_code == 0
    after = database(db).rows("scores")
    gone = [row for row in before if row not in after]
    assert {(row["dataset"], row["grouped_by"], row["model"]) for row in gone} == {
        *(("granola", by, "m") for by in ("", "relation"))  # n answers as before
    }
    assert run("granola").exit_code == 0 and database(db).rows("scores") == after


@contextmanager
def held(db: Path) -> Iterator[None]:
    """Read a database in another process, so that nobody can write it."""
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True); print(flush=True);"
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{code} sys.stdin.read()", str(db)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "\n"
        yield
    finally:
        holder.communicate(timeout=10)


def test_scores_that_could_not_be_kept_are_refused(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SHORT_WAIT", 0.0)  # so that the test needn't wait
    with held(db):
        done = run("granola")
        assert run("granola", "--compare").exit_code == 0  # it keeps nothing
    assert (done.exit_code, done.stdout) == (1, "")
    assert "is held by" in done.stderr and done.stderr.endswith("wait, or end that one.\n")
    assert database(db).rows("scores") == []


def test_an_interrupt_tells_that_the_database_was_written(db: Path) -> None:
    done = interrupted_after_rename(db.name, "score", "granola", "--db", db)
    assert done.returncode == 130
    assert done.stderr.endswith(
        f"Error: Interrupted. Already written: {db}. All others are as they were before.\n"
    )
    assert database(db).rows("scores")
    assert [path.name for path in db.parent.iterdir()] == [db.name]  # and no second database


def test_nothing_asked_is_told(run: Run, db: Path) -> None:
    with duckdb.connect(str(db)) as connection:
        connection.execute("DELETE FROM predictions")
    done = run("syn-qa")
    assert done.exit_code == 1 and "no answers to syn-qa that can be scored." in done.stderr
    assert "'kgbuild ask syn-qa --model NAME'" in done.stderr


def test_predictions_of_questions_that_are_gone_are_left_out(run: Run, db: Path) -> None:
    database(db).write_predictions([predicted("gone", "Lima", model="o")])
    done = run("granola", "--json")
    assert [one["model"] for one in shown(done)] == ["m", "n"]
    assert "built before, or that verify removed, and so not scored: 1 of 5" in done.stderr
    with duckdb.connect(str(db)) as connection:
        connection.execute("DELETE FROM granola_questions")
    assert run("granola").exit_code == 2  # none is left


# Two models side by side.


def test_two_models_are_compared(run: Run, db: Path) -> None:
    (one,) = shown(run("granola", "--compare", "--json"))
    # The ship is right in both, the tomb in m alone, so a sample has 0, 1 or 2 of two; and the
    # tomb decides by chance which model is ahead, so any permutation has as large a difference.
    assert one == {
        **{"protocol": "vanilla", "metric": "accuracy", "model": "m", "other": "n"},
        **{"value": 1.0, "other_value": 0.5, "difference": 0.5, "difference_interval": [0, 1]},
        **{"p": 1.0, "p_holm": 1.0, "questions": 2, "one_alone": 0},
    }
    assert database(db).rows("scores") == []  # nothing was scored
    row = run("granola", "--compare").stdout.splitlines()[-1].split()
    told = ["100.0%,", "50.0%", "+50.0", "(+0.0", "to", "+100.0)", "1.000", "1.000", "2", "0"]
    assert row == ["vanilla", "m", "n", *told]
    assert run("granola").exit_code == 0
    kgbuild.write_report(db, page := db.with_name("report.html"))
    text = page.read_text(encoding="utf-8")
    table = text.partition("Differences between models on the same questions of GRANOLA")[2]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", table.partition("</table>")[0])
    assert re.sub("<.*?>", "", " ".join(cells)).split() == row


def test_what_one_answered_alone_is_counted(run: Run, db: Path) -> None:
    one = dataclasses.replace(predicted("ship", "Sweden", model="n"), parameters="{}")
    database(db).write_predictions([one])  # by other parameters: the answer to the tomb goes
    (row,) = shown(run("granola", "--compare", "--json"))
    assert (row["questions"], row["one_alone"], row["difference"], row["p"]) == (1, 1, 0.0, 1.0)


def test_pairs_and_pieces_are_compared(run: Run, db: Path) -> None:
    said = [predicted(text="Yes", **OF_A_PAIR, model="n", false_assumption=True)]
    said += [predicted("taught", "Nothing.", **OF_A_POOL, model="n")]
    database(db).write_predictions(said)
    (of_pairs,) = shown(run("syn-qa", "--compare", "--json"))
    # Only n sees the false assumption; m alone was asked of the true one.
    assert (of_pairs["value"], of_pairs["other_value"], of_pairs["one_alone"]) == (0.0, 1.0, 1)
    (of_pieces,) = shown(run("biokalma", "--compare", "--json"))
    assert (of_pieces["metric"], of_pieces["value"], of_pieces["other_value"]) == ("recall", 0.5, 0)


def test_models_that_share_no_question_have_no_difference(run: Run, db: Path) -> None:
    said = [predicted("ship", "Lima"), predicted("tomb", "Lima", model="n")]
    # By other parameters: the answers to the other questions go.
    database(db).write_predictions([dataclasses.replace(row, parameters="{}") for row in said])
    (one,) = shown(run("granola", "--compare", "--json"))
    assert (one["questions"], one["one_alone"], one["difference"], one["p"]) == (0, 2, None, None)
    assert run("granola", "--compare").stdout.splitlines()[-1].split() == [
        "vanilla",
        "m",
        "n",
        "0",
        "2",
    ]


def test_nothing_to_compare_is_told(run: Run, tmp_path: Path) -> None:
    done = run("syn-qa", "--compare")
    assert (
        done.exit_code == 2
        and "--compare needs two models with answers by the same protocol" in done.stderr
    )
    path = tmp_path / "answers.json"
    path.write_text('[{"question_id": "ship", "answer": ""}]', encoding="utf-8")
    done = run("granola", path, "--compare")
    assert done.exit_code == 2 and "has no column 'model'" in done.stderr
    for arguments in ("granola --similarity x", "biokalma --entailment x"):
        assert run(*arguments.split(), "--compare").exit_code == 2


UNFINISHED = [
    predicted("ship", "Vasa", finish_reason="length"),
    predicted("tomb", "Egypt", finish_reason="stop"),
    predicted("ship", "", model="n", finish_reason="content_filter"),
    predicted("tomb", "<think>Egypt, or", model="n", finish_reason="stop"),
]


def test_unfinished_answers_are_counted_and_can_be_left_out(run: Run, db: Path) -> None:
    database(db).write_predictions(UNFINISHED)
    done = run("granola", "--json")
    assert [row["accuracy_of"] for row in shown(done)] == [2, 2]
    assert done.stderr.splitlines() == [
        "Not scored here, but as combined by 'kgbuild aggregate': 2 answers",
        "Not finished, but scored as they are: 1 cut (m, vanilla). "
        "Leave them out with --only finished.",
        "Not finished, but scored as they are: 1 cut, 1 filtered (n, vanilla). "
        "Leave them out with --only finished.",
    ]
    done = run("granola", "--json", "--only", "finished")
    assert [(row["model"], row["accuracy_of"]) for row in shown(done)] == [("m", 1)]
    assert "Answers that are not finished, and so not scored: 3" in done.stderr.splitlines()


def test_without_a_finished_answer_there_is_no_score(run: Run, db: Path) -> None:
    database(db).write_predictions(
        [dataclasses.replace(one, finish_reason="length") for one in UNFINISHED]
    )
    done = run("granola", "--only", "finished")
    assert done.exit_code == 2
    assert "none of its 4 answers is finished" in done.stderr


def test_answers_that_replace_others_remove_their_scores(tmp_path: Path) -> None:
    db = database(tmp_path / "datasets.duckdb")

    def given(protocol: str, text: str) -> Prediction:
        return Prediction("syn_qa", "a", True, "m", protocol, None, None, 0, "", text, 1, 1, 0.1)

    def scored(protocol: str, judge: str = "", source: str = "predictions") -> Scored:
        run = ("syn_qa", "m", protocol, None, None, "", "", judge)
        return Scored(*run, "accuracy", 1.0, None, None, 1, source)

    scores = [scored("one"), scored("two"), scored("one", "j"), scored("one", source="a.jsonl")]
    db.write_predictions([given("one", "yes"), given("two", "yes")])
    db.write_scores(scores)
    of_scores = "SELECT protocol, judge, source FROM scores ORDER BY ALL"
    whole = db.sql(of_scores).rows
    db.write_predictions([given("one", "yes")])  # as before
    assert db.sql(of_scores).rows == whole and len(whole) == len(scores)
    db.write_predictions([given("one", "no")])
    # Those of a file do not depend on the table of answers.
    assert db.sql(of_scores).rows == [("one", "", "a.jsonl"), ("two", "", "predictions")]
