"""The command ``score biokalma``: it scores answers that cite facts of a knowledge graph.

The facts of a question's *pool* are in the prompt. A sentence that states a fact outside the prompt
carries the mark [NA] in place of a citation.
"""

from typing import Any

import click

from kgbuild.cli import output
from kgbuild.cli.models.chosen_model import ChosenModel
from kgbuild.cli.models.model_options import model_options
from kgbuild.cli.models.scoring import common
from kgbuild.cli.options import option_of, refuse_unused
from kgbuild.datasets.biokalma.dataset import DATASET
from kgbuild.datasets.biokalma.scoring.attribution import SCORING, Attribution
from kgbuild.datasets.biokalma.scoring.quality import METRICS, score_quality, unparsable_metric
from kgbuild.datasets.scoring import Scores


@click.command("biokalma")
@click.option(
    "--entailment",
    metavar="MODEL",
    help="Decide entailment by a natural language inference model for sentence-transformers, "
    "not by words: its folder or name.",
)
@option_of(
    Attribution,
    "citations",
    "Which forms of citations count: those of the prompt, or also ids of properties and values, "
    "dashes and parentheses.",
)
@click.option(
    "--as-published",
    is_flag=True,
    help="Count as the code of the paper's authors does, where it differs: see docs/biokalma.md.",
)
@click.option(
    "--quality",
    is_flag=True,
    help="Show instead how well the texts are written, as --model grades them.",
)
@model_options("With --quality: the model that grades.")
@common.score_options(SCORING)
def biokalma(
    asked: common.ScoreCall,
    entailment: str | None,
    citations: str,
    as_published: bool,
    quality: bool,
    llm: ChosenModel | None,
) -> None:
    """Score how well models attribute their answers to knowledge.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are question_id, answer (the text of the model, with citations in
    brackets), and optionally model, protocol, removed (how many needed facts the prompt lacked, as
    in biokalma_absent; default 0) and accuracy (the percentage of subjects with their own facts in
    the prompt, not those of another item, as in biokalma_graphs; default 100), which are scored
    separately. Correctness, precision and recall are those of citations; alignment is the share of
    citations that their sentences entail. If facts were removed, a second table shows how well [NA]
    marks them. Scores have 95 % bootstrap intervals and are written to the table scores.

    \b
    Example:
      kgbuild score biokalma
      kgbuild score biokalma answers.jsonl
      kgbuild score biokalma answers.jsonl --by relation --json
      kgbuild score biokalma answers.jsonl -o judged.jsonl
      kgbuild score biokalma answers.jsonl --compare
      kgbuild score biokalma answers.jsonl --quality --model my-model --budget 1000000
    """
    refuse_unused(asked.compare, "with --compare", "entailment")
    refuse_unused(quality, "with --quality", "compare", "entailment", "citations")
    if quality != bool(llm):
        raise click.UsageError("--quality and --model need each other. Pass both.")
    answer_set = asked.read(DATASET)
    if llm:
        ask = llm.make_asker(noun="grades")
        quality_scores = score_quality(answer_set, asked.db, llm.name, ask, as_published)
        asked.keep(quality_scores)
        _show_quality(quality_scores, asked.as_json)
        return

    def show(scores: Scores) -> None:
        method = entailment or "words"
        asked.show_scores(scores, [{"entailment": method}] * len(scores.groups))
        output.notify(f"Entailment was decided by: {method}")

    asked.score(
        answer_set,
        " ".join(filter(None, (entailment, "as published" if as_published else ""))),
        show,
        entailment=entailment,
        citations=citations,
        as_published=as_published,
    )


def _show_quality(scores: Scores, as_json: bool) -> None:
    """Print the mean grade of each metric, and the share of grades that could not be read."""
    rows: list[dict[str, Any]] = []
    for group, metrics in scores.groups:
        for name in METRICS:
            mean, unparsed = metrics[name], metrics[unparsable_metric(name)].value
            row = {"metric": name, "answers": mean.total}
            if as_json:
                values = {"mean": mean.value, "interval": mean.interval, "unparsable": unparsed}
                rows.append({**common.json_columns(group), **row, **values})
            else:
                share = "" if unparsed is None else f"{unparsed:.0%}"
                cells = {"mean": common.rounded(mean, "{:.2f}"), "unparsable": share}
                rows.append({**group, **row, **cells})
    output.show(rows, as_json)
    shares = [metrics[unparsable_metric(name)] for _, metrics in scores.groups for name in METRICS]
    if unread := sum(share.hits for share in shares):
        output.notify(
            f"{unread:,} of {sum(share.total for share in shares):,} grades could not be read: a "
            'reply must have one object of JSON with a grade from 1 to 5, such as {"grade": "4"}.'
        )
