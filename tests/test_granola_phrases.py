"""Coarser answers in words: people, works, organisations and places."""

from collections.abc import Callable

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.classes import BROADER
from kgbuild.datasets.granola.levels.coarser_answers import CoarserAnswers
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION
from kgbuild.datasets.granola.levels.order import RawAnswer
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.graph.open import Store
from kgbuild.rows import Evidence
from tests.test_granola_profile import (
    CITY,
    COMPANY,
    COUNTRY,
    FILM,
    FRANCE,
    HUMAN,
    PLAYWRIGHT,
    TIME,
    USA,
    WRITER,
    WRITERS,
    about,
    alias,
    bearers,
    item,
)

Say = Callable[..., list[RawAnswer]]
LABEL, BAND = "Q18127", "Q215380"
CALIFORNIA, HOLLYWOOD, AMERICA = "Q99", "Q34006", "Q49"

STATES = (
    item(USA, "United States", COUNTRY, f"wdt:P17 wd:{USA}", f"wdt:P30 wd:{AMERICA}"),
    item(FRANCE, "France", COUNTRY),
    item(AMERICA, "North America", None),
    item(CALIFORNIA, "California", CITY, f"wdt:P131 wd:{USA}", f"wdt:P17 wd:{USA}"),
    item(HOLLYWOOD, "Hollywood", CITY, f"wdt:P131 wd:{CALIFORNIA}", alias("Tinseltown")),
)
LABELS = (
    item(LABEL, "record label", None, f"wdt:P279 wd:{COMPANY}", alias("music label")),
    item(COMPANY, "business", None),
    bearers(6000, 5, "P31", LABEL),
    bearers(6100, 9, "P31", COMPANY),
)


@pytest.fixture
def say(store_of: Callable[..., Store]) -> Say:
    """Return a function that loads items and words what may be answered instead of an item."""

    def said(pid: str, *items: str, qid: str = "Q1") -> list[RawAnswer]:
        relation = catalog().relations[pid]
        profiles = Profiles(store_of(*items).knowledge(catalog().kinds))
        of_class = relation.accepts_classes
        profile = profiles.of_class(qid, pid) if of_class else profiles.profile(qid)
        return list(CoarserAnswers(relation, profiles, lambda _: 1.0).answers(qid, profile))

    return said


def texts(results: list[RawAnswer]) -> list[str]:
    return [one.text for one in results]


# People


ACTOR, WOMAN = "Q33999", "wdt:P21 wd:Q6581072"
ACTORS = (
    item(ACTOR, "actor", None, alias("actors"), alias("actress"), alias("actresses")),
    bearers(8000, 5, "P106", ACTOR),
)


@pytest.mark.parametrize(
    ("facts", "answer", "proof"),
    [
        ([about("actress and poet")], "actress", [Evidence("Q1", DESCRIPTION, "actress and poet")]),
        ([WOMAN], "actress", [Evidence("Q1", "P21", "Q6581072")]),
        # Some style guides demand "actor" of all; readers expect "actress".
        ([WOMAN, about("film actor")], "actress", [Evidence("Q1", "P21", "Q6581072")]),
        ([about("film actor")], "actor", []),
        ([], "actor", []),
    ],
)
def test_female_forms(say: Say, facts: list[str], answer: str, proof: list[Evidence]) -> None:
    ann = item("Q1", "Ann", HUMAN, f"wdt:P106 wd:{ACTOR}", *facts)
    (result,) = say("P26", *ACTORS, ann)
    other = {"actress": "actor", "actor": "actress"}[answer]
    assert (result.text, result.aliases) == (f"an {answer}", (f"an {other}",))
    assert result.evidence == (Evidence("Q1", "P106", ACTOR), *proof)


UNION, KINGDOM = "Q145", "Q179876"
BRITAIN = (
    item(UNION, "United Kingdom", COUNTRY),
    item("Q21", "England", COUNTRY, f"wdt:P17 wd:{UNION}"),
    item(KINGDOM, "Kingdom of England", COUNTRY, f"wdt:P576 {TIME.format('1707-05-01')}"),
    item("Q25", "Wales", COUNTRY, f"wdt:P17 wd:{UNION}", f"wdt:P17 wd:{KINGDOM}"),
)


@pytest.mark.parametrize(
    ("description", "citizenship", "answers"),
    [
        ("English actor", UNION, ["an English actor", "a British actor"]),
        ("British actor", UNION, ["a British actor"]),
        # Who lived before the union is not British; and a Welsh actor is not English.
        ("English actor", KINGDOM, ["an English actor"]),
        ("Welsh actor", KINGDOM, ["a Welsh actor"]),
    ],
)
def test_nationalities_beside_that_of_the_state(
    say: Say, description: str, citizenship: str, answers: list[str]
) -> None:
    ann = item(
        "Q1", "Ann", HUMAN, f"wdt:P106 wd:{ACTOR}", f"wdt:P27 wd:{citizenship}", about(description)
    )
    results = texts(say("P26", *ACTORS, *BRITAIN, ann))
    assert sorted(text for text in results if text.endswith(" actor")) == sorted(
        [*answers, "an actor"]
    )


def test_an_american_playwright(say: Say) -> None:
    ann = item("Q1", "Ann", HUMAN, f"wdt:P106 wd:{PLAYWRIGHT}", f"wdt:P27 wd:{USA}")
    results = {one.text: one for one in say("P26", *WRITERS, *STATES, ann)}
    assert list(results) == ["an American playwright", "a playwright", "a writer"]
    bears, subclass, citizen = (
        Evidence("Q1", "P106", PLAYWRIGHT),
        Evidence(PLAYWRIGHT, "P279", WRITER),
        Evidence("Q1", "P27", USA),
    )
    playwright, writer = results["an American playwright"], results["a writer"]
    assert (playwright.aliases, playwright.qid) == (("an American dramatist",), None)
    assert playwright.facets == {("people", "American"), ("P106", PLAYWRIGHT)}
    assert playwright.evidence == (citizen, bears)
    # An American writer is a writer, but need not be a playwright.
    assert (writer.aliases, writer.qid) == (("an American writer",), WRITER)
    assert writer.facets == {("P106", WRITER)}
    assert writer.evidence == (bears, subclass)
    assert [one.kind for one in results.values()] == [
        "people + occupation",
        "occupation",
        "occupation",
    ]


def test_a_nationality_alone_is_no_answer(say: Say) -> None:
    assert say("P26", *STATES, item("Q1", "Ann", HUMAN, f"wdt:P27 wd:{USA}")) == []


def test_one_occupation_and_two_nationalities_at_most(say: Say) -> None:
    states = {"Q30": "American", "Q142": "French", "Q183": "German"}
    kinds = {"Q901": "actor", "Q902": "boxer", "Q903": "clown"}
    facts = [
        *(f"wdt:P27 wd:{qid}" for qid in states),
        *(f"wdt:P106 wd:{qid}" for qid in kinds),
        about("French and American actor, boxer and clown"),
    ]
    results = say(
        "P26",
        item("Q1", "Ann", HUMAN, *facts),
        *(item(qid, name, None) for qid, name in kinds.items()),
        *(bearers(5000 + 100 * n, 5, "P106", qid) for n, qid in enumerate(kinds)),
    )
    said = texts(results)
    # The description names all three occupations, so the first one of it counts.
    assert {text for text in said if " person " not in text} == {
        *("an American actor", "a French actor", "an actor")
    }


def test_without_a_description_only_a_single_occupation_counts(say: Say) -> None:
    facts = (f"wdt:P106 wd:{PLAYWRIGHT}", "wdt:P106 wd:Q901")
    boxers = (item("Q901", "boxer", None), bearers(5300, 20, "P106", "Q901"))
    assert texts(say("P26", *WRITERS, *boxers, item("Q1", "Ann", HUMAN, *facts))) == []
    assert texts(say("P26", *boxers, item("Q1", "Ann", HUMAN, facts[1]))) == ["a boxer"]


def test_the_occupation_of_a_title(say: Say) -> None:
    facts = ("wdt:P106 wd:Q901", about("42nd President of the United States"))
    politicians = (item("Q82955", "politician", None), bearers(5300, 20, "P106", "Q82955"))
    boxers = (item("Q901", "boxer", None), bearers(5400, 20, "P106", "Q901"))
    said = texts(say("P26", *politicians, *boxers, item("Q1", "Ann", HUMAN, *facts)))
    assert said == ["a politician"]
    wife = (facts[0], about("First Lady and wife of President Bo"))  # her title is none
    assert texts(say("P26", *politicians, *boxers, item("Q1", "Ann", HUMAN, *wife))) == []


def test_several_nationalities_without_a_description_are_none(say: Say) -> None:
    boxers = (item("Q901", "boxer", None), bearers(5400, 20, "P106", "Q901"))
    facts = ("wdt:P106 wd:Q901", "wdt:P27 wd:Q30", "wdt:P27 wd:Q142")
    assert texts(say("P26", *boxers, item("Q1", "Ann", HUMAN, *facts))) == ["a boxer"]


def test_of_two_occupations_none_lies_above_the_other(say: Say) -> None:
    facts = (f"wdt:P106 wd:{PLAYWRIGHT}", f"wdt:P106 wd:{WRITER}", about("writer and playwright"))
    results = texts(say("P26", *WRITERS, item("Q1", "Ann", HUMAN, *facts)))
    assert results == ["a writer"]


def test_a_person_by_description(say: Say) -> None:
    said = "French playwright"
    results = say("P26", *WRITERS, *STATES, item("Q1", "Ann", HUMAN, about(said)))
    assert texts(results) == ["a French playwright", "a playwright", "a writer"]
    assert results[0].evidence == (Evidence("Q1", DESCRIPTION, said),)  # once, though it says both


# Organisations


def test_an_american_record_label(say: Say) -> None:
    # Its seat may be that of a former year: only the country is said, and no continent.
    corp = item("Q1", "Corp", LABEL, f"wdt:P159 wd:{HOLLYWOOD}", about("record label in Hollywood"))
    results = {one.text: one for one in say("P264", *STATES, *LABELS, corp)}
    assert list(results) == ["an American record label", "a record label"]
    assert results["an American record label"].evidence == (
        Evidence("Q1", "P159", HOLLYWOOD),
        Evidence(HOLLYWOOD, "P131", CALIFORNIA),
        Evidence(CALIFORNIA, "P131", USA),
        Evidence("Q1", "P31", LABEL),
    )
    # That a label is a business says nothing of what was asked for.
    assert results["a record label"].aliases == ("a music label",)


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("American record label", ["an American record label"]),
        ("record label", ["an American record label"]),
        ("French record label", []),  # contradicts the country
        ("French-American record label", ["an American record label"]),
    ],
)
def test_the_nationality_of_a_thing_is_that_of_its_description(
    description: str, expected: list[str], say: Say
) -> None:
    corp = item("Q1", "Corp", LABEL, f"wdt:P17 wd:{USA}", about(description))
    results = texts(say("P264", *STATES, *LABELS, corp))
    assert results == [*expected, "a record label"]


def test_a_thing_has_the_classes_of_its_description(say: Say) -> None:
    studio = "Q1762059"
    items = (
        item(studio, "film production company", None, "wdt:P279 wd:Q4830453"),
        bearers(5000, 5, "P31", studio),
        item("Q4830453", "business", None),
        item("Q1", "Corp", studio, f"wdt:P17 wd:{USA}", about("American mass media corporation")),
        item(
            "Q2", "Pictures", studio, f"wdt:P17 wd:{USA}", about("American film production company")
        ),
    )
    assert texts(say("P127", *STATES, *items)) == []
    assert texts(say("P127", *STATES, *items, qid="Q2"))[0] == "an American film production company"


def test_the_class_that_is_expected_comes_first(say: Say) -> None:
    # More are shops, but who asks for a record label wants to hear what label it was.
    indie = "Q1542343"
    items = (
        *LABELS,
        item(indie, "independent label", None, f"wdt:P279 wd:{LABEL}"),
        item("Q890", "shop", None),
        bearers(5000, 5, "P31", indie),
        bearers(5200, 20, "P31", "Q890"),
        item("Q1", "Corp", indie, "wdt:P31 wd:Q890"),
    )
    # It is a business, too, but so is what nobody calls a label.
    results = texts(say("P264", *items))
    assert results[0] == "an independent label"
    assert "a shop" not in results


def test_a_class_with_capitals_goes_with_nothing_else(say: Say) -> None:
    items = (
        item("Q900", "Ivy League university", None, "wdt:P279 wd:Q3918"),
        item("Q3918", "university", None, "wdt:P279 wd:Q43229"),
        bearers(5000, 5, "P31", "Q900"),
        bearers(5100, 9, "P31", "Q3918"),
        item("Q1", "Brown", "Q900", f"wdt:P17 wd:{USA}"),
    )
    # As "a German independent city of Germany" would be.
    results = texts(say("P127", *STATES, *items))
    assert "an American Ivy League university" not in results
    assert "an Ivy League university" in results


def test_brackets_are_left_out(say: Say) -> None:
    items = (
        item("Q900", "record label (brand)", None, f"wdt:P279 wd:{LABEL}"),
        bearers(5000, 5, "P31", "Q900"),
        item("Q1", "Corp", "Q900"),
    )
    assert texts(say("P264", *LABELS, *items))[0] == "a record label"


# Works


def test_a_work_has_its_class(say: Say) -> None:
    # Nobody replies "a 1999 film", and that France paid for it does not make it a French one.
    film = item(
        "Q1", "Dawn", FILM, f"wdt:P577 {TIME.format('1999-05-01')}", f"wdt:P495 wd:{FRANCE}"
    )
    results = say("P800", *STATES, item(FILM, "film", None), bearers(5000, 5, "P31", FILM), film)
    assert [(one.text, one.kind) for one in results] == [("a film", "class")]


# Places


def test_places_by_their_names_where_they_answer(say: Say) -> None:
    place = item("Q1", "Studio Row", CITY, f"wdt:P131 wd:{HOLLYWOOD}")
    results = say("P19", *STATES, place, f"wd:{CALIFORNIA} wdt:P131 wd:Q9999\n")
    assert texts(results) == ["Hollywood", "California", "the United States", "North America"]
    # Of Q9999 nobody knows the name.
    assert [one.qid for one in results] == [HOLLYWOOD, CALIFORNIA, USA, AMERICA]
    assert {one.kind for one in results} == {"place"}
    assert results[0].aliases == ("Hollywood", "Tinseltown")
    assert results[2].aliases == ("United States",)
    assert results[1].evidence == (
        Evidence("Q1", "P131", HOLLYWOOD),
        Evidence(HOLLYWOOD, "P131", CALIFORNIA),
    )


def test_a_school_lies_in_places(say: Say) -> None:
    items = (
        item("Q3918", "university", None),
        bearers(5000, 5, "P31", "Q3918"),
        item("Q1", "Film Academy", "Q3918", f"wdt:P131 wd:{HOLLYWOOD}"),
    )
    assert texts(say("P69", *STATES, *items)) == [
        "Hollywood",
        "California",
        "the United States",
        "North America",
    ]


def test_a_place_as_answer_about_a_person(say: Say) -> None:
    # A town owns something: who asks for the owner does not want to hear where the town lies.
    items = (item(CITY, "city", None), bearers(5000, 5, "P31", CITY))
    place = item("Q1", "Studio City", CITY, f"wdt:P131 wd:{CALIFORNIA}")
    assert texts(say("P127", *STATES, *items, place)) == []


def test_a_conglomerate_is_no_record_label(say: Say) -> None:
    conglomerate = "Q778575"
    items = (
        item(conglomerate, "conglomerate", None, f"wdt:P279 wd:{COMPANY}"),
        bearers(5000, 5, "P31", conglomerate),
        item("Q1", "Corp", conglomerate, f"wdt:P17 wd:{USA}", about("American conglomerate")),
    )
    assert texts(say("P264", *STATES, *LABELS, *items)) == []
    assert texts(say("P127", *STATES, *LABELS, *items))[0] == "an American conglomerate"


@pytest.mark.parametrize("sport", ["ice hockey player", "American football player", "player"])
def test_players_of_other_sports_play_no_football(sport: str, say: Say) -> None:
    footballer = "Q937857"
    items = (
        item(footballer, "association football player", None, alias("football player")),
        f'wd:{footballer} skos:altLabel "player"@en\n',
        bearers(5000, 5, "P106", footballer),
        item("Q1", "Ann", HUMAN, about(f"Canadian {sport}" if sport[0] == "i" else sport)),
    )
    expected = ["a footballer"] if sport == "player" else []
    assert texts(say("P26", *STATES, *items)) == expected


# Classes


def test_a_position_has_those_above_it(say: Say) -> None:
    results = say(
        "P413",
        item("Q1", "goaltender", "Q1781513", "wdt:P279 wd:Q2"),
        item("Q2", "defender (sports)", None),
        item("Q1781513", "position (sport)", None),
        bearers(5000, 5, "P413", "Q2"),
    )
    assert [(one.text, one.kind) for one in results] == [("defender (sports)", "class")]
    assert results[0].facets == {(BROADER + "P413", "Q2")}


def test_items_without_facets(say: Say) -> None:
    assert say("P26", item("Q1", "Ann", HUMAN)) == []
    assert say("P264", item("Q1", "Corp", None)) == []
