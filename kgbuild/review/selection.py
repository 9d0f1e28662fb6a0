"""Which rows are reviewed: of a dataset, or of what models answered to it, and in which order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from kgbuild.datasets.registry import DATASETS
from kgbuild.errors import NothingToReviewError
from kgbuild.review.rows import MAKERS, Row, answers_of
from kgbuild.rows import require_columns, shuffled
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_PREDICTIONS = "reviewable_predictions"


@dataclass(frozen=True)
class Sheet:
    """What is reviewed: the rows of a dataset, or the predictions for it."""

    dataset: str
    of_predictions: bool = False

    @property
    def name(self) -> str:
        """What the table ``reviews`` calls it."""
        return f"{self.dataset} predictions" if self.of_predictions else self.dataset

    @property
    def table(self) -> str:
        """The table, or the view, that has a row for each thing to review."""
        return _PREDICTIONS if self.of_predictions else DATASETS[self.dataset].tables[0]

    @property
    def source(self) -> str:
        """What to select from, with the dataset as the value ``$dataset``."""
        return (
            f"(FROM {self.table} WHERE dataset = $dataset)" if self.of_predictions else self.table
        )

    @property
    def key(self) -> str:
        """The column of the table with the ids of what is reviewed."""
        return "prediction_id" if self.of_predictions else _KEYS[self.dataset]


_KEYS = {"syn_qa": "pair_id", "granola": "question_id", "biokalma": "question_id"}
_SHOWN = {
    # The tables with what is shown of a row.
    "syn_qa": ("syn_qa_pairs",),
    "granola": ("granola_questions", "granola_answers"),
    "biokalma": ("biokalma_questions", "biokalma_knowledge"),
}


def lost(db: "Database", sheet: Sheet) -> int:
    """Return how many predictions cannot be reviewed, as their rows are not there any more.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if not sheet.of_predictions:
        return 0
    with db.reading() as select:
        text = f"SELECT count_if({_lost(sheet)}) AS lost FROM {sheet.source}"  # noqa: S608
        return int(select(text, {"dataset": sheet.dataset})[0]["lost"])


def _lost(sheet: Sheet) -> str:
    """Return the condition for predictions of rows that are not there any more."""
    dataset = sheet.dataset
    return f"item_id NOT IN (SELECT {_KEYS[dataset]} FROM {DATASETS[dataset].tables[0]})"  # noqa: S608


def strata(db: "Database", sheet: Sheet, by: str | None) -> dict[str, list[str]]:
    """Return the ids of all rows, by what the column ``by`` holds; all in one stratum without it.

    Predictions of rows that are not there any more are left out.

    Raises:
        NothingToReviewError: there are none.
        MissingColumnError: there is no such column.
    """
    with db.reading() as select:
        if by is not None:
            columns = [column["column_name"] for column in select(f"DESCRIBE {sheet.table}", {})]
            require_columns(db.path, columns, [by])
        stratum = f'CAST("{by}" AS VARCHAR)' if by else "''"  # a column, as just seen
        lost_ones = _lost(sheet) if sheet.of_predictions else "false"
        found = select(
            f"SELECT {sheet.key} AS id, {stratum} AS stratum FROM {sheet.source}"  # noqa: S608
            f" WHERE NOT ({lost_ones}) ORDER BY id",
            {"dataset": sheet.dataset},
        )
    if not found:
        raise NothingToReviewError(db.path, sheet.dataset.replace("_", "-"), sheet.of_predictions)
    grouped: dict[str, list[str]] = {}
    for row in found:
        grouped.setdefault(row["stratum"] or "", []).append(row["id"])
    return grouped


def sample(grouped: Mapping[str, Iterable[str]], most: int, seed: int) -> list[str]:
    """Return the ids of ``most`` rows, one of each stratum in turn, in an order by the seed.

    Within a turn they are mixed, too: the place of a row shall not tell its stratum. A smaller
    sample is the beginning of a larger one, so it can be enlarged later.
    """
    mixed = [_mixed(grouped[name], seed) for name in sorted(grouped)]
    turns = (item for turn in zip_longest(*mixed) for item in _mixed(filter(None, turn), seed))
    return [item for item, _ in zip(turns, range(most), strict=False)]


def _mixed(items: Iterable[str], seed: int) -> list[str]:
    return shuffled(items, lambda item: (item,), seed)


def rows(select: Select, sheet: Sheet, ids: Sequence[str]) -> list[Row]:
    """Return what is shown of rows, by an open database; in the order of their ids."""
    if not sheet.of_predictions:
        made = _of_dataset(select, sheet.dataset, ids)
    else:
        predictions = select(
            f"SELECT * FROM {sheet.source} WHERE prediction_id IN (SELECT unnest($ids))",  # noqa: S608
            {"dataset": sheet.dataset, "ids": list(ids)},
        )
        asked = sorted({one["item_id"] for one in predictions})
        shown = {row.item_id: row for row in _of_dataset(select, sheet.dataset, asked)}
        made = answers_of(sheet.dataset, shown, predictions)
    places = {item: place for place, item in enumerate(ids)}
    return sorted(made, key=lambda row: places[row.item_id])


def _of_dataset(select: Select, dataset: str, ids: Sequence[str]) -> list[Row]:
    key = _KEYS[dataset]
    found = {
        table: select(
            f"SELECT * FROM {table} SEMI JOIN (SELECT unnest($ids) AS {key}) USING ({key})"  # noqa: S608
            f" ORDER BY {table}.rowid",
            {"ids": list(ids)},
        )
        for table in _SHOWN[dataset]
    }
    return MAKERS[dataset](found)
