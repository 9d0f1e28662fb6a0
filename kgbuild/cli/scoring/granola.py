"""The command that scores answers at every granularity."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.scoring.output import (
    by_option,
    compare_option,
    file_or_predictions,
    keep,
    read,
    report_unanswered,
    rounded,
    show_comparisons,
)
from kgbuild.datasets.granola.dataset import DATASET
from kgbuild.datasets.granola.metrics import DATE_THRESHOLD, DECAY, THRESHOLD, Stratum
from kgbuild.datasets.granola.scoring import SCORING, Granularity
from kgbuild.datasets.scoring import AnswerSet, Group, exact, natural, score
from kgbuild.evaluate.bootstrap import Estimates

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_LEVEL = "level_"


@click.command("granola")
@file_or_predictions
@by_option(SCORING.group_columns)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, max_open=True),
    callback=lambda *option: screen.real(*option) if option[-1] is not None else None,
    help=f"τ: the F1 above which texts match.  [default: {THRESHOLD}; of dates {DATE_THRESHOLD}]",
)
@click.option(
    "--decay",
    type=click.FloatRange(0, math.inf, max_open=True),
    callback=screen.real,
    default=DECAY,
    show_default="ln 2",
    help="λ: informativeness falls by the factor exp(-λ) per level.",
)
@click.option(
    "--similarity",
    "model",
    metavar="MODEL",
    help="Show similarity in meaning by a sentence-transformers model: its folder or name.",
)
@compare_option
@screen.db_option
@screen.json_option
def granola(
    file: Path | None,
    by: str | None,
    threshold: float | None,
    decay: float,
    model: str | None,
    compare: bool,
    db: "Database",
    as_json: bool,
) -> None:
    """Score models' answers against the true ones of every granularity.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are question_id, answer (the text of the model), and optionally model and
    protocol, which are scored separately. Scores have 95 % bootstrap intervals and are written to
    the table scores. Accuracy is the share of answers that match any level, standard accuracy
    the share that match the finest one: of all answers, and of all except "IDK" and the like. With
    --similarity, a second table shows the similarity in meaning to the finest answer, for answers
    that are right or wrong by either accuracy.

    \b
    Example:
      kgbuild score granola
      kgbuild sql --json "SELECT question_id, question FROM granola_questions" > questions.json
      kgbuild score granola answers.json
      kgbuild score granola answers.json --by popularity
      kgbuild score granola answers.json --compare
    """
    if compare and model:
        raise click.UsageError("--compare and --similarity show two things: ask for one.")
    answer_set = read(DATASET, file, db, by)
    options: dict[str, Any] = {"threshold": threshold, "decay": decay}
    if compare:
        show_comparisons(answer_set, db, as_json, **options)
        return
    scores = score(answer_set, db, **options)
    compared = _strata(answer_set, Granularity(db, answer_set.path, threshold), model)
    if as_json:
        screen.show([_values(*one) for one in zip(scores.groups, compared, strict=True)], as_json)
    else:
        _show(scores.groups, compared)
    report_unanswered(answer_set)
    keep(scores, db)


def _strata(answers: AnswerSet, scorer: Granularity, model: str | None) -> list[Sequence[Stratum]]:
    """Return the strata of each group of answers, if a model is to compare meanings."""
    if not model:
        return [() for _ in answers.groups]
    with screen.progress() as bar:
        bar.add_task("comparing meanings", total=None, detail=f"{len(answers.answers):,} answers")
        return [scorer.strata(group, model) for _, group in answers.groups]


def _show(scored: Sequence[tuple[Group, Estimates]], compared: Sequence[Sequence[Stratum]]) -> None:
    """Print scores as a table, and strata as a second one."""
    rows = [{**group, **cells} for group, metrics in scored for cells in _cells(metrics)]
    screen.show(rows, as_json=False)
    names = dict.fromkeys(name for _, metrics in scored for name in metrics if _LEVEL in name)
    if levels := sorted(names, key=natural):
        click.echo("\nAnswers that match each level first, the finest being 1:\n")
        matched = [{**group, **_matched(metrics, levels)} for group, metrics in scored]
        screen.show(matched, as_json=False)
    strata = [
        {**group, **_row(stratum)}
        for (group, _), strata in zip(scored, compared, strict=True)
        for stratum in strata
    ]
    if strata:
        click.echo()
        screen.show(strata, as_json=False)


def _values(scored: tuple[Group, Estimates], strata: Sequence[Stratum]) -> dict[str, Any]:
    """Return a score as values, with its strata if there are any."""
    group, metrics = scored
    values = {**group, **exact(metrics)}
    if strata:
        values["strata"] = [
            {
                "standard": stratum.standard,
                "granola": stratum.granola,
                "answers": stratum.answers.hits,
                "share": stratum.answers.value,
                "similarity": stratum.similarity,
            }
            for stratum in strata
        ]
    return values


def _cells(metrics: Estimates) -> list[dict[str, Any]]:
    """Return a score as cells of a table: a row of all answers, one of those given."""
    abstained = {"all": rounded(metrics["abstained"]), "given": ""}
    return [
        {
            "among": among,
            "answers": metrics[f"{selective}accuracy"].of,
            "accuracy": rounded(metrics[f"{selective}accuracy"]),
            "standard": rounded(metrics[f"{selective}standard"]),
            "informativeness": rounded(metrics[f"{selective}informativeness"], "{:.2f}"),
            "abstained": abstained[among],
        }
        for among, selective in (("all", ""), ("given", "selective_"))
    ]


def _matched(metrics: Estimates, levels: Sequence[str]) -> dict[str, str]:
    """Return the shares of answers by the level that they match; of a deeper one there are none."""
    shares = {name: metrics[name].value if name in metrics else 0.0 for name in levels}
    return {name.removeprefix(_LEVEL): f"{share:.1%}" for name, share in shares.items()}


def _row(stratum: Stratum) -> dict[str, Any]:
    """Return a stratum as cells of a table."""
    return {
        "standard": _verdict(stratum.standard),
        "GRANOLA": _verdict(stratum.granola),
        "answers": stratum.answers.hits,
        "share": "" if stratum.answers.value is None else f"{stratum.answers.value:.0%}",
        "similarity": _decimal(stratum.similarity),
    }


def _verdict(is_right: bool) -> str:
    return "right" if is_right else "wrong"


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
