"""All sources of facts about the items of a store, in one object."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import NamedTuple

from kgbuild.graph.association import Associations
from kgbuild.graph.exact_names import ExactNames
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.missing_values import MissingValues
from kgbuild.graph.other_values import OtherValues
from kgbuild.graph.row_labels import RowLabels
from kgbuild.graph.similarity import Similarity
from kgbuild.graph.splits import Splits
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.graph.years import BeginYears
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
    the marks of missing values, ``others`` the items with values of other kinds, ``labels`` labels
    and descriptions. ``kinds`` has the kinds of items, ``wholes`` their places, wholes and classes.
    ``splits`` returns the splits of a dataset that items belong to, with a split for training or
    without one. ``similarity`` and ``associations`` compare items by their values. ``postings`` is
    the index of values; ``row_labels`` and ``begin_years`` are about many of its rows at a time.
    ``counts`` keeps what is counted over the whole store.
    """

    graph: Graph
    statements: Statements
    columns: Columns
    names: ExactNames
    times: Times
    missing: MissingValues
    others: OtherValues
    labels: Labels
    kinds: Kinds
    wholes: Wholes
    splits: Callable[[bool], Splits]
    similarity: Similarity
    associations: Callable[[tuple[str, ...], Numbers, Iterable[str]], Associations]
    postings: Postings
    row_labels: Callable[[], RowLabels]
    begin_years: Callable[[], BeginYears]
    counts: Counts


def knowledge(
    graph: Graph,
    labels: Labels,
    index: Postings,
    columns: Columns,
    counts: Counts,
    sizes: Mapping[str, int],
    kinds: Mapping[str, Kind],
) -> Knowledge:
    """Return the sources of facts in a store about items of some kinds.

    ``sizes`` are the numbers of the statements of each property.
    """
    statements = Statements(index)
    return Knowledge(
        graph=graph,
        statements=statements,
        columns=columns,
        names=ExactNames(columns, counts),
        times=Times(columns),
        missing=MissingValues(columns),
        others=OtherValues(graph, index, columns, counts, sizes),
        labels=labels,
        kinds=Kinds(statements, kinds),
        wholes=Wholes(statements),
        splits=cache(partial(Splits, index, counts)),
        similarity=Similarity(index),
        associations=partial(Associations, index, counts),
        postings=index,
        row_labels=cache(partial(RowLabels, index, columns.labels, counts)),
        begin_years=cache(partial(BeginYears, index, columns, counts)),
        counts=counts,
    )
