"""The section of the report with single replies of models, their verdicts, and the evidence."""

import contextlib
import inspect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.datasets.asking import Grader
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.scoring import Scorer, abstains, read_answers, scorer_of
from kgbuild.datasets.views import RowView
from kgbuild.errors import KgbuildError, UnknownTableError
from kgbuild.models.reply_cache import only_kept, replies_beside
from kgbuild.report.dataset_section import sample
from kgbuild.report.names import ReportNames
from kgbuild.report.parts import Section
from kgbuild.rows import shuffled

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = 200
"""Maximum number of questions of a dataset whose replies are judged for the page."""
_SHOWN = 20
"""Maximum number of questions of a dataset that the page shows."""
_ACCURACY = "accuracy"
"""The metric by which answers are compared that are right or wrong."""
_GRADERS = "SELECT dataset, judge FROM scores WHERE judge <> '' ORDER BY rowid"
_RULES = "rules"
"""The source of the verdicts that no model gave."""
RIGHT, WRONG, ABSTAINED, CHANGED = "right", "wrong", "abstained", "changed"
GRADED = "graded"
FILTERS: Mapping[str, str] = {
    CHANGED: "models differ",
    WRONG: "some are wrong",
    ABSTAINED: "some abstain",
    RIGHT: "some are right",
    GRADED: "a model graded some",
}
"""The choices of questions by their replies; those that come first are shown rather."""


class JudgedReply(NamedTuple):
    """A reply to a question: its text, its verdict, and the reason of that.

    ``run`` tells who made it and how. Replies with the same ``asked`` can be compared. ``grader``
    is the model that judged it, "" for the rules.
    """

    run: str
    asked: tuple[object, ...]
    text: str
    verdict: str
    reason: str
    grader: str = ""

    @property
    def judgement(self) -> str:
        """The verdict with its reason, and with its grader."""
        verdict = f"{self.verdict} by {self.grader}" if self.grader else self.verdict
        return f"{verdict} ({self.reason})" if self.reason else verdict


Replies: TypeAlias = Mapping[str, Sequence[JudgedReply]]
"""Replies by the id of the item of a dataset that was asked about."""


def judged(dataset: AnyDataset, db: "Database", seed: int) -> Replies:
    """Return the replies in ``predictions`` to some items, by item, with their verdicts.

    The grades are kept that the last grader of ``score`` gave; the rules judge the other replies.
    There are none if the dataset has no view, or no answers that can be scored as right or wrong.
    """
    if not dataset.view or not dataset.scoring or dataset.scoring.compared != _ACCURACY:
        return {}
    try:
        answer_set = read_answers(dataset, None, db)
        scorer = scorer_of(answer_set, db, **_grader(dataset.name, dataset.scoring.scorer, db))
        ids = shuffled({answer.asked for answer in answer_set.answers}, lambda i: (i,), seed)
        chosen = {*ids[:_QUESTIONS]}
        answers = [answer for answer in answer_set.answers if answer.asked in chosen]
        found: dict[str, list[JudgedReply]] = defaultdict(list)
        for answer, record in zip(answers, scorer.judgements(answers), strict=True):
            share = scorer.share(answer)
            given = RIGHT if share.hits == share.total else WRONG
            verdict = ABSTAINED if abstains(scorer, answer) else given
            asked = answer._replace(asked="", text="", model="", finish_reason="", confidence=None)
            kind = ["false assumption"] if answer.false_assumption else []
            run = " · ".join(filter(None, (answer.model, answer.protocol, *kind)))
            reason = str(record.get("reason") or record.get("verdict") or "")
            source = str(record.get("source", _RULES))
            grader = "" if source == _RULES else source
            found[answer.asked].append(
                JudgedReply(run, asked, answer.text, verdict, reason, grader)
            )
    except KgbuildError:
        return {}
    return dict(found)


def _grader(dataset: str, scorer: Callable[..., Scorer], db: "Database") -> Mapping[str, Any]:
    """Return the options by which a scorer takes the kept grades of the last grader, if any."""
    cache = replies_beside(db.path)
    if "grader" not in inspect.signature(scorer).parameters or not cache.exists():
        return {}
    graders: Mapping[str, str] = {}
    with contextlib.suppress(UnknownTableError):  # nothing was scored
        graders = dict(db.read(_GRADERS).rows)
    model = graders.get(dataset, "").partition(" (control ")[0]
    return {"grader": Grader(model, only_kept(cache, model)), "grade_all": True} if model else {}


def sorts(replies: Sequence[JudgedReply]) -> list[str]:
    """Return which of ``FILTERS`` the replies to a question belong to."""
    verdicts = {reply.verdict for reply in replies} | {GRADED for reply in replies if reply.grader}
    distinct = {(reply.asked, reply.verdict) for reply in replies}
    differ = len(distinct) > len({asked for asked, _ in distinct})
    return [name for name in FILTERS if name in verdicts or (name == CHANGED and differ)]


def shown(replies: Replies) -> list[str]:
    """Return the ids of the items to show: first those whose replies differ, or are wrong."""
    order = [*FILTERS]
    return sorted(replies, key=lambda name: order.index(sorts(replies[name])[0]))[:_SHOWN]


def replies_section(
    answered: Sequence[tuple[RowView, Sequence[JudgedReply]]], names: ReportNames
) -> Section:
    """Return the section with the replies to the items of views, each with its evidence."""
    samples = []
    for view, replies in answered:
        texts = [(f"{reply.run}: {reply.judgement}", reply.text) for reply in replies]
        one = sample(view, names)
        samples.append(replace(one, texts=[*one.texts, *texts], kinds=sorts(replies)))
    present = {kind for one in samples for kind in one.kinds}
    return Section(
        "replies",
        "Single replies",
        "What models said to some questions, how it is judged, and why, with the evidence. "
        "Questions on which models differ, or are wrong, come first.",
        samples=samples,
        filters={name: text for name, text in FILTERS.items() if name in present},
    )
