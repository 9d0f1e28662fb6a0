"""All sources of facts about the items of a store, in one object."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.graph.association import Associations
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.key_hashes import Splits
from kgbuild.graph.other_values import OtherValues
from kgbuild.graph.row_labels import ExactNames, RowLabels
from kgbuild.graph.row_marks import RowMarks
from kgbuild.graph.similarity import Similarity
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.graph.years import BeginYears
from kgbuild.relations import Kind
from kgbuild.store import manifest
from kgbuild.store.arrays import Numbers
from kgbuild.store.columns import Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph
from kgbuild.store.postings import Postings, open_postings

if TYPE_CHECKING:
    from kgbuild.graph.open import Store


class MissingValues:
    """The items that Wikidata marks by a property: its value is unknown, or they have no value.

    The items of a property are read once.
    """

    def __init__(self, columns: Columns):
        self.unknown = cache(partial(_qids, columns.unknown_values))
        self.none = cache(partial(_qids, columns.no_values))


def _qids(column: Column, pid: str) -> frozenset[str]:
    return frozenset(f"Q{item}" for item in column.items(pid).tolist())


class Knowledge(NamedTuple):
    """The triples of a store, and the sources of facts about its items.

    ``graph`` runs queries; ``statements`` has the statements between items, ``columns`` the texts
    and times of items, ``names`` the items with a name, ``times`` the times of items, ``missing``
    the marks of missing values, ``others`` the items with values of other kinds, ``labels`` labels
    and descriptions. ``kinds`` has the kinds of items, ``wholes`` their places, wholes and classes.
    ``splits`` returns the splits of a dataset that items belong to, with a split for training or
    without one. ``similarity`` and ``associations`` compare items by their values. ``postings`` is
    the index of values; ``marks``, ``row_labels`` and ``begin_years`` are about many of its rows at
    a time. ``counts`` keeps what is counted over the whole store.
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
    marks: RowMarks
    row_labels: Callable[[], RowLabels]
    begin_years: Callable[[], BeginYears]
    counts: Counts


def knowledge(store: "Store", kinds: Mapping[str, Kind]) -> Knowledge:
    """Return the sources of facts in a store about items of some kinds.

    Raises:
        DamagedStoreError: the index of values, or the columns, cannot be opened.
    """
    fingerprint, columns = store.manifest.fingerprint, store.columns()
    index = open_postings(store.folder / manifest.POSTINGS, fingerprint)
    counts = Counts(store.folder / manifest.COUNTS, fingerprint)
    statements = Statements(index)
    return Knowledge(
        graph=store.graph,
        statements=statements,
        columns=columns,
        names=ExactNames(columns, counts),
        times=Times(columns),
        missing=MissingValues(columns),
        others=OtherValues(store.graph, index, columns, counts, store.manifest.properties),
        labels=store.labels,
        kinds=Kinds(statements, kinds),
        wholes=Wholes(statements),
        splits=cache(partial(Splits, index, counts)),
        similarity=Similarity(index),
        associations=partial(Associations, index, counts),
        postings=index,
        marks=RowMarks(index),
        row_labels=cache(partial(RowLabels, index, columns.labels, counts)),
        begin_years=cache(partial(BeginYears, index, columns, counts)),
        counts=counts,
    )
