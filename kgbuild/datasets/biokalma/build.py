"""Build questions about two subjects, from joining statements or from biographies.

Source: section 2.2 and appendix A of the paper.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma import biographies
from kgbuild.datasets.biokalma.ablation import absent_facts, given_graphs
from kgbuild.datasets.biokalma.biographies import Resolver
from kgbuild.datasets.biokalma.coherence import Coherence
from kgbuild.datasets.biokalma.drafts import Draft, Drafter, Options
from kgbuild.datasets.biokalma.evolve import Chosen
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.model_writer import Ask, ModelWriter
from kgbuild.datasets.biokalma.pairs import PEOPLE
from kgbuild.datasets.biokalma.pool import Fact
from kgbuild.datasets.biokalma.rows import DATASET, MOST_USES, AbsentFact, Piece, PoolFact, Question
from kgbuild.graph.knowledge import Knowledge
from kgbuild.models.chat import Failure
from kgbuild.relations import Relation
from kgbuild.rows import Built, Progress, Rejected, Rejection, Row, shuffled, stable_id
from kgbuild.store.labels import Names

_DIGITS = 6
"""Decimals of scores; further ones would differ between machines."""


class Builder:
    """Builds questions from one store."""

    def __init__(
        self,
        knowledge: Knowledge,
        catalog: Catalog,
        lexicon: Lexicon,
        options: Options,
        coherence: Coherence,
        ask: Ask | None = None,
    ):
        self._knowledge = knowledge
        self._catalog = catalog
        self._options = options
        self._drafter = Drafter(knowledge, catalog, lexicon, options, coherence)
        self._pools = self._drafter.pools
        self._pairs = self._drafter.pairs
        self._writer = ModelWriter(self._pools, ask) if ask else None

    def source(self, relation: Relation) -> str:
        """Return the source of the rows of a relation; Q515/P47 if the class is not people."""
        of_class = self._options.of_class
        return relation.path if of_class == PEOPLE else f"{of_class}/{relation.path}"

    def joins(self, relation: Relation) -> bool:
        """Return whether a relation joins any two items of the class."""
        members = self._pairs.members
        return any(x in members and y in members for x, _, y in self._pairs.joined(relation))

    def build(self, relation: Relation, progress: Progress = lambda *_: None) -> Built:
        """Build the questions of a relation. ``progress`` counts them."""
        started = time.monotonic()
        source = self.source(relation)
        joined = shuffled(self._pairs.joined(relation), key=tuple, seed=self._options.seed)
        most = min(len(joined), self._options.limit or len(joined))
        drafts: list[Draft] = []
        rejections: list[Rejection] = []
        uses: Counter[str] = Counter()
        for statement in joined:
            if len(drafts) == self._options.limit:
                break
            progress(source, len(drafts), most)
            try:
                self._pairs.check(statement)
                if often := [qid for qid in statement[::2] if uses[qid] == MOST_USES]:
                    raise Rejected("used often", often[0])
                drafts.append(self._drafter.draft(statement))
                uses.update(statement[::2])
            except Rejected as rejected:
                rejections.append(rejected.rejection(" ".join(statement)))
        return self._built(source, drafts, rejections, started)

    def enrich(
        self, file: str, lines: Iterable[str], names: Names, progress: Progress = lambda *_: None
    ) -> Built:
        """Build a question of each line of a file of biographies. ``progress`` counts them."""
        started = time.monotonic()
        records, rejections = biographies.read(lines)
        resolver = Resolver(
            self._knowledge.graph, names, self._pairs, self._catalog, self._drafter.minimality
        )
        drafts: dict[frozenset[str], Draft] = {}
        for number, one in enumerate(records):
            if len(drafts) == self._options.limit:
                break
            progress(file, number, len(records))
            try:
                statement = resolver.statement(one)
                pair = frozenset(statement[::2])
                if pair in drafts:
                    raise Rejected("asked before", " ".join(sorted(pair)))
                draft = self._drafter.draft(statement, one.sentence)
                drafts[pair] = draft._replace(candidate=one.candidate)
            except Rejected as rejected:
                rejections.append(rejected.rejection(one.candidate))
        annotated, failed = self._annotated(list(drafts.values()))
        return self._built(file, annotated, [*rejections, *failed], started)

    def _annotated(self, drafts: Sequence[Draft]) -> tuple[list[Draft], list[Rejection]]:
        """Return drafts that begin with the facts that a model, if any, finds in them."""
        if self._writer is None:
            return list(drafts), []
        stated = self._writer.stated(drafts)
        kept: list[Draft] = []
        rejections: list[Rejection] = []
        for draft, facts in zip(drafts, stated, strict=True):
            if isinstance(facts, Failure):
                rejections.append(Rejection(draft.candidate, facts.reason, facts.detail))
                continue
            try:
                new = self._drafter.draft(draft.statement, draft.begins, facts.__contains__)
                kept.append(new._replace(candidate=draft.candidate))
            except Rejected as rejected:
                rejections.append(rejected.rejection(draft.candidate))
        return kept, rejections

    def _built(
        self, source: str, drafts: Sequence[Draft], rejections: list[Rejection], started: float
    ) -> Built:
        """Return the rows of drafts, after a model, if any, has written their texts."""
        candidates = len(drafts) + len(
            rejections
        )  # pairs, of which the rejections below leave some out
        drafts, failed = self._written(drafts)
        rejections = [*rejections, *failed]
        tables: dict[str, list[Row]] = {table: [] for table in _TABLES}
        subjects: dict[str, list[str]] = {}
        for draft in drafts:
            question = self._question(draft, source)
            subjects[question.question_id] = [*dict.fromkeys(fact.qid for fact in draft.pool)]
            for table, rows in self._rows(question, draft, source):
                tables[table] += map(vars, rows)
            rejections += _dropped(draft)
        tables["biokalma_graphs"] += map(vars, given_graphs(subjects, source, self._options.seed))
        seconds = time.monotonic() - started
        return Built(source, tables, rejections, candidates, seconds)

    def _written(self, drafts: Sequence[Draft]) -> tuple[list[Draft], list[Rejection]]:
        """Return drafts with the texts of a model, if any, and the rejections of its failures."""
        if self._writer is None:
            return list(drafts), []
        kept: list[Draft] = []
        rejections: list[Rejection] = []
        for draft, done in zip(drafts, self._writer.write(drafts), strict=True):
            if isinstance(done, Failure):
                candidate = draft.candidate or " ".join(draft.statement)
                rejections.append(Rejection(candidate, done.reason, done.detail))
            else:
                kept.append(done)
        return kept, rejections

    def _rows(
        self, question: Question, draft: Draft, source: str
    ) -> Iterator[tuple[str, Iterable[Question | Piece | PoolFact | AbsentFact]]]:
        """Yield the rows of a question, table by table."""
        qid, options = question.question_id, self._options
        yield "biokalma_questions", [question]
        yield "biokalma_knowledge", self._pieces(qid, draft.chosen, source)
        yield "biokalma_pool", (self._pooled(qid, fact, source) for fact in draft.pool)
        yield (
            "biokalma_absent",
            absent_facts(
                qid,
                source,
                draft.knowledge,
                draft.pool,
                options.remove,
                options.seed,
                self._drafter.minimality,
            ),
        )

    def _question(self, draft: Draft, source: str) -> Question:
        first, pid, second = draft.statement
        popularity = self._knowledge.statements.popularity
        return Question(
            question_id=stable_id(DATASET, source, *draft.statement, draft.general, draft.specific),
            subjects=[{"qid": qid, "label": self._pools.label(qid)} for qid in (first, second)],
            relation=pid,
            general_question=draft.general,
            specific_question=draft.specific,
            paragraph=draft.paragraph,
            popularity=popularity(first) + popularity(second),
            source=source,
            evidence=[fact.evidence._asdict() for fact in draft.knowledge],
            split=self._pairs.split(first),
        )

    def _pieces(self, question_id: str, chosen: Sequence[Chosen], source: str) -> Iterator[Piece]:
        for position, one in enumerate(chosen, 1):
            yield Piece(
                question_id=question_id,
                position=position,
                round=one.round,
                qid=one.fact.qid,
                property=one.fact.pid,
                property_label=self._pools.property_label(one.fact.pid),
                value=one.fact.shown,
                value_qid=one.fact.value_qid,
                specificity=round(one.specificity, _DIGITS),
                coherence=round(one.coherence, _DIGITS),
                score=round(one.score, _DIGITS),
                source=source,
            )

    def _pooled(self, question_id: str, fact: Fact, source: str) -> PoolFact:
        return PoolFact(
            question_id=question_id,
            qid=fact.qid,
            property=fact.pid,
            property_label=self._pools.property_label(fact.pid),
            value=fact.shown,
            value_qid=fact.value_qid,
            source=source,
        )


_TABLES = tuple(
    f"biokalma_{name}" for name in ("questions", "knowledge", "pool", "absent", "graphs")
)


def _dropped(draft: Draft) -> Iterator[Rejection]:
    """Yield the facts left out of the knowledge set of a question."""
    question = " ".join(draft.statement)
    for one in draft.dropped:
        detail = f"of {question}; {one.detail}".removesuffix("; ")
        yield Rejection(" ".join(one.fact.triple), one.reason, detail)
