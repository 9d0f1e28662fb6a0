"""The quality of texts, by a judging model, as it is shown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from kgbuild import tables
from kgbuild.cli import screen
from kgbuild.cli.asked import NAMES
from kgbuild.cli.asking import tell_missing
from kgbuild.cli.scoring.groups import Group
from kgbuild.granola.drafts import Ask
from kgbuild.kg.labels import fold
from kgbuild.metrics.answers import Answer
from kgbuild.metrics.citations import Pool, Triple, parse
from kgbuild.metrics.means import mean
from kgbuild.protocols.grading import missing
from kgbuild.protocols.quality import (
    LOWEST,
    METRICS,
    SAMPLES,
    Quality,
    Written,
    quality,
    requests,
)
from kgbuild.replies import Failure, Reply, Request

_QUESTIONS = "SELECT question_id, specific_question, general_question FROM biokalma_questions"
_GENERAL = "general"
"""The protocol of answers to general questions; all others are to specific ones."""
_EMPTY: Mapping[str, Quality] = dict.fromkeys(METRICS, Quality(LOWEST, 0, 0))

quality_option = click.option(
    "--quality",
    metavar="NAME",
    help="Show instead how well the texts are written, as this language model grades them.",
)


def show_quality(
    db: Path,
    groups: Sequence[tuple[Group, Sequence[Answer]]],
    given: Callable[[Answer], Sequence[Triple]],
    ask: Ask,
    as_json: bool,
) -> None:
    """Print the grades of answers, by group and metric.

    ``given`` tells what the model that answered was given.

    Raises:
        NoAnswersError: no request for a grade was answered.
    """
    answers = [answer for _, found in groups for answer in found]
    graded = iter(_graded(_written(db, answers, given), ask))
    rows = []
    for group, found in groups:
        told = [next(graded) for _ in found]
        rows += [{**group, **_row(name, [one[name] for one in told], as_json)} for name in METRICS]
    screen.show(rows, as_json)


def _written(
    db: Path, answers: Sequence[Answer], given: Callable[[Answer], Sequence[Triple]]
) -> list[Written]:
    names = dict(tables.sql(db, NAMES).rows)
    questions = {asked: texts for asked, *texts in tables.sql(db, _QUESTIONS).rows}
    found = []
    for answer in answers:
        triples = given(answer)
        sentences = parse(answer.text, Pool(triples, fold))
        knowledge = [f"{names.get(qid, qid)}, {said}: {value}" for qid, said, value in triples]
        question = questions[answer.asked][answer.protocol == _GENERAL]
        text = " ".join(one.text for one in sentences).strip()
        found.append(Written(question, knowledge, text))
    return found


def _graded(texts: Sequence[Written], ask: Ask) -> list[Mapping[str, Quality]]:
    """Return the grades of each text by metric; an empty one has the lowest.

    Raises:
        NoAnswersError: no request was answered.
    """
    asked = [request for text in texts if text.text for request in _in_order(text)]
    replies = ask(asked)
    tell_missing("grades", len(asked), [*filter(None, map(missing, replies))])
    coming = iter(replies)
    return [_read(coming) if text.text else _EMPTY for text in texts]


def _in_order(text: Written) -> list[Request]:
    return [request for some in requests(text).values() for request in some]


def _read(coming: Iterator[Reply | Failure]) -> Mapping[str, Quality]:
    """Return the grades of a text, whose replies come next."""
    return {name: quality([*islice(coming, SAMPLES)]) for name in METRICS}


def _row(name: str, found: Sequence[Quality], as_json: bool) -> dict[str, Any]:
    """Return the mean of a metric over answers, and the share of replies that have no grade."""
    made = mean([one.value for one in found if one.value is not None])
    replies = sum(one.replies for one in found)
    unparsable = sum(one.unparsable for one in found) / replies if replies else 0.0
    told = {"metric": name, "answers": made.of if made else 0}
    if as_json:
        value, interval = (made.value, made.interval) if made else (None, None)
        return {**told, "mean": value, "interval": interval, "unparsable": unparsable}
    shown = f"{made.value:.2f} ({made.interval[0]:.2f}–{made.interval[1]:.2f})" if made else ""
    return {**told, "mean": shown, "unparsable": f"{unparsable:.0%}"}
