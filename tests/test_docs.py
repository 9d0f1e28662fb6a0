"""The documentation cannot drift from the program."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kgbuild
import kgbuild.errors
from docs import schema
from kgbuild.datasets import database, dataset
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.biokalma.dataset import DATASET as BIOKALMA
from kgbuild.datasets.granola.dataset import DATASET as GRANOLA
from kgbuild.datasets.grouse.dataset import DATASET as GROUSE
from kgbuild.datasets.syn_qa.dataset import DATASET as SYN_QA
from kgbuild.dump.kinds import REASONS as LINE_REASONS
from kgbuild.rows import Build, Built, Provenance
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import make_spec
from kgbuild.tables.absences import ABSENCE_REASONS
from kgbuild.tables.connection import read_only
from kgbuild.tables.diff import UNTRUE
from tests.conftest import ROOT, SAMPLE

DATASETS = (SYN_QA, GRANOLA, BIOKALMA, GROUSE)
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("C*.md"))]


COGGED = [path for path in DOCS if "[[[cog" in path.read_text(encoding="utf-8")]


def test_the_output_of_commands_is_up_to_date() -> None:
    # Runs every shown command on the sample and compares its output: 'make docs' updates it.
    done = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", *map(str, COGGED)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path) -> None:  # type: ignore[no-untyped-def]
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_every_page_is_in_the_index() -> None:
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert {page for page in pages if f"({page})" not in text} == set()


def test_every_name_of_the_api_is_in_its_reference() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    datasets = {"biokalma", "granola", "grouse", "syn_qa", "__version__"}
    named = set(re.findall(r"\w+", page))
    assert not set(kgbuild.__all__) - datasets - named


def test_every_named_error_exists() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    named = {*re.findall(r"`(\w+Error)`", page)}
    assert len(named) > 10 and all(hasattr(kgbuild.errors, name) for name in named)


def test_the_python_of_the_readme_runs(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/kg").symlink_to(sample_store)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    assert {row["relation"] for row in names["pairs"]} == {"P26", "P40", "P69"}


def test_the_readme_is_short() -> None:
    # Two minutes of reading: the rest belongs to the pages of docs/.
    assert len((ROOT / "README.md").read_bytes()) <= 14 * 1024


def test_every_table_and_column_is_described() -> None:
    text = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^## (.+)", text, re.M)} == {*schema.tables()}
    described = {
        table: [*about["columns"]]
        for table, about in schema.descriptions().items()
        if about["description"]
    }
    assert described == {table: [*columns] for table, columns in schema.tables().items()}


def test_every_reason_of_a_difference_is_described() -> None:
    text = (ROOT / "docs" / "diff.md").read_text(encoding="utf-8")
    assert all(f"`{reason}`" in text for reason in (*ABSENCE_REASONS, *UNTRUE))


@pytest.mark.parametrize("path", sorted((ROOT / "docs/specs").glob("*.toml")), ids=str)
def test_the_documented_specs_cut_slices(path, tmp_path) -> None:  # type: ignore[no-untyped-def]
    report = cut([str(SAMPLE)], tmp_path / "out.nt.gz", make_spec({}, path))
    assert 0 < report.chosen < report.items


def test_every_reason_to_drop_a_line_is_described() -> None:
    text = (ROOT / "docs" / "dumps.md").read_text(encoding="utf-8")
    assert all(f"`{reason}`" in text for reason in LINE_REASONS)


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_every_reason_of_rejection_is_described_and_given(dataset: AnyDataset) -> None:
    package = ROOT / "kgbuild/datasets" / dataset.name
    shared = (ROOT / "kgbuild/datasets", ROOT / "kgbuild/models", ROOT / "kgbuild/tables")
    own = _code(package.rglob("*.py"))
    raised = {*re.findall(r'Rejected\(\s*"([^"]+)"', own)}
    assert raised <= dataset.reasons.keys()
    # Beside the keys of the descriptions: what follows those is a colon.
    code = own + _code(path for folder in shared for path in folder.glob("*.py"))
    assert [name for name in dataset.reasons if not re.search(f'"{name}"(?!:)', code)] == []


def _code(paths: Iterable[Path]) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("docs") / "a.duckdb"
    made = Built("P26", {table: [] for table in dataset("biokalma").tables}, [], 0, 0.0)
    source = Provenance(seed=0, options={}, files=[], store_fingerprint="", store_triples=0)
    database(path).write(Build(dataset("biokalma"), [made], source))
    with read_only(path):  # so that no reader starts DuckDB again
        yield path


@pytest.mark.parametrize(
    "query",
    [
        query
        for path in DOCS
        for pattern in (r"```sql\n(.*?)```", r'kgbuild sql (?:--json )?"([^"]*)"')
        for query in re.findall(pattern, path.read_text(encoding="utf-8"), re.DOTALL)
        if not {"…", "COPY"} & {*query.split()}
    ],
)
def test_the_queries_fit_the_tables(query: str, empty: Path) -> None:
    assert database(empty).sql(query).columns


def test_the_changelog_is_by_version_and_short() -> None:
    from kgbuild import __version__

    _, *versions = re.split(
        r"^## (.+)\n", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M
    )
    texts = dict(zip(versions[::2], versions[1::2], strict=True))
    numbers = [title.partition(" ")[0] for title in texts]
    assert numbers[:2] == ["Unreleased", __version__]
    for title, text in texts.items():
        assert {*re.findall(r"^### (.+)", text, re.M)} <= {"Added", "Changed", "Fixed"}
        # New lines of "Unreleased" come before its sections, until a release sorts them in.
        assert title == "Unreleased" or len(text.encode()) <= 6 * 1024, title


def test_extras_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        *(
            "semantic",
            "llm",
            "metrics",
            "nlp",
            "report",
            "review",
            "serve",
            "export",
            "hub",
            "loaders",
            "spark",
            "dev",
            "docs",
            "model",
        )
    }
    assert extras == set(project["optional-dependencies"])
