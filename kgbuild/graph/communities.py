"""Find communities of items: items that many pairs join, and few or none with others."""

from collections import defaultdict

import numpy as np

from kgbuild.graph.pairs import Pairs
from kgbuild.native.arrays import Array, Numbers, Positions
from kgbuild.native.kernel import kernel

_SMALL = 30
"""Maximum number of items of a connected component that is not divided."""
_RESOLUTION = 2
"""With a higher resolution, communities are smaller, and more pairs are between two of them."""


def communities(pairs: Pairs) -> tuple[Numbers, Positions]:
    """Return the items of pairs, sorted, and the number of the community of each item.

    Communities are the connected components, of which large ones are divided by the method of
    Louvain. They are numbered by their first items. Source of the method: V. Blondel et al., Fast
    unfolding of communities in large networks, 2008.

    >>> pairs = Pairs(np.array([3, 2, 10, 7], np.int32), np.array([2, 10, 3, 5], np.int32))
    >>> [array.tolist() for array in communities(pairs)]
    [[2, 3, 5, 7, 10], [0, 0, 1, 1, 0]]
    """
    items, ends = np.unique(np.concatenate(pairs), return_inverse=True)
    first, second = ends[: len(pairs.subjects)], ends[len(pairs.subjects) :]
    homes = np.arange(len(items))
    _connect(first, second, homes)
    sizes = np.bincount(homes, minlength=len(items))
    are_large = sizes[homes[first]] > _SMALL
    edges: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by component
    for home, x, y in zip(
        *(array[are_large].tolist() for array in (homes[first], first, second)), strict=True
    ):
        edges[home].append((x, y))
    for home, edges_of_home in edges.items():
        for members in _divided(np.flatnonzero(homes == home), edges_of_home, len(items)):
            homes[members] = min(members)
    return items, np.unique(homes, return_inverse=True)[1]


def _divided(members: Array, edges: list[tuple[int, int]], item_count: int) -> list[list[int]]:
    """Return the communities of a component, each as a list of its members."""
    import networkx as nx  # slow to import, and few stores need it

    # The result depends on the order of the items: as networkx orders those of a part of a graph.
    ordered = members.tolist()
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from({*ordered} if 2 * len(ordered) < item_count else ordered)
    graph.add_edges_from(edges)
    found = nx.community.louvain_communities(graph, resolution=_RESOLUTION, seed=0)
    return [[*community] for community in found]


@kernel
def _connect(first: Positions, second: Positions, homes: Positions) -> None:
    """Write the first item of the component of each item to ``homes``, which has each item."""
    for n in range(first.size):
        x, y = _root(first[n], homes), _root(second[n], homes)
        homes[max(x, y)] = min(x, y)
    for item in range(homes.size):
        homes[item] = homes[homes[item]]  # the parent is smaller, and has its root already


def _root(item: int, parents: Positions) -> int:
    """Return the first item of a tree, and shorten the way to it."""
    while parents[item] != item:
        parents[item] = parents[parents[item]]
        item = parents[item]
    return item
