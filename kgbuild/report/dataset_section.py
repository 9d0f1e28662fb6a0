"""The section of the report about a dataset: counts, charts, and some of its rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.views import RowView, row_views
from kgbuild.drawing.evidence import draw
from kgbuild.report import queries
from kgbuild.report.figures import figure
from kgbuild.report.names import Names
from kgbuild.report.parts import Figure, Sample, Section, Table, Triple
from kgbuild.report.queries import Queries, Row
from kgbuild.tables.reviews import Select
from kgbuild.wikidata import is_id, page_of

_SAMPLES = 4
"""Number of rows of a dataset that are shown."""
_DRAWN = 12
"""Maximum number of facts that are drawn, besides the background."""


@dataclass(frozen=True)
class Contents:
    """The contents of a database for a dataset: totals, and views of some rows."""

    dataset: AnyDataset
    queries: Queries
    totals: Mapping[str, int]
    views: Sequence[RowView]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return next(iter(self.totals.values()))

    @property
    def ids(self) -> set[str]:
        """The ids of items and properties that the section names."""
        relations = [row["label"] for row in self.queries.rows("relations")]
        parts = {part for relation in relations for part in relation.split("/") if is_id(part)}
        return parts.union(*(view.ids for view in self.views))


def contents(select: Select, dataset: AnyDataset, seed: int) -> Contents:
    """Return what a database holds of a dataset; the seed chooses the rows."""
    of_dataset = queries.of_dataset(select, dataset)
    ids = [row["id"] for row in of_dataset.rows("samples", seed=str(seed), samples=_SAMPLES)]
    totals = of_dataset.rows("totals")[0]
    if dataset.unit not in totals:  # of the shared query
        totals = {dataset.unit: totals["rows"], "sources": totals["sources"]}
    return Contents(dataset, of_dataset, totals, row_views(select, dataset, ids))


def dataset_section(contents: Contents, names: Names) -> Section:
    """Return the section about a dataset."""
    dataset = contents.dataset
    return Section(
        dataset.command,
        dataset.title,
        dataset.summary,
        contents.totals,
        [*_figures(contents, names)],
        samples=[sample(view, names) for view in contents.views],
    )


def _figures(contents: Contents, names: Names) -> Iterator[Figure]:
    select = contents.queries.rows
    if relations := select("relations"):
        titled = [{**row, "label": names.titled(row["label"])} for row in relations]
        yield _figure(contents, "relations", titled)
    if "split" in {row["column"] for row in select("columns")}:
        yield _figure(contents, "splits", select("splits"))
    yield from _rejection_figures(contents)
    for name, query in queries.parse(contents.dataset.text("report.sql")).items():
        if "chart" in query.headers and (rows := select(name)):
            yield _figure(contents, name, rows)


def _figure(contents: Contents, name: str, rows: Sequence[Row]) -> Figure:
    unit, headers = contents.dataset.unit, contents.queries.by_name[name].headers
    words = {key: text.replace("{unit}", unit) for key, text in headers.items()}
    return figure(contents.dataset.command, name, words, rows)


def _rejection_figures(contents: Contents) -> Iterator[Figure]:
    """Yield the funnel from candidates to rows, and the reasons why parts of rows are left out."""
    dataset, built_rows = contents.dataset, contents.rows
    left_out = contents.queries.rows("left_out")
    rejected = [row for row in left_out if not row["is_part"]]
    candidates = built_rows + sum(row["value"] for row in rejected)
    share = f"{built_rows:,} became {dataset.unit}: {built_rows / candidates:.1%}"
    funnel = {
        "chart": "bars",
        "title": "What became of the candidates",
        "note": f"Of {candidates:,} candidates {share}.",
        "labels": "reason",
        "values": "candidates",
    }
    built = {"label": f"became {dataset.unit}", "part": "built", "value": built_rows, "meaning": ""}
    reasons = [{**row, "part": "left out"} for row in _explained(dataset, rejected)]
    yield figure(dataset.command, "funnel", funnel, [built, *reasons])
    if parts := [row for row in left_out if row["is_part"]]:
        headers = contents.queries.by_name["left_out"].headers
        yield figure(dataset.command, "parts", headers, _explained(dataset, parts))


def _explained(dataset: AnyDataset, rows: Sequence[Row]) -> list[Row]:
    return [
        {
            "label": row["label"],
            "value": row["value"],
            "meaning": dataset.reasons.get(row["label"], ""),
        }
        for row in rows
    ]


def sample(view: RowView, names: Names) -> Sample:
    """Return what the report shows of a row."""
    texts = {column.replace("_", " "): text for column, text in view.wordings.items()}
    return Sample(
        view.id,
        tuple(filter(None, (names.titled(view.relation), *view.headings))),
        [*texts.items(), *view.texts.items()],
        [
            Triple([(names.text(view, part), page_of(part)) for part in fact[:3]], fact.is_assumed)
            for fact in view.facts
        ],
        _drawing(view, names),
        _table(view, names),
    )


def _drawing(view: RowView, names: Names) -> str:
    background = [fact for fact in view.background if not names.lacks(view, fact.object)]
    facts = [*view.facts[:_DRAWN], *background]
    return draw(facts, view.subjects, lambda text: names.text(view, text)) if facts else ""


def _table(view: RowView, names: Names) -> Table | None:
    """Return the table beside a row; rows with an id that has no label are only counted.

    Without a row that has labels there is no table.
    """
    if view.table is None:
        return None
    rows = [
        [names.text(view, cell) if isinstance(cell, str) else cell for cell in row]
        for row in view.table.rows
        if not any(names.lacks(view, cell) for cell in row)
    ]
    if not rows:
        return None
    unnamed = len(view.table.rows) - len(rows)
    caption = (
        f"{view.table.caption} ({unnamed:,} more have no label)" if unnamed else view.table.caption
    )
    return Table(caption, view.table.columns, rows)
