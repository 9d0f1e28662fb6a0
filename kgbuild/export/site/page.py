"""Write the website of a release: a page, and a script with all rows."""

import hashlib
import html
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from string import Template

from kgbuild import __version__
from kgbuild.data_files import read_text
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.row_views import row_views, select_rows
from kgbuild.datasets.views import RowView
from kgbuild.export.release import Release
from kgbuild.export.site.filters import Filters, choices, filters
from kgbuild.export.site.rows import Rows
from kgbuild.report.names import Label
from kgbuild.tables.schema import descriptions
from kgbuild.tables.snapshot import Snapshot

_NAMESPACE = "site_"
"""The prefix of the tables in the snapshot that the website reads."""
_ROWS_AT_ONCE = 2000
"""Number of rows that are in memory with all their columns at a time."""


def queries(dataset: AnyDataset) -> dict[str, str]:
    """Return the queries for the tables that ``files`` reads from the snapshot of a release."""
    shown = (dataset.shown_tables or dataset.tables) if dataset.view else dataset.tables[:1]
    tables = dict.fromkeys((dataset.tables[0], *shown))
    return {f"{_NAMESPACE}{table}": f"FROM {table} ORDER BY rowid" for table in tables}


def files(release: Release, tables: Snapshot, label: Label) -> dict[str, str]:
    """Return the texts of the files of the website by their paths in the release.

    ``label`` returns labels of ids that the tables lack. The same rows and labels give the same
    bytes.
    """
    dataset = release.dataset
    script = f"// {release.canary}\nstart('{_escape(_rows(dataset, tables, label))}');\n"
    values = {
        "title": dataset.title,
        "summary": _plain(release.card.summary),
        "disclaimer": _plain(release.card.disclaimer),
        "canary": release.canary,
        "unit": dataset.unit,
        "count": f"{release.rows:,}",
        "version": __version__,
        # The policy of the page allows only scripts with this text, which no label can guess.
        "nonce": hashlib.sha256(script.encode()).hexdigest()[:32],
    }
    page = Template(read_text("export/site/page.html")).substitute(
        {name: html.escape(value) for name, value in values.items()},
        style=read_text("drawing/colours.css") + read_text("export/site/page.css"),
        script=read_text("export/site/page.js"),
    )
    return {"site/index.html": page, "site/rows.js": script}


def _rows(dataset: AnyDataset, tables: Snapshot, label: Label) -> str:
    first_table = f"{_NAMESPACE}{dataset.tables[0]}"
    columns = filters(tables, first_table, dataset)
    rows = Rows()
    texts = ", ".join([f'"{dataset.key}"', *(f'CAST("{name}" AS VARCHAR)' for name in columns)])
    records = iter(tables.sql(f"SELECT {texts} FROM {first_table}").rows)  # noqa: S608
    while batch := {row_id: values for row_id, *values in islice(records, _ROWS_AT_ONCE)}:
        choices_by_id = {str(row_id): choices(batch[row_id], columns) for row_id in batch}
        for view in _views(dataset, tables, [*batch], columns):
            rows.add(view, choices_by_id[view.id])
    description = descriptions([dataset.folder]).get(dataset.tables[0])
    return rows.json(columns, description["columns"] if description else {}, label)


def _views(
    dataset: AnyDataset, tables: Snapshot, ids: Sequence[str], columns: Filters
) -> Iterator[RowView]:
    """Yield the views of the rows with these ids; of a dataset without views, its columns."""
    if dataset.view:
        yield from row_views(tables.select, dataset, ids, _NAMESPACE)
        return
    table = f"{_NAMESPACE}{dataset.tables[0]}"
    for row in select_rows(tables.select, table, dataset.key, ids):
        hidden = {dataset.key, dataset.source_column, *columns}
        others = [name for name in row if name not in hidden]
        names = sorted(others, key=lambda name: not isinstance(row[name], str))  # texts first
        yield RowView(
            str(row[dataset.key]),
            _text(row[dataset.source_column]),
            headings=tuple(_text(row[name]) for name in columns if row[name]),
            texts={name: text for name in names if (text := _text(row[name]))},
        )


def _text(value: object) -> str:
    """Return a value of any type as a text; the texts of a list are its lines."""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def _escape(text: str) -> str:
    """Escape JSON for a string in single quotes. Browsers parse JSON faster than a program."""
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _plain(text: str) -> str:
    """Remove the marks of Markdown that cards use."""
    return text.replace("**", "").replace("`", "")
