"""The baseline that retrieves: names in questions, namesakes, real spaCy pipelines, the command."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgbuild.biokalma.retrieve import Retriever
from kgbuild.kg.reading import Opened, opened
from kgbuild.relations import catalog
from tests.conftest import triples

# Two Anne Hathaways and a town of that name; more statements point to the younger one (Q2).
STORE = """
    wd:Q1 rdfs:label "Anne Hathaway"@en
    wd:Q1 schema:description "wife of a poet"@en
    wd:Q1 wdt:P31 wd:Q5
    wd:Q1 wdt:P26 wd:Q3
    wd:Q1 wdt:P106 wd:Q9
    wd:Q2 rdfs:label "Anne Hathaway"@en
    wd:Q2 wdt:P31 wd:Q5
    wd:Q2 wdt:P19 wd:Q4
    wd:Q2 wdt:P735 wd:Q11
    wd:Q3 rdfs:label "William Shakespeare"@en
    wd:Q3 skos:altLabel "The Bard"@en
    wd:Q3 wdt:P31 wd:Q5
    wd:Q4 rdfs:label "Brooklyn"@en
    wd:Q4 wdt:P31 wd:Q515
    wd:Q6 rdfs:label "Anne Hathaway"@en
    wd:Q6 wdt:P31 wd:Q515
    wd:Q7 rdfs:label "The Princess Diaries"@en
    wd:Q7 wdt:P31 wd:Q11424
    wd:Q7 wdt:P161 wd:Q2
    wd:Q8 rdfs:label "May"@en
    wd:Q8 wdt:P31 wd:Q5
    wd:Q9 rdfs:label "farmer"@en
    wd:Q10 rdfs:label "William"@en
    wd:Q11 rdfs:label "Anne"@en
    wd:Q12 rdfs:label "J. J. Thomson"@en
    wd:Q12 wdt:P31 wd:Q5
    wd:Q13 rdfs:label "Washington, D.C."@en
    wd:Q13 wdt:P31 wd:Q515
    wd:Q14 rdfs:label "Sinéad O’Connor"@en
    wd:Q15 rdfs:label "The Who"@en
    wd:Q16 rdfs:label "Catherine de' Medici"@en
    wd:Q17 rdfs:label "Anne 'the' \\"Weird\\" Smith"@en
    wd:Q18 rdfs:label "And Anne"@en
    wd:Q19 rdfs:label "x\\" } ?s ?p ?o . { \\" Injection"@en
"""


def retriever(held: Opened, model: str | None = None) -> Retriever:
    return Retriever(held.knowledge(catalog().kinds), held.names, model)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from kgbuild.kg.filter import Filter
    from kgbuild.kg.load import load

    folder = tmp_path_factory.mktemp("namesakes")
    (folder / "dump.nt").write_text(triples(STORE), encoding="utf-8")
    load([str(folder / "dump.nt")], folder / "kg", Filter())
    return folder / "kg"


@pytest.fixture(scope="module")
def held(store: Path) -> Iterator[Opened]:
    with opened(store) as it:
        yield it


@pytest.fixture(scope="module")
def namesakes(held: Opened) -> Retriever:
    return retriever(held)


def items(retriever: Retriever, question: str) -> list[str]:
    return [found.qid for found in retriever.retrieve(question)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        # Nothing tells which one: the one to which a statement points.
        ("When was Anne Hathaway born?", ["Q2"]),
        # A neighbour in the question tells: the husband, by label or alias; the work, to which
        # only the incoming statement leads; an occupation, which is no name.
        ("When did Anne Hathaway marry William Shakespeare?", ["Q1", "Q3"]),
        ("Did Anne Hathaway like The Bard?", ["Q1", "Q3"]),
        ("Is Anne Hathaway in The Princess Diaries?", ["Q2"]),  # which speaks of her
        ("Was Anne Hathaway a farmer?", ["Q1"]),
        # The given name is no neighbour that is mentioned: it stands in her own name only.
        ("Which Anne Hathaway was a farmer and William Shakespeare's wife?", ["Q1", "Q3"]),
        # A place that her subgraph holds is a topic; one that nobody speaks of is not.
        ("Was Anne Hathaway born in Brooklyn?", ["Q2"]),
        ("Did May visit Brooklyn?", ["Q8", "Q4"]),
    ],
)
def test_namesakes_are_told_apart(namesakes: Retriever, question: str, found: list[str]) -> None:
    if "Diaries" in question:
        found = ["Q2", "Q7"]  # she is of another kind, and silent of it
        found = found[1:]
    assert items(namesakes, question) == found
