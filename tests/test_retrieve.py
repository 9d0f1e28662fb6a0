"""The baseline that retrieves: names in questions, namesakes, real spaCy pipelines, the command."""

import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.cli import cli
from kgbuild.datasets import database, dataset
from kgbuild.datasets.biokalma.retrieval.evaluation import RetrievalOutcome, accuracy
from kgbuild.datasets.biokalma.retrieval.retriever import Retriever
from kgbuild.errors import KgbuildError
from kgbuild.evaluate.bootstrap import Share
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Build, Built, Provenance
from kgbuild.text.spans import without_overlaps
from kgbuild.text.words import split
from tests.conftest import load_text, triples
from tests.scored import shares
from tests.test_statements import pairs_of

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
    wd:Q20 rdfs:label "Thomson"@en
    wd:Q19 rdfs:label "x\\" } ?s ?p ?o . { \\" Injection"@en
"""


def retriever(held: Store, model: str | None = None) -> Retriever:
    return Retriever(held.knowledge(catalog().kinds), held.names, model)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return load_text(tmp_path_factory.mktemp("namesakes"), triples(STORE))


@pytest.fixture(scope="module")
def held(store: Path) -> Iterator[Store]:
    with open_store(store) as it:
        yield it


@pytest.fixture(scope="module")
def namesakes(held: Store) -> Retriever:
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
        ("Is Anne Hathaway in The Princess Diaries?", ["Q2"]),
        ("Was Anne Hathaway a farmer?", ["Q1"]),
        # The given name is no neighbour that is mentioned: it stands in her own name only.
        ("Which Anne Hathaway was a farmer and William Shakespeare's wife?", ["Q1", "Q3"]),
        # What a question names beside people only tells which people; alone it is the topic.
        ("Was Anne Hathaway born in Brooklyn?", ["Q2"]),
        ("Did May visit Brooklyn?", ["Q8"]),
        ("Who is in The Princess Diaries?", ["Q7"]),
    ],
)
def test_namesakes_are_distinguished(namesakes: Retriever, question: str, found: list[str]) -> None:
    assert items(namesakes, question) == found


@pytest.mark.parametrize(
    ("question", "entities"),
    [
        ("Who taught J. J. Thomson?", ["J. J. Thomson"]),
        ("Who died in Washington, D.C.?", ["Washington, D.C."]),
        ("What is Washington, D.C.'s age?", ["Washington, D.C."]),
        ("What did William Shakespeare’s wife do?", ["William Shakespeare"]),  # not William alone
        ("Is “William Shakespeare” or 'May' older?", ["William Shakespeare", "May"]),
        # Apostrophes and quotes, as they stand in the question and as they do in the label.
        ("When did Sinéad O'Connor sing?", ["Sinéad O'Connor"]),
        ("when did sinead o’connor sing?", ["sinead o’connor"]),
        ("Is Catherine de’ Medici French?", ["Catherine de’ Medici"]),
        ("Is Anne ’the’ “Weird” Smith her?", ["Anne ’the’ “Weird” Smith"]),
        # Words are no names, but a name of such words is one.
        ("who may the farmer be, and May who?", ["May"]),
        ("Who saw The Who in may?", ["The Who"]),
        ("Farmer of what?", []),  # which is never spelled so but where a sentence begins
        ("Is she older than and Anne?", ["Anne"]),  # "and" belongs to no name
        # A part of a name that nobody knows is none; what a sentence begins with tells nothing.
        ("Was William Smith there?", []),
        ("Did she? Ask William.", ["William"]),
        # Small or capital letters alone tell nothing.
        ("when did anne hathaway meet a farmer?", ["anne hathaway"]),
        ("WHEN DID ANNE HATHAWAY MARRY?", ["ANNE HATHAWAY"]),
        # What is named twice is one entity, as by the surname.
        (
            "Is Anne Hathaway still Hathaway, and J. J. Thomson's name Thomson?",
            ["Anne Hathaway", "J. J. Thomson"],
        ),
        ("Is May the May that is MAY?", ["May"]),
        ("?!", []),
    ],
)
def test_names_are_found(namesakes: Retriever, question: str, entities: list[str]) -> None:
    assert [found.text for found in namesakes.retrieve(question)] == entities


def test_retrieved_items(namesakes: Retriever) -> None:
    (anne, _) = namesakes.retrieve("Was Anne Hathaway a farmer, and The Bard his name?")
    assert (anne.text, anne.qid, anne.matched) == ("Anne Hathaway", "Q1", ("Q9", "Q3"))
    assert anne.candidates == 3  # the town counts


NAMES = ("Anne Hathaway", "Hathaway", "The Who", "May", "D.C.", "and", "Łódź", "東京", "ﬁ")
SNIPPETS = st.sampled_from([*NAMES, " ", ", ", "'s", "’", "“", "?", "\n", "\0", "née", "\ud800"])


@settings(max_examples=50)
@given(st.one_of(st.text(), st.lists(SNIPPETS).map("".join)))
@example("Anne Hathaway May")
@example("İ İ")
@example("J. J. Thomson & J. Thomson, and I and II of Thomson brothers")
def test_any_text_has_names_that_do_not_overlap(namesakes: Retriever, text: str) -> None:
    readable = text.encode("utf-8", "replace").decode()
    question = split(readable)
    for word in question.words:
        assert readable[word.start : word.end] == word.text
    names = without_overlaps(namesakes._linker.names(question))
    assert all(one.last < other.first for one, other in itertools.pairwise(names))
    if text.strip():
        assert all(found.text in readable for found in namesakes.retrieve(text))


def pipeline(folder: Path, *patterns: tuple[str, str]) -> str:
    """Save a pipeline that takes texts for entities of a type, and return its folder."""
    import spacy  # which imports PyTorch where it is installed

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": text} for text, label in patterns])  # type: ignore[attr-defined]
    nlp.to_disk(folder)
    return str(folder)


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("PERSON", ["Q2"]),
        ("GPE", ["Q6"]),
        ("CARDINAL", ["Q2"]),  # which tells nothing
        ("LANGUAGE", []),  # none of them is one
    ],
)
def test_a_trained_pipeline_chooses_the_entities(
    held: Store, tmp_path: Path, kind: str, found: list[str]
) -> None:
    model = pipeline(tmp_path / "model", ("Anne Hathaway", kind), ("nobody", "PERSON"))
    asking = retriever(held, model)
    # May is no entity for it, and nobody is one that no item is called.
    assert items(asking, "When did Anne Hathaway and nobody see May?") == found


def test_words_outside_of_entities_distinguish_namesakes(held: Store, tmp_path: Path) -> None:
    asking = retriever(held, pipeline(tmp_path / "model", ("Anne Hathaway", "PERSON")))
    assert items(asking, "Was Anne Hathaway a farmer?") == ["Q1"]


@pytest.mark.parametrize("part", ["Anne Hathaway ", "a", "Ask. "])
def test_a_long_question(namesakes: Retriever, part: str) -> None:
    found = items(namesakes, part * (20_000 // len(part)))
    assert found == (["Q2"] if "Anne" in part else [])


def test_a_label_is_no_query(namesakes: Retriever) -> None:
    assert items(namesakes, 'What is x" } ?s ?p ?o . { " Injection?') == ["Q19"]


def test_without_spacy_its_extra_is_named(held: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)  # as if it were not installed
    with pytest.raises(KgbuildError) as error:
        retriever(held, "en_core_web_sm")
    assert "needs spaCy, " in str(error.value) and "kgbuild[nlp]" in str(error.value)


def test_accuracy() -> None:
    # Of four subjects three are retrieved, in one of the two questions both; two items more are.
    outcomes = [
        RetrievalOutcome({"Q1", "Q2"}, {"Q1", "Q2", "Q8", "Q9"}),
        RetrievalOutcome({"Q3", "Q4"}, {"Q4"}),
    ]
    assert shares(accuracy(outcomes)) == {
        "accuracy": Share(3, 4),
        "precision": Share(3, 5),
        "all_found": Share(1, 2),
        "further": Share(2, 2),
    }


def test_people_of_the_sample(sample: Store) -> None:
    # Every pair of joined people whose labels are known is found in a question about them.
    known = sample.knowledge(catalog().kinds)
    asking = Retriever(known, sample.names)
    pairs = [pair for pid in ("P26", "P40", "P1066") for pair in pairs_of(known.statements, pid)]
    outcomes = []
    for one, other in pairs:
        names = known.labels.label(one), known.labels.label(other)
        if all(names):
            question = "How were {0} and {1} related, and where did {1} die?".format(*names)
            outcomes.append(RetrievalOutcome({one, other}, {*items(asking, question)}))
    assert [outcome for outcome in outcomes if outcome.about != outcome.retrieved] == []
    made = accuracy(outcomes)
    assert made["accuracy"].total > 20
    assert (made["accuracy"].value, made["further"].value) == (1, 0)


QUESTIONS = [
    # The second means the town of the name, which nothing tells.
    ("a", ["Q1", "Q3"], "Did Anne Hathaway marry William Shakespeare?", "Who was The Bard?"),
    ("b", ["Q6", "Q4"], "Is Anne Hathaway near Brooklyn?", "Where is Brooklyn?"),
]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return a database that holds two questions, each with two subjects."""
    rows = [
        {
            "question_id": question_id,
            "subjects": [{"qid": qid, "label": qid} for qid in about],
            "relation": "P26",
            "general_question": general,
            "specific_question": specific,
            "paragraph": "",
            "popularity": 0,
            "source": "P26",
            "evidence": [],
            "split": "train",
            "themes": [],
        }
        for question_id, about, specific, general in QUESTIONS
    ]
    biokalma = dataset("biokalma")
    built = Built(
        "P26", {table: rows if table == biokalma.tables[0] else [] for table in biokalma.tables}
    )
    path = tmp_path / "datasets.duckdb"
    database(path).write(Build(biokalma, [built], Provenance(0, {}, [], "", 0)))
    return path


@pytest.fixture
def run(store: Path, tmp_path: Path) -> Callable[..., Result]:
    """Return a function that calls the command."""

    def call(*arguments: str, **environment: str) -> Result:
        home = {"KGBUILD_STORE": str(store), "KGBUILD_DB": str(tmp_path / "datasets.duckdb")}
        return CliRunner().invoke(cli, ["retrieve", *arguments], env={**home, **environment})

    return call


def test_the_command_prints_the_items(run: Callable[..., Result]) -> None:
    question = "Did Anne Hathaway marry William Shakespeare?"
    done = run(question)
    assert done.exit_code == 0
    head, _, first, second = done.output.splitlines()
    assert head.split() == ["entity", "qid", "label", "description", "matched", "candidates"]
    told = "Anne Hathaway", "Q1", "wife of a poet", "William Shakespeare"
    assert all(text in first for text in told)
    assert first.split()[-1] == "3"
    assert "Q3" in second
    anne, _ = json.loads(run(question, "--json").output)
    assert anne["subgraph"] == [
        _edge("P26", "spouse", "Q3", "William Shakespeare"),
        _edge("P31", "instance of", "Q5", "Q5"),
        _edge("P106", "occupation", "Q9", "farmer"),
    ]


def _edge(pid: str, name: str, value: str, label: str) -> dict[str, str]:
    told = {"direction": "out", "property": pid, "property_label": name}
    return {**told, "value": value, "label": label}


def test_the_command_evaluates(run: Callable[..., Result], db: Path) -> None:
    (told,) = json.loads(run("--evaluate", "specific", "--json").output)
    assert (told["questions"], told["accuracy"], told["all_found"]) == (2, 0.5, 0.5)
    # The second was taken to be about her who was born in Brooklyn, and Brooklyn for a topic.
    assert told["further"] == 0.5
    assert [miss["question_id"] for miss in told["misses"]] == ["b"]
    assert told["misses"][0]["about"] == ["Q6", "Q4"]
    (told,) = json.loads(run("--evaluate", "general", "--json").output)
    assert (told["accuracy"], told["further"]) == (0.5, 0)
    table = run("--evaluate", "general")
    assert "50%" in table.output


def test_a_question_that_names_nothing(run: Callable[..., Result]) -> None:
    done = run("Who is it?")
    assert (done.exit_code, "names no item of the store." in done.stderr) == (1, True)


def test_a_folder_that_is_no_pipeline(run: Callable[..., Result], tmp_path: Path) -> None:
    done = run("Who?", "--spacy-model", str(tmp_path))
    assert f"{tmp_path} cannot be used as a spaCy pipeline: " in done.output
    assert done.exit_code == 2
