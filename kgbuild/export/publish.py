"""Make a release of a dataset: read its tables, write all of its files."""

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from kgbuild.catalog import catalog
from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import NothingToExportError
from kgbuild.export import archive, folder
from kgbuild.export.cards import Card, card
from kgbuild.export.croissant import croissant
from kgbuild.export.provenance import provenance, rebuild
from kgbuild.export.readme import locked, readme
from kgbuild.export.release import Counted, Part, Release, Reviewed, Source, canary
from kgbuild.export.tasks import tasks
from kgbuild.rows import Row
from kgbuild.tables.connection import ENGINE
from kgbuild.tables.database import Database
from kgbuild.tables.files import Result
from kgbuild.tables.snapshot import Snapshot, Subset

_FORMATS = ("parquet", "jsonl", "csv")
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
_BUILDS = """
SELECT relation, kgbuild_version, seed, options, dump, store_fingerprint, store_triples, "rows"
FROM builds WHERE dataset = $dataset ORDER BY rowid
"""
_PROMPTS = """
SELECT protocol, question, prompt
FROM syn_qa_prompts JOIN syn_qa_questions USING (pair_id, false_assumption)
WHERE pair_id = (SELECT min(pair_id) FROM syn_qa_pairs) AND NOT false_assumption
"""


def publish(
    db: Database,
    dataset: AnyDataset,
    target: Path,
    reviewed: Reviewed | None = None,
    password: str | None = None,
) -> Release:
    """Write a release into a new folder, or into an archive there that opens by a password.

    If it is ``reviewed``, only the rows of the first table that were accepted are in it, with what
    belongs to them in the others, as reviewers worded them; else all, as they were built.

    Raises:
        NothingToExportError: no row would be in it.
        FolderInUseError: the target is there, and is more than an empty folder.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
        WriteError: the release cannot be written. Nothing is left of it.
        MissingExtraError: archives need a library that is not installed.
    """
    if password is not None:
        archive.require()
    told = card(dataset)
    queries = {table.name: table.query for table in told.tables}
    with db.reading() as select:
        held = {row["table_name"] for row in select(_TABLES, {})}
        if not {"builds", *dataset.tables} <= held:
            raise NothingToExportError(db.path, dataset.command, accepted=False)
        sources = _sources(select(_BUILDS, {"dataset": dataset.name}))
        prompts = [(*row.values(),) for row in select(_PROMPTS, {})]
    chosen = reviewed and Subset(dataset.tables[0], reviewed.accepted, reviewed.texts)
    with (
        db.snapshot(queries, told.key, chosen) as picked,
        folder.filling(target) as outer,
    ):
        release = _release(picked, dataset, told, sources, reviewed)
        if not release.rows:
            raise NothingToExportError(db.path, dataset.command, reviewed is not None)
        inner = outer if password is None else outer / dataset.command
        _write_rows(picked, release, inner)
        folder.write(inner, tasks(release, canary(dataset), prompts))
        _describe(release, inner)
        if password is not None:
            _lock(release, inner, outer, password)
    return release


def _release(
    picked: Snapshot,
    dataset: AnyDataset,
    told: Card,
    sources: list[Source],
    reviewed: Reviewed | None,
) -> Release:
    parts = [
        Part(table.name, *row)
        for table in told.tables
        for row in picked.sql(
            f"SELECT split, count(*) FROM {table.name} GROUP BY split"  # noqa: S608
            " ORDER BY split = 'test', split"  # train, validation, test
        ).rows
    ]
    first = picked.sql(f"FROM {told.tables[0].name} LIMIT 1")
    return Release(
        dataset=dataset,
        card=told,
        columns={
            name: {**picked.columns(name), "canary": "VARCHAR"}
            for name in dict.fromkeys(part.table for part in parts)
        },
        parts=parts,
        figures=[_counted(figure.title, picked.sql(figure.query)) for figure in told.figures],
        remarks=[
            remark.text.format(**dict(zip(found.columns, row, strict=True)))
            for remark in told.remarks
            for found in [picked.sql(remark.query)]
            for row in found.rows
        ],
        sources=sources,
        example=dict(zip(first.columns, first.rows[0], strict=True)) if first.rows else {},
        reviewed=reviewed,
    )


def _counted(title: str, found: Result) -> Counted:
    """Return a figure; relations have their labels beside them."""
    first, *others = found.columns
    if first != "relation" or "label" in others:
        return Counted(title, found.columns, found.rows)
    labels = catalog().properties
    return Counted(
        title,
        [first, "label", *others],
        [(relation, labels.get(relation, ""), *rest) for relation, *rest in found.rows],
    )


def _sources(builds: Collection[Row]) -> list[Source]:
    """Return what a dataset was built from: what was built alike, from the same, is one.

    A file of questions is one of its own. Dates of files are left out: a copy has another one.
    """
    found: dict[str, tuple[dict[str, Any], dict[str, int]]] = {}
    for build in builds:
        same = {
            "version": build["kgbuild_version"],
            "seed": build["seed"],
            "options": json.loads(build["options"]),
            "files": [(file["name"], file["sha256"]) for file in build["dump"]],
            "fingerprint": build["store_fingerprint"],
            "triples": build["store_triples"],
        }
        relation = build["relation"]
        is_given = Source(**same, made_from={relation: 0}).given
        key = json.dumps([same, is_given], sort_keys=True)
        found.setdefault(key, (same, {}))[1][relation] = build["rows"]
    return [Source(**same, made_from=made_from) for same, made_from in found.values()]


def _write_rows(picked: Snapshot, release: Release, target: Path) -> None:
    """Write the files of each table, split and format; each row has the canary."""
    mark = canary(release.dataset)
    for part in release.parts:
        columns = release.columns[part.table]
        nested = [name for name, kind in columns.items() if kind.endswith(("[]", ")"))]
        as_json = ", ".join(f'to_json("{name}") AS "{name}"' for name in nested)
        plain = f"SELECT *, '{mark}' AS canary"
        flat = f"SELECT * REPLACE ({as_json}), '{mark}' AS canary" if nested else plain
        for ending in _FORMATS:
            file = target / part.file(ending)
            file.parent.mkdir(parents=True, exist_ok=True)
            chosen = f"FROM {part.table} WHERE split = '{part.split}'"
            picked.write(f"{flat if ending == 'csv' else plain} {chosen}", file)


def _describe(release: Release, target: Path) -> None:
    """Write what tells of the rows."""
    mark = canary(release.dataset)
    found = folder.sums(target / "parquet")
    hashes = {f"parquet/{name}": digest for name, digest in found.items()}
    texts: Mapping[str, str] = {
        "README.md": readme(release, mark),
        "croissant.json": _json(croissant(release, hashes)),
        "PROVENANCE.json": _json(provenance(release, mark, ENGINE)),
        "rebuild.sh": rebuild(release),
    }
    folder.write(target, texts)
    folder.seal(target)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _lock(release: Release, inner: Path, outer: Path, password: str) -> None:
    """Put all that was written into an archive, and nothing but what tells of it beside that."""
    name = release.dataset.command
    archive.pack(inner, outer / f"{name}.zip", name, password)
    shutil.rmtree(inner)
    folder.write(outer, {"README.md": locked(release, canary(release.dataset))})
    folder.seal(outer)
