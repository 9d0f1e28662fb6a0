"""The file PROVENANCE.json: the sources of a release, and its numbers of rows, without times."""

from typing import Any

from kgbuild.export.release import Release, dump_date


def provenance(release: Release, canary: str, engine: str) -> dict[str, Any]:
    """Return the content of PROVENANCE.json; ``engine`` wrote the data files."""
    reviewed = release.reviewed
    return {
        "dataset": release.dataset.command,
        "canary": canary,
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
        "written_by": engine,
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
