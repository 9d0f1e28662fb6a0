"""Tiers of places, and institutions that are parts of others."""

from collections.abc import Callable
from pathlib import Path

from kgbuild.catalog import catalog
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
from kgbuild.graph.open import open_store
from kgbuild.rows import Evidence
from tests.conftest import triples
from tests.test_granola_profile import CITY, TIME, about, item
from tests.test_granola_profile import COUNTRY as COUNTRY_CLASS

MakeStore = Callable[..., Path]


def began(year: str) -> str:
    return f"wdt:P571 {TIME.format(f'{year}-05-01')}"


def test_tiers(make_store: MakeStore) -> None:
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
        item("Q14", "Deal", None, "wdt:P131 wd:Q10", about("town in Kent")),
        item("Q15", "Chelsea", None, "wdt:P131 wd:Q10", about("area of central London")),
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
        # By their descriptions, if they have no class.
        "Q14": TOWN,
        "Q15": QUARTER,
    }
    with open_store(make_store(triples("".join(lines)))) as store:
        profiles = Profiles(store.knowledge(catalog().kinds))
        assert {qid: profiles.place_tier(qid, None) for qid in tiers} == tiers


def test_institutions(make_store: MakeStore) -> None:
    system = "Q1075106"
    lines = (
        item("Q1", "Yale Law School", None, "wdt:P361 wd:Q2"),
        item("Q2", "Yale University", None, "wdt:P361 wd:Q9", "wdt:P361 wd:Q5"),
        item("Q3", "Saybrook", None, "wdt:P749 wd:Q1"),
        item("Q4", "Ulm School", None),
        item("Q5", "State University", system),
        item("Q9", "Ivy League", None),
    )
    with open_store(make_store(triples("".join(lines)))) as store:
        knowledge = store.knowledge(catalog().kinds)
        institutions = Institutions({f"Q{n}" for n in range(1, 6)}, knowledge)
    law = Evidence("Q1", "P361", "Q2")

    assert institutions.facets("Q1") == {(WHOLE, "Q1"): (), (WHOLE, "Q2"): (law,)}
    assert institutions.facets("Q3") == {
        (WHOLE, "Q3"): (),
        (WHOLE, "Q1"): (Evidence("Q3", "P749", "Q1"),),
        (WHOLE, "Q2"): (Evidence("Q3", "P749", "Q1"), law),
    }
    # Nobody went to a league, so it is no answer, and the town is finer than a system.
    assert institutions.facets("Q2") == {(WHOLE, "Q2"): ()}
    assert institutions.facets("Q4") == {}
