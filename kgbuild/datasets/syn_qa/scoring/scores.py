"""Score verdicts of models on whether questions of Syn-(QA)² have a false assumption."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.datasets.scoring import ScoreColumn, Scores, ScoreTable, Scoring, columns
from kgbuild.datasets.syn_qa.scoring.metrics import BIAS
from kgbuild.datasets.syn_qa.scoring.metrics import score as score_answers
from kgbuild.datasets.syn_qa.scoring.prompts import GENERATIVE
from kgbuild.datasets.syn_qa.scoring.verdicts import REFUSED, parse, verdict
from kgbuild.evaluate.answers import OF_A_PAIR, OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


class Detection:
    """Scores verdicts on whether a question has a false assumption, without gold answers."""

    def __init__(self, db: "Database", path: Path):
        pass

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of the paper's section 3.1."""
        return score_answers(answers)

    def share(self, answer: Answer) -> Share:
        """Return whether a verdict is right."""
        return Share(parse(answer.text) is answer.false_assumption, 1)

    def abstains(self, answer: Answer) -> bool:
        """Return whether a reply refuses to judge."""
        return verdict(answer.text) == REFUSED

    def judgements(self, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
        """Yield a record for each answer: its verdict, and whether this is right."""
        for answer in answers:
            record = answer.identity(OF_A_PAIR, OPTIONAL)
            is_right = parse(answer.text) is answer.false_assumption
            yield {**record, "verdict": verdict(answer.text), "right": is_right}


def _notes(scores: Scores) -> Iterator[str]:
    """Yield how many pairs do not count, and how many answers refuse."""
    if incomplete := sum(metrics["incomplete"].hits for _, metrics in scores.groups):
        yield f"\nPairs with only one answered question, and so not counted: {incomplete:,}"
    for group, metrics in scores.groups:
        refused = metrics["refused"]
        if refused.hits:
            name = ", ".join(filter(None, group.values()))
            count = f"{refused.hits:,} of {refused.total:,} answers{f' ({name})' if name else ''}"
            yield f"Refused, and so unparsed: {count}"


SCORING = Scoring(
    item_columns=OF_A_PAIR,
    group_columns=("relation", "falsity", "hops", "split", "perturbed", "confusability"),
    items="FROM syn_qa_pairs",
    predictions="SELECT item_id AS pair_id, false_assumption, text AS answer, model, protocol,"
    " finish_reason, confidence FROM predictions WHERE dataset = 'syn_qa'",
    scorer=Detection,
    compared="accuracy",
    main_metrics=(
        ("accuracy", "accuracy", "Answers that are right, among all."),
        ("paired_accuracy", "paired accuracy", "Pairs of which both questions are judged rightly."),
        ("acceptable", "acceptable answers", "Answers to the questions that a model accepts."),
    ),
    questions_per_item=2,
    tables=(
        ScoreTable(
            (
                ScoreColumn("questions", "accuracy", ""),
                *columns("accuracy", "on_true", "on_false"),
                ScoreColumn(BIAS, BIAS, "{:+.0%}"),
                *columns("paired_accuracy"),
                ScoreColumn("unparsed", "unparsed", has_interval=False),
            )
        ),
    ),
    notes=_notes,
    elsewhere=(GENERATIVE,),
    instead="by --generative --model NAME",
)
