"""The command that scores attributed answers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, ask_model, require_named
from kgbuild.cli.scoring.output import (
    by_option,
    compare_option,
    file_or_predictions,
    keep,
    read,
    report_unanswered,
    rounded,
    show_comparisons,
    typed,
    varying,
)
from kgbuild.cli.scoring.quality import quality_option, show_quality
from kgbuild.datasets.biokalma.dataset import DATASET
from kgbuild.datasets.biokalma.scoring import SCORING
from kgbuild.datasets.scoring import Group, exact, score
from kgbuild.evaluate.bootstrap import Estimates

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_WORDS = "words"


@click.command("biokalma")
@file_or_predictions
@by_option(SCORING.group_columns)
@click.option(
    "--entailment",
    metavar="MODEL",
    help="Decide entailment by a natural language inference model for sentence-transformers, "
    "not by words: its folder or name.",
)
@compare_option
@quality_option
@click.option("--model", metavar="NAME", help="With --quality: the model that grades.")
@about_a_model
@screen.db_option
@screen.json_option
def biokalma(
    file: Path | None,
    by: str | None,
    entailment: str | None,
    compare: bool,
    quality: bool,
    model: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    db: "Database",
    as_json: bool,
) -> None:
    """Score how well models attribute their answers to knowledge.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are question_id, answer (the text of the model, with citations in
    brackets), and optionally model, protocol, removed (the round of biokalma_absent, default 0)
    and accuracy (the percentage of right graphs in biokalma_graphs, default 100), which are scored
    separately. Correctness, precision and recall are those of citations; alignment is the share of
    citations that their sentences entail. If pieces were removed, a second table shows how well
    [NA] marks them. Scores have 95 % bootstrap intervals and are written to the table scores.

    \b
    Example:
      kgbuild score biokalma
      kgbuild score biokalma answers.jsonl
      kgbuild score biokalma answers.jsonl --by relation --json
      kgbuild score biokalma answers.jsonl --compare
      kgbuild score biokalma answers.jsonl --quality --model my-model --budget 1000000
    """
    if compare and entailment:
        raise click.UsageError("--compare is about recall, which --entailment does not change.")
    require_named("--model", model, base_url, budget, replies)
    if quality != bool(model):
        raise click.UsageError("--quality and --model go together: name both.")
    if quality and (compare or entailment):
        raise click.UsageError("--quality shows no other scores: leave out what is about them.")
    answer_set = read(DATASET, file, db, by)
    if compare:
        show_comparisons(answer_set, db, as_json)
        return
    if model:
        ask = ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
        graded = show_quality(db, answer_set, model, ask, as_json)
        keep(graded, db)
        return
    scores = replace(score(answer_set, db, entailment=entailment), judge=entailment or "")
    if as_json:
        judge = {"entailment": entailment or _WORDS}
        rows = [{**typed(group), **exact(metrics), **judge} for group, metrics in scores.groups]
        screen.show(rows, as_json)
    else:
        estimates = [metrics for _, metrics in scores.groups]
        _show([*zip(varying(scores), estimates, strict=True)])
    _say([metrics for _, metrics in scores.groups], entailment or _WORDS)
    report_unanswered(answer_set)
    keep(scores, db)


def _show(scored: Sequence[tuple[Group, Estimates]]) -> None:
    """Print scores as a table, and those of [NA] as a second one where something is absent."""
    rows = [{**group, **cells} for group, metrics in scored for cells in _cells(metrics)]
    screen.show(rows, as_json=False)
    refusals = [
        {**group, "answers": metrics["refused"].of, "refused": rounded(metrics["refused"])}
        for group, metrics in scored
        if metrics["refused"].value
    ]
    if refusals:
        click.echo("\nAnswers that refuse, which is right of irrelevant knowledge only:\n")
        screen.show(refusals, as_json=False)
    marks = [{**group, **_marks(metrics)} for group, metrics in scored if metrics["na_recall"].of]
    if marks:
        click.echo()
        screen.show(marks, as_json=False)


def _cells(metrics: Estimates) -> list[dict[str, Any]]:
    """Return a score as cells of a table: a row over all citations, one of means over answers."""
    return [
        {
            "average": "micro",
            "answers": metrics["refused"].of,
            "citations": metrics["correctness"].of,
            "correctness": rounded(metrics["correctness"]),
            **_found(metrics, ""),
            "alignment": rounded(metrics["alignment"]),
        },
        {
            "average": "macro",
            **dict.fromkeys(("answers", "citations", "correctness"), ""),
            **_found(metrics, "macro_"),
            "alignment": "",
        },
    ]


def _marks(metrics: Estimates) -> dict[str, Any]:
    """Return how well [NA] was set as cells of a table."""
    return {
        "[NA] sentences": metrics["na_precision"].of,
        "absent": metrics["na_recall"].of,
        **_found(metrics, "na_"),
    }


def _found(metrics: Estimates, average: str) -> dict[str, str]:
    """Return precision, recall and F1 of one average as cells."""
    heads = {"precision": "precision", "recall": "recall", "f1": "F1"}
    return {head: rounded(metrics[f"{average}{name}"]) for name, head in heads.items()}


def _say(scores: Sequence[Estimates], judge: str) -> None:
    """Say what the numbers rest on, and what they hide."""
    screen.say(f"What a sentence entails was judged by: {judge}")
    uncited, refused, strangers = (
        _counted(scores, name) for name in ("uncited", "refused", "unknown_items")
    )
    screen.say(f"Answers that cite nothing: {uncited}, refusals: {refused}")
    screen.say(f"Citations of items of which nothing was given: {strangers}")


def _counted(scores: Sequence[Estimates], name: str) -> str:
    """Return how many there are of a metric, of how many, over all groups."""
    hits = sum(round((metrics[name].value or 0) * metrics[name].of) for metrics in scores)
    return f"{hits:,} of {sum(metrics[name].of for metrics in scores):,}"
