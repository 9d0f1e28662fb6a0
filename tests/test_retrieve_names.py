"""Names of people as people write them: shared, shortened, spelled otherwise, inside of works."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgbuild.catalog import catalog
from kgbuild.cli import cli
from kgbuild.datasets.biokalma.retrieval.retriever import Retriever
from kgbuild.graph.open import open_store
from tests.conftest import ROOT, load_text, triples

CASES = tomllib.loads(
    (ROOT / "tests" / "cases" / "retrieved_names.toml").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    people = (
        f'wd:{qid} rdfs:label "{name}"@en\nwd:{qid} wdt:P31 wd:Q5'
        for qid, _, name in (one.partition(" ") for one in CASES["people"])
    )
    text = triples("\n".join([*people, CASES["others"]]))
    return load_text(tmp_path_factory.mktemp("names"), text)


@pytest.fixture(scope="module")
def retriever(store: Path) -> Iterator[Retriever]:
    with open_store(store) as opened:
        yield Retriever(opened.knowledge(catalog().kinds), opened.names)


@pytest.mark.parametrize(("question", "qids"), CASES["questions"])
def test_people_are_retrieved(retriever: Retriever, question: str, qids: str) -> None:
    assert [item.qid for item in retriever.retrieve(question)] == qids.split()


def test_a_file_is_evaluated(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    rows = [
        {"question": "Was Plato older than Frank Herbert?", "ids": ["Q17", "q7"]},
        {"question": "Did Prince meet Ed Wood?", "ids": ["Q26", "Q999"]},
        {"question": "Who is it?", "ids": []},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    run = ["retrieve", "--store", str(store), "--evaluate", str(path)]
    (result,) = json.loads(CliRunner().invoke(cli, [*run, "--json"]).stdout)
    # Ed Wood is retrieved, but not among the ids; Q999 does not count.
    assert (result["questions"], result["accuracy"], result["all_found"]) == (3, 1, 1)
    assert (result["precision"], result["precision_of"]) == (3 / 4, 4)
    assert result["unknown_ids"] == ["Q999"]
    (miss,) = result["misses"]
    assert (miss["question_id"], miss["retrieved"]) == ("2", ["Q21", "Q26"])
    table = CliRunner().invoke(cli, run)
    assert "1 ids are not in the store, and do not count: Q999" in table.stderr


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("q.csv", 'question,ids\nWho is Plato?,"Q17, Q7"\n', None),
        ("q.csv", 'question,ids\nWho is Plato?,"[""Q17""]"\n', None),
        ("q.csv", "question,qid\nWho?,Q17\n", "has no column 'ids'"),
        ("q.csv", "question,ids\nWho?,\nWhat?,\n", "None of the 2 questions in"),
        ("q.csv", "question,ids\nWho?,Plato\n", "'Plato' is not the id of an item"),
        ("q.csv", "question,ids\n ,Q17\n", "row 1 has no question"),
        (
            "q.csv",
            "question,ids\nWho?,Q998 Q999\n",
            "None of the 2 ids of the questions is in the store: Q998, Q999",
        ),
        ("q.txt", "Who?", "its name ends with none of .jsonl"),
        (None, "", "is neither 'specific' nor 'general', nor a file."),
    ],
)
def test_files(
    store: Path, tmp_path: Path, name: str | None, content: str, sentence: str | None
) -> None:
    path = tmp_path / (name or "absent")
    if name:
        path.write_text(content)
    done = CliRunner().invoke(cli, ["retrieve", "--store", str(store), "--evaluate", str(path)])
    assert done.exit_code == (2 if sentence else 0)
    assert (sentence or "100%") in " ".join(done.output.split())
