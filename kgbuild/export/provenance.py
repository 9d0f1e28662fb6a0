"""The sources of a release, and the file PROVENANCE.json, which has them without times."""

import json
from collections.abc import Iterable
from typing import Any

from kgbuild.export.release import Release, ReleaseSource, dump_date
from kgbuild.rows import Row
from kgbuild.tables.connection import ENGINE
from kgbuild.tables.reviews import Select


def provenance(release: Release) -> dict[str, Any]:
    """Return the content of PROVENANCE.json."""
    reviewed = release.reviewed
    return {
        "dataset": release.dataset.command,
        "canary": release.canary,
        "licences": [licence.name for licence in release.licences],
        "reviewed": reviewed
        and {
            "reviewers": reviewed.reviewers,
            "decided": reviewed.decided,
            "accepted": release.rows,
        },
        **({"removed_when_verified": release.removed} if release.removed else {}),
        **(
            {"excluded": {**_file(excluded.file, excluded.sha256), "rows": len(excluded.ids)}}
            if (excluded := release.excluded)
            else {}
        ),
        "written_by": ENGINE,
        "published": release.published.isoformat(),
        "tables": {
            table: {part.split: part.rows for part in release.parts if part.table == table}
            for table in release.columns
        },
        "sources": [
            {
                "kgbuild_version": source.version,
                "store_fingerprint": source.fingerprint,
                "store_triples": source.triples,
                "files": [_file(name, digest) for name, digest in source.files],
                "seed": source.seed,
                "options": source.options,
                "rows_built": dict(source.rows),
            }
            for source in release.sources
        ],
    }


def _file(name: str, digest: str) -> dict[str, str]:
    """Return the name, the hash and, if the name contains it, the day of a file."""
    day = dump_date(name)
    return {"name": name, **({"day": day} if day else {}), "sha256": digest}


_BUILDS = """
SELECT
    relation, kgbuild_version, seed, options, dump, store_fingerprint, store_triples, "rows",
    built_at
FROM builds WHERE dataset = $dataset ORDER BY rowid
"""


def read_builds(select: Select, dataset: str) -> list[dict[str, Any]]:
    """Return the builds of a dataset, in the order of the database."""
    return select(_BUILDS, {"dataset": dataset})


def group_builds(builds: Iterable[Row]) -> list[ReleaseSource]:
    """Return the sources of a dataset; builds with the same options and files are one source.

    Each file of questions is a source. Dates of files are left out, since copies have other dates.
    """
    sources: dict[str, ReleaseSource] = {}
    for build in builds:
        source = ReleaseSource(
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
