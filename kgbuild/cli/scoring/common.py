"""What the score commands share: their options, their steps, and cells of their tables."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.comparing import ModelComparison, compare_models
from kgbuild.datasets.scoring import AnswerSet, Group, Scores, Scoring, read_answers, score
from kgbuild.errors import KgbuildError
from kgbuild.evaluate.answers import FINISHED, OF_A_POOL, OPTIONAL, STATES
from kgbuild.evaluate.bootstrap import Estimate

_SMALL = 0.001
"""Smaller probabilities would be shown as 0.000."""
_SIGNS = ("+", "-")


def score_options(scoring: Scoring) -> Callable[[options.Command], options.Command]:
    """Return the options of all commands that score answers to a dataset."""
    return options.combine(
        click.argument("file", type=options.INPUT_FILE, required=False),
        click.option(
            "--by",
            type=click.Choice([*scoring.group_columns, *OPTIONAL]),
            help="Score each group separately.",
        ),
        click.option(
            "--compare",
            is_flag=True,
            help="Compare models that answered the same questions by one protocol.",
        ),
        click.option(
            "--only",
            type=click.Choice([FINISHED]),
            help="Leave out answers that were cut, filtered, refused or empty.",
        ),
        options.db_option,
        options.json_option,
    )


def read(
    dataset: AnyDataset, file: Path | None, db: "options.Database", by: str | None, only: str | None
) -> AnswerSet:
    """Return the answers in a file or in the table predictions; print how many are left out.

    ``only`` is FINISHED to leave out answers that are not.

    Raises:
        KgbuildError: see ``read_answers``.
    """
    answer_set = read_answers(dataset, file, db, by, only_finished=only == FINISHED)
    if answer_set.outdated:
        of = f"{answer_set.outdated:,} of {answer_set.records:,}"
        output.notify(f"Answers to questions that were built before, and so not scored: {of}")
    if answer_set.left_out:
        output.notify(f"Answers that are not finished, and so not scored: {answer_set.left_out:,}")
    return answer_set


def score_and_show(
    answer_set: AnswerSet,
    db: "options.Database",
    show: Callable[[Scores], None],
    compare: bool,
    as_json: bool,
    judge: str = "",
    **scorer_options: Any,
) -> None:
    """Score answers, print the scores by ``show``, and keep them; or print comparisons of models.

    Raises:
        KgbuildError: the answers cannot be scored or compared.
    """
    if compare:
        row = _values if as_json else _cells
        comparisons = compare_models(answer_set, db, **scorer_options)
        output.show([row(comparison) for comparison in comparisons], as_json)
        output.notify("one alone: questions that one of the two did not answer, and so not counted")
        return
    scores = replace(score(answer_set, db, **scorer_options), judge=judge)
    show(scores)
    report_unfinished(answer_set)
    report_unanswered(answer_set)
    keep(scores, db)


def report_unfinished(answer_set: AnswerSet) -> None:
    """Print for each model, protocol and pool how many of its answers are not finished."""
    for run, states in answer_set.unfinished.items():
        counts = ", ".join(f"{states[state]:,} {state}" for state in STATES if state in states)
        output.notify(
            f"Not finished, but scored as they are: {counts}{_named(run)}. "
            f"Leave them out: --only {FINISHED}"
        )


def _named(run: tuple[str, ...]) -> str:
    """Return the model, the protocol and the pool of a run in brackets; "" without any."""
    model, protocol, removed, accuracy = run
    pool = [f"removed {removed}"] * (removed not in ("", "0"))
    pool += [f"accuracy {accuracy}"] * (accuracy not in ("", "100"))
    name = ", ".join(filter(None, (model, protocol, *pool)))
    return f" ({name})" if name else ""


def report_unanswered(answer_set: AnswerSet) -> None:
    """Print for each model, protocol and pool how many questions it left out."""
    for run, missing in answer_set.unanswered.items():
        if missing > 0:
            of = f"{missing:,} of {answer_set.questions:,} questions"
            output.notify(f"Not answered, and so not counted: {of}{_named(run)}")


def keep(scores: Scores, db: "options.Database") -> None:
    """Write scores to the table ``scores``; print why, if they cannot be written."""
    try:
        db.write_scores(scores.rows())
    except KgbuildError as error:
        output.notify(f"These scores were not kept: {error}")


def typed(group: Group) -> dict[str, str | int]:
    """Return the columns of a group for JSON: those about a pool as numbers."""
    numbers = OF_A_POOL.keys() - OPTIONAL.keys()
    return {name: int(value) if name in numbers else value for name, value in group.items()}


def varying(scores: Scores) -> list[Group]:
    """Return the groups without columns in which all have the value of a missing column."""
    groups = [group for group, _ in scores.groups]
    usual = scores.answers.scoring.optional_columns.items()
    names = {name for group in groups for name, _ in group.items() - usual}
    return [{name: value for name, value in group.items() if name in names} for group in groups]


def rounded(estimate: Estimate, text: str = "{:.0%}") -> str:
    """Return a metric and its interval as a cell of a table; an empty one without a value."""
    if estimate.value is None:
        return ""
    value = text.format(estimate.value)
    if estimate.interval is None:
        return value
    low, high = (text.format(end).removesuffix("%") for end in estimate.interval)
    return f"{value} ({low} to {high})" if value.startswith(_SIGNS) else f"{value} ({low}–{high})"


def signed(value: float | None) -> str:
    """Return a correlation as a cell of a table; an empty one without a value."""
    return "" if value is None else f"{value:+.2f}"


def _probability(p: float) -> str:
    """Return a probability as a cell of a table: small ones by their power of ten."""
    return f"{p:.3f}" if p >= _SMALL else f"{p:.0e}"


def _values(comparison: ModelComparison) -> dict[str, Any]:
    result = comparison.result
    return {
        **comparison.group,
        "metric": comparison.metric,
        "model": comparison.model,
        "other": comparison.other,
        "value": result and result.one,
        "other_value": result and result.other,
        "difference": result and result.difference,
        "difference_interval": result and result.interval,
        "p": result and result.p,
        "questions": result.items if result else 0,
        "one_alone": comparison.one_alone,
    }


def _cells(comparison: ModelComparison) -> dict[str, Any]:
    result = comparison.result
    cells = dict.fromkeys((f"{comparison.metric} of both", "difference", "p"), "")
    if result:
        low, high = (f"{end * 100:+.1f}" for end in result.interval)
        both = f"{result.one:.1%}, {result.other:.1%}"
        difference = f"{result.difference * 100:+.1f} ({low} to {high})"
        cells = dict(zip(cells, (both, difference, _probability(result.p)), strict=True))
    models = {"model": comparison.model, "other": comparison.other}
    counts = {"questions": result.items if result else 0, "one alone": comparison.one_alone}
    return {**comparison.group, **models, **cells, **counts}
