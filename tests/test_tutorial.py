"""The tutorial, followed word by word, as far as neither a browser nor a network is needed."""

import contextlib
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgbuild.cli import cli
from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]
LOAD = "kgbuild load dumps/sample.nt"
LEFT_OUT = (
    # What needs a network, or what only the loaders' extra installs.
    *("source ", "pip ", "lm_eval ", "mlcroissant "),
    # What needs a browser, or is slow and tested elsewhere.
    *("kgbuild review syn-qa --by ", "kgbuild report ", "kgbuild build "),
)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """Return the folder in which the tutorial was followed, and what each line printed."""
    clone = tmp_path_factory.mktemp("tutorial")
    (clone / "dumps").symlink_to(ROOT / "dumps")
    with contextlib.chdir(clone):
        yield (
            clone,
            {
                line: follow(LOAD if line == "make kg" else line)
                for line in LINES
                if not line.startswith(LEFT_OUT)
            },
        )


def follow(line: str) -> str:
    """Return what a line prints. The program runs in this process, so that it starts at once."""
    if "kgbuild " not in line:
        done = subprocess.run(["sh", "-c", line], check=True, capture_output=True, text=True)
        return done.stdout
    before, _, after = line.partition("kgbuild ")
    command, _, file = after.partition(" > ")
    settings = dict(word.split("=") for word in before.split())
    usual = {"KGBUILD_STORE": None, "KGBUILD_DB": None}
    result = CliRunner().invoke(cli, shlex.split(command), env={**usual, **settings})
    assert result.exit_code == 0, f"{line}: {result.output}"
    if file:
        Path(file).write_text(result.stdout, encoding="utf-8")
    return result.stdout


def test_a_release_stands_at_the_end(followed: tuple[Path, dict[str, str]]) -> None:
    clone, _ = followed
    assert {path.name for path in (clone / "release").iterdir()} == {
        *("syn-qa", "granola", "biokalma", "syn-qa-locked")
    }
    assert (clone / "release/syn-qa-locked/syn-qa.zip").exists()


def test_every_query_has_rows(followed: tuple[Path, dict[str, str]]) -> None:
    shown = {line: text for line, text in followed[1].items() if line.startswith("kgbuild sql ")}
    assert shown and not [line for line, text in shown.items() if text.rstrip().endswith("─")]


def test_who_sees_no_false_assumption_gets_no_pair_right(
    followed: tuple[Path, dict[str, str]],
) -> None:
    score = followed[1]["kgbuild score syn-qa answers.json"]
    accuracy, pairs = re.search(r"50% .*?\s(0%)", score), "always-no" in score
    assert accuracy and pairs, score


def test_the_same_dump_changes_nothing(followed: tuple[Path, dict[str, str]]) -> None:
    clone, outputs = followed
    assert (clone / "changed.jsonl").read_text(encoding="utf-8") == ""
    (table,) = [text for line, text in outputs.items() if line.startswith("kgbuild diff")]
    assert [row.split()[1] for row in table.splitlines()[2:]] == ["P19", "P69"]
