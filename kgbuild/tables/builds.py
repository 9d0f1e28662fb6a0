"""Compare a new build with the builds in the database."""

from typing import TYPE_CHECKING

from kgbuild.rows import Build, Built
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_PARTS = "SELECT relation FROM builds WHERE dataset = $dataset"
_FILES = """
    SELECT relation, file.sha256 AS sha256
    FROM (SELECT relation, unnest(dump) AS file FROM builds WHERE dataset = $dataset)
    WHERE file."name" = relation
"""


def unbuilt(select: Select, build: Build) -> list[Built]:
    """Return the parts of a build that have rejections, and no build in the database."""
    built = {row["relation"] for row in select(_PARTS, {"dataset": build.dataset.name})}
    return [part for part in build.parts if part.rejections and part.relation not in built]


def other_files(db: "Database", build: Build) -> list[str]:
    """Return the parts of a build that replace rows of another file with the same name.

    Other files have another content; they may be older versions of the same file.
    """
    new = {file["name"]: file["sha256"] for file in build.provenance.files}
    if not db.path.exists():
        return []
    with db.reading() as select:
        rows = select(_FILES, {"dataset": build.dataset.name})
    old = {row["relation"]: row["sha256"] for row in rows}
    names = [part.relation for part in build.file_parts]
    return [name for name in names if old.get(name, new[name]) != new[name]]
