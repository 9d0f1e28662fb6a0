"""The house keeps its one-way flow: imports are read from the code and held to it."""

import ast
import functools
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "kgbuild"
DOORS = {
    "pyoxigraph": {"kgbuild.store.oxigraph", "kgbuild.store.sparql.terms"},
    "pyspark": {"kgbuild.slice.spark.cluster"},
    "pyarrow": {"kgbuild.slice.spark.executor"},
    "duckdb": {
        f"kgbuild.tables.{name}"
        for name in (
            *("checks", "connection", "database", "file_formats", "files", "reviews"),
            *("schema", "shape", "snapshot", "sql_errors", "verifications", "writing"),
        )
    },
    "sqlite3": {"kgbuild.models.reply_cache"},
    "aiohttp": {"kgbuild.models.connection"},
    "urllib3": {"kgbuild.net.transport"},
    "flask": {"kgbuild.review.app"},
    "waitress": {"kgbuild.review.app"},
    "pyzipper": {"kgbuild.export.archive"},
    "datasets": {"kgbuild.evaluate.harness"},
    "inspect_ai": {"kgbuild.export.inspect_tasks"},
    "isal": {"kgbuild.files.compression"},
    "backports": {"kgbuild.files.compression"},
    "jinja2": {"kgbuild.report.page", "kgbuild.datasets.grouse.prompt_folder"},
    "networkx": {"kgbuild.graph.communities"},
    "msgspec": {"kgbuild.dump.json.model", "kgbuild.dump.json.values", "kgbuild.tables.writing"},
    "bert_score": {"kgbuild.models.local.embeddings"},
    "sentence_transformers": {
        f"kgbuild.models.local.{name}" for name in ("classifiers", "embeddings", "libraries")
    },
    "spacy": {"kgbuild.models.local.nlp"},
    "nltk": {"kgbuild.evaluate.library_metrics"},
    "rouge_score": {"kgbuild.evaluate.library_metrics"},
    "torch": {
        f"kgbuild.models.local.{name}"
        for name in (
            *("heads", "classifiers", "embeddings", "generation", "libraries"),
            *("questions", "reading"),
        )
    },
    "transformers": {
        f"kgbuild.models.local.{name}" for name in ("embeddings", "generation", "heads")
    },
    "llvmlite": {f"kgbuild.native.{name}" for name in ("compiler", "machine_code")},
    "numba": {"kgbuild.native.compiler"},
}


@functools.cache
def modules() -> Mapping[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Return the full names of what a file imports, at its top or inside functions."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    known = modules()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else str(node.module)


def test_imports_go_down_and_not_in_circles() -> None:
    # The layers stand in pyproject.toml, as import-linter reads them.
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("engine", DOORS)
def test_engines_have_one_door(engine: str) -> None:
    importers = {
        module
        for module, path in modules().items()
        if any(name.split(".")[0] == engine for name in imports(path))
    }
    assert importers == DOORS[engine]


def test_only_the_command_line_knows_click_and_rich() -> None:
    for module, path in modules().items():
        if not module.startswith("kgbuild.cli"):
            names = {name.split(".")[0] for name in imports(path)}
            assert not names & {"click", "rich"}, module


BUILDERS = tuple(f"kgbuild.datasets.{name}" for name in ("syn_qa", "granola", "biokalma", "grouse"))


def test_builders_know_no_engine() -> None:
    engines = {"click", "duckdb", "pyoxigraph", "sqlite3", "rich"}
    for module, path in modules().items():
        if module.startswith(BUILDERS):
            assert not {name.split(".")[0] for name in imports(path)} & engines, module


def test_no_query_stands_in_the_code() -> None:
    # SPARQL lives in queries/; SQL's SELECT is upper-case too, so look for its WHERE { form.
    for module, path in modules().items():
        text = path.read_text(encoding="utf-8")
        assert "WHERE {" not in text and "PREFIX " not in text, module


def test_wikidata_iris_stand_in_one_file() -> None:
    for module, path in modules().items():
        if module != "kgbuild.wikidata":
            assert "http://www.wikidata.org" not in path.read_text(encoding="utf-8"), module


def test_no_class_name_stands_twice() -> None:
    found = defaultdict(list)
    for module, path in modules().items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module)
    assert {name: where for name, where in found.items() if len(where) > 1} == {}
