"""Write the card of a release: a README with a YAML header for the Hugging Face hub.

Labels may be hostile, so they are escaped for Markdown and HTML.
"""

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgbuild.export.cards import read_texts
from kgbuild.export.citation import bibtex
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
"""The size categories of the hub: the number of rows at which each ends, and its name."""
_MARKS = re.compile(r"([\\`*_\[\]|~#!$])")
"""Characters with a meaning in Markdown inside a line."""
_MAX_LINES = 40
"""Maximum number of lines of a figure."""
_MAX_ENTRIES = 3
"""Maximum number of entries of a list in the example."""


def readme(release: Release, canary: str) -> str:
    """Return the card of a release."""
    card, first_table = release.card, release.card.tables[0].name
    texts = read_texts("readme")
    how_made = texts[f"made{release.ending}"]
    size = next((name for end, name in _SIZES if release.rows < end), "n>10M")
    parts = [
        *_header(release, size),
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
        f"A row of `{first_table}`, its lists cut after {_MAX_ENTRIES}:",
        f"```json\n{_example(release.example)}\n```",
        "## How to read it",
        _reading(release, texts),
        texts["site"] if release.has_site else "",
        "## How it was made",
        card.collection,
        how_made if release.has_command else texts["made_by_program"],
        *_uses(release),
        "## How to cite it",
        f"```bibtex\n{bibtex(release)}\n```",
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
    """Return the README beside an encrypted archive of the release."""
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


def _header(release: Release, size: str) -> Iterator[str]:
    """Yield the header in YAML, which contains no text of the dataset's rows."""
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
    header: dict[str, Any] = {
        "pretty_name": f"{release.dataset.title} from Wikidata",
        "license": [licence.name for licence in release.licences],
        "language": ["en"],
        "task_categories": card.categories,
        "size_categories": [size],
        "annotations_creators": [
            "machine-generated",
            *(["expert-generated"] if release.reviewed else []),
        ],
        "source_datasets": ["extended|other-wikidata"],
        "multilinguality": ["monolingual"],
        "tags": ["wikidata", "evaluation", "kgbuild", *card.tags],
        "configs": configs,
    }
    # JSON values are valid YAML; one key per line is easy to read.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in header.items()]
    yield "\n".join(["---", *lines, "---"])


def _reading(release: Release, texts: Mapping[str, str]) -> str:
    split, first_table = release.splits[-1], release.card.tables[0].name
    tasks = texts["tasks"].format(name=tag(release.dataset), split=split)
    return texts["reading"].format(
        first=first_table,
        split=split,
        csv=texts["safe_csv" if release.safe_csv else "plain_csv"],
        tasks=tasks if release.dataset.task else "",
    )


def _example(row: Row) -> str:
    """Return a row as JSON, with one line per column."""
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, default=str)}"
        for name, cell_value in row.items()
        for value in [cell_value[:_MAX_ENTRIES] if isinstance(cell_value, list) else cell_value]
    ]
    return _visible("{\n" + ",\n".join(lines) + "\n}")


def _accepted(release: Release, text: str) -> str:
    """Return the sentence about the review; "" without one."""
    reviewed = release.reviewed
    if reviewed is None:
        return ""
    count = reviewed.reviewers
    return text.format(
        reviewers="one reviewer" if count == 1 else f"{count:,} reviewers",
        decided=reviewed.decided,
        accepted=release.rows,
        share=release.rows / reviewed.decided,
    ) + _without(release.lost_splits)


def _without(splits: Sequence[str]) -> str:
    """Return a sentence about the splits without an accepted row; "" if there are none."""
    names = ", ".join(f"`{split}`" for split in splits)
    return f" No row of {names} was accepted, so these rows are missing." if splits else ""


def _tables(release: Release) -> Iterator[str]:
    """Yield the list of tables, with the meaning of a row and the number of rows by split."""
    rows = {(part.table, part.split): part.rows for part in release.parts}
    texts = {table.name: table.text for table in release.card.tables}
    lines = [
        (f"`{table}`", texts[table], *(rows.get((table, split), 0) for split in release.splits))
        for table in release.columns
    ]
    headings = ["table", "", *release.splits]
    yield _grid(headings, [tuple(_number(value) for value in line) for line in lines])


def _figure(count: CountTable) -> str:
    rows = [tuple(cell(_number(value)) for value in row) for row in count.rows[:_MAX_LINES]]
    more = len(count.rows) - len(rows)
    grid = _grid(count.columns, rows)
    return f"**{count.title}**\n\n{grid}" + (f"\n\n… and {more:,} more." if more else "")


def _grid(headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def cell(text: str) -> str:
    """Escape a text for a cell of a Markdown table.

    >>> cell("<b>a|b</b>")
    '&lt;b&gt;a\\\\|b&lt;/b&gt;'
    """
    return _MARKS.sub(r"\\\1", html.escape(_visible(" ".join(text.split())), quote=False))


def _visible(text: str) -> str:
    """Replace invisible characters by their codes: some reverse the order of a text."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c) in ("Cf", "Cc") and c != "\n" else c
        for c in text
    )


def _licences(release: Release) -> str:
    files = ", ".join(cell(name) for name in release.question_files)
    return " ".join(licence.text.format(files=files) for licence in release.licences)
