"""The command that scores any answers against references and knowledge."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import (
    about_a_model,
    ask_model,
    judged_until,
    require_named,
    tell_estimate,
    tell_missing,
)
from kgbuild.cli.scoring.groups import Group, file_argument, natural, rounded
from kgbuild.columns import require
from kgbuild.datasets.asking import Ask
from kgbuild.evaluate.answers import OPTIONAL
from kgbuild.evaluate.bootstrap import means
from kgbuild.evaluate.correlation import kendall, spearman
from kgbuild.evaluate.grading import missing
from kgbuild.evaluate.grounded import INPUTS, Grounded, grades, grounded
from kgbuild.evaluate.instruct_qa import (
    OF_KNOWLEDGE,
    OF_KNOWLEDGE_AND_QUESTION,
    OF_REFERENCES,
    measure,
)
from kgbuild.evaluate.instruct_qa_judge import NEEDS, requests, verdict
from kgbuild.models import embeddings
from kgbuild.models.chat import Failure, Reply
from kgbuild.tables.files import read_file

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_BERTSCORE = "BERTScore"
_METRICS = (*OF_REFERENCES, _BERTSCORE, *OF_KNOWLEDGE, *OF_KNOWLEDGE_AND_QUESTION)
_UNPARSABLE = {name: f"{name}, unparsable" for name in NEEDS}
"""What the share of verdicts that cannot be read is called, by what they are about."""
_Measured: TypeAlias = dict[str, float]
"""The metrics of an answer by name, without those whose inputs are not there."""


@click.command("instruct-qa")
@file_argument
@click.option("--by", metavar="COLUMN", help="Score the answers of each value by themselves.")
@click.option(
    "--human",
    metavar="COLUMN",
    help="Show how each metric goes with people's judgements, which are numbers, or true and "
    "false: over all answers, or by --by.",
)
@click.option(
    "--bertscore",
    "model",
    metavar="MODEL",
    help="Add BERTScore with references by a model that reads texts: its folder or name.",
)
@click.option(
    "--llm",
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
    model: str | None,
    llm: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    db: "Database",
    as_json: bool,
) -> None:
    """Score any answers against references and knowledge.

    FILE is JSON, JSON Lines, CSV, TSV or Parquet, by its ending. Its columns are prediction
    (the model's text, as it stands), references (right answers: a list or a text; the best one
    counts), knowledge (what the model was given: a list of passages or a text) and question.
    Metrics that need a column that is missing are left out. Each value of model and protocol,
    if there are any, is scored by itself. Means stand with their 95 % bootstrap intervals,
    correlations are Spearman's ρ and Kendall's τ-b.

    \b
    Example:
      kgbuild score instruct-qa answers.jsonl
      kgbuild score instruct-qa answers.jsonl --human correct --by model
      kgbuild score instruct-qa answers.jsonl --llm my-model --budget 1000000
    """
    require_named("--llm", llm, base_url, budget, replies)
    given = read_file(file)
    records = [dict(zip(given.columns, row, strict=True)) for row in given.rows]
    answers = grounded(file, given.columns, records)
    require(file, given.columns, [by] if by else [])
    judged = grades(file, given.columns, records, human) if human else []
    measured = _measured(answers, model)
    if llm:
        ask = ask_model(llm, base_url, budget, replies or db.path.parent / "replies.sqlite")
        _add_verdicts(measured, answers, llm, ask)
    names = [] if human else [name for name in OPTIONAL if name in given.columns]
    places = _places(records, [*names, *([by] if by and by not in names else [])])
    if human:
        rows = [row for one in places for row in _correlations(*one, measured, judged, as_json)]
    else:
        rows = [row for one in places for row in _means(*one, measured, as_json)]
    screen.show(rows, as_json)
    _say_left_out(given.columns, answers, bool(llm))
    if absent := judged.count(None):
        screen.say(f"Answers without {human}, and so not counted: {absent:,} of {len(answers):,}")


def _measured(answers: Sequence[Grounded], model: str | None) -> Sequence[_Measured]:
    """Return the metrics of each answer."""
    with screen.progress() as bar:
        task = bar.add_task("scoring", total=len(answers), detail="")
        found = [measure(*answer) for answer in bar.track(answers, task_id=task)]
        if model:
            bar.add_task("comparing meanings", total=None, detail=f"{len(answers):,} answers")
            _add_bertscore(found, answers, model)
    return found


def _add_bertscore(found: Sequence[_Measured], answers: Sequence[Grounded], model: str) -> None:
    """Add the BERTScore of each answer with the best of its references, if it has any."""
    pairs = [(one.prediction, reference) for one in answers for reference in one.references]
    told = iter(embeddings.bert_scores(model, pairs))
    for metrics, answer in zip(found, answers, strict=True):
        if answer.references:
            metrics[_BERTSCORE] = max(islice(told, len(answer.references)))


def _add_verdicts(
    found: Sequence[_Measured], answers: Sequence[Grounded], judge: str, ask: Ask
) -> None:
    """Add a model's verdicts on each answer, and whether they can be read.

    Raises:
        NoAnswersError: to no request there was a reply.
    """
    asked = [
        (place, name, request)
        for place, answer in enumerate(answers)
        for name, request in requests(answer).items()
    ]
    tell_estimate(judge, [request for *_, request in asked])
    replies = ask([request for *_, request in asked])
    tell_missing("verdicts", len(asked), [*filter(None, map(missing, replies))])
    judged = [True if answer.prediction else None for answer in answers]
    for (place, name, _), reply in zip(asked, replies, strict=True):
        if missing(reply):
            judged[place] = False
        else:
            _add_verdict(found[place], name, reply)
    for metrics, answer in islice(zip(found, answers, strict=True), judged_until(judged)):
        if not answer.prediction:  # which is wrong without being asked about
            metrics.update({name: 0.0 for name in NEEDS if _has(answer, name)})


def _add_verdict(metrics: _Measured, name: str, reply: Reply | Failure) -> None:
    said = verdict(reply)
    metrics[_UNPARSABLE[name]] = float(isinstance(said, Failure))
    if not isinstance(said, Failure):
        metrics[name] = said


def _has(answer: Grounded, name: str) -> bool:
    """Tell whether an answer has what a verdict on it needs."""
    return all(getattr(answer, one) for one in NEEDS[name])


def _places(
    records: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> list[tuple[Group, Sequence[int]]]:
    """Return the places of the records of each group, which have the same in these columns."""
    found = defaultdict(list)
    for place, record in enumerate(records):
        told = ("" if record[name] is None else str(record[name]) for name in names)
        found[tuple(told)].append(place)
    ordered = sorted(found, key=lambda group: [*map(natural, group)])
    return [(dict(zip(names, group, strict=True)), found[group]) for group in ordered]


def _means(
    group: Group, places: Sequence[int], measured: Sequence[_Measured], as_json: bool
) -> list[dict[str, Any]]:
    """Return the mean of each metric in a group."""
    made = means([measured[place] for place in places], unbounded=[_BERTSCORE])
    rows = []
    for metric in (*_METRICS, *NEEDS, *_UNPARSABLE.values()):
        if metric in made:
            exact = {"mean": made[metric].value, "interval": made[metric].interval}
            told = exact if as_json else {"mean": rounded(made[metric], "{:.1%}")}
            rows.append({**group, "metric": metric, "answers": made[metric].of, **told})
    return rows


def _correlations(
    group: Group,
    places: Sequence[int],
    measured: Sequence[_Measured],
    judged: Sequence[float | None],
    as_json: bool,
) -> list[dict[str, Any]]:
    """Return how each metric goes with people's judgements in a group."""
    rows = []
    for metric in (*_METRICS, *NEEDS):
        pairs = [
            (measured[place][metric], grade)
            for place in places
            if (grade := judged[place]) is not None and metric in measured[place]
        ]
        if pairs:
            scores, said = zip(*pairs, strict=True)
            found = {"spearman": spearman(scores, said), "kendall": kendall(scores, said)}
            told = found if as_json else {name: _signed(value) for name, value in found.items()}
            rows.append({**group, "metric": metric, "answers": len(pairs), **told})
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
