"""Areas after another place, parts of states, wider aliases, and names with other kinds."""

import pytest

from kgbuild.datasets.granola.matcher import Matcher
from kgbuild.datasets.granola.reply_words import plain_reply
from kgbuild.datasets.granola.truths import Truth
from kgbuild.datasets.granola.wider_aliases import wider_aliases
from tests.test_granola_matches import USA, date, truth

CITY = truth("Where is Elm Hill located?", "P131", ("place", "the City of Westminster", []))
CAMDEN = truth("Where is Oak Lane located?", "P131", ("place", "Camden", []))
LONDON = truth(
    "Where did Ann Lee die?",
    "P20",
    ("place", "Soho", []),
    ("place", "the City of Westminster", []),
    ("place", "London", []),
    ("place", "the United Kingdom", [], "Q145", True),
)
TURIN = truth("Where is Borgo located?", "P131", ("place", "the Metropolitan City of Turin", []))
ROME = truth(
    "Where is Colle located?",
    "P131",
    ("place", "the Metropolitan City of Rome", []),
    ("place", "Italy", [], "Q38", True),
)
MILAN = truth(
    "Where was Bo Ray born?", "P19", ("place", "Milan", []), ("place", "Italy", [], "Q38", True)
)
FRASCATI = truth(
    "Where was Eva Lund born?",
    "P19",
    ("place", "Frascati", []),
    ("place", "Rome", []),
    ("place", "Italy", [], "Q38", True),
)
GERS = truth(
    "Where is Bourg located?",
    "P131",
    ("place", "Gers", []),
    ("place", "Occitania", []),
    ("place", "France", [], "Q142", True),
)
AISNE = truth(
    "Where is Pont located?", "P131", ("place", "Aisne", []), ("place", "France", [], "Q142", True)
)
JERSEY = truth("Where is the college located?", "P131", ("place", "New Jersey", []), USA)
TENNESSEE = truth("Where is the county located?", "P131", ("place", "Tennessee", []), USA)
CANADA = truth(
    "Where was Cy Fox born?",
    "P19",
    ("place", "New Brunswick", []),
    ("place", "Canada", [], "Q16", True),
)
VIGAN = truth(
    "Where was Di Orr born?",
    "P19",
    ("place", "Vigan", ["Ilocos Sur", "Vigan City"]),
    ("place", "the Philippines", ["Philippines"], "Q928", True),
    ("place", "Asia", []),
)
CEBU = truth(
    "Where was Eli Moss born?",
    "P19",
    ("place", "Cebu City", ["Cebu"]),
    ("place", "the Philippines", ["Philippines"], "Q928", True),
)
WEISSENBURG = truth(
    "Where was Flo Kern born?",
    "P19",
    ("place", "Weißenburg in Bayern", []),
    ("place", "Germany", [], "Q183", True),
)
BOSTON = truth(
    "Where did Gus Roe study?", "P69", ("item", "Boston College", []), ("place", "Ohio", []), USA
)
BUCHAREST = truth(
    "Where did Hal Ives study?",
    "P69",
    ("item", "the Politehnica University of Bucharest", []),
    ("place", "Romania", [], "Q218", True),
)
CATHOLIC = truth(
    "Where did Ida Noe study?", "P69", ("item", "The Catholic University of America", [])
)
WARNER = truth(
    "Name a record label that Jo Kay recorded for.",
    "P264",
    ("item", "Warner Bros.", []),
    ("class", "a record label", []),
)
MCA = truth(
    "Name a record label that Kit Low recorded for.",
    "P264",
    ("item", "MCA Records", []),
    ("class", "a record label", []),
)
FEAST = date("P570", "1946-12-26T00:00:00Z")
MATCHER = Matcher(
    [
        *(CITY, CAMDEN, LONDON, TURIN, ROME, MILAN, JERSEY, TENNESSEE, CANADA, VIGAN, CEBU),
        *(FRASCATI, GERS, AISNE),
        *(WEISSENBURG, BOSTON, BUCHAREST, CATHOLIC, WARNER, MCA),
    ]
)


def level(reply: str, question: Truth) -> int | None:
    return MATCHER.judge(reply, question).level


@pytest.mark.parametrize(
    ("reply", "question", "expected"),
    [
        ("It's in central London, within the City of Westminster.", CITY, 1),
        ("In Camden, within the City of Westminster", CITY, None),
        ("In the United Kingdom, part of the City of Westminster", CITY, None),
        ("London", CITY, None),
        ("Piedmont, in the Città metropolitana di Torino", TURIN, 1),
        ("Lombardy, in the Città metropolitana di Torino", TURIN, None),
        ("Milan, in the Metropolitan City of Turin", TURIN, None),
        ("Piedmont", TURIN, None),
        ("New Brunswick, New Jersey", JERSEY, 1),
        ("New Brunswick, New Jersey, USA", JERSEY, 1),
        ("New Brunswick", JERSEY, None),
        ("New Brunswick, Canada", JERSEY, None),
        ("Ohio, New Jersey", JERSEY, None),
        ("New Brunswick or New Jersey", JERSEY, None),
        ("New Brunswick. New Jersey is far.", JERSEY, None),
        ("New Jersey", CANADA, None),
        ("New Brunswick, New Jersey", CANADA, None),
        ("It's just outside Rome, in the Metropolitan City of Rome Capital.", ROME, 1),
        ("A suburb north of Rome, mostly in the Metropolitan City of Rome Capital.", ROME, 1),
        ("just outside Rome", ROME, 2),
        ("just outside Rome", FRASCATI, 3),
        ("in Rome", FRASCATI, 2),
    ],
)
def test_area_after_a_place_in_it(reply, question, expected):
    assert level(reply, question) == expected


@pytest.mark.parametrize(
    ("reply", "question", "expected"),
    [
        ("It is in the Lot department in southwestern France.", GERS, None),
        ("It is in the department of Lot, France.", GERS, None),
        ("It is in the Gers department in southwestern France.", GERS, 1),
        ("It is near the Lot department, in France.", GERS, 3),
        ("It is in the Elm department in southwestern France.", GERS, 3),  # which may be around it
        ("Département de l'Aisne, northern France", AISNE, 1),
        ("Département de la Lot, northern France", AISNE, None),
    ],
)
def test_another_area_of_a_true_state(reply, question, expected):
    assert level(reply, question) == expected


@pytest.mark.parametrize(
    ("reply", "question", "expected"),
    [
        ("East Tennessee (the county seat is Elmville)", TENNESSEE, 1),
        ("Middle Tennessee", TENNESSEE, 1),
        ("West Virginia", TENNESSEE, None),
        ("East Ohio", TENNESSEE, None),
        ("In Ilocos Sur, Philippines", VIGAN, 2),
        ("Vigan, Ilocos Sur", VIGAN, 1),
        ("Vigan City", VIGAN, 1),
        ("Cebu", CEBU, 1),
        ("Weissenburg, Bavaria", WEISSENBURG, 1),
        ("Weissenburg, Bayern", WEISSENBURG, 1),
        ("Munich, Bavaria", WEISSENBURG, None),
        ("Weissenburg, Alsace", WEISSENBURG, None),
    ],
)
def test_regions_and_parts_of_states(reply, question, expected):
    assert level(reply, question) == expected


@pytest.mark.parametrize(
    ("reply", "question", "expected"),
    [
        ("BC, i.e. Boston College (he played there)", BOSTON, 1),
        ("BC, i.e. British Columbia", BOSTON, None),
        ("Vancouver, BC", BOSTON, None),
        ("Bucharest Polytechnic", BUCHAREST, 1),
        ("Warsaw Polytechnic", BUCHAREST, None),
        ("Catholic University in D.C.", CATHOLIC, 1),
        ("Catholic University in Lublin", CATHOLIC, None),
        ("Catholic University of Leuven", CATHOLIC, None),
        ("Warner Bros. Records Inc.", WARNER, 1),
        ("Blue Warner Bros. Inc.", WARNER, None),
        ("Warner Chappell Inc.", WARNER, None),
        ("MCA Records, Inc.", MCA, 1),
        ("MCA Nashville", MCA, None),
        ("The day after Christmas 1946", FEAST, 1),
        ("Christmas 1946", FEAST, None),
    ],
)
def test_other_names(reply, question, expected):
    assert level(reply, question) == expected


def test_code_that_a_name_explains_is_no_state():
    assert plain_reply("BC, i.e. Boston College") == "BC, i.e. Boston College"
    assert plain_reply("Vernon, BC, a town") == "Vernon, British Columbia, a town"


def test_aliases_of_wider_areas():
    gold = VIGAN.answers[0]
    assert [*wider_aliases(gold)] == ["ilocos sur"]
    assert [*wider_aliases(gold._replace(level=2))] == []
    assert [*wider_aliases(CEBU.answers[0])] == []


def test_name_of_a_school_with_a_nationality_is_no_description_of_its_country():
    assert level("American University", BOSTON) is None
    assert level("an American university", BOSTON) == 3
