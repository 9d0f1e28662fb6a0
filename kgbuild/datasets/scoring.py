"""Score answers to a dataset, by the scoring that the dataset describes."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from kgbuild.datasets.base import AnyDataset, call
from kgbuild.errors import DatasetError, NoPredictionsError, TableFileError, UnknownChoiceError
from kgbuild.evaluate.answers import FINISHED, OPTIONAL, Answer, answers
from kgbuild.evaluate.bootstrap import Estimate, Estimates, Share
from kgbuild.rows import require_columns
from kgbuild.tables.files import Result, read_file
from kgbuild.tables.records import Scored

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

Attributes: TypeAlias = Mapping[str, Mapping[str, str]]
"""The values of items by which answers can be grouped: by item id, then by column."""
Group: TypeAlias = Mapping[str, str]
"""The values that a group of answers, scored together, has in common: by column."""

PREDICTIONS = "predictions"
"""The source of answers that come from the table ``predictions``."""
_HAS_PREDICTIONS = f"FROM duckdb_tables() WHERE table_name = '{PREDICTIONS}'"
_OF_ALL_VERSIONS = """
    WITH predictions AS (
        FROM main.predictions UNION ALL BY NAME SELECT NULL::VARCHAR AS finish_reason WHERE false
    )
"""
"""Predictions of earlier versions have no finish reason."""
_RECORDS = Path("the answers")
"""The name in errors of answers that come as records, not in a file."""


class Scorer(Protocol):
    """Scores answers to the items of one database."""

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the metrics of a group of answers."""

    def share(self, answer: Answer) -> Share:
        """Return the value of one answer in the metric by which models are compared."""


@dataclass(frozen=True)
class Scoring:
    """How answers to a dataset are scored.

    ``item_columns`` identify the item of an answer; ``optional_columns`` may be missing in a
    file, and have default values. ``group_columns`` are the attributes by which answers can be
    grouped; ``attributes`` reads them from a database. ``predictions`` is the SQL query of the
    predictions that can be scored. ``scorer`` takes a database, the path of the answers (for
    errors), and the dataset's own options. ``compared`` is the metric by which two models are
    compared; ``main_metrics`` are the metrics that a report draws: name, title, meaning.
    ``questions_per_item`` is 2 if an item is a pair of questions.
    """

    item_columns: tuple[str, ...]
    group_columns: tuple[str, ...]
    attributes: "Callable[[Database], Attributes]"
    predictions: str
    scorer: Callable[..., Scorer]
    compared: str
    main_metrics: tuple[tuple[str, str, str], ...] = ()
    optional_columns: Mapping[str, str] = field(default_factory=lambda: OPTIONAL)
    questions_per_item: int = 1


class AnswerSet(NamedTuple):
    """Answers to a dataset, in groups, with the attributes of their items.

    ``source`` is the file of the answers, or ``predictions``; ``columns`` are its columns.
    ``records`` counts all answers; ``outdated`` counts the answers to questions that a later build
    left out, and ``left_out`` the unfinished answers, if only finished ones are wanted.
    """

    dataset: AnyDataset
    scoring: Scoring
    path: Path
    source: str
    columns: Sequence[str]
    attributes: Attributes
    groups: list[tuple[Group, list[Answer]]]
    by: str | None = None
    outdated: int = 0
    records: int = 0
    left_out: int = 0

    @property
    def answers(self) -> list[Answer]:
        """The answers of all groups."""
        return [answer for _, group in self.groups for answer in group]

    @property
    def unanswered(self) -> dict[tuple[str, ...], int]:
        """The number of unanswered questions by run: model, protocol, removed, accuracy."""
        runs = Counter(
            (answer.model, answer.protocol, answer.removed, answer.accuracy)
            for answer in self.answers
        )
        return {run: self.questions - count for run, count in sorted(runs.items())}

    @property
    def unfinished(self) -> dict[tuple[str, ...], Counter[str]]:
        """The number of answers by state, other than finished ones, of each run that has any."""
        runs: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for answer in self.answers:
            if (state := answer.state) != FINISHED:
                run = (answer.model, answer.protocol, answer.removed, answer.accuracy)
                runs[run][state] += 1
        return dict(sorted(runs.items()))

    @property
    def questions(self) -> int:
        """The number of questions in the database."""
        return len(self.attributes) * self.scoring.questions_per_item


@dataclass(frozen=True)
class Scores:
    """The metrics of each group of answers; ``judge`` is the model that graded the answers."""

    answers: AnswerSet
    groups: Sequence[tuple[Group, Estimates]]
    judge: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each group: its columns, and each metric with interval and count."""
        return [{**group, **exact(metrics)} for group, metrics in self.groups]

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
        TableFileError: an answer belongs to a pool that the database does not have.
        UnknownChoiceError: the scorer has no such option.
    """
    scorer = call(answer_set.dataset, answer_set.scoring.scorer, db, answer_set.path, **options)
    return Scores(
        answer_set, [(group, scorer.score(answers)) for group, answers in answer_set.groups]
    )


def read_answers(
    dataset: AnyDataset,
    source: Path | str | Sequence[Mapping[str, Any]] | None,
    db: "Database",
    by: str | None = None,
    only_finished: bool = False,
) -> AnswerSet:
    """Return the answers of a file, of records, or (None) of ``predictions``, in groups.

    Answers of a group have the same values of all optional columns that exist (model, protocol,
    …), and of ``by``. ``only_finished`` leaves out answers in another state.

    Raises:
        TableFileError, MissingColumnError, UnknownQuestionsError, RepeatedAnswerError: the
            answers cannot be scored.
        NoPredictionsError: ``source`` is None, and the table has no answers.
        DatasetError, UnknownChoiceError: the dataset has no scoring, or no attribute ``by``.
    """
    scoring = dataset.scoring
    if scoring is None:
        raise DatasetError(dataset.name, "it has no scoring, so its answers cannot be scored")
    choices = [*scoring.group_columns, *scoring.optional_columns]
    if by and by not in choices:
        raise UnknownChoiceError(dataset.command, "attribute", by, choices)
    path, name, table = _read(dataset, scoring, source, db)
    attributes = scoring.attributes(db)
    records = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    count = len(records)
    if name == PREDICTIONS:  # in a file, such answers belong to another database
        key = scoring.item_columns[0]
        records = [record for record in records if record[key] in attributes] or records
    optional = scoring.optional_columns
    read = answers(path, table.columns, records, scoring.item_columns, attributes, optional)
    kept = [answer for answer in read if answer.state == FINISHED] if only_finished else read
    if not kept:
        raise TableFileError(path, f"none of its {len(read):,} answers is finished")
    columns = [column for column in optional if column in table.columns]
    if by in OPTIONAL:
        require_columns(path, table.columns, [by])
    elif by:
        columns.append(by)
    return AnswerSet(
        dataset,
        scoring,
        path,
        name,
        table.columns,
        attributes,
        _group(kept, columns, attributes),
        by,
        outdated=count - len(records),
        records=count,
        left_out=len(read) - len(kept),
    )


def _read(
    dataset: AnyDataset,
    scoring: Scoring,
    source: Path | str | Sequence[Mapping[str, Any]] | None,
    db: "Database",
) -> tuple[Path, str, Result]:
    """Return the path that errors name, the name of the source, and its table."""
    if isinstance(source, Path | str):
        return Path(source), Path(source).name, read_file(Path(source))
    if source is not None:
        columns = [*dict.fromkeys(column for record in source for column in record)]
        rows = [tuple(record.get(column) for column in columns) for record in source]
        return _RECORDS, "records", Result(columns, rows)
    # Databases of older versions lack the table.
    has_table = db.sql(_HAS_PREDICTIONS).rows
    if not (has_table and (table := db.sql(_OF_ALL_VERSIONS + scoring.predictions)).rows):
        asking = dataset.user_call("ask ", " --model NAME")
        raise NoPredictionsError(db.path, dataset.command, asking)
    return db.path, PREDICTIONS, table


def _group(
    read: Iterable[Answer], columns: Sequence[str], attributes: Attributes
) -> list[tuple[Group, list[Answer]]]:
    groups = defaultdict(list)
    for answer in read:
        values = {**attributes[answer.asked], **answer._asdict()}
        groups[tuple(values[column] for column in columns)].append(answer)
    ordered = sorted(groups, key=lambda group: [*map(natural, group)])
    return [(dict(zip(columns, group, strict=True)), groups[group]) for group in ordered]


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
        answers=estimate.of,
        source=answer_set.source,
    )


def exact(metrics: Estimates) -> dict[str, Any]:
    """Return each metric as three fields: its value, its interval and its number of cases."""
    values: dict[str, Any] = {}
    for name, estimate in metrics.items():
        values |= {
            name: estimate.value,
            f"{name}_interval": estimate.interval,
            f"{name}_of": estimate.of,
        }
    return values


def natural(text: str) -> str:
    """Return a key that orders P69 before P3373."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), text)
