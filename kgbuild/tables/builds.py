"""Compare a new build with the builds in the database."""

from typing import Any

from kgbuild.rows import Build, Built
from kgbuild.tables.reviews import Select

_PARTS = "SELECT relation FROM builds WHERE dataset = $dataset"
_FILES = """
    SELECT relation, file.sha256 AS sha256
    FROM (SELECT relation, unnest(dump) AS file FROM builds WHERE dataset = $dataset)
    WHERE file."name" = relation
"""


_FIND_TABLE = "FROM duckdb_tables() WHERE table_name = 'builds' AND schema_name = 'main'"


def unbuilt(select: Select, build: Build) -> list[Built]:
    """Return the parts of a build that have rejections, and no build in the database."""
    built = {row["relation"] for row in _select(select, _PARTS, build)}
    return [part for part in build.parts if part.rejections and part.relation not in built]


def other_files(select: Select, build: Build) -> list[str]:
    """Return the parts of a build that replace rows of another file with the same name.

    Other files have another content; they may be older versions of the same file.
    """
    new = {file["name"]: file["sha256"] for file in build.provenance.files}
    old = {row["relation"]: row["sha256"] for row in _select(select, _FILES, build)}
    names = [part.relation for part in build.file_parts]
    return [name for name in names if old.get(name, new[name]) != new[name]]


def _select(select: Select, text: str, build: Build) -> list[dict[str, Any]]:
    return select(text, {"dataset": build.dataset.name}) if select(_FIND_TABLE, {}) else []
