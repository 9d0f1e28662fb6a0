"""Releases: what is in them is what is in the tables, the same bytes each time, all or nothing."""

import datetime
import hashlib
import json
import shutil
import subprocess
import sys
import time
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt  # rich brings it

from kgbuild.cli import cli
from kgbuild.datasets import all_datasets, asking, database, dataset
from kgbuild.datasets.biokalma.scoring import prompts as biokalma_prompts
from kgbuild.datasets.granola import lm_eval_task, prompts
from kgbuild.errors import OutputBusyError, WrongCallError
from kgbuild.evaluate.calibration import STATED
from kgbuild.export.atomic_folder import filling, require_free
from kgbuild.export.cards import card
from kgbuild.export.release import canary
from kgbuild.export.write_release import publish
from kgbuild.files.atomic_files import locked
from kgbuild.models.chat import Request
from kgbuild.rows import Build, Built
from kgbuild.tables.connection import read_only
from kgbuild.tables.files import read_file
from kgbuild.tables.records import Review
from tests.conftest import commands, left_by_a_killed_process, write_once
from tests.test_score_granola import SOURCE, question

DATASET = {one.command: one for one in all_datasets()}
FORMATS = ("parquet", "jsonl", "csv")


def run(*arguments: str, db: Path, **environment: str) -> Result:
    return commands(KGBUILD_DB=db, **environment)(*arguments)


@pytest.fixture(scope="module")
def db(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a database with some of each dataset, built from the sample."""
    path = tmp_path_factory.mktemp("built") / "datasets.duckdb"
    for build in (
        ("syn-qa", "--relations", "P26,P40,P69", "--limit", "60"),
        ("granola", "--relations", "P19,P569", "--limit", "80"),
        ("biokalma", "--relations", "P26,P40", "--limit", "30"),
        ("grouse", "--limit", "12"),
    ):
        done = run(*build, "--store", str(sample_store), db=path)
        assert done.exit_code == 0, done.output
    with read_only(path):  # so that no reader starts DuckDB again
        yield path


@pytest.fixture(scope="module")
def releases(db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a release of each dataset."""
    folder = tmp_path_factory.mktemp("releases")
    for name in DATASET:
        done = run("export", name, "-o", str(folder / name), db=db)
        assert done.exit_code == 0, done.output
    return folder


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def rows(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".csv":
        return read_file(file).records
    reader = "parquet(?" if file.suffix == ".parquet" else "json(?, sample_size = -1"
    read = duckdb.sql(f"FROM read_{reader})", params=[str(file)])  # with the types of the columns
    return [dict(zip(read.columns, row, strict=True)) for row in read.fetchall()]


def all_rows(release: Path, table: str, ending: str = "parquet") -> list[dict[str, Any]]:
    return [row for file in (release / ending / table).iterdir() for row in rows(file)]


@pytest.mark.parametrize("name", DATASET)
def test_what_is_in_the_first_table_is_in_all_formats(name: str, db: Path, releases: Path) -> None:
    told, mark = card(DATASET[name], {}), canary(DATASET[name])
    built = database(db).sql(told.tables[0].query).records
    wanted = {row[DATASET[name].key]: {**row, "canary": mark} for row in built}
    assert len(wanted) == len(built) > 0
    release, table = releases / name, told.tables[0].name
    found = {ending: all_rows(release, table, ending) for ending in FORMATS}
    assert {row[DATASET[name].key]: row for row in found["parquet"]} == wanted
    assert len(found["parquet"]) == len(built)
    lines = (release / "jsonl" / table).iterdir()
    texts = [line for file in lines for line in file.read_text(encoding="utf-8").splitlines()]
    assert {(row := json.loads(text))[DATASET[name].key]: row for text in texts} == wanted
    # In CSV all is text; lists and records are JSON, and nothing is an empty text.
    for row in found["csv"]:
        true = wanted[row[DATASET[name].key]]
        for column, text in row.items():
            value = true[column]
            nested = isinstance(value, list | dict)
            assert (json.loads(text) if nested else text) == (
                value if nested or value is None else _as_text(value)
            ), column


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", DATASET)
def test_every_table_is_there_by_split_and_every_row_has_the_canary(
    name: str, db: Path, releases: Path
) -> None:
    told, mark = card(DATASET[name], {}), canary(DATASET[name])
    counts = json.loads((releases / name / "PROVENANCE.json").read_text())["tables"]
    # Tables of the database have their name behind that of the dataset.
    for table in DATASET[name].tables:
        short = table.removeprefix(f"{DATASET[name].name}_")
        assert sum(counts[short].values()) == len(database(db).rows(table)) > 0
    # Nothing was verified: test_verify.py exports what was.
    assert [*counts] == [one.name for one in told.tables if one.name != "verifications"]
    for table, splits in counts.items():
        for split, count in splits.items():
            found = rows(releases / name / "parquet" / table / f"{split}.parquet")
            lines = releases / name / "jsonl" / table / f"{split}.jsonl"
            assert found == [json.loads(line) for line in lines.read_text().splitlines()]
            assert len(found) == count
            assert {(row["split"], row["canary"]) for row in found} == {(split, mark)}
    assert mark in (releases / name / "README.md").read_text(encoding="utf-8")


SUBJECTS: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "syn-qa": lambda row: [row["subject_qid"]],
    "granola": lambda row: [row["subject_qid"]],
    "biokalma": lambda row: [one["qid"] for one in row["subjects"]],
    "grouse": lambda row: [row["metadata"]["subject_qid"]],
}


@pytest.mark.parametrize("name", DATASET)
def test_no_subject_is_in_two_splits(name: str, releases: Path) -> None:
    splits, belongs = defaultdict(set), defaultdict(set)
    told = card(DATASET[name], {})
    for row in all_rows(releases / name, told.tables[0].name):
        for subject in SUBJECTS[name](row):
            splits[subject].add(row["split"])
    assert {split for found in splits.values() for split in found} == {"dev", "test"}
    assert all(len(found) == 1 for found in splits.values())
    # Nor is a question, with what belongs to it in the other tables.
    for table in (releases / name / "parquet").iterdir():
        for row in all_rows(releases / name, table.name):
            belongs[row[DATASET[name].key]].add(row["split"])
    assert all(len(found) == 1 for found in belongs.values())


def test_with_splits_most_of_it_is_for_training(sample_store: Path, tmp_path: Path) -> None:
    db, out = tmp_path / "a.duckdb", tmp_path / "out"
    build = ("granola", "--relations", "P19,P569", "--splits", "--store", str(sample_store))
    assert run(*build, db=db).exit_code == 0
    done = run("export", "granola", "-o", str(out), db=db)
    assert done.exit_code == 0, done.output
    counts = json.loads((out / "PROVENANCE.json").read_text())["tables"]["questions"]
    assert [*counts] == ["train", "dev", "test"]
    assert counts["train"] > 4 * counts["test"] > 0 < counts["dev"]
    assert "\nsplits = true\nseed = 0\n" in (out / "recipe.toml").read_text()
    assert "`dev` is there to choose prompts" in (out / "README.md").read_text()
    assert "\ntest_split: test\n" in (out / "tasks/kgbuild_granola_vanilla.yaml").read_text()


@pytest.mark.parametrize("name", DATASET)
def test_the_sums_are_those_of_all_files(name: str, releases: Path) -> None:
    found = files(releases / name)
    lines = found.pop("SHA256SUMS").decode().splitlines()
    assert lines == [f"{hashlib.sha256(found[file]).hexdigest()}  {file}" for file in sorted(found)]


@pytest.mark.parametrize("name", DATASET)
def test_the_same_build_gives_the_same_bytes(
    name: str, db: Path, releases: Path, tmp_path: Path
) -> None:
    shutil.copy(db, tmp_path / "elsewhere.duckdb")
    publish(DATASET[name], database(tmp_path / "elsewhere.duckdb"), tmp_path / "again")
    assert files(tmp_path / "again") == files(releases / name)


def test_prompts_of_tasks_are_those_of_ask(db: Path, releases: Path) -> None:
    asked = (
        database(db)
        .sql(
            "SELECT protocol, question, prompt FROM syn_qa_prompts"
            " JOIN syn_qa_questions USING (pair_id, false_assumption) LIMIT 60"
        )
        .rows
    )
    for protocol, text, prompt in asked:
        assert _template(releases / "syn-qa", protocol).replace("{{question}}", text) == prompt
    # A stated confidence would be a part of the answer for harnesses.
    for protocol in prompts.INSTRUCTIONS.keys() - {STATED}:
        told = prompts.request(protocol, "Who?").messages[0].content
        assert _template(releases / "granola", protocol).replace("{{question}}", "Who?") == told


def _template(release: Path, protocol: str) -> str:
    return str(json.loads(_task(release, protocol)["doc_to_text"]))


def _task(release: Path, protocol: str) -> dict[str, str]:
    file = f"kgbuild_{release.name.replace('-', '_')}_{protocol.replace('-', '_')}.yaml"
    lines = (release / "tasks" / file).read_text(encoding="utf-8").splitlines()
    return dict(line.partition(": ")[::2] for line in lines if not line.startswith((" ", "#")))


def asked_of_biokalma(db: Path) -> dict[tuple[str, str], Request]:
    """Return what ``kgbuild ask`` sends, by question and protocol."""
    asked = asking.requests(dataset("biokalma"), database(db))
    return {(one.item_id, one.protocol): one.request for one in asked}


_UTILS = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("utils", sys.argv[1])
utils = importlib.util.module_from_spec(spec)
spec.loader.exec_module(utils)
"""
_READ = f"""{_UTILS}
print(json.dumps({{name: utils.questions("test", name) for name in sys.argv[2:]}}))
"""


def test_biokalma_is_asked_with_the_pool_and_the_example_of_ask(db: Path, releases: Path) -> None:
    asked = asked_of_biokalma(db)
    utils = str(releases / "biokalma" / "tasks" / "utils.py")
    done = subprocess.run(
        [sys.executable, "-B", "-c", _READ, utils, *biokalma_prompts.PROTOCOLS],
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    tested = rows(releases / "biokalma" / "parquet" / "questions" / "test.parquet")
    assert tested
    text = 'SELECT question_id, [qid, property_label, "value"] FROM {} ORDER BY rowid'
    knowledge = "biokalma_knowledge WHERE scope IN ('specific', '{}')"
    known: dict[str, dict[str, list[list[str]]]] = {
        table: defaultdict(list)
        for table in ("biokalma_pool", *map(knowledge.format, biokalma_prompts.PROTOCOLS))
    }
    for table, found in known.items():
        for question_id, triple in database(db).sql(text.format(table)).rows:
            found[question_id].append(triple)
    for protocol, made in json.loads(done.stdout).items():
        task = _task(releases / "biokalma", protocol)
        assert json.loads(task["doc_to_text"]) == "{{prompt}}" and task["num_fewshot"] == "1"
        (shot,) = json.loads(task["fewshot_config"])["samples"]
        assert {one["question_id"] for one in made} == {row["question_id"] for row in tested}
        for one in made:
            messages = asked[one["question_id"], protocol].messages
            assert [turn.content for turn in messages] == [*shot.values(), one["prompt"]]
            assert one["pool"] == known["biokalma_pool"][one["question_id"]]
            assert one["knowledge"] == known[knowledge.format(protocol)][one["question_id"]]


_SCORE = f"""{_UTILS}
said = [utils.process(question, [text]) for question, text in eval(sys.argv[2])]
scores = {{name: getattr(utils, name)([one[name] for one in said]) for name in utils.METRICS}}
print({{name: value for name, value in scores.items() if not name.endswith("_stderr")}})
ours = [module.__file__ for name, module in sys.modules.items() if name.startswith("kgbuild")]
print(len(ours) > 5 and all(file.startswith(sys.argv[3]) for file in ours))
"""
PAIR = [
    ({"pair_id": "a", "false_assumption": False}, "No."),
    ({"pair_id": "a", "false_assumption": True}, "No."),
]
PLACE = {
    "question": "Where was Pablo Picasso born?",
    "relation": "P19",
    "answers": [
        {"level": 1, "kind": "item", "answer": "Málaga", "aliases": []},
        {"level": 2, "kind": "place", "answer": "Spain", "aliases": ["España"]},
    ],
}
POET, ROME, CHILD = ["Q1", "occupation", "poet"], ["Q1", "born in", "Rome"], ["Q2", "child", "Ann"]
KNOWN = {"pool": [POET, ROME, CHILD], "knowledge": [POET, CHILD], "names": []}
SCORES = {
    # Right about one of two questions, so about no pair.
    "syn-qa": (
        PAIR,
        {"accuracy": 0.5, "on_true": 1, "on_false": 0, "paired_accuracy": 0, "unparsed": 0},
    ),
    # One at each level, a wrong one, and one that says nothing: (1 + 1/2) / 4 is informative.
    "granola": (
        [(PLACE, text) for text in ("Malaga", "In Espana", "Rome", "IDK")],
        {
            "accuracy": 0.5,
            "standard": 0.25,
            "informativeness": 0.375,
            "abstained": 0.25,
            "selective_accuracy": 2 / 3,
        },
    ),
    # Of four citations the singer is in no pool, and Rome not in the set, of whose eight pieces
    # (two a question) two are cited. Neither "sang" nor "a girl" says what is cited.
    "biokalma": (
        [
            (KNOWN, "A poet [Q1, occupation: poet] of Rome [Q1, born in: Rome]."),
            (KNOWN, "A girl [Q2, child: Ann]. She sang [Q1, occupation: singer]."),
            (KNOWN, "The knowledge does not tell."),
            (KNOWN, "A poet of Rome."),
        ],
        {
            "correctness": 0.75,
            "precision": 0.5,
            "recall": 0.25,
            "f1": 1 / 3,
            "alignment": 0.25,
            "refused": 0.25,
            "uncited": 0.5,
        },
    ),
}


@pytest.mark.parametrize("name", SCORES)
def test_tasks_score_by_the_code_in_the_release_alone(name: str, releases: Path) -> None:
    said, scores = SCORES[name]
    tasks = str(releases / name / "tasks")
    done = subprocess.run(
        [sys.executable, "-B", "-c", _SCORE, f"{tasks}/utils.py", repr(said), tasks],
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert done.stdout.splitlines() == [
        str(scores).replace(" 1,", " 1.0,").replace(" 0,", " 0.0,").replace(" 0}", " 0.0}"),
        "True",
    ], done.stderr


def test_of_samples_the_most_frequent_response_counts() -> None:
    samples = ["In Rome.", "", "Málaga", "IDK", "Malaga."]
    # Two of the four that have a text say the same; a harness may pass the list within a list.
    for responses in (samples, [samples]):
        assert lm_eval_task.process(PLACE, responses)["standard"].exact
    assert not lm_eval_task.process(PLACE, ["", ""])["standard"].right


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "formula": "=HYPERLINK(\"http://example.org\",'x')",
    "lines": 'one\n```\n# two\r\n"three", ,',
    "bidi": "abc\u202edef\u200b",
    "markdown": "[x](javascript:alert(1)) | **y** `z`",
}


def hostile(path: Path) -> None:
    made = [
        {**question(f"{n}", text, 0), "question": text, "subject_label": text, "source": "P276"}
        for n, text in enumerate(HOSTILE.values())
    ]
    built = Built("P276", {"granola_questions": made, "granola_answers": []})
    write_once(path, Build(dataset("granola"), [built], SOURCE))


def test_hostile_labels_stay_what_they_are_and_do_nothing(tmp_path: Path) -> None:
    hostile(tmp_path / "a.duckdb")
    publish(dataset("granola"), database(tmp_path / "a.duckdb"), tmp_path / "out")
    for ending in FORMATS:
        # As in what others publish, texts of a CSV are as they are: a mark before them would
        # change labels, and dates before Christ.
        found = rows(tmp_path / "out" / ending / "questions" / f"test.{ending}")
        assert [row["question"] for row in found] == [*HOSTILE.values()]
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    example = text.partition("```json\n")[2].partition("\n```")[0]
    assert json.loads(example)["question"] == HOSTILE["script"]  # as a text in JSON only
    assert "\u202e" not in text and "\u200b" not in text
    page = (
        MarkdownIt("commonmark", {"html": True}).enable("table").render(text.split("---\n", 2)[2])
    )
    assert "&lt;script&gt;" in page and "<script" not in page
    assert 'href="javascript' not in page and "<strong>y" not in page and "<h1>two" not in page


def questions_of(path: Path, *texts: str) -> Path:
    """Return a database with questions of some texts."""
    made = [
        {**question(f"{n:02}", "P276", 0), "question": text, "source": "P276"}
        for n, text in enumerate(texts)
    ]
    built = Built("P276", {"granola_questions": made, "granola_answers": []})
    return write_once(path, Build(dataset("granola"), [built], SOURCE))


def test_no_spreadsheet_runs_a_safe_csv(tmp_path: Path) -> None:
    signs = ("=", "+", "-", "@", "\t", "\r")
    risky = [f"{sign}cmd|' /C calc'!A0" for sign in signs]
    others = ["'plain", *(text for sign in signs for text in (f"a{sign}1", f"a\n{sign}1"))]
    db = questions_of(tmp_path / "a.duckdb", *risky, *others)
    done = run("export", "granola", "--safe-csv", "-o", str(tmp_path / "out"), db=db)
    assert done.exit_code == 0, done.output
    for ending in FORMATS:
        found = rows(tmp_path / "out" / ending / "questions" / f"test.{ending}")
        mark = "'" if ending == "csv" else ""
        assert [row["question"] for row in found] == [*(mark + text for text in risky), *others]
    assert "an apostrophe precedes texts" in (tmp_path / "out" / "README.md").read_text()
    assert "\nsafe_csv = true\n" in (tmp_path / "out" / "recipe.toml").read_text()


def test_a_nul_is_replaced_in_csv_only(tmp_path: Path) -> None:
    db = questions_of(tmp_path / "a.duckdb", "a\x00b")
    publish(dataset("granola"), database(db), tmp_path / "out")
    for ending in FORMATS:
        (read,) = rows(tmp_path / "out" / ending / "questions" / f"test.{ending}")
        assert read["question"] == ("a\N{REPLACEMENT CHARACTER}b" if ending == "csv" else "a\x00b")
    assert b"\x00" not in (tmp_path / "out" / "csv" / "questions" / "test.csv").read_bytes()


def test_licences_are_those_of_the_rows(releases: Path, tmp_path: Path) -> None:
    licence = 'license: ["cc0-1.0"]'
    assert all(licence in (releases / name / "README.md").read_text() for name in DATASET)
    pair: dict[str, Any] = {
        **{"pair_id": "a", "relation": "hotpot.json", "relation_label": "", "hops": 2},
        **{"subject_label": "", "replacement_label": "", "overlap": 0, "shared": []},
        **{"similarity": "", "question": "?", "false_question": "??", "falsity": "absent"},
        **{"evidence": [], "falsity_evidence": [], "popularity": 0, "replacement_popularity": 0},
        **{"source_id": "5a8b57f25542995d1e6f1371", "split": "dev", "shortcut": []},
    }
    built = Built("hotpot.json", {"syn_qa_pairs": [pair]})
    questions = {"name": "hotpot.json", "modified": "", "sha256": "0" * 64}
    source = replace(SOURCE, files=[questions])
    database(tmp_path / "a.duckdb").write(Build(dataset("syn_qa"), [built], source))
    publish(dataset("syn_qa"), database(tmp_path / "a.duckdb"), tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert 'license: ["cc0-1.0", "cc-by-sa-4.0"]' in text and "CC BY-SA 4.0" in text
    # Where there are no questions for testing, tasks take the last that there are.
    task = tmp_path / "out" / "tasks" / "kgbuild_syn_qa_zero_shot.yaml"
    assert "\ntest_split: dev\n" in task.read_text()


def test_reviews_tell_what_was_accepted(db: Path, tmp_path: Path) -> None:
    shutil.copy(db, tmp_path / "a.duckdb")
    ids = [row["pair_id"] for row in database(db).rows("syn_qa_pairs")[:3]]
    at = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    said = {ids[0]: {"false": "yes", "natural": "yes", "wording: false_question": "Or so?"}}
    said |= {ids[1]: {"false": "yes", "natural": "no"}, ids[2]: {"false": "yes"}}
    for one, answers in said.items():
        for asked, answer in answers.items():
            review = Review("syn_qa", one, "Ann", asked, answer, at)
            database(tmp_path / "a.duckdb").write_review(review)
    out = tmp_path / "out"
    done = run("export", "syn-qa", "--only-accepted", "-o", str(out), db=tmp_path / "a.duckdb")
    assert done.exit_code == 0, done.output
    # The second was rejected, the third is not decided.
    (pair,) = all_rows(out, "pairs")
    assert (pair["pair_id"], pair["false_question"]) == (ids[0], "Or so?")
    told = json.loads((out / "PROVENANCE.json").read_text())["reviewed"]
    assert told == {"reviewers": 1, "decided": 2, "accepted": 1}
    text = (out / "README.md").read_text(encoding="utf-8")
    assert "one reviewer decided on 2" in text
    # Splits without an accepted row are named, on the screen and in the card.
    splits = {row["split"] for row in database(db).rows("syn_qa_pairs")}
    lost = sorted(splits - {pair["split"]})
    assert lost
    for split in lost:
        assert f"No row of the split {split} was accepted" in done.output
    assert f"No row of {', '.join(f'`{split}`' for split in lost)} was accepted" in text


def test_where_nothing_was_accepted_there_is_nothing_to_release(db: Path, tmp_path: Path) -> None:
    done = run("export", "granola", "--only-accepted", "-o", str(tmp_path / "out"), db=db)
    assert done.exit_code == 1 and "kgbuild review granola" in done.output
    done = run("export", "grouse", "--only-accepted", "-o", str(tmp_path / "out"), db=db)
    assert done.exit_code == 2 and "grouse cannot" in done.output
    assert [*tmp_path.iterdir()] == []


def test_an_archive_opens_by_its_password_and_holds_the_release(
    db: Path, releases: Path, tmp_path: Path
) -> None:
    zips = pytest.importorskip("pyzipper")
    out = tmp_path / "out"
    done = run(
        *("export", "syn-qa", "-o", str(out), "--password"), db=db, KGBUILD_PASSWORD="Ünlocked 1"
    )
    assert done.exit_code == 0, done.output
    # Nothing of the data lies open beside it.
    assert {*files(out)} == {"syn-qa.zip", "README.md", "SHA256SUMS"}
    assert "do not train" in (out / "README.md").read_text(encoding="utf-8")
    with zips.AESZipFile(out / "syn-qa.zip") as archive:
        assert {entry.date_time for entry in archive.filelist} == {(1980, 1, 1, 0, 0, 0)}
        archive.setpassword(b"wrong")
        with pytest.raises(RuntimeError, match="Bad password"):
            archive.read("syn-qa/README.md")
        archive.setpassword("Ünlocked 1".encode())
        archive.extractall(tmp_path / "opened")
    assert files(tmp_path / "opened" / "syn-qa") == files(releases / "syn-qa")
    with zipfile.ZipFile(out / "syn-qa.zip") as archive:  # 99: WinZip's AES
        assert {entry.compress_type for entry in archive.filelist} == {99}
        # Its extra field ends with the strength (3: 256 bits) and what it was compressed by.
        assert {entry.extra[-3] for entry in archive.filelist} == {3}


def test_a_password_is_asked_for_twice_and_never_an_argument(db: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyzipper")
    arguments = ["export", "grouse", "-o", str(tmp_path / "out"), "--password"]
    runner = CliRunner(env={"KGBUILD_DB": str(db)})
    done = runner.invoke(cli, arguments, input="one\nother\nsame\nsame\n")
    assert done.exit_code == 0 and "one" not in done.output and "same" not in done.output
    assert (tmp_path / "out" / "grouse.zip").exists()
    done = runner.invoke(cli, [*arguments, "secret"])
    assert done.exit_code == 2 and "unexpected extra argument" in done.output
    done = run(*arguments, db=db, KGBUILD_PASSWORD="")
    assert done.exit_code == 2 and "empty" in done.output


def test_where_nobody_can_be_asked_for_a_password_it_says_so(db: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyzipper")
    arguments = ["export", "grouse", "--password", "-o", str(tmp_path / "out"), "--db", str(db)]
    done = subprocess.run(
        [sys.executable, "-m", "kgbuild", *arguments],
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # without the terminal of whoever runs the tests
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "no terminal" in done.stderr
    assert "Set KGBUILD_PASSWORD" in done.stderr and "Warning" not in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_a_missing_library_is_told_before_any_work(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyzipper", None)  # what an import of a missing one meets
    done = run("export", "granola", "-o", str(tmp_path / "out"), "--password", db=db)
    assert done.exit_code == 1 and "pip install 'kgbuild[export]'" in done.output
    assert [*tmp_path.iterdir()] == []


def test_a_folder_in_use_is_left_alone(db: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for target in (tmp_path, tmp_path / "mine.txt"):
        done = run("export", "granola", "-o", str(target), db=db)
        assert done.exit_code == 2 and "Name a new folder with -o" in done.output
    assert files(tmp_path) == {"mine.txt": b"mine"}
    (tmp_path / "empty").mkdir()
    assert run("export", "grouse", "-o", str(tmp_path / "empty"), db=db).exit_code == 0
    assert (tmp_path / "empty" / "README.md").exists()


def test_what_cannot_be_exported_is_told(db: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    hostile(tmp_path / "a.duckdb")
    done = run("export", "biokalma", "-o", out, db=tmp_path / "a.duckdb")
    assert done.exit_code == 1 and "Build them: 'kgbuild biokalma'" in done.output
    done = run("export", "granola", "-o", "/dev/null/out", db=db)
    assert done.exit_code == 1 and "Cannot write /dev/null/out" in done.output
    assert {path.name for path in tmp_path.iterdir()} == {"a.duckdb"}


def test_a_folder_that_fails_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), filling(tmp_path / "a") as folder:
        (folder / "half").write_text("")
        raise ZeroDivisionError
    assert [*tmp_path.iterdir()] == []


def test_two_exports_into_one_folder(tmp_path: Path) -> None:
    with filling(tmp_path / "a") as folder:
        (folder / "mine").write_text("")
        with pytest.raises(OutputBusyError), filling(tmp_path / "a"):
            pass
    assert files(tmp_path) == {"a/mine": b""}


@pytest.mark.parametrize("is_there", [False, True])
def test_what_a_killed_export_left_is_gone_after_the_next_one(
    tmp_path: Path, is_there: bool
) -> None:
    leftover = left_by_a_killed_process(tmp_path / "a")
    (leftover / "release" / "csv").mkdir(parents=True)
    (leftover / "release" / "csv" / "half").write_text("")
    if is_there:  # it was killed after the folder got its name
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "whole").write_text("")
        with (
            pytest.raises(WrongCallError, match="Name a new folder with -o"),
            filling(tmp_path / "a"),
        ):
            pass
    else:
        with filling(tmp_path / "a") as folder:
            (folder / "whole").write_text("")
    assert files(tmp_path) == {"a/whole": b""} and not leftover.exists()


def test_the_check_before_the_work_removes_what_a_killed_export_left(tmp_path: Path) -> None:
    out, lock = tmp_path / "a", tmp_path / ".a.lock"
    leftover = left_by_a_killed_process(out)
    require_free(out)  # the export itself will remove it
    assert leftover.exists()
    out.mkdir()
    (out / "whole").write_text("")
    with locked(out), pytest.raises(WrongCallError, match="not empty"):
        require_free(out)
    assert leftover.exists()  # it may be of the process that holds the lock
    lock.touch()
    with pytest.raises(WrongCallError, match="not empty"):
        require_free(out)
    assert [*tmp_path.iterdir()] == [out]
    with pytest.raises(WrongCallError, match="not empty"):
        require_free(Path("/"))


def test_ended_half_way_it_leaves_no_half_release(db: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [sys.executable, "-m", "kgbuild", "export", "syn-qa", "--db", db, "-o", out]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # Once it has a folder to fill, not between making that and minding it.
        while not any(tmp_path.glob(".out.*/release")) and process.poll() is None:
            time.sleep(0.001)
        process.terminate()
    assert not out.exists() or (out / "SHA256SUMS").exists()  # nothing, or all of it
    assert {path.name for path in tmp_path.iterdir()} <= {"out"}
    shutil.rmtree(out, ignore_errors=True)
    publish(dataset("syn_qa"), database(db), out)
    assert (out / "SHA256SUMS").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_numbers_of_rows_as_json(db: Path, tmp_path: Path) -> None:
    done = run("export", "granola", "-o", str(tmp_path / "out"), "--json", db=db)
    assert done.exit_code == 0, done.output
    assert "questions" in {row["table"] for row in json.loads(done.stdout)}
