"""Build a dataset, write it to the database, and print a summary of the build."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.catalog import catalog
from kgbuild.cli import options, output
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.building import commonest_reasons, row_reasons
from kgbuild.errors import NothingBuiltError, list_first
from kgbuild.graph.open import open_store
from kgbuild.rows import Build, Built, examples
from kgbuild.tables.quoting import quoted_text

if TYPE_CHECKING:
    from kgbuild.cli.models.chosen_model import ChosenModel

_REASONS = "SELECT candidate, reason, detail FROM rejections WHERE relation IN ({})"
_COUNTS = "SELECT dataset, relation, reason, count(*) FROM rejections GROUP BY ALL ORDER BY ALL"


def build(
    dataset: AnyDataset,
    make: Callable[..., Build],
    store: Path,
    db: "options.Database",
    llm: "ChosenModel | None" = None,
    **options: Any,
) -> Build:
    """Build a dataset from a store by its function ``make``, and write it to the database.

    ``options`` are options of ``make``. Relations with an error in relations.toml are printed.
    """
    if llm:
        options |= {"ask": llm.ask, "model": llm.name, "base_url": llm.base_url}
    with output.progress("opening the store") as progress:
        with open_store(store) as opened:
            db.prepare(*dataset.tables, "rejections", "builds")
            try:
                dataset_build = make(opened, progress=progress, **options)
            except NothingBuiltError as error:
                for note in error.build.notes:
                    output.notify(note)
                if count := db.write_rejections(error.build):
                    output.notify(f"The table rejections of {db.path} has all {count:,} reasons.")
                raise
        progress("writing the rows", 0, 0)
        replaced = db.write(dataset_build)
    _report_left_out(dataset_build)
    for name in replaced:
        output.notify(
            f"The rows of another file, or of another version, called {name} were replaced. "
            "Rename one of two files to keep the rows of both."
        )
    return dataset_build


def _report_left_out(build: Build) -> None:
    for part in build.parts:
        for rejection in part.rejections:
            if rejection.reason == "malformed" and rejection.candidate == part.relation:
                output.notify(f"Left out: {rejection.detail}.")


def report(
    dataset: AnyDataset,
    build: Build,
    db: "options.Database",
    columns: Callable[[Built], Mapping[str, Any]],
    query: str,
    as_json: bool,
) -> None:
    """Print a table of the parts of a build (its relations or files), and a command to continue.

    ``columns`` returns the columns of a part that only this dataset has. The command runs ``query``
    to show rows of the first part with rows; ``{}`` in it is replaced by the name of this part.
    Relations without statements in the store share one line. For files, the commonest reasons of
    rejections are explained. As JSON, each part has the number of its rejections by reason.
    """
    empty = [part for part in build.parts if not part.candidates and not part.rejections]
    listed = build.parts if as_json else [part for part in build.parts if part not in empty]
    rows = [
        {
            dataset.source_column.replace("source", "made from"): part.relation,
            "label": _label(part),
            **columns(part),
            **(_changes(part) if "since" in build.provenance.options else {}),
            **(
                {"rejected": dict(part.reasons.most_common())}
                if as_json
                else {"left out, mostly because": main_reasons(dataset, part)}
            ),
        }
        for part in listed
    ]
    output.show(rows, as_json)
    for note in build.notes:
        output.notify(note)
    if as_json:
        return
    if empty:
        names = [f"{part.relation} {_label(part)}".strip() for part in empty]
        output.notify(f"\nThe store has no such statement for: {list_first(names)}.")
    if build.file_parts:
        _show_reasons(dataset, db, build.file_parts)
    elif any(part.notes for part in build.parts):
        output.notify("\nCount all reasons, by relation:")
        output.notify(_command(db, _COUNTS))
    source = next(part.relation for part in build.parts if part.rows)
    show_example(dataset, db, query.format(source.replace("'", "''")))


def _show_reasons(dataset: AnyDataset, db: "options.Database", file_parts: Sequence[Built]) -> None:
    """Print why most of the records of files are left out, and where all reasons are."""
    reasons = row_reasons(dataset, file_parts)
    if not reasons:
        return
    output.notify("\nMost records that were left out have one of these reasons:")
    for sentence in commonest_reasons(reasons, dataset.reasons, examples(file_parts)):
        output.notify(f"  {sentence}")
    names = ", ".join(quoted_text(part.relation) for part in file_parts)
    output.notify("Look at the reasons of all records:")
    output.notify(_command(db, _REASONS.format(names)))


def _changes(part: Built) -> dict[str, int]:
    """Return the numbers of rows and candidates of a part by what the older store has."""
    from kgbuild.datasets.since import CHANGED, KNOWN, NEW, NEW_SUBJECT, changes

    counts = changes(part)
    new = counts[NEW] + counts[NEW_SUBJECT]
    return {"new": new, CHANGED: counts[CHANGED], "in both": part.reasons[KNOWN]}


def _label(part: Built) -> str:
    """Return the label of a relation, the labels of a path, or "" for a file."""
    (rows, *_) = part.tables.values()
    if rows and "relation_label" in rows[0]:
        return str(rows[0]["relation_label"])
    properties = catalog().properties
    return " / ".join(properties[pid] for pid in part.relation.split("/") if pid in properties)


def main_reasons(dataset: AnyDataset, part: Built) -> str:
    """Return the three most frequent reasons why candidates of a part did not become rows."""
    counts = sorted(row_reasons(dataset, [part]).items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{reason} ({count:,})" for reason, count in counts[:3])


def show_example(dataset: AnyDataset, db: "options.Database", query: str) -> None:
    """Print the path of the database, and a shell command that shows some of its rows."""
    output.notify(f"\nThe {dataset.unit} are in {db.path}. Look at them:")
    output.notify(_command(db, query))


def _command(db: "options.Database", query: str) -> str:
    """Return an indented shell command that runs a query."""
    has_special_characters = bool(set(query) & set('"$`\\!'))  # inside double quotes
    quoted = shlex.quote(query) if has_special_characters else f'"{query}"'
    return f"  kgbuild sql --db {shlex.quote(str(db.path))} {quoted}"
