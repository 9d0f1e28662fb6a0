"""The values that a store states for a relation, in both directions, and their years."""

from collections.abc import Callable

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts, safe_dates
from kgbuild.graph.open import Store
from kgbuild.relations import Relation
from kgbuild.rows import Evidence
from kgbuild.wikidata import Value

Make = Callable[..., RelationFacts]


@pytest.fixture
def make(store_of: Callable[..., Store]) -> Make:
    """Return a function that loads lines and tells what they state."""
    return lambda *lines: RelationFacts(store_of(*lines).knowledge({}))


def relation(pid: str) -> Relation:
    return catalog().relations[pid]


def test_spouses_in_both_directions(make: Make) -> None:
    facts = make("wd:Q2 wdt:P26 wd:Q1", "wd:Q1 wdt:P26 wd:Q10", "wd:Q1 wdt:P26 wd:Q9")
    # By number, each with the triple that says it.
    assert facts.values("Q1", relation("P26")) == {
        "Q2": Evidence("Q2", "P26", "Q1"),
        "Q9": Evidence("Q1", "P26", "Q9"),
        "Q10": Evidence("Q1", "P26", "Q10"),
    }
    assert list(facts.values("Q1", relation("P26"))) == ["Q2", "Q9", "Q10"]
    assert facts.values("Q10", relation("P26")) == {"Q1": Evidence("Q1", "P26", "Q10")}


def test_mutual_statements_count_once(make: Make) -> None:
    facts = make("wd:Q2 wdt:P26 wd:Q1", "wd:Q1 wdt:P26 wd:Q2")
    assert facts.values("Q1", relation("P26")) == {"Q2": Evidence("Q1", "P26", "Q2")}
    assert facts.values("Q2", relation("P26")) == {"Q1": Evidence("Q2", "P26", "Q1")}


def test_a_child_of_its_father(make: Make) -> None:
    facts = make("wd:Q2 wdt:P22 wd:Q1", "wd:Q3 wdt:P25 wd:Q1", "wd:Q1 wdt:P40 wd:Q4")
    assert list(facts.values("Q1", relation("P40"))) == ["Q2", "Q3", "Q4"]


def test_one_sided_inverses_do_not_count(make: Make) -> None:
    # What has its capital in a town lies not in that town, nor the other way round for sure.
    facts = make("wd:Q1 wdt:P36 wd:Q2", "wd:Q3 wdt:P150 wd:Q4")
    assert [*facts.pairs(relation("P131")).subjects] == []


def test_no_item_is_its_own_value(make: Make) -> None:
    facts = make("wd:Q1 wdt:P26 wd:Q1", "wd:Q2 wdt:P26 wd:Q2", "wd:Q2 wdt:P26 wd:Q3")
    assert [*facts.pairs(relation("P26")).subjects] == [2, 3]
    assert facts.values("Q1", relation("P26")) == {}


def test_values_of_a_relation(make: Make) -> None:
    facts = make("wd:Q2 wdt:P22 wd:Q1", "wd:Q3 wdt:P19 wd:Q4")
    assert facts.is_value("Q2", relation("P40"))  # a child
    assert not facts.is_value("Q1", relation("P40"))
    assert facts.is_value("Q4", relation("P19"))
    assert not facts.is_value("Q3", relation("P19"))


def test_values_of_one_subject_and_of_all_agree(sample: Store) -> None:
    facts = RelationFacts(sample.knowledge(catalog().kinds))
    results = 0
    for one in catalog().relations_of("granola"):
        if one.object_kinds != DATE:
            numbers = facts.pairs(one)
            pairs = [*zip(*(map("Q{}".format, column.tolist()) for column in numbers), strict=True)]
            results += len(pairs)
            subjects = dict.fromkeys(subject for subject, _ in pairs)
            assert pairs == [(x, value) for x in subjects for value in facts.values(x, one)]
            assert all(facts.is_value(value, one) for _, value in pairs)
            population = facts.population(one).sampled()
            assert sorted(population) == sorted({value for _, value in pairs})
    assert results > 1000


def date(text: str, precision: int | None = None) -> Value:
    return Value("time", f"{text}T00:00:00Z", precision=precision)


@pytest.mark.parametrize(
    ("value", "description", "precision"),
    [
        (date("1960-01-01"), "book", "none"),  # a year, a decade, or
        (date("2000-01-01"), None, "none"),  # a century
        (date("-0099-01-01"), None, "none"),  # 100 BC
        (date("1960-01-01"), "1960 book", 9),
        (date("1960-01-01"), "book of 19601 pages", "none"),
        (date("1953-01-01"), None, None),  # who would call a decade so?
        (date("1960-05-03"), None, None),
        (date("1950-01-01", 7), None, 7),  # a dump with precisions is believed
        (date("1950-01-01", 9), None, 9),
    ],
)
def test_the_precision_of_a_round_year_is_certain_if_it_is_stated(
    value: Value, description: str | None, precision: int | str | None
) -> None:
    expected = [] if precision == "none" else [value._replace(precision=precision)]
    assert safe_dates([value], description) == expected
