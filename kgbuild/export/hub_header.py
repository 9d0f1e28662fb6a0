"""Write the YAML header of a card, from which the Hugging Face hub reads tables and properties.

Source: the dataset card specification of the hub.
"""

import json
from typing import Any

from kgbuild.export.release import Release

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
"""The size categories of the hub: the number of rows at which each ends, and its name."""


def header(release: Release) -> str:
    """Return the header in YAML, which contains no text of the dataset's rows."""
    card = release.card
    size = next((name for end, name in _SIZES if release.rows < end), "n>10M")
    configs = [
        {
            "config_name": table,
            **({"default": True} if table == card.tables[0].name else {}),
            "data_files": [
                {"split": part.split, "path": part.file("parquet")}
                for part in release.parts
                if part.table == table
            ],
        }
        for table in release.columns
    ]
    fields: dict[str, Any] = {
        "pretty_name": f"{release.dataset.title} from Wikidata",
        "license": [licence.name for licence in release.licences],
        "language": ["en"],
        "task_categories": card.categories,
        "size_categories": [size],
        "annotations_creators": [
            "machine-generated",
            *(["expert-generated"] if release.reviewed else []),
        ],
        "language_creators": ["machine-generated"],
        "source_datasets": [
            "extended|other-wikidata",
            *([f"extended|{card.files_source}"] if release.question_files else []),
        ],
        "multilinguality": ["monolingual"],
        "tags": ["wikidata", "evaluation", "kgbuild", *card.tags],
        "configs": configs,
    }
    # JSON values are valid YAML; one key per line is easy to read.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join(["---", *lines, "---"])
