"""Replies to GRANOLA with places in lower case, finer places, addresses and regions."""

from typing import Any

import pytest

from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.reply_words import plain_reply, with_lower_states
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from tests.test_granola_matches import USA, truth

BRITAIN: tuple[Any, ...] = ("place", "the United Kingdom", ["UK"], "Q145", True)
BRAZIL: tuple[Any, ...] = ("place", "Brazil", [], "Q155", True)
FRANCE: tuple[Any, ...] = ("place", "France", [], "Q142", True)
JAPAN: tuple[Any, ...] = ("place", "Japan", [], "Q17", True)
AUSTRALIA: tuple[Any, ...] = ("place", "Australia", [], "Q408", True)

ELM = truth(
    "Where was Ann Lee born?",
    "P19",
    ("item", "Pasadena", ["Pasadena, California"]),
    ("place", "California", []),
    USA,
)
BURBANK = truth(
    "Where was Bo Ray born?", "P19", ("item", "Burbank", []), ("place", "California", []), USA
)
CRAWLEY = truth(
    "Where was Cy Fox born?", "P19", ("item", "Crawley", []), ("place", "Sussex", []), BRITAIN
)
ROCHESTER = truth(
    "Where was the Dye Company founded?",
    "P740",
    ("item", "Rochester", []),
    ("place", "the state of New York", ["New York"]),
    USA,
)
NEW_YORK = truth(
    "Where are the headquarters of Red Hill?",
    "P159",
    ("item", "New York City", ["New York"]),
    ("place", "the state of New York", []),
    USA,
)
HARLEM = truth(
    "Where was Gus Roe born?",
    "P19",
    ("item", "Manhattan", []),
    ("place", "New York City", []),
    ("place", "the state of New York", []),
    USA,
)
BROADWAY = truth(
    "Where is Blue Hill based?", "P159", ("item", "Broadway", []), ("place", "Kent", []), BRITAIN
)
PERTH = truth(
    "Where is the Swan Institute based?",
    "P159",
    ("item", "Perth", []),
    ("place", "Western Australia", []),
    AUSTRALIA,
)
ESSEX = truth("Where is the University of Essex?", "P276", ("item", "Colchester", []), BRITAIN)
GLASGOW = truth("Where is the Clyde Club based?", "P159", ("item", "Glasgow", []), BRITAIN)
BELEM = truth("Where is the Remo Club based?", "P159", ("item", "Belém", []), BRAZIL)
MIYAKO = truth("Where is Blue Airport?", "P276", ("item", "Miyakojima", []), JAPAN)
GULF = truth(
    "Where is Red Village located?",
    "P131",
    ("item", "Golfe du Morbihan - Vannes Agglomération", []),
    FRANCE,
)
MORBIHAN = truth("Where is Blue Village located?", "P131", ("item", "Morbihan", []), FRANCE)
FINISTERE = truth("Where is Old Village located?", "P131", ("item", "Finistère", []), FRANCE)
RENNES = truth("Where is New Village located?", "P131", ("item", "Rennes", []), FRANCE)
ILLE = truth("Where is Green Village located?", "P131", ("item", "Ille-et-Vilaine", []), FRANCE)
OHIO = truth("Where is Moss Parish located?", "P131", ("item", "Louisiana", []))
ORLEANS = truth("Where is Ash Parish located?", "P131", ("item", "New Orleans", []))
SCHOOL = Truth(
    "Where did Di Orr study?",
    "P69",
    [
        TrueAnswer(1, "item", "Haverdale College", []),
        TrueAnswer(1, "item", "St. Mark's School", ["St. Mark's"]),
        TrueAnswer(2, "place", "New Hampshire", []),
        TrueAnswer(2, "place", "Pennsylvania", []),
        TrueAnswer(3, *USA),
    ],
)
CONCORD = truth(
    "Where was Eva Lund born?", "P19", ("item", "Concord", []), ("place", "Massachusetts", []), USA
)
ACTOR = truth(
    "Who played the chief?",
    "P175",
    ("item", "Donald Pleasence", []),
    ("people + occupation", "a British actor", []),
)
MATCHER = Matcher(
    [
        *(ELM, BURBANK, CRAWLEY, ROCHESTER, NEW_YORK, HARLEM, BROADWAY, PERTH, ESSEX, GLASGOW),
        *(BELEM, MIYAKO, GULF, MORBIHAN, FINISTERE, RENNES, ILLE, OHIO, ORLEANS, SCHOOL, CONCORD),
        ACTOR,
    ]
)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("pasadena ca", "pasadena, california"),
        ("born in pasadena ca.", "born in pasadena, california."),
        ("rochester ny, 1906", "rochester, new york, 1906"),
        ("las cruces nm (the old town)", "las cruces, new mexico (the old town)"),
        ("portland or", "portland, oregon"),
        ("ask in the town or", "ask in the town or"),
        ("don't ask me", "don't ask me"),
        ("the town he lived in", "the town he lived in"),
        ("in ca", "in ca"),
        ("paris ca 1906", "paris ca 1906"),
    ],
)
def test_states_in_lower_case(text: str, states: str) -> None:
    assert with_lower_states(text) == states


def test_a_code_is_that_of_a_true_answer() -> None:
    assert plain_reply("Perth, WA", ["Western Australia"]) == "Perth, Western Australia"
    assert plain_reply("Seattle, WA") == "Seattle, Washington"


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (ELM, "pasadena ca", 1),
        (ELM, "Ann Lee was born in pasadena ca", 1),
        (ELM, "Ann Lee was born in pasadena", 1),
        (ELM, "she was born in pasadena, california", 1),
        (ELM, "born in pasedena, california", 1),
        (ELM, "pasadena tx", None),
        (ELM, "born in burbank ca", None),
        (ELM, "born in smallville ca", None),
        (ELM, "She was born in smallville, California", None),
        (ELM, "She was born in rural California", 2),
        (ELM, "She was born in hospital, California", 2),
        (ELM, "She was born in a small town, California", 2),
        (ELM, "somewhere in northern, California", 2),
        (ROCHESTER, "rochester ny, 1906, as the Dyes", 1),
        (ROCHESTER, "rochester mn", None),
        (ROCHESTER, "the company began in rochester, ny", 1),
    ],
)
def test_towns_in_lower_case(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert outcome.level == level, outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (PERTH, "Crawley, a riverside suburb of Perth, WA", 1),
        (PERTH, "Crawley, a suburb of Perth", 1),
        (PERTH, "Crawley, a leafy old district in Perth", 1),
        (PERTH, "Crawley", None),
        (PERTH, "Crawley, a town in Sussex", None),
        (PERTH, "Crawley, a riverside suburb of Bangor", None),
        (PERTH, "Crawley, which is bigger than Perth", None),
        (NEW_YORK, "1515 Broadway, right on Elm Square in Manhattan", 1),
        (NEW_YORK, "at 20 Broadway, Manhattan", 1),
        (NEW_YORK, "Broadway, Kent", None),
        (NEW_YORK, "20 Broadway, Kent", None),
        (ILLE, "c'est dans le 35, l'Ille-et-Vilaine, au sud de Rennes", 1),
        (ILLE, "c'est dans l'Ille-et-Vilaine", 1),
        (ILLE, "c'est dans l'Aisne", None),
    ],
)
def test_finer_places(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert outcome.level == level, outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (ESSEX, "The University of Essex is in Essex, England", 2),
        (ESSEX, "in England", 2),
        (ESSEX, "in Scotland", None),
        (GLASGOW, "in Scotland", 2),
        (GLASGOW, "in England", None),
        (BELEM, "up north in brazil, pará state", 2),
        (BELEM, "Pará, Brazil", 2),
        (BELEM, "Bahia, Brazil", None),
        (BELEM, "Brazil, Bahia state", None),
        (MIYAKO, "Okinawa Prefecture, way down south", 2),
        (MIYAKO, "Hokkaido, way up north", None),
        (GULF, "a commune in the Morbihan department of Brittany", 2),
        (GULF, "in Finistère", None),
        (GULF, "in Rennes", None),
    ],
)
def test_regions_between_levels(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert outcome.level == level, outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (OHIO, "lousiana, just upriver from new orleans", 1),
        (OHIO, "Lousiana, close to New Orleans", 1),
        (OHIO, "Smallville, close to New Orleans", None),
        (OHIO, "new orleans, just upriver from louisiana", None),
        (ACTOR, "donald pleasance, the one with the white cat in You Only Live Once", 1),
        (ACTOR, "donald moss, the one with the white cat in You Only Live Once", None),
        (SCHOOL, "St Mark's in Concord, New Hampshire, then Haverdale, which she left", 1),
        (SCHOOL, "St Mark's in Concord, New Hampshire", 1),
        (SCHOOL, "St Mark's in Concord, Massachusetts", None),
        (SCHOOL, "St Mark's in Burbank, California", None),
    ],
)
def test_names_before_additions(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert outcome.level == level, outcome.reason
