"""Score answers to GRANOLA against the true answers at every level."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kgbuild.calls import OneOf, Range
from kgbuild.datasets.asking import Grader
from kgbuild.datasets.granola.prompts import SAMPLED
from kgbuild.datasets.granola.scoring.grader import graded
from kgbuild.datasets.granola.scoring.matcher import match
from kgbuild.datasets.granola.scoring.metrics import (
    DATE_THRESHOLD,
    DECAY,
    THRESHOLD,
    Stratum,
    informativeness,
    judge,
    nearness,
    score,
    strata,
)
from kgbuild.datasets.granola.scoring.truths import Reached, TrueAnswer, Truth
from kgbuild.datasets.scoring import ScoreColumn, ScoreTable, Scoring, columns
from kgbuild.errors import WrongCallError
from kgbuild.evaluate.answers import ALONE, OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share
from kgbuild.models.chat import Failure

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_ITEMS = """
    SELECT question_id, relation, split, source, resolution,
        CAST(10 ** (length(CAST(popularity AS VARCHAR)) - 1) AS BIGINT) AS power,
        CASE
            WHEN popularity = 0 THEN '0'
            WHEN popularity < 3 * power THEN concat(power, '–', 3 * power - 1)
            ELSE concat(3 * power, '–', 10 * power - 1)
        END AS popularity,
        CASE
            WHEN complete IS NULL THEN 'unknown' WHEN complete >= 0.9 THEN 'closed' ELSE 'open'
        END AS complete
    FROM granola_questions
"""
"""The attributes of questions.

The bins of popularity (in-degree) begin at 0, 1 and 3 times the powers of ten: 0, 1–2, 3–9, 10–29,
30–99 …. So they are about equally wide on a logarithmic scale, and depend on no data. Known
weakness: they hold unequal numbers of questions (those of the paper's figure 6 hold equally many),
so look at the intervals. A question is closed if at least 0.9 of the subjects have a single value
of its relation.
"""
_TRUTHS = """
    SELECT question_id, question FROM granola_questions
    WHERE question_id IN (SELECT unnest($asked))
"""
_ANSWERS = """
    SELECT question_id, "level", kind, answer, aliases, bits FROM granola_answers
    WHERE question_id IN (SELECT unnest($asked)) ORDER BY rowid
"""
ITEMS, F1 = "items", "f1"
"""Ways to match answers: by items and dates, or by the token F1 of the paper."""


class Granularity:
    """Scores answers against the levels of the questions in a database.

    ``match`` is ``ITEMS`` or ``F1``. With ``F1``, ``threshold`` is τ, the F1 of words above which
    an answer matches; by default it depends on the kind of answers. ``decay`` is λ: each coarser
    level multiplies informativeness by exp(−λ). ``grader`` is a model that judges the answers in
    which no rule finds a true answer or a refusal, or with ``grade_all`` every answer. An answer
    whose grade can't be read keeps its verdict by the rules.
    """

    def __init__(
        self,
        db: "Database",
        path: Path,
        threshold: Annotated[float, Range(0, 1, max_open=True)] | None = None,
        decay: Annotated[float, Range(0)] = DECAY,
        match: Annotated[str, OneOf((ITEMS, F1))] = ITEMS,
        grader: Grader | None = None,
        grade_all: bool = False,
    ):
        if threshold is not None and match != F1:
            raise WrongCallError("'threshold' has no effect without match='f1'.")
        if grade_all and not grader:
            raise WrongCallError("'grade_all' has no effect without a grader.")
        self._db = db
        self._threshold = threshold
        self._decay = decay
        self._match = match
        self._grader = grader
        self._grade_all = grade_all
        self._outcomes: dict[tuple[str, str], Reached] = {}
        self._truths: dict[str, Truth] = {}

    def _read(self, answers: Iterable[Answer]) -> None:
        asked = [*{answer.asked for answer in answers}]
        true: dict[str, list[TrueAnswer]] = defaultdict(list)
        with self._db.reading():
            for question_id, *answer in self._db.read(_ANSWERS, asked=asked).rows:
                true[question_id].append(TrueAnswer(*answer))
            for question_id, question in self._db.read(_TRUTHS, asked=asked).rows:
                self._truths[question_id] = Truth(question, true[question_id])

    def outcome(self, answer: Answer) -> Reached:
        """Return the level that an answer matches, and why; a question may have no levels."""
        key = answer.asked, answer.text
        if key not in self._outcomes:
            self._outcomes[key] = self._measured(answer.asked, self._by_rules(answer))
        return self._outcomes[key]

    def _measured(self, asked: str, outcome: Reached) -> Reached:
        """Return an outcome with its information."""
        if outcome.level is None:
            return outcome
        share = self._truths[asked].information(outcome.level, outcome.matched)
        return outcome._replace(information=share)

    def _by_rules(self, answer: Answer) -> Reached:
        truth = self._truths[answer.asked]
        if self._match == ITEMS:
            return match(answer.text, truth)
        threshold = self._threshold
        if threshold is None:
            threshold = DATE_THRESHOLD if truth.is_date else THRESHOLD
        return judge(answer.text, truth.names, threshold)

    def prepare(self, answers: Sequence[Answer]) -> None:
        """Read the true answers, and let the grader judge answers."""
        self._read(answers)
        if self._grader is None:
            return
        cases = {
            (answer.asked, answer.text): (answer.text, self._truths[answer.asked])
            for answer in answers
            if answer.text.strip()
            and (self._grade_all or self._by_rules(answer).verdict == "wrong")
        }
        found = graded([*cases.values()], self._grader.ask, self._grader.name) if cases else []
        self._grader.tell([outcome for outcome in found if isinstance(outcome, Failure)])
        self._outcomes = {
            key: self._measured(key[0], outcome)
            for key, outcome in zip(cases, found, strict=True)
            if isinstance(outcome, Reached)
        }

    def judgements(self, answers: Iterable[Answer]) -> Iterator[dict[str, Any]]:
        """Yield a record for each answer: its verdict, the level that it matches, and why."""
        for answer in answers:
            outcome = self.outcome(answer)
            yield {
                **answer.identity(ALONE, OPTIONAL),
                "verdict": outcome.verdict,
                "level": outcome.level,
                "matched": outcome.matched or None,
                "reason": outcome.reason,
                "source": outcome.source or "rules",
                "informativeness": informativeness(outcome.level, self._decay),
                "information": outcome.information,
            }

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of the paper's definition 1."""
        return score([self.outcome(answer) for answer in answers], self._decay)

    def share(self, answer: Answer) -> Share:
        """Return whether an answer matches any level."""
        return Share(self.outcome(answer).right, 1)

    def abstains(self, answer: Answer) -> bool:
        """Return whether an answer abstains."""
        return self.outcome(answer).abstained

    def strata(self, answers: Sequence[Answer], model: str) -> list[Stratum]:
        """Return the mean similarity to the finest answer, by stratum; see ``strata``."""
        from kgbuild.models.local.embeddings import closeness

        similarities = nearness(
            [answer.text for answer in answers],
            [self._truths[answer.asked].names for answer in answers],
            lambda pairs: closeness(model, pairs),
        )
        return strata([self.outcome(answer) for answer in answers], similarities)


SCORING = Scoring(
    item_columns=ALONE,
    group_columns=("relation", "popularity", "split", "source", "resolution", "complete"),
    items=_ITEMS,
    predictions="SELECT item_id AS question_id, text AS answer, model, protocol, finish_reason,"
    " confidence FROM predictions WHERE dataset = 'granola'",
    scorer=Granularity,
    compared="accuracy",
    elsewhere=(SAMPLED,),
    instead="as combined by 'kgbuild aggregate'",
    main_metrics=(
        ("accuracy", "accuracy", "Answers that are right, among all."),
        ("standard", "standard accuracy", "Answers that are right at the finest level."),
        ("informativeness", "informativeness", "Right answers, each weighted by its level."),
        ("information", "information", "Right answers, each weighted by its share of the bits."),
    ),
    tables=(
        ScoreTable(
            (
                ScoreColumn("answers", "accuracy", ""),
                *columns("accuracy", "standard"),
                *columns("informativeness", "information", form="{:.2f}"),
                *columns("abstained"),
            ),
            rows=(({"among": "all"}, ""), ({"among": "given"}, "selective_")),
        ),
    ),
)
