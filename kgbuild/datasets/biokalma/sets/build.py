"""Build questions about two subjects, from joining statements or from biographies.

Source: section 2.2 and appendix A of the BioKaLMA paper.
"""

import contextlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from kgbuild.datasets.ahead import Ahead
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.biokalma.questions.model_writer import ModelWriter
from kgbuild.datasets.biokalma.rows import DATASET, GENERAL, PEOPLE, SPECIFIC, TABLES, SetOptions
from kgbuild.datasets.biokalma.sets import biographies
from kgbuild.datasets.biokalma.sets.ablation import absent_pieces, assign_graphs
from kgbuild.datasets.biokalma.sets.coherence import Coherence
from kgbuild.datasets.biokalma.sets.drafts import Drafter, PairDraft, examiner
from kgbuild.datasets.biokalma.sets.equivalents import equivalents
from kgbuild.datasets.biokalma.sets.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.datasets.since import Older
from kgbuild.errors import TableFileError
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import shuffled_statements
from kgbuild.models.chat import Failure
from kgbuild.relations import Relation
from kgbuild.rows import Built, Progress, Rejected, Rejection, Row, no_progress, stable_id
from kgbuild.store.arrays import forgetting
from kgbuild.store.labels import Spellings

_DECIMALS = 6
"""Number of decimals of scores: further decimals could differ between machines."""


class Builder:
    """Builds the questions of a relation, or of a file of biographies.

    ``names`` resolves the names in files; ``ask`` asks a language model to write the texts.
    ``ahead`` drafts questions on all cores; without it, this process drafts all. With an ``older``
    store, questions are about subjects that a statement joins that it does not have.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        names: Spellings,
        options: SetOptions,
        coherence: Coherence | None = None,
        ask: Ask | None = None,
        ahead: Ahead | None = None,
        older: Older | None = None,
    ):
        self._knowledge = knowledge
        # A model that measures coherence is not copied to the workers.
        self._ahead = None if coherence else ahead
        self._names = names
        self._options = options
        self._older = older
        self._drafter = Drafter(knowledge, options, coherence, older)
        self._pools = self._drafter.pools
        self._pairs = self._drafter.pairs
        self._writer = ModelWriter(self._pools, ask) if ask else None

    def __call__(self, part: Relation | Path, progress: Progress = no_progress) -> Built:
        """Build the questions of a relation or a file; ``progress`` receives their number.

        Raises:
            TableFileError: the file cannot be read, or has no line.
        """
        if isinstance(part, Relation):
            return self._from_relation(part, progress)
        try:
            lines = part.read_text(encoding="utf-8-sig", errors="replace").split("\n")
        except OSError as error:
            raise TableFileError(part, error.strerror or str(error)) from error
        if not any(map(str.strip, lines)):
            raise TableFileError(part, "it has no line")
        return self.from_biographies(part.name, lines, progress)

    def _from_relation(self, relation: Relation, progress: Progress) -> Built:
        """Build the questions of a relation.

        Their source is the relation, such as P47; for subjects of another class than people, it
        begins with the class: Q515/P47.
        """
        started = time.monotonic()
        of_class = self._options.of_class
        source = relation.path if of_class == PEOPLE else f"{of_class}/{relation.path}"
        pairs = self._pairs.pairs_of(relation)
        maximum = min(len(pairs.subjects), self._options.limit or len(pairs.subjects))
        drafts: list[PairDraft] = []
        rejections: list[Rejection] = []
        statements = shuffled_statements(relation.path, pairs, self._options.seed)
        with contextlib.closing(self._examined(statements, maximum)) as examined:
            for statement, draft in forgetting(examined):
                if len(drafts) == self._options.limit:
                    break
                progress(source, len(drafts), maximum)
                try:
                    drafts.append(draft())
                except Rejected as rejected:
                    rejections.append(rejected.rejection(" ".join(statement)))
        return self._built(source, drafts, rejections, started)

    def _examined(
        self, statements: Iterator[Triple], wanted: int
    ) -> Generator[tuple[Triple, Callable[[], PairDraft]]]:
        """Return each statement with a function that returns its draft, or rejects it."""
        here = self._drafter.examine
        if self._ahead is None:
            return ((statement, partial(here, statement)) for statement in statements)
        in_worker = partial(examiner, self._options, self._older)
        return self._ahead.of(statements, wanted, here, in_worker)

    def from_biographies(
        self, file: str, lines: Iterable[str], progress: Progress = no_progress
    ) -> Built:
        """Build a question from each line of a file of biographies."""
        started = time.monotonic()
        records, rejections = biographies.read(lines)
        resolver = biographies.SubjectResolver(self._names, self._pairs)
        drafts: dict[frozenset[str], PairDraft] = {}
        for number, biography in enumerate(records):
            if len(drafts) == self._options.limit:
                break
            progress(file, number, len(records))
            try:
                statement = resolver.statement(biography)
                pair = frozenset(joined_items(statement))
                if pair in drafts:
                    raise Rejected("asked before", " ".join(sorted(pair)))
                draft = self._drafter.draft(statement, biography.sentence)
                drafts[pair] = draft._replace(candidate=biography.candidate)
            except Rejected as rejected:
                rejections.append(rejected.rejection(biography.candidate))
        all_drafts = list(drafts.values())
        if self._writer:
            annotations = self._writer.annotate(all_drafts)
            outcomes = [*map(self._redraft, all_drafts, annotations)]
            all_drafts, failures = _separate(all_drafts, outcomes)
            rejections += failures
        return self._built(file, all_drafts, rejections, started)

    def _redraft(self, draft: PairDraft, annotation: set[Piece] | Failure) -> PairDraft | Failure:
        """Draft a question again, with a set that begins with the pieces of an annotation.

        An annotation has the pieces that the sentence of a biography states, as a model reads it.
        """
        if isinstance(annotation, Failure):
            return annotation
        try:
            is_stated = annotation.__contains__
            new = self._drafter.draft(draft.statement, draft.opening, is_stated)
        except Rejected as rejected:
            return Failure(rejected.reason, rejected.detail)
        return new._replace(candidate=draft.candidate)

    def _built(
        self, source: str, drafts: list[PairDraft], rejections: list[Rejection], started: float
    ) -> Built:
        """Return the rows of drafts; a model writes their texts first, if there is one."""
        candidate_count = len(drafts) + len(rejections)
        if self._writer:
            drafts, failures = _separate(drafts, self._writer.write(drafts))
            rejections += failures
        tables: dict[str, list[Row]] = {table: [] for table in TABLES}
        compared: list[Row] = []
        pool_subjects: dict[str, list[str]] = {}  # by question id
        for draft in forgetting(drafts):
            question = self._question(draft, source)
            question_id = question["question_id"]
            pool_subjects[question_id] = [*dict.fromkeys(piece.qid for piece in draft.pool)]
            tables["biokalma_questions"].append(question)
            of_tables = {
                "knowledge": self._knowledge_rows(draft),
                "pool": map(self._piece_columns, draft.pool),
                "equivalents": equivalents(
                    [choice.piece for choice in (*draft.chosen, *draft.further)],
                    draft.pool,
                    self._drafter.minimality,
                ),
                "absent": absent_pieces(
                    question_id,
                    draft.knowledge,
                    draft.pool,
                    self._options.remove,
                    self._options.seed,
                    self._drafter.minimality,
                ),
            }
            common = {"question_id": question_id, "source": source}
            for name, rows in of_tables.items():
                tables[f"{DATASET}_{name}"] += ({**row, **common} for row in rows)
            if since := self._drafter.since:  # what connects the subjects decides
                triples = [piece.triple for piece in draft.knowledge]
                deciding = len(self._pairs.steps(draft.statement))
                compared += since.rows(source, question_id, triples, deciding)
            statement = " ".join(draft.statement)
            for piece, reason, explanation in draft.dropped:
                detail = f"of {statement}; {explanation}".removesuffix("; ")
                rejections.append(Rejection(" ".join(piece.triple), reason, detail))
        tables["biokalma_graphs"] += (
            {**row, "source": source} for row in assign_graphs(pool_subjects, self._options.seed)
        )
        seconds = time.monotonic() - started
        return Built(source, tables, rejections, candidate_count, seconds, compared)

    def _question(self, draft: PairDraft, source: str) -> Row:
        first, pid, second = draft.statement
        popularity = self._knowledge.statements.popularity
        return {
            "question_id": stable_id(
                DATASET, source, *draft.statement, draft.general, draft.specific
            ),
            "subjects": [{"qid": qid, "label": self._pools.label(qid)} for qid in (first, second)],
            "relation": pid,
            "general_question": draft.general,
            "specific_question": draft.specific,
            "paragraph": draft.paragraph,
            "popularity": popularity(first) + popularity(second),
            "source": source,
            "evidence": [piece.evidence._asdict() for piece in draft.knowledge],
            "split": self._drafter.partition.split(first),
            "themes": [*draft.themes],
        }

    def _knowledge_rows(self, draft: PairDraft) -> Iterator[Row]:
        scopes = ((SPECIFIC, draft.chosen), (GENERAL, draft.further))
        rows = [(scope, choice) for scope, choices in scopes for choice in choices]
        for position, (scope, choice) in enumerate(rows, 1):
            yield {
                "position": position,
                "scope": scope,
                "round": choice.round,
                **self._piece_columns(choice.piece),
                "specificity": round(choice.specificity, _DECIMALS),
                "coherence": round(choice.coherence, _DECIMALS),
                "score": round(choice.score, _DECIMALS),
            }

    def _piece_columns(self, piece: Piece) -> Row:
        """Return the columns of a piece that the tables of knowledge sets and pools have."""
        return {
            "qid": piece.qid,
            "property": piece.pid,
            "property_label": self._pools.property_label(piece.pid),
            "value": piece.value_text,
            "value_qid": piece.value_qid,
        }


def _separate(
    drafts: Sequence[PairDraft], outcomes: Sequence[PairDraft | Failure]
) -> tuple[list[PairDraft], list[Rejection]]:
    """Return the outcomes that are drafts, and the rejections of drafts that failed."""
    failures = (
        Rejection(draft.candidate, outcome.reason, outcome.detail)
        for draft, outcome in zip(drafts, outcomes, strict=True)
        if isinstance(outcome, Failure)
    )
    return [outcome for outcome in outcomes if isinstance(outcome, PairDraft)], [*failures]
