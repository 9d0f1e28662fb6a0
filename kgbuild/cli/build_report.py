"""What the commands that build datasets print, and how they write a build to the database."""

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kgbuild.catalog import catalog
from kgbuild.cli import screen
from kgbuild.datasets.base import AnyDataset
from kgbuild.rows import Build, Built

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_SHOWN = 8
"""How many relations without statements are named."""


def write(db: "Database", build: Build) -> None:
    """Write a build to the database; name the relations that relations.toml describes wrongly."""
    for part in build.parts:
        for rejection in part.rejections:
            if rejection.reason == "malformed" and rejection.candidate == part.relation:
                screen.say(f"Left out: {rejection.detail}.")
    db.write(build)


def report(
    dataset: AnyDataset,
    build: Build,
    db: "Database",
    columns: Callable[[Built], Mapping[str, Any]],
    query: str,
    as_json: bool = False,
) -> None:
    """Print a table of what was built, and how to look at the rows of its first part.

    ``columns`` returns the columns of a part that only this dataset has; ``{}`` in ``query``
    stands for the part. Relations of which the store has no statement share one line. As JSON,
    every part is an object with the counts of its rejections by reason, and nothing else is
    printed.
    """
    source = dataset.source_column.replace("source", "made from")
    if as_json:
        records = [
            {
                source: part.relation,
                "label": label(part),
                **columns(part),
                "rejected": dict(part.reasons.most_common()),
            }
            for part in build.parts
        ]
        screen.show(records, as_json=True)
        return
    empty = [part for part in build.parts if not part.candidates and not part.rejections]
    rows = [
        {
            source: part.relation,
            "label": label(part),
            **columns(part),
            "left out, mostly because": main_reasons(dataset, part),
        }
        for part in build.parts
        if part not in empty
    ]
    screen.show(rows, as_json=False)
    if empty:
        names = [f"{part.relation} {label(part)}".strip() for part in empty]
        more = f", and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        screen.say(f"\nThe store has no such statement for: {', '.join(names[:_SHOWN])}{more}.")
    screen.say(f"\nThe {dataset.unit} are in {db.path}. Look at them:")
    first = next(part.relation for part in build.parts if part.rows)
    show_example(db, query.format(first.replace("'", "''")))


def label(part: Built) -> str:
    """Return the label of a relation, or of each of a path; an empty text for a file."""
    (rows, *_) = part.tables.values()
    if rows and "relation_label" in rows[0]:
        return str(rows[0]["relation_label"])
    properties = catalog().properties
    return " / ".join(properties[pid] for pid in part.relation.split("/") if pid in properties)


def main_reasons(dataset: AnyDataset, part: Built) -> str:
    """Return the most frequent reasons why candidates of a part did not become rows."""
    whole = [reason for reason in dataset.reasons if reason not in dataset.part_reasons]
    rejected = part.reasons
    counts = sorted(((rejected[reason], reason) for reason in whole), key=lambda pair: -pair[0])
    return ", ".join(f"{reason} ({count:,})" for count, reason in counts[:3] if count)


def show_example(db: "Database", query: str) -> None:
    """Print a command that shows rows and can be copied."""
    quoted = shlex.quote(query) if set(query) & set('"$`\\!') else f'"{query}"'
    screen.say(f"  kgbuild sql --db {shlex.quote(str(db.path))} {quoted}")
