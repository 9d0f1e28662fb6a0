"""The facets of items: classes, demonyms, and facts from descriptions."""

from collections.abc import Callable

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.classes import BROADER, MIN_ITEMS
from kgbuild.datasets.granola.levels.descriptions import DESCRIPTION
from kgbuild.datasets.granola.levels.profiles import PERSON, Profile, Profiles
from kgbuild.graph.open import Store
from kgbuild.rows import Evidence

MakeProfiles = Callable[..., Profiles]
TIME = '"{}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
HUMAN, FILM, CITY, COUNTRY, COMPANY = "Q5", "Q11424", "Q515", "Q6256", "Q4830453"
WRITER, PLAYWRIGHT, USA, FRANCE = "Q36180", "Q214917", "Q30", "Q142"


def item(qid: str, label: str, kind: str | None, *facts: str) -> str:
    """Return an item in shorthand: its label, its class, what else is said of it."""
    said = [f'rdfs:label "{label}"@en', *([f"wdt:P31 wd:{kind}"] if kind else []), *facts]
    return "".join(f"wd:{qid} {one}\n" for one in said)


def person(number: int, name: str, *facts: str) -> str:
    return item(f"Q{number}", name, HUMAN, *facts)


def about(text: str) -> str:
    return f'schema:description "{text}"@en'


def alias(text: str) -> str:
    return f'skos:altLabel "{text}"@en'


def bearers(first: int, count: int, pid: str, value: str) -> str:
    """Return items without names that bear a class or an occupation."""
    return "".join(f"wd:Q{first + n} wdt:{pid} wd:{value}\n" for n in range(count))


WRITERS = (
    item(WRITER, "writer", None, "wdt:P279 wd:Q900"),
    item("Q900", "creator", None),
    item(PLAYWRIGHT, "playwright", None, f"wdt:P279 wd:{WRITER}", alias("dramatist")),
    bearers(5000, 6, "P106", PLAYWRIGHT),
    bearers(5100, 9, "P106", WRITER),
    bearers(5200, 8, "P106", "Q900"),
)
"""More people bear "writer" than "playwright", but fewer "creator"."""


@pytest.fixture
def make(store_of: Callable[..., Store]) -> MakeProfiles:
    """Return a function that loads items and tells what is true of them."""
    return lambda *items: Profiles(store_of(*items).knowledge(catalog().kinds))


def values(profile: Profile, dimension: str) -> list[str]:
    return [value for results, value in profile.facets if results == dimension]


# Classes and occupations


def test_a_path_goes_on_while_more_people_bear_the_coarser_one(make: MakeProfiles) -> None:
    profiles = make(*WRITERS)
    # "Creator" is above "writer", too, but fewer say so of themselves: nobody answers with it.
    step = Evidence(PLAYWRIGHT, "P279", WRITER)
    assert profiles.classes.superclasses(PLAYWRIGHT, "P106") == {WRITER: (step,)}
    assert profiles.classes.superclasses(WRITER, "P106") == {}


@pytest.mark.parametrize(("count", "reached"), [(MIN_ITEMS - 1, []), (MIN_ITEMS, ["Q2"])])
def test_a_handful_bears_it(make: MakeProfiles, count: int, reached: list[str]) -> None:
    profiles = make("wd:Q1 wdt:P279 wd:Q2\n", bearers(5000, count, "P31", "Q2"))
    assert list(profiles.classes.superclasses("Q1", "P31")) == reached


def test_circles_of_classes(make: MakeProfiles) -> None:
    profiles = make(
        "wd:Q1 wdt:P279 wd:Q2\nwd:Q2 wdt:P279 wd:Q3\nwd:Q3 wdt:P279 wd:Q1\nwd:Q1 wdt:P279 wd:Q1\n",
        *(bearers(5000 + 100 * n, 5 + n, "P136", f"Q{n}") for n in (1, 2, 3)),
    )
    assert list(profiles.classes.superclasses("Q1", "P136")) == ["Q2", "Q3"]
    # Where classes are answers themselves, it is enough that a handful has each: still no circle.
    assert list(profiles.classes.superclasses("Q1", BROADER + "P136")) == ["Q2", "Q3"]
    assert list(profiles.classes.superclasses("Q2", BROADER + "P136")) == ["Q3", "Q1"]
    assert profiles.classes.closure("Q3") == {"Q1", "Q2", "Q3"}


def test_of_several_parents_all_are_followed(make: MakeProfiles) -> None:
    profiles = make(
        "wd:Q1 wdt:P279 wd:Q2\nwd:Q1 wdt:P279 wd:Q3\nwd:Q3 wdt:P279 wd:Q4\n",
        *(bearers(5000 + 100 * n, 5 + n, "P31", f"Q{n}") for n in (2, 3, 4)),
    )
    assert list(profiles.classes.superclasses("Q1", "P31")) == ["Q2", "Q3", "Q4"]


def test_language_families_are_above_languages(make: MakeProfiles) -> None:
    profiles = make(
        item("Q1860", "English", "Q34770", "wdt:P279 wd:Q2", "wdt:P279 wd:Q3"),
        item("Q2", "West Germanic", "Q25295"),
        item("Q3", "code", None),  # no family, and nobody has it as a language
    )
    assert list(profiles.classes.superclasses("Q1860", BROADER + "P407")) == ["Q2"]


def test_own_names_are_those_of_no_other(make: MakeProfiles) -> None:
    profiles = make(
        item("Q1", "author", None, alias("writer"), alias("writers"), alias("Bard")),
        item("Q2", "writer", None, alias("penman"), alias("wordsmith")),
        item("Q3", "poet", None, alias("wordsmith"), alias("bard (old)")),
        item("Q5", "scribe", None, alias("penman")),
        *(bearers(5000 + 100 * n, MIN_ITEMS, "P106", f"Q{n}") for n in (1, 2, 3)),
    )
    # An author is not called by the label of another one, by a plural, or by a name.
    assert profiles.classes.names(("P106", "Q1")) == ("author",)
    # And not by what two are called; but nobody bears "scribe", so its names are free.
    assert profiles.classes.names(("P106", "Q2")) == ("writer", "penman")
    assert profiles.classes.names(("P106", "Q3")) == ("poet",)
    assert profiles.classes.names(("P106", "Q4")) == ("",)  # it has no label


# Of people and of countries


@pytest.mark.parametrize(
    ("said", "demonym"),
    [
        ([], "American"),  # that of demonyms.toml
        (['"Yankee"@en'], "Yankee"),  # the store comes first,
        (['"Yankee"@en', '"American"@en', '"Amerikaner"@de'], "American"),  # the usual one of it
        (['"statesider"@en', '"Yankee"@en'], "Yankee"),  # the first by letter
        (['"us-american"@en'], "Us-American"),  # as English writes it
        (['"Amerikaner"@de'], "American"),  # no other language
    ],
)
def test_demonyms(make: MakeProfiles, said: list[str], demonym: str) -> None:
    facts = [f"wdt:P1549 {text}" for text in said]
    assert make(item(USA, "United States", COUNTRY, *facts)).demonym(USA) == demonym


def test_places_without_a_demonym(make: MakeProfiles) -> None:
    profiles = make(
        item("Q64", "Berlin", CITY, 'wdt:P1549 "Berliner"@en'),
        item("Q7000", "Utopia", COUNTRY),
        item("Q7001", "Erewhon", COUNTRY, 'wdt:P1549 "Erewhonian"@en'),
    )
    # A Berliner university is what nobody says; of Utopia nobody knows what to say.
    assert profiles.demonym("Q64") is None
    assert profiles.demonym("Q7000") is None
    assert profiles.demonym("Q7001") == "Erewhonian"


def test_a_person(make: MakeProfiles) -> None:
    profiles = make(
        *WRITERS, item("Q1", "Ann", HUMAN, f"wdt:P106 wd:{PLAYWRIGHT}", f"wdt:P27 wd:{USA}")
    )
    profile = profiles.profile("Q1")
    occupation = Evidence("Q1", "P106", PLAYWRIGHT)
    assert profile.facets == {
        ("P106", PLAYWRIGHT): (occupation,),
        ("P106", WRITER): (occupation, Evidence(PLAYWRIGHT, "P279", WRITER)),
        ("people", "American"): (Evidence("Q1", "P27", USA),),
    }
    assert (profile.direct, profile.named, profile.kind) == ((("P106", PLAYWRIGHT),), 0, PERSON)


def test_occupations_as_the_description_names_them_then_the_commoner(make: MakeProfiles) -> None:
    both = (f"wdt:P106 wd:{PLAYWRIGHT}", f"wdt:P106 wd:{WRITER}", "wdt:P106 wd:Q901")
    profiles = make(
        *WRITERS,
        item("Q901", "ghost", None),
        item("Q1", "Ann", HUMAN, *both),
        item("Q2", "Bo", HUMAN, *both, about("American dramatist and writer")),
        item("Q3", "Cy", HUMAN, *both, about("Irish PLAYWRIGHT and ghost")),
    )

    def ranked(qid: str) -> tuple[list[str], int]:
        profile = profiles.profile(qid)
        return [value for _, value in profile.direct], profile.named

    # Of "ghost" there are three only, which is less than a handful.
    assert ranked("Q1") == ([WRITER, PLAYWRIGHT], 0)
    assert ranked("Q2") == ([PLAYWRIGHT, WRITER], 2)  # by an alias that is its own
    assert ranked("Q3") == ([PLAYWRIGHT, WRITER], 1)


# Descriptions


def test_descriptions_add_missing_facts(make: MakeProfiles) -> None:
    said = "American playwright and actor"
    profiles = make(
        *WRITERS,
        item("Q1", "Ann", HUMAN, about(said)),
        item("Q2", "Bo", HUMAN, about(said), f"wdt:P106 wd:{WRITER}"),
        item("Q3", "Cy", HUMAN, about(said), f"wdt:P27 wd:{FRANCE}"),
        item("Q4", "Di", HUMAN, about("fictional American playwright")),
        item("Q6", "Eve", None, about(said)),
        item("Q7", "Flo", HUMAN, about("writer and playwright"), f"wdt:P106 wd:{WRITER}"),
    )
    led = Evidence("Q1", DESCRIPTION, said)
    # "Actor" is the name of nothing that this store knows as an occupation.
    assert profiles.profile("Q1").facets == {
        ("P106", PLAYWRIGHT): (led,),
        ("P106", WRITER): (led, Evidence(PLAYWRIGHT, "P279", WRITER)),
        ("people", "American"): (led,),
    }
    # Of Bo's occupations it names none: the one that he is known for is not among them.
    assert [value for _, value in profiles.profile("Q2").direct] == [PLAYWRIGHT, WRITER]
    assert profiles.profile("Q7").facets == {("P106", WRITER): (Evidence("Q7", "P106", WRITER),)}
    assert values(profiles.profile("Q2"), "people") == ["American"]
    # The description names another nationality than the statement.
    assert values(profiles.profile("Q3"), "people") == ["French", "American"]
    assert profiles.profile("Q4").facets == {}  # she never was
    # Whoever has an occupation is somebody, of no class though they be.
    assert profiles.profile("Q6").kind == PERSON


def test_the_class_of_an_organisation_by_its_description(make: MakeProfiles) -> None:
    profiles = make(
        item("Q215380", "rock band", None), *(bearers(5000, 5, "P31", "Q215380"),),
        item("Q1", "The Who", None, about("English rock band")),
    )  # fmt: skip
    profile = profiles.profile("Q1")
    assert profile.facets["P31", "Q215380"] == (Evidence("Q1", DESCRIPTION, "English rock band"),)
    assert profile.kind is None  # of people there is nothing: it is nobody


# Works


def test_a_work_has_neither_a_nationality_nor_a_place(make: MakeProfiles) -> None:
    made = (f"wdt:P495 wd:{FRANCE}", "wdt:P17 wd:Q142")
    profile = make(item("Q1", "Dawn", FILM, *made)).profile("Q1")
    assert profile.kind == "screen"
    assert {dimension for dimension, _ in profile.facets} <= {"P31"}


# Places


def test_a_place_is_a_facet_of_itself_and_a_company_is_seated_in_one(make: MakeProfiles) -> None:
    profiles = make(
        item("Q1", "Ulm", CITY, "wdt:P131 wd:Q2", "wdt:P159 wd:Q9"),
        item("Q3", "Corp", COMPANY, "wdt:P159 wd:Q1"),
    )
    ulm, corp = profiles.profile("Q1"), profiles.profile("Q3")
    assert ulm.facets["place", "Q1"] == ()
    assert values(ulm, "place") == ["Q1", "Q2"]  # its own seat is no place around it
    assert corp.facets["place", "Q2"] == (
        Evidence("Q3", "P159", "Q1"),
        Evidence("Q1", "P131", "Q2"),
    )
    assert values(corp, "place") == ["Q1", "Q2"]


def test_facets_that_follow_from_a_facet(make: MakeProfiles) -> None:
    profiles = make(*WRITERS, "wd:Q1 wdt:P131 wd:Q2\n")
    # Also what nobody would say follows.
    occupations = {("P106", one) for one in (PLAYWRIGHT, WRITER, "Q900")}
    assert profiles.implied(("P106", PLAYWRIGHT)) == occupations
    assert profiles.implied(("people", "French")) == {("people", "French")}
    assert profiles.implied(("place", "Q1")) == {("place", "Q1"), ("place", "Q2")}


def test_an_item_that_is_a_class(make: MakeProfiles) -> None:
    profiles = make(
        item("Q1", "goalkeeper", "Q7", "wdt:P279 wd:Q2"), bearers(5000, 5, "P413", "Q2")
    )
    profile = profiles.of_class("Q1", "P413")
    above, itself = (BROADER + "P413", "Q2"), (BROADER + "P413", "Q1")
    assert profile.facets[itself] == ()
    assert profile.facets[above] == (Evidence("Q1", "P279", "Q2"),)
    assert profile.kind is None
