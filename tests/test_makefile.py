"""What ``make kg`` loads."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, triples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder like that of the project, in which everything is set up."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    for file in ("venv/bin/pip", "venv/.core"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "dumps").mkdir()
    return tmp_path


def dump(folder: Path, name: str, number: int) -> Path:
    path = folder / "dumps" / name
    path.write_text(triples(f"wd:Q{number} wdt:P31 wd:Q5"))
    return path


def make(folder: Path) -> str:
    binaries = Path(sys.executable).parent
    command = ["make", "kg", "VENV=venv", f"BIN={binaries}", "STORE=my store"]
    # Within "make test", make would think that it is a part of that.
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def loaded(folder: Path) -> list[str]:
    manifest = json.loads((folder / "my store" / "manifest.json").read_text())
    return [file["name"] for file in manifest["files"]]


def test_names_with_blanks(folder: Path) -> None:
    dump(folder, "sample.nt", 1)
    dump(folder, "my $HOME slice's.nt", 2)
    other = dump(folder, "b.nt", 3)
    make(folder)
    assert loaded(folder) == ["b.nt", "my $HOME slice's.nt"]  # the sample only while it is alone
    assert make(folder) == "my store is up to date.\n"
    newer = (folder / "my store" / "manifest.json").stat().st_mtime + 10
    os.utime(other, (newer, newer))
    assert "2 triples about 2 items are in my store" in make(folder)


def test_the_sample(folder: Path) -> None:
    dump(folder, "sample.nt", 1)
    make(folder)
    assert loaded(folder) == ["sample.nt"]
