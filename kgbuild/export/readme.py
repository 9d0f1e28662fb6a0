"""The card of a release: a README whose head the Hugging Face hub and ``datasets`` read.

All numbers are those of the release. Labels are escaped: none is read as Markdown or HTML.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgbuild.export.cards import read_texts
from kgbuild.export.release import CountTable, Release
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
    texts = read_texts("readme")
    made = texts[f"made{release.ending}"]
    size = next((name for end, name in _SIZES if release.rows < end), "n>10M")
    parts = [
        *_head(release, size),
        f"# {release.dataset.title}, built from Wikidata by kgbuild",
        " ".join([card.summary, *release.remarks]),
        texts["origin"].format(paper=card.paper, address=card.address) if card.paper else "",
        "## Disclaimer",
        card.disclaimer,
        texts["canary"].format(canary=canary),
        "## What it has",
        _accepted(release, texts["checked"]),
        *_tables(release),
        f"{card.splits} {texts['splits']}" if card.splits else "",
        *(_figure(count) for count in release.counts),
        f"A row of `{first}`, its lists cut after {_SHOWN}:",
        f"```json\n{_example(release.example)}\n```",
        "## How to read it",
        _reading(release, texts),
        "## How it was made",
        card.collection,
        made if release.has_command else texts["made_by_program"],
        *_uses(release),
        "## Licence",
        _licences(release),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _uses(release: Release) -> Iterator[str]:
    card = release.card
    if card.uses:
        yield "## What it is for, and what it is not"
        yield card.uses
        yield f"**Limitations.** {card.limitations}"
        yield f"**Biases.** {card.biases}"
        yield f"**People.** {card.people}"


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
        read_texts("readme")["locked"].format(name=name),
    ]
    return "\n\n".join(parts) + "\n"


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


def _reading(release: Release, texts: Mapping[str, str]) -> str:
    split, first = release.splits[-1], release.card.tables[0].name
    tasks = texts["tasks"].format(name=tag(release.dataset), split=split)
    return texts["reading"].format(
        first=first, split=split, tasks=tasks if release.dataset.task else ""
    )


def _example(row: Row) -> str:
    """Return a row as JSON, a column a line."""
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, default=str)}"
        for name, whole in row.items()
        for value in [whole[:_SHOWN] if isinstance(whole, list) else whole]
    ]
    return _visible("{\n" + ",\n".join(lines) + "\n}")


def _accepted(release: Release, text: str) -> str:
    reviewed = release.reviewed
    if reviewed is None:
        return ""
    count = reviewed.reviewers
    return text.format(
        reviewers="one reviewer" if count == 1 else f"{count:,} reviewers",
        decided=reviewed.decided,
        accepted=release.rows,
        share=release.rows / reviewed.decided,
    )


def _tables(release: Release) -> Iterator[str]:
    """Yield the table of tables: the meaning of a row, and the numbers of rows."""
    rows = {(part.table, part.split): part.rows for part in release.parts}
    texts = {table.name: table.text for table in release.card.tables}
    lines = [
        (f"`{table}`", texts[table], *(rows.get((table, split), 0) for split in release.splits))
        for table in release.columns
    ]
    head = ["table", "", *release.splits]
    yield _grid(head, [tuple(_number(cell) for cell in line) for line in lines])


def _figure(count: CountTable) -> str:
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
    """Return a text for a cell of a table, without markup of Markdown and HTML.

    >>> cell("<b>a|b</b>")
    '&lt;b&gt;a\\\\|b&lt;/b&gt;'
    """
    return _MARKS.sub(r"\\\1", html.escape(_visible(" ".join(text.split())), quote=False))


def _visible(text: str) -> str:
    """Return a text with the codes of its invisible characters, which may reverse it."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c) in ("Cf", "Cc") and c != "\n" else c
        for c in text
    )


def _licences(release: Release) -> str:
    files = ", ".join(cell(name) for name in release.question_files)
    return " ".join(licence.text.format(files=files) for licence in release.licences)
