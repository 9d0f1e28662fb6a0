"""The card of a release: a README whose head the Hugging Face hub and ``datasets`` read.

All figures are those of the release. Whatever labels hold, nothing of it is Markdown or HTML.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from kgbuild.export.release import Release
from kgbuild.export.tasks import tag
from kgbuild.rows import Row

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_MARKS = re.compile(r"([\\`*_\[\]|~#!$])")
"""What Markdown takes for its own inside a line."""
_LICENCES = {
    "cc0-1.0": "Wikidata's statements and labels are in the public domain (CC0 1.0).",
    "cc-by-sa-4.0": "Questions made from HotpotQA's ({files}) are under CC BY-SA 4.0, as those are:"
    " name HotpotQA, and pass them on under the same licence.",
    "other": "The questions of {files} are under the licence of that file, which is not known here:"
    " see to it before you pass them on.",
}
_LONGEST = 40
"""Lines of a figure that are shown."""
_SHOWN = 3
"""Entries of a list in the example."""


def readme(release: Release, canary: str) -> str:
    """Return the card of a release."""
    card, first = release.card, release.card.tables[0].name
    size = next((name for end, name in _SIZES if release.rows < end), "n>10M")
    parts = [
        *_head(release, size),
        f"# {card.title}, built from Wikidata by kgbuild",
        " ".join([card.summary, *release.remarks]),
        f"Made as in [{card.paper}]({card.address}), from a Wikidata dump, with evidence for every"
        " row.",
        "## Disclaimer",
        card.disclaimer,
        f"Canary: `{canary}`. It is in every row, too, so that a corpus can be searched for it.",
        "## What it has",
        _accepted(release),
        *_tables(release),
        f"{card.splits} {_SPLITS}",
        *(_figure(one.title, one.columns, one.rows) for one in release.figures),
        f"A row of `{first}`, its lists cut after {_SHOWN}:",
        f"```json\n{_example(release.example)}\n```",
        "## How to read it",
        _reading(release),
        "## How it was made",
        card.collection,
        _MADE_CHOSEN if release.reviewed else _MADE,
        "## What it is for, and what it is not",
        f"{card.uses}\n\n**Limitations.** {card.limitations}\n\n**Biases.** {card.biases}"
        f"\n\n**People.** {card.people}",
        "## Licence",
        " ".join(_licence(release)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def locked(release: Release, canary: str) -> str:
    """Return what stands beside the archive that holds the release."""
    card, name = release.card, release.dataset.command
    parts = [
        f"# {card.title}, built from Wikidata by kgbuild",
        card.summary,
        "## Disclaimer",
        card.disclaimer,
        f"Canary: `{canary}`.",
        "## How to open it",
        f"`{name}.zip` is encrypted (AES-256): `7z x {name}.zip` asks for the password. Inside is"
        " the dataset with its card. Please pass it on only like this, with a password.",
    ]
    return "\n\n".join(parts) + "\n"


_READ = """\
```python
from datasets import load_dataset

rows = load_dataset("path/to/this/folder", "{first}", split="{split}")
```

The same rows are in `parquet/`, `jsonl/` and `csv/`, a file a split; `croissant.json` describes \
the Parquet files to `mlcroissant`. In CSV, lists and records are JSON, and texts stand as they \
are: some may begin with `=`, `+`, `-` or `@`, so have a spreadsheet import all columns \
as text.{tasks}"""
_TASKS = """ \
In `tasks/` are tasks for lm-evaluation-harness: `lm_eval --include_path tasks --tasks {name}` \
runs them all on `{split}`."""
_SPLITS = """\
`train` is there to choose prompts and examples by, not for training. `evidence` lists the \
statements that make a row true."""
_MADE = """\
`PROVENANCE.json` names dumps with their hashes, the store's fingerprint, options, seed and \
versions. `sh rebuild.sh FOLDER-OF-THE-DUMPS NEW-FOLDER` builds it again and compares the bytes; \
`sha256sum -c SHA256SUMS` checks this copy."""
_MADE_CHOSEN = """\
`PROVENANCE.json` names dumps with their hashes, the store's fingerprint, options, seed and \
versions. `sh rebuild.sh FOLDER-OF-THE-DUMPS NEW-FOLDER` builds all rows again, those that were \
not accepted too, and compares nothing: reviews are in no dump. `sha256sum -c SHA256SUMS` \
checks this copy."""
_CHECKED = """\
People checked this dataset: {reviewers} decided on {decided:,} of its rows, and accepted \
{accepted:,} ({share:.1%}). Only these are in it; texts that a reviewer changed are as the \
reviewer put them."""


def _head(release: Release, size: str) -> Iterator[str]:
    """Yield the head in YAML. All its words are the program's own."""
    card = release.card
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
    head: dict[str, Any] = {
        "pretty_name": f"{card.title} from Wikidata",
        "license": release.licences,
        "language": ["en"],
        "task_categories": card.categories,
        "size_categories": [size],
        "tags": ["wikidata", "evaluation", "kgbuild", *card.tags],
        "configs": configs,
    }
    # JSON is YAML too; a key a line is easier to read.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    yield "\n".join(["---", *lines, "---"])


def _reading(release: Release) -> str:
    """Return how the files are read."""
    split = release.splits[-1]
    named = tag(release.dataset)
    tasks = _TASKS.format(name=named, split=split) if named else ""
    return _READ.format(first=release.card.tables[0].name, split=split, tasks=tasks)


def _example(row: Row) -> str:
    """Return a row as JSON, a column a line."""
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, told in row.items()
        for value in [told[:_SHOWN] if isinstance(told, list) else told]
    ]
    return _visible("{\n" + ",\n".join(lines) + "\n}")


def _accepted(release: Release) -> str:
    reviewed = release.reviewed
    if reviewed is None:
        return ""
    count = reviewed.reviewers
    return _CHECKED.format(
        reviewers="one reviewer" if count == 1 else f"{count:,} reviewers",
        decided=reviewed.decided,
        accepted=release.rows,
        share=release.rows / reviewed.decided,
    )


def _tables(release: Release) -> Iterator[str]:
    """Yield a table with the numbers of rows, and what a row of each is."""
    rows = {(part.table, part.split): part.rows for part in release.parts}
    texts = {table.name: table.text for table in release.card.tables}
    lines = [
        (f"`{table}`", texts[table], *(rows.get((table, split), 0) for split in release.splits))
        for table in release.columns
    ]
    head = ["table", "", *release.splits]
    yield _grid(head, [tuple(_number(cell) for cell in line) for line in lines])


def _figure(title: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> str:
    shown = [tuple(cell(_number(value)) for value in row) for row in rows[:_LONGEST]]
    more = len(rows) - len(shown)
    grid = _grid(columns, shown)
    return f"**{title}**\n\n{grid}" + (f"\n\n… and {more:,} more." if more else "")


def _grid(head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def cell(text: str) -> str:
    """Return a text as it can stand in a cell of a table, with nothing in it that Markdown reads.

    >>> cell("<b>a|b</b>")
    '&lt;b&gt;a\\\\|b&lt;/b&gt;'
    """
    return _MARKS.sub(r"\\\1", html.escape(_visible(" ".join(text.split())), quote=False))


def _visible(text: str) -> str:
    """Return a text without what cannot be seen and turns the rest around."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c) in ("Cf", "Cc") and c != "\n" else c
        for c in text
    )


def _licence(release: Release) -> Iterator[str]:
    files = ", ".join(cell(name) for name in release.given)
    for name in release.licences:
        yield _LICENCES[name].format(files=files)
