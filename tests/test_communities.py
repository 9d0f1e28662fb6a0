"""Communities of items, and their shares of the splits of BioKaLMA."""

from itertools import chain

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.biokalma.sets.partition import take_share
from kgbuild.graph.communities import communities
from kgbuild.graph.pairs import Pairs

EDGES = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), max_size=40)


def by_community(edges: list[tuple[int, int]]) -> list[list[int]]:
    items, homes = communities(Pairs(*np.array(edges, np.int32).reshape(-1, 2).T))
    return [items[homes == home].tolist() for home in range(int(homes.max(initial=-1)) + 1)]


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


@given(
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 3)), min_size=1, max_size=60),
    st.floats(0.05, 0.5),
    st.sets(st.integers(0, 19)),
)
def test_communities_are_taken_until_the_goal_is_reached(
    pairs: list[tuple[int, int]], share: float, chosen: set[int]
) -> None:
    homes, relations = np.array(pairs).T
    free = np.isin(np.arange(20), [*chosen])
    goal = share * np.bincount(relations, minlength=4)
    taken = take_share(homes, relations, free, goal)
    assert not (taken & ~free).any()
    for relation in range(4):
        sizes = np.bincount(homes[relations == relation], minlength=20)
        smallest = sizes[free & (sizes > 0)].min(initial=1000)
        # Who lacks pairs has no community left that would not pass the goal by more than it lacks.
        lacks = goal[relation] - sizes[taken].sum()
        left = sizes[free & ~taken & (sizes > 0)]
        assert lacks <= 0 or not len(left) or left.max() >= lacks or lacks < smallest
