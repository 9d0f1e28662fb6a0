"""The section of the report about a dataset: counts, charts, and a sample of its rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.row_views import row_views
from kgbuild.datasets.views import RowView
from kgbuild.drawing.evidence import draw
from kgbuild.report import queries
from kgbuild.report.figures import figure
from kgbuild.report.names import ReportNames
from kgbuild.report.parts import Figure, SampledRows, Section, ShownTriple, Table
from kgbuild.report.queries import Queries, Row
from kgbuild.tables.reviews import Select
from kgbuild.wikidata import is_id, page_of


@dataclass(frozen=True)
class Contents:
    """The data of a section: total counts by unit, and views of the sampled rows."""

    dataset: AnyDataset
    queries: Queries
    totals: Mapping[str, int]
    views: Sequence[RowView]

    @property
    def rows(self) -> int:
        """The number of rows of the dataset."""
        return next(iter(self.totals.values()))

    @property
    def ids(self) -> set[str]:
        """The ids of items and properties in the section, which need labels."""
        relations = [row["label"] for row in self.queries.rows("relations")]
        parts = {part for relation in relations for part in relation.split("/") if is_id(part)}
        return parts.union(*(view.ids for view in self.views))


def contents(select: Select, dataset: AnyDataset, seed: int) -> Contents:
    """Read the data of a section from a database; the seed chooses the sampled rows."""
    of_dataset = queries.of_dataset(select, dataset)
    ids = [row["id"] for row in of_dataset.rows("samples", seed=str(seed), samples=4)]
    totals = of_dataset.rows("totals")[0]
    if dataset.unit not in totals:  # the shared query does not know the unit
        totals = {dataset.unit: totals["rows"], "sources": totals["sources"]}
    return Contents(dataset, of_dataset, totals, row_views(select, dataset, ids))


def dataset_section(contents: Contents, names: ReportNames) -> Section:
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


def _figures(contents: Contents, names: ReportNames) -> Iterator[Figure]:
    """Yield the figures of shared queries, then the figures of the dataset's own queries."""
    rows_of = contents.queries.rows
    if relations := rows_of("relations"):
        labelled = [{**row, "label": names.title(row["label"])} for row in relations]
        empty = [row["label"] for row in labelled if not row["value"]]
        note = f"None: {', '.join(empty)}." if empty else ""
        yield _figure(contents, "relations", [row for row in labelled if row["value"]], note)
    if "split" in {row["column"] for row in rows_of("columns")}:
        yield _figure(contents, "splits", rows_of("splits"))
    yield from _rejection_figures(contents)
    for name, query in queries.parse(contents.dataset.text("report.sql")).items():
        if "chart" in query.headers and (rows := rows_of(name)):
            yield _figure(contents, name, rows)


def _figure(contents: Contents, name: str, rows: Sequence[Row], note: str = "") -> Figure:
    """Return a figure; ``note`` is added to that of the query."""
    unit, headers = contents.dataset.unit, contents.queries.by_name[name].headers
    headers = {**headers, "note": f"{headers.get('note', '')} {note}".strip()}
    filled_headers = {key: text.replace("{unit}", unit) for key, text in headers.items()}
    return figure(contents.dataset.command, name, filled_headers, rows)


def _rejection_figures(contents: Contents) -> Iterator[Figure]:
    """Yield a chart of rejected candidates by reason, and a chart of rejected parts of rows."""
    dataset, built_rows = contents.dataset, contents.rows
    left_out = contents.queries.rows("left_out")
    rejected = [row for row in left_out if not row["is_part"]]
    candidates = built_rows + sum(row["value"] for row in rejected)
    share = f"{built_rows:,} became {dataset.unit}: {built_rows / candidates:.1%}"
    headers = {
        "chart": "bars",
        "title": "Outcomes of the candidates",
        "note": f"Of {candidates:,} candidates {share}.",
        "labels": "reason",
        "values": "candidates",
    }
    built = {"label": f"became {dataset.unit}", "part": "built", "value": built_rows, "meaning": ""}
    reasons = [{**row, "part": "left out"} for row in _explain(dataset, rejected)]
    yield figure(dataset.command, "funnel", headers, [built, *reasons])
    if parts := [row for row in left_out if row["is_part"]]:
        part_headers = contents.queries.by_name["left_out"].headers
        yield figure(dataset.command, "parts", part_headers, _explain(dataset, parts))


def _explain(dataset: AnyDataset, rows: Sequence[Row]) -> list[Row]:
    return [
        {
            "label": row["label"],
            "value": row["value"],
            "meaning": dataset.reasons.get(row["label"], ""),
        }
        for row in rows
    ]


def sample(view: RowView, names: ReportNames) -> SampledRows:
    """Return a row as the report shows it."""
    texts = {column.replace("_", " "): text for column, text in view.wordings.items()}
    return SampledRows(
        view.id,
        tuple(filter(None, (names.title(view.relation), *view.headings))),
        [*texts.items(), *view.texts.items()],
        [
            ShownTriple(
                [(names.text(view, term), page_of(term)) for term in fact[:3]], fact.is_assumed
            )
            for fact in view.facts
        ],
        _drawing(view, names),
        _table(view, names),
    )


def _drawing(view: RowView, names: ReportNames) -> str:
    """Return the drawing of a row's first twelve facts; "" without facts."""
    background = [fact for fact in view.background if not names.lacks(view, fact.object)]
    facts = [*view.facts[:12], *background]
    return draw(facts, view.subjects, lambda text: names.text(view, text)) if facts else ""


def _table(view: RowView, names: ReportNames) -> Table | None:
    """Return the table beside a row, or None if it would be empty.

    Table rows with an id that has no label are left out; the caption has their number.
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
    caption = view.table.caption
    if unlabelled := len(view.table.rows) - len(rows):
        caption += f" ({unlabelled:,} more have no label)"
    return Table(caption, view.table.columns, rows)
