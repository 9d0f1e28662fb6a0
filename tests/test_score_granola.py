"""Score answers at every granularity: from a file to the printed table."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from kgbuild.cli import cli
from kgbuild.datasets import database, dataset
from kgbuild.rows import Build, Built, Provenance
from tests.conftest import write_once
from tests.test_embed import model_folder

Score = Callable[..., Result]
SOURCE = Provenance(seed=0, options={}, files=[], store_fingerprint="f" * 32, store_triples=7)


def question(
    question_id: str, relation: str, popularity: int, complete: float | None = None
) -> dict[str, Any]:
    return {
        "question_id": question_id,
        "relation": relation,
        "question": "",
        "answers": [],
        "popularity": popularity,
        "resolution": "stated",
        "source": relation,
        "evidence": [],
        "split": "test",
        "complete": complete,
    }


def answers(question_id: str, relation: str, *levels: tuple[str, list[str], str]) -> list[Any]:
    return [
        {
            "question_id": question_id,
            "level": level,
            "answer": answer,
            "aliases": aliases,
            "kind": kind,
            "bits": 5.0 - level,
            "capped": False,
            "golds": [],
            "evidence": [],
            "source": relation,
        }
        for level, (answer, aliases, kind) in enumerate(levels, 1)
    ]


SHIP = answers(
    "ship",
    "P276",
    ("Vasa Museum", ["Vasamuseet"], "item"),
    ("Stockholm", [], "place"),
    ("Sweden", ["SE"], "place"),
)
TOMB = answers("tomb", "P276", ("Giza", ["Gizeh"], "item"), ("Egypt", [], "place"))
BIRTH = answers(
    "birth",
    "P569",
    ("22 March 1958", ["March 22, 1958"], "day"),
    ("March 1958", [], "month"),
    ("1958", [], "year"),
)


@pytest.fixture
def run(tmp_path: Path) -> Score:
    """Return a function that runs the command line on a database of three questions."""
    db = tmp_path / "datasets.duckdb"
    at: list[Any] = [question("ship", "P276", 5, 0.89), question("tomb", "P276", 1500, 0.9)]
    born: list[Any] = [question("birth", "P569", 0)]
    builds = [
        Built(relation, {"granola_questions": questions, "granola_answers": results})
        for relation, questions, results in (("P276", at, SHIP + TOMB), ("P569", born, BIRTH))
    ]
    write_once(db, Build(dataset("granola"), builds, SOURCE))
    return lambda *arguments: CliRunner().invoke(
        cli, ["score", "granola", *map(str, arguments), "--db", str(db)], env={"COLUMNS": "140"}
    )


def save(tmp_path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def told(*said: tuple[str, str], **more: str) -> list[dict[str, str]]:
    return [{"question_id": asked, "answer": answer, **more} for asked, answer in said]


ALL = told(("ship", "In Sweden"), ("tomb", "IDK"), ("birth", "March 22, 1958"))


def test_scores_of_a_model(run: Score, tmp_path: Path) -> None:
    done = run(
        save(tmp_path, told(*((one["question_id"], one["answer"]) for one in ALL))), "--json"
    )
    (one,) = json.loads(done.stdout)
    shown = {
        **{"accuracy": (2 / 3, 3), "standard": (1 / 3, 3), "abstained": (1 / 3, 3)},
        "informativeness": (pytest.approx((1 + 1 / 4) / 3), 3),  # levels 1 and 3
        **{"selective_accuracy": (1.0, 2), "selective_standard": (0.5, 2)},
        "selective_informativeness": (pytest.approx((1 + 1 / 4) / 2), 2),
        # The finest have 4 bits, and Sweden has 2.
        "information": (pytest.approx((1 + 2 / 4) / 3), 3),
        "selective_information": (pytest.approx((1 + 2 / 4) / 2), 2),
        **{"level_1": (1 / 3, 3), "level_2": (0.0, 3), "level_3": (1 / 3, 3)},
    }
    assert {name: (one[name], one[f"{name}_of"]) for name in shown} == shown
    assert one.keys() == {f"{name}{end}" for name in shown for end in ("", "_interval", "_of")}
    assert one["accuracy_interval"] == [0.0, 1.0]  # of three, some samples are all or none right
    assert one["selective_informativeness_interval"] == [0.25, 1.0]
    assert done.stderr == ""  # all questions were answered


def test_scores_as_a_table(run: Score, tmp_path: Path) -> None:
    done = run(save(tmp_path, ALL), "--by", "relation")
    rows = [line.split() for line in done.stdout.splitlines()]
    # Of P276, the ship is in Sweden, and of the tomb nothing was said: of two that are drawn,
    # either may be both. Sweden is two levels too coarse, and worth a quarter; it has half of
    # the bits.
    shown = [
        "P276 all 2 50% (0–100) 0% (0–66) 0.12 (0.00–0.25) 0.25 (0.00–0.50) 50% (0–100)",
        "P276 given 1 100% (21–100) 0% (0–79) 0.25 0.50",
        "P569 all 1 100% (21–100) 100% (21–100) 1.00 (0.21–1.00) 1.00 (0.21–1.00) 0% (0–79)",
        "P569 given 1 100% (21–100) 100% (21–100) 1.00 (0.21–1.00) 1.00 (0.21–1.00)",
    ]
    assert rows[2:6] == [row.split() for row in shown]
    # The ship at the third level, the date at the first.
    assert [rows[-4], *rows[-2:]] == [
        ["relation", "1", "2", "3"],
        ["P276", "0.0%", "0.0%", "50.0%"],
        ["P569", "100.0%", "0.0%", "0.0%"],
    ]


@pytest.mark.parametrize(
    ("options", "right", "standard"),
    [
        ([], 0, 0),  # more than 0.9 of a date must be the same
        (["--threshold", "0.7"], 2, 1),  # now another day is right by its month: 0.8 of it
    ],
)
def test_dates_are_matched_closely_unless_a_threshold_is_given(
    run: Score, tmp_path: Path, options: list[str], right: int, standard: int
) -> None:
    said = told(("birth", "23 March 1958"), model="m")
    said += told(("birth", "22 March"), model="n")  # 0.8 of the day
    rows = json.loads(run(save(tmp_path, said), "--json", "--match", "f1", *options).stdout)
    assert sum(row["accuracy"] for row in rows) == right
    assert sum(row["standard"] for row in rows) == standard


def test_the_threshold_of_other_answers_is_the_documented_one(run: Score, tmp_path: Path) -> None:
    said = told(("ship", "the Vasa ship museum"))  # 4 of 5 words: 0.8
    for options, accuracy in (([], 1), (["--threshold", "0.8"], 0)):
        arguments = ("--json", "--match", "f1", *options)
        (row,) = json.loads(run(save(tmp_path, said), *arguments).stdout)
        assert row["accuracy"] == accuracy


def test_the_judgement_of_each_answer_is_written(run: Score, tmp_path: Path) -> None:
    said = told(
        ("ship", "It lies in Stockholm."), ("tomb", "N/A"), ("birth", "23/3/1958"), model="m"
    )
    out = tmp_path / "scored.jsonl"
    done = run(save(tmp_path, said), "-o", out)
    assert (done.exit_code, done.stderr) == (0, f"Written to {out}.\n")
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    shared = {"model": "m", "protocol": "", "source": "rules"}
    wrong = {"level": None, "matched": None, "informativeness": 0.0, "information": 0.0}
    assert records == [
        {"question_id": "ship", **shared, "answer": "It lies in Stockholm.", "verdict": "right"}
        | {"level": 2, "matched": "Stockholm", "reason": "the name Stockholm"}
        | {"informativeness": 0.5, "information": 3 / 4},  # 3 bits of the finest answer's 4
        {"question_id": "tomb", **shared, "answer": "N/A", "verdict": "abstained"}
        | {**wrong, "reason": "abstained"},
        {"question_id": "birth", **shared, "answer": "23/3/1958", "verdict": "wrong"}
        | {**wrong, "reason": "another date: 23/3/1958"},
    ]


def test_answers_of_one_level_have_their_own_bits(run: Score, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "datasets.duckdb")) as db:
        db.execute(
            "INSERT INTO granola_answers SELECT * REPLACE ('the Kalmar Union' AS answer, [] AS"
            " aliases, 4.0 AS bits) FROM granola_answers WHERE answer = 'Sweden'"
        )
    out = tmp_path / "scored.jsonl"
    said = told(("ship", "Sweden"), model="a") + told(("ship", "the Kalmar Union"), model="b")
    run(save(tmp_path, said), "-o", out)
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    # The union has all four bits of the museum, Sweden of today two.
    assert [(one["level"], one["information"]) for one in records] == [(3, 0.5), (3, 1.0)]


def test_decay(run: Score, tmp_path: Path) -> None:
    path = save(tmp_path, told(("ship", "Sweden")))
    (row,) = json.loads(run(path, "--json", "--decay", "1").stdout)
    assert row["informativeness"] == pytest.approx(math.exp(-2))  # of level 3


@pytest.mark.parametrize(
    ("by", "values"),
    [
        ("popularity", ["0", "3–9", "1000–2999"]),  # in the order of numbers
        ("complete", ["closed", "open", "unknown"]),  # 0.9, 0.89, and of an earlier version
    ],
)
def test_ways_to_group(run: Score, tmp_path: Path, by: str, values: list[str]) -> None:
    records = [{**one, "model": "m", "protocol": "p"} for one in ALL]
    rows = json.loads(run(save(tmp_path, records), "--by", by, "--json").stdout)
    assert [row[by] for row in rows] == values
    assert sum(row["accuracy_of"] for row in rows) == 3


def test_questions_without_an_answer_are_reported(run: Score, tmp_path: Path) -> None:
    done = run(save(tmp_path, ALL[:1]))
    assert done.stderr == "Not answered, and so not counted: 2 of 3 questions\n"
    runs = [{**one, "model": "m", "protocol": "p"} for one in ALL[1:]]
    runs += [{**one, "model": "n", "protocol": "p"} for one in ALL]
    done = run(save(tmp_path, runs), "--by", "relation")
    assert done.stderr == "Not answered, and so not counted: 1 of 3 questions (m, p)\n"
    # Many runs that lack as many questions are one line.
    many = [{**record, "model": f"m{n}"} for record in ALL[1:] for n in range(4)]
    done = run(save(tmp_path, many))
    line = "Not answered, and so not counted: 1 of 3 questions by each of 4 runs\n"
    assert done.stderr == line


@pytest.mark.extras
def test_similarity_is_compared_with_both_accuracies(run: Score, tmp_path: Path) -> None:
    said = told(
        ("ship", "Vasamuseet"), ("tomb", "Egypt"), ("birth", "The year of the yellow bananas")
    )
    path = save(tmp_path, said)
    done = run(path, "--similarity", model_folder(), "--json")
    (row,) = json.loads(done.stdout)
    strata = {(one["standard"], one["granola"]): one for one in row["strata"]}
    assert list(strata) == [(True, True), (False, True), (True, False), (False, False)]
    assert [one["answers"] for one in strata.values()] == [1, 1, 0, 1]
    assert [one["share"] for one in strata.values()] == [1 / 3, 1 / 3, 0, 1 / 3]
    assert strata[True, True]["similarity"] == 1  # an alias is as good as the answer
    assert strata[True, False]["similarity"] is None  # empty by definition
    assert strata[False, False]["similarity"] < strata[False, True]["similarity"] < 1

    table = run(path, "--similarity", model_folder()).stdout
    rows = [line.split() for line in table.split("\n\n")[-1].splitlines()]
    assert rows[0] == ["standard", "GRANOLA", "answers", "share", "similarity"]
    assert [row[:3] for row in rows[2:]] == [
        ["right", "right", "1"],
        ["wrong", "right", "1"],
        ["right", "wrong", "0"],
        ["wrong", "wrong", "1"],
    ]
    assert rows[4][3:] == ["0%"]  # and no similarity


@pytest.mark.extras
def test_every_group_has_its_strata(run: Score, tmp_path: Path) -> None:
    records = [{**one, "model": name} for name in "mn" for one in ALL]
    done = run(
        save(tmp_path, records), "--similarity", model_folder(), "--json", "--by", "relation"
    )
    rows = json.loads(done.stdout)
    counts = [[stratum["answers"] for stratum in row["strata"]] for row in rows]
    # Of either model: P276 once by Sweden only, and an IDK, which is in none; P569 once exactly.
    assert counts == [[0, 1, 0, 0], [1, 0, 0, 0]] * 2


@pytest.mark.extras
def test_a_missing_model_is_reported(run: Score, tmp_path: Path) -> None:
    model_folder()  # where there is none, it is the extra that is missing
    done = run(save(tmp_path, ALL), "--similarity", "nobody/nothing")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "There is no model 'nobody/nothing' on this machine." in done.stderr


def test_a_verdict_depends_on_the_question_alone(run: Score, tmp_path: Path) -> None:
    """The same replies have the same levels beside other questions, and in a release."""
    together, alone = tmp_path / "datasets.duckdb", tmp_path / "alone.duckdb"
    # A true answer to another question counts nowhere.
    replies = {"ship": "It lies in Stockholm.", "tomb": "the Vasa Museum in Giza"}
    levels: list[dict[str, int | None]] = [{}, {}, {}]
    for asked, results in (("ship", SHIP), ("tomb", TOMB)):
        tables = {"granola_questions": [question(asked, "P276", 5)], "granola_answers": results}
        database(alone).write(Build(dataset("granola"), [Built("P276", tables)], SOURCE))
        said = save(tmp_path, told((asked, replies[asked])))
        for place, db in enumerate((together, alone)):
            out = tmp_path / f"{asked}{place}.jsonl"
            _run("score", "granola", said, "-o", out, "--db", db)
            levels[place][asked] = json.loads(out.read_text(encoding="utf-8"))["level"]
    release = tmp_path / "release"
    _run("export", "granola", "-o", release, "--db", together)
    code = (
        "import json, sys, utils\n"
        "replies = json.loads(sys.argv[1])\n"
        "asked = (one for one in utils.questions('test', '') if one['question_id'] in replies)\n"
        "judged = {one['question_id']: utils.process(one, [replies[one['question_id']]])"
        " for one in asked}\n"
        "print(json.dumps({key: one['accuracy'].level for key, one in judged.items()}))"
    )
    command = [sys.executable, "-B", "-c", code, json.dumps(replies)]
    printed = subprocess.run(command, cwd=release / "tasks", capture_output=True, check=True)
    levels[2] |= json.loads(printed.stdout)
    assert levels == [{"ship": 2, "tomb": 1}] * 3


def _run(*arguments: object) -> None:
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
