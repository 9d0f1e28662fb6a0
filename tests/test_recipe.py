"""Recipes: what they build is what the commands build, and wrong ones are refused at once."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets import database, dataset
from kgbuild.export.recipe import recipe
from kgbuild.export.release import ReleaseSource
from tests.chat_server import Answer, ChatServer
from tests.conftest import ROOT, SAMPLE, commands
from tests.test_export import files

OWN = """\
[[build]]
dataset = "granola"
relations = ["P19", "P569"]
limit = 20
min-bits = 1.0

[[build]]
dataset = "syn_qa"
relations = ["P26"]
templates = ["Who is {object}, whom {subject} married?"]
splits = true

[[release]]
dataset = "granola"
"""


run = commands()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a recipe, a dump, and what was built of them in "study"."""
    folder = tmp_path_factory.mktemp("recipes")
    shutil.copy(SAMPLE, folder)
    (folder / "own.toml").write_text(f'store = ["{SAMPLE.name}"]\n{OWN}')
    done = run("build", folder / "own.toml", "-o", folder / "study")
    assert done.exit_code == 0, done.output
    return folder


def test_a_recipe_builds_what_the_commands_build(built: Path, tmp_path: Path) -> None:
    db, study = tmp_path / "a.duckdb", built / "study"
    options = ("--store", study / "kg", "--db", db)
    template = "Who is {object}, whom {subject} married?"
    for command in (
        ("granola", "--relations", "P19,P569", "--limit", 20, "--min-bits", 1.0),
        ("syn-qa", "--relations", "P26", "--template", template, "--splits"),
    ):
        assert run(*command, *options).exit_code == 0
    for table in ("granola_questions", "granola_answers", "syn_qa_pairs"):
        rows = database(study / "datasets.duckdb").rows(table)
        assert rows and rows == database(db).rows(table)


def test_the_recipe_of_a_release_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    release = built / "study" / "release" / "granola"
    done = run("build", release / "recipe.toml", "--files", built, "-o", tmp_path / "again")
    assert done.exit_code == 0, done.output
    assert f"The same bytes as in {release}." in done.output
    assert files(tmp_path / "again" / "release" / "granola") == files(release)


def test_other_bytes_are_an_error(built: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new" / "release" / "granola"
    shutil.copytree(built / "study" / "release" / "granola", old)
    (old / "notes.txt").write_text("not of the release")
    (old / "README.md").write_text((old / "README.md").read_text() + "\n")
    (old / "croissant.json").unlink()
    done = run("build", old / "recipe.toml", "--files", built, "-o", tmp_path / "new")
    differing = f"{new} has other bytes than {old}: README.md, croissant.json. Another version"
    assert done.exit_code == 1 and differing in " ".join(done.output.split())


def test_the_recipe_of_a_database_builds_its_rows_again(built: Path, tmp_path: Path) -> None:
    db = built / "study" / "datasets.duckdb"
    assert run("recipe", "--db", db, "-o", tmp_path / "r.toml").exit_code == 0
    done = run("build", tmp_path / "r.toml", "--files", built, "-o", tmp_path / "again")
    assert done.exit_code == 0, done.output
    for table in ("granola_questions", "syn_qa_pairs"):
        again = database(tmp_path / "again" / "datasets.duckdb").rows(table)
        assert again == database(db).rows(table)


def test_a_recipe_names_a_store_and_files_of_questions(built: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("text,gold\nWhere was Marie Curie born?,Warsaw\n")
    (tmp_path / "kg").symlink_to(built / "study" / "kg")
    (tmp_path / "r.toml").write_text(
        '[[build]]\ndataset = "granola"\nstore = "kg"\nquestions = ["mine.csv"]\n'
        'columns = "question=text,answers=gold"\n'
    )
    done = run("build", tmp_path / "r.toml", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    again = run("recipe", "--db", tmp_path / "out" / "datasets.duckdb")
    (entry,) = tomllib.loads(again.stdout)["build"]
    assert (entry["store"], entry["questions"]) == ([SAMPLE.name], "mine.csv")
    assert entry["columns"] == "question=text,answers=gold" and "relations" not in entry


GRANOLA = "[build]\ndataset = 'granola'\n"
ASK = f"{GRANOLA}[ask]\ndataset = 'granola'\nmodel = 'a'\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it has no [[build]]"),
        ("[[build]\n", "it is no recipe"),
        ("build = 3\n", "Write [[build]]"),
        ("[[build]]\n", "needs a dataset: one of syn-qa, granola"),
        ("[[build]]\ndataset = 'granla'\n", "needs a dataset"),
        ("[[build]]\ndataset = 'granola'\nrelation = ['P19']\n", "Did you mean relations?"),
        ("[[build]]\ndataset = 'granola'\nas_json = true\n", "has no 'as_json'"),
        ("[[build]]\ndataset = 'granola'\nstore = ['gone.nt']\n", "there is no gone.nt"),
        ("[[build]]\ndataset = 'granola'\nquestions = 'gone.csv'\n", "there is no gone.csv"),
        ("[[build]]\ndataset = 'granola'\nlimit = 'ten'\n", "must be a whole number"),
        ("[[build]]\ndataset = 'granola'\n[sha256]\n'r.toml' = '0'\n", "is another file"),
        ("builds = 1\n", "Did you mean build?"),
        (f"{GRANOLA}[ask]\nmodel = 'a'\n", "a [[ask]] needs a dataset: one of syn-qa, granola"),
        (f"{GRANOLA}[ask]\ndataset = 'granola'\n", "Missing option '--model'"),
        (f"{GRANOLA}[ask]\ndataset = 'grouse'\nmodel = 'a'\n", "a [[ask]] needs a dataset"),
        (f"{GRANOLA}[score]\ndataset = 'grouse'\n", "a [[score]] needs a dataset"),
        (f"{ASK}protocl = 'idk'\n", "kgbuild ask granola has no 'protocl'. Did you mean protocol?"),
        (f"{ASK}limit = 0\n", "Invalid value for '--limit'"),
        (
            f"{ASK}base-url = ['http://a/v1', 'http://b/v1']\n",
            "base_url of kgbuild ask granola has",
        ),
        (f"{ASK}batch_out = 'a.jsonl'\n", "has no 'batch_out'"),
        (f"{ASK}api_key = 'sk-1'\n", "Set OPENAI_API_KEY"),
        (f"{ASK}base_url = 'http://ada:secret@localhost/v1'\n", "base_url has a secret"),
        (f"{GRANOLA}[score]\ndataset = 'granola'\nbye = 'relation'\n", "Did you mean by?"),
        (f"{GRANOLA}[report]\ndataset = 'granola'\n", "kgbuild report has no 'dataset'"),
        (f"{GRANOLA}[report]\n", "Missing option '-o'"),
    ],
)
def test_a_wrong_recipe_is_refused(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(text)
    done = run("build", tmp_path / "r.toml", "-o", tmp_path / "out")
    assert done.exit_code == 2 and told in done.output, done.output
    assert "sk-1" not in done.output and "secret@" not in done.output
    assert not (tmp_path / "out").exists()


STUDY = re.findall(r"```toml\n(store.*?)```", (ROOT / "docs/asking.md").read_text(), re.S)[0]
"""The recipe of the documentation that compares three models on all datasets."""
PREDICTIONS = """
    SELECT dataset, model, count(*), count(DISTINCT protocol) FROM predictions
    GROUP BY ALL ORDER BY ALL
"""


def test_a_recipe_compares_models(server: ChatServer, tmp_path: Path) -> None:
    run = commands(OPENAI_BASE_URL=server.url)
    fewer = re.sub(r"limit = .+", "limit = 2", STUDY.replace(', "model-c"', ""))
    (tmp_path / "r.toml").write_text(fewer)
    study = ("build", tmp_path / "r.toml", "--files", SAMPLE.parent, "-o", tmp_path / "study")
    server.plan = [Answer(status=400, body='{"error": {"message": "too long"}}')]
    first = run(*study)
    asked = len(server.sent)
    assert first.exit_code == 1, first.output
    assert "\nkgbuild ask biokalma --model=model-b --limit=2\n" in first.stderr
    assert first.stderr.endswith(
        "Error: 1 of 10 commands failed, and the others are done: kgbuild ask syn-qa "
        "--model=model-a --limit=2. Run the recipe again: replies are kept, so only what is "
        "missing is asked for.\n"
    )
    page = tmp_path / "study" / "report.html"
    assert all(f"model-{name}" in page.read_text() for name in "ab")
    second = run(*study)
    assert second.exit_code == 0, second.output
    assert len(server.sent) == asked + 1  # the one that was refused
    db = database(tmp_path / "study" / "datasets.duckdb")
    assert db.sql(PREDICTIONS).rows == [
        (dataset, f"model-{name}", count, protocols)
        for dataset, count, protocols in (("biokalma", 4, 2), ("granola", 4, 2), ("syn_qa", 16, 4))
        for name in "ab"
    ]
    scored = "SELECT DISTINCT dataset, model FROM scores ORDER BY ALL"
    assert len(db.sql(scored).rows) == 6


def test_outputs_of_a_recipe_stay_in_its_folder(built: Path, tmp_path: Path) -> None:
    entry = '[build]\ndataset = "granola"\n[report]\noutput = "{}"\n'
    for name, told in (
        ("../page.html", "page.html would not be in"),
        ("datasets.duckdb", "the output would replace it"),
    ):
        (tmp_path / "r.toml").write_text(entry.format(name))
        done = run("build", tmp_path / "r.toml", "-o", tmp_path / "out")
        assert done.exit_code == 2 and told in done.output
        assert not (tmp_path / "out").exists()


def test_a_release_replaces_nothing(built: Path) -> None:
    before = files(built / "study")
    done = run("build", built / "own.toml", "-o", built / "study")
    assert done.exit_code == 2 and "is not empty" in done.output
    assert files(built / "study") == before


def test_a_store_is_not_replaced(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "study" / "kg", tmp_path / "kg")
    before = files(tmp_path)
    (built / "other.nt").write_text(SAMPLE.read_text(encoding="utf-8") + "\n")
    (built / "few.toml").write_text(f'store = ["other.nt"]\n{OWN.partition("[[rel")[0]}')
    done = run("build", built / "few.toml", "-o", tmp_path)
    assert done.exit_code == 2 and "kg is a store of other dumps, which stays." in done.output
    assert files(tmp_path) == before


def test_a_database_without_rows_has_no_recipe(tmp_path: Path) -> None:
    assert run("recipe", "--db", tmp_path / "a.duckdb").exit_code != 0


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(name=NAMES, value=st.one_of(NAMES, st.integers(0, 2**60), st.floats(0, 1), st.booleans()))
def test_any_name_of_a_file_and_any_option_are_read_as_written(name: str, value: Any) -> None:
    source = ReleaseSource("0", 7, {"columns": value}, [(name, "0" * 64)], "", 0, {"P19": 1})
    read = tomllib.loads(recipe([(dataset("granola"), [source])]))
    assert read["sha256"] == {name: "0" * 64}
    (entry,) = read["build"]
    assert (entry["columns"], entry["seed"]) == (value, 7)
    assert entry["store"] == ([] if name == value else [name])
