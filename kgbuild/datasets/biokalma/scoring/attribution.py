"""Score answers to BioKaLMA by the pieces of knowledge that they cite."""

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kgbuild.calls import OneOf
from kgbuild.datasets.biokalma.rows import SPECIFIC, scope_of
from kgbuild.datasets.biokalma.scoring.answer_pools import AnswerPools
from kgbuild.datasets.biokalma.scoring.citations import Pool, Triple, parse
from kgbuild.datasets.biokalma.scoring.metrics import AttributedAnswer, Reference, score, values
from kgbuild.datasets.biokalma.scoring.requests import LABELS
from kgbuild.datasets.biokalma.scoring.word_entailment import SentenceClaim, entails_by_words
from kgbuild.datasets.scoring import ScoreColumn, Scores, ScoreTable, Scoring, columns
from kgbuild.english import date_levels, date_parsing
from kgbuild.evaluate.answers import ALONE, OF_A_POOL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

STRICT, LENIENT = CITATIONS = ("strict", "lenient")
"""Which forms of citations count: those of the prompt alone, or others that models write, too."""
_IDS = 'SELECT DISTINCT qid, property, property_label, "value", value_qid FROM biokalma_pool'
_KNOWLEDGE = """
    SELECT k.question_id, asked.scope, k.qid, k.property_label, k."value"
    FROM biokalma_knowledge AS k
    JOIN (VALUES ('specific'), ('general')) AS asked(scope)
        ON k.scope = 'specific' OR k.scope = asked.scope
    ORDER BY k.rowid
"""
"""The sets of both questions; that of the general question contains the other one."""
_FIRST = """
    SELECT question_id, scope, qid, property_label, "value" FROM biokalma_knowledge WHERE round = 0
"""
"""The pieces that a question begins with, which are the first of both sets."""
_EQUIVALENTS = """
    SELECT e.question_id, k.qid, k.property_label, k."value", p.qid, p.property_label, p."value"
    FROM biokalma_equivalents AS e
    JOIN biokalma_knowledge AS k USING (question_id, "position")
    JOIN biokalma_pool AS p
        ON p.question_id = e.question_id AND p.qid = e.qid
        AND p.property = e.property AND p."value" = e."value"
"""
"""The pieces of the sets, and the statements of the pools that say the same."""


class Attribution:
    """Scores the citations of answers against the minimum knowledge sets of a database.

    ``path`` is the file of the answers, for error messages. ``entailment`` is the name of a model
    of natural language inference; without it, ``entails_by_words`` decides what a sentence entails.
    ``citations`` is STRICT or LENIENT: which forms of citations count. ``as_published`` counts as
    the code of the authors does: see ``metrics.score``.
    """

    def __init__(
        self,
        db: "Database",
        path: Path,
        entailment: str | None = None,
        citations: Annotated[str, OneOf(CITATIONS)] = STRICT,
        as_published: bool = False,
    ):
        self._db = db
        self._as_published = as_published
        self._lenient = citations == LENIENT
        self._pools = AnswerPools(lambda query: db.read(query).rows, path)
        self._entails = functools.partial(_by_model, entailment) if entailment else entails_by_words
        self._reference = functools.cache(self._read_reference)

    def prepare(self, answers: Sequence[Answer]) -> None:
        """Read what the answers cite."""
        with self._db.reading():
            for answer in answers:
                self._reference_of(answer)

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of section 4 of the BioKaLMA paper.

        Raises:
            TableFileError: an answer is from a pool that does not exist.
        """
        return score([self._attributed(answer) for answer in answers], self._entails)

    def share(self, answer: Answer) -> Share:
        """Return the citation recall of an answer: the cited share of its minimum knowledge set."""
        attributed = self._attributed(answer)
        return attributed.recall(attributed.reference.needed)

    def judgements(self, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
        """Yield a record for each answer: its metrics, and its citations in their order."""
        attributed = [self._attributed(answer) for answer in answers]
        metrics = values(attributed, self._entails)
        for answer, parsed, answer_metrics in zip(answers, attributed, metrics, strict=True):
            citations = [
                {**citation.triple._asdict(), "correct": citation.is_correct}
                for citation in parsed.citations
            ]
            record = answer.identity(ALONE, OF_A_POOL)
            unread = [brackets for sentence in parsed.sentences for brackets in sentence.unread]
            yield {**record, "metrics": answer_metrics, "citations": citations, "unread": unread}

    def _attributed(self, answer: Answer) -> AttributedAnswer:
        reference = self._reference_of(answer)
        return AttributedAnswer(parse(answer.text, reference.pool), reference)

    def _reference_of(self, answer: Answer) -> Reference:
        # Answers to a question with the same pool share a cached reference.
        scope = scope_of(answer.protocol)
        return self._reference(answer._replace(text="", model="", protocol=scope))

    def _read_reference(self, answer: Answer) -> Reference:
        pool = self._pools.pool(answer)
        knowledge = self._pools.triples(_KNOWLEDGE)[answer.asked, answer.protocol]
        lenient = [form for piece in pool for form in self._forms[piece]] if self._lenient else None
        names = {piece.qid: self._names.get(piece.qid, "") for piece in (*knowledge, *pool)}
        return Reference(
            Pool(pool, lenient),
            knowledge,
            self._pools.absent(answer),
            self._equivalents.get(answer.asked, {}),
            names,
            self._as_published,
            len(self._pools.triples(_FIRST)[answer.asked, SPECIFIC]) if self._as_published else 0,
        )

    @functools.cached_property
    def _names(self) -> Mapping[str, str]:
        """The names of subjects and values by id."""
        return dict(self._db.read(LABELS).rows)

    @functools.cached_property
    def _forms(self) -> Mapping[Triple, Sequence[tuple[Triple, str]]]:
        """The further texts by which a lenient reading knows each piece.

        Ids stand for the labels of properties and values, and dates may be in words.
        """
        forms: dict[Triple, list[tuple[Triple, str]]] = {}
        for qid, pid, label, text, value_qid in self._db.read(_IDS).rows:
            time = date_parsing.read(text) if value_qid is None else None
            others = [value_qid] if value_qid else [*(date_levels.spellings(time) if time else ())]
            piece = Triple(qid, label, text)
            texts = itertools.product((label, pid), (text, *others))
            forms[piece] = [(piece, f"{name}:{value}") for name, value in texts]
        return forms

    @functools.cached_property
    def _equivalents(self) -> Mapping[str, Mapping[Triple, Sequence[Triple]]]:
        """The statements that say the same as a piece, by question and piece."""
        by_question: dict[str, dict[Triple, list[Triple]]] = defaultdict(lambda: defaultdict(list))
        for question, *texts in self._db.read(_EQUIVALENTS).rows:
            by_question[question][Triple(*texts[:3])].append(Triple(*texts[3:]))
        return by_question


def _by_model(model: str, claims: Sequence[SentenceClaim]) -> list[bool]:
    """Return for each claim whether a model infers it; it is worded as in appendix B.3."""
    from kgbuild.models.local import classifiers

    pairs = [(one.sentence, f"{one.triple.property}: {one.triple.value}") for one in claims]
    return classifiers.entailments(model, pairs)


_UNREAD_SHOWN = 3
"""Number of unknown forms of citations that are shown."""


def _notes(scores: Scores) -> Iterator[str]:
    """Yield what the answers do besides citing pieces of their pool, over all groups."""

    def count(name: str) -> str:
        estimates = [metrics[name] for _, metrics in scores.groups]
        total = sum(estimate.total for estimate in estimates)
        return f"{sum(estimate.hits for estimate in estimates):,} of {total:,}"

    yield f"Answers that cite nothing: {count('uncited')}, refusals: {count('refused')}"
    yield f"Citations of items without facts in the prompt: {count('unknown_items')}"
    if any(metrics["unread"].hits for _, metrics in scores.groups):
        texts = [text for record in scores.judgements() for text in record["unread"]]
        examples = ", ".join([*dict.fromkeys(texts)][:_UNREAD_SHOWN])
        yield f"Brackets that may cite, but in no known form: {len(texts):,}, such as {examples}"


_OF_CITATIONS = (*columns("precision", "recall"), ScoreColumn("F1", "f1"))
SCORING = Scoring(
    item_columns=ALONE,
    group_columns=("relation", "split", "source"),
    items="SELECT question_id, relation, split, source FROM biokalma_questions",
    predictions="SELECT item_id AS question_id, text AS answer, model, protocol, removed, accuracy,"
    " finish_reason, confidence FROM predictions WHERE dataset = 'biokalma'",
    scorer=Attribution,
    compared="recall",
    main_metrics=(
        ("precision", "citation precision", "Citations that the question needs, among all."),
        ("recall", "citation recall", "Knowledge that the question needs and the answer cites."),
        ("f1", "citation F1", "The harmonic mean of precision and recall."),
        ("na_precision", "[NA] precision", "Sentences with [NA] that are right to have it."),
        ("na_recall", "[NA] recall", "Removed knowledge that a sentence with [NA] states."),
        ("na_f1", "[NA] F1", "The harmonic mean of both."),
    ),
    curves={
        "citations": {"precision": "precision", "recall": "recall", "f1": "F1"},
        "[NA]": {"na_precision": "precision", "na_recall": "recall", "na_f1": "F1"},
    },
    optional_columns=OF_A_POOL,
    tables=(
        ScoreTable(
            (
                ScoreColumn("answers", "refused", ""),
                ScoreColumn("citations", "correctness", ""),
                *columns("correctness"),
                *_OF_CITATIONS,
                *columns("alignment"),
            ),
            rows=(
                ({"average": "micro"}, ""),
                ({"average": "macro"}, "macro_"),
                # Of what says the same as a piece of the set.
                ({"average": "micro, with equivalents"}, "equivalent_"),
            ),
        ),
        ScoreTable(
            (ScoreColumn("answers", "refused", ""), *columns("refused")),
            title="Refusals, which are right only if no fact in the prompt is about the question:",
            applies=lambda metrics: metrics["refused"].hits,
        ),
        ScoreTable(
            (
                ScoreColumn("[NA] sentences", "precision", ""),
                ScoreColumn("absent", "recall", ""),
                *_OF_CITATIONS,
            ),
            rows=(({}, "na_"),),
            applies=lambda metrics: metrics["na_recall"].total,
        ),
    ),
    notes=_notes,
)
