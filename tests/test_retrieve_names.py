"""Names of people as people write them: shared, shortened, spelled otherwise, inside of works."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgbuild.catalog import catalog
from kgbuild.cli import cli
from kgbuild.datasets.biokalma.retrieval.retriever import Retriever
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import open_store
from kgbuild.store.load import load
from tests.conftest import triples

PEOPLE = {
    "Moon Jae-in": "Q1",
    "Michael Laudrup": "Q2",
    "Brian Laudrup": "Q3",
    "George Gershwin": "Q4",
    "Ira Gershwin": "Q11",
    "Frank Herbert": "Q7",
    "Kim Jong-il": "Q8",
    "A. R. Rahman": "Q9",
    "Robert Downey, Jr.": "Q10",
    "Leopold I of Belgium": "Q12",
    "Leopold II of Belgium": "Q13",
    "Christian IX of Denmark": "Q14",
    "will.i.am": "Q15",
    "Will Ferrell": "Q16",
    "Plato": "Q17",
    "Alfred Hitchcock": "Q18",
    "Samuel L. Jackson": "Q19",
    "Ed Wood": "Q21",
    "Eleanor Roosevelt": "Q22",
    "Franklin Delano Roosevelt": "Q23",
    "George Washington": "Q24",
    "Prince": "Q26",
    "Robin Gibb": "Q27",
    "Barry Gibb": "Q28",
    "Maurice Gibb": "Q29",
    "Greg Van Avermaet": "Q30",
    "Kurt Gödel": "Q32",
    "Ray Allen": "Q33",
    "Zinedine Zidane": "Q50",
    "William Randolph Hearst": "Q51",
    "Herman J. Mankiewicz": "Q52",
    "Joseph L. Mankiewicz": "Q53",
    "Massimo D'Alema": "Q54",
    "Darryl Hannah": "Q55",
    "Nikolay Kuznetsov": "Q56",
    "Maxim Kuznetsov": "Q57",
    "David Lean": "Q58",
    "Alessandro Volta": "Q59",
    "Hamoud bin Abdulaziz Al Saud": "Q60",
    "Musa'id bin Abdulaziz Al Saud": "Q61",
    "DeWitt Clinton": "Q62",
    "Hiram Bones": "Q63",
    "Eva Marie Rosen": "Q65",
    "Hugo Chávez": "Q67",
    "Ingrid Chávez": "Q68",
    "Terry Britten": "Q69",
    "Benjamin Britten": "Q70",
    "Claire Danes": "Q71",
    "Ward Bond": "Q72",
    "John Lennon": "Q73",
    "Cynthia Lennon": "Q74",
}
OTHERS = """
    wd:Q14 skos:altLabel "King of Denmark"@en
    wd:Q73 wdt:P106 wd:Q101
    wd:Q73 wdt:P106 wd:Q102
    wd:Q74 wdt:P21 wd:Q6581072
    wd:Q7817 rdfs:label "World Health Organization"@en
    wd:Q7817 skos:altLabel "WHO"@en
    wd:Q7817 wdt:P31 wd:Q43229
    wd:Q40 rdfs:label "Frank Herbert's Dune"@en
    wd:Q40 wdt:P31 wd:Q5398426
    wd:Q41 rdfs:label "Ed Wood"@en
    wd:Q41 wdt:P31 wd:Q11424
    wd:Q11424 rdfs:label "film"@en
    wd:Q42 rdfs:label "Being George Gershwin"@en
    wd:Q42 wdt:P31 wd:Q11424
    wd:Q43 rdfs:label "prince"@en
    wd:Q44 rdfs:label "Washington"@en
    wd:Q44 wdt:P31 wd:Q515
    wd:Q24 skos:altLabel "Washington"@en
    wd:Q31 rdfs:label "Isaac Newton"@en
    wd:Q31 wdt:P106 wd:Q45
    wd:Q4 wdt:P3373 wd:Q11
    wd:Q56 schema:description "Soviet admiral"@en
    wd:Q57 schema:description "Russian ice hockey player"@en
    wd:Q64 rdfs:label "Hannah"@en
    wd:Q64 wdt:P31 wd:Q11424
    wd:Q66 rdfs:label "Volta"@en
    wd:Q66 wdt:P31 wd:Q4022
    wd:Q71 rdfs:label "Rosen"@en
    wd:Q71 wdt:P31 wd:Q515
    wd:Q67 wdt:P26 wd:Q50
    wd:Q70 skos:altLabel "Edward Benjamin Britten"@en
    wd:Q70 skos:altLabel "Lord Britten"@en
    wd:Q23 wdt:P26 wd:Q22
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    people = (
        f'wd:{qid} rdfs:label "{name}"@en\nwd:{qid} wdt:P31 wd:Q5' for name, qid in PEOPLE.items()
    )
    folder = tmp_path_factory.mktemp("names")
    (folder / "dump.nt").write_text(triples("\n".join([*people, OTHERS])), encoding="utf-8")
    load([str(folder / "dump.nt")], folder / "kg", Filter())
    return folder / "kg"


@pytest.fixture(scope="module")
def retriever(store: Path) -> Iterator[Retriever]:
    with open_store(store) as opened:
        yield Retriever(opened.knowledge(catalog().kinds), opened.names)


@pytest.mark.parametrize(
    ("question", "qids"),
    [
        # A hyphen joins "in" with the name, so it is no preposition.
        ("When was Moon Jae-in born?", "Q1"),
        ("when was moon jae in born", "Q1"),
        ("Whom did Kim Jong Il succeed?", "Q8"),
        ("Which Kim Jong-il-era films survive?", "Q8"),
        # People who share a surname or a country.
        ("Did Michael and Brian Laudrup play together?", "Q2 Q3"),
        ("Did George and Ira Gershwin work apart?", "Q4 Q11"),
        ("Was George or Ira Gershwin the elder?", "Q4 Q11"),
        ("Robin, Barry and Maurice Gibb: who was the eldest?", "Q27 Q28 Q29"),
        ("were george and ira gershwin brothers", "Q4 Q11"),
        ("Did Leopold I and II of Belgium own Congo?", "Q12 Q13"),
        ("Did Leopold I and Leopold II of Belgium meet?", "Q12 Q13"),
        ("What did Ira Gershwin's brother George write?", "Q11 Q4"),
        ("Was Eleanor married to Franklin Delano Roosevelt?", "Q22 Q23"),
        # The first word of a sentence, also after a colon.
        ("Tell me: Who was Frank Herbert?", "Q7"),
        ("Will Ferrell is in which films?", "Q16"),
        ("Will Frank Herbert write it?", "Q7"),
        # A work that begins with its author, and one that holds a name.
        ("Who plays in Being George Gershwin?", "Q42"),
        # Spellings.
        ("What did A.R. Rahman compose?", "Q9"),
        ("What did AR Rahman compose?", "Q9"),
        ("What did A R Rahman compose?", "Q9"),
        ("Is Robert Downey Jr. a father?", "Q10"),
        ("Is Robert Downey Junior a father?", "Q10"),
        ("Was Kurt Goedel ill?", "Q32"),
        ("Did will.i.am sing?", "Q15"),
        ("For whom does Greg van Avermaet ride?", "Q30"),
        ("Which team did ray allen of the NBA play for?", "Q33"),
        ("what was ray allens team?", "Q33"),
        # Names that a question shortens, and those that it does not mean.
        ("Was Hitchcock British?", "Q18"),
        ("Did Plato and Hitchcock write it?", "Q17 Q18"),
        ("Was Samuel Jackson in it?", "Q19"),
        ("Was Frank Herberd a writer?", "Q7"),
        ("Was Fred Herbert a writer?", ""),
        ("Who was George Washington Carver?", ""),
        ("Who was Plato of Sinope?", ""),
        ("Did Leopold II of Tuscany reign?", ""),
        ("What did Alma von Hitchcock do?", ""),
        ("Was Plato Greek?", "Q17"),
        # Surnames in small letters, at the beginning, of people whose name is also a thing's.
        ("did zidane ever meet hearst", "Q50 Q51"),
        ("zidanes first goal", "Q50"),
        ("d'alema resigned when", "Q54"),
        ("Zidane scored when?", "Q50"),
        ("Zidane, D'Alema and Lean: who is the eldest?", "Q50 Q54 Q58"),
        ("Did Lean shoot it?", "Q58"),
        ("Which battery did Volta build?", "Q59"),
        # A surname of several: a spouse or fame tells who is meant, or nobody is.
        ("Who is Kuznetsov?", ""),
        ("Did Chávez meet Zinedine Zidane?", "Q67 Q50"),
        ("Who is Chávez?", ""),
        ("Did Britten write operas?", "Q70"),
        # Initials, middle names and given names beside a surname.
        ("Did W. R. Hearst own it?", "Q51"),
        ("did w r hearst own it", "Q51"),
        ("Did J. Mankiewicz direct it?", "Q53"),
        ("Did Herman and Joseph Mankiewicz write it?", "Q52 Q53"),
        ("is daryl hannah married", "Q55"),
        ("Was Hamoud or Musa'id bin Abdulaziz Al Saud born first?", "Q60 Q61"),
        ("when did de witt clinton die", "Q62"),
        ("who is franklin delano roosevelt's wife eleanor", "Q23 Q22"),
        # Two people side by side.
        ("In which film is Kurt Gödel Ray Allen's friend?", "Q32 Q33"),
        # Common words are no surnames in small letters, and unknown given names tell strangers.
        ("how many bones has a cat", ""),
        ("is hugo zidane married", ""),
        # Ordinary words that are also names.
        ("Prince Charming is who?", ""),
        ("Prince was whose idol?", "Q26"),
        ("Did Prince sing?", "Q26"),
        ("which prince sang?", ""),
        # The class of a work beside its name tells it from its namesake; elsewhere it does not.
        ("Who shot the film Ed Wood?", "Q41"),
        ("Which film did Ed Wood shoot?", "Q21"),
        # The person, not the place.
        ("How old was Washington?", "Q24"),
        # A title of anybody is nobody's name.
        ("Was Plato a King of Denmark?", "Q17"),
        ("Did the King of Denmark meet Plato?", "Q14 Q17"),
        # The store tells more of John than of Cynthia.
        ("When did Lennon write?", "Q73"),
        ("lennon glasses prescription", "Q73"),
        # More initials than given names, a misspelt surname, a surname before the full names.
        ("Did M. B. Laudrup play?", "Q2"),
        ("was zinedine zidanne french", "Q50"),
        ("Which Laudrup won, Michael or Brian Laudrup?", "Q2 Q3"),
        # No class says that he is a person, but his occupation does.
        ("Did Isaac Newton visit Washington?", "Q31 Q24"),
    ],
)
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
    assert (result["questions"], result["accuracy"], result["people"]) == (3, 1, 1)
    assert (result["precision"], result["precision_of"]) == (3 / 4, 4)
    assert (result["people_precision"], result["all_found"]) == (3 / 4, 1)
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
