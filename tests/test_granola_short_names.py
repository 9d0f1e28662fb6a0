"""Short names of universities, dates in words, times between two years, and names in brackets."""

import pytest

from kgbuild.datasets.granola.institution_names import short_names
from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.number_words import in_digits
from kgbuild.datasets.granola.reply_words import plain_reply
from kgbuild.datasets.granola.truths import Truth
from tests.test_granola_matches import USA, date, truth

ITALY = ("place", "Italy", [], "Q38", True)
VILLAGE = truth(
    "Where is Borgo located?",
    "P131",
    ("item", "the Province of Massa-Carrara", []),
    ("place", "Tuscany", []),
    ITALY,
)
POLYTECHNIC = truth(
    "Where did Ann Lee study?", "P69", ("item", "Polytechnic University of Milan", []), ITALY
)
FLORIDA = truth("Where did Bo Ray study?", "P69", ("item", "University of Florida", []), USA)
EL_PASO = truth("Where did Cy Fox study?", "P69", ("item", "University of Texas at El Paso", []))
SAO_PAULO = truth("Where was Ida Noe born?", "P19", ("item", "São Paulo", []))
LOS_ANGELES = truth(
    "Where was Max Orr born?", "P19", ("item", "Los Angeles", []), ("place", "California", []), USA
)
KIM = truth("Who is the father of Kim Jong-un?", "P22", ("item", "Kim Jong-il", ["Kim Jong Il"]))
WORK = truth("For which work is Eve Moss known?", "P800", ("item", "Red Hill with Max Orr", []))
DEATH = date("P570", "1952-07-17T00:00:00Z")
DECADE = 4
MATCHER = Matcher([VILLAGE, POLYTECHNIC, FLORIDA, EL_PASO, SAO_PAULO, LOS_ANGELES, KIM, WORK])


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (VILLAGE, "in the province of Massa and Carrara, Tuscany, Italy", 1),
        (VILLAGE, "Tuscany, Italy (province of Massa-Carrara)", 1),
        (VILLAGE, "[Tuscany, Italy]", 2),
        (POLYTECHNIC, "Milan Polytechnic", 1),
        (POLYTECHNIC, "Turin Polytechnic", None),
        (FLORIDA, "UF (Go Gators!)", 1),
        (FLORIDA, "FSU", None),
        (EL_PASO, "UT El Paso", 1),
        (EL_PASO, "UT Austin", None),
        (SAO_PAULO, "S. Paulo", 1),
        (LOS_ANGELES, "Los Angelas, California", 1),
        (LOS_ANGELES, "Los Gatos, California", None),
        (KIM, "Kim Il", None),  # not the whole given name
        (KIM, "Kim Jong Il", 1),
        (WORK, "Red Hill", 1),
        (DEATH, "seventeenth of July, nineteen fifty-two", 1),
        (DEATH, "seventeenth of July, nineteen fifty-three", None),
        (DEATH, "between 1950 and 1955", DECADE),
        (DEATH, "between 1953 and 1955", None),  # the decade is right, the claim is not
        (DEATH, "between 1952 and 1961", DECADE + 1),
    ],
)
def test_replies(asked: Truth, reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, asked).level == level


def test_a_shrug_is_an_abstention() -> None:
    assert MATCHER.judge(r"¯\_(ツ)_/¯", DEATH).abstained


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("in nineteen oh five", "in 1905"),
        ("two thousand and four", "2004"),
        ("July the twenty-first, eighteen hundred", "July the 21st, 1800"),
        ("the second film of the nineteenth century", "the second film of the nineteenth century"),
        ("eighteen people", "eighteen people"),
        ("the nineteen eighties", "the nineteen eighties"),
    ],
)
def test_days_and_years_in_words(text: str, digits: str) -> None:
    assert in_digits(text) == digits


def test_short_names_of_universities() -> None:
    assert [*short_names("the University of Kentucky")] == ["u of kentucky"]  # "UK" is a state
    assert [*short_names("University of California, Davis")] == [
        "uc davis",
        "u of california davis",
    ]
    assert [*short_names("Ann Lee School")] == []


def test_a_bracket_around_a_reply_is_no_citation() -> None:
    assert plain_reply("[Gers, Occitania]") == "Gers, Occitania"
    assert plain_reply("[1]") == ""
    assert plain_reply("Gers [Wikipedia]") == "Gers"
