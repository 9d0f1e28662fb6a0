"""Answers that a question tells, and coarser answers of several gold answers."""

from collections.abc import Sequence

import pytest

from kgbuild.datasets.granola.levels.order import Gold, Levelled, Levels, RawAnswer, in_common_tiers
from kgbuild.datasets.granola.questions.golds import is_evident, shares_a_name, untold
from tests.test_granola_levels import candidate

X_MEN = candidate("X-Men", 9.0, "a film by Bryan Singer, a 2000 film, an American film")
PRISONERS = candidate("Prisoners", 9.0, "a 2013 film, an American film")


def kept(gold: list[RawAnswer], coarser: list[RawAnswer], trivial: str = "") -> list[str]:
    return [answer.text for answer in in_common_tiers(gold, coarser, {trivial})]


def test_a_tier_of_places_stays_if_each_gold_answer_lies_in_one() -> None:
    schools = [
        candidate("Yale", 9.0, "New Haven, the US"),
        candidate("MIT", 9.0, "Cambridge, the US"),
    ]
    towns = [candidate("New Haven", 5.0, "the US", tier=7), candidate("Cambridge", 5.0, tier=7)]
    assert kept(schools, [*towns, candidate("Maine", 6.0, tier=8)]) == ["New Haven", "Cambridge"]


def test_descriptions_of_single_gold_answers_are_left_out() -> None:
    years = [
        candidate(text, 5.0, tier=500)._replace(kind="place + class")
        for text in ("a 2000 film", "a 2013 film")
    ]
    american = candidate("an American film", 2.0, tier=300)._replace(kind="place + class")
    assert kept([X_MEN, PRISONERS], [*years, american]) == ["an American film"]


def test_an_answer_that_covers_all_stays() -> None:
    american = candidate("an American film", 2.0, tier=400)
    assert kept([X_MEN, PRISONERS], [american]) == ["an American film"]


def test_gold_answers_without_coarser_ones_do_not_count() -> None:
    label = candidate("an American record label", 2.0, tier=400)
    sony = candidate("Sony", 9.0, "an American record label")
    assert kept([sony, candidate("Decca", 9.0)], [label]) == ["an American record label"]


def test_what_is_trivial_makes_no_tier() -> None:
    singer = candidate("Singer", 9.0, "a film by Bryan Singer, a film")
    coarser = [candidate("a film by Bryan Singer", 8.0, tier=700), candidate("a film", 0.1)]
    other = candidate("Prisoners", 9.0, "a film")
    # It is rejected later, with its reason.
    assert kept([singer, other], coarser, "a film") == ["a film by Bryan Singer", "a film"]


@pytest.mark.parametrize(
    ("question", "name", "place", "is_in_it"),
    [
        ("Where is the University of York located?", "University of York", "York", True),
        ("Where is the Berlin-Brandenburg Academy located?", "BBAW", "Berlin", True),
        ("Where is Erie located?", "Erie", "Erie County", True),
        ("Where is Yorkshire Water based?", "Yorkshire Water", "York", False),
        ("Where is Erie located?", "Erie", "Pennsylvania", False),
    ],
)
def test_evident_places(question: str, name: str, place: str, is_in_it: bool) -> None:
    assert is_evident(question, name, [Gold((place,))]) is is_in_it


@pytest.mark.parametrize(
    ("name", "answer", "is_shared"),
    [
        ("Geffen Records", "David Geffen", True),
        ("Christianity", "Jesus Christ", True),
        ("Bursaspor", "Bursa", True),
        ("Epic Records", "Columbia Records", False),
        ("New York Mets", "New Jersey", False),
        ("Arsenal", "Ars", False),  # too short to begin another word
        ("Universal Pictures", "the University of Oslo", False),
    ],
)
def test_names_that_give_makers_and_places_away(name: str, answer: str, is_shared: bool) -> None:
    assert shares_a_name(name, [Gold((answer,))]) is is_shared


def test_other_names_of_a_place_give_it_away() -> None:
    assert shares_a_name("FC Dynamo Kyiv", [Gold(("Kiev", "Kyiv"))])
    assert not shares_a_name("FC Dynamo Kyiv", [Gold(("Kiev", "Kyjiw"))])


def answer(text: str, level: int, *aliases: str) -> Levelled:
    return Levelled(level, candidate(text, 1.0, "", *aliases), 1.0, False, ())


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        # What lies around a place that is named is an answer all the same.
        (
            "Where is the University of New York located?",
            ["Albany", "the United States", "America"],
        ),
        ("Where is the United States Army based?", ["Albany", "the state of New York", "America"]),
        # An alias counts, but no part of a word.
        ("Where is the US Mint located?", ["Albany", "the state of New York", "America"]),
        (
            "Where is Americana located?",
            ["Albany", "the state of New York", "the United States", "America"],
        ),
        # The exact answer stays: it is for others to reject such a question.
        (
            "Where is Albany Hall located?",
            ["Albany", "the state of New York", "the United States", "America"],
        ),
    ],
)
def test_what_a_question_names_is_no_coarser_answer(question: str, kept: list[str]) -> None:
    def level(_: Sequence[str]) -> Levels:
        return [
            answer("Albany", 1),
            answer("the state of New York", 2, "New York"),
            answer("the United States", 3, "US"),
            answer("America", 4),
        ], [("Earth", "trivial")]

    answers, dropped = untold(question, level, ())
    assert [(one.candidate.text, one.level) for one in answers] == [
        (text, number) for number, text in enumerate(kept, 1)
    ]
    assert dropped[0] == ("Earth", "trivial")
    assert len(dropped) == 5 - len(kept)
