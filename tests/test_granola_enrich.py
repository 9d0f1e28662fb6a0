"""Add answers at every granularity to the questions of files."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.build import FileBuilder
from kgbuild.datasets.granola.files.records import FileAnswer, FileRecord, QuestionFile
from kgbuild.datasets.granola.questions.from_store import GranolaOptions
from kgbuild.graph.open import Store
from kgbuild.rows import Built, Rejection, no_progress
from tests.test_granola_build import TOWNS, check_levels, person
from tests.test_granola_profile import CITY, FRANCE, HUMAN, TIME, about, alias, item

Row = Mapping[str, Any]
Enrich = Callable[..., Built]


def born(day: str) -> str:
    return f"wdt:P569 {TIME.format(day)}"


WORLD = (
    *TOWNS,
    item("Q1", "Ann Lee", HUMAN, "wdt:P19 wd:Q10", born("1950-05-05"), about("a painter")),
    person(2, "Bo", "wdt:P19 wd:Q12", born("1960-06-06")),
    person(3, "Cy", born("1300-03-03")),
    person(4, "Di", born("2000-01-01")),
    item("Q70", "Kersbrook", CITY, alias("Old Kersbrook")),
    f"wd:{FRANCE} wdt:P571 {TIME.format('1500-05-05')}\n",
)


@pytest.fixture(scope="module")
def make(shared_store_of: Callable[..., Store]) -> Callable[..., FileBuilder]:
    """Return a function that returns what builds the questions of files from a small store."""
    store = shared_store_of(*WORLD)
    knowledge = store.knowledge(catalog().kinds)
    return lambda min_bits=0.1, limit=None: FileBuilder(
        knowledge, store.names, GranolaOptions(limit, min_bits)
    )


@pytest.fixture
def enrich(make: Callable[..., FileBuilder]) -> Enrich:
    """Return a function that enriches records, as those of a file."""
    return lambda *records, name="mine.json", **options: make(**options)(
        QuestionFile(name, records, []), no_progress
    )


def asked(question: str, *texts: str, key: str = "r1", **more: Any) -> FileRecord:
    return FileRecord(key, question, tuple(FileAnswer(text, None) for text in texts), **more)


def questions(made: Built) -> list[Row]:
    return made.tables["granola_questions"]


def answers(made: Built) -> list[Row]:
    return made.tables["granola_answers"]


def levels(made: Built) -> list[tuple[int, str]]:
    assert made.rows == 1
    check_levels(answers(made))
    return [(one["level"], one["answer"]) for one in answers(made)]


def test_a_question_of_a_file(enrich: Enrich) -> None:
    made = enrich(asked("Where was Ann Lee born?", "Lugdunum"))
    (question,) = questions(made)
    triple = {"subject": "Q1", "property": "P19", "object": "Q10"}
    assert question | {"question_id": ""} == {
        "question_id": "",
        "relation": "P19",
        "question": "Where was Ann Lee born?",  # as the file asks it
        "subject_qid": "Q1",
        "subject_label": "Ann Lee",
        "subject_description": "a painter",
        "answers": [{"qid": "Q10", "label": "Lugdunum"}],
        "popularity": 0,
        "resolution": "answer",
        "source": "mine.json",
        "evidence": [triple],
        "split": question["split"],
        "complete": 1.0,
    }
    # The name that the file has is the answer's, its label an alias.
    assert levels(made) == [(1, "Lugdunum"), (2, "France"), (3, "Europe")]
    assert answers(made)[0]["aliases"] == ["Lyon"]
    assert answers(made)[0]["evidence"] == [triple]
    assert {one["source"] for one in answers(made)} == {"mine.json"}


def test_all_that_a_file_gives_is_gold(enrich: Enrich) -> None:
    # Unlike of the store's own statements, none of them is coarser: whoever made the file
    # took one for as good as the other.
    made = enrich(asked("Where was Ann Lee born?", "Lyon", "France", "Lyon"))
    assert levels(made) == [(1, "Lyon"), (1, "France"), (2, "Europe")]
    assert questions(made)[0]["answers"] == [
        {"qid": "Q10", "label": "Lyon"},
        {"qid": FRANCE, "label": "France"},
    ]


def test_an_answer_that_the_store_does_not_state(enrich: Enrich) -> None:
    made = enrich(asked("Where was Ann Lee born?", "Nice"))
    # It counts for true all the same; but no triple says so.
    assert levels(made) == [(1, "Nice"), (2, "France"), (3, "Europe")]
    assert questions(made)[0]["evidence"] == []
    assert answers(made)[0]["evidence"] == []
    assert answers(made)[1]["evidence"] == [{"subject": "Q11", "property": "P17", "object": FRANCE}]


def test_an_answer_that_the_store_does_not_know(enrich: Enrich) -> None:
    made = enrich(asked("Where was Ann Lee born?", "Atlantis"))
    assert levels(made) == [(1, "Atlantis")]
    assert questions(made)[0]["answers"] == [{"qid": None, "label": "Atlantis"}]


def test_questions_with_a_resolved_answer_only(enrich: Enrich) -> None:
    made = enrich(FileRecord("r1", "Where was Zoë born?", (FileAnswer("Lyon", "Q10"),)))
    (question,) = questions(made)
    assert (question["subject_qid"], question["subject_label"]) == (None, "Zoë")
    assert question["resolution"] == "answer only"
    assert levels(made) == [(1, "Lyon"), (2, "France"), (3, "Europe")]


def test_answers_do_not_contain_the_subject(enrich: Enrich) -> None:
    made = enrich(FileRecord("r1", "Where was Europe born?", (FileAnswer("Lyon", "Q10"),)))
    assert levels(made) == [(1, "Lyon"), (2, "France")]
    assert ("r1", "gives the subject away", "Europe") in made.rejections


# Dates


@pytest.mark.parametrize(
    ("given", "results", "is_stated"),
    [
        # However it is written, it is what the store has,
        ("May 5, 1950", [(1, "May 5, 1950"), (2, "May 1950"), (3, "1950")], True),
        ("5 May 1950", [(1, "5 May 1950"), (2, "May 1950"), (3, "1950")], True),
        # or another day, which is read as it stands there,
        ("6 May 1950", [(1, "6 May 1950"), (2, "May 1950"), (3, "1950")], False),
        # or one that is known less well.
        ("the 1950s", [(1, "the 1950s"), (2, "the 20th century")], False),
        ("one fine day", [(1, "one fine day")], False),
    ],
)
def test_dates(enrich: Enrich, given: str, results: list[tuple[int, str]], is_stated: bool) -> None:
    made = enrich(asked("When was Ann Lee born?", given))
    assert levels(made)[: len(results)] == results
    triple = {"subject": "Q1", "property": "P569", "object": "1950-05-05T00:00:00Z"}
    assert questions(made)[0]["evidence"] == ([triple] if is_stated else [])


def test_a_date_that_only_the_store_knows_must_be_certain(enrich: Enrich) -> None:
    # The 1 January of 2000 may be all that is left of "the 20th century".
    made = enrich(asked("When was Di born?"))
    assert (made.rows, len(made.rejections)) == (0, 1)


# What is left out


def test_unresolved_questions_are_rejected(make: Callable[..., FileBuilder]) -> None:
    earlier = Rejection("r0", "malformed", "as it was read")
    records = [
        asked("Where was Ann Lee born?", "Lyon", key="r1"),
        asked("Why?", "Because", key="r2"),
        asked("Where was Zoë born?", "Atlantis", key="r3"),
        asked("Where was Bo born?", "Reno", key="r4"),
    ]
    made = make()(QuestionFile("mine.json", records, [earlier]), no_progress)
    left = [one for one in made.rejections if one.reason != "tells little"]
    assert left == [
        earlier,
        ("r2", "unknown names", "Why?"),
        ("r3", "unknown names", "Where was Zoë born?"),
    ]
    assert [one["question"] for one in questions(made)] == [
        "Where was Ann Lee born?",
        "Where was Bo born?",
    ]
    assert made.candidates == 5


def test_the_name_of_a_file_names_the_relation(enrich: Enrich) -> None:
    record = asked("Cradle of Ann Lee?", subject_qid="Q1")
    assert enrich(record).rows == 0
    (question,) = questions(enrich(record, name="P19.dev.json"))
    assert (question["relation"], question["resolution"]) == ("P19", "given")


# Order


MIXED = (
    asked("When was Bo born?", key="r1"),
    asked("Where was Bo born?", "Reno", key="r2"),
    asked("Why?", key="r3"),
    asked("When was Ann Lee born?", "5 May 1950", key="r4"),
    asked("Where was Ann Lee born?", "Lyon", key="r5"),
)


def test_the_rows_come_in_the_order_of_the_file(enrich: Enrich) -> None:
    made = enrich(*MIXED)
    assert [one["question"] for one in questions(made)] == [
        record.question for record in MIXED if record.key != "r3"
    ]
    ids = [one["question_id"] for one in questions(made)]
    assert list(dict.fromkeys(one["question_id"] for one in answers(made))) == ids
    assert len({*ids}) == 4
    again = enrich(*MIXED)
    assert (again.tables, again.rejections) == (made.tables, made.rejections)


def test_a_limit_counts_questions_that_are_resolved(enrich: Enrich) -> None:
    part = enrich(*MIXED, limit=3)
    assert [one["question"] for one in questions(part)] == [
        "When was Bo born?",
        "Where was Bo born?",
        "When was Ann Lee born?",
    ]


def test_progress_names_the_file(make: Callable[..., FileBuilder]) -> None:
    told: list[tuple[str, int, int]] = []
    make()(QuestionFile("mine.json", MIXED, []), lambda *done: told.append(done))
    counted = [step for step in told if step[0].startswith("counting the possible answers to P")]
    assert [step for step in told if step not in counted] == [("mine.json", n, 4) for n in range(4)]
