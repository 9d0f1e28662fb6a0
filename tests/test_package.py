"""A wheel built from the project works from any folder."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kgbuild.store import queries
from tests.conftest import ROOT, SAMPLE


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--no-deps", "--no-build-isolation")  # nothing is fetched
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            *options,
            "-w",
            str(folder),
            str(ROOT),
        ],
        check=True,
        capture_output=True,
    )
    return next(folder.glob("kgbuild-*.whl"))


def test_it_carries_queries_schemas_and_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"kgbuild/queries/{name}.rq" for name in queries.names()} <= names
    assert {
        "kgbuild/relations.toml",
        "kgbuild/schema.sql",
        "kgbuild/syn_qa/schema.sql",
        "kgbuild/kg/drawing.html",
        "kgbuild/py.typed",
    } <= names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "dumps"))]


def test_it_works_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    unpacked = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(unpacked)

    def kgbuild(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "kgbuild", *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(unpacked), "COLUMNS": "100"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    kgbuild("load", str(SAMPLE))
    kgbuild("syn-qa", "--relations", "P26")
    assert "spouse" in kgbuild("sql", "SELECT DISTINCT relation_label FROM syn_qa_pairs")
    assert (tmp_path / "data" / "kg" / "manifest.json").exists()
    code = "import kgbuild; print(kgbuild.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
    )
    assert str(unpacked) in where.stdout  # the wheel's code ran, not the checkout's
