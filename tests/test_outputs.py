"""What the user names to be written: special files are written to, and no data is replaced."""

import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import kgbuild
from kgbuild.datasets import database
from kgbuild.errors import WrongCallError
from kgbuild.models.reply_cache import ReplyCache
from tests.conftest import SAMPLE, invoke


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sample_store: Path) -> Path:
    """Return a folder with a database, a store, a cache of replies, and the recipe of its rows."""
    folder = tmp_path_factory.mktemp("outputs")
    shutil.copytree(sample_store, folder / "kg")
    build = ("granola", "--relations", "P19", "--limit", "2", "--store", "kg")
    for command in (build, ("recipe", "-o", "r.toml")):
        assert invoke(folder, *command, "--db", "sets.duckdb").returncode == 0
    ReplyCache(folder / "replies.sqlite").close()
    return folder


def shell(folder: Path, command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of a shell, in which $RECIPE writes the recipe of the database."""
    recipe = f"{sys.executable} -m kgbuild recipe --db sets.duckdb"
    environment = {**os.environ, "RECIPE": recipe, "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False
    )


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/dev/fd/3", "link"])
def test_what_is_open_is_written_to(folder: Path, tmp_path: Path, name: str) -> None:
    """What the file had before stays, as if the command had printed it."""
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "log").write_text("before\n")
    shutil.copy(folder / "sets.duckdb", tmp_path)
    done = shell(tmp_path, f"$RECIPE -o {name} >> log 3>&1; echo after >> log")
    assert (done.returncode, done.stderr) == (0, b"")
    recipe = (folder / "r.toml").read_text()
    assert (tmp_path / "log").read_text() == f"before\n{recipe}after\n"
    assert (tmp_path / "link").is_symlink()


def test_devices_and_pipes_are_written_to(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "sets.duckdb", tmp_path)
    os.mkfifo(tmp_path / "pipe")
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    assert shell(tmp_path, "$RECIPE -o pipe && $RECIPE -o /dev/null").returncode == 0
    reader.join()
    assert received == [(folder / "r.toml").read_bytes()]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert Path("/dev/null").is_char_device()
    assert shell(tmp_path, "$RECIPE -o - | true; exit ${PIPESTATUS[0]}").returncode == 0
    full = shell(tmp_path, "$RECIPE -o /dev/full")
    assert full.returncode == 1 and b"Cannot write /dev/full: No space left" in full.stderr


def test_a_pipe_is_no_database(tmp_path: Path) -> None:
    """To open it would wait for a writer without a word."""
    os.mkfifo(tmp_path / "pipe")
    done = shell(tmp_path, "${RECIPE/sets.duckdb/pipe}")
    assert done.returncode == 2 and b"'pipe' is no regular file." in done.stderr


def test_a_recipe_is_built_in_a_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = shell(folder, f"${{RECIPE/recipe --db sets.duckdb/build r.toml}} -o {tmp_path}/file")
    assert done.returncode == 2 and b"is a file. Name a folder." in done.stderr


CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: kgbuild.write_report("sets.duckdb", "sets.html"), "it is a database, and"),
    (lambda: kgbuild.write_report("sets.duckdb", "replies.html"), "it is a database, and"),
    (lambda: kgbuild.write_report("sets.duckdb", "kg/r.html"), "it belongs to the store"),
    (lambda: kgbuild.publish(kgbuild.granola, "kg", db="sets.duckdb"), "it belongs to the store"),
    (lambda: kgbuild.publish(kgbuild.granola, "kg/r", db="sets.duckdb"), "it belongs to the store"),
    (lambda: kgbuild.load("sample.nt", "kg/kg"), "it belongs to the store"),
    (lambda: database("kg/sets.duckdb").write_scores([]), "it belongs to the store"),
    (
        lambda: kgbuild.ask(kgbuild.granola, "m", db="sets.duckdb", cache="kg/r.sqlite"),
        "it belongs to the store",
    ),
]


@pytest.mark.parametrize(("call", "told"), CALLS)
def test_an_output_replaces_no_data_in_python(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Callable[[], object],
    told: str,
) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    shutil.copy(SAMPLE, tmp_path)
    (tmp_path / "sets.html").symlink_to("sets.duckdb")
    (tmp_path / "replies.html").symlink_to("replies.sqlite")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WrongCallError) as caught:
        call()
    assert told in str(caught.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
