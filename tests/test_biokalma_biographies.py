"""Sentences of people about two others: how lines are read, and whom they speak of."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.biokalma.rows import SetOptions
from kgbuild.datasets.biokalma.sets.biographies import BiographySentence, SubjectResolver, read
from kgbuild.datasets.biokalma.sets.build import Builder
from kgbuild.datasets.biokalma.sets.drafts import Drafter
from kgbuild.datasets.biokalma.sets.minimal import Triple
from kgbuild.graph.open import Store
from kgbuild.rows import Built, Rejected
from tests.test_granola_profile import TIME, alias, item, person

_REASONS = read_toml("datasets/biokalma/reasons.toml")


def line(
    sentence: str = "A b.", head: Any = "A B", relation: Any = "P26", tail: Any = "C D"
) -> str:
    return json.dumps({"sentence": sentence, "head": head, "relation": relation, "tail": tail})


# Reading


def test_lines_become_biographies() -> None:
    found, rejections = read([line(" A\tmarried  C. "), "", "  \n", line(head=" A  B ")])
    assert found == [
        BiographySentence(1, "A married C.", "A B", "P26", "C D"),
        BiographySentence(4, "A b.", "A B", "P26", "C D"),  # empty lines are counted
    ]
    assert rejections == []
    assert found[1].candidate == "line 4: A B P26 C D"


def test_unknown_keys_are_ignored() -> None:
    (one,), rejections = read([json.dumps({**json.loads(line()), "id": 7, "more": [1]})])
    assert (one.head, rejections) == ("A B", [])


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ("no JSON", "wrong JSON", "Expecting value: line 1 column 1 (char 0)"),
        (line()[:-1], "wrong JSON", "Expecting ',' delimiter: line 1 column 69 (char 68)"),
        (f"\ufeff{line()}", "wrong JSON", None),  # a mark of the order of bytes: the command's
        (f"{line()} {line()}", "wrong JSON", None),
        ("[1, 2]", "wrong JSON", "no object"),
        ('"text"', "wrong JSON", "no object"),
        ("null", "wrong JSON", "no object"),
        ("{}", "incomplete", "sentence, head, relation, tail"),
        (line(head=""), "incomplete", "head"),
        (line(relation=" \t"), "incomplete", "relation"),
        (line(tail=None), "incomplete", "tail"),
        ('{"sentence": "A b.", "head": "A B"}', "incomplete", "relation, tail"),
        (line(head=5), "incomplete", "head"),
        (line(head=["A B"]), "incomplete", "head"),
        ("[" * 100_000, "wrong JSON", None),
    ],
)
def test_invalid_lines_are_rejected(text: str, reason: str, detail: str | None) -> None:
    found, ((candidate, why, how),) = read([line(), text, line()])
    assert [one.line for one in found] == [1, 3]  # the rest goes on
    assert (candidate, why) == ("line 2", reason)
    assert detail in (how, None)
    assert reason in _REASONS["line"]


@given(st.text())
def test_any_line_is_read_or_rejected(text: str) -> None:
    found, rejections = read([text])
    assert len(found) + len(rejections) == bool(text.strip())


# Whom they speak of


def born(year: int) -> str:
    return f"wdt:P569 {TIME.format(f'{year}-05-05')}"


ANN = ("wdt:P19 wd:Q40", "wdt:P69 wd:Q41", "wdt:P140 wd:Q42", born(1800))
BO = ("wdt:P20 wd:Q43", "wdt:P69 wd:Q44", "wdt:P102 wd:Q45", "wdt:P106 wd:Q46")
WORLD = (
    person(1, "Ann Lee", "wdt:P26 wd:Q2", *ANN),
    person(2, "Bo Ek", alias("Robert Ek"), *BO),
    person(3, "Ann Lee", "wdt:P737 wd:Q4"),  # another one
    person(4, "Cy Ek", "wdt:P22 wd:Q2", "wdt:P140 wd:Q47"),
    person(5, "Zoë Um", "wdt:P184 wd:Q2"),
    # Two of one name, both of whom are a student of one; only one is called so by its label.
    person(6, "Di Ox", "wdt:P1066 wd:Q2"),
    person(7, "Di Ox", "wdt:P1066 wd:Q2"),
    person(8, "Ed Ox", "wdt:P737 wd:Q2"),
    person(9, "Eddy Ox", alias("Ed Ox"), "wdt:P737 wd:Q2"),
    # Nameless to each other: whoever is one's own spouse, and two of one name.
    person(10, "Flo Ax", "wdt:P26 wd:Q10"),
    person(11, "Gus Ax", "wdt:P22 wd:Q12"),
    person(12, "Gus Ax"),
    item("Q13", "Bo Ek", "Q11424"),  # a film
    person(14, "Plato", "wdt:P737 wd:Q2"),
    *(item(f"Q{40 + n}", f"Thing {n}", None) for n in range(8)),
)


class World(NamedTuple):
    builder: Builder
    resolver: SubjectResolver

    def statement(self, head: str, relation: str, tail: str) -> Triple:
        return self.resolver.statement(BiographySentence(1, "A b.", head, relation, tail))

    def built(self, *lines: str) -> Built:
        return self.builder.from_biographies("mine.jsonl", lines)


@pytest.fixture(scope="module")
def world(shared_store_of: Callable[..., Store]) -> World:
    held = shared_store_of(*WORLD)
    known = held.knowledge(catalog().kinds)
    resolver = SubjectResolver(held.names, Drafter(known, SetOptions()).pairs)
    return World(Builder(known, held.names, SetOptions()), resolver)


@pytest.mark.parametrize(
    ("told", "statement"),
    [
        # The relation tells which Ann Lee is meant.
        (("Ann Lee", "P26", "Bo Ek"), ("Q1", "P26", "Q2")),
        (("Ann Lee", "P737", "Cy Ek"), ("Q3", "P737", "Q4")),
        # The film of that name is nobody; aliases are names; relations have labels and ids.
        (("Ann Lee", "spouse", "Robert Ek"), ("Q1", "P26", "Q2")),
        (("ann lee", " Spouse ", "bo  ek"), ("Q1", "P26", "Q2")),
        (("zoe um", "p184", "Bo Ek"), ("Q5", "P184", "Q2")),
        # From the other side: what is stated is found.
        (("Bo Ek", "P26", "Ann Lee"), ("Q1", "P26", "Q2")),
        (("Bo Ek", "child", "Cy Ek"), ("Q4", "P22", "Q2")),
        (("Bo Ek", "doctoral student", "Zoë Um"), ("Q5", "P184", "Q2")),
        # Who supervised a doctorate taught.
        (("Zoë Um", "student of", "Bo Ek"), ("Q5", "P184", "Q2")),
        # Of two, the one whose label it is.
        (("Ed Ox", "influenced by", "Bo Ek"), ("Q8", "P737", "Q2")),
    ],
)
def test_lines_are_resolved_to_statements(
    world: World, told: tuple[str, str, str], statement: Triple
) -> None:
    assert world.statement(*told) == statement


@pytest.mark.parametrize(
    ("told", "reason", "detail"),
    [
        (("Ann Lee", "shoe size", "Bo Ek"), "unknown relation", "shoe size"),
        (("Ann Lee", "place of birth", "Bo Ek"), "unknown relation", "place of birth"),
        (("Ann", "P26", "Bo Ek"), "incomplete name", "Ann"),
        (("Plato", "P737", "Bo Ek"), "incomplete name", "Plato"),  # though it is all of it
        (("Ann Lee", "P26", "Jo Nobody"), "unknown name", "Jo Nobody"),
        (("Ann Lee", "P26", "Thing 1"), "unknown name", "Thing 1"),  # no person
        (("Ann Lee", "P40", "Bo Ek"), "not joined", "2 and 1 items of these names"),
        (("Cy Ek", "P40", "Bo Ek"), "not joined", "1 and 1 items of these names"),
        (("Bo Ek", "P184", "Zoë Um"), "not joined", "1 and 1 items of these names"),
        (("Di Ox", "P1066", "Bo Ek"), "ambiguous", "Q6 P1066 Q2; Q7 P1066 Q2"),
    ],
)
def test_lines_that_cannot_be_resolved(
    world: World, told: tuple[str, str, str], reason: str, detail: str
) -> None:
    with pytest.raises(Rejected) as rejected:
        world.statement(*told)
    assert rejected.value.args == (reason, detail)
    assert reason in _REASONS["line"]


@pytest.mark.parametrize("name", ["Flo Ax", "Gus Ax"])
def test_two_subjects_with_one_name_are_rejected(world: World, name: str) -> None:
    relation = "P26" if name == "Flo Ax" else "P22"
    with pytest.raises(Rejected) as rejected:
        world.statement(name, relation, name)
    assert rejected.value.reason in ("same item", "same name")


# What is built of them

SENTENCE = "Ann Lee, who was born in Thing 0 on 5 May 1800, married Bo Ek, a member of Thing 5."


def pieces(made: Built) -> list[tuple[int, str, str]]:
    return [
        (row["round"], row["qid"], row["property"])
        for row in made.tables["biokalma_knowledge"]
        if row["scope"] == "specific"
    ]


def test_facts_in_the_sentence_have_round_0(world: World) -> None:
    made = world.built(line(SENTENCE, "Ann Lee", "spouse", "Bo Ek"))
    (row,) = made.tables["biokalma_questions"]
    assert (row["source"], row["relation"], row["split"]) == ("mine.jsonl", "P26", row["split"])
    found = pieces(made)
    # A date is recognised as it is written.
    assert {one[1:] for one in found if one[0] == 0} == {
        ("Q1", "P26"),
        ("Q1", "P19"),
        ("Q1", "P569"),
        ("Q2", "P102"),
    }
    assert found[0] == (0, "Q1", "P26")
    assert [one[0] for one in found[4:]] == [*range(1, len(found) - 3)]
    assert {row["coherence"] for row in made.tables["biokalma_knowledge"][:4]} == {0}
    assert made.candidates == 1


def test_other_facts_have_later_rounds(world: World) -> None:
    made = world.built(line("They married.", "Ann Lee", "spouse", "Bo Ek"))
    assert [one[0] for one in pieces(made)] == [*range(5)]
