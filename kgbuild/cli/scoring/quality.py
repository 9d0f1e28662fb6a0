"""The quality of texts by a judging model, as it is shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import report_missing, tell_estimate
from kgbuild.cli.scoring.output import rounded, typed
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.biokalma.quality import METRICS, score_quality, unparsable
from kgbuild.datasets.scoring import AnswerSet, Scores
from kgbuild.evaluate.bootstrap import Estimates
from kgbuild.evaluate.grading import missing
from kgbuild.models.chat import Failure, Reply, Request

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

quality_option = click.option(
    "--quality",
    is_flag=True,
    help="Show instead how well the texts are written, as the language model --model grades them.",
)


def show_quality(
    db: "Database", answer_set: AnswerSet, judge: str, ask: Ask, as_json: bool
) -> Scores:
    """Print the grades of answers, by group and metric, and return them.

    Raises:
        NoAnswersError: no request for a grade was answered.
    """

    def ask_and_report(requests: Sequence[Request]) -> Sequence[Reply | Failure]:
        tell_estimate(judge, requests)
        replies = ask(requests)
        report_missing("grades", len(requests), [*filter(None, map(missing, replies))])
        return replies

    scores = score_quality(answer_set, db, judge, ask_and_report)
    if as_json:
        rows = [
            {**typed(group), **_values(name, metrics)}
            for group, metrics in scores.groups
            for name in METRICS
        ]
    else:
        rows = [
            {**group, **_cells(name, metrics)}
            for group, metrics in scores.groups
            for name in METRICS
        ]
    screen.show(rows, as_json)
    return scores


def _values(name: str, metrics: Estimates) -> dict[str, Any]:
    """Return the mean of a metric over answers as values."""
    value, answers, interval = metrics[name]
    unread = metrics[unparsable(name)].value
    values = {"answers": answers, "mean": value, "interval": interval, "unparsable": unread}
    return {"metric": name, **values}


def _cells(name: str, metrics: Estimates) -> dict[str, Any]:
    """Return the mean of a metric over answers as cells of a table."""
    return {
        "metric": name,
        "answers": metrics[name].of,
        "mean": rounded(metrics[name], "{:.2f}"),
        "unparsable": rounded(metrics[unparsable(name)]._replace(interval=None)),
    }
