"""Schools in a sequence, former states, organisations by two initials, and unknown areas."""

import pytest

from kgbuild.datasets.granola.kind_words import two_initials
from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.school_parts import person_of_school
from kgbuild.datasets.granola.spellings import is_exact_initials
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import abstains
from tests.test_granola_matches import USA, truth

SCHOOLS = Truth(
    "Where did Ann Lee study?",
    "P69",
    [
        TrueAnswer(1, "item", "the Yale School of Drama", []),
        TrueAnswer(2, "item", "Northwestern University", ["Northwestern"]),
        TrueAnswer(3, "place", "New Haven", []),
    ],
)
HIGH_SCHOOL = truth(
    "Where did Bo Ray study?",
    "P69",
    ("item", "Fiorello H. LaGuardia High School", []),
    ("place", "New York City", ["NYC"]),
)
MUSIC = truth(
    "Where did Cy Fox study?",
    "P69",
    ("item", "the High School of Music & Art", []),
    ("place", "the state of New York", []),
)
NYU = truth(
    "Where did Di Orr study?",
    "P69",
    ("item", "New York University", ["NYU"]),
    ("place", "the state of New York", ["New York", "New York, United States"]),
)
ADLER = truth(
    "Where did Eli Moss study?",
    "P69",
    ("item", "the Stella Adler Studio of Acting", []),
    ("place", "the state of New York", ["New York"]),
)
TALLINN = truth(
    "Where was Ann Lee born?",
    "P19",
    ("item", "Tallinn", []),
    ("place", "Estonia", [], "Q191", True),
)
PILSEN = truth(
    "Where was Eli Moss born?",
    "P19",
    ("item", "Plzeň", ["Pilsen"]),
    ("place", "the Czech Republic", [], "Q213", True),
)
KOSICE = truth(
    "Where was Ida Noe born?",
    "P19",
    ("item", "Košice", []),
    ("place", "Czechoslovakia", [], "Q33946", True),
)
PRINCETON = truth(
    "Where did Ida Noe study?",
    "P69",
    ("item", "Princeton University", []),
    ("place", "Princeton", []),
    ("place", "New Jersey", []),
)
WICHITA = truth(
    "Where did Di Orr study?",
    "P69",
    ("item", "Wichita University", []),
    ("place", "Wichita", []),
    ("place", "Kansas", []),
)
AMHERST = truth(
    "Where did Eva Hill study?",
    "P69",
    ("item", "Amherst College", []),
    ("place", "Amherst", []),
    ("place", "Massachusetts", []),
)
TRIER = truth(
    "Where did Gus Roe study?",
    "P69",
    ("item", "New Trier High School", []),
    ("place", "Illinois", []),
)
CAPITAL = truth("Where was Gus Roe born?", "P19", ("item", "Washington, D.C.", []), USA)
NARVA = truth(
    "Where was Bo Ray born?",
    "P19",
    ("item", "Narva", []),
    ("place", "Estonian SSR", []),
    ("place", "Soviet Union", [], "Q15180", True),
)
RIGA = truth(
    "Where was Cy Fox born?",
    "P19",
    ("item", "Riga", []),
    ("place", "Latvian SSR", []),
    ("place", "Soviet Union", [], "Q15180", True),
)
LEYTE = truth("Where was Di Orr born?", "P19", ("item", "Leyte", []), ("place", "Ohio", []), USA)
OWNER = truth(
    "Who owns the factory?", "P127", ("item", "General Motors", []), ("class", "a company", [])
)
CHILD = truth(
    "Name a child of Gus Bach.",
    "P40",
    ("item", "Carl Philipp Emanuel Bach", []),
    ("occupation", "a composer", []),
)
SERIES = truth(
    "Name a series that Ida Noe is known for.",
    "P800",
    ("item", "CSI: Crime Scene Investigation", []),
    ("class", "a television series", []),
)
MATCHER = Matcher(
    [
        *(
            SCHOOLS,
            HIGH_SCHOOL,
            MUSIC,
            NYU,
            ADLER,
            TALLINN,
            NARVA,
            RIGA,
            LEYTE,
            PILSEN,
            KOSICE,
            PRINCETON,
            WICHITA,
            AMHERST,
            TRIER,
            CAPITAL,
            OWNER,
            CHILD,
            SERIES,
        )
    ]
)


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (SCHOOLS, "Northwestern, then the Yale School of Drama", 1),
        (SCHOOLS, "Northwestern first, then Yale's School of Drama", 1),
        (SCHOOLS, "Northwestern, then Elm College", 2),
        (SCHOOLS, "Northwestern for one year, then the Yale School of Drama", 1),
        (SCHOOLS, "Northwestern and one year later, Elm College", 2),
        (HIGH_SCHOOL, "LaGuardia High School", 1),
        (HIGH_SCHOOL, "LaGuardia College", None),
        (MUSIC, "High School of Music and Art in New York City", 1),
        (NYU, "NYU's Gallatin School", 1),
        (ADLER, "She studied with Stella Adler.", 1),
        (ADLER, "Stella Adler's studio", 1),
        (ADLER, "Stella Young's studio", None),
        (LEYTE, "NE Ohio", 2),
        (LEYTE, "Tallinn? At least Ohio.", 2),
        (LEYTE, "Tallinn, at least that is what I read", None),
        (LEYTE, "Tallinn? No – Leyte.", 1),
        (LEYTE, "Leyte? No – Tallinn.", None),
        (TALLINN, "Tallinn, USSR", 1),
        (TALLINN, "Tallinn, Czechoslovakia", None),
        (PILSEN, "Pilsen, Czechoslovakia", 1),
        (PILSEN, "Czechoslovakia, i.e. what is today the Czech Republic", 2),
        (PILSEN, "Czechoslovakia (now the Czech Republic)", 2),
        (PILSEN, "Czechoslovakia, i.e. what is today Estonia", None),
        (PILSEN, "Tallinn, Czechoslovakia, i.e. what is today the Czech Republic", None),
        (PRINCETON, "She went to Princeton.", 1),
        (PRINCETON, "She studied in Princeton.", 2),
        (PRINCETON, "Princeton", 2),  # the same words as the town
        (PRINCETON, "Princeton, class of 1980", 1),
        (PRINCETON, "Princeton, where she edited a magazine", 1),
        (PRINCETON, "in Princeton, where she edited a magazine", 2),
        (PRINCETON, "Princeton, New Jersey, in 1980", 2),
        (WICHITA, "Wichita, class of 1980", 2),  # the name of the town
        (AMHERST, "Amherst, class of 1980", 1),
        (TRIER, "New Trier", 1),
        (TRIER, "Trier", None),
        (NYU, "New York University's Tallinn School", 1),
        (CAPITAL, "DC", 1),
        (TALLINN, "Tallinn, Estonian SSR, Soviet Union", 1),
        (TALLINN, "Tallinn, Latvian SSR", None),
        (LEYTE, "in the Eastern Visayas, Ohio", 2),
        (LEYTE, "in Visayas, Ohio", None),
        (OWNER, "GM", 1),
        (OWNER, "It's GM, I think", 1),
        (OWNER, "GE", None),
        (CHILD, "C.P.E. Bach", 1),
        (CHILD, "J.C.F. Bach", None),
        (SERIES, "CSI", 1),
        (SERIES, "NCIS", None),
    ],
)
def test_replies(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


def test_initials() -> None:
    assert [*two_initials("the General Motors", "P127")] == ["gm"]
    assert [*two_initials("Icelandic Trawlers", "P127")] == []  # "it"
    assert [*two_initials("General Motors", "P19")] == []
    assert is_exact_initials("jk", ["joanne", "kathleen"])
    assert not is_exact_initials("jo", ["john", "oscar"])


def test_persons_of_schools() -> None:
    assert person_of_school("the Stella Adler Studio of Acting") == "stella adler"
    assert person_of_school("the American Film Institute") == ""
    assert person_of_school("Elm University") == ""


def test_sources_that_say_nothing() -> None:
    assert abstains("Ancient sources don't tell us where Cato died.")
    assert not abstains("Ancient sources tell us that Cato died in Rome.")
