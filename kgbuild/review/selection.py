"""Select the rows to review: those of a dataset or the answers of models, and their order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.views import Question, Record, RowView, row_views
from kgbuild.errors import NothingToReviewError
from kgbuild.rows import require_columns, shuffled
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_PREDICTIONS = "reviewable_predictions"
_USEFUL = "SELECT column_name FROM (SUMMARIZE {}) WHERE approx_unique BETWEEN 2 AND count / 4"
"""Columns with few values."""


@dataclass(frozen=True)
class Selection:
    """The rows to review: those of a dataset, or the predictions for it."""

    dataset: AnyDataset
    of_predictions: bool = False

    @property
    def name(self) -> str:
        """Its name in the column ``dataset`` of the table ``reviews``."""
        return f"{self.dataset.name} predictions" if self.of_predictions else self.dataset.name

    @property
    def table(self) -> str:
        """The table, or the view, that has a row for each thing to review."""
        return _PREDICTIONS if self.of_predictions else self.dataset.tables[0]

    @property
    def source(self) -> str:
        """The SQL to select from, with the name of the dataset as the value ``$dataset``."""
        predictions = f"(FROM {self.table} WHERE dataset = $dataset)"
        return predictions if self.of_predictions else self.table

    @property
    def key(self) -> str:
        """The column of the table with the ids of what is reviewed."""
        return "prediction_id" if self.of_predictions else self.dataset.key

    @property
    def is_lost(self) -> str:
        """The SQL condition for predictions of rows that no longer exist."""
        if not self.of_predictions:
            return "false"
        return f"item_id NOT IN (SELECT {self.dataset.key} FROM {self.dataset.tables[0]})"  # noqa: S608


def lost(select: Select, selection: Selection) -> int:
    """Return how many predictions cannot be reviewed, as their rows no longer exist."""
    text = f"SELECT count_if({selection.is_lost}) AS lost FROM {selection.source}"  # noqa: S608
    return int(select(text, {"dataset": selection.dataset.name})[0]["lost"])


def strata(db: "Database", selection: Selection, by: str | None) -> dict[str, list[str]]:
    """Return the ids of all rows by the value of the column ``by``, or all in one stratum.

    Predictions of rows that no longer exist are left out.

    Raises:
        NothingToReviewError: there are none.
        MissingColumnError: there is no such column.
    """
    with db.reading() as select:
        if by is not None:
            columns = select(f"DESCRIBE {selection.table}", {})
            if by not in {column["column_name"] for column in columns}:
                useful = select(_USEFUL.format(selection.table), {})
                require_columns(Path(selection.table), [row["column_name"] for row in useful], [by])
        stratum = f'CAST("{by}" AS VARCHAR)' if by else "''"  # an existing column
        rows = select(
            f"SELECT {selection.key} AS id, {stratum} AS stratum FROM {selection.source}"  # noqa: S608
            f" WHERE NOT ({selection.is_lost}) ORDER BY id",
            {"dataset": selection.dataset.name},
        )
    if not rows:
        call = selection.dataset.user_call("ask " * selection.of_predictions)
        command, of_predictions = selection.dataset.command, selection.of_predictions
        raise NothingToReviewError(db.path, command, of_predictions, call)
    grouped: dict[str, list[str]] = {}
    for row in rows:
        grouped.setdefault(row["stratum"] or "", []).append(row["id"])
    return grouped


def sample(grouped: Mapping[str, Iterable[str]], most: int, seed: int) -> list[str]:
    """Return the ids of ``most`` rows, one of each stratum in turn, in an order by the seed.

    Each turn is shuffled, so that the place of a row does not reveal its stratum. A smaller sample
    is the beginning of a larger one.
    """
    mixed = [_mixed(grouped[name], seed) for name in sorted(grouped)]
    turns = (item for turn in zip_longest(*mixed) for item in _mixed(filter(None, turn), seed))
    return [item for item, _ in zip(turns, range(most), strict=False)]


def _mixed(items: Iterable[str], seed: int) -> list[str]:
    return shuffled(items, lambda item: (item,), seed)


def views(select: Select, selection: Selection, ids: Sequence[str]) -> list[RowView]:
    """Return the views of rows in the order of their ids."""
    if not selection.of_predictions:
        return row_views(select, selection.dataset, ids)
    predictions = select(
        f"SELECT * FROM {selection.source} WHERE prediction_id IN (SELECT unnest($ids))",  # noqa: S608
        {"dataset": selection.dataset.name, "ids": list(ids)},
    )
    items = sorted({prediction["item_id"] for prediction in predictions})
    rows = {view.id: view for view in row_views(select, selection.dataset, items)}
    places = {row_id: place for place, row_id in enumerate(ids)}
    return sorted(prediction_views(rows, predictions), key=lambda view: places[view.id])


_QUESTIONS = (Question("acceptable", "", "Is the model's answer acceptable?"),)
_ASSUMPTION = {None: (), False: ("its assumption is true",), True: ("its assumption is false",)}


def prediction_views(views: Mapping[str, RowView], predictions: Sequence[Record]) -> list[RowView]:
    """Return the views of models' answers to rows, without the model, which must not sway people.

    ``views`` are those of the rows by id.
    """
    return [
        _view(views[prediction["item_id"]], prediction)
        for prediction in predictions
        if prediction["item_id"] in views
    ]


def _view(row: RowView, prediction: Record) -> RowView:
    headings = dict.fromkeys(question.heading for question in row.questions if question.heading)
    return row._replace(
        id=prediction["prediction_id"],
        headings=(*_ASSUMPTION[prediction["false_assumption"]], *row.headings),
        wordings={},
        texts={
            "Asked": _asked(row, prediction),
            "The model's answer": prediction["text"],
            **row.texts,
            **({"Known": "\n".join(headings)} if headings else {}),
        },
        questions=_QUESTIONS,
        guide="",
    )


def _asked(row: RowView, prediction: Record) -> str:
    """Return the question that a model answered: by its assumption, its protocol, or all."""
    own = "false_question" if prediction["false_assumption"] else "question"
    for column in (f"{prediction['protocol']}_question", own):
        if column in row.wordings:
            return row.wordings[column]
    return "\n".join(row.wordings.values())
