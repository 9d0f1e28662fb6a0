"""The command that scores the detection of false assumptions."""

from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.scoring.common import read, rounded, score_and_show, score_options
from kgbuild.datasets.scoring import Scores, exact
from kgbuild.datasets.syn_qa.dataset import DATASET
from kgbuild.datasets.syn_qa.metrics import BIAS
from kgbuild.datasets.syn_qa.scoring import SCORING
from kgbuild.evaluate.bootstrap import Estimates


@click.command("syn-qa")
@score_options(SCORING)
def syn_qa(
    file: Path | None,
    by: str | None,
    compare: bool,
    only: str | None,
    db: "options.Database",
    as_json: bool,
) -> None:
    """Score how well models tell questions with a false assumption.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are pair_id, false_assumption (which question of the pair was asked),
    answer (the text of the model), and optionally model and protocol, which are scored separately.
    Scores have 95 % bootstrap intervals and are written to the table scores.

    \b
    Example:
      kgbuild score syn-qa
      kgbuild sql --json "FROM syn_qa_prompts WHERE protocol = 'zero-shot'" > prompts.json
      kgbuild score syn-qa answers.json
      kgbuild score syn-qa answers.json --by relation
      kgbuild score syn-qa answers.json --compare
    """

    def show(scores: Scores) -> None:
        row = exact if as_json else _cells
        output.show([{**group, **row(metrics)} for group, metrics in scores.groups], as_json)
        incomplete = sum(
            metrics["incomplete"].of - metrics["paired_accuracy"].of for _, metrics in scores.groups
        )
        if incomplete:
            of = f"{incomplete:,}"
            output.notify(f"\nPairs with one question answered only, and so not counted: {of}")

        for group, metrics in scores.groups:
            refused = metrics["refused"]
            if refused.value:
                count = round(refused.value * refused.of)
                run = ", ".join(filter(None, group.values()))
                output.notify(
                    f"Refused, and so unparsed: {count:,} of {refused.of:,} answers"
                    + (f" ({run})" if run else "")
                )

    score_and_show(read(DATASET, file, db, by, only), db, show, compare, as_json)


def _cells(metrics: Estimates) -> dict[str, Any]:
    return {
        "questions": metrics["accuracy"].of,
        "accuracy": rounded(metrics["accuracy"]),
        "on true": rounded(metrics["on_true"]),
        "on false": rounded(metrics["on_false"]),
        "bias": rounded(metrics[BIAS], "{:+.0%}"),
        "paired accuracy": rounded(metrics["paired_accuracy"]),
        "unparsed": f"{metrics['unparsed'].value:.0%}",
    }
