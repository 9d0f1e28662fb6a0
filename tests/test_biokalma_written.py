"""A model behind a server writes paragraphs and questions; what it gets wrong is left out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.biokalma.rows import SetOptions
from kgbuild.datasets.biokalma.sets.build import Builder
from kgbuild.graph.open import Store
from kgbuild.models.llm import Model
from kgbuild.rows import Built, Rejection, Row
from tests.chat_server import Answer, ChatServer
from tests.test_granola_profile import item, person

_REASONS = read_toml("datasets/biokalma/reasons.toml")

WORLD = (
    person(1, "Ann Lee", "wdt:P26 wd:Q2", "wdt:P19 wd:Q40", "wdt:P69 wd:Q41"),
    person(2, "Bo Ek", "wdt:P19 wd:Q42", "wdt:P69 wd:Q43"),
    person(3, "Cy Um", "wdt:P26 wd:Q4", "wdt:P19 wd:Q44", "wdt:P69 wd:Q45", "wdt:P1412 wd:Q45"),
    person(4, "Di Ox", "wdt:P19 wd:Q46", "wdt:P69 wd:Q47"),
    *(item(f"Q{40 + n}", f"Thing {n}", None) for n in range(8)),
)
BESIDE = ("languages spoken", "influenced by")
"""Properties that are in pools and in no set."""
PAIRS = ("Ann Lee", "Cy Um")
"""Who is asked about, beside a spouse: five pieces each, of which four come by rounds."""


@pytest.fixture(scope="module")
def held(shared_store_of: Callable[..., Store]) -> Store:
    return shared_store_of(*WORLD)


@pytest.fixture
def server(server: ChatServer) -> ChatServer:
    server.say = good
    return server


Make = Callable[..., Builder]


@pytest.fixture
def make(held: Store, server: ChatServer, tmp_path: Path) -> Make:
    """Return a function that makes a builder with a model that asks one thing after the other."""

    def made(*, with_model: bool = True, budget: int | None = None) -> Builder:
        model = Model(
            "parrot",
            tmp_path / "replies.sqlite",
            server.url,
            budget,
            concurrency=1,
            pauses=(0, 0.01),
        )
        known = held.knowledge(catalog().kinds)
        ask = model.ask if with_model else None
        return Builder(known, held.names, SetOptions(), ask=ask)

    return made


def spouses(builder: Builder) -> Built:
    return builder(catalog().relations["P26"])


# What a good model says


def last(sent: dict[str, Any]) -> str:
    return str(sent["messages"][-1]["content"])


def part(sent: dict[str, Any], name: str) -> str:
    """Return the rest of the line of what is asked that begins so."""
    return next(line.removeprefix(f"{name}: ") for line in last(sent).splitlines() if name in line)


def pieces_of(sent: dict[str, Any]) -> list[str]:
    return [line[2:] for line in last(sent).splitlines() if line.startswith("- ")]


def task(sent: dict[str, Any]) -> str:
    """Return what a request is for."""
    if last(sent).startswith("Sentence: "):
        return "annotate"
    if last(sent).startswith("Paragraph: "):
        return "extend"
    if "\nSubjects: " not in last(sent):
        return "asked"
    is_specific = "every piece of knowledge" in sent["messages"][0]["content"]
    return "specific" if is_specific else "general"


def good(sent: dict[str, Any]) -> str:
    """Do what is asked, as plainly as it can be done."""
    wanted = task(sent)
    if wanted == "annotate":
        return "Facts: none"
    if wanted == "extend":
        told = " ".join(f"It is told: {piece}." for piece in pieces_of(sent))
        return f"{part(sent, 'Paragraph')} {told}"
    if wanted == "asked":
        lines = (line for line in last(sent).splitlines()[2:])
        numbers = [line.split(".")[0] for line in lines if not any(map(line.count, BESIDE))]
        return f"Facts: {', '.join(numbers)}"
    asked = {"general": "Who were", "specific": "What is to be told of"}[wanted]
    return f"{asked} {part(sent, 'Subjects')}?"


def but(wanted: str, who: str, reply: str) -> Callable[[dict[str, Any]], str]:
    """Return what does one thing otherwise, in the question about somebody."""
    return lambda sent: reply if task(sent) == wanted and who in last(sent) else good(sent)


def rows(made: Built, table: str = "questions") -> list[Row]:
    return made.tables[f"biokalma_{table}"]


def names(made: Built) -> list[str]:
    return sorted(row["subjects"][0]["label"] for row in rows(made))


# QuestionTexts


def test_rows_have_the_texts_of_the_model(make: Make, server: ChatServer) -> None:
    plain, made = spouses(make(with_model=False)), spouses(make())
    assert made.rejections == plain.rejections == []
    assert names(made) == [*PAIRS]
    for row, other in zip(rows(made), rows(plain), strict=True):
        one, two = (subject["label"] for subject in row["subjects"])
        assert row["general_question"] == f"Who were {one} and {two}?"
        assert row["specific_question"] == f"What is to be told of {one} and {two}?"
        # It begins with what joins the two, in the words of the templates.
        paragraph = row["paragraph"].split(" It is told: ")
        assert paragraph[0] == f"{one} married {two}."
        told = [
            f"{cited['label']}, {piece['property_label']}: {piece['value']}."
            for piece in rows(made, "knowledge")
            if piece["question_id"] == row["question_id"] and piece["round"]
            for cited in row["subjects"]
            if cited["qid"] == piece["qid"]
        ]
        assert paragraph[1:] == told and len(told) == 4
        # Another question has another id; all else is as it is without a model.
        assert row["question_id"] != other["question_id"]
        assert (row["evidence"], row["split"]) == (other["evidence"], other["split"])
    chosen = [
        [(row["qid"], row["property"], row["round"]) for row in rows(one, "knowledge")]
        for one in (made, plain)
    ]
    assert chosen[0] == chosen[1]


def test_a_request_for_each_round_and_each_question(make: Make, server: ChatServer) -> None:
    spouses(make())
    # All paragraphs grow together.
    assert [task(sent) for sent in server.sent] == [
        *["extend"] * 8,
        *["general"] * 2,
        *["specific"] * 2,
        *["asked"] * 2,
    ]
    whole = server.sent[-3]
    assert len(pieces_of(whole)) == 5  # the questions are about all knowledge
    assert all(len(pieces_of(sent)) == 1 for sent in server.sent[:8])


# What is left out


@pytest.mark.parametrize(
    ("wanted", "reply", "detail"),
    [
        ("asked", "Facts: 1, 2, 3, 4", "the question does not ask for "),
        ("asked", "Facts: none", "the question does not ask for "),
        ("extend", "Ann Lee was married to Bo Ek.", "the paragraph lacks "),
        ("extend", "Two\nlines", "the reply is not one line"),
        ("general", "Who was Ann Lee?", "the question does not name Bo Ek"),
        ("general", "Ann Lee and Bo Ek.", "the question has no question mark at its end"),
        ("general", "Did Ann Lee take Bo Ek to Thing 0?", "the question gives Thing 0 away"),
        ("specific", "Why did Ann Lee and Bo Ek meet at Thing 1?", "the question gives Thing 1"),
        ("specific", f"Ann Lee, {'well, ' * 90}Bo Ek?", "the question has 94 words"),
    ],
)
def test_nonsense_rejects_one_question_only(
    make: Make, server: ChatServer, wanted: str, reply: str, detail: str
) -> None:
    server.say = but(wanted, "Ann Lee", reply)
    made = spouses(make())
    assert names(made) == ["Cy Um"]
    ((candidate, reason, why),) = made.rejections
    assert (candidate, reason) == ("Q1 P26 Q2", "nonsense")
    assert why.startswith(detail)
    assert (made.candidates, made.rows) == (2, 1)
    # Nothing of the question is left in any table.
    ids = {row["question_id"] for row in rows(made)}
    assert all(row["question_id"] in ids for table in made.tables.values() for row in table)
    # After that nothing more is asked about it.
    about_ann = [task(sent) for sent in server.sent if "Ann Lee" in last(sent)]
    assert (
        about_ann
        == {
            "extend": ["extend"],
            "general": [*["extend"] * 4, "general"],
            "specific": [*["extend"] * 4, "general", "specific"],
            "asked": [*["extend"] * 4, "general", "specific", "asked"],
        }[wanted]
    )


def test_a_model_that_agrees_to_everything(make: Make, server: ChatServer) -> None:
    def agreeing(sent: dict[str, Any]) -> str:
        count = len(last(sent).splitlines()) - 2
        numbers = ", ".join(str(number) for number in range(1, count + 1))
        return f"Facts: {numbers}" if task(sent) == "asked" else good(sent)

    server.say = agreeing
    made = spouses(make())
    # Of Cy, a language is in the pool that the question does not ask for.
    assert names(made) == ["Ann Lee"]
    detail = "the question also asks for languages spoken, written or signed of Cy Um"
    assert made.rejections == [Rejection("Q3 P26 Q4", "nonsense", detail)]


def test_paragraphs_must_keep_earlier_knowledge(make: Make, server: ChatServer) -> None:
    def forgetful(sent: dict[str, Any]) -> str:
        forgets = task(sent) == "extend" and "Cy Um" in last(sent)
        return f"Cy Um married Di Ox. {pieces_of(sent)[0]}." if forgets else good(sent)

    server.say = forgetful
    made = spouses(make())
    assert names(made) == ["Ann Lee"]
    assert [one.reason for one in made.rejections] == ["nonsense"]
    assert sum("Cy Um" in last(sent) for sent in server.sent) == 2  # the second round shows it


def test_paragraphs_must_keep_the_joining_statement(make: Make, server: ChatServer) -> None:
    # Who the other one is stands in no sentence any more.
    def forgetful(sent: dict[str, Any]) -> str:
        said = good(sent)
        return said.replace("Bo Ek", "somebody") if task(sent) == "extend" else said

    server.say = forgetful
    assert names(spouses(make())) == ["Cy Um"]


@pytest.mark.parametrize(
    ("plan", "reason"), [([Answer(400)], "refused"), ([Answer(500), Answer(500)], "no answer")]
)
def test_a_server_that_fails(
    make: Make, server: ChatServer, plan: list[Answer], reason: str
) -> None:
    server.plan = [*plan]
    made = spouses(make())
    # The first request is about one of the two.
    assert len(names(made)) == 1
    ((_, why, _),) = made.rejections
    assert why == reason
    assert reason in _REASONS["model"]
    again = spouses(make())  # what was answered is known; the rest is asked once more
    assert (names(again), again.rejections) == ([*PAIRS], [])
    assert len(server.sent) == 14 + len(plan)


def test_a_budget_that_ends(make: Make, server: ChatServer) -> None:
    made = spouses(make(budget=25))  # of ten tokens each
    assert names(made) == []
    assert {one.reason for one in made.rejections} == {"budget"}
    assert len(made.rejections) == made.candidates == 2
    assert len(server.sent) < 12


# Sentences of people


def line(head: str, tail: str) -> str:
    sentence = f"{head} of Thing 0 married {tail}."
    told = {"sentence": sentence, "head": head, "relation": "spouse", "tail": tail}
    return json.dumps(told)


LINES = [line("Ann Lee", "Bo Ek"), line("Cy Um", "Di Ox")]


def enriched(builder: Builder) -> Built:
    return builder.from_biographies("mine.jsonl", LINES)


def first_round(made: Built) -> dict[str, list[str]]:
    """Return the properties that the sentence about each is taken to state."""
    return {
        row["subjects"][0]["label"]: [
            piece["property"]
            for piece in rows(made, "knowledge")
            if piece["question_id"] == row["question_id"] and piece["round"] == 0
        ]
        for row in rows(made)
    }


def test_a_model_annotates_sentences(make: Make, server: ChatServer) -> None:
    server.say = but("annotate", "Cy Um", "Facts: 1, 3")
    made = enriched(make())
    # Of Ann nothing but what joins the two: "Thing 0" is no birthplace, says the model. Of Cy
    # the facts are listed by the numbers of their properties: birthplace, spouse, school.
    assert first_round(made) == {"Ann Lee": ["P26"], "Cy Um": ["P26", "P19", "P69"]}
    assert first_round(enriched(make(with_model=False))) == {
        "Ann Lee": ["P26", "P19"],
        "Cy Um": ["P26"],
    }
    # What the sentence states needs no round.
    asked = [task(sent) for sent in server.sent]
    assert (asked.count("annotate"), asked.count("extend")) == (2, 4 + 2)
    assert asked[:2] == ["annotate"] * 2
    # And a paragraph begins with the sentence.
    begun = [row["paragraph"].partition(" It is told")[0] for row in rows(made)]
    assert begun == ["Ann Lee of Thing 0 married Bo Ek.", "Cy Um of Thing 0 married Di Ox."]


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        ("Facts: all", "no numbers of facts"),
        ("Facts: 0, 1", "numbers that are not from 1 to 5"),
        ("Facts: 1, 7", "numbers that are not from 1 to 5"),
    ],
)
def test_a_model_that_cannot_annotate(
    make: Make, server: ChatServer, reply: str, detail: str
) -> None:
    server.say = but("annotate", "Ann Lee", reply)
    made = enriched(make())
    assert names(made) == ["Cy Um"]
    assert made.rejections == [Rejection("line 1: Ann Lee spouse Bo Ek", "nonsense", detail)]
    assert (made.candidates, made.rows) == (2, 1)
    assert sum("Ann Lee" in last(sent) for sent in server.sent) == 1


def test_failures_name_lines_of_the_file(make: Make, server: ChatServer) -> None:
    server.say = but("general", "Ann Lee", "Who?")
    (one,) = enriched(make()).rejections
    assert (one.candidate, one.reason) == ("line 1: Ann Lee spouse Bo Ek", "nonsense")
