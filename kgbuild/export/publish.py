"""Make a release of a dataset: read its tables, write all of its files."""

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from kgbuild.catalog import catalog
from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import DatasetError, NothingToExportError
from kgbuild.export import archive, folder
from kgbuild.export.cards import Card, card
from kgbuild.export.croissant import croissant
from kgbuild.export.provenance import provenance
from kgbuild.export.readme import locked, readme
from kgbuild.export.rebuild import rebuild
from kgbuild.export.release import CountTable, Part, Release, Reviewed, Source, canary
from kgbuild.export.tasks import tasks
from kgbuild.rows import Row
from kgbuild.tables.connection import ENGINE
from kgbuild.tables.database import Database
from kgbuild.tables.files import Result
from kgbuild.tables.snapshot import Snapshot, Subset, snapshot
from kgbuild.tables.verifications import REASON

_FORMATS = ("parquet", "jsonl", "csv")
_COLUMNS = """
SELECT table_name, list(column_name) AS columns FROM duckdb_columns()
WHERE database_name = current_database() AND NOT internal GROUP BY table_name
"""
_BUILDS = """
SELECT relation, kgbuild_version, seed, options, dump, store_fingerprint, store_triples, "rows"
FROM builds WHERE dataset = $dataset ORDER BY rowid
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
) -> Release:
    """Write a release into a new folder, or into an archive there that opens by a password.

    With ``reviewed``, it has only the rows of the first table that reviewers accepted, in their
    wordings, and what belongs to these rows in the other tables.

    Raises:
        NothingToExportError: no row would be in it.
        DatasetError: a split has a name that no file can have.
        FolderInUseError: the target is there, and is more than an empty folder.
        OutputBusyError: another process is writing it.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        WriteError: the release cannot be written. Nothing is left of it.
        MissingExtraError: archives need a library that is not installed.
    """
    if password is not None:
        archive.require()
    with db.reading() as select:
        columns = {row["table_name"]: row["columns"] for row in select(_COLUMNS, {})}
        if not {"builds", *dataset.tables} <= columns.keys():
            raise NothingToExportError(db.path, dataset.command, False, dataset.user_call())
        sources = _sources(select(_BUILDS, {"dataset": dataset.name}))
        removed = select(_REMOVED, {"dataset": dataset.name, "reason": REASON})[0]["removed"]
    texts = card(dataset, columns)
    queries = {table.name: table.query for table in texts.tables}
    subset = reviewed and Subset(dataset.tables[0], reviewed.accepted, reviewed.texts)
    with snapshot(db.path, queries, dataset.key, subset) as tables, folder.filling(target) as outer:
        release = _release(tables, dataset, texts, sources, reviewed, removed)
        if not release.rows:
            raise NothingToExportError(
                db.path, dataset.command, reviewed is not None, dataset.user_call()
            )
        inner = outer if password is None else outer / dataset.command
        _write_rows(tables, release, inner)
        if dataset.task:
            folder.write(inner, tasks(release, dataset.task(db), canary(dataset)))
        _describe(release, inner)
        if password is not None:
            _lock(release, inner, outer, password)
    return release


def _release(
    tables: Snapshot,
    dataset: AnyDataset,
    texts: Card,
    sources: list[Source],
    reviewed: Reviewed | None,
    removed: int,
) -> Release:
    parts = [
        Part(table.name, *row)
        for table in texts.tables
        for row in tables.sql(
            f"SELECT split, count(*) FROM {table.name} GROUP BY split"  # noqa: S608
            " ORDER BY split = 'test', split"  # train, validation, test
        ).rows
    ]
    for part in parts:
        if not re.fullmatch(r"\w+", "" if part.split is None else str(part.split)):
            raise DatasetError(dataset.name, f"{part.split!r} cannot be the name of a split")
    first = tables.sql(f"FROM {texts.tables[0].name} LIMIT 1")
    return Release(
        dataset=dataset,
        card=texts,
        columns={
            name: {**tables.columns(name), "canary": "VARCHAR"}
            for name in dict.fromkeys(part.table for part in parts)
        },
        parts=parts,
        counts=[
            _count(figure.title, result)
            for figure in texts.figures
            if (result := tables.sql(figure.query)).rows
        ],
        remarks=[
            remark.text.format(**row)
            for remark in texts.remarks
            for row in tables.sql(remark.query).records
        ],
        sources=sources,
        example=first.records[0] if first.rows else {},
        reviewed=reviewed,
        removed=removed,
    )


def _count(title: str, result: Result) -> CountTable:
    """Return a figure with its numbers, and labels beside relations."""
    first, *others = result.columns
    if first != "relation" or "label" in others:
        return CountTable(title, result.columns, result.rows)
    labels = catalog().properties
    return CountTable(
        title,
        [first, "label", *others],
        [(relation, labels.get(relation, ""), *rest) for relation, *rest in result.rows],
    )


def _sources(builds: Iterable[Row]) -> list[Source]:
    """Return the origins of a dataset: builds with the same options and files are combined.

    A build from a file of questions is separate. Dates of files are left out, since copies differ.
    """
    sources: dict[str, Source] = {}
    for build in builds:
        source = Source(
            version=build["kgbuild_version"],
            seed=build["seed"],
            options=json.loads(build["options"]),
            files=[(file["name"], file["sha256"]) for file in build["dump"]],
            fingerprint=build["store_fingerprint"],
            triples=build["store_triples"],
            rows={build["relation"]: build["rows"]},
        )
        key = json.dumps([source._replace(rows={}), source.question_file], sort_keys=True)
        rows = {**sources[key].rows, **source.rows} if key in sources else source.rows
        sources[key] = source._replace(rows=rows)
    return [*sources.values()]


def _write_rows(tables: Snapshot, release: Release, target: Path) -> None:
    """Write the files of each table, split and format; each row has the canary."""
    mark = canary(release.dataset)
    for part in release.parts:
        columns = release.columns[part.table]
        plain = f"SELECT *, '{mark}' AS canary"
        cells = ", ".join(f'{_cell(name, columns[name])} AS "{name}"' for name in columns)
        flat = f"SELECT {cells} FROM ({plain}"  # noqa: S608
        for ending in _FORMATS:
            file = target / part.file(ending)
            file.parent.mkdir(parents=True, exist_ok=True)
            rows = f"FROM {part.table} WHERE split = '{part.split}'"
            tables.write(f"{flat} {rows})" if ending == "csv" else f"{plain} {rows}", file)


def _cell(name: str, kind: str) -> str:
    """Return the expression for a column in CSV: lists and records as JSON, texts without NUL."""
    if kind.endswith(("[]", ")")):
        return f'to_json("{name}")'
    if kind == "VARCHAR":  # many readers of CSV take a NUL for the end, or for an error
        return f"replace(\"{name}\", chr(0), '\N{REPLACEMENT CHARACTER}')"
    return f'"{name}"'


def _describe(release: Release, target: Path) -> None:
    """Write the card, the metadata, and how to build the release again."""
    mark = canary(release.dataset)
    sums = folder.sums(target / "parquet")
    hashes = {f"parquet/{name}": digest for name, digest in sums.items()}
    texts: dict[str, str] = {
        "README.md": readme(release, mark),
        "croissant.json": _json(croissant(release, hashes)),
        "PROVENANCE.json": _json(provenance(release, mark, ENGINE)),
    }
    if release.has_command:
        texts["rebuild.sh"] = rebuild(release)
    folder.write(target, texts)
    folder.seal(target)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _lock(release: Release, inner: Path, outer: Path, password: str) -> None:
    """Move the release into an archive, and write a page about how to open it."""
    name = release.dataset.command
    archive.pack(inner, outer / f"{name}.zip", name, password)
    shutil.rmtree(inner)
    folder.write(outer, {"README.md": locked(release, canary(release.dataset))})
    folder.seal(outer)
