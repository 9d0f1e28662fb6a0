"""The command that makes one answer of several."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.catalog import catalog
from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, ask_model
from kgbuild.datasets.granola import aggregate_model
from kgbuild.datasets.granola.aggregate import (
    IDK,
    CommonGround,
    Question,
    answering,
    majority,
    settled,
)
from kgbuild.datasets.granola.drafts import Ask
from kgbuild.datasets.granola.from_store import Options
from kgbuild.datasets.granola.responses import Responses, responses
from kgbuild.datasets.granola.rows import DATASET
from kgbuild.dump import atomic_files
from kgbuild.errors import NoAnswersError
from kgbuild.evaluate.text_metrics import abstains, normalise
from kgbuild.graph.open import open_store
from kgbuild.models.chat import Failure
from kgbuild.tables.files import read_file

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = (
    "SELECT question_id, question, relation, subject_qid, subject_label FROM granola_questions"
)
_SOME = 3


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    required=True,
    help="The answers: a .jsonl file.",
)
@click.option(
    "--by",
    type=click.Choice(["graph", "majority", "model"]),
    default="graph",
    show_default=True,
    help="What finds out what responses have in common.",
)
@click.option("--model", metavar="NAME", help="With --by model: the model that is asked.")
@about_a_model
@screen.store_option
@screen.db_option
@click.option("--force", is_flag=True, help="Replace answers that are there.")
def aggregate(
    file: Path,
    out: Path,
    by: str,
    model: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    store: Path,
    db: "Database",
    force: bool,
) -> None:
    """Make one answer of a model's several responses to each question of GRANOLA.

    FILE is JSON, JSON Lines, CSV, TSV or Parquet, by its ending. Its columns are question_id
    and answer, with a row for each response; model and protocol, if there are any, are kept
    apart. By the graph, or by a model, the answer is the most specific one that agrees with all
    responses: Germany for Bonn and Berlin, 1937 for two days of that year, IDK if they share
    nothing. By majority it is the commonest. Responses like "IDK" count only if most are.

    \b
    Example:
      kgbuild aggregate samples.jsonl -o answers.jsonl
      kgbuild aggregate samples.jsonl -o commonest.jsonl --by majority
      kgbuild score granola answers.jsonl
    """
    if (by == "model") != bool(model):
        raise click.UsageError("--by model and --model NAME go together.")
    if not model and (base_url or budget or replies):
        raise click.UsageError("--base-url, --budget and --replies are about a model: --by model.")
    if out.suffix != ".jsonl":
        raise click.BadParameter("it is to end with .jsonl.", param_hint="-o")
    if out.exists() and out.samefile(file):
        raise click.BadParameter("it is the file of responses itself.", param_hint="-o")
    with atomic_files.working(out, force) as folder:
        questions = _questions(db)
        given = read_file(file)
        records = [dict(zip(given.columns, row, strict=True)) for row in given.rows]
        groups = responses(file, given.columns, records, questions)
        if model:
            ask = ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
            answers = _by_model(groups, questions, ask)
        elif by == "graph":
            answers = _by_graph(groups, questions, store)
        else:
            answers = [majority(group.texts) if group.texts else "" for group in groups]
        failures = [one for one in answers if isinstance(one, Failure)]
        if len(failures) == len(groups):
            raise NoAnswersError(len(groups), *failures[0])
        with atomic_files.compressed(folder / out.name) as lines:
            lines.write(_lines(groups, answers, by).encode())
        atomic_files.publish(folder / out.name, out)
    _tell(groups, answers, out)


def _questions(db: "Database") -> Mapping[str, Mapping[str, str]]:
    """Return the questions of the database by their ids; None as an empty text."""
    found = db.sql(_QUESTIONS)
    rows = [dict(zip(found.columns, map(_text, row), strict=True)) for row in found.rows]
    return {row["question_id"]: row for row in rows}


def _text(value: str | None) -> str:
    return value or ""


def _by_graph(
    groups: Sequence[Responses], questions: Mapping[str, Mapping[str, str]], store: Path
) -> list[str | Failure]:
    known = catalog()
    found: list[str | Failure] = []
    with open_store(store) as held, screen.progress() as bar:
        task = bar.add_task("aggregating", total=len(groups), detail="")
        ground = CommonGround(held.knowledge(known.kinds), held.names, known, Options.min_bits)
        for group in groups:
            bar.update(task, completed=len(found), detail=f"{len(found):,} answers")
            row = questions[group.question_id]
            relation = known.relation(row["relation"], DATASET)
            asked = Question(row["question"], relation, row["subject_qid"], row["subject_label"])
            found.append(ground.answer(asked, group.texts) if group.texts else "")
    return found


def _by_model(
    groups: Sequence[Responses], questions: Mapping[str, Mapping[str, str]], ask: Ask
) -> list[str | Failure]:
    """Return what a model answers, which is asked only where responses differ."""
    clear = [settled(group.texts) if group.texts else "" for group in groups]
    requests = [
        aggregate_model.request(questions[group.question_id]["question"], answering(group.texts))
        for group, answer in zip(groups, clear, strict=True)
        if answer is None
    ]
    replies = iter(ask(requests))
    return [
        aggregate_model.answer(next(replies), IDK) if answer is None else answer for answer in clear
    ]


def _lines(groups: Sequence[Responses], answers: Sequence[str | Failure], by: str) -> str:
    """Return the answers as JSON Lines; the protocol tells how they were made."""
    return "".join(
        json.dumps(
            {
                "question_id": group.question_id,
                "answer": answer,
                **({"model": group.model} if group.model else {}),
                "protocol": "+".join(filter(None, (group.protocol, by))),
            },
            ensure_ascii=False,
        )
        + "\n"
        for group, answer in zip(groups, answers, strict=True)
        if not isinstance(answer, Failure)
    )


def _tell(groups: Sequence[Responses], answers: Sequence[str | Failure], out: Path) -> None:
    kinds = Counter(map(_kind, groups, answers))
    written = len(answers) - kinds["failed"]
    screen.say(
        f"{written:,} answers are in {out}: {kinds['as said']:,} as a response has them, "
        f"{kinds['coarser']:,} coarser than all responses, {kinds['IDK']:,} IDK."
    )
    if kinds["empty"]:
        screen.say(f"  {kinds['empty']:,} are empty, as all responses were.")
    failures = [one for one in answers if isinstance(one, Failure)]
    for (reason, detail), count in Counter(failures).most_common(_SOME):
        screen.say(f"  {count:,} left out: {reason}: {detail}. Run it again to ask for them.")


def _kind(group: Responses, answer: str | Failure) -> str:
    """Return what became of responses."""
    if isinstance(answer, Failure):
        return "failed"
    if not answer:
        return "empty"
    if abstains(answer):
        return "IDK"
    said = {normalise(text) for text in group.texts}
    return "as said" if normalise(answer) in said else "coarser"
