"""All sources of facts about the items of a store, in one object."""

from collections.abc import Mapping
from functools import cache, partial

from kgbuild.graph.association import Associations
from kgbuild.graph.exact_names import ExactNames
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.key_hashes import Splits
from kgbuild.graph.other_values import OtherValues
from kgbuild.graph.similarity import Similarity
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.graph.years import BeginYears
from kgbuild.relations import Kind
from kgbuild.store.columns import Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph
from kgbuild.store.postings import Postings


class MissingValues:
    """The items that Wikidata marks by a property: its value is unknown, or they have no value.

    The items of a property are read once.
    """

    def __init__(self, columns: Columns):
        self.unknown = cache(partial(_qids, columns.unknown_values))
        self.none = cache(partial(_qids, columns.no_values))


def _qids(column: Column, pid: str) -> frozenset[str]:
    return frozenset(f"Q{item}" for item in column.items(pid).tolist())


class Knowledge:
    """The triples of a store, and the sources of facts about its items.

    ``graph`` runs queries; ``statements`` has the statements between items, ``columns`` the texts
    and times of items, ``names`` the items with a name, ``times`` the times of items, ``missing``
    the marks of missing values, ``others`` the items with values of other kinds, ``labels`` labels
    and descriptions. ``kinds`` has the kinds of items, ``wholes`` their places, wholes and classes.
    ``splits`` returns the splits of a dataset that items belong to, with a split for training or
    without one. ``similarity`` and ``associations`` compare items by their values. ``postings`` is
    the index of values; ``begin_years`` is about all of its rows. ``counts`` keeps what is counted
    over the whole store.

    ``sizes`` of the constructor are the numbers of the statements of each property, and ``kinds``
    are the kinds of items to distinguish.
    """

    def __init__(
        self,
        graph: Graph,
        labels: Labels,
        columns: Columns,
        postings: Postings,
        counts: Counts,
        sizes: Mapping[str, int],
        kinds: Mapping[str, Kind],
    ):
        self.graph = graph
        self.labels = labels
        self.columns = columns
        self.postings = postings
        self.counts = counts
        self.statements = Statements(postings)
        self.names = ExactNames(columns, counts)
        self.times = Times(columns)
        self.missing = MissingValues(columns)
        self.others = OtherValues(graph, columns, postings, counts, sizes)
        self.kinds = Kinds(self.statements, kinds)
        self.wholes = Wholes(self.statements)
        self.splits = cache(partial(Splits, postings, counts))
        self.similarity = Similarity(postings)
        self.associations = partial(Associations, postings, counts)
        self.begin_years = cache(partial(BeginYears, postings, columns, counts))
