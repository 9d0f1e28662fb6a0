"""What a store says about a path: one relation, or two that meet in a bridge."""

from collections.abc import Iterable
from typing import NamedTuple

from kgbuild.catalog import Catalog, Path
from kgbuild.datasets.syn_qa.facts import Facts
from kgbuild.datasets.syn_qa.questions import Questions
from kgbuild.graph.association import Association, Holders
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence, Rejected


class Chain(NamedTuple):
    """The items of a statement: its subject, its bridge (over one hop the subject), its object."""

    subject: str
    bridge: str
    object: str


class PathFacts:
    """Returns the statements of one path, and what joins their items.

    ``last`` are the facts about the last relation, which the question asks about; ``first`` those
    about the relation that leads to the bridge, None over one hop.
    """

    def __init__(self, knowledge: Knowledge, catalog: Catalog, path: Path):
        self.path = path
        self.questions = Questions(path, catalog, knowledge.kinds, knowledge.labels)
        self.last = Facts(knowledge, path.last, catalog.relations)
        self.first = Facts(knowledge, path.first, catalog.relations) if path.first else None
        self._knowledge = knowledge
        self._holders: dict[str, Holders] = {}

    def ends(self) -> list[tuple[str, str]]:
        """Return the subjects and objects that the path joins."""
        statements = self._knowledge.statements
        pairs = statements.pairs(self.path.start.pid)
        if self.path.first is None:
            return pairs
        last = self.path.last.pid
        return sorted({(x, y) for x, z in pairs for y in statements.values(z, last)})

    def chain(self, subject: str, object_: str) -> Chain:
        """Return a subject and an object with the bridge of the subject.

        Raises:
            Rejected: there is none, or several.
        """
        bridge = self._only_bridge(subject)
        if not bridge:
            raise Rejected("no single bridge", subject)
        return Chain(subject, bridge, object_)

    def _only_bridge(self, x: str) -> str | None:
        if self.first is None:
            return x
        bridges = self.first.partners(x)
        return bridges[0] if len(bridges) == 1 and not self.first.has_unknown_value(x) else None

    def bridge_evidence(self, subject: str) -> list[Evidence]:
        """Return the triple that joins a subject to its bridge; none over one hop."""
        return self.first.evidence(subject)[:1] if self.first else []

    def associations(self, subjects: Iterable[str], chain: Chain) -> list[Association]:
        """Estimate how strongly the values of each subject's bridge go with the chain's object."""
        associations, object_ = self._knowledge.associations, chain.object
        if object_ not in self._holders:
            same = {*self.path.last.forward, *self.path.last.backward}
            holders = self.last.holders(object_)
            self._holders[object_] = associations.holders(holders, same)
        bridges = (self._only_bridge(subject) or subject for subject in subjects)
        return associations.estimate(bridges, self._holders[object_], chain.bridge)
