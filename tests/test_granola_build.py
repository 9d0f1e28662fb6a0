"""Build GRANOLA: rows with their evidence, on small stores, the sample, and real data."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets import building
from kgbuild.datasets.granola.dataset import DATASET
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION
from kgbuild.datasets.granola.levels.institutions import LABEL
from kgbuild.datasets.granola.questions.from_store import STATED, GranolaOptions, builder
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english.normalize import fold
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store, open_store
from kgbuild.relations import clean_label
from kgbuild.rows import Built, no_progress, split
from tests.conftest import triples
from tests.test_granola_profile import (
    CITY,
    COMPANY,
    COUNTRY,
    FRANCE,
    HUMAN,
    PLAYWRIGHT,
    TIME,
    USA,
    WRITERS,
    about,
    alias,
    bearers,
    item,
)

_REASONS = read_toml("datasets/granola/reasons.toml")
_PLACE_NAMES = read_toml("datasets/granola/levels/place_exceptions.toml")["names"]

BuildItems = Callable[..., list[Built]]
Row = Mapping[str, Any]
PAPER = (
    *("P19", "P20", "P26", "P40", "P50", "P69", "P112", "P127"),
    *("P131", "P159", "P170", "P175", "P176", "P264", "P276", "P740"),
)
"""The relations of the paper whose answers are not coarse themselves."""
ALL = catalog().relations_of("granola")


def built(folder: Path, *pids: str, **options: Any) -> list[Built]:
    asked = [catalog().relations[pid] for pid in pids]
    with open_store(folder) as store:
        knowledge = store.knowledge(catalog().kinds)
        build = builder(knowledge, GranolaOptions(**options))
        return [build(relation, no_progress) for relation in asked]


@pytest.fixture
def build(make_store: Callable[..., Path]) -> BuildItems:
    """Return a function that builds relations of a store of some items."""
    return lambda items, *pids, **options: built(
        make_store(triples("".join(items))), *pids, **options
    )


def questions(made: Built) -> Sequence[Row]:
    return made.tables["granola_questions"]


def answers(made: Built, question: Row | None = None) -> list[Row]:
    """Return the answers to a question, or to all."""
    rows = made.tables["granola_answers"]
    return [one for one in rows if question in (None, one) or same(one, question)]


def same(answer: Row, question: Row | None) -> bool:
    return question is not None and answer["question_id"] == question["question_id"]


def levels(made: Built) -> list[tuple[int, str]]:
    """Return the levels and the answers of the only question."""
    assert made.rows == 1
    return [(one["level"], one["answer"]) for one in answers(made)]


def person(number: int, name: str, *facts: str) -> str:
    """Return somebody of whom the store says enough to be known by the name."""
    known = (f"wdt:P1552 wd:Q{n}" for n in range(7000, 7020))
    return item(f"Q{number}", name, HUMAN, *facts, *known)


# A store in which all can be counted by hand


TOWNS = (
    item("Q10", "Lyon", CITY, f"wdt:P17 wd:{FRANCE}", alias("Lugdunum")),
    item("Q11", "Nice", CITY, f"wdt:P17 wd:{FRANCE}"),
    item("Q12", "Reno", CITY, f"wdt:P17 wd:{USA}"),
    item(FRANCE, "France", COUNTRY, f"wdt:P17 wd:{FRANCE}", "wdt:P30 wd:Q46", alias("the Hexagon")),
    item(USA, "United States", COUNTRY, f"wdt:P17 wd:{USA}"),
    item("Q46", "Europe", None),
)
BORN = f"wdt:P569 {TIME.format('1950-05-05')}"
BIRTHS = (
    item("Q1", "Ann Lee", HUMAN, "wdt:P19 wd:Q10", BORN, about("a painter")),
    person(2, "Bo", "wdt:P19 wd:Q11", BORN),
    person(3, "Cy", "wdt:P19 wd:Q12", BORN),
)


def test_a_question_with_its_answers(build: BuildItems) -> None:
    (made,) = build((*TOWNS, *BIRTHS, "wd:Q2 wdt:P26 wd:Q1\n"), "P19")
    ann = next(one for one in questions(made) if one["subject_qid"] == "Q1")
    born = {"subject": "Q1", "property": "P19", "object": "Q10"}
    country = {"subject": "Q10", "property": "P17", "object": FRANCE}
    continent = {"subject": FRANCE, "property": "P30", "object": "Q46"}
    assert ann == {
        "question_id": ann["question_id"],
        "relation": "P19",
        "question": "Where was Ann Lee, the painter, born?",
        "subject_qid": "Q1",
        "subject_label": "Ann Lee",
        "subject_description": "a painter",
        "answers": [{"qid": "Q10", "label": "Lyon"}],
        "popularity": 1,  # Bo is said to be her spouse
        "resolution": STATED,
        "source": "P19",
        "evidence": [born],
        "split": split("Q1"),
        "complete": 1.0,
    }
    assert re.fullmatch("[0-9a-f]{16}", ann["question_id"])
    lyon, france, europe = answers(made, ann)
    shared = {
        "question_id": ann["question_id"],
        "source": "P19",
        "capped": False,
        "golds": ["Lyon"],
    }
    assert lyon == {
        **shared,
        "level": 1,
        "answer": "Lyon",
        "aliases": ["Lugdunum"],
        "qid": "Q10",
        "kind": "place",
        "bits": round(math.log2(3), 3),  # one of three birthplaces
        "evidence": [born],
    }
    assert france == {
        **shared,
        "level": 2,
        "answer": "France",
        "aliases": ["the Hexagon"],
        "qid": FRANCE,
        "kind": "place",
        "bits": round(math.log2(3 / 2), 3),
        "evidence": [born, country],
    }
    # As many of them lie in Europe as in France, so it tells as much; but it lies above.
    assert europe == {
        **shared,
        "level": 3,
        "answer": "Europe",
        "aliases": [],
        "qid": "Q46",
        "kind": "place",
        "bits": france["bits"],
        "evidence": [born, country, continent],
    }
    assert (made.relation, made.candidates, made.rows) == ("P19", 3, 3)


def test_answers_with_few_bits_are_left_out(build: BuildItems) -> None:
    (made,) = build((*TOWNS, *BIRTHS), "P19", min_bits=0.6)
    # log2(3/2) is 0.585: only "United States", log2 of 3, is left.
    assert Counter(one["answer"] for one in answers(made) if one["level"] > 1) == {
        "the United States": 1
    }
    assert ("Q1 P19", "tells little", "France") in made.rejections
    assert made.candidates == 3  # an answer is no candidate


def test_gold_answers_above_others_are_coarser_ones(build: BuildItems) -> None:
    # Some say Lyon, some France: both are gold, but not as fine as each other.
    both = person(1, "Ann", "wdt:P19 wd:Q10", f"wdt:P19 wd:{FRANCE}", BORN)
    (made,) = build((*TOWNS, *BIRTHS[1:], both), "P19", min_bits=0.1)
    ann = next(one for one in questions(made) if one["subject_qid"] == "Q1")
    assert [one["qid"] for one in ann["answers"]] == ["Q10", FRANCE]
    assert [(one["level"], one["answer"]) for one in answers(made, ann)][:2] == [
        (1, "Lyon"),
        (2, "France"),
    ]


def test_a_state_beside_a_town_elsewhere_is_left_out(build: BuildItems) -> None:
    # Lyon does not lie in the United States: who says so contradicts the finer statement.
    both = person(1, "Ann", "wdt:P19 wd:Q10", f"wdt:P19 wd:{USA}", BORN)
    (made,) = build((*TOWNS, *BIRTHS[1:], both), "P19", min_bits=0.1)
    ann = next(one for one in questions(made) if one["subject_qid"] == "Q1")
    results = [(one["level"], one["answer"]) for one in answers(made, ann)]
    assert results == [(1, "Lyon"), (2, "France"), (3, "Europe")]


def test_all_gold_answers_that_are_equally_fine_are_at_level_1(build: BuildItems) -> None:
    shores = item("Q1", "Lake Axis", "Q23397", "wdt:P131 wd:Q11", "wdt:P131 wd:Q10")
    (made,) = build((*TOWNS, *BIRTHS[1:], shores), "P131", min_bits=0)
    (axis,) = (one for one in questions(made) if one["subject_qid"] == "Q1")
    results = [(one["level"], one["answer"]) for one in answers(made, axis)]
    assert results[:3] == [(1, "Lyon"), (1, "Nice"), (2, "France")]
    assert [one["object"] for one in axis["evidence"]] == ["Q10", "Q11"]


def test_nobody_was_born_twice(build: BuildItems) -> None:
    both = person(1, "Ann", "wdt:P19 wd:Q11", "wdt:P19 wd:Q10", BORN)
    (made,) = build((*TOWNS, *BIRTHS[1:], both), "P19")
    assert "Q1" not in {one["subject_qid"] for one in questions(made)}
    assert ("Q1 P19", "contradicted", "Q10, Q11") in made.rejections


def test_states_of_today(build: BuildItems) -> None:
    until = f"wd:{USA} wdt:P576 {TIME.format('1990-05-05')}\n"
    until += "wd:Q12 wdt:P30 wd:Q49\n" + item("Q49", "America", "Q5107")
    # A town that came from a former country to another one.
    moved = (
        person(6, "Fay", "wdt:P19 wd:Q40", BORN),
        item("Q40", "Lwow", CITY, "wdt:P17 wd:Q41", f"wdt:P17 wd:{USA}"),
        item("Q41", "Poland", COUNTRY),
    )
    (made,) = build((*TOWNS, *BIRTHS, *moved, until), "P19", min_bits=0)
    results = {
        one["subject_label"]: [row["answer"] for row in answers(made, one)]
        for one in questions(made)
    }
    assert results == {
        "Ann Lee": ["Lyon", "France", "Europe"],
        "Bo": ["Nice", "France", "Europe"],
        "Cy": ["Reno", "America"],
        "Fay": ["Lwow", "Poland"],
    }


def test_the_usual_name_of_a_former_territory(build: BuildItems) -> None:
    towns = (
        item("Q1054923", "British Hong Kong", CITY, "wdt:P30 wd:Q48"),
        item("Q48", "Asia", "Q5107"),
        person(1, "Ann Lee", "wdt:P19 wd:Q1054923"),
        person(2, "Hong Kong Bo", "wdt:P19 wd:Q1054923"),
    )
    (made,) = build(towns, "P19")
    assert levels(made) == [(1, "Hong Kong")]
    assert answers(made)[0]["aliases"] == ["British Hong Kong"]
    rejected = {one.candidate: one.reason for one in made.rejections}
    assert rejected == {"Q2 P19": "answer in the question", "Q1 P19": "tells little"}


def test_a_system_of_universities_is_no_school(build: BuildItems) -> None:
    schools = (
        *TOWNS,
        item("Q20", "University of Ohm", "Q3918", "wdt:P131 wd:Q10"),
        item("Q21", "University of Ohm system", "Q1075106"),
        person(1, "Ann Lee", "wdt:P69 wd:Q20", "wdt:P69 wd:Q21"),
        person(2, "Bo Ray", "wdt:P69 wd:Q21"),
    )
    (made,) = build(schools, "P69", min_bits=0)
    assert levels(made)[:2] == [(1, "the University of Ohm"), (2, "Lyon")]
    assert [(one.candidate, one.reason) for one in made.rejections] == [("Q2 P69", "wrong kind")]


def test_no_former_place_where_something_is(build: BuildItems) -> None:
    ends = (("Q21", "1991-05-05"), ("Q24", "1980-05-05"))
    over = "".join(f"wd:{qid} wdt:P576 {TIME.format(day)}\n" for qid, day in ends)
    towns = (
        item("Q20", "Bukhara", CITY, "wdt:P131 wd:Q21", "wdt:P131 wd:Q22"),
        item("Q21", "a Soviet republic", CITY, "wdt:P30 wd:Q48"),
        item("Q22", "a province", CITY, "wdt:P30 wd:Q48"),
        item("Q48", "Asia", "Q5107"),
        item("Q23", "Khiva", CITY, "wdt:P131 wd:Q21"),
        item("Q24", "a Soviet district", CITY, "wdt:P131 wd:Q21"),
    )
    (made,) = build((*towns, over), "P131", min_bits=0)
    results = {one["subject_label"]: one["answers"] for one in questions(made)}
    assert results == {
        "Bukhara": [{"qid": "Q22", "label": "a province"}],
        # What has ended itself lay where it lay.
        "a Soviet district": [{"qid": "Q21", "label": "a Soviet republic"}],
    }
    assert [(one.candidate, one.reason) for one in made.rejections] == [("Q23 P131", "outdated")]


def test_an_owner_that_no_longer_exists(build: BuildItems) -> None:
    ended = f"wdt:P576 {TIME.format('1990-05-05')}"
    companies = (
        item("Q1", "Axis Records", COMPANY, "wdt:P127 wd:Q2"),
        item("Q2", "Time Inc.", COMPANY, ended),
        item("Q3", "Omen Records", COMPANY, ended, "wdt:P127 wd:Q2"),
        bearers(5000, 5, "P31", COMPANY),  # so that the owner is known to be one
    )
    (made,) = build(companies, "P127")
    assert [one["question"] for one in questions(made)] == [
        "Name a present or former owner of Omen Records."
    ]
    rejected = {one.candidate: one.reason for one in made.rejections}
    assert rejected == {"Q1 P127": "outdated", "Q3 P127": "trivial"}


def test_people_as_one_would_call_them(build: BuildItems) -> None:
    facts = (f"wdt:P106 wd:{PLAYWRIGHT}", f"wdt:P27 wd:{USA}")
    (made,) = build(
        (
            *WRITERS,
            *TOWNS,
            person(1, "Ann", "wdt:P26 wd:Q2"),
            person(2, "Bo", *facts),
            *(
                person(20 + n, f"Bride {n}", f"wdt:P26 wd:Q{one}")
                for n, one in enumerate((5000, 5100, 5101, 5200, 5201))
            ),
        ),
        "P26",
        min_bits=0.1,
    )
    ann = next(one for one in questions(made) if one["subject_qid"] == "Q1")
    results = [(one["answer"], one["bits"]) for one in answers(made, ann)]
    # Of the twelve spouses two are playwrights, and two others writers; Bo alone has a country.
    covered = {"an American playwright": 1, "a playwright": 2, "a writer": 4}
    assert dict(results[1:]) == {text: round(math.log2(12 / n), 3) for text, n in covered.items()}
    # What follows from another one comes later.
    texts = [text for text, _ in results[1:]]
    assert texts[0] == "an American playwright" and texts[-1] == "a writer"


# What is left out, and why


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (("wdt:P19 wd:Q14",), "no country"),
        (("wdt:P19 wd:Q10", "wdt:P69 wd:Q23"), "no country"),
        (("wdt:P19 wd:Q10", "wdt:P69 wd:Q22"), None),
    ],
)
def test_places_have_a_country(build: BuildItems, facts: Sequence[str], reason: str | None) -> None:
    towns = (
        item("Q14", "Atlantis", CITY),
        item("Q22", "University of Ohm", "Q3918", "wdt:P131 wd:Q10"),
        item("Q23", "University of Omen", "Q3918"),
        person(5, "Di", "wdt:P69 wd:Q22", "wdt:P69 wd:Q23"),
        person(6, "Ed", *facts),
    )
    made = build((*TOWNS, *BIRTHS[1:], *towns), "P19", "P69", min_bits=0)
    reasons = [why for one in made for key, why, _ in one.rejections if key.startswith("Q6 ")]
    assert reasons == [reason] * (reason is not None)
    if reason is None:
        schools = made[1]
        (ed,) = (one for one in questions(schools) if one["subject_qid"] == "Q6")
        texts = [one["answer"] for one in answers(schools, ed)]
        assert texts == ["the University of Ohm", "Lyon", "France", "Europe"]


def test_a_question_has_a_coarser_answer(build: BuildItems) -> None:
    # Nothing is known of Bo; that Cy is a writer tells little.
    writers = (
        *WRITERS,
        person(1, "Ann", "wdt:P26 wd:Q2"),
        person(2, "Bo"),
        person(3, "Cy", "wdt:P106 wd:Q36180", "wdt:P26 wd:Q4"),
        person(4, "Di", f"wdt:P106 wd:{PLAYWRIGHT}"),
    )
    (made,) = build(writers, "P26", min_bits=20)
    assert {one["subject_label"] for one in questions(made)} == {"Cy", "Di"}
    rejected = {one.candidate: one for one in made.rejections if one.reason != "tells little"}
    assert rejected["Q1 P26"] == ("Q1 P26", "no coarser answer", "Bo")


def test_subjects_that_are_rejected(build: BuildItems) -> None:
    (made,) = build(
        (
            *TOWNS,
            person(1, "Ann Lee", "wdt:P19 wd:Q10"),
            person(2, "Ann Lee", "wdt:P19 wd:Q11"),  # which Ann Lee?
            f"wd:Q3 wdt:P31 wd:{HUMAN}\nwd:Q3 wdt:P19 wd:Q10\n",  # nobody knows the name
            person(4, "Cy", "wdt:P19 wd:Q999"),  # nor that of the place
            person(5, "Lyon", "wdt:P19 wd:Q10"),  # the question would tell the answer
            person(6, "Di", "wdt:P19 wd:Q10", "wdt:P19 wd:Q999"),
            person(7, "Ed", "wdt:P19 _:unknown"),
        ),
        "P19",
    )
    assert [one["subject_label"] for one in questions(made)] == ["Di"]  # one place has a name
    assert sorted(one for one in made.rejections if one.reason in _REASONS["question"]) == [
        ("Q1 P19", "same name", "nothing tells Ann Lee from others"),
        ("Q2 P19", "same name", "nothing tells Ann Lee from others"),
        ("Q3 P19", "no label", "Q3"),
        ("Q4 P19", "no label", "Q999"),
        ("Q5 P19", "same name", "Lyon"),
    ]
    assert made.candidates == 6


@pytest.mark.parametrize(
    ("day", "results"),
    [
        ("1962-05-03", [(1, "3 May 1962"), (2, "May 1962"), (3, "1962"), (4, "the 1960s")]),
        ("1962-01-01", [(1, "1962"), (2, "the 1960s")]),  # a day that may be none
        ("-0043-03-15", [(1, "15 March 44 BC"), (2, "March 44 BC"), (3, "44 BC")]),
        ("12000-05-05", None),  # beyond the years that people date by
        ("-13000-05-05", None),
    ],
)
def test_dates(build: BuildItems, day: str, results: list[tuple[int, str]] | None) -> None:
    ann = person(1, "Ann", f"wdt:P569 {TIME.format(day)}")
    (made,) = build([ann], "P569", min_bits=0)
    if results is None:
        assert made.rejections == [("Q1 P569", "no date", f"{day}T00:00:00Z")]
    else:
        # Of the only birth the year is known already: what is as wide or wider tells nothing,
        # but it is true, and so it is there unless bits are asked for.
        assert levels(made)[: len(results)] == results
        assert questions(made)[0]["question"] == "When was Ann born?"
        assert questions(made)[0]["answers"] == [{"qid": None, "label": results[0][1]}]


@pytest.mark.parametrize(
    ("days", "answers_at_1", "reasons"),
    [
        (("1977-02-21", "1977-02-25"), ["February 1977"], []),  # at most one of them is true
        (("1786-01-01", "1787-12-05"), ["the 1780s"], []),
        (("1962-01-01", "1962-05-03"), ["3 May 1962"], []),  # the year is that of the day
        (("1962-05-03", "2001-05-03"), [], ["contradicted"]),
        # It may mean the century, in which any year would be right.
        (("2000-01-01",), [], ["no date"]),
    ],
)
def test_what_several_dates_have_in_common(
    build: BuildItems, days: tuple[str, ...], answers_at_1: list[str], reasons: list[str]
) -> None:
    ann = person(1, "Ann", *(f"wdt:P569 {TIME.format(day)}" for day in days))
    (made,) = build([ann], "P569", min_bits=0)
    assert [row["answer"] for row in answers(made) if row["level"] == 1] == answers_at_1
    assert [one.reason for one in made.rejections] == reasons


def test_precisions_of_the_dump(build: BuildItems) -> None:
    told = '<urn:kgbuild:precision:P569> "1962-01-01T00:00:00Z/11"'
    ann = person(1, "Ann", f"wdt:P569 {TIME.format('1962-01-01')}", told)
    (made,) = build([ann], "P569", min_bits=0)
    assert levels(made)[0] == (1, "1 January 1962")


def test_labels_stand_in_questions_as_sentences_ask(build: BuildItems) -> None:
    (made,) = build(
        (
            person(1, "Sammy Davis, Jr.", "wdt:P19 wd:Q10"),
            person(2, "{subject} of \\u200eOz ", "wdt:P19 wd:Q10"),
            *TOWNS,
        ),
        "P19",
    )
    assert {one["question"] for one in questions(made)} == {
        "Where was Sammy Davis, Jr., born?",
        "Where was {subject} of \u200eOz born?",
    }


def test_a_child_with_the_name_of_the_parent_is_no_question(build: BuildItems) -> None:
    bo = person(3, "Bo Ray", f"wdt:P106 wd:{PLAYWRIGHT}")
    facts = person(1, "Ann Lee", "wdt:P40 wd:Q2"), person(2, "Mary Ann Lee", "wdt:P40 wd:Q3")
    (made,) = build((*WRITERS, *facts, bo), "P40")
    assert [one["question"] for one in questions(made)] == ["Name a child of Mary Ann Lee."]
    assert [(one.candidate, one.reason) for one in made.rejections] == [
        ("Q1 P40", "answer in the question")
    ]


# Order


def test_a_smaller_limit_is_a_prefix_of_a_larger_one(sample_store: Path) -> None:
    for pid in ("P19", "P569"):
        (whole,) = built(sample_store, pid)
        (part,) = built(sample_store, pid, limit=7)
        assert part.rows == 7 < whole.rows
        assert questions(part) == list(questions(whole))[:7]
        assert answers(part) == answers(whole)[: len(answers(part))]


def test_the_seed_changes_the_order_and_nothing_else(sample_store: Path) -> None:
    first, again, other = (built(sample_store, "P69", seed=seed)[0] for seed in (0, 0, 1))
    assert (first.tables, first.rejections) == (again.tables, again.rejections)
    assert questions(first) != questions(other)

    def by_id(made: Built) -> list[Row]:
        return sorted(questions(made), key=lambda one: str(one["question_id"]))

    assert by_id(first) == by_id(other)


# All rows


def is_stated(knowledge: Knowledge, subject: str, pid: str, value: str) -> bool:
    """Tell whether a row's triple stands in the store: an item, a time, or a text."""
    if pid == DESCRIPTION:
        return knowledge.labels.description(subject) == value
    if pid == LABEL:
        return knowledge.labels.label(subject) == value
    if knowledge.statements.holds(subject, pid, value):
        return True
    return any(time.text == value for time in knowledge.times.by_item(pid).get(subject, ()))


def check(knowledge: Knowledge, made: Built) -> None:
    """Assert what is promised of every row."""
    of: dict[str, list[Row]] = {}
    for one in answers(made):
        of.setdefault(one["question_id"], []).append(one)
    triples_of_rows = {
        tuple(triple.values())
        for row in (*questions(made), *answers(made))
        for triple in row["evidence"]
    }
    assert [triple for triple in triples_of_rows if not is_stated(knowledge, *triple)] == []
    # Each question has answers, in the order of the questions, and none is without one.
    assert list(of) == [one["question_id"] for one in questions(made)]
    for question in questions(made):
        rows = of[question["question_id"]]
        check_levels(rows)
        assert all(row["evidence"] and row["source"] == made.relation for row in rows)
        subject = normalise(question["subject_label"])
        given = [row for row in rows if f" {subject} " in f" {normalise(row['answer'])} "]
        assert all(row["level"] == 1 for row in given)
        label = _PLACE_NAMES.get(question["subject_qid"]) or clean_label(question["subject_label"])
        assert fold(label) in fold(question["question"])  # "Kiryu" for Kiryū
        # A town with the name of its country has another one: Luxembourg City.
        gold = {
            normalise(name)
            for one in question["answers"]
            for name in (one["label"], _PLACE_NAMES.get(one["qid"], one["label"]))
        }
        names = [
            {normalise(row["answer"]), *map(normalise, row["aliases"])}
            for row in rows
            if row["level"] == 1
        ]
        assert all(gold & own for own in names)
    assert {one.reason for one in made.rejections} <= {*_REASONS["question"], *_REASONS["answer"]}


def check_levels(rows: Sequence[Row]) -> None:
    levels = [row["level"] for row in rows]
    assert levels == sorted(levels) and {*levels} == {*range(1, max(levels) + 1)}, rows
    bits = {row["answer"]: row["bits"] for row in rows if row["level"] == 1}
    for row in rows:
        assert row["golds"] and bits.keys() >= {*row["golds"]}, rows
        assert all(row["bits"] <= bits[gold] for gold in row["golds"] if row["level"] > 1), rows
    texts = [normalise(row["answer"]) for row in rows]
    assert len({*texts}) == len(texts), rows
    level: dict[str, int] = {}
    for row in rows:
        for name in (row["answer"], *row["aliases"]):
            assert level.setdefault(normalise(name), row["level"]) == row["level"], rows


@pytest.fixture(scope="module")
def whole(sample_store: Path) -> list[Built]:
    return built(sample_store, *(relation.pid for relation in ALL))


def test_every_row_of_the_sample_is_consistent(whole: list[Built], sample: Store) -> None:
    knowledge = sample.knowledge(catalog().kinds)
    for made in whole:
        check(knowledge, made)
    ids = [one["question_id"] for made in whole for one in questions(made)]
    assert len({*ids}) == len(ids) > 2900
    assert sum(made.rows > 0 for made in whole) >= len(ALL) - 4


# The real slice


@pytest.fixture(scope="module")
def real(real_store: Path) -> Iterator[tuple[list[Built], Knowledge]]:
    """Return 50 questions of the paper's relations, and the knowledge of the store."""
    with open_store(real_store) as store:
        relations = {pid: catalog().relations[pid] for pid in PAPER}
        one = partial(builder, options=GranolaOptions(limit=50))
        made = [*building.build(DATASET, store, relations, one, {}).parts]
        yield made, store.knowledge(catalog().kinds)


def test_the_real_slice_gives_enough(real: tuple[list[Built], Knowledge]) -> None:
    made, _ = real
    assert not any(catalog().relations[pid].object_kinds == DATE for pid in PAPER)
    # There are 16 relations, 13 of which have more questions.
    assert sum(one.rows for one in made) >= 650
    assert sum(one.rows > 0 for one in made) == 16
    # A level and all finer ones are there, so who has a third has a second.
    deepest: Counter[str] = Counter()
    for one in made:
        deepest.update({row["question_id"]: 0 for row in answers(one)})
        for row in answers(one):
            deepest[row["question_id"]] = max(deepest[row["question_id"]], row["level"])
    assert sum(level >= 2 for level in deepest.values()) >= 0.7 * len(deepest)
    assert sum(level >= 3 for level in deepest.values()) >= 0.4 * len(deepest)


def test_every_row_of_the_real_slice_is_consistent(real: tuple[list[Built], Knowledge]) -> None:
    made, knowledge = real
    for one in made:
        check(knowledge, one)


@pytest.mark.parametrize(
    ("days", "finest"),
    [
        (["1996-09-19"], "1996"),  # the only release that is stated, perhaps not the first one
        (["1996-09-19", "1996-07-03"], "3 July 1996"),
    ],
)
def test_the_first_release(build: BuildItems, days: list[str], finest: str) -> None:
    released = (f"wdt:P577 {TIME.format(day)}" for day in days)
    film = item("Q1", "Hamlet", "Q11424", about("film by Ann Lee"), *released)
    (made,) = build([film], "P577")
    assert [answer["answer"] for answer in made.tables["granola_answers"]][:1] == [finest]
