"""Communities of items, and their shares of the splits of BioKaLMA."""

from collections import Counter
from itertools import chain

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.datasets.biokalma import shares
from kgbuild.graph.communities import communities
from kgbuild.graph.pairs import Pairs

EDGES = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), max_size=40)


def by_community(edges: list[tuple[int, int]]) -> list[list[int]]:
    items, homes = communities(Pairs(*np.array(edges, np.int32).reshape(-1, 2).T))
    return [items[homes == home].tolist() for home in range(int(homes.max(initial=-1)) + 1)]


@settings(deadline=None)  # the first call may compile
@given(EDGES)
def test_small_communities_are_the_connected_components(edges: list[tuple[int, int]]) -> None:
    components = nx.connected_components(nx.Graph(edges))
    expected = sorted(map(sorted, components))
    small = [members for members in expected if len(members) <= 30]
    found = by_community(edges)
    assert found == sorted(found)
    assert [members for members in found if members in small] == small
    assert sorted(chain(*found)) == sorted(chain(*expected))


def test_a_large_component_is_divided() -> None:
    cliques = [
        (first + x, first + y) for first in (1, 101, 201) for x in range(20) for y in range(x)
    ]
    found = by_community([*cliques, (1, 101), (101, 201)])  # bridges
    assert found == [[*range(first, first + 20)] for first in (1, 101, 201)]


def defined(counts: list[Counter[int]], free: list[int], goal: list[float]) -> list[int]:
    """Take the community whose pairs lessen the distance to the goal most, until none does."""
    lacking = dict(enumerate(goal))
    free, taken = [*free], []

    def gain(home: int) -> float:
        return sum(
            (abs(lacking[relation]) - abs(lacking[relation] - count)) / goal[relation]
            for relation, count in counts[home].items()
        )

    while free and gain(best := max(free, key=gain)) > 0:
        free.remove(best)
        taken.append(best)
        for relation, count in counts[best].items():
            lacking[relation] -= count
    return taken


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 3)), min_size=1, max_size=60),
    st.floats(0.05, 0.5),
    st.randoms(use_true_random=False),
)
def test_communities_are_taken_until_the_goal_is_reached(pairs, share, random) -> None:
    homes, relations = np.array(pairs).T
    counts = [Counter() for _ in range(20)]
    for home, relation in pairs:
        counts[home][relation] += 1
    totals = np.bincount(relations, minlength=4)
    goal = np.where(totals, share * totals, 1)
    free = sorted(random.sample(range(20), 15))
    taken = shares.take(shares.count_relations(homes, relations, 20, 4), np.array(free), goal)
    assert taken.tolist() == defined(counts, free, goal.tolist())
