"""What a builder may ask of a store, in one hand."""

from typing import NamedTuple

from kgbuild.kg.association import Associations
from kgbuild.kg.hierarchy import Kinds, Wholes
from kgbuild.kg.labels import Labels
from kgbuild.kg.overlap import Overlap
from kgbuild.kg.statements import Statements
from kgbuild.kg.store import Graph
from kgbuild.kg.times import Times


class Knowledge(NamedTuple):
    """The triples, what is asked of them most often, and what follows from them."""

    graph: Graph
    statements: Statements
    times: Times
    labels: Labels
    kinds: Kinds
    wholes: Wholes
    overlap: Overlap
    associations: Associations
