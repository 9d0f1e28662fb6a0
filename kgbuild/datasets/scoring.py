"""Score answers to a dataset, by the scoring that the dataset describes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from kgbuild.calls import call_with_options
from kgbuild.evaluate.answers import OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Estimate, Estimates, Share, means
from kgbuild.evaluate.calibration import CONFIDENT, Confident, calibration
from kgbuild.models.chat import FINISHED
from kgbuild.notebook_tables import html_table
from kgbuild.rows import DatasetTables, natural
from kgbuild.tables.records import Scored
from kgbuild.text.replies import refuses

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

T = TypeVar("T")
Group: TypeAlias = Mapping[str, str]
"""The values, by column, that all answers of a group share; a group is scored together."""

_RUN = attrgetter("model", "protocol", "removed", "accuracy")


class Scorer(Protocol):
    """Scores answers to the items of one database.

    It may have a method ``prepare``, which is called first, with the answers of all groups, and
    ``abstains``, by which an answer abstains; without it, one abstains whose text refuses.
    """

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of a group of answers."""

    def share(self, answer: Answer) -> Share:
        """Return the value of one answer in the metric by which models are compared."""

    def judgements(self, answers: Sequence[Answer]) -> Iterable[Mapping[str, Any]]:
        """Return a record for each answer with its result, for a file of results."""


class ScoreColumn(NamedTuple):
    """A column of a table of scores: its heading, its metric, and the format of its numbers.

    Without a format, it shows the number of cases of the metric.
    """

    heading: str
    metric: str
    form: str = "{:.0%}"
    has_interval: bool = True


def columns(*names: str, form: str = "{:.0%}") -> tuple[ScoreColumn, ...]:
    """Return columns of metrics that have the metrics' names as headings."""
    return tuple(ScoreColumn(name.replace("_", " "), name, form) for name in names)


@dataclass(frozen=True)
class ScoreTable:
    """A table of the scores of each group of answers.

    ``rows`` are the first cells of each row of a group, by heading, and what precedes the names of
    the metrics in it; a cell is empty if there is no such metric. ``applies`` returns whether a
    group with these metrics has rows.
    """

    columns: tuple[ScoreColumn, ...]
    rows: tuple[tuple[Mapping[str, str], str], ...] = (({}, ""),)
    title: str = ""
    applies: Callable[[Estimates], object] = bool


@dataclass(frozen=True)
class Scoring:
    """How answers to a dataset are scored.

    ``item_columns`` identify the item of an answer; ``optional_columns`` maps columns that a file
    may lack to their default values. ``group_columns`` are the attributes by which answers can be
    grouped. ``items`` is an SQL query that selects the first of ``item_columns`` and these
    attributes; ``predictions`` is one that selects the answers to score. ``scorer`` takes
    a database, the path of the answers (for errors), and options of the dataset. ``compared`` is
    the metric by which two models are compared; ``main_metrics`` are the metrics that a report
    draws, as (name, title, meaning). ``curves`` are those of them that it draws in one chart, over
    removed knowledge and over the accuracy of graphs: by the title of the chart, the names of the
    metrics with those of their lines. ``tables`` show people the scores; without any, all metrics
    are in one. ``notes`` returns sentences about scores, which stand below. ``questions_per_item``
    is 2 if an item is a pair of questions. ``by_judge`` scores further answers, which only a
    model can judge. Answers by the protocols ``elsewhere`` are not scored, but by what ``instead``
    names.
    """

    item_columns: tuple[str, ...]
    group_columns: tuple[str, ...]
    items: str
    predictions: str
    scorer: Callable[..., Scorer]
    compared: str
    main_metrics: tuple[tuple[str, str, str], ...] = ()
    curves: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    optional_columns: Mapping[str, str] = field(default_factory=lambda: OPTIONAL)
    questions_per_item: int = 1
    tables: tuple[ScoreTable, ...] = ()
    notes: "Callable[[Scores], Iterable[str]]" = lambda _: ()
    by_judge: "Scoring | None" = None
    elsewhere: tuple[str, ...] = ()
    instead: str = ""

    def has(self, protocol: str) -> bool:
        """Return whether answers by a protocol, such as zero-shot@paper, are scored."""
        own, _, prompt = protocol.partition("@")
        return own not in self.elsewhere or "+" in prompt  # sampled@paper+graph is made of samples


class AnswerSet(NamedTuple):
    """Answers to a dataset, in groups.

    ``source`` is the name of the file of the answers, or ``predictions``; ``columns`` are its
    columns. ``items`` has the attribute ``by`` of each item in the database, by its id. ``records``
    is the number of answers in the source, ``outdated`` the number of answers to questions that the
    database no longer has, ``left_out`` the number of unfinished answers that were excluded, and
    ``elsewhere`` that of answers by protocols which the scoring does not have.
    """

    dataset: DatasetTables
    scoring: Scoring
    path: Path
    source: str
    columns: Sequence[str]
    items: Mapping[str, str]
    groups: list[tuple[Group, list[Answer]]]
    by: str | None = None
    outdated: int = 0
    records: int = 0
    left_out: int = 0
    elsewhere: int = 0

    @property
    def answers(self) -> list[Answer]:
        """The answers of all groups."""
        return [answer for _, group in self.groups for answer in group]

    @property
    def unanswered(self) -> dict[tuple[str, ...], int]:
        """The number of unanswered questions by run, a (model, protocol, removed, accuracy)."""
        runs = Counter(map(_RUN, self.answers))
        return {run: self.questions - count for run, count in sorted(runs.items())}

    @property
    def unfinished(self) -> dict[tuple[str, ...], Counter[str]]:
        """The number of answers that are not finished, by run as above and state."""
        runs: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for answer in self.answers:
            if (state := answer.state) != FINISHED:
                runs[_RUN(answer)][state] += 1
        return dict(sorted(runs.items()))

    @property
    def questions(self) -> int:
        """The number of questions in the database."""
        return len(self.items) * self.scoring.questions_per_item


@dataclass(frozen=True, repr=False)
class Scores:
    """The metrics of each group of answers; ``judge`` is the model that graded, "" without one.

    ``judgements`` returns a record for each answer: the answer, and its result by itself.
    ``scorer`` is what measured the answers.
    """

    answers: AnswerSet
    groups: Sequence[tuple[Group, Estimates]]
    judge: str = ""
    judgements: Callable[[], Iterable[Mapping[str, Any]]] = field(
        default=tuple, repr=False, compare=False
    )
    scorer: "Scorer | None" = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        name, count = self.answers.dataset.command, len(self.answers.answers)
        groups = f"{len(self.groups)} group{'s' * (len(self.groups) != 1)}"
        return f"<Scores of {name}: {count:,} answers of {self.answers.source}, in {groups}>"

    def _repr_html_(self) -> str:
        rows = [
            {
                **{name: value for name, value in group.items() if value},
                "metric": name,
                "value": round(estimate.value, 4),
                "interval": estimate.interval and [round(end, 4) for end in estimate.interval],
                "of": f"{estimate.total:,}",
            }
            for group, metrics in self.groups
            for name, estimate in metrics.items()
            if estimate.value is not None
        ]
        return html_table(repr(self), rows)

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each group: its columns, and each metric with interval and count."""
        return [{**group, **json_fields(metrics)} for group, metrics in self.groups]

    def rows(self) -> list[Scored]:
        """Return the rows of the table ``scores``, without metrics that have no value."""
        return [
            _row(self, group, name, estimate)
            for group, metrics in self.groups
            for name, estimate in metrics.items()
            if estimate.value is not None
        ]


def score(answer_set: AnswerSet, db: "Database", **options: Any) -> Scores:
    """Score answers, group by group; ``options`` are those of the dataset's scorer.

    Raises:
        TableFileError: an answer is about knowledge that the database does not have.
        WrongCallError: the scorer has no such option.
    """
    scorer = scorer_of(answer_set, db, **options)
    return Scores(
        answer_set,
        [
            (group, {**scorer.score(answers), **_calibration(scorer, answers)})
            for group, answers in answer_set.groups
        ],
        judgements=lambda: scorer.judgements(answer_set.answers),
        scorer=scorer,
    )


def scorer_of(answer_set: AnswerSet, db: "Database", **options: Any) -> Scorer:
    """Return the scorer of a dataset with its options, prepared for some answers."""
    scorer: Scorer = call_with_options(
        answer_set.dataset.command, answer_set.scoring.scorer, db, answer_set.path, **options
    )
    if prepare := getattr(scorer, "prepare", None):
        prepare(answer_set.answers)
    return scorer


def abstains(scorer: Scorer, answer: Answer) -> bool:
    """Return whether an answer abstains: it is not given, and so neither right nor wrong."""
    own: Callable[[Answer], bool] | None = getattr(scorer, "abstains", None)
    return own(answer) if own else refuses(answer.text)


def _calibration(scorer: Scorer, answers: Sequence[Answer]) -> Estimates:
    """Return the measures of the confidence of the answers given, and how many of them have one."""
    if all(answer.confidence is None and not answer.must_state for answer in answers):
        return {}
    given = [a for a in answers if scorer.share(a).total == 1 and not abstains(scorer, a)]
    sure = [a for a in given if a.confidence is not None]
    cases = [Confident(a.asked, a.confidence or 0.0, bool(scorer.share(a).hits)) for a in sure]
    return {**means([{CONFIDENT: a.confidence is not None} for a in given]), **calibration(cases)}


def grouped(
    columns: Sequence[str], members: Iterable[tuple[tuple[str, ...], T]]
) -> list[tuple[Group, list[T]]]:
    """Group members by their values in ``columns``, in the natural order of the values."""
    by_values: dict[tuple[str, ...], list[T]] = defaultdict(list)
    for values, member in members:
        by_values[values].append(member)
    ordered = sorted(by_values, key=lambda values: [*map(natural, values)])
    return [(dict(zip(columns, values, strict=True)), by_values[values]) for values in ordered]


def _row(scores: Scores, group: Group, name: str, estimate: Estimate) -> Scored:
    answer_set = scores.answers
    values = {**answer_set.scoring.optional_columns, **group}
    low, high = estimate.interval or (None, None)
    return Scored(
        dataset=answer_set.dataset.name,
        model=values["model"],
        protocol=values["protocol"],
        removed=int(values["removed"]) if "removed" in values else None,
        accuracy=int(values["accuracy"]) if "accuracy" in values else None,
        grouped_by=answer_set.by or "",
        group=values[answer_set.by] if answer_set.by else "",
        judge=scores.judge,
        metric=name,
        value=estimate.value or 0.0,
        low=low,
        high=high,
        answers=estimate.total,
        source=answer_set.source,
    )


def json_fields(metrics: Estimates) -> dict[str, Any]:
    """Return three fields for each metric: its value, its interval and its number of cases."""
    values: dict[str, Any] = {}
    for name, estimate in metrics.items():
        values |= {
            name: estimate.value,
            f"{name}_interval": estimate.interval,
            f"{name}_of": estimate.total,
        }
    return values
