"""A wheel built from the project works from any folder."""

import email
import email.message
import email.policy
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import QUERIES, ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--no-deps", "--no-build-isolation")  # nothing is fetched
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, "-w", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return next(folder.glob("kgbuild-*.whl"))


def test_it_carries_queries_schemas_and_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"kgbuild/queries/{name}.rq" for name in QUERIES} <= names
    assert {
        "kgbuild/relations.toml",
        "kgbuild/sample.nt",
        "kgbuild/tables/schema.sql",
        "kgbuild/datasets/syn_qa/schema.sql",
        "kgbuild/export/inspect_tasks.py",
        "kgbuild/export/texts.toml",
        "kgbuild/drawing/subgraph_page.html",
        "kgbuild/py.typed",
    } <= names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "dumps"))]


def test_its_metadata_names_license_authors_and_systems(wheel: Path) -> None:
    metadata = _metadata(wheel)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Author"] == "kgbuild contributors"
    systems = [one for one in metadata.get_all("Classifier") if one.startswith("Operating")]
    assert systems == ["Operating System :: MacOS", "Operating System :: POSIX :: Linux"]
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith("licenses/LICENSE")]
        assert archive.read(path) == (ROOT / "LICENSE").read_bytes()


def test_the_version_and_its_day_are_the_same_everywhere(wheel: Path) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, day = re.findall(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changelog, re.MULTILINE)[0]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert _metadata(wheel)["Version"] == version
    assert f"\nversion: {version}\ndate-released: {day}\n" in citation


def test_it_requires_what_duckdb_needs_for_times_with_a_zone(wheel: Path) -> None:
    required = _metadata(wheel).get_all("Requires-Dist", [])
    assert [name for name in required if name.startswith("pytz")] == ["pytz>=2024.1"]


def test_its_description_works_outside_the_repository(wheel: Path) -> None:
    text = _metadata(wheel).get_payload()
    assert text.startswith("# kgbuild")
    assert "<!--" not in text and "![" not in text  # neither comments nor pictures
    assert re.findall(r"\]\((?!https?:)[^)]*\)", text) == []
    assert re.findall(r"\]\(https:[^)]*\)", text) != []  # those that work anywhere stay


def _metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith("dist-info/METADATA")]
        return email.message_from_bytes(archive.read(path), policy=email.policy.default)


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

    kgbuild("load", "--sample")
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
