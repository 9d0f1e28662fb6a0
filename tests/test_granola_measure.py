"""Measure bits: −log2 of the share of all answers that an answer covers."""

import math
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.levels.classes import Facet, Proof
from kgbuild.datasets.granola.levels.measure import SHARE_TYPES, Measure, shares
from kgbuild.rows import Evidence
from kgbuild.store.counts import Counts

LED = (Evidence("Q1", "P1", "Q2"),)
"""Some path: what leads to a facet makes no difference, but that something does."""


def facets(*true: Facet, itself: Facet | None = None) -> dict[Facet, Proof]:
    return {**({itself: ()} if itself else {}), **dict.fromkeys(true, LED)}


def measure_of(population: Iterable[Iterable[Facet]]) -> Measure:
    return Measure(shares(population))


EUROPE, FRANCE, PARIS, NICE = (("place", name) for name in ("Europe", "France", "Paris", "Nice"))
WRITER, BAKER = ("P106", "writer"), ("P106", "baker")
FRENCH, GREEK = ("people", "French"), ("people", "Greek")


def test_bits_of_the_share_of_all_answers() -> None:
    measure = measure_of(
        {
            "Paris": facets(FRANCE, EUROPE, itself=PARIS),
            "Nice": facets(FRANCE, EUROPE, itself=NICE),
            "Rome": facets(EUROPE, itself=("place", "Rome")),
            "Lima": facets(("place", "Peru"), itself=("place", "Lima")),
            # Of these nothing is known but that they are themselves.
            "Oz": facets(itself=("place", "Oz")),
            "Ys": facets(itself=("place", "Ys")),
        }.values()
    )
    assert measure.bits([PARIS]) == math.log2(6)  # one of six
    assert measure.bits([FRANCE]) == math.log2(6 / 2)
    assert measure.bits([EUROPE]) == math.log2(6 / 3)
    assert measure.bits([("place", "Atlantis")]) == math.log2(6)  # as if one were there
    assert measure.max_bits == math.log2(6)
    assert EUROPE in measure.facets() and BAKER not in measure.facets()


def test_answers_of_different_dimensions_can_be_compared() -> None:
    # A year that is stated of two records only tells more than a city of many records.
    year, city = ("year", "1972"), ("place", "New York")
    labels = {f"label {n}": facets(city) for n in range(8)}
    labels |= {"a": facets(year), "b": facets(("year", "1973"))}
    measure = measure_of(labels.values())
    assert measure.bits([year]) == math.log2(10)
    assert measure.bits([city]) == math.log2(10 / 8)


def test_a_combination_covers_answers_with_all_of_it() -> None:
    measure = measure_of(
        {
            "a": facets(FRENCH, WRITER),
            "b": facets(FRENCH, BAKER),
            "c": facets(GREEK, WRITER),
            "d": facets(GREEK, BAKER),
            "e": facets(WRITER),  # nobody knows of what country
            "f": facets(FRENCH),  # or what they do
        }.values()
    )
    assert measure.bits([FRENCH, WRITER]) == math.log2(6)
    assert measure.bits([WRITER]) == math.log2(6 / 3)
    assert measure.bits([WRITER, FRENCH]) == measure.bits((FRENCH, WRITER))


def test_unknown_facets_have_no_bits() -> None:
    assert measure_of([]).bits([PARIS]) == 0.0
    assert measure_of([]).max_bits == 0.0
    assert measure_of([facets(WRITER)]).bits([PARIS]) == 0.0


NAMES = st.sampled_from("abcdef")
POPULATION = st.dictionaries(st.integers(0, 30).map(str), st.sets(NAMES, min_size=1), min_size=1)


@given(POPULATION, st.sets(NAMES, min_size=1, max_size=3), NAMES)
def test_bits_grow_with_facets(population: dict[str, set[str]], said: set[str], more: str) -> None:
    measure = measure_of(
        facets(*(("people", name) for name in names)) for names in population.values()
    )
    some = [("people", name) for name in sorted(said)]
    bits = measure.bits(some)
    assert 0 <= bits <= measure.max_bits
    assert measure.bits([*some, ("people", more)]) >= bits
    holders = sum(said <= names for names in population.values())
    assert bits == pytest.approx(math.log2(len(population) / max(1, holders)))


def test_shares_are_kept_beside_the_store(tmp_path: Path) -> None:
    counts = ("granola_shares", "P19"), SHARE_TYPES
    people = [facets(FRANCE, EUROPE, itself=PARIS), {}, facets(FRANCE, ("people", "Grüße"))]
    Counts(tmp_path, "a").arrays(*counts, lambda: shares(people))
    measure = Measure(Counts(tmp_path, "a").arrays(*counts, lambda: shares([])))
    assert measure.bits([FRANCE]) == math.log2(3 / 2)
    assert measure.bits([FRANCE, PARIS]) == math.log2(3)
    assert measure.facets() == {FRANCE, EUROPE, PARIS, ("people", "Grüße")}
