"""Replies as people chat: lower case, knowledge about other things, questions back, degrees."""

from typing import Any

import pytest

from kgbuild.datasets.granola.institution_names import short_names
from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.reply_words import without_degrees
from kgbuild.datasets.granola.spellings import is_misspelt, is_same_thing
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from tests.test_granola_matches import USA, date, truth

SWITZERLAND: tuple[Any, ...] = ("place", "Switzerland", [], "Q39", True)
TOWN = truth("Where was Ann Lee born?", "P19", ("item", "Elmdale", []), ("place", "Ohio", []), USA)
OTHER_TOWN = truth(
    "Where was Bo Ray born?", "P19", ("item", "Bangor", []), ("place", "Ohio", []), USA
)
SEAT = truth(
    "Where is the Post Union based?",
    "P159",
    ("item", "Bern", []),
    ("place", "the Canton of Bern", ["Berne", "Kanton Bern"]),
    SWITZERLAND,
)
SCHOOL = truth(
    "Where did Cy Fox study?",
    "P69",
    ("item", "Elm School of Drama", []),
    ("item", "Elm University", ["Elm"]),
    ("place", "Bangor", []),
)
MUSEUM = truth(
    "Where did Di Orr study?", "P69", ("item", "Moss Museum", ["MFA"]), ("place", "Bangor", [])
)
CREATORS = Truth(
    "Who created Red Hill?",
    "P170",
    [
        TrueAnswer(1, "item", "Mike Moss", []),
        TrueAnswer(1, "item", "Greg Ash", []),
        TrueAnswer(2, "people + occupation", "an American writer", []),
    ],
)
CREATOR = truth(
    "Who created Blue Hill?",
    "P170",
    ("item", "Matt Noe", []),
    ("people + occupation", "an American writer", []),
)
SON = truth(
    "Name a child of Gus Roe.", "P40", ("item", "Tom Roe", []), ("occupation", "a politician", [])
)
CLUB = truth("Who owns a park?", "P127", ("item", "CD Elmar", []), ("class", "a football club", []))
DISTRICT = truth(
    "Where is Red Tower?", "P276", ("item", "Midtown Elm", []), ("place", "Elm City", []), USA
)
OTHER_DISTRICT = truth(
    "Where is Blue Tower?", "P276", ("item", "Oakham", []), ("place", "Elm City", []), USA
)
BIRTH = date("P569", "1932-12-19T00:00:00Z")
MATCHER = Matcher(
    [
        *(TOWN, OTHER_TOWN, SEAT, SCHOOL, MUSEUM, CREATORS, CREATOR, SON, CLUB, DISTRICT),
        OTHER_DISTRICT,
    ]
)


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (TOWN, "elmdale, OH", 1),
        (TOWN, "bangor, OH", None),  # another town
        (TOWN, "bangor Ohio", None),
        (TOWN, "smallville, OH", None),
        (TOWN, "somewhere, OH", 2),
        (TOWN, "i think, Ohio", 2),
        (TOWN, "probably, Ohio", 2),
        (TOWN, "small town, Ohio", 2),
        (TOWN, "a village, Ohio", 2),
        (TOWN, "ann lee, Ohio", 2),  # the subject
        (SEAT, "Berne, CH", 1),
        (SEAT, "in Berne, Switzerland", 1),
        (SEAT, "Kanton Bern", 2),
        (SEAT, "It's a Swiss organisation.", 3),
        (SEAT, "They're a Swiss charity.", 3),
        (SEAT, "a Swedish organisation", None),
        (TOWN, "They're an American company.", None),  # no answer about a birth
        (TOWN, "They're Ohio people.", 2),
        (TOWN, "We'd say Ohio", 2),
        (DISTRICT, "Lower Oakham, Elm City", None),
        (DISTRICT, "in the Banking District of Lower Oakham, Elm City", None),
        (DISTRICT, "Midtown Elm, Elm City", 1),
        (DISTRICT, "Elm City", 2),
    ],
)
def test_places(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (SCHOOL, "Elm Drama, MFA 1982 – she liked it.", 1),
        (SCHOOL, "MFA, Elm School of Drama", 1),
        (SCHOOL, "She got her MFA from Elm Drama.", 1),
        (SCHOOL, "Elm University School of Drama", 1),
        (SCHOOL, "Elm (B.A., 1982)", 2),
        (SCHOOL, "Elm Law, MFA 1982", None),
        (SCHOOL, "Oak Drama", None),
        (CREATORS, "Mike Moss together with Matt Noe", None),
        (CREATORS, "Mike Moss, along with Matt Noe", None),
        (CREATORS, "Mike Moss and Matt Noe", None),
        (CREATORS, "Mike Moss alongside Bo Unknown", None),
        (CREATORS, "Mike Moss together with Greg Ash", 1),
        (CREATORS, "Mike Moss, jointly with Greg Ash", 1),
        (CREATORS, "Mike Moss, along with a writer of the show", 1),
        (CREATOR, "Matt Noe and Bo Unknown", 1),  # the store may lack the second one
        (SON, "He had a son who went into politics too, I forget his first name.", 2),
        (SON, "His son was in politics as well.", 2),
        (SON, "a man who entered politics", 2),
        (SON, "a son who went into music", None),
        (CLUB, "Club Deportivo Elmar", 1),
        (CLUB, "C.D. Elmar", 1),
        (CLUB, "Elmar", 1),
        (CLUB, "Sociedad Deportiva Elmar", None),
        (CLUB, "Club Deportivo Oakar", None),
    ],
)
def test_names(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        (SCHOOL, "Sorry, I only know his films (Now, Smallville; The Elk), not where he studied."),
        (SCHOOL, "I know his movies but not where he went to school."),
        (SCHOOL, "I've seen his films, but not which college he attended."),
        (SCHOOL, "I could tell you what he directed – not where he learned it."),
        (CREATORS, "A lot of people! Are you after the films or the TV shows?"),
        (CREATORS, "Are you interested in the first one?"),
        (CREATORS, "Several people did. Any particular season?"),
        (SEAT, "I'd need to look this up; I don't follow that union."),
        (SEAT, "I'd need to check."),
        (SEAT, "I'll have to google it"),
        (SEAT, "You'd need to ask someone else."),
        (BIRTH, "Ann Lee the minister, or the dancer? There's quite a gap between the two."),
        (BIRTH, "The politician or the scholar?"),
    ],
)
def test_replies_without_an_answer(asked: Truth, reply: str) -> None:
    assert MATCHER.judge(reply, asked._replace(question="When was Ann Lee born?")).abstained


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (SEAT, "I'd have to check, but Bern?", 1),
        (SEAT, "I'd need to check. Bern, perhaps.", 1),
        (SEAT, "Bern, though I'd need to check.", 1),
        (SCHOOL, "I know that he studied at Elm Drama, not when.", 1),
        (SCHOOL, "Not where you'd think: Elm Drama.", 1),
        (CREATORS, "Mike Moss. Are you after the film, too?", 1),
        (BIRTH, "The dancer? 1932.", 3),
        (BIRTH, "Who knows? Maybe 1932.", 3),
        (SEAT, "Not certain. Switzerland?", 3),
        (SEAT, "I can't be sure: Switzerland.", 3),
        (SEAT, "I can't be sure, Bern", 1),
        (SEAT, "Tough one! Bern?", 1),
        (SEAT, "Wasn't it Bern?", 1),
        (BIRTH, "Was it between 1932 and 1933?", 4),
    ],
)
def test_an_answer_beside_a_doubt(asked: Truth, reply: str, level: int) -> None:
    assert MATCHER.judge(reply, asked).level == level


@pytest.mark.parametrize(
    ("word", "right", "is_same"),
    [
        ("juliard", "juilliard", True),
        ("julliard", "juilliard", True),
        ("jullierd", "juilliard", True),
        ("kelly", "kerry", False),
        ("julian", "juilliard", False),
        ("millers", "mueller", False),
    ],
)
def test_an_error_in_letters_and_one_in_a_double_letter(
    word: str, right: str, is_same: bool
) -> None:
    assert is_misspelt(word, right, {"kramer"}.__contains__) == is_same


def test_initials_that_are_spelt_out() -> None:
    def known(_: str) -> bool:
        return False

    names = [("club deportivo elmar", "cd elmar"), ("elmar football club", "elmar fc")]
    assert all(is_same_thing(a.split(), b.split(), known) for a, b in names)
    assert all(is_same_thing(b.split(), a.split(), known) for a, b in names)
    assert not is_same_thing(["union", "deportiva", "elmar"], ["cd", "elmar"], known)
    assert not is_same_thing(["club", "deportivo"], ["cd"], known)


def test_schools_of_universities() -> None:
    assert [*short_names("Elm School of Drama")] == ["elm drama", "elm university school of drama"]
    assert without_degrees("Elm, Ph.D. 1982") == "Elm, degree 1982"
    assert without_degrees("BAFTA, Elm") == "BAFTA, Elm"


DEATH = date("P570", "1961-03-21T00:00:00Z")


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("Wasn't it 1961?", 3),
        ("It wasn't 1961.", None),
        ("born in 1882, he lived until 1961", 3),
        ("He lived on until March 1961", 2),
        ("He was governor until 1961", None),
        ("in his late seventies, in 1961", 3),
        ("in the seventies", None),
        ("either March 20 or March 21, 1961", 2),
        ("March 21 or 22, 1961", 2),
        ("20/21 March 1961", 2),
        ("20 or 22 March 1961", None),
        ("1961, though it could be 1962", None),
        ("1961? maybe 1962", None),
        ("1962? Maybe 1963", None),
        ("I thought 1962, but it turns out it was 1961", 3),
        ("I thought 1961, but it turns out it was 1962", None),
    ],
)
def test_doubts_about_dates(reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, DEATH)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (TOWN, "I thought it was Bangor, but apparently it was Elmdale", 1),
        (TOWN, "I'd always assumed Elmdale, but it turns out it was Bangor", None),
        (TOWN, "I thought Elmdale, but I'm not sure", 1),
        (TOWN, "Elmdale? No: Palm Springs.", None),
        (TOWN, "Elmdale? No, I don't think so", 1),
        (TOWN, "Elmdale, though it could be Bangor", None),
        (TOWN, "Elmdale, but that might be wrong", 1),
        (CREATOR, "Bo Unknown, I think, or Matt Noe", None),
        (CREATOR, "I believe Bo Unknown, though it could be Matt Noe", None),
        (CREATOR, "I think Matt Noe or so", 1),
    ],
)
def test_second_guesses(asked: Truth, reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, asked).level == level


@pytest.mark.parametrize(
    ("reply", "is_abstention"),
    [
        ("I know he was governor from 1929 to 1932, but when he died I can't say", True),
        ("He was born in 1882, but I don't know when he died", True),
        ("It was 1962, but I can't say for sure that he died then", False),
        ("He died in 1962, but I don't know the day he died", False),
        ("He was born in 1882; I can't be sure about the death and would rather not guess", True),
        ("Accounts of the governor's last years vary, so I'd prefer to leave this one open.", True),
        ("I know two governors of this name (an uncle too), and no date for either of them", True),
        ("It was 1962, and there is no grave for either of them", False),
        ("It was 1962, though I can't be sure", False),
    ],
)
def test_a_refusal_after_facts(reply: str, is_abstention: bool) -> None:
    assert MATCHER.judge(reply, DEATH).abstained == is_abstention
