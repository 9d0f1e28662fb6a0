"""Read the pools of answers: the knowledge that a model could cite in an answer."""

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kgbuild.datasets.biokalma.scoring.citations import Triple
from kgbuild.errors import TableFileError
from kgbuild.evaluate.answers import OF_A_POOL, Answer

_POOL = """
    SELECT question_id, '100', qid, property_label, "value" FROM biokalma_pool
"""
_GRAPHS = """
    SELECT g.question_id, CAST(g.accuracy AS VARCHAR), p.qid, p.property_label, p."value"
    FROM biokalma_graphs AS g
    JOIN biokalma_pool AS p ON p.question_id = g.given_in AND p.qid = g.given_qid
    WHERE g.accuracy < 100
"""
"""The pools of the ablation of retrieval, with the percentage of right graphs in the database."""
_ABSENT = """
    SELECT a.question_id, CAST(a.removed AS VARCHAR), p.qid, p.property_label, p."value"
    FROM biokalma_absent AS a
    JOIN biokalma_pool AS p USING (question_id, qid, property, "value")
"""
"""The knowledge that is removed from the pools, with the number of removed pieces of the set."""
_Triples: TypeAlias = Mapping[tuple[str, str], Sequence[Triple]]
"""Triples by question id, and by scope, round or accuracy: the first columns of the queries."""


class AnswerPools:
    """The pools of a database, which are read when they are needed.

    ``rows`` returns the rows of a query, and ``triples`` those of a query of triples. ``path`` is
    the file of the answers, for error messages.
    """

    def __init__(self, rows: Callable[[str], Iterable[Sequence[Any]]], path: Path):
        self._rows = rows
        self._path = path
        self.triples = functools.cache(self._read)

    def pool(self, answer: Answer) -> list[Triple]:
        """Return the knowledge that the model could cite.

        Raises:
            TableFileError: the database has no such pool.
        """
        complete_pool = (
            self.triples(_POOL).get((answer.asked, answer.accuracy), ())
            if answer.accuracy == OF_A_POOL["accuracy"]
            else self._lookup(_GRAPHS, answer.asked, "accuracy", answer.accuracy)
        )
        absent = {*self.absent(answer)}
        return [triple for triple in complete_pool if triple not in absent]

    def absent(self, answer: Answer) -> Sequence[Triple]:
        """Return the knowledge that was removed from a pool.

        Raises:
            TableFileError: the database has no pool that lacks so many pieces.
        """
        if answer.removed == OF_A_POOL["removed"]:
            return ()
        return self._lookup(_ABSENT, answer.asked, "removed", answer.removed)

    def _lookup(self, query: str, question: str, column: str, value: str) -> Sequence[Triple]:
        triples = self.triples(query)
        if (question, value) not in triples:
            values = {condition for question_id, condition in triples if question_id == question}
            possible = ", ".join(sorted(values | {OF_A_POOL[column]}, key=int))
            detail = (
                f"an answer to '{question}' has the {column} '{value[:20]}', not one of {possible}"
            )
            raise TableFileError(self._path, detail)
        return triples[question, value]

    def _read(self, query: str) -> _Triples:
        triples = defaultdict(list)
        for question_id, condition, *triple in self._rows(query):
            triples[question_id, condition].append(Triple(*triple))
        return triples
