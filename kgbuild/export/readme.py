"""The card of a release: a README whose head the Hugging Face hub and ``datasets`` read.

All numbers are those of the release. Labels are escaped: none is read as Markdown or HTML.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from kgbuild.export.release import Count, Release
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
"""The characters that mean something to Markdown inside a line."""
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
        f"# {release.dataset.title}, built from Wikidata by kgbuild",
        " ".join([card.summary, *release.remarks]),
        _origin(release),
        "## Disclaimer",
        card.disclaimer,
        f"Canary: `{canary}`. It is in every row, too, so that a corpus can be searched for it.",
        "## What it has",
        _accepted(release),
        *_tables(release),
        f"{card.splits} {_SPLITS}" if card.splits else "",
        *(_figure(count) for count in release.counts),
        f"A row of `{first}`, its lists cut after {_SHOWN}:",
        f"```json\n{_example(release.example)}\n```",
        "## How to read it",
        _reading(release),
        "## How it was made",
        card.collection,
        _rebuilding(release),
        *_uses(release),
        "## Licence",
        _licences(release),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _origin(release: Release) -> str:
    card = release.card
    if not card.paper:
        return ""
    return (
        f"Made as in [{card.paper}]({card.address}), from a Wikidata dump, with evidence for every"
        " row."
    )


def _uses(release: Release) -> Iterator[str]:
    card = release.card
    if card.uses:
        yield "## What it is for, and what it is not"
        yield card.uses
        yield f"**Limitations.** {card.limitations}"
        yield f"**Biases.** {card.biases}"
        yield f"**People.** {card.people}"


def _rebuilding(release: Release) -> str:
    if not release.has_command:
        return _MADE_BY_PROGRAM
    chosen = release.chosen
    return _MADE_CHOSEN.format(chosen=chosen) if chosen else _MADE


def locked(release: Release, canary: str) -> str:
    """Return the page beside the archive of the release."""
    card, name = release.card, release.dataset.command
    parts = [
        f"# {release.dataset.title}, built from Wikidata by kgbuild",
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
versions. `sh rebuild.sh FOLDER-OF-THE-DUMPS NEW-FOLDER` builds all rows again, {chosen} \
too, and compares nothing. `sha256sum -c SHA256SUMS` checks this copy."""
_MADE_BY_PROGRAM = """\
`PROVENANCE.json` names dumps with their hashes, the store's fingerprint, options, seed and \
versions. `sha256sum -c SHA256SUMS` checks this copy."""
_CHECKED = """\
People checked this dataset: {reviewers} decided on {decided:,} of its rows, and accepted \
{accepted:,} ({share:.1%}). Only these are in it; texts that a reviewer changed are as the \
reviewer put them."""


def _head(release: Release, size: str) -> Iterator[str]:
    """Yield the head in YAML. It contains no text of the dataset's rows."""
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
        "pretty_name": f"{release.dataset.title} from Wikidata",
        "license": [licence.name for licence in release.licences],
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
    """Return how to read the files."""
    split = release.splits[-1]
    task = release.dataset.task
    tasks = _TASKS.format(name=tag(release.dataset), split=split) if task else ""
    return _READ.format(first=release.card.tables[0].name, split=split, tasks=tasks)


def _example(row: Row) -> str:
    """Return a row as JSON, a column a line."""
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, default=str)}"
        for name, whole in row.items()
        for value in [whole[:_SHOWN] if isinstance(whole, list) else whole]
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
    """Yield a table with the numbers of rows, and the meaning of a row."""
    rows = {(part.table, part.split): part.rows for part in release.parts}
    texts = {table.name: table.text for table in release.card.tables}
    lines = [
        (f"`{table}`", texts[table], *(rows.get((table, split), 0) for split in release.splits))
        for table in release.columns
    ]
    head = ["table", "", *release.splits]
    yield _grid(head, [tuple(_number(cell) for cell in line) for line in lines])


def _figure(count: Count) -> str:
    shown = [tuple(cell(_number(value)) for value in row) for row in count.rows[:_LONGEST]]
    more = len(count.rows) - len(shown)
    grid = _grid(count.columns, shown)
    return f"**{count.title}**\n\n{grid}" + (f"\n\n… and {more:,} more." if more else "")


def _grid(head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def cell(text: str) -> str:
    """Return a text for a cell of a table, of which Markdown and HTML read nothing.

    >>> cell("<b>a|b</b>")
    '&lt;b&gt;a\\\\|b&lt;/b&gt;'
    """
    return _MARKS.sub(r"\\\1", html.escape(_visible(" ".join(text.split())), quote=False))


def _visible(text: str) -> str:
    """Return a text whose invisible characters, which may reverse it, are shown by their code."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c) in ("Cf", "Cc") and c != "\n" else c
        for c in text
    )


def _licences(release: Release) -> str:
    files = ", ".join(cell(name) for name in release.question_files)
    return " ".join(licence.text.format(files=files) for licence in release.licences)
