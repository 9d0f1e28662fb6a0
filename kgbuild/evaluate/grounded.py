"""Read answers with their references and knowledge, score them, and compare scores with people's.

A file of such answers belongs to no dataset: it has all texts that they are compared with.

A judging model decides whether an answer is correct, and whether it is faithful. The prompts are
our own; their criteria are the paper's. There the verdicts of a large model correlate better with
human judgements than any metric that counts words.

Known weaknesses: see ``grading``; and a judge that knows the answer itself may overlook that the
references or the knowledge contradict it.

Source: V. Adlakha et al., Evaluating correctness and faithfulness of instruction-following models
for question answering (2024): its evaluation by language models.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.cells import parsed, text_of
from kgbuild.data_files import read_toml
from kgbuild.errors import TableFileError
from kgbuild.evaluate import judge_replies, library_metrics, q2
from kgbuild.evaluate.agreement import auc, kendall, spearman
from kgbuild.evaluate.bootstrap import Share
from kgbuild.evaluate.instruct_qa import (
    OF_KNOWLEDGE,
    OF_KNOWLEDGE_AND_QUESTION,
    OF_REFERENCES,
    GroundedAnswer,
    Measured,
)
from kgbuild.evaluate.judge_replies import grade, judged_until, justification, missing, request
from kgbuild.evaluate.model_metrics import BEM, BERTSCORE, FAITHCRITIC, K_BERTSCORE
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.rows import require_columns
from kgbuild.text.replies import answer_of

INPUTS = ("references", "knowledge", "question")
"""The optional columns, but one of the first two must be there to compare with."""
METRICS = (
    *OF_REFERENCES,
    *library_metrics.METRICS,
    BERTSCORE,
    BEM,
    *OF_KNOWLEDGE,
    *OF_KNOWLEDGE_AND_QUESTION,
    K_BERTSCORE,
    FAITHCRITIC,
    *q2.METRICS,
)
CORRECTNESS, FAITHFULNESS = "correctness", "faithfulness"
VERDICT_INPUTS = {CORRECTNESS: ("question", "references"), FAITHFULNESS: ("question", "knowledge")}
"""The inputs of a verdict: a short answer means nothing without its question."""
UNPARSABLE = {name: f"{name}, unparsable" for name in VERDICT_INPUTS}
"""The names of the shares of unreadable verdicts, by the name of the verdict."""

_VERDICTS = {"yes": 1.0, "no": 0.0}
_TASKS: Mapping[str, str] = read_toml("evaluate/grounded.toml")


def read_answers(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> list[GroundedAnswer]:
    """Return the answers in the records of the file ``path``, in their order.

    References and knowledge are a list or a text; in CSV, a list is written as in JSON or Python.
    Of an answer, the plain words are compared (see ``answer_of``); one that is missing is empty.

    Raises:
        TableFileError: there is no record, or there are neither references nor knowledge, or a
            cell is not a text or a list of texts.
        WrongCallError: there is no column ``prediction``.
    """
    if not records:
        raise TableFileError(path, "it has no answers")
    require_columns(path, columns, ["prediction"])
    answers = []
    for number, record in enumerate(records, 1):
        # A text that looks like a list is one if the column may have lists.
        cells = {name: record.get(name) for name in ("prediction", *INPUTS)}
        cells |= {name: parsed(cells[name]) for name in ("references", "knowledge")}
        prediction, references, knowledge, question = (
            _texts(path, number, column, cell) for column, cell in cells.items()
        )
        said = answer_of(" ".join(prediction))
        answers.append(GroundedAnswer(said, references, knowledge, " ".join(question)))
    if not any(answer.references or answer.knowledge for answer in answers):
        raise TableFileError(path, "it has neither references nor knowledge to compare with")
    return answers


def _texts(path: Path, number: int, column: str, cell: object) -> list[str]:
    texts = cell if isinstance(cell, list | tuple) else [cell]
    if any(isinstance(text, list | tuple | dict) for text in texts):
        wrong = f"the {column} of answer {number:,} is neither a text nor a list of texts"
        raise TableFileError(path, wrong)
    return [plain for text in texts if (plain := text_of(text).strip())]


def read_judgements(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]], column: str
) -> list[float | None]:
    """Return the human judgements in a column, as numbers; None where a cell is empty.

    True is 1, and false 0.

    Raises:
        WrongCallError: there is no such column.
        TableFileError: a judgement is not a number, or there are no judgements.
    """
    require_columns(path, columns, [column])
    judgements = [
        None if record[column] in (None, "") else _number(path, number, column, record[column])
        for number, record in enumerate(records, 1)
    ]
    if judgements.count(None) == len(judgements):
        raise TableFileError(path, f"nobody judged: {column} is empty")
    return judgements


def _number(path: Path, number: int, column: str, cell: object) -> float:
    text = text_of(cell).strip().lower()
    with suppress(ValueError):
        judgement = float({"true": "1", "false": "0"}.get(text, text))
        if math.isfinite(judgement):
            return judgement
    wrong = f"answer {number:,} has '{text[:20]}' as {column}, which is no number"
    raise TableFileError(path, wrong)


def add_verdicts(
    measured: Sequence[Measured],
    answers: Sequence[GroundedAnswer],
    ask: Callable[[Sequence[Request]], Sequence[Reply | Failure]],
) -> list[dict[str, str]]:
    """Add a model's verdicts on each answer, and whether they can be read.

    An empty answer is wrong without a verdict. Returns the justifications of the model for each
    answer, by the name of the verdict.
    """
    verdicts = [
        (place, name, verdict_request)
        for place, answer in enumerate(answers)
        for name, verdict_request in requests(answer).items()
    ]
    replies = ask([verdict_request for *_, verdict_request in verdicts])
    judged = [True if answer.prediction else None for answer in answers]
    justifications: list[dict[str, str]] = [{} for _ in answers]
    for (place, name, _), reply in zip(verdicts, replies, strict=True):
        if missing(reply):
            judged[place] = False
        else:
            verdict = grade(reply, [*_VERDICTS])
            justifications[place][name] = justification(reply)
            measured[place][UNPARSABLE[name]] = float(isinstance(verdict, Failure))
            if not isinstance(verdict, Failure):
                measured[place][name] = _VERDICTS[verdict]
    for metrics, answer in islice(zip(measured, answers, strict=True), judged_until(judged)):
        if not answer.prediction:
            metrics |= dict.fromkeys(_possible_verdicts(answer), 0.0)
    return justifications


def agreement(ask: Callable[[Sequence[Request]], Sequence[Reply | Failure]]) -> Share:
    """Return on how many of 40 answers a model gives the verdict that people gave.

    Half of them are judged for correctness, the others for faithfulness.
    """
    return judge_replies.agreement(ask, "evaluate/grounded_control.jsonl", _control)


def _control(record: Mapping[str, Any]) -> tuple[Request, str]:
    answer = GroundedAnswer(*(record[name] for name in GroundedAnswer._fields))
    (asked,) = requests(answer).values()
    return asked, record["verdict"]


def requests(answer: GroundedAnswer) -> Mapping[str, Request]:
    """Return the requests for the possible verdicts on an answer; none for an empty answer."""
    inputs = answer._asdict()
    return {
        name: request(
            _TASKS[name],
            {column.capitalize(): inputs[column] for column in VERDICT_INPUTS[name]}
            | {"Answer": answer.prediction},
            [*_VERDICTS],
        )
        for name in _possible_verdicts(answer)
        if answer.prediction
    }


def _possible_verdicts(answer: GroundedAnswer) -> list[str]:
    """Return the verdicts on an answer whose inputs it has."""
    return [
        name
        for name in VERDICT_INPUTS
        if all(getattr(answer, column) for column in VERDICT_INPUTS[name])
    ]


class Correlation(NamedTuple):
    """The agreement of a metric with people's judgements, over a number of answers.

    ``auc`` is None unless the judgements are yes or no.
    """

    metric: str
    answers: int
    spearman: float | None
    kendall: float | None
    auc: float | None


def correlations(
    measured: Sequence[Measured], judgements: Sequence[float | None]
) -> list[Correlation]:
    """Return the agreement of each metric with people's judgements; None is a missing one."""
    rows = []
    for metric in (*METRICS, *VERDICT_INPUTS):
        pairs = [
            (metrics[metric], judgement)
            for metrics, judgement in zip(measured, judgements, strict=True)
            if judgement is not None and metric in metrics
        ]
        if pairs:
            scores, grades = zip(*pairs, strict=True)
            measures = (measure(scores, grades) for measure in (spearman, kendall, auc))
            rows.append(Correlation(metric, len(pairs), *measures))
    return rows
