"""The command ``diff``: it compares the datasets of two databases, an older and a newer one.

The query ``versions.sql`` of a dataset selects the rows to compare. A row comes from a candidate: a
statement, or a question of a file, that a build tries and rejects or accepts.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click

from kgbuild.cli import options, output
from kgbuild.datasets import all_datasets, database
from kgbuild.datasets.base import AnyDataset
from kgbuild.tables.absences import ABSENCE_REASONS
from kgbuild.tables.diff import (
    Difference,
    TableComparison,
    compare_builds,
    is_comparable,
    require_common,
    shared_relations,
)
from kgbuild.tables.versions import PastBuild, PastBuilds, Version, builds

_Differences: TypeAlias = Sequence[tuple[AnyDataset, Difference]]


@click.command()
@click.argument("older", type=options.INPUT_FILE)
@click.argument("newer", type=options.INPUT_FILE)
@click.option(
    "--dataset", "only", type=options.DatasetName(is_comparable), help="Compare only this dataset."
)
@options.json_lines_option("path", "Write every difference to a file")
@options.json_option
def diff(
    older: Path, newer: Path, only: AnyDataset | None, path: Path | None, as_json: bool
) -> None:
    """Show what changed in the datasets from an OLDER to a NEWER database.

    The databases are not changed. Relations and files with a build in both are compared. Two rows
    match if they were made from the same statement, or from the same question of a file. A row is
    gone, new, moved (GRANOLA: other answers; Syn-(QA)²: another replacement or grade of falsity;
    BioKaLMA: other knowledge), or only reworded. A row is untrue if the store of the newer build
    lacked a statement of its evidence or contained its false assumption. All other rows that are
    gone were rejected by a rule or a limit.

    \b
    Example:
      kgbuild diff 2023.duckdb 2024.duckdb
      kgbuild diff 2023.duckdb 2024.duckdb --dataset granola -o changed.jsonl
    """
    compared = [only] if only else [*filter(is_comparable, all_datasets())]
    with database(older).reading(), database(newer).reading():
        older_builds, newer_builds = builds(database(older)), builds(database(newer))
        require_common(older_builds, newer_builds, compared)
        if not only:
            in_both = {*older_builds.by_dataset} & {*newer_builds.by_dataset}
            for name in sorted(in_both - {dataset.name for dataset in compared}):
                output.notify(f"{name}: not compared, as it has no versions.sql.")
        for dataset in compared:
            _report_unlike(older_builds, newer_builds, dataset)
        with output.progress("comparing the builds"):
            comparisons = [
                (dataset, compare_builds(older_builds, newer_builds, dataset))
                for dataset in compared
                if shared_relations(older_builds, newer_builds, dataset)
            ]
    differences = [
        (dataset, difference)
        for dataset, comparison in comparisons
        for difference in comparison.differences
    ]
    if path:
        output.write_records((_record(*difference) for difference in differences), path)
    counts = [row for dataset, comparison in comparisons for row in _counts(dataset, comparison)]
    output.show(counts, as_json)
    if not as_json:
        _show_reasons(differences)
        _show_examples(differences)
        if count := sum(difference.is_untrue for _, difference in differences):
            rows = "1 row of the older build is" if count == 1 else f"{count:,} older rows are"
            output.notify(f"{rows} untrue in the newer build.")


def _report_unlike(older: PastBuilds, newer: PastBuilds, dataset: AnyDataset) -> None:
    """Print which relations are not compared, and which were built under other conditions.

    Other conditions, such as another seed, cause differences that the dumps do not explain.
    """
    in_both = shared_relations(older, newer, dataset)
    relations_by_note: dict[str, list[str]] = defaultdict(list)
    for past_builds in (older, newer):
        if unshared := [name for name in past_builds.of(dataset) if name not in in_both]:
            relations_by_note[f"only in {past_builds.db.path}, not compared"] = unshared
    for relation in in_both:
        for note in _notes(older.of(dataset)[relation], newer.of(dataset)[relation]):
            relations_by_note[note].append(relation)
    for note, relations in relations_by_note.items():
        names = "all" if relations == in_both else ", ".join(relations)
        output.notify(f"{dataset.command}: {note}: {names}.")


def _notes(older: PastBuild, newer: PastBuild) -> Iterator[str]:
    """Yield notes about two builds of a relation: different conditions, or the same store."""
    if older.version != newer.version:
        yield f"built by kgbuild {older.version}, then {newer.version}"
    if older.file != newer.file:
        yield "built from a file of that name with other contents"
    if older.fingerprint == newer.fingerprint:
        yield "built from the same store"
    older_options = {"seed": older.seed, **older.options}
    newer_options = {"seed": newer.seed, **newer.options}
    for name in sorted({**older_options, **newer_options}):
        if older_options.get(name) != newer_options.get(name):
            older_value = older_options.get(name, "none")
            newer_value = newer_options.get(name, "none")
            yield f"built with another {name} ({older_value}, then {newer_value})"


def _counts(dataset: AnyDataset, comparison: TableComparison) -> Iterator[dict[str, Any]]:
    """Yield a record for each relation: its number of rows, and the number by kind of change."""
    changes = Counter(
        (difference.relation, difference.change) for difference in comparison.differences
    )
    untrue = Counter(
        difference.relation for difference in comparison.differences if difference.is_untrue
    )
    for relation in comparison.relations:
        counts = {
            change: changes[relation, change] for change in ("gone", "moved", "reworded", "new")
        }
        older_rows = comparison.older[relation]
        yield {
            "dataset": dataset.command,
            "relation": relation,
            "older": older_rows,
            "newer": comparison.newer[relation],
            "same": older_rows - counts["gone"] - counts["moved"] - counts["reworded"],
            **counts,
            "untrue": untrue[relation],
        }


def _show_reasons(differences: _Differences) -> None:
    """Print why rows are gone, moved or new, the most frequent reason first."""
    counts = Counter(
        (dataset.command, difference.change, difference.reason.reason)
        for dataset, difference in differences
        if difference.reason
    )
    reasons = {dataset.command: dataset.reasons for dataset, _ in differences}
    rows = [
        {
            "dataset": command,
            "change": change,
            "rows": count,
            "reason": reason,
            "what it means": _meaning(reasons[command], change, reason),
        }
        for (command, change, reason), count in counts.most_common()
    ]
    if rows:
        click.echo()
        output.show(rows, as_json=False)


def _meaning(reasons: Mapping[str, str], change: str, reason: str) -> str:
    """Return a sentence that explains why one of the builds lacks a row."""
    if sentence := ABSENCE_REASONS.get(reason):
        return sentence.format(build="older" if change == "new" else "newer")
    return reasons.get(reason, "")


def _show_examples(differences: _Differences) -> None:
    """Print the first two differences of each dataset and kind of change."""
    shown: Counter[tuple[str, str]] = Counter()
    rows = []
    for dataset, difference in differences:
        shown[dataset.command, difference.change] += 1
        if shown[dataset.command, difference.change] <= 2:
            absence = difference.reason
            versions = (difference.newer, difference.older)
            row = {
                "dataset": dataset.command,
                "change": difference.change,
                # The false or the specific question of a row comes last.
                "question": next(version.questions[-1] for version in versions if version),
                "older": _contents(difference, difference.older, difference.newer),
                "newer": _contents(difference, difference.newer, difference.older),
                "reason": f"{absence.reason}: {absence.detail}".removesuffix(": ")
                if absence
                else "",
            }
            rows.append(row)
    if rows:
        click.echo()
        output.show(rows, as_json=False)


def _contents(difference: Difference, version: Version | None, other: Version | None) -> Any:
    """Return the contents that a version of a row has and the other lacks; all without another."""
    if version is None:
        return ""
    if other is None:
        return list(version.contents.values())
    if difference.change == "reworded":
        return [text for text in version.questions if text not in other.questions]
    names = difference.moved_contents
    return [_subtract(version.contents[name], other.contents[name]) for name in names]


def _subtract(value: Any, other: Any) -> Any:
    """Return ``value``; if both values are lists, only the entries that ``other`` lacks.

    Lists with the same entries in another order are returned whole.
    """
    if isinstance(value, list) and isinstance(other, list) and sorted(value) != sorted(other):
        return [entry for entry in value if entry not in other]
    return value


def _record(dataset: AnyDataset, difference: Difference) -> dict[str, Any]:
    record = {
        "dataset": dataset.name,
        "relation": difference.relation,
        "change": difference.change,
        "about": difference.about,
        "moved": difference.moved_contents,
        "untrue": difference.is_untrue,
    }
    for name, absence in (("gone", difference.gone_reason), ("new", difference.new_reason)):
        record[f"{name}_reason"] = absence and absence.reason
        record[f"{name}_detail"] = absence and absence.detail
    record |= {"gone_statements": difference.lost, "new_statements": difference.gained}
    for name, version in (("older", difference.older), ("newer", difference.newer)):
        record |= {
            f"{name}_id": version and version.id,
            f"{name}_questions": version and version.questions,
            name: version and version.contents,
        }
    return record
