"""Verify assumptions by a SPARQL endpoint, which may have a larger graph than the store.

The rules of the build decide whether an assumption holds, over statements of any rank. A question
about two relations has a bridge: the item between subject and object. All bridges in the larger
graph count, and the bridge in the store.
"""

from collections.abc import Iterator, Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.syn_qa.falsity.facts import Facts, other_end
from kgbuild.datasets.syn_qa.verification.assumptions import (
    ABSENT,
    HOLDS,
    UNKNOWN,
    Assumption,
    Finding,
)
from kgbuild.datasets.verifying import UNVERIFIED, batches
from kgbuild.graph.hierarchy import Wholes
from kgbuild.graph.ranked_statements import RankedStatements
from kgbuild.relations import Relation
from kgbuild.rows import Progress
from kgbuild.store.oxigraph import Graph


class EndpointSource:
    """The graph of an endpoint as a source; ``name`` is the address of the endpoint."""

    kind = "endpoint"
    resumes = True

    def __init__(self, graph: Graph, name: str):
        self.name = name
        self._statements = RankedStatements(graph)

    def findings(
        self, assumptions: Sequence[Assumption], progress: Progress
    ) -> Iterator[list[Finding]]:
        """Yield the findings of the graph; a batch needs a few requests."""
        done = 0
        for batch in batches(assumptions):
            progress(f"asking {self.name}", done, len(assumptions))
            yield self._verify(batch)
            done += len(batch)

    def _verify(self, batch: Sequence[Assumption]) -> list[Finding]:
        """Apply the rules, read the statements that they lacked, and repeat until none is missing.

        Further statements cannot refute an assumption that holds, so such findings are final.
        """
        findings = [Finding(assumption, UNVERIFIED) for assumption in batch]
        has_new_statements = True
        while has_new_statements:
            rules = _RulesOfEndpoint(self._statements)
            findings = [
                finding if finding.verdict == HOLDS else rules.finding(finding.assumption)
                for finding in findings
            ]
            has_new_statements = self._statements.read()
        return findings


class _RulesOfEndpoint:
    """The rules of the build over the statements that were read so far; conclusions are cached."""

    def __init__(self, statements: RankedStatements):
        self._statements = statements
        self._wholes = Wholes(statements)
        self._facts: dict[str, Facts] = {}

    def finding(self, assumption: Assumption) -> Finding:
        """Return the finding about an assumption by the statements that were read so far."""
        path, x, y = assumption.path, assumption.subject.qid, assumption.object.qid
        if path is None or x is None or y is None:
            return Finding(assumption, UNKNOWN, evidence="no relation to ask for")
        triples_by_bridge = {x: ""}  # with one relation, the subject is in the place of a bridge
        if path.first:
            triples_by_bridge = dict(self._bridges(assumption, x, path.first))
        facts = self._facts_of(path.last)
        for bridge, triple in triples_by_bridge.items():
            if bridge != y and (form := facts.form(bridge, y)):
                evidence = "; ".join(filter(None, (triple, " ".join(form.evidence))))
                return Finding(assumption, HOLDS, form.name, evidence)
        unknown_values = [
            f"{qid} {pid} unknown value"
            for relation, qids in ((path.first, [x]), (path.last, triples_by_bridge))
            if relation
            for qid in qids
            for pid in relation.forward_properties
            if self._statements.has_unknown_value(qid, pid)
        ]
        verdict = UNKNOWN if unknown_values else ABSENT
        return Finding(assumption, verdict, evidence="; ".join(unknown_values))

    def _bridges(
        self, assumption: Assumption, x: str, first: Relation
    ) -> Iterator[tuple[str, str]]:
        """Yield the bridges of a subject, each with the triple that joins the subject to it."""
        if assumption.bridge:
            yield assumption.bridge, assumption.bridge_triple
        for triple in self._facts_of(first).links(x):
            yield other_end(triple, x), " ".join(triple)

    def _facts_of(self, relation: Relation) -> Facts:
        if relation.pid not in self._facts:
            relations = catalog().relations
            self._facts[relation.pid] = Facts(self._statements, self._wholes, relation, relations)
        return self._facts[relation.pid]
