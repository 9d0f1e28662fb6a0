"""Commands build, score, report and release a user's dataset: the one of docs/python.md."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kgbuild
from kgbuild import datasets
from kgbuild.cli import cli
from tests.conftest import ROOT

BLOCKS = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"), re.DOTALL
)
(FIRST,) = (place for place, block in enumerate(BLOCKS) if '"schema.sql").write_text' in block)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a file with the code of the page, whose build has options."""
    code = "import kgbuild\n" + "\n".join(BLOCKS[FIRST:-1])
    code = code.replace('Path("capitals")', f'Path("{tmp_path}/capitals")')
    options = "*, seed: int = 0, odd=False, share=0.5"
    code = code.replace("def build(store):", f"def build(store, {options}):")
    path = tmp_path / "my_capitals.py"
    path.write_text(code)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield path
    sys.modules.pop(path.stem, None)


def run(file: Path, *arguments: object) -> Result:
    return CliRunner().invoke(cli, ["--dataset", str(file), *map(str, arguments)])


def test_commands_work_on_it(file: Path, sample_store: Path, tmp_path: Path) -> None:
    store, db = ("--store", sample_store), ("--db", tmp_path / "a.duckdb")
    built = run(file, "capitals", "--seed", 3, "--odd", "--json", *store, *db)
    assert built.exit_code == 0, built.output
    (part,) = json.loads(built.stdout)
    assert (part["relation"], part["questions"]) == ("P36", 175)
    answers = tmp_path / "answers.jsonl"
    with kgbuild.database(tmp_path / "a.duckdb") as opened:
        rows = opened.sql("SELECT question_id, answer FROM capitals").records
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scored = run(file, "score", "capitals", answers, "--json", *db)
    assert json.loads(scored.stdout)[0]["accuracy"] == 1
    page = tmp_path / "r.html"
    assert run(file, "report", "-o", page, *store, *db).exit_code == 0
    assert "What is the capital of a country?" in page.read_text()
    out = tmp_path / "out"
    assert run(file, "export", "capitals", "-o", out, *store, *db).exit_code == 0
    assert (out / "parquet" / "capitals" / "test.parquet").exists()
    agreed = run(file, "review", "capitals", "--agreement", *db)
    assert "No one has reviewed" in agreed.output or agreed.exit_code == 0, agreed.output


def test_numbers_are_finite(file: Path) -> None:
    done = run(file, "capitals", "--share", "inf")
    assert done.exit_code == 2 and "it must be a number, not 'inf'." in done.output


def test_it_is_in_the_help_and_unknown_without_its_file(file: Path) -> None:
    help_text = run(file, "score", "--help").output
    assert "Your datasets" in help_text and "capitals" in help_text
    done = CliRunner().invoke(cli, ["capitals"])
    assert done.exit_code == 2 and "No such command 'capitals'" in done.output


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a_dataset.py", "1 / 0", "cannot be imported: ZeroDivisionError"),
        ("no_dataset.py", "import kgbuild", "it defines no kgbuild.Dataset"),
        ("json.py", "", "another module is called json"),
        ("a_dataset.txt", "", "does not end with .py"),
    ],
)
def test_a_wrong_file_is_an_error(name: str, text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    done = run(tmp_path / name, "stats")  # which needs no dataset
    sys.modules.pop("a_dataset", None)
    assert done.exit_code == 2 and told in done.output, done.output


def test_an_installed_package_adds_datasets(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "mine-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[kgbuild.datasets]\nmine = my_capitals:capitals\n")
    monkeypatch.syspath_prepend(tmp_path)
    datasets._own_datasets.cache_clear()
    try:
        (dataset,) = datasets.own_datasets()
        assert dataset.command == "capitals" and dataset in datasets.all_datasets()
        assert datasets.dataset("capitals") is dataset
    finally:
        datasets._own_datasets.cache_clear()
