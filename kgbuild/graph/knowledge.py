"""All sources of facts about the items of a store, in one object."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import NamedTuple

from kgbuild.graph.association import Associations
from kgbuild.graph.exact_names import ExactNames
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.missing_values import MissingValues
from kgbuild.graph.similarity import Similarity
from kgbuild.graph.splits import Splits
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.relations import Kind
from kgbuild.store.arrays import Numbers
from kgbuild.store.columns import Columns
from kgbuild.store.counts import Counts
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph
from kgbuild.store.postings import Postings


class Knowledge(NamedTuple):
    """The triples of a store, and the sources of facts about its items.

    ``graph`` runs queries; ``statements`` has the statements between items, ``columns`` the texts
    and times of items, ``names`` the items with a name, ``times`` the times of items, ``missing``
    the marks of missing values, ``labels`` labels and descriptions. ``kinds`` has the kinds of
    items, ``wholes`` their places, wholes and classes. ``splits`` returns the splits of a dataset
    that items belong to, with a split for training or without one. ``similarity`` and
    ``associations`` compare items by their values. ``counts`` keeps what is counted over the whole
    store.
    """

    graph: Graph
    statements: Statements
    columns: Columns
    names: ExactNames
    times: Times
    missing: MissingValues
    labels: Labels
    kinds: Kinds
    wholes: Wholes
    splits: Callable[[bool], Splits]
    similarity: Similarity
    associations: Callable[[Numbers, Iterable[str]], Associations]
    counts: Counts


def knowledge(
    graph: Graph,
    labels: Labels,
    index: Postings,
    columns: Columns,
    counts: Counts,
    kinds: Mapping[str, Kind],
) -> Knowledge:
    """Return the sources of facts in a store about items of some kinds."""
    statements = Statements(index)
    return Knowledge(
        graph=graph,
        statements=statements,
        columns=columns,
        names=ExactNames(columns, counts),
        times=Times(columns),
        missing=MissingValues(columns),
        labels=labels,
        kinds=Kinds(statements, kinds),
        wholes=Wholes(statements),
        splits=cache(partial(Splits, index)),
        similarity=Similarity(index),
        associations=partial(Associations, index),
        counts=counts,
    )
