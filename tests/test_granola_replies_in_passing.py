"""Replies to GRANOLA that refuse in passing, guess, shorten titles, and describe relatives."""

import pytest

from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.reply_dates import in_english
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import abstains
from tests.test_granola_matches import USA, date, truth

TOWN = truth(
    "Where did Ann Lee, the dancer, die?",
    "P20",
    ("item", "Elmdale", []),
    ("place", "Ohio", []),
    USA,
)
OTHER_TOWN = truth(
    "Where was Bo Ray born?", "P19", ("item", "Navy", []), ("place", "Maine", []), USA
)
SEAT = truth(
    "Where are the headquarters of the Ohio Institute of Dance?",
    "P159",
    ("item", "Elmdale", []),
    ("place", "Ohio", []),
    USA,
)
LABEL = truth(
    "Which record label has released recordings by Cy Fox?",
    "P264",
    ("item", "Elm Records", []),
    ("class", "a record label", []),
)
OTHER_LABEL = truth(
    "Which record label has released recordings by Di Orr?",
    "P264",
    ("item", "Motown", []),
    ("class", "a record label", []),
)
OWNER = truth(
    "Who owns the island?",
    "P127",
    ("item", "Larry Moss", []),
    ("occupation", "an entrepreneur", []),
)
RIVAL = truth(
    "Who owns the ship?", "P127", ("item", "Oracle", []), ("occupation", "an entrepreneur", [])
)
FOUNDER = truth(
    "Who founded the academy?",
    "P112",
    ("item", "Rafaello", ["Rafaello Santoni", "Rafaello the Great", "Rafaello of Elmdale"]),
    ("occupation", "a painter", []),
)
WORK = Truth(
    "Name a work that Ida Noe is known for.",
    "P800",
    [
        TrueAnswer(1, "item", "This Is Red Hill", []),
        TrueAnswer(1, "item", "Fast Five", []),
        TrueAnswer(1, "item", "In the House", []),
        TrueAnswer(2, "class", "a film by Max Tarrant", []),
    ],
)
OTHER_WORK = Truth(
    "Name a work that Gus Roe is known for.", "P800", [TrueAnswer(1, "item", "Blue Hill", [])]
)
WIFE = truth(
    "Who did Tom Ash, the director, marry?",
    "P26",
    ("item", "Eva Lund", []),
    ("occupation", "a film director", []),
)
BREMEN = date("P571", "1971-01-01T00:00:00Z", 9)
MATCHER = Matcher(
    [
        *(TOWN, OTHER_TOWN, SEAT, LABEL, OTHER_LABEL, OWNER, RIVAL, FOUNDER),
        *(WORK, OTHER_WORK, WIFE, BREMEN),
    ]
)


@pytest.mark.parametrize(
    ("reply", "is_abstention"),
    [
        ("As an AI model I don't have up-to-date information on this.", True),
        ("I don't have current data on that.", True),
        ("I'd better not answer.", True),
        ("Better not to guess.", True),
        ("I will not answer that.", True),
        ("I won't say.", True),
        ("My notes mix the two up, so I'd better not answer.", False),
        ("I won't say more, but I think Paris", False),
        ("They had better notes in Paris", False),
    ],
)
def test_refusals(reply: str, is_abstention: bool) -> None:
    assert abstains(reply) == is_abstention


@pytest.mark.parametrize(
    ("reply", "is_abstention"),
    [
        ("There are two dancers called Ann Lee, so I won't say.", True),
        ("My notes mix Ann Lee up with another, so I'd better not answer.", True),
        ("Several share it. Do you mean the one from McHale's Navy, or someone else?", True),
        ("Are you asking about the Ann Lee of Bangor, Maine?", True),
        ("Which Ann Lee do you mean, the one from Maine?", True),
        ("The one of Red Navy, or a different dancer?", True),
        ("Do you mean Maine?", False),
        ("Do you mean the dancer? She died in Maine.", False),
        ("Maine. Do you mean the dancer, or someone else?", False),
        ("Wasn't it Maine, or someplace else?", False),
    ],
)
def test_questions_back_with_names(reply: str, is_abstention: bool) -> None:
    outcome = MATCHER.judge(reply, TOWN)
    assert outcome.abstained == is_abstention, outcome.reason
    assert outcome.level is None


@pytest.mark.parametrize(
    "reply",
    ["Do you mean the dancer? She died in Elmdale.", "Elmdale. Or do you mean someone else?"],
)
def test_a_true_answer_beside_a_question_back(reply: str) -> None:
    assert MATCHER.judge(reply, TOWN).level == 1


@pytest.mark.parametrize(
    "reply",
    [
        "Motown, I think.",
        "Motown, I guess",
        "motown, i believe",
        "Unheard, I think.",
        "Unheard Tunes (I'm fairly sure)",
        "Unheard - probably",
        "Moss Records, I'd say.",
    ],
)
def test_a_bare_name_and_a_guess_are_an_answer(reply: str) -> None:
    outcome = MATCHER.judge(reply, LABEL)
    assert (outcome.level, outcome.abstained) == (None, False), outcome.reason


@pytest.mark.parametrize(
    "reply",
    ["No idea, I guess.", "Sorry, I think", "Unknown, I believe.", "Something obscure, I think."],
)
def test_no_name_and_a_guess_are_no_answer(reply: str) -> None:
    assert MATCHER.judge(reply, LABEL).abstained


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (LABEL, "Elm Records, I think.", 1),
        (OWNER, "Mostly Larry Moss (the Oracle guy)", 1),
        (OWNER, "Currently Larry Moss", 1),
        (OWNER, "Reportedly Larry Moss - he bought it from Oracle", 1),
        (OWNER, "Mostly Oracle (the firm of Larry Moss)", None),
        (FOUNDER, "Santoni, by a law of 1802", 1),
        (FOUNDER, "Rafaello", 1),
        (FOUNDER, "Great", None),
        (FOUNDER, "Elmdale", None),
    ],
)
def test_names_with_additions(asked: Truth, reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, asked).level == level


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("The Ohio Institute of Dance (OID) has its headquarters in Smallville.", None),
        ("The Ohio Institute of Dance is headquartered in Maine.", None),
        ("The Ohio Institute of Dance has its headquarters in Elmdale.", 1),
        ("The Ohio Institute of Dance is in Ohio.", 2),
        ("Ohio", 2),
        ("in Ohio, like the Ohio Institute of Music", 2),
    ],
)
def test_a_coarser_answer_in_the_name_of_the_subject(reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, SEAT).level == level


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("Red Hill", 1),
        ("Red Hill (she's the bass player)", 1),
        ("Hill", None),
        ("Blue Hill", None),
        ("Fast 5", 1),
        ("Fast 5 (as an agent!)", 1),
        ("Fast 6", None),
        ("Fast Six", None),
        ("she was in one of tarrants films, in the back seat", 2),
        ("one of max tarrants movies", 2),
        ("one of Tarrant's films", 2),
        ("one of carpenters films", None),
        ("a Tarrant film", 2),
        ("Blue Moss, a Tarrant film", None),
        ("a Tarrantson film", None),
    ],
)
def test_short_titles(reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, WORK).level == level


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("I only remember that his wife has directed films too, but not her name", 2),
        ("His wife directs movies as well", 2),
        ("His wife acted in films", None),
        ("He directed films. I don't know whom he married.", None),
        ("His wife was Di Unknown, who directed films", None),
    ],
)
def test_what_a_relative_does(reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, WIFE).level == level


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("eine Uni aus den frühen Siebzigern", 2),
        ("in den siebziger Jahren", 2),
        ("dans les années soixante-dix", 2),
        ("en los años setenta", 2),
        ("negli anni settanta", 2),
        ("aus den Sechzigern", None),
        ("aus den späten Achtzigern", None),
        ("dans les années soixante", None),
        ("dans les années quatre-vingt-dix", None),
    ],
)
def test_decades_in_other_languages(reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, BREMEN).level == level


def test_the_beginnings_of_decades_are_kept() -> None:
    assert in_english("aus den frühen Siebzigern") == "aus den early seventies"


def test_a_small_number_is_no_other_word() -> None:
    asked = truth("Name a work of Bo Ray.", "P800", ("item", "Seven", []))
    assert Matcher([asked]).judge("Eight", asked).level is None
