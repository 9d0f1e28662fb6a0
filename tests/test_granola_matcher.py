"""Test the rules by which replies to GRANOLA are judged; how often people agree is measured.

See tests/judged for the agreement.
"""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.scoring.matcher import match
from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth

TOWN = Truth(
    "Where was Ann Lee born?",
    [
        TrueAnswer(1, "item", "Glendale", ["Hill End"]),
        TrueAnswer(2, "place", "Los Angeles County"),
        TrueAnswer(3, "place", "California"),
        TrueAnswer(4, "place", "the United States of America", ["US"]),
    ],
)
VILLAGE = Truth(
    "Where is Camplong?",
    [
        TrueAnswer(1, "place", "Hérault"),
        TrueAnswer(2, "place", "France", ["French Republic", "Republic of France"]),
    ],
)
DAY = Truth(
    "When did Ann Lee die?",
    [
        TrueAnswer(1, "day", "9 May 1931"),
        TrueAnswer(2, "month", "May 1931"),
        TrueAnswer(3, "year", "1931"),
        TrueAnswer(4, "decade", "the 1930s"),
    ],
)
PERSON = Truth(
    "Who did Ann Lee, the American singer, marry?",
    [
        TrueAnswer(1, "item", "Kevin Norwood Bacon", ["Kev"]),
        TrueAnswer(2, "people + occupation", "an American actor"),
        TrueAnswer(3, "occupation", "an actor"),
    ],
)
BOROUGH = Truth(
    "In which place did Ann Lee die?",
    [
        TrueAnswer(1, "place", "Brooklyn", ["Brooklyn, New York"]),
        TrueAnswer(2, "place", "New York City"),
    ],
)
LABELS = Truth(
    "Name a record label of Ann Lee.",
    [TrueAnswer(1, "item", "Atlantic Records"), TrueAnswer(1, "item", "Jive")],
)
TRADE = Truth("What did Ann Lee work as?", [TrueAnswer(1, "item", "banker")])


def _verdict(reply: str, truth: Truth) -> int | str:
    outcome = match(reply, truth)
    return outcome.level or ("abstained" if outcome.abstained else "wrong")


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Glendale", 1),
        ("She was born in Glendale, California, and raised in Reno, Nevada.", 1),
        ("Glendale, Arizona", "wrong"),
        ("Glendale, AZ", "wrong"),
        ("the Verdugo neighbourhood of Glendale", 1),
        ("Anaheim, California", "wrong"),
        ("Southern California", 3),
        ("LA County", "wrong"),
        ("somewhere in the US", 4),
        ("She lived all over the U.S.'s west.", 4),
        ("Us all know: Reno", "wrong"),
        ("She grew up in HE.", 1),
        ("He was born in Reno.", "wrong"),
        ("California State University", "wrong"),
        ("not in Glendale but in Reno", "wrong"),
        ("Not Reno, but Glendale.", 1),
        ("It is not Reno but Glendale.", 1),
        ("Definitely Glendale, not Reno.", 1),
        ("Anything but Glendale.", "wrong"),
        ("Glendale is often named, but that is a mistake; it was Reno.", "wrong"),
        ("Reno is often given as the answer, but it is in fact Glendale.", 1),
        ("It is commonly said to be Glendale, but it is not certain.", 1),
        ("Glendale is wrong. It is Reno.", "wrong"),
        ("It was Glendale. Reno is wrong.", 1),
        ("Reno? No, Glendale.", 1),
        ("She died in Glendale.", "wrong"),
        ("Glendale or Reno", "wrong"),
        ("Reno. No, wait: Glendale.", 1),
        ("I don't know.", "abstained"),
        ("Which Ann Lee do you mean?", "abstained"),
        ("It was California, I think, but I'm not sure.", 3),
        ("- **Birthplace:** California [3]", 3),
        ("TL;DR: California", 3),
        ("Birthplace: Reno, California", "wrong"),
        ("City: Reno\nState: California", "wrong"),
        ("Reno: a city in California", "wrong"),
        ("California: she was born in Glendale.", 3),
        ("Purple.", "wrong"),
        ("", "wrong"),
    ],
)
def test_places(reply: str, verdict: int | str) -> None:
    """A place is read with what it lies in; labels, denied and other places are none."""
    assert _verdict(reply, TOWN) == verdict


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("9 May 1931", 1),
        ("5/9/1931", 1),
        ("May 9, 1931", 1),
        ("1931-05-09", 1),
        ("'09 May 1931'", 1),
        ("It was ‘09 May 1931’.", 1),
        ("('09-05-1931',)", 1),
        ("'31 BC'", "wrong"),
        ("'31'", 3),
        ("in '31", 3),
        ("in 1931", 3),
        ("the thirties", 4),
        ("8 May 1931", "wrong"),
        ("(1880 – 1931)", 3),
        ("She was born in 1880 and died in 1931.", 3),
        ("Born in 1931.", "wrong"),
        ("1930 or 1931", "wrong"),
        ("8 May 1880? No, 9 May 1931.", 1),
        ("1880 is wrong. It is 1931.", 3),
        ("Anything but 1931.", "wrong"),
        ("In Texas.", "wrong"),
        ("a date I can't recall", "abstained"),
    ],
)
def test_dates(reply: str, verdict: int | str) -> None:
    """The date of the event that is asked for decides."""
    assert _verdict(reply, DAY) == verdict


@pytest.mark.parametrize(
    ("reply", "truth", "verdict"),
    [
        ("Kevin Bacon", PERSON, 1),
        ("Bacon", PERSON, 1),
        ("Francis Bacon", PERSON, "wrong"),
        ("an American stage actor", PERSON, 2),
        ("the American actor Max Orr", PERSON, "wrong"),
        ("the same American actor who played in Diner", PERSON, 2),
        ("some American actor from Ohio", PERSON, 2),
        ("Dan Huff, not Kevin Bacon", PERSON, "wrong"),
        ("Ann Lee, the American singer, married Dan Huff.", PERSON, "wrong"),
        ("the French Republic", VILLAGE, 2),
        ("a French island in the Caribbean", VILLAGE, "wrong"),
        ("in the French-speaking region of the Mediterranean", VILLAGE, "wrong"),
        ("Camplong is a French military organization.", VILLAGE, "wrong"),
        ("Brooklyn, New York City", BOROUGH, 1),
        ("Brooklyn, New York", BOROUGH, 1),
        ("New York City Opera", BOROUGH, "wrong"),
        ("Atlantic", LABELS, 1),
        ("Motown and Atlantic", LABELS, 1),
        ("Motown or Atlantic", LABELS, "wrong"),
        ("Motown, not Atlantic", LABELS, "wrong"),
        ("jive", LABELS, 1),
        ("Possibly a singer, but I'm not sure.", TRADE, "wrong"),
        ("I don't know. She may have been a singer.", TRADE, "wrong"),
        ("Ann Lee? I don't know.", TRADE, "abstained"),
        ("I can't say what she probably did.", TRADE, "abstained"),
    ],
)
def test_names(reply: str, truth: Truth, verdict: int | str) -> None:
    """Shorter names match, names of others and within longer names do not."""
    assert _verdict(reply, truth) == verdict


def test_what_the_question_says_is_no_answer() -> None:
    """To repeat the question is no coarse answer, though the finest one may be named in it."""
    city = Truth(
        "What is the largest city in Ohio?",
        [TrueAnswer(1, "item", "Cleveland"), TrueAnswer(2, "place", "Ohio")],
    )
    assert _verdict("The largest city in Ohio is Columbus.", city) == "wrong"
    assert _verdict("The largest city in Ohio is Cleveland.", city) == 1
    assert _verdict("Ohio", city) == "wrong"


_REPLIES = ("Glendale", "Kevin Bacon", "1931", "I don't know", "Motown", "Glendale, Arizona")


@given(order=st.sampled_from([*permutations((TOWN, DAY, PERSON, LABELS))]))
def test_verdict_depends_on_the_question_alone(order: tuple[Truth, ...]) -> None:
    """Whatever else was judged before, a reply has the same verdict."""
    verdicts = {(truth, reply): match(reply, truth) for truth in order for reply in _REPLIES}
    for truth in reversed(order):
        assert all(match(reply, truth) == verdicts[truth, reply] for reply in _REPLIES)


@given(reply=st.text(max_size=80))
def test_any_reply_has_a_verdict(reply: str) -> None:
    """A reply may be anything; an abstention has no level."""
    for truth in (TOWN, DAY, PERSON):
        outcome = match(reply, truth)
        assert not (outcome.abstained and outcome.level)
        assert outcome.reason
