"""The rows that a build writes: its tables, ``rejections`` and ``builds``."""

import datetime
import json
from itertools import chain

from kgbuild import __version__
from kgbuild.rows import Build, Built, Row
from kgbuild.tables.writing import Replacement

_KEY = "dataset, relation"


def replacements(build: Build) -> dict[str, Replacement]:
    """Return the rows of a build, by table, each in place of those of the same relations."""
    dataset = build.dataset
    relations = [part.relation for part in build.parts]
    keys = [f"{dataset.name}, {relation}" for relation in relations]
    rejections: list[Row] = [
        {"dataset": dataset.name, "relation": part.relation, **rejection._asdict()}
        for part in build.parts
        for rejection in part.rejections
    ]
    return {
        **{
            table: Replacement(
                dataset.source_column,
                relations,
                [*chain.from_iterable(part.tables[table] for part in build.parts)],
            )
            for table in dataset.tables
        },
        "rejections": Replacement(_KEY, keys, rejections),
        "builds": Replacement(_KEY, keys, [_build_row(build, part) for part in build.parts]),
    }


def _build_row(build: Build, part: Built) -> Row:
    provenance = build.provenance
    return {
        "dataset": build.dataset.name,
        "relation": part.relation,
        "kgbuild_version": __version__,
        "built_at": datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0),
        "seed": provenance.seed,
        "options": json.dumps(provenance.options, sort_keys=True),
        "dump": list(provenance.files),
        "store_fingerprint": provenance.store_fingerprint,
        "store_triples": provenance.store_triples,
        "rows": part.rows,
        "rejected": len(part.rejections),
        "seconds": round(part.seconds, 2),
    }
