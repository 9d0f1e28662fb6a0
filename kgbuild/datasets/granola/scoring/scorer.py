"""Score answers to GRANOLA against the true answers at every level."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.datasets.asking import Grader
from kgbuild.datasets.granola.scoring.grader import graded
from kgbuild.datasets.granola.scoring.matcher import Matcher
from kgbuild.datasets.granola.scoring.metrics import (
    DECAY,
    LevelTexts,
    Reached,
    gold,
    informativeness,
    judge,
    popularity_bin,
    score,
)
from kgbuild.datasets.granola.scoring.strata import Stratum, nearness, strata
from kgbuild.datasets.granola.scoring.truths import TrueAnswer, Truth
from kgbuild.datasets.scoring import Attributes, ScoreColumn, ScoreTable, Scoring, columns
from kgbuild.evaluate.answers import ALONE, OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share
from kgbuild.models.chat import Failure

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = """
    SELECT question_id, relation, popularity, split, source, resolution, complete
    FROM granola_questions
"""
_CLOSED = 0.9
"""The least share of subjects with a single value from which on a relation counts as closed."""
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


_VERDICTS = {True: "right", False: "wrong"}


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
        threshold: float | None = None,
        decay: float = DECAY,
        match: str = ITEMS,
        grader: Grader | None = None,
        grade_all: bool = False,
    ):
        self._db = db
        self._threshold = threshold
        self._decay = decay
        self._match = match
        self._grader = grader
        self._grade_all = grade_all
        self._outcomes: dict[tuple[str, str], Reached] = {}
        self._truths: dict[str, Truth] = {}

    def _read(self, answers: Iterable[Answer]) -> None:
        """Read the true answers to the questions of some answers."""
        values = {"asked": [*{answer.asked for answer in answers}]}
        true: dict[str, list[TrueAnswer]] = defaultdict(list)
        with self._db.reading() as select:
            for question_id, *answer in map(dict.values, select(_ANSWERS, values)):
                true[question_id].append(TrueAnswer(*answer))
            questions = [row.values() for row in select(_TRUTHS, values)]
        self._truths |= {
            question_id: Truth(question, true[question_id]) for question_id, question in questions
        }

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher()

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
            return self._matcher.judge(answer.text, truth)
        true = self._gold(answer)
        threshold = true.threshold if self._threshold is None else self._threshold
        return judge(answer.text, true.levels, threshold, true.narrow)

    def prepare(self, answers: Sequence[Answer]) -> None:
        """Read the true answers, and let the grader judge answers."""
        self._read(answers)
        if self._grader is None:
            return
        cases = {
            (answer.asked, answer.text): (answer.text, self._truths[answer.asked])
            for answer in answers
            if answer.text.strip() and (self._grade_all or _is_open(self._by_rules(answer)))
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
            verdict = "abstained" if outcome.abstained else _VERDICTS[outcome.right]
            yield {
                **answer.identity(ALONE, OPTIONAL),
                "verdict": verdict,
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

    def strata(self, answers: Sequence[Answer], model: str) -> list[Stratum]:
        """Return the mean similarity to the finest answer, by stratum; see ``strata``."""
        from kgbuild.models.embeddings import closeness

        self._read(answers)
        similarities = nearness(
            [answer.text for answer in answers],
            [self._gold(answer).levels for answer in answers],
            lambda pairs: closeness(model, pairs),
        )
        return strata([self.outcome(answer) for answer in answers], similarities)

    def _gold(self, answer: Answer) -> LevelTexts:
        truth = self._truths[answer.asked]
        return gold(truth.answers)


def _is_open(outcome: Reached) -> bool:
    """Return whether no rule finds a true answer or a refusal in an answer."""
    return outcome.level is None and not outcome.abstained


def _attributes(db: "Database") -> Attributes:
    return {
        record["question_id"]: {
            **record,
            "popularity": _bin(record["popularity"]),
            "complete": _openness(record["complete"]),
        }
        for record in db.read(_QUESTIONS).records
    }


def _openness(complete: float | None) -> str:
    """Return whether a question is closed or open: one with many true answers."""
    if complete is None:
        return "unknown"
    return "closed" if complete >= _CLOSED else "open"


def _bin(popularity: int) -> str:
    low, high = popularity_bin(popularity)
    return f"{low}–{high}" if low < high else str(low)


SCORING = Scoring(
    item_columns=ALONE,
    group_columns=("relation", "popularity", "split", "source", "resolution", "complete"),
    attributes=_attributes,
    predictions="SELECT item_id AS question_id, text AS answer, model, protocol, finish_reason,"
    " confidence FROM predictions WHERE dataset = 'granola'"
    " AND NOT regexp_full_match(protocol, 'sampled(@[^+]*)?')",
    scorer=Granularity,
    compared="accuracy",
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
