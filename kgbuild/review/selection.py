"""Select the rows to review, and their order: rows of a dataset, or answers of models to it.

A *stratum* is the set of rows with the same value in a column.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.row_views import row_views
from kgbuild.datasets.views import Question, Record, RowView
from kgbuild.errors import KgbuildError
from kgbuild.rows import require_columns, shuffled
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_STRATIFYING = "SELECT column_name FROM (SUMMARIZE {}) WHERE approx_unique BETWEEN 2 AND count / 4"
"""Selects the columns of a table with few distinct values, which an error suggests."""


@dataclass(frozen=True)
class Selection:
    """The rows to review: rows of a dataset, or predictions (answers of models) for it."""

    dataset: AnyDataset
    of_predictions: bool = False

    @property
    def name(self) -> str:
        """The name of the selection in the column ``dataset`` of the table ``reviews``."""
        return f"{self.dataset.name} predictions" if self.of_predictions else self.dataset.name

    @property
    def table(self) -> str:
        """The table or view with one row for each row to review."""
        return "reviewable_predictions" if self.of_predictions else self.dataset.tables[0]

    @property
    def source(self) -> str:
        """The SQL expression to select from, with the name of the dataset as ``$dataset``."""
        predictions = f"(FROM {self.table} WHERE dataset = $dataset)"
        return predictions if self.of_predictions else self.table

    @property
    def key(self) -> str:
        """The column with the ids of the rows to review."""
        return "prediction_id" if self.of_predictions else self.dataset.key

    @property
    def is_lost(self) -> str:
        """The SQL condition for predictions whose row of the dataset no longer exists."""
        if not self.of_predictions:
            return "false"
        return f"item_id NOT IN (SELECT {self.dataset.key} FROM {self.dataset.tables[0]})"  # noqa: S608


def lost(select: Select, selection: Selection) -> int:
    """Return the number of predictions that cannot be reviewed, as their rows no longer exist."""
    text = f"SELECT count_if({selection.is_lost}) AS lost FROM {selection.source}"  # noqa: S608
    return int(select(text, {"dataset": selection.dataset.name})[0]["lost"])


def strata(db: "Database", selection: Selection, by: str | None) -> dict[str, list[str]]:
    """Return the ids of all rows by their value in the column ``by``; without it, in one stratum.

    Predictions of rows that no longer exist are left out.

    Raises:
        KgbuildError: there are no rows.
        WrongCallError: there is no column ``by``.
    """
    with db.reading() as select:
        if by is not None:
            columns = [row["column_name"] for row in select(f"DESCRIBE {selection.table}", {})]
            if by not in columns:
                suitable = select(_STRATIFYING.format(selection.table), {})
                names = [row["column_name"] for row in suitable] or columns
                require_columns(Path(selection.table), names, [by])
        stratum = f'CAST("{by}" AS VARCHAR)' if by else "''"  # an existing column
        rows = select(
            f"SELECT {selection.key} AS id, {stratum} AS stratum FROM {selection.source}"  # noqa: S608
            f" WHERE NOT ({selection.is_lost}) ORDER BY id",
            {"dataset": selection.dataset.name},
        )
    if not rows:
        missing = "answers to" if selection.of_predictions else "rows of"
        call = selection.dataset.user_command("ask " * selection.of_predictions)
        raise KgbuildError(
            f"{db.path} has no {missing} {selection.dataset.command} to review. Get them: {call}."
        )
    grouped: dict[str, list[str]] = {}
    for row in rows:
        grouped.setdefault(row["stratum"] or "", []).append(row["id"])
    return grouped


def sample(strata: Mapping[str, Iterable[str]], limit: int, seed: int) -> list[str]:
    """Return the ids of at most ``limit`` rows, in rounds with one row of each stratum.

    Rows are chosen and ordered by the seed. Each round is shuffled, so that the position of a row
    does not reveal its stratum. A smaller sample is the beginning of a larger sample.
    """
    shuffled_strata = [_shuffle(strata[name], seed) for name in sorted(strata)]
    rounds = zip_longest(*shuffled_strata)
    ids = (row_id for round_ids in rounds for row_id in _shuffle(filter(None, round_ids), seed))
    return [*islice(ids, limit)]


def _shuffle(ids: Iterable[str], seed: int) -> list[str]:
    return shuffled(ids, lambda row_id: (row_id,), seed)


def views(select: Select, selection: Selection, ids: Sequence[str]) -> list[RowView]:
    """Return the views of the rows with these ids, in the order of the ids."""
    if not selection.of_predictions:
        return row_views(select, selection.dataset, ids)
    predictions = select(
        f"SELECT * FROM {selection.source} WHERE prediction_id IN (SELECT unnest($ids))",  # noqa: S608
        {"dataset": selection.dataset.name, "ids": list(ids)},
    )
    row_ids = sorted({prediction["item_id"] for prediction in predictions})
    rows = {view.id: view for view in row_views(select, selection.dataset, row_ids)}
    positions = {prediction_id: position for position, prediction_id in enumerate(ids)}
    answered = [
        (rows[prediction["item_id"]], prediction)
        for prediction in predictions
        if prediction["item_id"] in rows
    ]
    ask = selection.dataset.claims
    claims = ask(select, answered) if ask else [[] for _ in answered]
    shown = (_view(*pair, questions) for pair, questions in zip(answered, claims, strict=True))
    return sorted(shown, key=lambda view: positions[view.id])


def _view(row: RowView, prediction: Record, claims: Sequence[Question]) -> RowView:
    """Return the view of a model's answer to a row, without the name of the model.

    ``claims`` are questions about what the answer claims.
    """
    headings = dict.fromkeys(question.heading for question in row.questions if question.heading)
    is_false = prediction["false_assumption"]
    kind = () if is_false is None else (f"its assumption is {'false' if is_false else 'true'}",)
    return row._replace(
        id=prediction["prediction_id"],
        headings=(*kind, *row.headings),
        wordings={},
        texts={
            "Asked": _question(row, prediction),
            "The model's answer": prediction["text"],
            **row.texts,
            **({"Known": "\n".join(headings)} if headings else {}),
        },
        questions=(Question("acceptable", "", "Is the model's answer acceptable?"), *claims),
        guide="",
    )


def _question(row: RowView, prediction: Record) -> str:
    """Return the question that a model answered; all wordings of a row if this is unclear."""
    column_by_assumption = "false_question" if prediction["false_assumption"] else "question"
    for column in (f"{prediction['protocol']}_question", column_by_assumption):
        if column in row.wordings:
            return row.wordings[column]
    return "\n".join(row.wordings.values())
