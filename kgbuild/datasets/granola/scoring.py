"""Score answers to GRANOLA against the true answers at every level."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.datasets.granola.metrics import (
    DECAY,
    Gold,
    Outcome,
    gold,
    judge,
    popularity_bin,
    score,
)
from kgbuild.datasets.granola.strata import Stratum, nearness, strata
from kgbuild.datasets.scoring import Attributes, Scoring
from kgbuild.evaluate.answers import ALONE, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = (
    "SELECT question_id, relation, popularity, split, source, resolution FROM granola_questions"
)
_BITS = """
    SELECT question_id, list(bits ORDER BY "level")
    FROM (
        SELECT question_id, "level", max(bits) AS bits FROM granola_answers
        GROUP BY question_id, "level"
    )
    GROUP BY question_id
"""
_ANSWERS = "SELECT question_id, level, kind, answer, aliases FROM granola_answers ORDER BY rowid"


class Granularity:
    """Scores answers against the levels of the questions in a database.

    ``threshold`` is τ, the F1 of words above which an answer matches; by default it depends on the
    kind of answers. ``decay`` is λ: each coarser level multiplies informativeness by exp(−λ).
    """

    def __init__(
        self, db: "Database", path: Path, threshold: float | None = None, decay: float = DECAY
    ):
        self._db = db
        self._threshold = threshold
        self._decay = decay

    @cached_property
    def _gold(self) -> dict[str, Gold]:
        rows: dict[str, list[tuple[int, str, str, Sequence[str]]]] = {}
        for question_id, level, kind, answer, aliases in self._db.sql(_ANSWERS).rows:
            rows.setdefault(question_id, []).append((level, kind, answer, aliases))
        return {question_id: gold(levels) for question_id, levels in rows.items()}

    @cached_property
    def _bits(self) -> dict[str, Sequence[float]]:
        """The bits at each level of the questions."""
        return dict(self._db.sql(_BITS).rows)

    def outcome(self, answer: Answer) -> Outcome:
        """Return the level that an answer matches; a question without answers has no levels."""
        truth = self._truth(answer)
        threshold = truth.threshold if self._threshold is None else self._threshold
        outcome = judge(answer.text, truth.levels, threshold, truth.narrow)
        if outcome.level is None:
            return outcome
        bits = self._bits[answer.asked]
        information = bits[outcome.level - 1] / bits[0] if bits[0] else 1.0
        return outcome._replace(information=information)

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of the paper's definition 1."""
        return score([self.outcome(answer) for answer in answers], self._decay)

    def share(self, answer: Answer) -> Share:
        """Return whether an answer matches any level."""
        return Share(self.outcome(answer).right, 1)

    def strata(self, answers: Sequence[Answer], model: str) -> list[Stratum]:
        """Return the mean similarity to the finest answer, by stratum; see ``strata``."""
        from kgbuild.models import embeddings

        similarities = nearness(
            [answer.text for answer in answers],
            [self._truth(answer).levels for answer in answers],
            lambda pairs: embeddings.similarities(model, pairs),
        )
        return strata([self.outcome(answer) for answer in answers], similarities)

    def _truth(self, answer: Answer) -> Gold:
        return self._gold.get(answer.asked) or gold([])


def _attributes(db: "Database") -> Attributes:
    return {
        record["question_id"]: {**record, "popularity": _bin(record["popularity"])}
        for record in db.sql(_QUESTIONS).records
    }


def _bin(popularity: int) -> str:
    low, high = popularity_bin(popularity)
    return f"{low}–{high}" if low < high else str(low)


SCORING = Scoring(
    item_columns=ALONE,
    group_columns=("relation", "popularity", "split", "source", "resolution"),
    attributes=_attributes,
    predictions="SELECT item_id AS question_id, text AS answer, model, protocol, finish_reason"
    " FROM predictions WHERE dataset = 'granola'"
    " AND NOT regexp_full_match(protocol, 'sampled(@[^+]*)?')",
    scorer=Granularity,
    compared="accuracy",
    main_metrics=(
        ("accuracy", "accuracy", "Answers that are right, among all."),
        ("standard", "standard accuracy", "Answers that are right at the finest level."),
        ("informativeness", "informativeness", "Right answers, each weighted by its level."),
        ("information", "information", "Right answers, each weighted by its share of the bits."),
    ),
)
