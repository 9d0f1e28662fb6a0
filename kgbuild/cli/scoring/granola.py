"""The command that scores answers at every granularity."""

import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kgbuild.cli import screen
from kgbuild.cli.scoring.compared import compare_option, show_compared
from kgbuild.cli.scoring.groups import (
    Facts,
    Group,
    by_option,
    exactly,
    file_or_predictions,
    given,
    grouped,
    natural,
    rounded,
    tell_unanswered,
)
from kgbuild.cli.scoring.kept import keep
from kgbuild.datasets.granola.metrics import (
    DATE_THRESHOLD,
    DECAY,
    THRESHOLD,
    Gold,
    Outcome,
    Stratum,
    gold,
    judge,
    nearness,
    popularity_bin,
    score,
    strata,
)
from kgbuild.evaluate.answers import ALONE, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share
from kgbuild.models import embeddings

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = (
    "SELECT question_id, relation, popularity, split, source, resolution FROM granola_questions"
)
_LEVEL = "level_"
_ANSWERS = "SELECT question_id, level, kind, answer, aliases FROM granola_answers ORDER BY rowid"


@click.command("granola")
@file_or_predictions
@by_option(("relation", "popularity", "split", "source", "resolution"))
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, max_open=True),
    callback=lambda *told: screen.real(*told) if told[-1] is not None else None,
    help=f"τ: the F1 above which texts match.  [default: {THRESHOLD}; of dates {DATE_THRESHOLD}]",
)
@click.option(
    "--decay",
    type=click.FloatRange(0, math.inf, max_open=True),
    callback=screen.real,
    default=DECAY,
    show_default="ln 2",
    help="λ: an answer tells exp(-λ) of what one tells that is a level finer.",
)
@click.option(
    "--similarity",
    "model",
    metavar="MODEL",
    help="Show nearness in meaning, too, by a sentence-transformers model: its folder or name.",
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

    Without FILE, the answers are those of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet, by its ending. Its columns are question_id and answer (the model's text); model and
    protocol, if there are any, are scored one by one. The scores are kept in the table scores.
    Accuracy counts answers that match any level, standard accuracy those that match the finest,
    among all answers and among those given, without "IDK" and the like. All stands with its
    95 % bootstrap interval. With --similarity, a second table tells how near to the finest answer
    in meaning those are that are right or wrong by either accuracy.

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
    facts = _facts(db)
    said = given(file, db, "granola")
    groups = grouped(said, ALONE, facts, by)
    truth = _truth(db, {answer.asked for _, answers in groups for answer in answers})
    if compare:
        right = partial(_right, truth, threshold)
        show_compared(said, groups, "accuracy", right, as_json)
        return
    everything = [answer for _, answers in groups for answer in answers]
    near = _near(everything, truth, model) if model else {}
    scored = []
    for group, answers in groups:
        outcomes = [_judged(answer, truth[answer.asked], threshold) for answer in answers]
        compared = strata(outcomes, [near[answer] for answer in answers]) if model else []
        scored.append(_Scored(group, score(outcomes, decay), compared))
    if as_json:
        screen.show([_values(one) for one in scored], as_json)
    else:
        _show(scored)
    tell_unanswered(groups, len(facts))
    keep(db, said, by, [(one.group, one.score) for one in scored])


class _Scored(NamedTuple):
    """The score of a group of answers, and their strata if meanings were compared."""

    group: Group
    score: Estimates
    strata: Sequence[Stratum]


def _facts(db: "Database") -> Facts:
    """Return what questions can be grouped by, as texts."""
    found = db.sql(_QUESTIONS)
    records = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return {one["question_id"]: {**one, "popularity": _bin(one["popularity"])} for one in records}


def _bin(popularity: int) -> str:
    low, high = popularity_bin(popularity)
    return f"{low}–{high}" if low < high else str(low)


def _truth(db: "Database", asked: Collection[str]) -> Mapping[str, Gold]:
    """Return the true answers to each question; a question without answers has no levels."""
    rows: dict[str, list[Any]] = {question_id: [] for question_id in asked}
    for question_id, *row in db.sql(_ANSWERS).rows:
        if question_id in rows:
            rows[question_id].append(row)
    return {question_id: gold(found) for question_id, found in rows.items()}


def _judged(answer: Answer, truth: Gold, threshold: float | None) -> Outcome:
    chosen = truth.threshold if threshold is None else threshold
    return judge(answer.text, truth.levels, chosen, truth.narrow)


def _right(truth: Mapping[str, Gold], threshold: float | None, answer: Answer) -> Share:
    return Share(_judged(answer, truth[answer.asked], threshold).right, 1)


def _near(answers: Sequence[Answer], truth: Mapping[str, Gold], model: str) -> dict[Answer, float]:
    """Return how near each answer is in meaning to the finest true one."""
    with screen.progress() as bar:
        bar.add_task("comparing meanings", total=None, detail=f"{len(answers):,} answers")
        texts = [answer.text for answer in answers]
        levels = [truth[answer.asked].levels for answer in answers]
        found = nearness(texts, levels, partial(embeddings.similarities, model))
    return dict(zip(answers, found, strict=True))


def _show(scored: Sequence[_Scored]) -> None:
    """Print scores as a table, and strata as a second one."""
    rows = [{**one.group, **cells} for one in scored for cells in _cells(one.score)]
    screen.show(rows, as_json=False)
    if levels := [*dict.fromkeys(name for one in scored for name in one.score if _LEVEL in name)]:
        click.echo("\nAnswers that match each level first, the finest being 1:\n")
        levels.sort(key=natural)
        matched = [{**one.group, **_matched(one.score, levels)} for one in scored]
        screen.show(matched, as_json=False)
    compared = [{**one.group, **_row(stratum)} for one in scored for stratum in one.strata]
    if compared:
        click.echo()
        screen.show(compared, as_json=False)


def _values(one: _Scored) -> dict[str, Any]:
    """Return a score as values, with its strata if there are any."""
    values = {**one.group, **exactly(one.score)}
    if one.strata:
        values["strata"] = [
            {
                "standard": stratum.standard,
                "granola": stratum.granola,
                "answers": stratum.answers.hits,
                "share": stratum.answers.value,
                "similarity": stratum.similarity,
            }
            for stratum in one.strata
        ]
    return values


def _cells(made: Estimates) -> list[dict[str, Any]]:
    """Return a score as cells of a table: a row of all answers, one of those given."""
    abstained = {"all": rounded(made["abstained"]), "given": ""}
    return [
        {
            "among": among,
            "answers": made[f"{selective}accuracy"].of,
            "accuracy": rounded(made[f"{selective}accuracy"]),
            "standard": rounded(made[f"{selective}standard"]),
            "informativeness": rounded(made[f"{selective}informativeness"], "{:.2f}"),
            "abstained": abstained[among],
        }
        for among, selective in (("all", ""), ("given", "selective_"))
    ]


def _matched(made: Estimates, levels: Sequence[str]) -> dict[str, str]:
    """Return the shares of answers by the level that they match; of a deeper one there are none."""
    shares = {name: made[name].value if name in made else 0.0 for name in levels}
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
