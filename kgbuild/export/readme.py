"""Write the card of a release: a README with a YAML header for the Hugging Face hub.

Labels may be hostile, so they are escaped for Markdown and HTML.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgbuild.export.cards import read_texts
from kgbuild.export.markdown import cell, grid, number, visible
from kgbuild.export.release import Release, dump_date
from kgbuild.export.tasks import tag
from kgbuild.rows import DEV, Row
from kgbuild.tables.files import Result

_MAX_LINES = 40
"""Maximum number of lines of a figure."""
_MAX_ENTRIES = 3
"""Maximum number of entries of a list in the example."""


def readme(release: Release) -> str:
    """Return the card of a release."""
    card = release.card
    texts = read_texts("readme")
    how_made = texts["made"].format(again=texts[f"again{release.ending}"])
    files = ", ".join(cell(name) for name in release.question_files)
    parts = [
        header(release),
        f"# {release.dataset.title}, built from Wikidata by kgbuild",
        " ".join([card.summary, *release.remarks]),
        texts["origin"].format(paper=card.paper, address=card.address) if card.paper else "",
        "## Disclaimer",
        card.disclaimer,
        texts["canary"].format(canary=release.canary),
        "## What it has",
        _accepted(release, texts["checked"]),
        _excluded(release, texts),
        *_tables(release),
        _splits(release, texts),
        *(_figure(*count) for count in release.counts),
        *_examples(release),
        *_truth(release, texts),
        "## How to read it",
        _reading(release, texts),
        texts["site"] if release.has_site else "",
        "## How it was made",
        card.collection,
        _dumps(release),
        how_made,
        *_uses(release),
        "## How to cite it",
        f"```bibtex\n{bibtex(release)}\n```",
        "## Licence",
        " ".join(licence.text.format(files=files) for licence in release.licences),
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


def locked(release: Release) -> str:
    """Return the README beside an encrypted archive of the release."""
    card, name = release.card, release.dataset.command
    parts = [
        f"# {release.dataset.title}, built from Wikidata by kgbuild",
        card.summary,
        "## Disclaimer",
        card.disclaimer,
        f"Canary: `{release.canary}`.",
        "## How to open it",
        read_texts("readme")["locked"].format(name=name),
    ]
    return "\n\n".join(parts) + "\n"


def _reading(release: Release, texts: Mapping[str, str]) -> str:
    split, first_table = release.splits[-1], release.card.tables[0].name
    tasks = texts["tasks"].format(name=tag(release.dataset), split=split)
    return texts["reading"].format(
        first=first_table,
        split=split,
        csv=texts["safe_csv" if release.safe_csv else "plain_csv"],
        tasks=tasks if release.dataset.task else "",
    )


def _examples(release: Release) -> Iterator[str]:
    """Yield the heading and the table of examples, or a row as JSON if the card has no table."""
    yield "## Examples"
    if release.examples and release.examples.rows:
        yield grid(release.examples.columns, release.examples.rows)
        return
    name = release.card.tables[0].name
    yield f"A row of `{name}`, its lists cut after {_MAX_ENTRIES}:"
    yield f"```json\n{_example(release.example)}\n```"


def _truth(release: Release, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the table of measures of how many rows are wrong."""
    if release.truth:
        yield "## How many of a hundred rows are wrong"
        if release.card.verified:
            yield texts["truth"]
        rows = [
            (cell(measure.name).replace("\\`", "`"), number(measure.checked), measure.of_a_hundred)
            for measure in release.truth
        ]
        yield grid(("by", "checked", "wrong of a hundred (95 % interval)"), rows)


def _example(row: Row) -> str:
    """Return a row as JSON, with one line per column."""
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, default=str)}"
        for name, cell_value in row.items()
        for value in [cell_value[:_MAX_ENTRIES] if isinstance(cell_value, list) else cell_value]
    ]
    return visible("{\n" + ",\n".join(lines) + "\n}")


def _splits(release: Release, texts: Mapping[str, str]) -> str:
    """Return what the card says of splits and evidence; "" if it says nothing of splits."""
    if not release.card.splits:
        return ""
    dev = texts["dev"] if DEV in release.splits else ""
    return f"{release.card.splits}{dev} {texts['evidence']}"


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
    ) + _without(release.lost_splits, "was accepted")


def _excluded(release: Release, texts: Mapping[str, str]) -> str:
    """Return the sentence about rows that a file excludes; "" without one."""
    if not (excluded := release.excluded):
        return ""
    text = texts["excluded"].format(rows=len(excluded.ids), file=cell(excluded.file))
    return text if release.reviewed else text + _without(release.lost_splits, "is left")


def _without(splits: Sequence[str], outcome: str) -> str:
    """Return a sentence about the splits without a row; "" if there are none."""
    names = ", ".join(f"`{split}`" for split in splits)
    return f" No row of {names} {outcome}, so the release has no such split." if splits else ""


def _tables(release: Release) -> Iterator[str]:
    """Yield the list of tables, with the meaning of a row and the number of rows by split."""
    rows = {(part.table, part.split): part.rows for part in release.parts}
    texts = {table.name: table.text for table in release.card.tables}
    lines = [
        (f"`{table}`", texts[table], *(rows.get((table, split), 0) for split in release.splits))
        for table in release.columns
    ]
    headings = ["table", "", *release.splits]
    yield grid(headings, [tuple(number(value) for value in line) for line in lines])


def _figure(title: str, counts: Result) -> str:
    rows = [tuple(cell(number(value)) for value in row) for row in counts.rows[:_MAX_LINES]]
    more = len(counts.rows) - len(rows)
    table = grid(counts.columns, rows)
    return f"**{title}**\n\n{table}" + (f"\n\n… and {more:,} more." if more else "")


def _dumps(release: Release) -> str:
    """Return the table of the files that the rows are made from."""
    files = dict.fromkeys(file for source in release.sources for file in source.files)
    rows = [(cell(name), f"`{digest[:16]}…`", dump_date(name) or "") for name, digest in files]
    width = 3 if any(day for *_, day in rows) else 2
    return grid(("made from", "SHA-256", "day")[:width], [row[:width] for row in rows])


_PAPER = re.compile(r"(?P<first>\w+).*? \((?P<year>\d{4})\), (?P<title>.+)")
"""A paper in ``card.toml``: "Yona et al. (2024), Narrowing …"."""


def bibtex(release: Release) -> str:
    """Return the BibTeX entries of a release, separated by an empty line."""
    return "\n\n".join(filter(None, (_entry_of_release(release), _entry_of_paper(release))))


def _entry_of_release(release: Release) -> str:
    dataset, source = release.dataset, release.sources[0]
    fields = {
        "title": f"{{{dataset.title}, built from Wikidata by kgbuild}}",
        "author": "{kgbuild contributors}",
        "year": str(release.published.year),
        "version": source.version,
        "note": f"{release.rows:,} {dataset.unit}, store {source.fingerprint}, seed {source.seed}",
    }
    return _entry(f"kgbuild-{dataset.command}", fields)


def _entry_of_paper(release: Release) -> str:
    card = release.card
    match = _PAPER.fullmatch(card.paper)
    if not (match and card.authors):
        return ""
    fields = {
        "title": f"{{{match['title']}}}",
        "author": card.authors,
        "year": match["year"],
        "url": card.address,
    }
    if arxiv := re.fullmatch(r"https://arxiv\.org/abs/([\d.]+)", card.address):
        fields |= {"eprint": arxiv[1], "archivePrefix": "arXiv"}
    return _entry(f"{match['first'].lower()}{match['year']}", fields)


def _entry(key: str, fields: dict[str, str]) -> str:
    lines = (f"  {name} = {{{_escape(name, value)}}}," for name, value in fields.items())
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def _escape(name: str, value: str) -> str:
    """Return the value of a field; braces around the whole value keep its capitals."""
    if name == "url":
        return value
    inner = value.removeprefix("{").removesuffix("}") if value.startswith("{") else value
    escaped = re.sub(r"([&%$#_{}])", r"\\\1", inner)  # characters with a meaning in LaTeX
    return f"{{{escaped}}}" if value.startswith("{") else escaped


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
