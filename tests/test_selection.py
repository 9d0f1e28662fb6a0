"""Sets of items, samples of them and ways along links: each compared with a plainer way."""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump import bitmaps
from kgbuild.dump.bitmaps import Bitmap
from kgbuild.dump.filter import Filter, sift
from kgbuild.dump.kinds import HIERARCHY
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning import rules
from kgbuild.native.arrays import Positions
from kgbuild.slice import selection
from kgbuild.slice.selection import ClassLinks, Seeds
from tests.conftest import triples

TOP = 999_999_999
EDGES = [1, 7, 8, 63, 64, 65, 127, 128, TOP - 1, TOP]
"""Positions at the edges of a bitmap's bytes and words, and of itself."""


def array(numbers: Iterable[int]) -> Positions:
    return np.array(list(numbers), np.int64)


def a_set(*numbers: int) -> Bitmap:
    bits = bitmaps.bitmap()
    bitmaps.add(bits, array(numbers))
    return bits


def members(bits: Bitmap, top: int = TOP) -> set[int]:
    """Return the numbers in a set, by way of NumPy alone; looking at all of it takes a while."""
    words = bits.view(np.uint64)[: (top >> 6) + 1]
    filled = np.flatnonzero(words).tolist()
    return {n * 64 + k for n in filled for k in range(64) if int(words[n]) >> k & 1}


# Bitmaps


@pytest.mark.parametrize("number", EDGES)
def test_a_number_at_an_edge(number):
    bits = a_set(number)
    assert members(bits) == {number}
    around = [n for n in (number - 1, number, number + 1) if n <= TOP]
    assert bitmaps.has(bits, array(around)).tolist() == [n == number for n in around]
    assert bitmaps.count(bits, number) == bitmaps.count(bits, TOP) == 1


def test_invalid_numbers_are_in_no_set():
    bits = a_set(0, -1, -TOP, 5)
    assert members(bits) == {5}
    assert bitmaps.has(bits, array([0, -1, -5, 5])).tolist() == [False, False, False, True]
    assert bitmaps.has(bits, array([])).tolist() == []


@pytest.mark.parametrize("numbers", [[], [1], [63, 64], [5, 10_000], [TOP]])
def test_a_set_on_its_way(numbers):
    bits = a_set(*numbers)
    top = bitmaps.top(bits)
    assert max(numbers, default=0) <= top < max(numbers, default=0) + 64
    found, above = bitmaps.union([bitmaps.packed(bits, top), bitmaps.packed(a_set(7), 7)])
    assert members(found) == {*numbers, 7}
    assert max(numbers, default=7) <= above
    bitmaps.remove(found, bitmaps.packed(bits, top))
    assert members(found) == {7}


NUMBERS = st.sets(st.one_of(st.sampled_from(EDGES[:-2]), st.integers(1, 300)), max_size=30)


@given(NUMBERS, NUMBERS)
def test_sets_as_those_of_python(some, others):
    bits, more = a_set(*some), a_set(*others)
    top = max(some | others, default=0)
    assert bitmaps.count(bits, top) == len(some)
    assert bitmaps.count(bits, top, more) == len(some & others)
    bitmaps.unite(bits, more, top)
    assert members(bits, 1000) == some | others
    assert members(more, 1000) == others


def test_the_highest_numbers_can_be_united_and_counted():
    bits, more = a_set(1, TOP), a_set(TOP - 1, TOP)
    assert bitmaps.count(bits, TOP, more) == 1
    bitmaps.unite(bits, more, TOP)
    assert members(bits) == {1, TOP - 1, TOP}


# Limits and samples

MASK = 2**64 - 1


def mixed(number: int, seed: int) -> int:
    """SplitMix64 as its authors wrote it, in numbers without an end."""
    x = (number + (seed + 1) * 0x9E3779B97F4A7C15) & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def taken(
    numbers: Iterable[int], limit: int | None = None, sample: float | None = None, seed: int = 0
) -> set[int]:
    given = array(numbers)
    seeds = Seeds(limit, sample, seed)
    seeds.add(given)
    found = set(given[bitmaps.has(seeds.bits, given)].tolist())
    assert seeds.count == len(found)
    assert seeds.is_full == (limit is not None and len(found) == limit)
    return found


def test_a_limit_takes_the_first_each_once():
    stream = [5, 5, -7, 0, 3, 5, TOP, 3, 9, 1]
    wanted = [5, 3, TOP, 9, 1]
    for limit in range(1, 6):
        assert taken(stream, limit) == set(wanted[:limit])
    assert taken(stream) == taken(stream, 100) == set(wanted)


def test_a_limit_goes_on_from_batch_to_batch():
    seeds = Seeds(3, None, 0)
    for batch, full in (([], False), ([4, 4], False), ([-1, 2, 4], False), ([8, 9], True)):
        seeds.add(array(batch))
        assert seeds.is_full == full
    seeds.add(array([1]))
    assert members(seeds.bits) == {4, 2, 8}
    assert seeds.count == 3


SEEDS = [0, 1, 2, 12_345, 2**31, 2**32 + 1, 2**63 - 1]
MANY = range(1, 20_001)


@pytest.mark.parametrize("seed", SEEDS)
def test_samples_depend_on_the_hash(seed):
    numbers = [*range(1, 2000), *EDGES]
    for share in (0.001, 0.25, 1 / 3, 0.999):
        should = {n for n in numbers if mixed(n, seed) >> 11 < int(share * 2**53)}
        assert taken(numbers, sample=share, seed=seed) == should


@pytest.mark.parametrize("seed", SEEDS[::3])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.9])
@pytest.mark.parametrize("numbers", [MANY, range(7, 7 * 20_000, 7), range(TOP - 19_999, TOP + 1)])
def test_a_sample_has_its_share(numbers, share, seed):
    count, total = len(taken(numbers, sample=share, seed=seed)), len(numbers)
    assert abs(count - share * total) < 4.5 * math.sqrt(total * share * (1 - share))


def test_the_largest_and_smallest_samples():
    assert taken(MANY, sample=1.0) == set(MANY)
    assert taken(MANY, sample=2.0**-53) == set()


def test_a_smaller_share_is_a_part_of_a_larger_one():
    shares = [taken(MANY, sample=share, seed=3) for share in (0.01, 0.02, 0.5, 0.51, 1.0)]
    assert all(one < other for one, other in pairwise(shares))


def test_other_seeds_choose_others():
    shares = [taken(MANY, sample=0.5, seed=seed) for seed in SEEDS]
    for n, one in enumerate(shares):
        for other in shares[:n]:  # as much in common as by chance
            assert abs(len(one & other) - 5000) < 4.5 * math.sqrt(20_000 * 0.25 * 0.75)


def test_a_limited_sample_is_the_beginning_of_the_sample():
    sample = taken(MANY, sample=0.1, seed=1)
    chosen = [n for n in reversed(MANY) if n in sample]
    for limit in (1, 10, 500):
        assert taken(reversed(MANY), limit, 0.1, 1) == set(chosen[:limit])


# Ways along links

P31, P279, P131, P17, P40 = 31, 279, 131, 17, 40
CHAIN = {*(int(pid[1:]) for pid in HIERARCHY), rules.SAME_AS}
Triple = tuple[int, int, int]
MakeLinks = Callable[[list[Triple]], ClassLinks]


@pytest.fixture(scope="module")
def make_links(tmp_path_factory) -> MakeLinks:
    folder = tmp_path_factory.mktemp("links")

    def make(found: list[Triple]) -> ClassLinks:
        path: Path = folder / "links"
        path.write_bytes(np.array(found, np.uint32).reshape(-1, 3).tobytes())
        return ClassLinks(path)

    return make


def graph(found: list[Triple], predicates: set[int] | None = None) -> nx.DiGraph:
    made = nx.DiGraph()
    made.add_nodes_from(range(20))
    made.add_edges_from((s, o) for s, p, o in found if predicates is None or p in predicates)
    return made


def behind(made: nx.DiGraph, start: set[int]) -> set[int]:
    """Return what is reached from somewhere by one step or more."""
    return {o for s in start for n in ({s} | nx.descendants(made, s)) for o in made.successors(n)}


NODES = st.integers(1, 12)
GRAPHS = st.lists(
    st.tuples(NODES, st.sampled_from([P31, P279, P131, P17, P40, rules.SAME_AS]), NODES),
    max_size=40,
)
STARTS = st.sets(NODES, max_size=3)
few_links_at_a_time = pytest.mark.parametrize("size", [1, 3, 1 << 20])


@few_links_at_a_time
@settings(max_examples=30)
@given(found=GRAPHS, start=STARTS)
def test_all_subclasses(make_links, size, found, start):
    bits = a_set(*start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_PART_SIZE", size)
        make_links(found).grow(bits, [selection.SUBCLASS_OF], is_backward=True)
    classes = graph(found, {P279})
    assert members(bits, 1000) == start.union(*(nx.ancestors(classes, c) for c in start))


@few_links_at_a_time
@settings(max_examples=30)
@given(found=GRAPHS, start=STARTS, count=st.integers(0, 4))
def test_neighbours(make_links, size, found, start, count):
    bits = a_set(*start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_PART_SIZE", size)
        selection.hops(make_links(found), bits, count)
    redirects, near = graph(found, {rules.SAME_AS}), set(start)
    for hop in range(count + 1):
        near |= {o for s, _, o in found if s in near and hop}
        near |= behind(redirects, near)  # the target of a redirect is no hop farther
    assert members(bits, 1000) == near


@few_links_at_a_time
@settings(max_examples=30)
@given(found=GRAPHS, start=STARTS)
def test_targets_of_items(make_links, size, found, start):
    bits = a_set(*start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_PART_SIZE", size)
        pointed = selection.closure(make_links(found), bits)
    at_once = {o for s, _, o in found if s in start}
    assert members(pointed, 1000) == at_once | behind(graph(found, CHAIN), at_once | start)
    assert members(bits, 1000) == start


@settings(max_examples=30)
@given(GRAPHS, STARTS)
def test_instances_come_in_order(found, classes):
    part = np.array(found, np.uint32).reshape(-1, 3)
    should = [s for s, p, o in found if p == P31 and o in classes]
    assert selection.instances(part, a_set(*classes)).tolist() == should


def test_a_long_chain_against_the_order_of_the_dump(make_links):
    chain = [(n + 1, P131, n) for n in range(1, 300)]
    assert members(selection.closure(make_links(chain), a_set(300)), 1000) == set(range(1, 300))
    upwards = [(n, P279, n + 1) for n in range(1, 300)]
    classes = a_set(300)
    make_links(upwards).grow(classes, [selection.SUBCLASS_OF], is_backward=True)
    assert members(classes, 1000) == set(range(1, 301))


def test_the_highest_item_can_be_linked(make_links):
    links = make_links([(TOP, P40, TOP - 1), (TOP - 1, P31, 1)])
    bits = a_set(TOP)
    selection.hops(links, bits, 1)
    assert members(bits) == {TOP, TOP - 1}
    assert members(selection.closure(links, bits)) == {TOP - 1, 1}


def test_no_links_at_all(make_links):
    links, bits = make_links([]), a_set(1)
    links.grow(bits, [selection.SUBCLASS_OF], is_backward=True)
    selection.hops(links, bits, 3)
    assert members(bits, 1000) == {1}
    assert members(selection.closure(links, bits), 1000) == set()


def test_links_are_those_of_items_to_items(tmp_path):
    text = triples(
        """
        wd:Q1 wdt:P31 wd:Q999999999
        wd:Q1 rdfs:label "one"@en
        wd:Q1 wdt:P40 _:b1
        wd:Q1 wdt:P1687 wd:P40
        wd:P40 wdt:P31 wd:Q2
        wd:Q1 rdf:type wdno:P40
        wd:Q999999999 <http://www.w3.org/2002/07/owl#sameAs> wd:Q1
        wd:Q3 wdt:P131072 wd:Q4
        """
    )
    scanned = sift(Block(1, text.encode(), frozenset()), Filter().rules())
    with (tmp_path / "links").open("wb") as file:
        file.write(selection.links(scanned))
        file.write(selection.links(scanned))
    found = [
        tuple(link) for part in ClassLinks(tmp_path / "links").parts() for link in part.tolist()
    ]
    assert found == 2 * [(1, P31, TOP), (TOP, rules.SAME_AS, 1), (3, 0, 4)]
