"""The metadata of a release in Croissant, a machine-readable format, and its RAI extension.

Source: MLCommons, Croissant format specification 1.0, and Croissant RAI specification 1.0.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from kgbuild.data_files import read_text
from kgbuild.export.release import Release

_LICENCES = {
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
}
_TYPES = {
    "DATE": "sc:Date",
    "TIMESTAMP": "sc:DateTime",
    "BOOLEAN": "sc:Boolean",
    "INTEGER": "sc:Integer",
    "BIGINT": "sc:Integer",
    "DOUBLE": "sc:Float",
}
"""Croissant's types by type of DuckDB; all other types are texts."""
_PARQUET = "application/x-parquet"
_TEXT_FIELD = re.compile(r'[(\s]"?(\w+)"? VARCHAR')
"""A field of a DuckDB type such as STRUCT(subject VARCHAR, property VARCHAR)."""


def croissant(release: Release, hashes: Mapping[str, str]) -> dict[str, Any]:
    """Return the metadata of a release; ``hashes`` are the SHA-256 of its Parquet files."""
    metadata = {**_about(release), **_files(release, hashes)}
    return {name: value for name, value in metadata.items() if value != ""}


def _about(release: Release) -> dict[str, Any]:
    card = release.card
    return {
        "@context": json.loads(read_text("export/croissant_context.json")),
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.0",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": release.dataset.command,
        "description": card.summary,
        "datePublished": release.published.isoformat(),
        "version": release.sources[0].version,
        "license": [_LICENCES.get(licence.name, licence.name) for licence in release.licences],
        "citeAs": f"{card.paper}. {card.address}" if card.paper else "",
        "keywords": ["wikidata", *card.tags],
        "isLiveDataset": False,
        "rai:dataCollection": card.collection,
        "rai:dataCollectionType": ["Secondary Data Analysis", "Software Collection"],
        "rai:dataLimitations": card.limitations,
        "rai:dataBiases": card.biases,
        "rai:dataUseCases": card.uses,
        "rai:personalSensitiveInformation": card.people,
        "rai:dataSocialImpact": card.disclaimer,
        "rai:dataReleaseMaintenancePlan": "recipe.toml builds it again from its dumps.",
    }


def _files(release: Release, hashes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": part.file("parquet"),
                "name": part.file("parquet"),
                "contentUrl": part.file("parquet"),
                "encodingFormat": _PARQUET,
                "sha256": hashes[part.file("parquet")],
            }
            for part in release.parts
        ]
        + [
            {
                "@type": "cr:FileSet",
                "@id": f"{table}-files",
                "encodingFormat": _PARQUET,
                "includes": f"parquet/{table}/*.parquet",
            }
            for table in release.columns
        ],
        "recordSet": [_records(release, table) for table in release.columns],
    }


def _records(release: Release, table: str) -> dict[str, Any]:
    text = next(entry.text for entry in release.card.tables if entry.name == table)
    columns = release.columns[table]
    return {
        "@type": "cr:RecordSet",
        "@id": table,
        "name": table,
        "description": text,
        "field": [
            _field(table, name, kind)
            for name, kind in columns.items()
            # Croissant cannot describe lists in a list of records.
            if not (kind.endswith("[]") and kind.count("STRUCT(") > 1)
        ],
    }


def _field(table: str, name: str, kind: str) -> dict[str, Any]:
    """Return the description of a column; ``kind`` is its DuckDB type.

    A record has a subfield for each of its texts; lists of records inside a record are left out.
    """
    source = {"fileSet": {"@id": f"{table}-files"}, "extract": {"column": name}}
    field: dict[str, Any] = {"@type": "cr:Field", "@id": f"{table}/{name}", "name": name}
    if kind.endswith("[]"):
        field["repeated"] = True
    if not kind.startswith("STRUCT"):
        return {
            **field,
            "dataType": _TYPES.get(kind.removesuffix("[]"), "sc:Text"),
            "source": source,
        }
    without_inner_lists = re.sub(r"STRUCT\([^()]*\)\[\]", "", kind)
    return {
        **field,
        "subField": [
            {
                "@type": "cr:Field",
                "@id": f"{table}/{name}/{part}",
                "name": part,
                "dataType": "sc:Text",
                "source": {**source, "transform": {"jsonPath": part}},
            }
            for part in _TEXT_FIELD.findall(kind if kind.endswith(")[]") else without_inner_lists)
        ],
    }
