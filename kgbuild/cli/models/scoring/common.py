"""Options, steps and table cells that the ``score`` commands share.

A run is the set of answers of one model by one protocol. In BioKaLMA, ``removed`` and ``accuracy``
distinguish further runs: the round of removals, and the percentage of right facts in the prompt.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.models.chosen_model import ChosenModel, report_missing
from kgbuild.datasets.answer_sets import read_answers
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.comparing import ModelComparison, compare_models
from kgbuild.datasets.scoring import (
    AnswerSet,
    Group,
    ScoreColumn,
    Scores,
    ScoreTable,
    Scoring,
    json_fields,
    score,
)
from kgbuild.evaluate.answers import OF_A_POOL, OPTIONAL
from kgbuild.evaluate.bootstrap import Estimate, Estimates, Share
from kgbuild.evaluate.calibration import CONFIDENT, ECE
from kgbuild.evaluate.judge_replies import missing
from kgbuild.models.chat import FINISHED, STATES, Failure, Reply, Request

_CALIBRATION = ScoreTable(
    (
        ScoreColumn("given", CONFIDENT, ""),
        ScoreColumn("with confidence", ECE, ""),
        *(ScoreColumn(name, name.lower(), "{:.2f}") for name in ("ECE", "Brier", "AUROC")),
    ),
    title="Confidence in the answers given:",
    applies=lambda metrics: CONFIDENT in metrics,
)


@dataclass(frozen=True)
class ScoreCall:
    """What a user asks of a command that scores answers: the options that all of them have.

    ``file`` has the answers, None stands for the table predictions. ``by`` is a column to group
    them by. ``out`` is the file for the result of each answer.
    """

    file: Path | None
    by: str | None
    compare: bool
    only_finished: bool
    out: Path | None
    db: "options.Database"
    as_json: bool

    def read(self, dataset: AnyDataset) -> AnswerSet:
        """Return the answers to a dataset; print how many are left out."""
        answer_set = read_answers(dataset, self.file, self.db, self.by, self.only_finished)
        if not self.compare:
            self.db.prepare("scores")
        if answer_set.outdated:
            output.notify(
                "Answers to questions that were built before, or that verify removed, and so not "
                f"scored: {answer_set.outdated:,} of {answer_set.records:,}"
            )
        if others := answer_set.elsewhere:
            output.notify(f"Not scored here, but {answer_set.scoring.instead}: {others:,} answers")
        if left_out := answer_set.left_out:
            output.notify(f"Answers that are not finished, and so not scored: {left_out:,}")
        return answer_set

    def score(
        self,
        answer_set: AnswerSet,
        judge: "str | TestedJudge" = "",
        show: Callable[[Scores], None] | None = None,
        **scorer_options: Any,
    ) -> None:
        """Score answers, print the scores, and store them; or print model comparisons.

        ``show`` takes the place of ``show_scores``.
        """
        if self.compare:
            with output.progress("comparing models"):
                comparisons = compare_models(answer_set, self.db, **scorer_options)
            rows = [_values(one) if self.as_json else one.cells for one in comparisons]
            output.show(rows, self.as_json)
            output.notify("one alone: questions that only one model answered, and so not counted")
            return
        with output.progress("scoring answers"):
            scores = score(answer_set, self.db, **scorer_options)
        scores = replace(scores, judge=str(judge))
        if isinstance(judge, TestedJudge):  # so all tables and records of these scores tell it
            groups = [({**group, "judge": str(judge)}, made) for group, made in scores.groups]
            scores = replace(scores, groups=groups)
        (show or self.show_scores)(scores)
        report_unfinished(answer_set)
        report_unanswered(answer_set)

    def show_scores(self, scores: Scores, more: Sequence[Mapping[str, Any]] = ()) -> None:
        """Keep scores, and print them by the tables of their dataset, or as JSON, with its notes.

        ``more`` has further fields of each group for JSON.
        """
        self.keep(scores)
        if self.as_json:
            further = more or [{}] * len(scores.groups)
            rows = [
                {**json_columns(group), **json_fields(metrics), **fields}
                for (group, metrics), fields in zip(scores.groups, further, strict=True)
            ]
            output.show(rows, as_json=True)
        else:
            _show_tables(scores)
        for note in scores.answers.scoring.notes(scores):
            output.notify(note)

    def keep(self, scores: Scores) -> None:
        """Write a record for each answer to ``out``, and the scores to the table ``scores``."""
        if self.out:
            output.write_records(scores.judgements(), self.out)
        self.db.write_scores(scores.rows())


def score_options(scoring: Scoring) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the options of all commands that score answers to a dataset.

    The command receives them as one parameter ``asked``, a ``ScoreCall``.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(required_state: str | None, **values: Any) -> None:
            names = ("file", "by", "compare", "out", "db", "as_json")
            asked = ScoreCall(
                **{name: values.pop(name) for name in names},
                only_finished=required_state == FINISHED,
            )
            if asked.compare and asked.out:
                raise click.UsageError("--compare and -o show two things: ask for one.")
            command(asked=asked, **values)

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
            options.json_lines_option("out", "Write each answer with its result", metavar="FILE"),
            options.db_option,
            options.json_option,
        )(call)

    return add


def _show_tables(scores: Scores) -> None:
    """Print the tables of the dataset, or all metrics if it describes none."""
    groups = columns_without_defaults(scores)
    names = dict.fromkeys(name for _, metrics in scores.groups for name in metrics)
    everything = ScoreTable(tuple(ScoreColumn(name, name) for name in names))
    tables = scores.answers.scoring.tables or (everything,)
    for number, table in enumerate((*tables, _CALIBRATION)):
        rows = [
            {
                **group,
                **labels,
                **{one.heading: _cell(metrics, prefix, one) for one in table.columns},
            }
            for group, (_, metrics) in zip(groups, scores.groups, strict=True)
            if table.applies(metrics)
            for labels, prefix in table.rows
        ]
        if number:
            show_table(rows, table.title)
        else:
            output.show(rows, as_json=False)


def _cell(metrics: Estimates, prefix: str, column: ScoreColumn) -> str | int:
    estimate = metrics.get(prefix + column.metric)
    if estimate is None:
        return ""
    if not column.has_interval:
        estimate = estimate._replace(interval=None)
    return rounded(estimate, column.form) if column.form else estimate.total


def show_table(rows: Sequence[Mapping[str, Any]], title: str = "") -> None:
    """Print a table after others, if it has rows."""
    if rows:
        click.echo(f"\n{title}\n" if title else "")
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
    """Return a run's name in brackets, " (my-model, zero-shot, removed 2)"; "" without a name."""
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
    for run, count in answer_set.unanswered.items():
        if count > 0:
            runs_by_count[count].append(run)
    for count, runs in runs_by_count.items():
        share = f"{count:,} of {answer_set.questions:,} questions"
        names = [_in_brackets(run) for run in runs]
        for name in names if len(runs) <= 3 else [f" by each of {len(runs)} runs"]:
            output.notify(f"Not answered, and so not counted: {share}{name}")


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
    is_signed = value.startswith(("+", "-"))
    return f"{value} ({low} to {high})" if is_signed else f"{value} ({low}–{high})"


def signed(value: float | None) -> str:
    """Return a correlation as a table cell; "" if it has no value."""
    return "" if value is None else f"{value:+.2f}"


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
        "p_holm": comparison.corrected_p,
        "questions": result.items if result else 0,
        "one_alone": comparison.one_alone,
    }


class TestedJudge:
    """A judging model, which gets the control along with its first requests: one batch has both.

    ``noun`` is the plural noun for its replies; ``agreement`` asks the control. ``mark`` follows
    the name of the model in its scores: it tells what it judged, and that it failed the control.
    """

    def __init__(
        self, llm: ChosenModel, noun: str, agreement: Callable[[Ask], Share], mark: str = ""
    ):
        self._llm = llm
        self._noun = noun
        self._agreement = agreement
        self._is_tested = False
        self.mark = mark

    def __str__(self) -> str:
        return self._llm.name + self.mark

    def ask(self, requests: Sequence[Request]) -> Sequence[Reply | Failure]:
        """Return the replies to requests; print an estimate, the agreement and what is missing."""
        replies: list[Reply | Failure] = []

        def ask_along(control: Sequence[Request]) -> Sequence[Reply | Failure]:
            self._llm.report_estimate([*requests, *control])
            replies.extend(self._llm.ask([*requests, *control]))
            own = replies[: len(requests)]
            report_missing(self._noun, len(own), [*filter(None, map(missing, own))])
            return replies[len(own) :]

        if self._is_tested:
            ask_along([])
        elif requests:
            self._is_tested = True
            self.mark += _report_control(self._agreement(ask_along), self._llm.name)
        return replies[: len(requests)]


def _report_control(share: Share, model: str) -> str:
    """Print how often a model grades as people do; below 80 %, return a mark for its scores."""
    output.notify(f"{model} grades {share.hits} of {share.total} judged replies as people do.")
    if share.hits >= 0.8 * share.total:
        return ""
    output.notify("  That is too few to rely on its grades: these scores are marked.")
    return f" (control {share.hits}/{share.total})"
