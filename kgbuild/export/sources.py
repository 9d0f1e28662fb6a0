"""Read the builds of a dataset, and group them to the sources of a release."""

import json
from collections.abc import Iterable
from typing import Any

from kgbuild.export.release import ReleaseSource
from kgbuild.rows import Row
from kgbuild.tables.reviews import Select

_BUILDS = """
SELECT
    relation, kgbuild_version, seed, options, dump, store_fingerprint, store_triples, "rows",
    built_at
FROM builds WHERE dataset = $dataset ORDER BY rowid
"""


def builds(select: Select, dataset: str) -> list[dict[str, Any]]:
    """Return the builds of a dataset, in the order of the database."""
    return select(_BUILDS, {"dataset": dataset})


def group(builds: Iterable[Row]) -> list[ReleaseSource]:
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
