"""Options, steps and table cells that the ``score`` commands share.

A run is the set of answers of one model by one protocol. In BioKaLMA, ``removed`` and ``accuracy``
distinguish further runs: the round of removals, and the percentage of right facts in the prompt.
"""

from collections import defaultdict
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
from kgbuild.evaluate.answers import OF_A_POOL, OPTIONAL
from kgbuild.evaluate.bootstrap import Estimate
from kgbuild.evaluate.calibration import AUROC, BRIER, ECE
from kgbuild.models.chat import FINISHED, STATES

_MIN_FIXED = 0.001
"""Smaller probabilities are shown by their power of ten: three decimals would show 0.000."""
_FEW = 3
"""Number of runs that are named one by one."""
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
            help="Compare models that answered the same questions by the same protocol.",
        ),
        click.option(
            "--only",
            "required_state",
            type=click.Choice([FINISHED]),
            help="Leave out answers that were cut, filtered, refused or empty.",
        ),
        options.output_option(
            "out", "Write each answer with its result, as JSON Lines.", metavar="FILE"
        ),
        options.db_option,
        options.json_option,
    )


def check_output(out: Path | None, file: Path | None, compare: bool) -> None:
    """Reject ``-o`` with ``--compare``, or with the path of the answers."""
    if compare and out:
        raise click.UsageError("--compare and -o show two things: ask for one.")
    if out and file and out.exists() and out.samefile(file):
        raise click.BadParameter("it is the file of answers itself.", param_hint="-o")


def write_judgements(scores: Scores, out: Path | None) -> None:
    """Write a record for each answer to the file ``out``, if there is one."""
    if out:
        output.write_records(scores.judgements(), out)


def read(
    dataset: AnyDataset,
    file: Path | None,
    db: "options.Database",
    by: str | None,
    required_state: str | None,
) -> AnswerSet:
    """Return the answers in a file or in the table predictions; print how many are left out.

    If ``required_state`` is FINISHED, unfinished answers are left out; None keeps all answers.

    Raises:
        KgbuildError: see ``read_answers``.
    """
    answer_set = read_answers(dataset, file, db, by, only_finished=required_state == FINISHED)
    if answer_set.outdated:
        output.notify(
            "Answers to questions that were built before, and so not scored: "
            f"{answer_set.outdated:,} of {answer_set.records:,}"
        )
    if answer_set.left_out:
        output.notify(f"Answers that are not finished, and so not scored: {answer_set.left_out:,}")
    return answer_set


def score_and_show(
    answer_set: AnswerSet,
    db: "options.Database",
    show: Callable[[Scores], None],
    compare: bool,
    out: Path | None,
    as_json: bool,
    judge: str = "",
    **scorer_options: Any,
) -> None:
    """Score answers, print the scores by ``show``, and store them; or print model comparisons.

    ``out`` is the file for the result of each answer.

    Raises:
        KgbuildError: the answers cannot be scored or compared.
    """
    if compare:
        to_row = _values if as_json else _cells
        with output.progress("comparing models"):
            comparisons = compare_models(answer_set, db, **scorer_options)
        output.show([to_row(comparison) for comparison in comparisons], as_json)
        output.notify("one alone: questions that only one model answered, and so not counted")
        return
    with output.progress("scoring answers"):
        scores = replace(score(answer_set, db, **scorer_options), judge=judge)
    show(scores)
    if not as_json:
        _show_calibration(scores)
    report_unfinished(answer_set)
    report_unanswered(answer_set)
    write_judgements(scores, out)
    write_scores(scores, db)


def _show_calibration(scores: Scores) -> None:
    """Print how well the confidence of each group of answers is calibrated, if it is known."""
    rows = [
        {
            **group,
            "answers": metrics[ECE].total,
            "ECE": rounded(metrics[ECE], "{:.2f}"),
            "Brier": rounded(metrics[BRIER], "{:.2f}"),
            "AUROC": rounded(metrics[AUROC], "{:.2f}") if AUROC in metrics else "",
        }
        for group, metrics in scores.groups
        if ECE in metrics
    ]
    if rows:
        click.echo("\nConfidence in the answers given:\n")
        output.show(rows, as_json=False)


def report_unfinished(answer_set: AnswerSet) -> None:
    """Print for each run how many of its answers are not finished."""
    for run, states in answer_set.unfinished.items():
        counts = ", ".join(f"{states[state]:,} {state}" for state in STATES if state in states)
        output.notify(
            f"Not finished, but scored as they are: {counts}{_in_brackets(run)}. "
            f"Leave them out with --only {FINISHED}."
        )


def _in_brackets(run: tuple[str, ...]) -> str:
    """Return the parts of a run's name in brackets; "" for a run without a name.

    An example is " (my-model, zero-shot, removed 2)".
    """
    model, protocol, removed, accuracy = run
    parts = [model, protocol]
    if removed not in ("", "0"):
        parts.append(f"removed {removed}")
    if accuracy not in ("", "100"):
        parts.append(f"accuracy {accuracy}")
    name = ", ".join(filter(None, parts))
    return f" ({name})" if name else ""


def report_unanswered(answer_set: AnswerSet) -> None:
    """Print for each run how many questions it did not answer; many equal numbers are one line."""
    runs_by_count = defaultdict(list)
    for run, missing in answer_set.unanswered.items():
        if missing > 0:
            runs_by_count[missing].append(run)
    for missing, runs in runs_by_count.items():
        count = f"{missing:,} of {answer_set.questions:,} questions"
        names = [_in_brackets(run) for run in runs]
        for name in names if len(runs) <= _FEW else [f" by each of {len(runs)} runs"]:
            output.notify(f"Not answered, and so not counted: {count}{name}")


def write_scores(scores: Scores, db: "options.Database") -> None:
    """Write scores to the table ``scores``; if this fails, print the reason and go on."""
    try:
        db.write_scores(scores.rows())
    except KgbuildError as error:
        output.notify(f"These scores were not kept: {error}")


def json_columns(group: Group) -> dict[str, str | int]:
    """Return the columns of a group for JSON: ``removed`` and ``accuracy`` as numbers."""
    numbers = OF_A_POOL.keys() - OPTIONAL.keys()
    return {name: int(value) if name in numbers else value for name, value in group.items()}


def columns_without_defaults(scores: Scores) -> list[Group]:
    """Return the groups without the columns in which all groups have the default value."""
    groups = [group for group, _ in scores.groups]
    defaults = scores.answers.scoring.optional_columns.items()
    names = {name for group in groups for name, _ in group.items() - defaults}
    return [{name: value for name, value in group.items() if name in names} for group in groups]


def rounded(estimate: Estimate, text: str = "{:.0%}") -> str:
    """Return a metric and its interval as a table cell; "" if the metric has no value.

    ``text`` is the format of a number.
    """
    if estimate.value is None:
        return ""
    value = text.format(estimate.value)
    if estimate.interval is None:
        return value
    low, high = (text.format(end).removesuffix("%") for end in estimate.interval)
    return f"{value} ({low} to {high})" if value.startswith(_SIGNS) else f"{value} ({low}–{high})"


def signed(value: float | None) -> str:
    """Return a correlation as a table cell; "" if it has no value."""
    return "" if value is None else f"{value:+.2f}"


def _probability(p: float) -> str:
    """Return a probability as a table cell; small ones by their power of ten, such as 2e-05."""
    return f"{p:.3f}" if p >= _MIN_FIXED else f"{p:.0e}"


def _values(comparison: ModelComparison) -> dict[str, Any]:
    """Return a comparison as a record for JSON."""
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
        "p_holm": comparison.corrected_p,
        "questions": result.items if result else 0,
        "one_alone": comparison.one_alone,
    }


def _cells(comparison: ModelComparison) -> dict[str, Any]:
    """Return a comparison as the cells of a table row."""
    result = comparison.result
    names = f"{comparison.metric} of both", "difference", "p", "p (Holm)"
    cells = dict.fromkeys(names, "")
    if result:
        low, high = (f"{end * 100:+.1f}" for end in result.interval)
        both = f"{result.one:.1%}, {result.other:.1%}"
        difference = f"{result.difference * 100:+.1f} ({low} to {high})"
        ps = _probability(result.p), _probability(comparison.corrected_p or 0.0)
        cells = dict(zip(names, (both, difference, *ps), strict=True))
    models = {"model": comparison.model, "other": comparison.other}
    counts = {"questions": result.items if result else 0, "one alone": comparison.one_alone}
    return {**comparison.group, **models, **cells, **counts}
