"""Communities of items."""

from itertools import chain

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
