"""The command that scores any answers against references and knowledge."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.models import ChosenModel, model_options
from kgbuild.cli.scoring.common import rounded, signed
from kgbuild.datasets.scoring import Group, natural
from kgbuild.evaluate import grounded as grounded_scores
from kgbuild.evaluate import instruct_qa as metrics_of_text
from kgbuild.evaluate.answers import OPTIONAL
from kgbuild.evaluate.bootstrap import means
from kgbuild.evaluate.grounded import INPUTS, NEEDS, Grounded, grades, grounded
from kgbuild.rows import require_columns
from kgbuild.tables.files import read_file


@click.command("instruct-qa")
@click.argument("file", type=options.INPUT_FILE)
@click.option("--by", metavar="COLUMN", help="Score the answers of each value separately.")
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
@model_options("Add correctness and faithfulness, as this language model judges them.")
@options.db_option
@options.json_option
def instruct_qa(
    file: Path,
    by: str | None,
    human: str | None,
    bertscore: str | None,
    llm: ChosenModel | None,
    db: "options.Database",
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
    table = read_file(file)
    answers = grounded(file, table.columns, table.records)
    require_columns(file, table.columns, [by] if by else [])
    judgements = grades(file, table.columns, table.records, human) if human else []
    measured = _measure(answers, bertscore)
    if llm:
        grounded_scores.add_verdicts(measured, answers, llm.grade("verdicts"))
    names = [] if human else [name for name in OPTIONAL if name in table.columns]
    places = _places(table.records, [*names, *([by] if by and by not in names else [])])
    rows: list[dict[str, Any]] = []
    for group, members in places:
        metrics = [measured[place] for place in members]
        if human:
            rows += _correlations(group, metrics, [judgements[n] for n in members], as_json)
        else:
            rows += _means(group, metrics, as_json)
    output.show(rows, as_json)
    _report_left_out(table.columns, answers, bool(llm))
    if absent := judgements.count(None):
        output.notify(
            f"Answers without {human}, and so not counted: {absent:,} of {len(answers):,}"
        )


def _measure(answers: Sequence[Grounded], model: str | None) -> list[grounded_scores.Measured]:
    with output.progress_bar() as bar:
        task = bar.add_task("scoring", total=len(answers), detail="")
        measured = [metrics_of_text.measure(*answer) for answer in bar.track(answers, task_id=task)]
    if model:
        from kgbuild.models import embeddings

        with output.progress(f"comparing the meanings of {len(answers):,} answers"):
            grounded_scores.add_bertscore(measured, answers, partial(embeddings.bert_scores, model))
    return measured


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


def _means(
    group: Group, measured: Sequence[grounded_scores.Measured], as_json: bool
) -> list[dict[str, Any]]:
    metrics = means(measured, unbounded=[grounded_scores.BERTSCORE])
    rows = []
    for metric in (*grounded_scores.METRICS, *NEEDS, *grounded_scores.UNPARSABLE.values()):
        if metric in metrics:
            mean = metrics[metric]
            values = {"mean": mean.value, "interval": mean.interval}
            cells = values if as_json else {"mean": rounded(mean, "{:.1%}")}
            rows.append({**group, "metric": metric, "answers": mean.of, **cells})
    return rows


def _correlations(
    group: Group,
    measured: Sequence[grounded_scores.Measured],
    judgements: Sequence[float | None],
    as_json: bool,
) -> list[dict[str, Any]]:
    """Return how each metric goes with people's judgements in a group, as rows of a table."""
    rows = [
        {**group, **correlation._asdict()}
        for correlation in grounded_scores.correlations(measured, judgements)
    ]
    if not as_json:
        for row in rows:
            row |= {name: signed(row[name]) for name in ("spearman", "kendall")}
    return rows


def _report_left_out(columns: Sequence[str], answers: Sequence[Grounded], is_judged: bool) -> None:
    """Print which metrics lack a column, or cover only a part of the answers."""
    verdicts = NEEDS if is_judged else {}
    needs = {
        "references": metrics_of_text.OF_REFERENCES,
        "knowledge": (*metrics_of_text.OF_KNOWLEDGE, *metrics_of_text.OF_KNOWLEDGE_AND_QUESTION),
        "question": metrics_of_text.OF_KNOWLEDGE_AND_QUESTION,
    }
    for name in INPUTS:
        without = sum(not getattr(answer, name) for answer in answers)
        if name not in columns:
            left_out = [*needs[name], *(metric for metric in verdicts if name in verdicts[metric])]
            output.notify(f"No column {name}, so left out: {', '.join(left_out)}")
        elif without:
            of = f"{without:,} of {len(answers):,}"
            output.notify(f"Answers without {name}, and so not counted for what needs it: {of}")
