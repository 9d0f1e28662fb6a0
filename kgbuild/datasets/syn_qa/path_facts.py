"""Read the statements of a path from a store.

A path is one relation, or two relations with an item between them: the bridge.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.catalog import Catalog, Path
from kgbuild.datasets.syn_qa.questions import Chain, Questions
from kgbuild.datasets.syn_qa.risk import Signals
from kgbuild.datasets.syn_qa.stored_facts import StoredFacts
from kgbuild.datasets.syn_qa.usage import Usage
from kgbuild.graph.association import Associations, Holders
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import Pairs, joined
from kgbuild.rows import Evidence, Rejected
from kgbuild.store.arrays import Numbers, Positions


class Bridges(NamedTuple):
    """The rows of the bridges of subjects, and their numbers of values of the last relation.

    A row is -1 if the index has none. A subject without a single bridge is its own bridge.
    """

    rows: Positions
    values: Numbers | Positions


class PathFacts:
    """Returns the statements of one path, and the triples that join their items.

    ``last`` has the facts about the last relation, which the question asks about, and ``usage`` the
    counts of its statements. ``first`` has the facts about the relation from the subject to the
    bridge; it is None for a path of one relation.
    """

    def __init__(self, knowledge: Knowledge, catalog: Catalog, path: Path):
        self.path = path
        self.questions = Questions(path, catalog, knowledge.kinds, knowledge.labels)
        self.last = StoredFacts(knowledge, path.last, catalog.relations)
        self.usage = Usage(knowledge.postings, knowledge.statements, knowledge.counts, path.last)
        self.first = StoredFacts(knowledge, path.first, catalog.relations) if path.first else None
        self._knowledge = knowledge
        self._holders: dict[str, Holders] = {}

    def ends(self) -> Pairs:
        """Return the pairs of a subject and an object that the path joins."""
        numbers = self._knowledge.statements.numbers
        pairs = numbers(self.path.start.pid)
        return joined(pairs, numbers(self.path.last.pid)) if self.path.first else pairs

    def objects(self, subject: str) -> set[str]:
        """Return the objects that the path joins a subject to."""
        values = self._knowledge.statements.values
        bridges = values(subject, self.path.first.pid) if self.path.first else (subject,)
        return {y for bridge in bridges for y in values(bridge, self.path.last.pid)}

    def chain(self, subject: str, object_: str) -> Chain:
        """Return a subject and an object with the bridge of the subject.

        Raises:
            Rejected: the subject has no bridge, or several.
        """
        bridge = self._single_bridge(subject)
        if not bridge:
            raise Rejected("no single bridge", subject)
        return Chain(subject, bridge, object_)

    def _single_bridge(self, x: str) -> str | None:
        """Return the only item that the first relation joins x to; None without a single one.

        Only statements with the property of the relation count, because the wording of the question
        fits them alone: by the inverse (child), a mother could be the father of a child. For a path
        of one relation, it is x.
        """
        if self.first is None:
            return x
        relation, statements = self.path.start, self._knowledge.statements
        bridges = {*statements.values(x, relation.pid)}
        if relation.symmetric:
            bridges |= {*statements.subjects(x, relation.pid)}
        partners = bridges if relation.single_valued else {*self.first.partners(x)}
        is_single = (
            len(bridges) == 1 and partners == bridges and not self.first.has_unknown_value(x)
        )
        return bridges.pop() if is_single else None

    def bridge_evidence(self, subject: str) -> list[Evidence]:
        """Return the triple that joins a subject to its bridge; an empty list for one relation."""
        bridge = self._single_bridge(subject)
        links = self.first.links(subject) if self.first else []
        return [triple for triple in links if bridge in triple][:1]

    def bridges(self, subjects: Numbers) -> Bridges:
        """Return the bridges of subjects, which are given by the numbers of items."""
        numbers = subjects
        if self.first:
            qids = [f"Q{subject}" for subject in subjects.tolist()]
            qids = [self._single_bridge(qid) or qid for qid in qids]
            numbers = np.fromiter(map(wikidata.number, qids), np.int32)
        rows = self._knowledge.postings.row_of_each_number(numbers)
        return Bridges(rows, self.usage.values(numbers))

    def bridges_of_rows(self, rows: Positions) -> Bridges:
        """Return the result of ``bridges`` for the items of rows of the index."""
        if self.first:
            return self.bridges(self._knowledge.postings.items[rows])
        return Bridges(rows, self.usage.values_of_rows(rows))

    def signals(self, bridges: Bridges, chain: Chain) -> Signals:
        """Return the signals for the risk that each bridge has the object of a chain."""
        rows, values = bridges
        shares = self.associations.estimate(rows, self.holders(chain.object), chain.bridge)
        return Signals(shares, values.astype(np.float64), self.usage.mean_values)

    def holders(self, object_: str) -> Holders:
        """Return the items that the last relation joins to an object, for ``associations``."""
        if object_ not in self._holders:
            self._holders[object_] = self.associations.holders(self.last.holders(object_))
        return self._holders[object_]

    @cached_property
    def associations(self) -> Associations:
        """The estimates of how likely items have the values of the last relation."""
        # Properties that state the relation are no evidence for it.
        excluded = {*self.path.last.forward_properties, *self.path.last.backward_properties}
        return self._knowledge.associations(self.usage.name, self.usage.items, excluded)
