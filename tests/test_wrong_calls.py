"""Wrong calls: each is told in a line or two what is wrong and what to do, and changes nothing."""

import json
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLE, invoke

TABLES = tomllib.loads((ROOT / "tests" / "cases" / "wrong_calls.toml").read_text(encoding="utf-8"))
CALLS = {call: told for table in TABLES.values() for call, told in table.items()}
FILES = {
    "q.json": [{"question": "Where was Ann Lee born?", "answers": ["Lyon"]}],
    "mine.jsonl": {"sentence": "They married.", "head": "A", "relation": "spouse", "tail": "B"},
    "said.jsonl": {"question_id": "a", "answer": "b", "sample": 0},
}
TEXTS = {
    **{"open.txt": "{question}", "closed.txt": "Who?", "pool.txt": "{question} {pool}"},
    **{"spec.toml": "langs = 'en'", "there.nt": "before", "texts.csv": "text,gold\nWho?,Ann\n"},
    **{"empty.jsonl": "", "own.toml": ""},
}
BUILDS = ("syn-qa --relations P26", "granola --relations P19", "biokalma --relations P26")
# A call that got as far as a server would end with another exit code.
WHERE = {"KGBUILD_DB": "sets.duckdb", "KGBUILD_STORE": "kg", "OPENAI_BASE_URL": "http://[::1]:9/v1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sample_store: Path) -> Path:
    """Return a folder with all that the calls name."""
    folder = tmp_path_factory.mktemp("calls")
    shutil.copytree(sample_store, folder / "kg")
    shutil.copy(SAMPLE, folder)
    for name, record in FILES.items():
        (folder / name).write_text(json.dumps(record))
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    for build in BUILDS:
        assert invoke(folder, *build.split(), "--limit", "2", **WHERE).returncode == 0
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    """Return what is in a folder: files that a command may write, with all bytes."""
    found = (path for path in folder.rglob("*") if path.is_file() and "graph" not in path.parts)
    return {path: path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def before(folder: Path) -> dict[Path, bytes]:
    """Return the contents, which no call may change."""
    return contents(folder)


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_call_is_told_and_changes_nothing(
    call: str, folder: Path, before: dict[Path, bytes]
) -> None:
    done = invoke(folder, *shlex.split(call), **WHERE)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    lines = done.stderr.strip().splitlines()
    said = [line for line in lines if line and not line.startswith(("Usage:", "Try "))]
    assert len(said) <= 2 and "Traceback" not in done.stderr
    assert CALLS[call] in " ".join(" ".join(said).split())
    assert contents(folder) == before


def test_arguments_are_utf_8(folder: Path) -> None:
    for command in (("sql", "SELECT \udcff"), ("ask", "granola", "--model", "\udcff")):
        done = invoke(folder, *command, **WHERE)
        assert done.returncode == 2 and "is not UTF-8." in done.stderr
