"""Make a release of a dataset: read its tables, and write all files of the release."""

import datetime
import json
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgbuild.catalog import catalog
from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import WrongCallError, wrong_dataset
from kgbuild.export import archive, atomic_folder
from kgbuild.export.cards import Card, card
from kgbuild.export.croissant import croissant
from kgbuild.export.examples import choose
from kgbuild.export.provenance import group_builds, provenance, read_builds
from kgbuild.export.questions import Asked, Exclusion, exclude, no_rows, select_from
from kgbuild.export.readme import locked, readme
from kgbuild.export.recipe import of_release
from kgbuild.export.release import Part, Release, Reviewed
from kgbuild.export.site import page as site
from kgbuild.export.tasks import tasks
from kgbuild.export.truth import estimated, measured
from kgbuild.report.names import Label
from kgbuild.tables.database import Database
from kgbuild.tables.files import Result
from kgbuild.tables.reviews import Select
from kgbuild.tables.snapshot import Snapshot, Subset

_COLUMNS = """
SELECT table_name, list(column_name) AS columns FROM duckdb_columns()
WHERE database_name = current_database() AND NOT internal GROUP BY table_name
"""
_REMOVED = """
SELECT count(*) AS removed FROM rejections WHERE dataset = $dataset AND reason = $reason
"""


def publish(
    dataset: AnyDataset,
    db: Database,
    target: Path,
    reviewed: Reviewed | None = None,
    password: str | None = None,
    safe_csv: bool = False,
    published: datetime.date | None = None,
    excluding: Path | None = None,
    site_label: Label | None = None,
) -> Release:
    """Write a release into the new folder ``target``; with a password, into an archive there.

    With ``reviewed``, the release has only rows of the first table that reviewers accepted, with
    the reviewers' corrections, and the rows of other tables that belong to them. With ``safe_csv``,
    an apostrophe precedes each text in CSV that a spreadsheet would run. ``published`` is the day
    of publication, by default that of the latest build. Rows whose questions or subjects the file
    ``excluding`` names are left out. With ``site_label``, a function that returns labels of ids
    that the tables lack, the release has a website.

    Raises:
        KgbuildError: the release would have no rows, or the library for archives is not installed.
        WrongCallError: the file ``excluding`` names all rows, the name of a split cannot be that of
            a file, or the target exists and is not an empty folder.
        OutputBusyError: another process is writing the target.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        UnreadableDumpError, TableFileError: the file ``excluding`` cannot be read.
        WriteError: the release cannot be written. Nothing is left behind.
    """
    atomic_folder.require_free(target)
    if password is not None:
        archive.require(password)
    with db.reading() as select:
        columns = {row["table_name"]: row["columns"] for row in select(_COLUMNS, {})}
        has_tables = {"builds", *dataset.tables} <= columns.keys()
        builds = read_builds(select, dataset.name) if has_tables else []
        if not builds:
            raise no_rows(db, dataset)
        texts = card(dataset, columns)
        truth = measured(select, dataset, texts.verified)
        splits = _splits(select, dataset, columns) if reviewed or excluding else []
        rows = select_from(select, dataset) if excluding else []
        reason = texts.verified.reason if texts.verified else ""
        removed = select(_REMOVED, {"dataset": dataset.name, "reason": reason})[0]["removed"]
    queries = {table.name: table.query for table in texts.tables}
    queries |= site.queries(dataset) if site_label else {}
    excluded = exclude(excluding, rows) if excluding else None
    subset = _subset(dataset, reviewed, excluded, rows)
    with (
        db.snapshot(queries, dataset.key, subset) as tables,
        atomic_folder.filling(target) as outer,
    ):
        release = _release(
            tables,
            dataset,
            texts,
            sources=group_builds(builds),
            reviewed=reviewed,
            removed=removed,
            published=published or max(build["built_at"] for build in builds).date(),
            safe_csv=safe_csv,
            built_splits=splits,
            excluded=excluded,
            has_site=site_label is not None,
            truth=[*estimated(tables, texts.truth), *truth],
        )
        if excluding and excluded and excluded.ids and not release.rows:
            raise WrongCallError(
                f"{excluding} names all rows of {dataset.command} that could be released. Pass "
                "another file."
            )
        if not release.rows:
            raise no_rows(db, dataset, accepted=reviewed is not None)
        inner = outer if password is None else outer / dataset.command
        _write_data(tables, release, inner)
        if dataset.task:
            atomic_folder.write(inner, tasks(release, dataset.task(db)))
        if site_label:
            atomic_folder.write(inner, site.files(release, tables, site_label))
        _describe(release, inner)
        if password is not None:
            _lock(release, inner, outer, password)
    return release


def _release(tables: Snapshot, dataset: AnyDataset, texts: Card, **others: Any) -> Release:
    """Return the description of a release: what the tables tell, and the ``others`` fields."""
    parts = [
        Part(table.name, *row)
        for table in texts.tables
        for row in tables.sql(
            f"SELECT split, count(*) FROM {table.name} GROUP BY split"  # noqa: S608
            " ORDER BY split = 'test', split <> 'train', split"  # train, dev, test
        ).rows
    ]
    for part in parts:
        if not re.fullmatch(r"\w+", "" if part.split is None else str(part.split)):
            raise wrong_dataset(dataset.name, f"{part.split!r} cannot be the name of a split")
    examples = tables.sql(f"FROM {texts.tables[0].name} LIMIT 1").records
    return Release(
        dataset=dataset,
        card=texts,
        columns={
            name: {**tables.columns(name), "canary": "VARCHAR"}
            for name in dict.fromkeys(part.table for part in parts)
        },
        parts=parts,
        counts=[
            (figure.title, _labelled(result))
            for figure in texts.figures
            if (result := tables.sql(figure.query)).rows
        ],
        remarks=[
            remark.text.format(**row)
            for remark in texts.remarks
            for row in tables.sql(remark.query).records
        ],
        example=examples[0] if examples else {},
        examples=texts.examples and choose(tables, texts.examples),
        **others,
    )


def _subset(
    dataset: AnyDataset,
    reviewed: Reviewed | None,
    excluded: Exclusion | None,
    rows: Sequence[Asked],
) -> Subset | None:
    """Return the rows to release: those that reviewers accepted and no file excludes."""
    if reviewed is None and excluded is None:
        return None
    ids = {row.id for row in rows} if reviewed is None else {*reviewed.accepted}
    return Subset(
        dataset.tables[0],
        ids - (excluded.ids if excluded else set()),
        reviewed.texts if reviewed else {},
    )


def _splits(
    select: Select, dataset: AnyDataset, columns: Mapping[str, Collection[str]]
) -> list[str]:
    table = dataset.tables[0]
    if "split" not in columns[table]:
        return []
    rows = select(f"SELECT DISTINCT split FROM {table} ORDER BY ALL", {})  # noqa: S608
    return [row["split"] for row in rows]


def _labelled(result: Result) -> Result:
    """Return a figure of the card; labels of relations are added as a second column."""
    first, *other_columns = result.columns
    if first != "relation" or "label" in other_columns:
        return result
    labels = catalog().properties
    return Result(
        [first, "label", *other_columns],
        [
            (path, " / ".join(labels.get(pid, "") for pid in path.split("/")), *rest)
            for path, *rest in result.rows
        ],
    )


def _describe(release: Release, target: Path) -> None:
    """Write the card, the metadata, and the recipe by which the release is built again."""
    sums = atomic_folder.sums(target / "parquet")
    hashes = {f"parquet/{name}": digest for name, digest in sums.items()}
    texts: dict[str, str] = {
        "README.md": readme(release),
        "croissant.json": _json(croissant(release, hashes)),
        "PROVENANCE.json": _json(provenance(release)),
        "recipe.toml": of_release(release),
    }
    atomic_folder.write(target, texts)
    atomic_folder.seal(target)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _lock(release: Release, inner: Path, outer: Path, password: str) -> None:
    """Move the release into an encrypted archive, and write a README about how to open it."""
    name = release.dataset.command
    archive.pack(inner, outer / f"{name}.zip", name, password)
    shutil.rmtree(inner)
    atomic_folder.write(outer, {"README.md": locked(release)})
    atomic_folder.seal(outer)


_FORMULA = r"^[=+@\t\r-]"
"""A regular expression of the characters with which a text may be a formula."""


def _write_data(tables: Snapshot, release: Release, target: Path) -> None:
    """Write a file for each table, split and format; each row contains the canary."""
    for part in release.parts:
        query = f"SELECT *, '{release.canary}' AS canary FROM {part.table}"  # noqa: S608
        query += f" WHERE split = '{part.split}'"
        columns = release.columns[part.table]
        cells = ", ".join(
            f'{_csv_cell(name, columns[name], release.safe_csv)} AS "{name}"' for name in columns
        )
        csv_query = f"SELECT {cells} FROM ({query})"  # noqa: S608
        for ending in ("parquet", "jsonl", "csv"):
            file = target / part.file(ending)
            file.parent.mkdir(parents=True, exist_ok=True)
            tables.write(csv_query if ending == "csv" else query, file)


def _csv_cell(name: str, kind: str, is_safe: bool) -> str:
    """Return the SQL for a column in CSV: lists and records become JSON, NUL is replaced.

    If ``is_safe``, an apostrophe precedes the signs with which a formula begins, by
    https://owasp.org/www-community/attacks/CSV_Injection.
    """
    if kind.endswith(("[]", ")")):
        return f'to_json("{name}")'
    if kind == "VARCHAR":  # many CSV readers stop at a NUL or reject it
        text = f"replace(\"{name}\", chr(0), '\N{REPLACEMENT CHARACTER}')"
        return f"regexp_replace({text}, '{_FORMULA}', '''\\0')" if is_safe else text
    return f'"{name}"'
