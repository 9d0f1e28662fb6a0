"""The section of the report with single replies of models, their verdicts, and the evidence."""

import contextlib
import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.datasets.answer_sets import read_answers, scored_ways
from kgbuild.datasets.asking import Grader
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.scoring import Scorer, abstains, scorer_of
from kgbuild.datasets.views import RowView
from kgbuild.errors import KgbuildError, UnknownTableError
from kgbuild.evaluate.answers import Answer
from kgbuild.models.reply_cache import only_kept, replies_beside
from kgbuild.report.dataset_section import sample
from kgbuild.report.names import ReportNames
from kgbuild.report.parts import Section
from kgbuild.rows import shuffled

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_JUDGES = """
    SELECT judge FROM scores
    WHERE dataset = $dataset AND judge <> '' AND source = 'predictions'
    GROUP BY judge ORDER BY min(rowid)
"""
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


class Verdict(NamedTuple):
    """A verdict on a reply, and its reason; ``judge`` is the judge of the scores, "" for rules."""

    verdict: str
    reason: str
    judge: str

    def __str__(self) -> str:
        by = f" by judge {self.judge}" if self.judge else ""
        return f"{self.verdict}{by} ({self.reason})" if self.reason else f"{self.verdict}{by}"


class JudgedReply(NamedTuple):
    """A reply to a question: its text, and the verdicts on it, those by rules first.

    ``run`` tells who made it and how. Replies with the same ``asked`` can be compared.
    """

    run: str
    asked: tuple[object, ...]
    text: str
    verdicts: Sequence[Verdict]
    confidence: float | None = None

    @property
    def title(self) -> str:
        """The run, the confidence in the reply if it is known, and the verdicts."""
        given = "" if self.confidence is None else f", confidence {self.confidence:.0%}"
        return f"{self.run}{given}: {'; '.join(map(str, self.verdicts))}"


Replies: TypeAlias = Mapping[str, Sequence[JudgedReply]]
"""Replies by the id of the item of a dataset that was asked about."""


def judged(dataset: AnyDataset, db: "Database", seed: int) -> Replies:
    """Return the replies in ``predictions`` to 200 items, by item, with their verdicts.

    They are those of the rules, then the kept grades of each judge whose scores are in ``scores``.
    There are none if the dataset has no view, or no answers that can be scored as right or wrong.
    """
    if not dataset.view or not dataset.scoring or dataset.scoring.compared != "accuracy":
        return {}
    found: dict[str, list[JudgedReply]] = defaultdict(list)
    for one in scored_ways(dataset):
        with contextlib.suppress(KgbuildError):  # there are no such answers
            for asked, reply in _judged(one, db, seed):
                found[asked].append(reply)
    return dict(found)


def _judged(dataset: AnyDataset, db: "Database", seed: int) -> Iterator[tuple[str, JudgedReply]]:
    """Yield the replies that one scoring of a dataset is about, each with the id of its item."""
    answer_set = read_answers(dataset, None, db)
    ids = shuffled({answer.asked for answer in answer_set.answers}, lambda i: (i,), seed)
    chosen = {*ids[:200]}
    answers = [answer for answer in answer_set.answers if answer.asked in chosen]
    verdicts = [
        _verdicts(scorer_of(answer_set, db, **options), answers, judge)
        for judge, options in graders(dataset, db).items()
    ]
    for answer, *found in zip(answers, *verdicts, strict=True):
        asked = answer._replace(asked="", text="", model="", finish_reason="", confidence=None)
        kind = ["false assumption"] if answer.false_assumption else []
        run = " · ".join(filter(None, (answer.model, answer.protocol, *kind)))
        if given := [*filter(None, found)]:
            yield answer.asked, JudgedReply(run, asked, answer.text, given, answer.confidence)


def _verdicts(scorer: Scorer, answers: Sequence[Answer], judge: str) -> Iterator[Verdict | None]:
    """Yield the verdict of the rules, or of a judge, on each answer; None if it gave none."""
    for answer, record in zip(answers, scorer.judgements(answers), strict=True):
        share = scorer.share(answer)
        given = RIGHT if share.hits == share.total else WRONG
        verdict = ABSTAINED if abstains(scorer, answer) else given
        reasons = map(record.get, ("reason", "justification", "verdict"))
        reason = str(next(filter(None, reasons), ""))
        is_given = bool(judge) == (record.get("source", judge or _RULES) != _RULES)
        yield Verdict(verdict, reason, judge) if is_given and share.total else None


def graders(dataset: AnyDataset, db: "Database") -> Mapping[str, Mapping[str, Any]]:
    """Return the options of a scorer by who grades: first "", the rules, if there are any.

    Then come the judges of ``scores``, whose kept grades are taken.
    """
    parameters = inspect.signature(dataset.scoring.scorer).parameters if dataset.scoring else {}
    found: dict[str, Mapping[str, Any]] = {}
    if "grader" not in parameters or parameters["grader"].default is None:
        found[""] = {}
    cache = replies_beside(db.path)
    if "grader" in parameters and cache.exists():
        names: list[str] = []
        with contextlib.suppress(UnknownTableError):  # nothing was scored
            names = [name for (name,) in db.read(_JUDGES, dataset=dataset.name).rows]
        every = {"grade_all": True} if "grade_all" in parameters else {}
        # Marks follow the name of the model in brackets; the last score of each counts.
        for model, judge in {name.partition(" (")[0]: name for name in names}.items():
            found[judge] = {"grader": Grader(model, only_kept(cache, model)), **every}
    return found


def sorts(replies: Sequence[JudgedReply]) -> list[str]:
    """Return which of ``FILTERS`` the replies to a question belong to."""
    given = [(reply.asked, reply.verdicts[0].verdict) for reply in replies]
    graded = {GRADED for reply in replies if reply.verdicts[-1].judge}
    verdicts, distinct = graded.union(verdict for _, verdict in given), {*given}
    differ = len(distinct) > len({asked for asked, _ in distinct})
    return [name for name in FILTERS if name in verdicts or (name == CHANGED and differ)]


def shown(replies: Replies) -> list[str]:
    """Return the ids of 20 items to show: first those whose replies differ, or are wrong."""
    order = [*FILTERS]
    return sorted(replies, key=lambda name: order.index(sorts(replies[name])[0]))[:20]


def replies_section(
    answered: Sequence[tuple[RowView, Sequence[JudgedReply]]], names: ReportNames
) -> Section:
    """Return the section with the replies to the items of views, each with its evidence."""
    samples = []
    for view, replies in answered:
        texts = [(reply.title, reply.text) for reply in replies]
        one = sample(view, names)
        samples.append(replace(one, texts=[*one.texts, *texts], kinds=sorts(replies)))
    present = {kind for one in samples for kind in one.kinds}
    return Section(
        "replies",
        "Single replies",
        "What models said to some questions, how it is judged, and why, with the evidence: first "
        "the verdict of the rules, which counts here, then those of judging models. "
        "Questions on which models differ, or are wrong, come first.",
        samples=samples,
        filters={name: text for name, text in FILTERS.items() if name in present},
    )
