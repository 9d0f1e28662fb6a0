"""Replies to GRANOLA may describe an answer in words of their own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.class_names import ClassName, ClassNames, plural
from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.truths import Truth
from tests.test_granola_matches import truth

USA = ("place", "the United States of America", ["USA", "US", "United States"], "Q30", True)
BIRTH = truth("Where was Ann Lee born?", "P19", ("item", "Bangor", []), USA)
MAKER = truth(
    "Which company built the Red Arrow?",
    "P176",
    ("item", "Ostrov Works", []),
    ("place + class", "a Russian company", []),
)
LABEL = truth(
    "Which record label has released music by Bo Ray?",
    "P264",
    ("item", "Blue Records", []),
    ("class + place", "a record label in Bangor", []),
    ("place + class", "an American record label", []),
)
SPOUSE = truth(
    "Who is the spouse of Eve Moss?",
    "P26",
    ("item", "Frank Ash", []),
    ("people + occupation", "an American actor", []),
    ("occupation", "an actor", []),
)
KING = truth(
    "Who is a child of Cyr II?", "P40", ("item", "Cyr III", []), ("occupation", "a monarch", [])
)
WORK = truth(
    "For which work is Max Orr known?",
    "P800",
    ("item", "Red Hill", []),
    ("year + people + class", "a 1970 American film", []),
    ("year + class", "a 1970 film", []),
    ("people + class", "an American film", []),
)
SERIES = truth(
    "For which work is Ida Orr known?",
    "P800",
    ("item", "Night Bus", []),
    ("people + class", "an American television series", []),
)
OWNER = truth(
    "Who owns the arcade?",
    "P127",
    ("item", "Elm Games", []),
    ("people + class", "a Japanese video game developer", []),
)
ALL = [BIRTH, MAKER, LABEL, SPOUSE, KING, WORK, SERIES, OWNER]
MATCHER = Matcher(ALL)


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (MAKER, "A big Russian state-controlled aerospace company.", 2),
        (MAKER, "It was made by a Russian manufacturer near Moscow.", 2),
        (MAKER, "Several Russian firms.", 2),
        (MAKER, "An American aerospace company.", None),
        (MAKER, "An aerospace company.", None),  # as every maker is
        (MAKER, "The company Vostok built it.", None),
        (MAKER, "The Russian company Vostok built it.", None),  # another company
        (MAKER, "Vostok, a Russian company.", None),
        (MAKER, "Ostrov Works, a Russian company.", 1),
        (LABEL, "A US record company.", 3),
        (LABEL, "A record company based in Bangor.", 2),
        (LABEL, "A record company based in Oslo.", None),
        (LABEL, "A British label.", None),
        (SPOUSE, "A well-known US-American movie actor.", 2),
        (SPOUSE, "Eve Moss married an actor from the United States in 1952.", 2),
        (SPOUSE, "a Swedish-born American actor", 2),  # the nationality is American
        (SPOUSE, "a Swedish actor", None),
        (SPOUSE, "an American stage and film actor", 2),
        (SPOUSE, "an American actor called Bob Miller", None),
        (SPOUSE, "He is Bob Miller, an American actor.", None),
        (SPOUSE, "Bob Moss, an American actor", None),  # a name of her family
        (SPOUSE, "Frank Ash, an American actor", 1),
        (SPOUSE, "an American actor, Bob Miller.", None),
        (SPOUSE, "an American actor, as she was", 2),
        (SPOUSE, "An Oscar-winning actor", 3),
        (KING, "A Swedish king.", 2),  # no answer has a nationality
        (WORK, "A movie that came out in 1970.", 3),
        (WORK, "A movie that came out in 1972.", None),
        (WORK, "an American motion picture from 1970", 2),
        (WORK, "a feature film made in the United States", 4),
        (SERIES, "a long-running US television sitcom", 2),
        (SERIES, "an American TV show", 2),
        (SERIES, "an American show called Day Bus", None),
        (OWNER, "a Japanese games developer, the name escapes me", 2),
    ],
)
def test_descriptions_in_other_words(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


def test_parts_of_the_name_of_a_class() -> None:
    names = ClassNames(WORK, {"american", "south african"})
    shown = [names.parts(name) for name in ("1970 south african film", "film by max orr", "film")]
    assert shown == [
        ClassName("1970", "south african", "film", ""),
        ClassName("", "", "film", "max orr"),
        ClassName("", "", "film", ""),
    ]


@pytest.mark.parametrize(
    ("noun", "plural_form"),
    [
        ("record label", "record labels"),
        ("company", "companies"),
        ("play", "plays"),
        ("businessman", "businessmen"),
        ("television series", "television series"),
    ],
)
def test_plurals(noun: str, plural_form: str) -> None:
    assert plural(noun) == plural_form


@given(st.lists(st.sampled_from(
    ["a", "an", "American", "Russian", "US", "1970", "film", "actor", "company", ",", "from", "in",
     "the", "United", "States", "and", "Bangor", "Ash", "called", "by", "."]
)).map(" ".join))  # fmt: skip
def test_any_description_is_judged(reply: str) -> None:
    for asked in ALL:
        outcome = MATCHER.judge(reply, asked)
        texts = {answer.text for answer in asked.answers}
        assert outcome.level is None or outcome.matched in texts
