"""Measures of how many rows of a dataset are wrong, as far as this database has any."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgbuild.datasets.base import AnyDataset
from kgbuild.evaluate.bootstrap import wilson
from kgbuild.export.cards import CardFigure, CardVerified
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection
from kgbuild.tables.reviews import Select
from kgbuild.tables.snapshot import Snapshot
from kgbuild.tables.verifications import verifications

_SOURCES = {"endpoint": "the endpoint", "texts": "the texts", "model": "the model"}


class TruthMeasure(NamedTuple):
    """The number of wrong rows among the checked ones, by a measure.

    ``wrong`` is None if the measure was not applied. Of an estimate, ``wrong`` is a sum of
    probabilities, and there is no interval.
    """

    name: str
    checked: int = 0
    wrong: float | None = None
    is_estimate: bool = False

    @property
    def of_a_hundred(self) -> str:
        """The wrong rows of a hundred, with the interval."""
        if self.wrong is None or not self.checked:
            return "not measured"
        share = f"{100 * self.wrong / self.checked:.2g}"
        if self.is_estimate:
            return f"{share} (estimated)"
        low, high = wilson(int(self.wrong), self.checked)
        return f"{share} ({100 * low:.2g} to {100 * high:.2g})"


def measured(
    select: Select, dataset: AnyDataset, verified: CardVerified | None
) -> list[TruthMeasure]:
    """Return what people and other sources found in this database."""
    by_sources = _by_sources(select, dataset, verified) if verified else ()
    return [*_by_people(select, dataset), *by_sources]


def estimated(tables: Snapshot, queries: Sequence[CardFigure]) -> Iterator[TruthMeasure]:
    """Yield the estimates of a card: each query returns ``checked`` and ``wrong``."""
    for query in queries:
        for row in tables.sql(query.query).records:
            yield TruthMeasure(query.title, row["checked"], row["wrong"], is_estimate=True)


def _by_people(select: Select, dataset: AnyDataset) -> Iterator[TruthMeasure]:
    if dataset.view is None:
        return
    selection = Selection(dataset)
    accepted, decided = map(len, verdicts.survivors(select, selection))
    reviewers = len(verdicts.deciders(select, selection))
    name = f"people (`kgbuild review`, {reviewers} of them)" if reviewers else "people"
    wrong = decided - accepted if decided else None
    yield TruthMeasure(f"{name}: rows that any of them rejected", decided, wrong)


def _by_sources(
    select: Select, dataset: AnyDataset, verified: CardVerified
) -> Iterator[TruthMeasure]:
    counts: dict[tuple[str, str], list[str]] = {}
    for row in verifications(select, dataset.name):
        if row.role in verified.roles and row.verdict in (verified.wrong, verified.right):
            counts.setdefault((row.source_kind, row.source), []).append(row.verdict)
    if not counts:
        yield TruthMeasure(f"another source (`kgbuild verify`): {verified.what}")
    for (kind, source), found in sorted(counts.items()):
        by = f"{_SOURCES.get(kind, kind)} {source} (`kgbuild verify`)"
        yield TruthMeasure(f"{by}: {verified.what}", len(found), found.count(verified.wrong))
