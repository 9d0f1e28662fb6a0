"""Score verdicts of models on whether questions of Syn-(QA)² have a false assumption."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.datasets.scoring import Attributes, Scoring
from kgbuild.datasets.syn_qa import metrics
from kgbuild.datasets.syn_qa.verdicts import parse, verdict
from kgbuild.evaluate.answers import OF_A_PAIR, OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_PAIRS = "SELECT pair_id, relation, falsity, CAST(hops AS VARCHAR) AS hops, split FROM syn_qa_pairs"


class Detection:
    """Scores verdicts on whether a question has a false assumption, without gold answers."""

    def __init__(self, db: "Database", path: Path):
        pass

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of the paper's section 3.1."""
        return metrics.score(answers)

    def share(self, answer: Answer) -> Share:
        """Return whether a verdict is right."""
        return Share(parse(answer.text) is answer.false_assumption, 1)

    def judgements(self, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
        """Yield a record for each answer: its verdict, and whether this is right."""
        for answer in answers:
            record = answer.identity(OF_A_PAIR, OPTIONAL)
            is_right = parse(answer.text) is answer.false_assumption
            yield {**record, "verdict": verdict(answer.text), "right": is_right}


def _attributes(db: "Database") -> Attributes:
    return {record["pair_id"]: record for record in db.read(_PAIRS).records}


SCORING = Scoring(
    item_columns=OF_A_PAIR,
    group_columns=("relation", "falsity", "hops", "split"),
    attributes=_attributes,
    predictions="SELECT item_id AS pair_id, false_assumption, text AS answer, model, protocol,"
    " finish_reason, confidence FROM predictions WHERE dataset = 'syn_qa'"
    " AND NOT regexp_full_match(protocol, 'generative(@[^+]*)?')",
    scorer=Detection,
    compared="accuracy",
    main_metrics=(
        ("accuracy", "accuracy", "Answers that are right, among all."),
        ("paired_accuracy", "paired accuracy", "Pairs of which both questions are judged rightly."),
    ),
    questions_per_item=2,
)
