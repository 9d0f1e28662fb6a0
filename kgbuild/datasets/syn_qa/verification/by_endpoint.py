"""Verify assumptions by a SPARQL endpoint, which may hold a larger graph.

The rules are those by which a build looks into its store, over statements of any rank. Over two
hops, all bridges of the larger graph count, and that of the store.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgbuild.catalog import catalog
from kgbuild.datasets.syn_qa.facts import Facts
from kgbuild.datasets.syn_qa.verification.assumptions import (
    ABSENT,
    HOLDS,
    UNKNOWN,
    UNVERIFIED,
    Assumption,
    Finding,
    batches,
)
from kgbuild.graph.hierarchy import Wholes
from kgbuild.graph.ranked_statements import RankedStatements
from kgbuild.relations import Relation
from kgbuild.rows import Progress
from kgbuild.store.oxigraph import Graph


class EndpointSource:
    """The graph at an endpoint of that name."""

    kind = "endpoint"
    resumes = True

    def __init__(self, graph: Graph, name: str):
        self.name = name
        self._graph = graph
        self._statements = RankedStatements(graph)

    def findings(
        self, assumptions: Sequence[Assumption], progress: Progress
    ) -> Iterator[list[Finding]]:
        """Yield what the graph says of assumptions: one request or a few for each batch."""
        done = 0
        for batch in batches(assumptions):
            progress(f"asking {self.name}", done, len(assumptions))
            yield self._verify(batch)
            done += len(batch)

    def _verify(self, batch: Sequence[Assumption]) -> list[Finding]:
        """Return findings by what was read; read what was missing, until nothing is.

        More statements never make untrue what some of them say, so what holds stays.
        """
        findings = [Finding(one, UNVERIFIED) for one in batch]
        is_missing = True
        while is_missing:
            rules = _Rules(self._graph, self._statements)
            findings = [
                one if one.verdict == HOLDS else rules.finding(one.assumption) for one in findings
            ]
            is_missing = self._statements.read()
        return findings


class _Known(NamedTuple):
    """What facts are read from."""

    graph: Graph
    statements: RankedStatements
    wholes: Wholes


class _Rules:
    """The rules over what was read so far; they keep what they conclude from it."""

    def __init__(self, graph: Graph, statements: RankedStatements):
        self._known = _Known(graph, statements, Wholes(statements))
        self._facts: dict[str, Facts] = {}

    def finding(self, assumption: Assumption) -> Finding:
        """Return what was read about an assumption."""
        path, x, y = assumption.path, assumption.subject.qid, assumption.object.qid
        if path is None or x is None or y is None:
            return Finding(assumption, UNKNOWN, evidence="no relation to ask for")
        leading = dict(self._bridges(assumption, x, path.first)) if path.first else {x: ""}
        facts = self._of(path.last)
        for bridge, triple in leading.items():
            if bridge != y and (form := facts.form(bridge, y)):
                evidence = "; ".join(filter(None, (triple, " ".join(form.evidence))))
                return Finding(assumption, HOLDS, form.name, evidence)
        unknown = [
            f"{qid} {pid} unknown value"
            for relation, qids in ((path.first, [x]), (path.last, leading))
            if relation
            for qid in qids
            for pid in relation.forward
            if self._known.statements.has_unknown_value(qid, pid)
        ]
        return Finding(assumption, UNKNOWN if unknown else ABSENT, evidence="; ".join(unknown))

    def _bridges(
        self, assumption: Assumption, x: str, first: Relation
    ) -> Iterator[tuple[str, str]]:
        """Yield the bridges of a subject, each with the triple that leads to it."""
        if assumption.bridge:
            yield assumption.bridge, assumption.leading
        for triple in self._of(first).links(x):
            yield triple.object if triple.subject == x else triple.subject, " ".join(triple)

    def _of(self, relation: Relation) -> Facts:
        if relation.pid not in self._facts:
            self._facts[relation.pid] = Facts(self._known, relation, catalog().relations)
        return self._facts[relation.pid]
