"""Read the statements of a path from a store.

A path is one relation, or two relations with an item between them: the bridge.
"""

import functools
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa.falsity.risk import Signals, risk
from kgbuild.datasets.syn_qa.falsity.stored_facts import StoredFacts
from kgbuild.datasets.syn_qa.falsity.usage import Usage
from kgbuild.datasets.syn_qa.questions import Chain, Questions
from kgbuild.graph.association import Association, Associations, Holders, Shares
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import Pairs, joined
from kgbuild.native.arrays import Numbers, Positions
from kgbuild.rows import Evidence, Rejected
from kgbuild.wikidata import number


class PathFacts:
    """Returns the statements of one path, and the triples that join their items.

    ``last`` has the facts about the last relation, which the question asks about, and ``usage`` the
    counts of its statements. ``first`` has the facts about the relation from the subject to the
    bridge; it is None for a path of one relation. ``holders`` is cached.
    """

    def __init__(self, knowledge: Knowledge, path: Path):
        known = catalog()
        self.path = path
        self.questions = Questions(path, known, knowledge.kinds, knowledge.labels)
        self.last = StoredFacts(knowledge, path.last, known.relations)
        self.usage = Usage(knowledge.statements, knowledge.counts, path.last)
        self.first = StoredFacts(knowledge, path.first, known.relations) if path.first else None
        self._knowledge = knowledge
        self.holders = functools.cache(self._read_holders)
        self._least_risk = functools.cache(self._read_least_risk)

    def ends(self) -> Pairs:
        """Return the pairs of a subject and an object that the path joins."""
        numbers = self._knowledge.statements.numbers
        pairs = numbers(self.path.start.pid)
        return joined(pairs, numbers(self.path.last.pid)) if self.path.first else pairs

    def objects(self, rows: Positions) -> Numbers:
        """Return the numbers of the objects of subjects, given by their rows of the index."""
        statements, (first, last) = self._knowledge.statements, (self.path.first, self.path.last)
        if first:
            bridges = statements.values_of_rows(rows, first.pid)
            rows = self._knowledge.postings.rows_of_numbers(bridges).astype(np.int64)
        return statements.values_of_rows(rows, last.pid)

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

    def bridges(self, subjects: Numbers) -> Numbers:
        """Return the bridge of each subject, by numbers; -1 for a subject without a single one."""
        if self.first is None:
            return subjects
        bridges = (self._single_bridge(f"Q{subject}") for subject in subjects.tolist())
        return np.array([number(bridge) if bridge else -1 for bridge in bridges], np.int32)

    def signals(self, bridges: Numbers, true: Chain) -> Signals:
        """Return the signals for the risk that the last relation joins bridges to an object.

        It is the object of ``true``, whose bridge is not counted as a holder.
        """
        rows = self._knowledge.postings.row_of_each_number(bridges)
        shares = self.associations.estimate(rows, self.holders(true.object), true.bridge)
        return self._signals(bridges, shares)

    def _signals(self, bridges: Numbers, shares: Association) -> Signals:
        if self.path.last.one_of_each_sex:
            return Signals(shares, np.ones(len(bridges)), 1.0)  # the one that the object has
        values = self.usage.values(bridges).astype(np.float64)
        return Signals(shares, values, self.usage.mean_values)

    def risks(self, bridges: Numbers, true: Chain) -> Shares:
        """Return the probability that the last relation joins each bridge to the object."""
        return risk(self.signals(bridges, true))

    def risks_of_objects(self, bridge: str, objects: Sequence[str]) -> Shares:
        """Return the probability that the last relation joins a bridge to each object."""
        numbers = np.full(len(objects), number(bridge), np.int32)
        row = self._knowledge.postings.row(bridge)
        holders = [*map(self.holders, objects)]
        shares = self.associations.estimate_each(-1 if row is None else row, holders)
        return risk(self._signals(numbers, shares))

    def least_risk(self, object_: str) -> float:
        """Return the risk of a bridge that has a value and nothing in common with the holders.

        No bridge has a lower one, as the risk rises with each signal.
        """
        return self._least_risk(self.holders(object_).base)

    def _read_least_risk(self, share: float) -> float:
        """Return the least risk of values that a share of items has."""
        base = np.array([share])
        mean = 1.0 if self.path.last.one_of_each_sex else self.usage.mean_values
        return float(risk(Signals(Association(base, base), np.ones(1), mean))[0])

    def _read_holders(self, object_: str) -> Holders:
        """Return the items that the last relation joins to an object, for ``associations``."""
        return self.associations.holders(self.last.holders(object_))

    @cached_property
    def associations(self) -> Associations:
        """The estimates of how likely items have the values of the last relation."""
        return self._knowledge.associations(self.usage.name, self.usage.items)
