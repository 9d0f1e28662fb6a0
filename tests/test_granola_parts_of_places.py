"""Replies to GRANOLA about neighbours and parts of places, by nicknames, and with unknown names."""

from typing import Any

import pytest

from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from tests.test_granola_matches import USA, truth

FRANCE: tuple[Any, ...] = ("place", "France", [], "Q142", True)
UNITED_STATES: tuple[Any, ...] = (
    "place",
    "the United States of America",
    ["USA", "US"],
    "Q30",
    True,
)
PART = truth(
    "Where is the Moss Academy located?",
    "P131",
    ("item", "the 6th arrondissement of Paris", []),
    FRANCE,
)
MIDTOWN = truth(
    "Where is Red Tower?",
    "P276",
    ("item", "Midtown Oakham", []),
    ("place", "Elm City", []),
    UNITED_STATES,
)
OAKHAM = truth(
    "Where was Bo Ray born?", "P19", ("item", "Oakham", []), ("place", "Elm City", []), USA
)
SOLIHULL = truth(
    "Where was Cy Fox born?", "P19", ("item", "Elmdale", []), ("place", "Ohio", []), USA
)
PARISIAN = truth("Where is Blue Tower?", "P131", ("item", "Paris", []), FRANCE)
BAY = truth(
    "Where did the Crows form?",
    "P740",
    ("item", "San Francisco", []),
    ("place", "California", []),
    UNITED_STATES,
)
ANGELS = truth(
    "Where did the Larks form?",
    "P740",
    ("item", "Los Angeles", []),
    ("place", "California", []),
    UNITED_STATES,
)
BOGOTA = truth(
    "Where was Di Orr born?",
    "P19",
    ("item", "Bogotá", []),
    ("place", "Colombia", [], "Q739", True),
    ("place", "South America", []),
)
CREATORS = Truth(
    "Who created Red Hill?",
    "P170",
    [
        TrueAnswer(1, "item", "Greg Daniels", []),
        TrueAnswer(1, "item", "Michael Schur", []),
        TrueAnswer(2, "people + occupation", "an American writer", []),
    ],
)
WORKS = Truth(
    "Name a work that Ida Noe is known for.",
    "P800",
    [TrueAnswer(1, "item", "Red Hill", []), TrueAnswer(1, "item", "Blue Sea", [])],
)
OWNER = truth("Who owns the house?", "P127", ("item", "Ann Lee", []))
MATCHER = Matcher(
    [PART, PARISIAN, BOGOTA, MIDTOWN, OAKHAM, SOLIHULL, BAY, ANGELS, CREATORS, WORKS, OWNER]
)


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (PART, "Paris", 2),
        (PART, "in Paris, France", 2),
        (PART, "a district of Paris", 2),
        (PARISIAN, "near Paris", 2),  # as coarse as what lies around it
        (PARISIAN, "in the north of Paris", 1),
        (PARISIAN, "in the south of France", 2),
        (PARISIAN, "Somewhere in the Elmish Northwest of France", 2),
        (PARISIAN, "south of Paris", 2),
        (PART, "the sixth arrondissement of Paris", 1),
        (PART, "in the 6th arrondissement", 1),
        (PART, "6e arrondissement, Paris", 1),
        (PART, "Paris 6e", 1),
        (PART, "Paris, 6th arrondissement", 1),
        (PART, "the 5th arrondissement of Paris", None),
        (PART, "the fifth arrondissement, Paris", None),
        (PART, "the Latin Quarter, Paris", None),
        (MIDTOWN, "in Oakham", 2),
        (MIDTOWN, "Downtown Oakham", None),
        (MIDTOWN, "Lower Oakham, Elm City", None),
    ],
)
def test_a_town_is_around_its_parts(asked: Truth, reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, asked).level == level


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("He was born in Solihull, just outside Elmdale.", None),
        ("Solihull, near Elmdale", None),
        ("Solihull, a few miles from Elmdale", None),
        ("He was born in Solihull ten miles from Elmdale", None),
        ("Oakham, north of Elmdale", None),
        ("just outside Elmdale", 2),
        ("in a village near Elmdale", 2),
        ("an hour from Elmdale", 2),
        ("Mercy Hospital near Elmdale", 2),
        ("USA, Ohio, Elmdale", 1),
        ("Ohio, town of Elmdale", 1),
        ("Ohio, Elmdale or Oakham", 2),
        ("Ohio, where Elmdale is", 2),
        ("Oakham... no, Elmdale", 1),
        ("in Elmdale, near Solihull", 1),
        ("Elmdale, just north of Solihull", 1),
        ("in Elmdale, not far from the lake", 1),
        ("in the outskirts of Elmdale", 1),
        ("just outside Ohio", 3),
        ("just south of Oakham, in Elmdale", 1),
        ("just south of Oakham, in Ohio", None),
        ("in London (Elmdale Terrace)", None),
        ("in Elmdale (Oakham Terrace), in 1958", 1),
        ("in Elmdale (Oakham)", None),
    ],
)
def test_neighbours(reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, SOLIHULL).level == level


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (BAY, "In the Bay Area, California", 2),
        (BAY, "the West Coast of the US", 3),
        (BAY, "Southern California", None),
        (BAY, "on the East Coast", None),
        (BAY, "San Francisco, in the Bay Area", 1),
        (BAY, "SF", 1),
        (BAY, "Frisco", 1),
        (ANGELS, "cali", 2),
        (ANGELS, "Cali, Colombia", None),
        (ANGELS, "SoCal", 3),
        (ANGELS, "the Bay Area", None),
        (ANGELS, "SF", None),
    ],
)
def test_regions_and_nicknames(asked: Truth, reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, asked).level == level


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (CREATORS, "Greg Daniels & Mike Schur", 1),
        (CREATORS, "Mike Schur and Greg Daniels", 1),
        (CREATORS, "Gregg Daniels and Mike Schur", 1),
        (CREATORS, "Greg Daniels and Micheal Schur", 1),
        (CREATORS, "Ann Schur and Greg Daniels", None),
        (CREATORS, "Greg Daniels and Mike Scully", None),
        (CREATORS, "Mike Schur and Bo Unknown", None),
        (WORKS, "Grave of the Flies or Red Hill", None),
        (WORKS, "Green Town or maybe Red Hill", None),
        (WORKS, "either Akira or Red Hill", None),
        (WORKS, "Red Hill or Blue Sea", 1),
        (WORKS, "for Ida Noe or others: Red Hill", 1),
        (WORKS, "Red Hill, more or less", 1),
    ],
)
def test_unknown_names_in_lists_and_choices(asked: Truth, reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, asked).level == level


@pytest.mark.parametrize(
    "reply",
    [
        "Records for that house in Georgetown aren't something I have access to.",
        "The owner isn't something I know.",
        "Private ownership is not information I can share.",
        'It is the "Noble House" of the stories. I\'d need to know which one you mean.',
        "Many people did. Tell me which house you're thinking of.",
        "It depends on which house you're asking about.",
    ],
)
def test_replies_that_lack_something(reply: str) -> None:
    assert MATCHER.judge(reply, OWNER).abstained


@pytest.mark.parametrize(
    "reply",
    [
        "Ann Lee, but that's not something I'm sure of",
        "Ann Lee, if that's the house you're asking about",
    ],
)
def test_an_owner_beside_a_doubt(reply: str) -> None:
    assert MATCHER.judge(reply, OWNER).level == 1
