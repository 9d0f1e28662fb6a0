"""The command ``score syn-qa``: it scores how well models detect false assumptions in questions.

Most protocols ask whether a question has a false assumption. The protocol generative asks the
question itself; a language model judges which answers are acceptable.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.model_options import model_options
from kgbuild.cli.models import ChosenModel
from kgbuild.cli.scoring.common import (
    check_output,
    read,
    report_unfinished,
    rounded,
    score_and_show,
    score_options,
    write_judgements,
    write_scores,
)
from kgbuild.datasets.scoring import AnswerSet, Scores, json_fields
from kgbuild.datasets.syn_qa import acceptability
from kgbuild.datasets.syn_qa.dataset import DATASET
from kgbuild.datasets.syn_qa.metrics import BIAS
from kgbuild.datasets.syn_qa.scoring import SCORING
from kgbuild.evaluate.bootstrap import Estimates

_GENERATIVE = replace(DATASET, scoring=acceptability.GENERATIVE)
"""The dataset with the scoring of generative answers."""


@click.command("syn-qa")
@click.option(
    "--generative",
    is_flag=True,
    help="Show instead how many answers to the questions themselves are acceptable, as the "
    "language model --model judges them.",
)
@model_options("With --generative: the model that judges.")
@score_options(SCORING)
def syn_qa(
    file: Path | None,
    by: str | None,
    compare: bool,
    required_state: str | None,
    out: Path | None,
    generative: bool,
    llm: ChosenModel | None,
    db: "options.Database",
    as_json: bool,
) -> None:
    """Score how well models detect questions with a false assumption.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are pair_id, false_assumption (true for the question with a false one),
    answer (the text of the model), and optionally model and protocol, which are scored separately.
    Scores have 95 % bootstrap intervals and are written to the table scores.

    \b
    Example:
      kgbuild score syn-qa
      kgbuild sql --json "FROM syn_qa_prompts WHERE protocol = 'zero-shot'" > prompts.json
      kgbuild score syn-qa answers.json
      kgbuild score syn-qa answers.json --by relation
      kgbuild score syn-qa answers.json -o judged.jsonl
      kgbuild score syn-qa answers.json --compare
      kgbuild ask syn-qa --model my-model --protocol generative
      kgbuild score syn-qa --generative --model my-judge
    """
    if generative != bool(llm):
        raise click.UsageError("--generative and --model need each other. Pass both.")
    if generative and compare:
        raise click.UsageError("--compare compares detection. Leave out --generative.")
    check_output(out, file, compare)
    if llm:
        _judge(read(_GENERATIVE, file, db, by, required_state), llm, db, out, as_json)
        return

    def show(scores: Scores) -> None:
        to_row = json_fields if as_json else _cells
        output.show([{**group, **to_row(metrics)} for group, metrics in scores.groups], as_json)
        incomplete = sum(metrics["incomplete"].hits for _, metrics in scores.groups)
        if incomplete:
            output.notify(
                f"\nPairs with only one answered question, and so not counted: {incomplete:,}"
            )

        for group, metrics in scores.groups:
            refused = metrics["refused"]
            if refused.value:
                name = ", ".join(filter(None, group.values()))
                output.notify(
                    f"Refused, and so unparsed: {refused.hits:,} of {refused.total:,} answers"
                    + (f" ({name})" if name else "")
                )

    answer_set = read(DATASET, file, db, by, required_state)
    score_and_show(answer_set, db, show, compare, out, as_json)


def _judge(
    answer_set: AnswerSet, llm: ChosenModel, db: "options.Database", out: Path | None, as_json: bool
) -> None:
    """Print and store the shares of answers that a model judges acceptable."""
    scores = acceptability.judge(answer_set, db, llm.name, llm.make_asker(noun="verdicts"))
    to_row = json_fields if as_json else _acceptability_cells
    output.show([{**group, **to_row(metrics)} for group, metrics in scores.groups], as_json)
    report_unfinished(answer_set)
    write_judgements(scores, out)
    write_scores(scores, db)


def _acceptability_cells(metrics: Estimates) -> dict[str, Any]:
    shares = {name.replace("_", " "): rounded(metrics[name]) for name in acceptability.METRICS}
    return {"answers": metrics["acceptable"].total, **shares}


def _cells(metrics: Estimates) -> dict[str, Any]:
    return {
        "questions": metrics["accuracy"].total,
        "accuracy": rounded(metrics["accuracy"]),
        "on true": rounded(metrics["on_true"]),
        "on false": rounded(metrics["on_false"]),
        "bias": rounded(metrics[BIAS], "{:+.0%}"),
        "paired accuracy": rounded(metrics["paired_accuracy"]),
        "unparsed": f"{metrics['unparsed'].value:.0%}",
    }
