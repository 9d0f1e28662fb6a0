"""The house keeps its one-way flow: imports are read from the code and held to it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "kgbuild"
FLOORS = [
    # From the ground up: a module imports only from floors below its own.
    {"kgbuild", "kgbuild.errors"},
    {
        "kgbuild.kg",
        "kgbuild.kg.wikidata",
        "kgbuild.building",
        "kgbuild.columns",
        "kgbuild.folding",
        "kgbuild.predictions",
        "kgbuild.scores",
        "kgbuild.embed",
        "kgbuild.nlp",
        "kgbuild.replies",
        "kgbuild.kg.bunzip",
        "kgbuild.kg.blake2b",
        "kgbuild.kg.web",
    },
    {
        "kgbuild.llm",
        "kgbuild.kg.remote",
        "kgbuild.kg.scan",
        "kgbuild.kg.items",
        "kgbuild.kg.entities",
    },
    {"kgbuild.relations", "kgbuild.questions", "kgbuild.kg.queries", "kgbuild.kg.dump"},
    {"kgbuild.metrics", "kgbuild.metrics.answers", "kgbuild.metrics.estimates"},
    {"kgbuild.metrics.detection", "kgbuild.metrics.granola", "kgbuild.metrics.citations"},
    {"kgbuild.metrics.correlation", "kgbuild.metrics.grounded"},
    {"kgbuild.metrics.biokalma", "kgbuild.metrics.instruct_qa", "kgbuild.metrics.paired"},
    {f"kgbuild.protocols.{name}" for name in ("syn_qa", "granola", "biokalma", "grading")},
    {"kgbuild.protocols.instruct_qa", "kgbuild.protocols.quality"},
    {"kgbuild.protocols"},
    {"kgbuild.english", "kgbuild.english.dates", "kgbuild.kg.terms"},
    {"kgbuild.kg.binding"},
    {
        "kgbuild.kg.filter",
        "kgbuild.kg.store",
        "kgbuild.kg.survey",
        "kgbuild.kg.manifest",
        "kgbuild.kg.postings",
        "kgbuild.kg.endpoint",
    },
    {
        *("kgbuild.kg.intake", "kgbuild.kg.output", "kgbuild.kg.spec", "kgbuild.kg.selection"),
        *("kgbuild.kg.association", "kgbuild.kg.statements", "kgbuild.kg.lifetime"),
        *("kgbuild.kg.times", "kgbuild.kg.pages"),
    },
    {"kgbuild.kg.labels", "kgbuild.kg.hierarchy", "kgbuild.kg.slice", "kgbuild.kg.overlap"},
    {
        *("kgbuild.english.articles", "kgbuild.english.aliases", "kgbuild.english.dating"),
        "kgbuild.granola",
    },
    {
        *("kgbuild.kg.knowledge", "kgbuild.kg.views", "kgbuild.kg.served"),
        *("kgbuild.kg.hadoop", "kgbuild.kg.executor"),
    },
    {"kgbuild.kg.cluster"},
    {"kgbuild.kg.load", "kgbuild.kg.reading", "kgbuild.kg.subgraph", "kgbuild.kg.spread"},
    {"kgbuild.kg.harvest", "kgbuild.kg.fetch"},
    {
        *("kgbuild.kg.estimate", "kgbuild.kg.layout", "kgbuild.syn_qa", "kgbuild.syn_qa.rows"),
        "kgbuild.syn_qa.evidence",
        *("kgbuild.syn_qa.hotpotqa", "kgbuild.syn_qa.hotpotqa.passages"),
        "kgbuild.granola.order",
        *("kgbuild.granola.wording", "kgbuild.granola.model"),
        *("kgbuild.granola.given", "kgbuild.granola.recognise", "kgbuild.granola.stated"),
        "kgbuild.granola.responses",
        "kgbuild.granola.aggregate_model",
        "kgbuild.syn_qa.hotpotqa.categories",
    },
    {
        *("kgbuild.kg.drawing", "kgbuild.syn_qa.falsity", "kgbuild.syn_qa.questions"),
        *("kgbuild.syn_qa.risk", "kgbuild.granola.resolve"),
        *("kgbuild.granola.description", "kgbuild.granola.levels", "kgbuild.granola.classes"),
    },
    {"kgbuild.granola.places"},
    {"kgbuild.granola.profile"},
    {
        *("kgbuild.granola.phrases", "kgbuild.granola.measure", "kgbuild.granola.rows"),
        *("kgbuild.granola.linker", "kgbuild.granola.said"),
    },
    {"kgbuild.granola.answers", "kgbuild.granola.drafts"},
    {"kgbuild.granola.build", "kgbuild.granola.enrich", "kgbuild.granola.aggregate"},
    {
        "kgbuild.syn_qa.grade",
        *("kgbuild.syn_qa.hotpotqa.records", "kgbuild.syn_qa.hotpotqa.linking"),
    },
    {"kgbuild.syn_qa.build", "kgbuild.syn_qa.hotpotqa.mentions"},
    {
        *("kgbuild.biokalma", "kgbuild.biokalma.rows", "kgbuild.biokalma.words"),
        "kgbuild.biokalma.coherence",
    },
    {"kgbuild.biokalma.pool", "kgbuild.biokalma.wording", "kgbuild.biokalma.retrieve"},
    {
        *("kgbuild.biokalma.minimal", "kgbuild.biokalma.phrases"),
        *("kgbuild.biokalma.pronouns", "kgbuild.biokalma.eras"),
    },
    {"kgbuild.biokalma.subjects"},
    {
        *("kgbuild.biokalma.said", "kgbuild.biokalma.pairs", "kgbuild.biokalma.texts"),
        *("kgbuild.biokalma.model", "kgbuild.biokalma.evolve", "kgbuild.biokalma.ablation"),
    },
    {"kgbuild.biokalma.biographies", "kgbuild.biokalma.drafts"},
    {"kgbuild.biokalma.written"},
    {"kgbuild.grouse", "kgbuild.grouse.rows"},
    {f"kgbuild.grouse.{name}" for name in ("wording", "judge", "model", "given")},
    {"kgbuild.grouse.cases"},
    {"kgbuild.grouse.faults"},
    {f"kgbuild.grouse.{name}" for name in ("build", "meta", "agreement", "matrix")},
    {"kgbuild.biokalma.build"},
    {"kgbuild.syn_qa.hotpotqa.build", "kgbuild.workers"},
    {"kgbuild.datasets", "kgbuild.review", "kgbuild.review.questions", "kgbuild.metrics.kappa"},
    {"kgbuild.review.rows", "kgbuild.review.guard"},
    {"kgbuild.tables", "kgbuild.reasons", "kgbuild.review.drawing"},
    {"kgbuild.review.sheets"},
    {"kgbuild.reviews"},
    {"kgbuild.review.desk"},
    {"kgbuild.review.app"},
    {f"kgbuild.export{name}" for name in ("", ".harness", ".cards", ".folder", ".archive")},
    {f"kgbuild.export.harness.{name}" for name in ("syn_qa", "granola", "biokalma")},
    {"kgbuild.export.release"},
    {f"kgbuild.export.{name}" for name in ("tasks", "croissant", "provenance")},
    {"kgbuild.export.readme"},
    {"kgbuild.export.publish"},
    {f"kgbuild.report{name}" for name in ("", ".texts", ".numbers", ".parts")},
    {f"kgbuild.report.{name}" for name in ("names", "drawing", "charts")},
    {"kgbuild.report.plans"},
    {"kgbuild.report.samples"},
    {"kgbuild.report.sections"},
    {"kgbuild.report.page"},
    {"kgbuild.differences"},
    {"kgbuild.cli.screen"},
    {"kgbuild.cli.given"},
    {f"kgbuild.cli.{name}" for name in ("messages", "building", "asking", "asked", "judged")},
    {"kgbuild.cli.scoring", "kgbuild.cli.scoring.groups"},
    {f"kgbuild.cli.scoring.{name}" for name in ("kept", "compared", "quality")},
    {f"kgbuild.cli.scoring.{name}" for name in ("syn_qa", "granola", "biokalma", "instruct_qa")},
    {
        f"kgbuild.cli.{name}"
        for name in (
            *("load", "slice", "fetch", "explore", "around"),
            *("syn_qa", "granola", "biokalma", "retrieve", "ask", "aggregate", "score", "sql"),
            *("grouse", "judge", "report"),
            *("diff", "review", "export"),
        )
    },
    {"kgbuild.cli"},
    {"kgbuild.__main__"},
]
DOORS = {
    "pyoxigraph": {"kgbuild.kg.store", "kgbuild.kg.terms"},
    "pyspark": {"kgbuild.kg.cluster"},
    "pyarrow": {"kgbuild.kg.executor"},
    "duckdb": {"kgbuild.tables"},
    "sqlite3": {"kgbuild.kg.labels", "kgbuild.replies"},
    "openai": {"kgbuild.llm"},
    "flask": {"kgbuild.review.app"},
    "waitress": {"kgbuild.review.app"},
    "pyzipper": {"kgbuild.export.archive"},
    "datasets": {f"kgbuild.export.harness.{name}" for name in ("syn_qa", "granola", "biokalma")},
    "isal": {"kgbuild.kg.dump"},
    "backports": {"kgbuild.kg.dump"},
    "rdflib": {"kgbuild.kg.subgraph"},
    "networkx": {"kgbuild.kg.hierarchy", "kgbuild.kg.layout", "kgbuild.report.drawing"},
    "matplotlib": {"kgbuild.report.charts"},
    "jinja2": {"kgbuild.report.page"},
    "orjson": {"kgbuild.kg.entities"},
    "bert_score": {"kgbuild.embed"},
    "sentence_transformers": {"kgbuild.embed"},
    "spacy": {"kgbuild.nlp"},
    "torch": {"kgbuild.embed"},
    "transformers": {"kgbuild.embed"},
    "numba": {
        f"kgbuild.kg.{name}"
        for name in ("association", "blake2b", "bunzip", "items", "overlap", "scan", "selection")
    },
}


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path) -> Iterator[str]:
    """Yield the full names of what a file imports, at its top or inside functions."""
    known = modules()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else str(node.module)


def floor(module: str) -> int:
    return next(n for n, floor in enumerate(FLOORS) if module in floor)


def test_every_module_has_a_floor() -> None:
    assert sorted(modules()) == sorted(module for floor in FLOORS for module in floor)


@pytest.mark.parametrize("module", modules())
def test_imports_go_down(module: str) -> None:
    ours = {name for name in imports(modules()[module]) if name.split(".")[0] == "kgbuild"}
    upward = {name for name in ours if floor(name) >= floor(module)}
    assert not upward, f"{module} imports {upward}, which stand no lower"


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


BUILDERS = tuple(f"kgbuild.{name}" for name in ("syn_qa", "granola", "biokalma", "grouse"))


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
        if module != "kgbuild.kg.wikidata":
            assert "http://www.wikidata.org" not in path.read_text(encoding="utf-8"), module
