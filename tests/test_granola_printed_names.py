"""The names of institutions as answers, as English texts print them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.phrases import organisation_phrase, place_phrase
from kgbuild.datasets.granola.printed_names import part_and_whole
from kgbuild.graph.open import open_store
from tests.conftest import triples
from tests.test_granola_profile import CITY, about, alias, bearers, item

ORGANISATION, LABEL, STUDIO = "Q43229", "Q18127", "Q1762059"


@pytest.mark.parametrize(
    ("label", "kinds", "facts", "phrase"),
    [
        ("Monument", [ORGANISATION, LABEL], [alias("Monument Records")], "Monument Records"),
        ("Dunhill", [LABEL], [alias("Dunhill Recordings")], "Dunhill Recordings"),
        ("Illumination", [STUDIO], [alias("Illumination Films")], "Illumination Films"),
        ("Axis", [STUDIO], [alias("Axis Records")], "Axis"),  # the word of another kind
        ("Warner Bros.", [STUDIO], [alias("Warner Bros. Pictures")], "Warner Bros."),
        ("EMI", [LABEL], [alias("EMI Records")], "EMI Records"),
        ("Keble College", [ORGANISATION], ["wdt:P361 wd:Q34433"], "Keble College, Oxford"),
        (
            "Christ's College",
            [ORGANISATION],
            [about("college of the University of Cambridge")],
            "Christ's College, Cambridge",
        ),
        ("Bo College", [ORGANISATION], [alias("Bo College, Oslo")], "Bo College, Oslo"),
        (
            "Bo College",
            [ORGANISATION],
            [about("college in Cambridge, Massachusetts")],
            "Bo College",
        ),
        (
            "Moscow State University, Faculty of Law",
            [ORGANISATION],
            [],
            "the Faculty of Law of Moscow State University",
        ),
        (
            "Institute of Physics, Polish Academy of Sciences",
            [ORGANISATION],
            [],
            "the Institute of Physics of the Polish Academy of Sciences",
        ),
        (
            "The Baker Institute for Animal Health",
            [ORGANISATION],
            [],
            "the Baker Institute for Animal Health",
        ),
        ("The Hague Academy", [ORGANISATION], [], "The Hague Academy"),  # the name of a town
        ("The CW", [ORGANISATION], [], "The CW"),
        (
            "University of California, Los Angeles",
            [ORGANISATION],
            [],
            "the University of California, Los Angeles",
        ),
    ],
)
def test_the_name_of_an_institution(
    make_store: Callable[..., Path], label: str, kinds: list[str], facts: list[str], phrase: str
) -> None:
    said = [f"wdt:P31 wd:{kind}" for kind in kinds]
    with open_store(make_store(triples(item("Q1", label, None, *said, *facts)))) as store:
        assert organisation_phrase(store.knowledge(catalog().kinds), "Q1", label) == phrase


def test_a_known_company_needs_no_word(make_store: Callable[..., Path]) -> None:
    emi = item("Q1", "EMI", LABEL, alias("EMI Records")) + bearers(5000, 10, "P264", "Q1")
    with open_store(make_store(triples(emi))) as store:
        assert organisation_phrase(store.knowledge(catalog().kinds), "Q1", "EMI") == "EMI"
    shared = emi + item("Q2", "EMI", None)
    with open_store(make_store(triples(shared))) as store:
        phrase = organisation_phrase(store.knowledge(catalog().kinds), "Q1", "EMI")
        assert phrase == "EMI Records"


@pytest.mark.parametrize(
    ("label", "phrase"),
    [
        ("College Station", "College Station"),
        ("Upper Palatinate", "the Upper Palatinate"),
        ("Tübingen Government Region", "the Tübingen region"),
    ],
)
def test_the_name_of_a_place(make_store: Callable[..., Path], label: str, phrase: str) -> None:
    with open_store(make_store(triples(item("Q1", label, CITY)))) as store:
        assert place_phrase(store.knowledge(catalog().kinds), "Q1") == phrase


def test_towns_and_universities_are_no_parts() -> None:
    assert part_and_whole("Trinity College, Cambridge") is None
    assert part_and_whole("Teachers College, Columbia University") is None
    assert part_and_whole("Goldsmiths, University of London") is None
    assert part_and_whole("Music Division, Library of Congress") == (
        "Music Division",
        "Library of Congress",
    )
