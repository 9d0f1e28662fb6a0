"""Verify by an endpoint with a larger graph that knowledge sets have all values.

A set has all values that the store has of a property. A larger graph may have more: then the set
is not sufficient, and an answer that cites them is scored as wrong.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgbuild import datasets, wikidata
from kgbuild.datasets.biokalma.rows import DATASET, INCOMPLETE, MORE_VALUES
from kgbuild.datasets.verifying import (
    Finding,
    Verified,
    batches,
    found_by,
    opened_endpoint,
    require_verified,
    verify_all,
)
from kgbuild.errors import KgbuildError
from kgbuild.rows import Progress, Rejection, no_progress
from kgbuild.wikidata import Value

if TYPE_CHECKING:  # these modules are slow to import
    from kgbuild.store.oxigraph import Graph
    from kgbuild.tables.database import Database

COMPLETE, UNKNOWN = "complete", "unknown"
"""Further verdicts on a set: the endpoint has no other values; it cannot tell."""

Claim = tuple[str, str]
"""An item and a property."""

_SETS = """
    SELECT
        question_id, q.source, q.split, scope, qid, property,
        list(p.value_qid) FILTER (p.value_qid IS NOT NULL),
        list(p."value") FILTER (p.value_qid IS NULL)
    FROM biokalma_knowledge AS k
    JOIN biokalma_questions AS q USING (question_id)
    JOIN biokalma_pool AS p USING (question_id, qid, property)
    WHERE k.position > len(string_split(q.relation, '/'))
    GROUP BY ALL
    ORDER BY min(q.rowid), min(k.position)
"""
"""The claims of each set, with the items and the texts that its pool has of them.

The joining statements are left out.
"""


class Values(NamedTuple):
    """The values of a claim in the pool of a question: ids of items, and texts of others."""

    items: set[str]
    texts: set[str]


class Completeness(NamedTuple):
    """The assumption that the pool of a question has all values of some claims.

    ``role`` is the scope of the pieces that they belong to.
    """

    item_id: str
    relation: str
    split: str
    role: str
    values: Mapping[Claim, Values]


def verify(
    db: "Database",
    *,
    endpoint: str,
    keep: bool = False,
    notice: Callable[[str], None] = lambda _: None,
    progress: Progress = no_progress,
) -> Verified:
    """Verify by a SPARQL endpoint with a larger graph that all sets have all values.

    Verdicts are written to the table ``verifications``. Questions with an incomplete set become
    rejections, unless ``keep`` is true. After an interruption, only the remaining sets are
    verified. ``notice`` receives a sentence when the endpoint requires a pause.

    Raises:
        KgbuildError: there are no questions; the endpoint failed after some sets were verified; the
            endpoint or the database cannot be used.
    """
    db.create_tables()
    sets = _sets(db)
    if not sets:
        raise KgbuildError(f"{db.path} has no questions to verify. Build them: 'kgbuild biokalma'.")
    with opened_endpoint(endpoint, notice) as (graph, address):
        source = CompletenessSource(graph, address)
        unverified = verify_all(db, DATASET, source, sets, progress)
    verified = found_by(db, DATASET, source)
    # A question without a verdict on each set stays: the next run could not find its other sets.
    unfinished = {finding.assumption.item_id for finding in unverified}
    removed = {}
    for of_set in () if keep else sets:
        found = verified[of_set.role, of_set.item_id]
        if found.verdict == INCOMPLETE and of_set.item_id not in unfinished:
            detail = f"by {source.kind} {source.name}: {found.evidence}"
            rejection = Rejection(of_set.item_id, MORE_VALUES, detail)
            removed[of_set.item_id] = of_set.relation, rejection
    if removed:
        db.reject(datasets.dataset(DATASET), removed)
    require_verified(source.name, len(sets), unverified)
    counts = Counter(
        (of_set.role, verified[of_set.role, of_set.item_id].verdict) for of_set in sets
    )
    return Verified(source.kind, source.name, counts, [*removed])


class CompletenessSource:
    """The graph of an endpoint as a source; ``name`` is the address of the endpoint."""

    kind = "endpoint"
    resumes = True

    def __init__(self, graph: "Graph", name: str):
        self.name = name
        self._graph = graph

    def findings(
        self, assumptions: Sequence[Completeness], progress: Progress
    ) -> Iterator[list[Finding[Completeness]]]:
        """Yield the findings of the graph, with a request for the values of a batch."""
        done = 0
        for batch in batches(assumptions):
            progress(f"asking {self.name}", done, len(assumptions))
            claims = [*dict.fromkeys(claim for of_set in batch for claim in of_set.values)]
            values: dict[Claim, list[Value]] = defaultdict(list)
            for qid, pid, value in self._graph.select("direct_values", item=claims):
                if value:
                    values[qid, pid].append(value)
            yield [self._finding(of_set, values) for of_set in batch]
            done += len(batch)

    def _finding(
        self, of_set: Completeness, values: Mapping[Claim, Sequence[Value]]
    ) -> Finding[Completeness]:
        """Return the verdict on a set; the evidence has the triples that the set lacks."""
        further: list[str] = []
        unknown: list[str] = []
        for (qid, pid), pool_values in of_set.values.items():
            of_claim = values.get((qid, pid), ())
            if not of_claim or any(value.kind == "unknown" for value in of_claim):
                unknown.append(f"{qid} {pid}")
                continue
            new = [value for value in of_claim if not _is_in(value, pool_values)]
            coarser = self._wholes(pool_values.items) if new else set()
            further += [f"{qid} {pid} {value.text}" for value in new if value.text not in coarser]
        if further:
            return Finding(of_set, INCOMPLETE, evidence="; ".join(further))
        if unknown:
            return Finding(of_set, UNKNOWN, evidence=f"no known value: {'; '.join(unknown)}")
        return Finding(of_set, COMPLETE)

    def _wholes(self, items: set[str]) -> set[str]:
        """Return what items lie in, or are kinds of: a set has only the finest values."""
        return {
            whole
            for item in sorted(items, key=wikidata.number)
            for (whole,) in self._graph.select("wholes", part=item)
        }


def _is_in(value: Value, values: Values) -> bool:
    """Return whether a pool has a value, or a time that is the same, but coarser or finer.

    >>> _is_in(Value("time", "1878-11-07T00:00:00Z"), Values(set(), {"1878"}))
    True
    """
    if value.kind == "item":
        return value.text in values.items
    text = wikidata.show(value)
    if value.kind != "time":
        return text in values.texts
    return any(text.startswith(other) or other.startswith(text) for other in values.texts)


def _sets(db: "Database") -> list[Completeness]:
    """Return the sets of all questions by scope."""
    claims: dict[tuple[str, str, str, str], dict[Claim, Values]] = defaultdict(dict)
    for question_id, source, split, scope, qid, pid, items, texts in db.read(_SETS).rows:
        values = Values({*(items or ())}, {*(texts or ())})
        claims[question_id, source, split, scope][qid, pid] = values
    return [Completeness(*key, values) for key, values in claims.items()]
