"""All sources of facts about the items of a store, in one object."""

from typing import NamedTuple

from kgbuild.graph.association import Associations
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.similarity import Similarity
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph


class Knowledge(NamedTuple):
    """The triples of a store, and the sources of facts about its items."""

    graph: Graph
    statements: Statements
    times: Times
    labels: Labels
    kinds: Kinds
    wholes: Wholes
    similarity: Similarity
    associations: Associations
