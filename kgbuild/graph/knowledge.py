"""All sources of facts about the items of a store, in one object."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from kgbuild.graph.association import Associations
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.similarity import Similarity
from kgbuild.graph.splits import Splits
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.relations import Kind
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph
from kgbuild.store.postings import Postings


class Knowledge(NamedTuple):
    """The triples of a store, and the sources of facts about its items.

    ``graph.select`` runs queries; ``statements`` has the statements between items: ``values(item,
    property)``, ``subjects(value, property)``, ``pairs(property)``. ``times.by_item(property)`` has
    the times of all items, ``labels`` has ``label(id)`` and ``description(id)``. ``kinds`` has the
    kinds of items, ``wholes`` what they are part of, ``splits`` their splits; ``similarity`` and
    ``associations`` compare items by their values.
    """

    graph: Graph
    statements: Statements
    times: Times
    labels: Labels
    kinds: Kinds
    wholes: Wholes
    splits: Splits
    similarity: Similarity
    associations: Callable[[Iterable[str], Iterable[str]], Associations]


def knowledge(
    graph: Graph, labels: Labels, index: Postings, kinds: Mapping[str, Kind]
) -> Knowledge:
    """Return the sources of facts in a graph and its index about items of some kinds."""
    statements = Statements(index)
    about_items = Kinds(statements, kinds), Wholes(statements), Splits(index)
    by_values = Similarity(index), partial(Associations, index)
    return Knowledge(graph, statements, Times(graph), labels, *about_items, *by_values)
