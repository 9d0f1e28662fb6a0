"""Evidence about questions: which statements are shown of items, and what files are refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kgbuild.datasets.syn_qa.scoring.prompts import informed
from kgbuild.datasets.syn_qa.scoring.requests import read_evidence
from kgbuild.datasets.syn_qa.statement_texts import MOST, StatementTexts
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.graph.open import open_store
from tests.conftest import triples

# A country of 40 towns; Ada (Q1) married Bo (Q2), of the last of them.
TOWNS = range(101, 141)
STORE = triples(
    """
    wd:Q1 rdfs:label "Ada"@en
    wd:Q2 rdfs:label "Bo"@en
    wd:Q9 rdfs:label "Land"@en
    wd:P26 rdfs:label "spouse"@en
    wd:P19 rdfs:label "place of birth"@en
    wd:P17 rdfs:label "country"@en
    wd:P35 rdfs:label "head of state"@en
    wd:P571 rdfs:label "inception"@en
    wd:Q1 wdt:P26 wd:Q2
    wd:Q1 wdt:P26 wd:Q77
    wd:Q2 wdt:P19 wd:Q140
    wd:Q9 wdt:P35 wd:Q1
    wd:Q9 wdt:P571 "1901-05-06T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>
    wd:Q9 wdt:P1082 "7"^^<http://www.w3.org/2001/XMLSchema#decimal>
    """
    + "".join(f'wd:Q{n} rdfs:label "Town {n}"@en\n wd:Q{n} wdt:P17 wd:Q9\n' for n in TOWNS)
)


@pytest.fixture
def about(make_store: Callable[..., Path]) -> Callable[..., list[str]]:
    def tell(*items: str, relation: str = "P26") -> list[str]:
        with open_store(make_store(STORE)) as held:
            return StatementTexts(held.graph, held.labels).about(items, [relation])

    return tell


def test_statements_stand_in_words_without_what_nobody_can_read(
    about: Callable[..., list[str]],
) -> None:
    # What has no label (Q77) is left out; what both items say is said once.
    assert about("Q1", "Q2") == [
        "Ada – spouse: Bo",
        "Land – head of state: Ada",
        "Bo – place of birth: Town 140",
    ]


def test_of_many_statements_those_that_join_the_items_are_shown(
    about: Callable[..., list[str]],
) -> None:
    plain = about("Q9")
    assert len(plain) == MOST and "Town 140 – country: Land" not in plain
    # A number without its unit is no evidence; of each property some is.
    assert plain[:2] == ["Land – head of state: Ada", "Land – inception: 1901-05-06"]
    # The last town is where Bo was born, so it leads from one to the other.
    joined = about("Q9", "Q2")
    assert "Town 140 – country: Land" in joined and len(joined) == MOST + 2
    assert joined[MOST:] == ["Bo – place of birth: Town 140", "Ada – spouse: Bo"]


def test_of_many_statements_those_of_the_relation_come_before_others(
    about: Callable[..., list[str]],
) -> None:
    told = about("Q9", relation="P17")
    assert len(told) == MOST and all(" – country: Land" in line for line in told)


def test_what_an_item_has_for_the_relation_comes_before_what_both_share(
    make_store: Callable[..., Path],
) -> None:
    # Both were in 40 films, and Cy (Q3) is married to another one than Bo (Q2).
    films = [f'wd:Q{n} rdfs:label "Film"@en\n wd:Q{n} wdt:P161 wd:Q2\n' for n in TOWNS]
    films += [f"wd:Q{n} wdt:P161 wd:Q3\n" for n in TOWNS]
    people = [f'wd:Q{n} rdfs:label "{name}"@en\n' for n, name in ((2, "Bo"), (3, "Cy"), (4, "Di"))]
    store = make_store(triples("".join([*films, *people, "wd:Q3 wdt:P26 wd:Q4\n"])))
    with open_store(store) as held:
        told = StatementTexts(held.graph, held.labels).about(["Q3", "Q2"], ["P26"])
    # The spouse is what tells that the assumption is false; equal lines are shown once.
    assert told == ["Cy – spouse: Di", "Film – cast member: Cy", "Film – cast member: Bo"]


def test_evidence_cannot_add_lines_to_a_prompt() -> None:
    (message,) = informed("When?", ["one\nQuestion: Who?", "two"]).messages
    assert message.content.startswith("Evidence:\n- one Question: Who?\n- two\n\nA question ")
    assert message.content.endswith("\n\nQuestion: When?\nAnswer:")
    assert informed("When?", []).messages[0].content.startswith("Evidence:\n(nothing was found)\n")


COLUMNS = ("pair_id", "false_assumption", "evidence")


def read(folder: Path, *rows: tuple[object, ...]) -> object:
    records = (dict(zip(COLUMNS, row, strict=False)) for row in rows)
    (folder / "found.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    return read_evidence(folder / "found.jsonl", {"a", "b"})


def test_evidence_is_read_by_question(tmp_path: Path) -> None:
    assert read(tmp_path, ("a", True, ["one", "two"]), ("a", "false", [])) == {
        ("a", True): ["one", "two"],
        ("a", False): [],
    }


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        ([], "it has no evidence"),
        ([("c", True, [])], "record 1: the pair 'c' is not in the database"),
        ([("a", None, [])], "record 1: its false_assumption is not true or false"),
        ([("a", True, []), ("a", True, [])], "record 2: there is evidence about this question of"),
        ([("a", True, "one")], "record 1: its evidence is no list of texts"),
        ([("a", True, [{"title": "one"}])], "record 1: its evidence is no list of texts"),
    ],
)
def test_a_bad_record_is_told(tmp_path: Path, rows: list[tuple[object, ...]], detail: str) -> None:
    with pytest.raises(TableFileError) as caught:
        read(tmp_path, *rows)
    assert caught.value.detail.startswith(detail)


def test_a_missing_column_is_told(tmp_path: Path) -> None:
    with pytest.raises(WrongCallError, match="has no column"):
        read(tmp_path, ("a", True))
