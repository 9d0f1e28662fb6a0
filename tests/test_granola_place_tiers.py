"""Tiers of places, and institutions that are parts of others."""

from collections.abc import Callable

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION
from kgbuild.datasets.granola.levels.institutions import WHOLE, Institutions
from kgbuild.datasets.granola.levels.places import (
    BOROUGH,
    COUNTRY_TIER,
    DISTRICT,
    QUARTER,
    STATE,
    TOWN,
)
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.graph.open import Store
from kgbuild.rows import Evidence
from tests.test_granola_profile import CITY, TIME, about, alias, item
from tests.test_granola_profile import COUNTRY as COUNTRY_CLASS

StoreOf = Callable[..., Store]


def began(year: str) -> str:
    return f"wdt:P571 {TIME.format(f'{year}-05-01')}"


def test_tiers(store_of: StoreOf) -> None:
    lines = (
        item("Q46", "Europe", "Q5107"),
        item("Q145", "United Kingdom", COUNTRY_CLASS, "wdt:P30 wd:Q46"),
        item("Q21", "England", COUNTRY_CLASS, "wdt:P131 wd:Q145"),
        item("Q10", "Kent", None, "wdt:P131 wd:Q21"),
        item("Q99", "California", None, "wdt:P17 wd:Q30"),
        item("Q30", "United States", COUNTRY_CLASS),
        item("Q11", "Dover", CITY, "wdt:P131 wd:Q10"),
        item("Q12", "Camden", "Q211690", "wdt:P17 wd:Q145"),
        item("Q13", "Soho", "Q123705", "wdt:P131 wd:Q11"),
    )
    tiers = {
        "Q46": 0,
        "Q145": COUNTRY_TIER,
        "Q21": STATE,  # a country in another one
        "Q99": STATE,
        "Q10": DISTRICT,
        "Q11": TOWN,
        # By their classes, also if no town is stated.
        "Q12": BOROUGH,
        "Q13": QUARTER,
    }
    profiles = Profiles(store_of(*lines).knowledge(catalog().kinds))
    assert {qid: profiles.place_tier(qid) for qid in tiers} == tiers


def test_institutions(store_of: StoreOf) -> None:
    text = "law school at Yale University"
    lines = (
        item("Q1", "Yale Law School", None, about(text)),
        item("Q2", "Yale University", None, "wdt:P361 wd:Q9", began("1701")),
        item("Q3", "Saybrook", None, "wdt:P749 wd:Q1"),
        item("Q4", "Ulm School", None, about("school of Ulm")),
        item("Q5", "Old College", None, "wdt:P361 wd:Q2", began("1600")),
        item("Q6", "New College", None, "wdt:P361 wd:Q2", began("1800")),
        item("Q9", "Ivy League", None),
    )
    items = {f"Q{n}" for n in range(1, 7)}
    institutions = Institutions(items, store_of(*lines).knowledge(catalog().kinds))
    law = Evidence("Q1", DESCRIPTION, text)

    assert institutions.facets("Q1") == {(WHOLE, "Q1"): (), (WHOLE, "Q2"): (law,)}
    assert institutions.facets("Q3") == {
        (WHOLE, "Q3"): (),
        (WHOLE, "Q1"): (Evidence("Q3", "P749", "Q1"),),
        (WHOLE, "Q2"): (Evidence("Q3", "P749", "Q1"), law),
    }
    # Nobody went to a league, so it is no answer.
    assert institutions.facets("Q2") == {(WHOLE, "Q2"): ()}
    assert institutions.facets("Q4") == {}
    # Who studied at the older college may have left it before it became a part.
    assert institutions.facets("Q5") == {}
    assert institutions.facets("Q6") == {
        (WHOLE, "Q6"): (),
        (WHOLE, "Q2"): (Evidence("Q6", "P361", "Q2"),),
    }


def test_a_school_belongs_to_the_university_with_whose_name_it_begins(store_of: StoreOf) -> None:
    lines = (
        item("Q1", "Elm School of Cinematic Arts", None, "wdt:P131 wd:Q20"),
        item("Q2", "University of Elm", None, "wdt:P131 wd:Q20", alias("UOE")),
        item("Q3", "UOE School of Law", None, "wdt:P131 wd:Q20"),
        item("Q4", "University of Oak East", None, "wdt:P131 wd:Q21", alias("UOE")),
        item("Q5", "Elm University", None, "wdt:P131 wd:Q22"),
        item("Q6", "Elm College", None),
        item("Q7", "University of Elm, Faculty of Law", None, "wdt:P131 wd:Q22"),
        item("Q8", "University of Oak East Law School", None, began("1900")),
        item("Q9", "UOE School of Music", None),
    )
    items = {f"Q{n}" for n in range(1, 10)}
    institutions = Institutions(items, store_of(*lines).knowledge(catalog().kinds))
    wholes = {
        qid: [value for (_, value), proof in institutions.facets(qid).items() if proof]
        for qid in items
    }
    assert wholes == {
        "Q1": ["Q5"],  # people say "Elm" for "Elm University"
        "Q2": [],
        "Q3": ["Q2"],  # of two universities with these initials, the one in the town
        "Q4": [],
        "Q5": [],
        "Q6": [],  # a college is another institution than the university with its name
        "Q7": ["Q2"],
        "Q8": ["Q4"],
        "Q9": [],  # of two universities, none is in its town
    }
    assert institutions.facets("Q3")[WHOLE, "Q2"] == (
        Evidence("Q3", "rdfs:label", "UOE School of Law"),
    )
