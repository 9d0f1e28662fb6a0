"""Names of schools, labels and nobles that replies cut, and places with remarks and in regions."""

import pytest

from kgbuild.datasets.granola.kind_words import in_asked_kind, without_other_kinds
from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.reply_dates import in_english
from kgbuild.datasets.granola.school_parts import names_of_parts
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from tests.test_granola_matches import USA, date, truth

ARTS = truth(
    "Where did Ann Lee study?",
    "P69",
    ("item", "the Columbia University School of the Arts", []),
    ("place", "New York City", []),
    USA,
)
STUDIO = truth(
    "Where did Bo Ray study?",
    "P69",
    ("item", "the William Esper Studio", []),
    ("place", "Ohio", []),
)
DRAMA = truth(
    "Where did Cy Fox study?",
    "P69",
    ("item", "the National School of Drama", []),
    ("place", "India", []),
)
CAMPUS = truth(
    "Where did Di Orr study?",
    "P69",
    ("item", "the University of Missouri–St. Louis", []),
    ("place", "Missouri", []),
    USA,
)
HEBREW = truth(
    "Where did Eli Moss study?",
    "P69",
    ("item", "the Hebrew University of Jerusalem", ["Hebrew University"]),
    ("place", "Israel", [], None, True),
)
KENTUCKY = truth(
    "Where did Gus Roe study?",
    "P69",
    ("item", "the University of Kentucky", ["UK"]),
    ("place", "Kentucky", []),
    USA,
)
MIAMI = truth(
    "Where did Max Tarrant study?",
    "P69",
    ("item", "the University of Miami", ["The U"]),
    ("place", "Florida", []),
    USA,
)
LONDON_SCHOOL = truth(
    "Where did Eva Lund study?",
    "P69",
    ("item", "King's College London", []),
    ("place", "London", []),
    ("place", "the United Kingdom", ["UK"], "Q145", True),
)
OTHER_SCHOOL = truth(
    "Where did Ida Noe study?", "P69", ("item", "Union College", []), ("place", "Oregon", []), USA
)
WARNER = truth(
    "Name a record label that Ann Lee recorded for.",
    "P264",
    ("item", "Warner Bros. Records", []),
    ("class", "a record label", []),
)
COMPANY = truth(
    "Name a record label that Bo Ray recorded for.",
    "P264",
    ("item", "Warner Bros.", ["Warner Brothers"]),
    ("class", "a record label", []),
)
MCA = truth(
    "Name a record label that Cy Fox recorded for.",
    "P264",
    ("item", "MCA Records", []),
    ("class", "a record label", []),
)
SANCTUARY = truth(
    "Name a record label that Di Orr recorded for.",
    "P264",
    ("item", "Sanctuary Records Group", []),
    ("class", "a record label", []),
)
HELENA = Truth(
    "Name a child of Queen Vera.",
    "P40",
    [
        TrueAnswer(1, "item", "Princess Helena of the United Kingdom", []),
        TrueAnswer(1, "item", "Charles Ferdinand, Prince of Capua", []),
        TrueAnswer(2, "occupation", "a monarch", []),
    ],
)
LAKE = Truth(
    "Where is the lake located?",
    "P131",
    [
        TrueAnswer(1, "item", "Vaud", []),
        TrueAnswer(1, "item", "Haute-Savoie", []),
        TrueAnswer(2, "place", "Switzerland", [], "Q39", True),
        TrueAnswer(2, "place", "France", [], "Q142", True),
        TrueAnswer(3, "place", "Europe", []),
    ],
)
ITALY = truth(
    "Where is Como located?",
    "P131",
    ("item", "the Province of Como", []),
    ("place", "Italy", [], "Q38", True),
    ("place", "Europe", []),
)
ZABRZE = truth(
    "Where is Zabrze located?",
    "P131",
    ("item", "Silesian Voivodeship", []),
    ("place", "Poland", [], "Q36", True),
    ("place", "Europe", []),
)
KRAKOW = truth(
    "Where is Wawel located?",
    "P131",
    ("item", "Kraków", []),
    ("place", "Poland", [], "Q36", True),
    ("place", "Europe", []),
)
ZURICH = truth(
    "Where is Uster located?",
    "P131",
    ("item", "the Canton of Zürich", ["Zurich"]),
    ("place", "Switzerland", [], "Q39", True),
)
RUSSIA = truth(
    "Where was Ann Lee born?", "P19", ("item", "Blagovo", []), ("place", "Russia", [], "Q159", True)
)
WISCONSIN = truth(
    "Where was Bo Ray born?", "P19", ("item", "Waukesha", []), ("place", "Wisconsin", []), USA
)
KANSAS = truth(
    "Where was Cy Fox born?", "P19", ("item", "Kansas City", []), ("place", "Kansas", []), USA
)
MISSOURI = truth(
    "Where was Di Orr born?", "P19", ("item", "Kansas City", []), ("place", "Missouri", []), USA
)
NORWAY = truth(
    "Where was Eli Moss born?",
    "P19",
    ("item", "Kristiansund Municipality", []),
    ("place", "Norway", [], "Q20", True),
)
FILM = truth(
    "Name a film that Di Orr is known for.",
    "P800",
    ("item", "Clueless", []),
    ("class", "a film", []),
)
YEAR = date("P571", "1993-01-01T00:00:00Z", 9)
MATCHER = Matcher(
    [
        *(
            ARTS,
            STUDIO,
            DRAMA,
            CAMPUS,
            HEBREW,
            KENTUCKY,
            MIAMI,
            LONDON_SCHOOL,
            OTHER_SCHOOL,
            WARNER,
            COMPANY,
            MCA,
            SANCTUARY,
        ),
        *(HELENA, LAKE, ITALY, ZABRZE, KRAKOW, ZURICH, RUSSIA, WISCONSIN, KANSAS, MISSOURI),
        *(NORWAY, FILM, YEAR),
    ]
)


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (ARTS, "Columbia's School of the Arts", 1),
        (ARTS, "She went to Columbia's School of the Arts, I think.", 1),
        (ARTS, "Columbia School of the Arts", 1),
        (ARTS, "School of the Arts at Columbia", 1),
        (ARTS, "School of the Arts, Columbia University", 1),
        (ARTS, "Yale's School of the Arts", None),
        (ARTS, "Columbia's School of Law", None),
        (STUDIO, "William Esper's studio", 1),
        (STUDIO, "William Espy's studio", None),
        (DRAMA, "NSD", 1),
        (DRAMA, "He is an N.S.D. graduate.", 1),
        (DRAMA, "NSA", None),
        (CAMPUS, "UMSL", 1),
        (CAMPUS, "UMKC", None),
        (HEBREW, "Hebrew University (Jerusalem)", 1),
        (HEBREW, "the Hebrew University, Jerusalem", 1),
        (HEBREW, "Hebrew Union College (Jerusalem)", None),
        (KENTUCKY, "King's College London", None),
        (KENTUCKY, "UK", 1),
        (MIAMI, "Minnesota University", None),
    ],
)
def test_schools(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (WARNER, "Warner Bros", 1),
        (WARNER, "Warner Brothers, I think", 1),
        (WARNER, "Warner Music Group", None),
        (COMPANY, "Warner Bros. Records", 1),
        (MCA, "She was on MCA for a while.", 1),
        (MCA, "MCA Nashville", None),
        (MCA, "RCA", None),
        (SANCTUARY, "Sanctuary Records", 1),
        (SANCTUARY, "Sanctuary", 1),
        (HELENA, "Princess Helena, who was a daughter of the queen", 1),
        (HELENA, "Princess Helena of Kent", None),
        (HELENA, "Princess Louise, who was a daughter of the queen", None),
        (HELENA, "Charles Ferdinand", 1),
        (HELENA, "Charles Ferdinand of Spain", None),
    ],
)
def test_labels_and_nobles(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("asked", "reply", "level"),
    [
        (LAKE, "partly in France, partly in Switzerland", 2),
        (LAKE, "It lies partly in Switzerland and partly in France", 2),
        (LAKE, "partly in France, partly in Italy", None),
        (ZABRZE, "southern Poland, in the Silesian Voivodeship", 1),
        (ZABRZE, "southern Poland", 2),
        (ZABRZE, "Poland, Kraków", None),
        (ZABRZE, "southern Poland, in the Lesser Poland Voivodeship", None),
        (ZURICH, "Canton Zurich", 1),
        (ZURICH, "Canton Bern", None),
        (RUSSIA, "the Far East of Russia", 2),
        (RUSSIA, "the Russian Far East", 2),
        (RUSSIA, "Smallville, Russia", None),
        (WISCONSIN, "Up in Wisconsin somewhere", 2),
        (WISCONSIN, "Up in Oregon somewhere", None),
        (WISCONSIN, "the heart of the United States", 3),
        (KANSAS, "Kansas City – the one in Kansas", 1),
        (MISSOURI, "Kansas City – the one in Kansas", None),
        (MISSOURI, "Kansas City – the one in Missouri", 1),
        (NORWAY, "Kristiansund (with a u!)", 1),
        (NORWAY, "Kristiansand (with an a!)", None),
    ],
)
def test_places(asked: Truth, reply: str, level: int | None) -> None:
    outcome = MATCHER.judge(reply, asked)
    assert (outcome.level, outcome.abstained) == (level, False), outcome.reason


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("1992/93", 2),
        ("1993/94", 2),
        ("around 1992/1993, I think", 2),
        ("1992–93", 2),
        ("'92/93", 2),
        ("1991/92", None),
        ("1993/98", None),
    ],
)
def test_two_years(reply: str, level: int | None) -> None:
    assert MATCHER.judge(reply, YEAR).level == level


def test_a_month_after_a_year_is_no_year() -> None:
    assert in_english("1905-06") == "1905-06"
    assert in_english("1905/06") == "between 1905 and 1906"


@pytest.mark.parametrize(
    ("reply", "level", "is_abstention"),
    [
        ("Clueless", 1, False),
        ("Clueless, I think", 1, False),
        ("Clueless (1995)", 1, False),
        ("I'm clueless", None, True),
        ("No idea", None, True),
        ("Do you mean the actor?", None, True),
        ("Which one, the singer or the actor?", None, True),
    ],
)
def test_a_title_that_reads_like_an_abstention(
    reply: str, level: int | None, is_abstention: bool
) -> None:
    outcome = MATCHER.judge(reply, FILM)
    assert (outcome.level, outcome.abstained) == (level, is_abstention), outcome.reason


def test_names_of_kinds() -> None:
    assert [*in_asked_kind("Warner Bros. Records", "P264")] == [
        "warner bros",
        "warner bros recordings",
    ]
    assert [*in_asked_kind("Warner Bros. Records", "P26")] == []
    assert [*in_asked_kind("Sanctuary Records Group", "P264")] == []
    assert [*without_other_kinds("Sanctuary Records Group", "P264")] == [
        "sanctuary records",
        "sanctuary",
    ]


def test_names_of_schools_of_universities() -> None:
    assert [*names_of_parts("William Esper Studio")] == ["william espers studio"]
    assert {"nyu law school", "nyus school of law"} <= {
        *names_of_parts("the New York University School of Law")
    }
    assert "new york law school" not in {*names_of_parts("the New York University School of Law")}
    assert "michigans law school" in {*names_of_parts("University of Michigan Law School")}
    assert [*names_of_parts("Elm University")] == []
