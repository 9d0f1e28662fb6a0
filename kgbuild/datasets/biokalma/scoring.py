"""How answers to BioKaLMA are scored: by the knowledge that they cite."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kgbuild.datasets.biokalma.citations import Pool, Triple, parse
from kgbuild.datasets.biokalma.metrics import Asked, Attributed, Claim, by_words, score
from kgbuild.datasets.scoring import Attributes, Scoring
from kgbuild.english.normalize import fold
from kgbuild.errors import TableFileError
from kgbuild.evaluate.answers import ALONE, OF_A_POOL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = "SELECT question_id, relation, split, source FROM biokalma_questions"
_KNOWLEDGE = """
    SELECT question_id, '', qid, property_label, "value" FROM biokalma_knowledge ORDER BY rowid
"""
_POOL = """
    SELECT question_id, '100', qid, property_label, "value" FROM biokalma_pool
"""
_GRAPHS = """
    SELECT g.question_id, CAST(g.accuracy AS VARCHAR), p.qid, p.property_label, p."value"
    FROM biokalma_graphs AS g
    JOIN biokalma_pool AS p ON p.question_id = g.given_in AND p.qid = g.given_qid
    WHERE g.accuracy < 100
"""
"""The pools with wrong graphs, by how many in a hundred are right."""
_ABSENT = """
    SELECT a.question_id, CAST(a.removed AS VARCHAR), p.qid, p.property_label, p."value"
    FROM biokalma_absent AS a
    JOIN biokalma_pool AS p USING (question_id, qid, property, "value")
"""
"""What is taken out of the pools, by round."""
_Triples: TypeAlias = Mapping[tuple[str, str], Sequence[Triple]]
"""Triples by question, and by round or accuracy."""


class Attribution:
    """Scores the citations of answers against the minimum knowledge sets of a database.

    ``path`` is the file of the answers, which errors name. ``entailment`` is a model of natural
    language inference; without one, words tell what a sentence entails.
    """

    def __init__(self, db: "Database", path: Path, entailment: str | None = None):
        self._db = db
        self._path = path
        self._entails = (
            partial(_by_model, entailment) if entailment else partial(by_words, fold=fold)
        )
        self._references: dict[tuple[str, str, str], Asked] = {}

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of section 4 of the paper.

        Raises:
            TableFileError: an answer is from a pool that does not exist.
        """
        return score([self._attributed(answer) for answer in answers], self._entails)

    def share(self, answer: Answer) -> Share:
        """Return how much of the knowledge that the question needs is cited."""
        return self._attributed(answer).recall

    def pool(self, answer: Answer) -> list[Triple]:
        """Return the pool that the model was given.

        Raises:
            TableFileError: it does not exist.
        """
        removed, pool = self._pools(answer)
        gone = set(removed)
        return [triple for triple in pool if triple not in gone]

    def _attributed(self, answer: Answer) -> Attributed:
        reference = self._reference(answer)
        return Attributed(parse(answer.text, reference.pool), reference)

    def _reference(self, answer: Answer) -> Asked:
        key = answer.asked, answer.removed, answer.accuracy
        if key not in self._references:
            removed, _ = self._pools(answer)
            pool = Pool(self.pool(answer), fold)
            self._references[key] = Asked(pool, self._knowledge[answer.asked, ""], removed)
        return self._references[key]

    def _pools(self, answer: Answer) -> tuple[Sequence[Triple], Sequence[Triple]]:
        """Return what was removed from an answer's pool, and the pool before that."""
        removed: Sequence[Triple] = ()
        pool = self._whole.get((answer.asked, answer.accuracy), ())
        if answer.removed != OF_A_POOL["removed"]:
            removed = self._lookup(answer, "removed", self._absent)
        if answer.accuracy != OF_A_POOL["accuracy"]:
            pool = self._lookup(answer, "accuracy", self._graphs)
        return removed, pool

    def _lookup(self, answer: Answer, column: str, triples: _Triples) -> Sequence[Triple]:
        value = getattr(answer, column)
        if (answer.asked, value) not in triples:
            others = {other for asked, other in triples if asked == answer.asked}
            possible = ", ".join(sorted(others | {OF_A_POOL[column]}, key=int))
            detail = (
                f"an answer to '{answer.asked}' has the {column} '{value[:20]}',"
                f" not one of {possible}"
            )
            raise TableFileError(self._path, detail)
        return triples[answer.asked, value]

    @cached_property
    def _knowledge(self) -> _Triples:
        return self._triples(_KNOWLEDGE)

    @cached_property
    def _whole(self) -> _Triples:
        return self._triples(_POOL)

    @cached_property
    def _graphs(self) -> _Triples:
        return self._triples(_GRAPHS)

    @cached_property
    def _absent(self) -> _Triples:
        return self._triples(_ABSENT)

    def _triples(self, text: str) -> _Triples:
        triples = defaultdict(list)
        for question_id, which, *triple in self._db.sql(text).rows:
            triples[question_id, which].append(Triple(*triple))
        return triples


def _by_model(model: str, claims: Sequence[Claim]) -> list[bool]:
    """Tell what a model says is entailed; it is given knowledge as in appendix B.3."""
    from kgbuild.models import embeddings

    pairs = [(text, f"{triple.property}: {triple.value}") for text, triple in claims]
    return embeddings.entailments(model, pairs)


def _attributes(db: "Database") -> Attributes:
    return {record["question_id"]: record for record in db.sql(_QUESTIONS).records}


SCORING = Scoring(
    item_columns=ALONE,
    group_columns=("relation", "split", "source"),
    attributes=_attributes,
    predictions="SELECT item_id AS question_id, text AS answer, model, protocol, removed, accuracy"
    " FROM predictions WHERE dataset = 'biokalma'",
    scorer=Attribution,
    compared="recall",
    main_metrics=(
        ("precision", "citation precision", "Citations that the question needs, among all."),
        ("recall", "citation recall", "Knowledge that the question needs and the answer cites."),
        ("f1", "citation F1", "The harmonic mean of precision and recall."),
    ),
    optional_columns=OF_A_POOL,
)
