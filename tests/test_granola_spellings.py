"""Names in other spellings: short first names, initials, typing errors, other languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.capital_names import with_capitals
from kgbuild.datasets.granola.foreign_names import in_english
from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.regions import bare_name, holds
from kgbuild.datasets.granola.spellings import edits, is_same_person, is_same_thing
from kgbuild.datasets.granola.truths import Truth
from tests.test_granola_matches import USA, date, truth


def is_known(word: str) -> bool:
    return word in {"marvin", "kramer"}


@pytest.mark.parametrize(
    ("words", "name", "is_same"),
    [
        ("chris plummer", "christopher plummer", True),
        ("tom steitz", "thomas arthur steitz", True),
        ("t a steitz", "thomas arthur steitz", True),
        ("thomas b steitz", "thomas arthur steitz", False),  # another middle name
        ("joan crawfrod", "joan crawford", True),
        ("jon crawfrod", "joan crawford", False),  # two errors
        ("lloyd kauffman", "lloyd kaufman", True),
        ("lee marvin", "lee martin", False),  # another answer has the surname
        ("kevin williams", "kevin williamson", False),
        ("john kennedy", "john f kennedy jr", False),
        ("john kennedy jr", "john f kennedy jr", True),
        ("rocky iii", "rocky ii", False),
        ("bill orr", "will orr", False),  # both are short for William
        ("kurosawa akira", "akira kurosawa", True),
        ("kim jong un", "kim jong il", False),
    ],
)
def test_people(words: str, name: str, is_same: bool) -> None:
    assert is_same_person(words.split(), name.split(), is_known) == is_same


@pytest.mark.parametrize(
    ("words", "name", "is_same"),
    [
        ("university di pisa", "university of pisa", True),
        ("pisa university", "university of pisa", True),
        ("washington university", "university of washington", False),  # another one
        ("anchor man", "anchorman", True),
        ("hambourg", "hamburg", True),
        ("university of bonn", "university of bern", False),
        ("royal academy of dramatic arts", "royal academy of dramatic art", True),
        ("thor 2", "thor 3", False),
        ("rom", "rome", False),  # too short for an error
    ],
)
def test_things(words: str, name: str, is_same: bool) -> None:
    assert is_same_thing(words.split(), name.split(), is_known) == is_same


@given(st.text("abc", max_size=5), st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_edits_are_a_number_of_steps(one: str, two: str, three: str) -> None:
    assert edits(one, one) == 0
    assert edits(one, two) == edits(two, one)
    assert abs(len(one) - len(two)) <= edits(one, two) <= max(len(one), len(two))
    assert edits(one + three, two + three) <= edits(one, two)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("in the Cuban capital", "in Havana"),
        ("the capital city of Germany", "Berlin"),
        ("Germany's capital", "Berlin"),
        ("the French capital Paris", "the French capital Paris"),
        ("Rouen, capital of Normandy", "Rouen, capital of Normandy"),  # no state
        ("a capital idea", "a capital idea"),
    ],
)
def test_capitals(reply: str, text: str) -> None:
    assert with_capitals(reply, "Where was Ann Lee born?") == text


def test_the_subject_is_a_capital() -> None:
    reply = "Seoul is the capital of South Korea"
    assert with_capitals(reply, "Where is Seoul located?") == reply


def test_names_in_other_languages() -> None:
    assert in_english("Mailand, Italien") == "Milan, Italy"
    assert in_english("dans l'Ariège") == "dans Ariège"
    assert in_english("Romano") == "Romano"  # not "Rom"


def test_regions() -> None:
    assert bare_name("the Province of Massa-Carrara") == "massacarrara"
    levels = ["the Province of Massa-Carrara", "Italy"]
    assert holds("tuscany", levels) is True
    assert holds("lombardy", levels) is False  # it lies in Tuscany
    assert holds("tuscany", ["Podenzana", "Italy"]) is None  # nothing says where
    assert holds("tuscany", ["Paris", "France"]) is None
    assert holds("podenzana", levels) is None


ITALY = ("place", "Italy", [], "Q38", True)
VILLAGE = truth(
    "Where is Borgo located?", "P131", ("item", "the Province of Massa-Carrara", []), ITALY
)
HAVANA = truth(
    "Where was Ann Lee born?", "P19", ("item", "Havana", []), ("place", "Cuba", [], "Q241", True)
)
MADISON = truth(
    "Where was Bo Ray born?", "P19", ("item", "Madison", []), ("place", "Wisconsin", []), USA
)
SPOUSE = truth(
    "Who is the spouse of Eve Moss?",
    "P26",
    ("item", "Richard Rubin", []),
    ("people + occupation", "an American author", []),
    ("occupation", "an author", []),
)
WORK = truth(
    "For which work is Max Orr known?",
    "P800",
    ("item", "Red Hill", []),
    ("class + maker", "a film by Ida Noe", []),
)
SCHOOL = truth(
    "Where did Cy Fox study?",
    "P69",
    ("item", "University of Pisa", []),
    ("place", "Pisa", []),
    ITALY,
)
LABEL = truth("Who founded Moss Records?", "P112", ("item", "Rik Branson", []))
DEATH = date("P570", "1996-05-01T00:00:00Z")
MATCHER = Matcher([VILLAGE, HAVANA, MADISON, SPOUSE, WORK, SCHOOL, LABEL])


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (VILLAGE, "in Toscana, Italia", 2),
        (VILLAGE, "in Lombardy, Italy", None),
        (VILLAGE, "in the Marche region of Italy", None),
        (VILLAGE, "Massa-Carrara", 1),
        (VILLAGE, "Tuscany, specifically Massa-Carrara", 1),
        (VILLAGE, "Italy, specifically Smallville", None),
        (VILLAGE, "It's an Italian village, I don't know which province", 2),
        (HAVANA, "in the Cuban capital", 1),
        (HAVANA, "Havanna", 1),
        (HAVANA, "He's Cuban by birth; couldn't tell you which town though.", 2),
        (HAVANA, "at a Cuban school in Smallville", None),
        (HAVANA, "I first thought Havana, but I'm going with Oslo.", None),
        (MADISON, "Madison WI", 1),
        (MADISON, "Madison, Wisc.", 1),
        (MADISON, "Madison, Conn.", None),
        (MADISON, "in Wisconsin I think", 2),
        (SPOUSE, "Rick Rubin", 1),
        (SPOUSE, "R. Rubin", 1),
        (SPOUSE, 'Frederick "Rick" Rubin', 1),
        (SPOUSE, "Rick Robins", None),
        (SPOUSE, "an author, American, I forget his name", 2),
        (SPOUSE, "Bo Miller, who wrote a little after Richard Rubin.", None),
        (SPOUSE, "Bo Miller, Richard Rubin and Cy Noe", None),
        (WORK, "one of Ida Noe's early pictures", 2),
        (WORK, "Red Hill: Part Two", None),
        (SCHOOL, "Università di Pisa", 1),
        (SCHOOL, "University of Pisa–Clear Lake", None),
        (LABEL, "Branson", 1),
        (DEATH, "either 1996 or 1997", None),
        (DEATH, "either 1995 or 1997", None),
        (DEATH, "the nineties (1996, to be precise)", 3),
        (DEATH, "the nineties: 1995, if memory serves", None),
        (DEATH, "1912, no wait, 1996", 3),
    ],
)
def test_replies(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


def test_a_person_who_lives_is_a_claim() -> None:
    alive = MATCHER.judge("She is, to the best of my knowledge, still alive.", DEATH)
    unsure = MATCHER.judge("I don't know whether she is still alive.", DEATH)
    assert (alive.abstained, alive.level, unsure.abstained) == (False, None, True)
