"""The command ``score syn-qa``: it scores how well models detect false assumptions in questions.

Most protocols ask whether a question has a false assumption. The protocol generative asks the
question itself; a language model judges which answers are acceptable.
"""

from dataclasses import replace

import click

from kgbuild.cli.models.chosen_model import ChosenModel
from kgbuild.cli.models.model_options import model_options
from kgbuild.cli.models.scoring.common import ScoreCall, TestedJudge, score_options
from kgbuild.cli.options import refuse_unused
from kgbuild.datasets.asking import Grader
from kgbuild.datasets.syn_qa.dataset import DATASET
from kgbuild.datasets.syn_qa.scoring.acceptability import GENERATIVE
from kgbuild.datasets.syn_qa.scoring.judging import agreement
from kgbuild.datasets.syn_qa.scoring.scores import SCORING


@click.command("syn-qa")
@click.option(
    "--generative",
    is_flag=True,
    help="Show instead how many answers to the questions themselves --model judges acceptable.",
)
@model_options("With --generative: the model that judges.")
@score_options(SCORING)
def syn_qa(asked: ScoreCall, generative: bool, llm: ChosenModel | None) -> None:
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
    refuse_unused(generative, "with --generative", "compare")
    if not llm:
        asked.score(asked.read(DATASET))
        return
    judge = TestedJudge(llm, "verdicts", agreement)
    generative_answers = asked.read(replace(DATASET, scoring=GENERATIVE))
    asked.score(generative_answers, judge, grader=Grader(llm.name, judge.ask))
