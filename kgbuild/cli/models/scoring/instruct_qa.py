"""The command ``score instruct-qa``: compare answers with right answers and with passages.

The metrics are those of Instruct-QA, which compare words, and optionally verdicts of a model.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from kgbuild.cells import text_of
from kgbuild.cli import options, output
from kgbuild.cli.models.chosen_model import ChosenModel
from kgbuild.cli.models.model_options import model_options
from kgbuild.cli.models.scoring.common import TestedJudge, rounded, signed
from kgbuild.datasets.scoring import Group, grouped
from kgbuild.evaluate import grounded, library_metrics, model_metrics
from kgbuild.evaluate import instruct_qa as instruct_qa_metrics
from kgbuild.evaluate import q2 as q2_metrics
from kgbuild.evaluate.answers import OPTIONAL
from kgbuild.evaluate.bootstrap import means
from kgbuild.evaluate.instruct_qa import GroundedAnswer, Measured
from kgbuild.rows import require_columns
from kgbuild.tables.files import read_file


@click.command("instruct-qa")
@click.argument("file", type=options.INPUT_FILE)
@click.option("--by", metavar="COLUMN", help="Score the answers of each value separately.")
@click.option(
    "--human",
    metavar="COLUMN",
    help="Show how each metric agrees with people's judgements (numbers, or true and false), over "
    "all answers or by --by.",
)
@click.option(
    "--bertscore",
    metavar="MODEL",
    help="Add BERTScore with the references and with the knowledge, by an encoder model: its "
    "folder or name.",
)
@click.option(
    "--bem",
    metavar="MODEL",
    help="Add BEM, the equivalence with the references, by a classifier: its folder or name.",
)
@click.option(
    "--faithcritic",
    metavar="MODEL",
    help="Add FaithCritic, the support by the knowledge, by a classifier: its folder or name.",
)
@click.option(
    "--q2",
    nargs=4,
    metavar="SPACY QUESTIONS ANSWERS ENTAILMENT",
    help="Add Q², by a spaCy pipeline for phrases and by models for questions, answers and "
    "entailment: their folders or names.",
)
@click.option(
    "--libraries", is_flag=True, help="Add ROUGE-1, ROUGE-2 and METEOR, by rouge-score and NLTK."
)
@options.json_lines_option("out", "Write each record of FILE with its metrics", metavar="FILE")
@model_options("Add correctness and faithfulness, as this language model judges them.")
@options.db_option
@options.json_option
def instruct_qa(
    file: Path,
    by: str | None,
    human: str | None,
    libraries: bool,
    out: Path | None,
    llm: ChosenModel | None,
    db: "options.Database",
    as_json: bool,
    **local_models: Any,
) -> None:
    """Score any answers against references and knowledge.

    FILE is JSON, JSON Lines, CSV, TSV or Parquet. Its columns are prediction (the text of the
    model, scored without markup), references (right answers: a list or a text; the best one
    counts), knowledge (passages that the model received: a list or a text), question, and
    optionally model and protocol, which are scored separately. Metrics whose columns are missing
    are left out. Means have 95 % bootstrap intervals; agreement is Spearman's ρ, Kendall's τ-b
    and, for judgements by yes and no, the area under the ROC curve (AUC).

    \b
    Example:
      kgbuild score instruct-qa answers.jsonl
      kgbuild score instruct-qa answers.jsonl --human correct --by model
      kgbuild score instruct-qa answers.jsonl --libraries -o measured.jsonl
      kgbuild score instruct-qa answers.jsonl --model my-model --budget 1000000
    """
    table = read_file(file)
    answers = grounded.read_answers(file, table.columns, table.records)
    require_columns(file, table.columns, [by] if by else [])
    judgements = (
        grounded.read_judgements(file, table.columns, table.records, human) if human else []
    )
    metrics = _measure(answers, libraries)
    _add_models(metrics, answers, **local_models)
    judge = TestedJudge(llm, "verdicts", grounded.agreement) if llm else None
    justifications = grounded.add_verdicts(metrics, answers, judge.ask) if judge else []
    mark = judge.mark if judge else ""
    if out:
        output.write_records(_records(table.records, metrics, justifications), out)
    # Correlations are over all answers, of all models, unless --by separates them.
    columns = [] if human else [name for name in OPTIONAL if name in table.columns]
    if by and by not in columns:
        columns.append(by)
    rows: list[dict[str, Any]] = []
    values = (tuple(text_of(record[name]) for name in columns) for record in table.records)
    for group, indexes in grouped(columns, zip(values, range(len(answers)), strict=True)):
        group_metrics = [metrics[index] for index in indexes]
        if human:
            group_judgements = [judgements[index] for index in indexes]
            rows += _correlations(group, group_metrics, group_judgements, as_json)
        else:
            rows += _means(group, group_metrics, as_json)
    output.show([_marked(row, mark) for row in rows], as_json)
    _report_left_out(table.columns, answers, bool(llm))
    if missing := judgements.count(None):
        output.notify(
            f"Answers without {human}, and so not counted: {missing:,} of {len(answers):,}"
        )


def _measure(answers: Sequence[GroundedAnswer], libraries: bool) -> list[Measured]:
    """Return the metrics of each answer, with those of libraries if they are wanted."""
    metrics = []
    with output.progress("scoring") as progress:
        for answer in answers:
            measured = instruct_qa_metrics.measure(*answer)
            if libraries:
                measured |= library_metrics.measure(answer.prediction, answer.references)
            metrics.append(measured)
            progress("scoring", len(metrics), len(answers))
    return metrics


def _add_models(
    metrics: Sequence[Measured],
    answers: Sequence[GroundedAnswer],
    *,
    bertscore: str | None,
    bem: str | None,
    faithcritic: str | None,
    q2: tuple[str, str, str, str] | None,
) -> None:
    from kgbuild.models.local import classifiers, embeddings, nlp, questions, reading

    with output.progress(f"comparing the meanings of {len(answers):,} answers"):
        if bertscore:
            score = partial(embeddings.bert_scores, bertscore)
            model_metrics.add_bertscore(metrics, answers, score)
        if bem:
            score = partial(classifiers.probabilities, bem)
            model_metrics.add_bem(metrics, answers, score, classifiers.separator(bem))
        if faithcritic:
            score = partial(classifiers.probabilities, faithcritic)
            model_metrics.add_faithcritic(metrics, answers, score)
        if q2:
            spacy, generator, reader, entailment = q2
            models = q2_metrics.Models(
                partial(nlp.phrases, spacy),
                partial(questions.questions, generator),
                partial(reading.replies, reader),
                partial(classifiers.inferences, entailment),
            )
            q2_metrics.add_q2(metrics, answers, models)


def _marked(row: dict[str, Any], mark: str) -> dict[str, Any]:
    is_verdict = row["metric"] in grounded.VERDICT_INPUTS
    return {**row, "metric": row["metric"] + mark} if is_verdict else row


def _records(
    records: Sequence[Mapping[str, Any]],
    metrics: Sequence[Measured],
    justifications: Sequence[Mapping[str, str]],
) -> Iterator[dict[str, Any]]:
    """Yield each record with its metrics and, if a model judged, its justifications."""
    for index, record in enumerate(records):
        reasons = {"justifications": justifications[index]} if justifications else {}
        yield {**record, "metrics": metrics[index], **reasons}


def _means(group: Group, metrics: Sequence[Measured], as_json: bool) -> list[dict[str, Any]]:
    unbounded = [model_metrics.BERTSCORE, model_metrics.K_BERTSCORE]
    means_by_metric = means(metrics, unbounded=unbounded)
    rows = []
    for metric in (*grounded.METRICS, *grounded.VERDICT_INPUTS, *grounded.UNPARSABLE.values()):
        if mean := means_by_metric.get(metric):
            values = {"mean": mean.value, "interval": mean.interval}
            cells = values if as_json else {"mean": rounded(mean, "{:.1%}")}
            rows.append({**group, "metric": metric, "answers": mean.total, **cells})
    return rows


def _correlations(
    group: Group, metrics: Sequence[Measured], judgements: Sequence[float | None], as_json: bool
) -> list[dict[str, Any]]:
    rows = [
        {**group, **correlation._asdict()}
        for correlation in grounded.correlations(metrics, judgements)
    ]
    if not as_json:
        for row in rows:
            row |= {name: signed(row[name]) for name in ("spearman", "kendall")}
            row["auc"] = "" if row["auc"] is None else f"{row['auc']:.2f}"
    return rows


def _report_left_out(
    columns: Sequence[str], answers: Sequence[GroundedAnswer], is_judged: bool
) -> None:
    """Print the metrics whose input columns are missing, and the answers with empty inputs."""
    verdicts = grounded.VERDICT_INPUTS if is_judged else {}
    metrics_by_input = {
        "references": instruct_qa_metrics.OF_REFERENCES,
        "knowledge": (
            *instruct_qa_metrics.OF_KNOWLEDGE,
            *instruct_qa_metrics.OF_KNOWLEDGE_AND_QUESTION,
        ),
        "question": instruct_qa_metrics.OF_KNOWLEDGE_AND_QUESTION,
    }
    if empty := sum(not answer.prediction for answer in answers):
        output.notify(f"Empty predictions: {empty:,} of {len(answers):,}")
    for name in grounded.INPUTS:
        empty = sum(not getattr(answer, name) for answer in answers)
        if name not in columns:
            left_out = [
                *metrics_by_input[name],
                *(metric for metric in verdicts if name in verdicts[metric]),
            ]
            output.notify(f"No column {name}, so left out: {', '.join(left_out)}")
        elif empty:
            output.notify(
                f"Answers without {name}, and so not counted by the metrics that need it: "
                f"{empty:,} of {len(answers):,}"
            )
