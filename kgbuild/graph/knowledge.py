"""What a builder may ask of a store, in one hand."""

from typing import NamedTuple

from kgbuild.graph.association import Associations
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.similarity import Similarity
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Times
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph


class Knowledge(NamedTuple):
    """The triples, what is asked of them most often, and what follows from them."""

    graph: Graph
    statements: Statements
    times: Times
    labels: Labels
    kinds: Kinds
    wholes: Wholes
    similarity: Similarity
    associations: Associations
