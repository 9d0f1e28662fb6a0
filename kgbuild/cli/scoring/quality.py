"""The quality of texts, by a judging model, as it is shown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import judged_until, tell_estimate, tell_missing
from kgbuild.cli.scoring.groups import Group, rounded, typed
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.biokalma.citations import Pool, Triple, parse
from kgbuild.datasets.biokalma.quality import (
    LOWEST,
    METRICS,
    SAMPLES,
    Quality,
    Written,
    quality,
    requests,
)
from kgbuild.datasets.biokalma.requests import LABELS
from kgbuild.english.normalize import fold
from kgbuild.evaluate.answers import Answer
from kgbuild.evaluate.bootstrap import Counted, Estimates, Share, estimates
from kgbuild.evaluate.grading import missing
from kgbuild.models.chat import Failure, Reply, Request

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = "SELECT question_id, specific_question, general_question FROM biokalma_questions"
_GENERAL = "general"
"""The protocol of answers to general questions; all others are to specific ones."""
_EMPTY: Mapping[str, Quality] = dict.fromkeys(METRICS, Quality(LOWEST, 0, 0))
_NONE: Mapping[str, Quality] = dict.fromkeys(METRICS, Quality(None, 0, 0))

quality_option = click.option(
    "--quality",
    metavar="NAME",
    help="Show instead how well the texts are written, as this language model grades them.",
)


def show_quality(
    db: "Database",
    groups: Sequence[tuple[Group, Sequence[Answer]]],
    given: Callable[[Answer], Sequence[Triple]],
    judge: str,
    ask: Ask,
    as_json: bool,
) -> list[tuple[Group, Estimates]]:
    """Print the grades of answers, by group and metric, and return them.

    ``given`` tells what the model that answered was given; ``ask`` asks the ``judge``.

    Raises:
        NoAnswersError: no request for a grade was answered.
    """
    answers = [answer for _, found in groups for answer in found]
    graded = iter(_graded(_written(db, answers, given), judge, ask))
    scored: list[tuple[Group, Estimates]] = [
        (group, estimates([_counted(next(graded)) for _ in found], unbounded=METRICS))
        for group, found in groups
    ]
    if as_json:
        rows = [{**typed(one), **_values(name, made)} for one, made in scored for name in METRICS]
    else:
        rows = [{**one, **_cells(name, made)} for one, made in scored for name in METRICS]
    screen.show(rows, as_json)
    return scored


def _written(
    db: "Database", answers: Sequence[Answer], given: Callable[[Answer], Sequence[Triple]]
) -> list[Written]:
    names = dict(db.sql(LABELS).rows)
    questions = {asked: texts for asked, *texts in db.sql(_QUESTIONS).rows}
    found = []
    for answer in answers:
        triples = given(answer)
        sentences = parse(answer.text, Pool(triples, fold))
        knowledge = [f"{names.get(qid, qid)}, {said}: {value}" for qid, said, value in triples]
        question = questions[answer.asked][answer.protocol == _GENERAL]
        text = " ".join(one.text for one in sentences).strip()
        found.append(Written(question, knowledge, text))
    return found


def _graded(texts: Sequence[Written], judge: str, ask: Ask) -> list[Mapping[str, Quality]]:
    """Return the grades of each text by metric; an empty one has the lowest.

    Raises:
        NoAnswersError: no request was answered.
    """
    asked = [request for text in texts if text.text for request in _in_order(text)]
    tell_estimate(judge, asked)
    replies = ask(asked)
    tell_missing("grades", len(asked), [*filter(None, map(missing, replies))])
    coming = iter(replies)
    found = [_read(coming) if text.text else _EMPTY for text in texts]
    end = judged_until([None if one is _EMPTY else _has_replies(one) for one in found])
    return [*found[:end], *(_NONE if one is _EMPTY else one for one in found[end:])]


def _has_replies(found: Mapping[str, Quality]) -> bool:
    return any(one.replies for one in found.values())


def _in_order(text: Written) -> list[Request]:
    return [request for some in requests(text).values() for request in some]


def _read(coming: Iterator[Reply | Failure]) -> Mapping[str, Quality]:
    """Return the grades of a text, whose replies come next."""
    return {name: quality([*islice(coming, SAMPLES)]) for name in METRICS}


def _counted(found: Mapping[str, Quality]) -> Counted:
    """Return what an answer adds: its grades, and the replies that have none."""
    grades = {
        name: Share(0, 0) if one.value is None else Share(one.value, 1)
        for name, one in found.items()
    }
    unread = {_unread(name): Share(one.unparsable, one.replies) for name, one in found.items()}
    return {**grades, **unread}


def _unread(name: str) -> str:
    """Return what the share of replies without a grade is called."""
    return f"{name}_unparsable"


def _values(name: str, made: Estimates) -> dict[str, Any]:
    """Return the mean of a metric over answers as values."""
    value, answers, interval = made[name]
    unread = made[_unread(name)].value
    told = {"answers": answers, "mean": value, "interval": interval, "unparsable": unread}
    return {"metric": name, **told}


def _cells(name: str, made: Estimates) -> dict[str, Any]:
    """Return the mean of a metric over answers as cells of a table."""
    return {
        "metric": name,
        "answers": made[name].of,
        "mean": rounded(made[name], "{:.2f}"),
        "unparsable": rounded(made[_unread(name)]._replace(interval=None)),
    }
