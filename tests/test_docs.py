"""The documentation cannot drift from the program."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

from docs import schema
from kgbuild.datasets import database, dataset
from kgbuild.datasets.biokalma import rows as biokalma
from kgbuild.datasets.granola.rows import ANSWER_REASONS
from kgbuild.datasets.granola.rows import REASONS as GRANOLA_REASONS
from kgbuild.datasets.syn_qa.rows import REASONS
from kgbuild.dump.reasons import REASONS as LINE_REASONS
from kgbuild.rows import Build, Built, Provenance
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import spec
from kgbuild.tables.diff import ABSENCES, UNTRUE
from tests.conftest import ROOT, SAMPLE

DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("C*.md"))]


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
    assert all(f"`{reason}`" in text for reason in (*ABSENCES, *UNTRUE))


@pytest.mark.parametrize("path", sorted((ROOT / "docs/specs").glob("*.toml")), ids=str)
def test_the_documented_specs_cut_slices(path, tmp_path) -> None:  # type: ignore[no-untyped-def]
    report = cut([str(SAMPLE)], tmp_path / "out.nt.gz", spec({}, path))
    assert 0 < report.chosen < report.items


def test_every_reason_to_drop_a_line_is_described() -> None:
    text = (ROOT / "docs" / "dumps.md").read_text(encoding="utf-8")
    assert all(f"`{reason}`" in text for reason in LINE_REASONS)


def test_every_reason_that_the_builder_gives_is_described() -> None:
    code = (ROOT / "kgbuild/datasets/syn_qa" / "build.py").read_text(encoding="utf-8")
    assert {"malformed", *re.findall(r'_Left\(\s*"([^"]+)"', code)} == set(REASONS)


def test_every_reason_of_granola_is_described() -> None:
    builder = (ROOT / "kgbuild/datasets/granola" / "build.py").read_text(encoding="utf-8")
    given = {*re.findall(r'_Left\(\s*"([^"]+)"', builder)}
    # Beside those: the door's (replies.py), the filter's, and what is wrong with relations.toml.
    others = {"malformed", "inconsistent", "no answer", "nonsense", "refused", "budget"}
    assert given | others == set(GRANOLA_REASONS)
    levels = (ROOT / "kgbuild/datasets/granola" / "levels.py").read_text(encoding="utf-8")
    told = {*re.findall(r'\(one\.text, "([^"]+)"\)', levels)}
    assert {*told, "unconfirmed"} == set(ANSWER_REASONS)  # this one by answers.py


def test_every_reason_of_biokalma_is_described_and_given() -> None:
    parts = (biokalma.REASONS, biokalma.FILE_REASONS, biokalma.KNOWLEDGE_REASONS)
    described = {reason for reasons in parts for reason in reasons}
    files = [
        path for path in (ROOT / "kgbuild/datasets/biokalma").glob("*.py") if path.name != "rows.py"
    ]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    assert {*re.findall(r'Unfit\(\s*"([^"]+)"', code)} <= described
    # "malformed" is given by what all builders share.
    assert {reason for reason in described if f'"{reason}"' not in code} <= {"malformed"}


BIOKALMA = (ROOT / "docs" / "biokalma.md").read_text(encoding="utf-8")


def test_each_section_of_the_biokalma_paper_has_its_module() -> None:
    rows = re.findall(r"^\| ([A-D1-5]\S*) [^|]*\| ([^|]*) \|", BIOKALMA, re.MULTILINE)
    assert {section for section, _ in rows} == {
        *("2.1", "2.2", "3.1", "3.2", "3.3", "4.1", "4.2", "4.3", "4.4", "4.5", "5.3", "5.5"),
        *("A.1", "A.2", "A.3", "C.1", "D"),
    }
    named = [name for _, cell in rows for name in re.findall(r"`([^`]+)`", cell)]
    folder = ROOT / "kgbuild"
    places = (folder, folder / "datasets/biokalma")
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


@pytest.mark.parametrize("query", re.findall(r"```sql\n(.*?)```", BIOKALMA, re.DOTALL))
def test_the_queries_for_biokalma_fit_its_tables(query: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    empty = Built("P26", {table: [] for table in dataset("biokalma").tables}, [], 0, 0.0)
    source = Provenance(seed=0, options={}, files=[], store_fingerprint="", store_triples=0)
    database(tmp_path / "a.duckdb").write(Build(dataset("biokalma"), [empty], source))
    found = database(tmp_path / "a.duckdb").sql(query)
    assert found.columns[0] == "question_id" and found.columns[-2:] == ["question", "knowledge"]


def test_the_version_is_in_the_changelog() -> None:
    from kgbuild import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_extras_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"semantic", "llm", "report", "review", "export", "loaders", "spark", "dev", "model"}
    assert extras == set(project["optional-dependencies"])
