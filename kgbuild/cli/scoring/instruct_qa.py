"""The command that scores any answers against references and knowledge."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import (
    about_a_model,
    ask_model,
    report_missing,
    require_named,
    tell_estimate,
)
from kgbuild.cli.scoring.output import file_argument, rounded
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.scoring import Group, natural
from kgbuild.evaluate.answers import OPTIONAL
from kgbuild.evaluate.bootstrap import means
from kgbuild.evaluate.grading import missing
from kgbuild.evaluate.grounded import INPUTS, Grounded, grades, grounded
from kgbuild.evaluate.grounded_scores import (
    BERTSCORE,
    METRICS,
    UNPARSABLE,
    Measured,
    add_bertscore,
    add_verdicts,
    correlations,
    measure_all,
)
from kgbuild.evaluate.instruct_qa import (
    OF_KNOWLEDGE,
    OF_KNOWLEDGE_AND_QUESTION,
    OF_REFERENCES,
)
from kgbuild.evaluate.instruct_qa_judge import NEEDS
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.rows import require_columns
from kgbuild.tables.files import read_file

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


@click.command("instruct-qa")
@file_argument
@click.option("--by", metavar="COLUMN", help="Score the answers of each value by themselves.")
@click.option(
    "--human",
    metavar="COLUMN",
    help="Show how each metric correlates with people's judgements (numbers, or true and "
    "false), over all answers or by --by.",
)
@click.option(
    "--bertscore",
    metavar="MODEL",
    help="Add BERTScore with the references, by an encoder model: its folder or name.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="Add correctness and faithfulness, as this language model judges them.",
)
@about_a_model
@screen.db_option
@screen.json_option
def instruct_qa(
    file: Path,
    by: str | None,
    human: str | None,
    bertscore: str | None,
    model: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    db: "Database",
    as_json: bool,
) -> None:
    """Score any answers against references and knowledge.

    FILE is JSON, JSON Lines, CSV, TSV or Parquet. Its columns are prediction (the unchanged text
    of the model), references (right answers: a list or a text; the best one counts), knowledge
    (passages that the model received: a list or a text), question, and optionally model and
    protocol, which are scored separately. Metrics whose columns are missing are left out. Means
    have 95 % bootstrap intervals; correlations are Spearman's ρ and Kendall's τ-b.

    \b
    Example:
      kgbuild score instruct-qa answers.jsonl
      kgbuild score instruct-qa answers.jsonl --human correct --by model
      kgbuild score instruct-qa answers.jsonl --model my-model --budget 1000000
    """
    require_named("--model", model, base_url, budget, replies)
    given = read_file(file)
    records = [dict(zip(given.columns, row, strict=True)) for row in given.rows]
    answers = grounded(file, given.columns, records)
    require_columns(file, given.columns, [by] if by else [])
    judged = grades(file, given.columns, records, human) if human else []
    measured = _measured(answers, bertscore)
    if model:
        ask = ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
        add_verdicts(measured, answers, _asking(model, ask))
    names = [] if human else [name for name in OPTIONAL if name in given.columns]
    places = _places(records, [*names, *([by] if by and by not in names else [])])
    rows: list[dict[str, Any]] = []
    for group, members in places:
        metrics = [measured[place] for place in members]
        if human:
            rows += _correlations(group, metrics, [judged[place] for place in members], as_json)
        else:
            rows += _means(group, metrics, as_json)
    screen.show(rows, as_json)
    _say_left_out(given.columns, answers, bool(model))
    if absent := judged.count(None):
        screen.say(f"Answers without {human}, and so not counted: {absent:,} of {len(answers):,}")


def _measured(answers: Sequence[Grounded], model: str | None) -> list[Measured]:
    """Return the metrics of each answer."""
    with screen.progress() as bar:
        task = bar.add_task("scoring", total=len(answers), detail="")
        measured = measure_all(bar.track(answers, task_id=task))
        if model:
            from kgbuild.models import embeddings

            bar.add_task("comparing meanings", total=None, detail=f"{len(answers):,} answers")
            add_bertscore(measured, answers, partial(embeddings.bert_scores, model))
    return measured


def _asking(judge: str, ask: Ask) -> Ask:
    """Return what asks a judge, and says before and after what is asked and what is missing."""

    def ask_and_report(requests: Sequence[Request]) -> Sequence[Reply | Failure]:
        tell_estimate(judge, requests)
        replies = ask(requests)
        report_missing("verdicts", len(requests), [*filter(None, map(missing, replies))])
        return replies

    return ask_and_report


def _places(
    records: Sequence[Mapping[str, Any]], columns: Sequence[str]
) -> list[tuple[Group, Sequence[int]]]:
    """Return the places of the records of each group, which have the same in these columns."""
    places = defaultdict(list)
    for place, record in enumerate(records):
        values = ("" if record[name] is None else str(record[name]) for name in columns)
        places[tuple(values)].append(place)
    ordered = sorted(places, key=lambda group: [*map(natural, group)])
    return [(dict(zip(columns, group, strict=True)), places[group]) for group in ordered]


def _means(group: Group, measured: Sequence[Measured], as_json: bool) -> list[dict[str, Any]]:
    """Return the mean of each metric in a group as rows of a table."""
    metrics = means(measured, unbounded=[BERTSCORE])
    rows = []
    for metric in (*METRICS, *NEEDS, *UNPARSABLE.values()):
        if metric in metrics:
            mean = metrics[metric]
            values = {"mean": mean.value, "interval": mean.interval}
            cells = values if as_json else {"mean": rounded(mean, "{:.1%}")}
            rows.append({**group, "metric": metric, "answers": mean.of, **cells})
    return rows


def _correlations(
    group: Group,
    measured: Sequence[Measured],
    judgements: Sequence[float | None],
    as_json: bool,
) -> list[dict[str, Any]]:
    """Return how each metric goes with people's judgements in a group, as rows of a table."""
    rows = [{**group, **one._asdict()} for one in correlations(measured, judgements)]
    signed = {"spearman", "kendall"}
    if not as_json:
        return [
            {name: _signed(value) if name in signed else value for name, value in row.items()}
            for row in rows
        ]
    return rows


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"


def _say_left_out(columns: Sequence[str], answers: Sequence[Grounded], is_judged: bool) -> None:
    """Say which metrics are left out for want of a column, or cover a part of the answers."""
    verdicts = NEEDS if is_judged else {}
    needs = {
        "references": OF_REFERENCES,
        "knowledge": {**OF_KNOWLEDGE, **OF_KNOWLEDGE_AND_QUESTION},
        "question": OF_KNOWLEDGE_AND_QUESTION,
    }
    for name in INPUTS:
        without = sum(not getattr(answer, name) for answer in answers)
        if name not in columns:
            left_out = [*needs[name], *(one for one in verdicts if name in verdicts[one])]
            screen.say(f"No column {name}, so left out: {', '.join(left_out)}")
        elif without:
            of = f"{without:,} of {len(answers):,}"
            screen.say(f"Answers without {name}, and so not counted for what needs it: {of}")
