"""The command that shows what a newer build changed."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click

from kgbuild.cli import options, output
from kgbuild.datasets import NAMES, all_datasets, database
from kgbuild.datasets import dataset as dataset_of
from kgbuild.datasets.base import AnyDataset, package_folder
from kgbuild.tables.absences import ABSENCES
from kgbuild.tables.diff import (
    Comparison,
    Difference,
    compare,
    is_comparable,
    require_common,
    shared,
)
from kgbuild.tables.versions import PastBuild, PastBuilds, Version, builds

_CHANGES = ("gone", "moved", "reworded", "new")
_COMMANDS = [
    name.replace("_", "-") for name in NAMES if (package_folder(name) / "versions.sql").is_file()
]
_Differences: TypeAlias = Sequence[tuple[AnyDataset, Difference]]
_EXAMPLES = 2
"""Maximum number of differences of each kind that are shown."""


@click.command()
@click.argument("older", type=options.INPUT_FILE)
@click.argument("newer", type=options.INPUT_FILE)
@click.option("--dataset", "command", type=click.Choice(_COMMANDS), help="Compare this one only.")
@options.output_option("path", "Write every difference to a file, as JSON Lines.")
@options.json_option
def diff(older: Path, newer: Path, command: str | None, path: Path | None, as_json: bool) -> None:
    """Tell what became of the datasets of an OLDER database in a NEWER one.

    The databases are not changed. Relations and files with a build in both are compared. Rows are
    matched by their candidate, which stays the same from dump to dump. A row is gone, new, moved
    (GRANOLA: other answers; Syn-(QA)²: another replacement or grade of falsity; BioKaLMA: other
    knowledge), or only reworded. A row is untrue if the newer store lacks a statement of its
    evidence or contains its false assumption. All other rows that are gone were rejected by a rule
    or a limit.

    \b
    Example:
      kgbuild diff 2023.duckdb 2024.duckdb
      kgbuild diff 2023.duckdb 2024.duckdb --dataset granola -o changed.jsonl
    """
    if path and path.exists() and any(map(path.samefile, (older, newer))):
        raise click.BadParameter("it is one of the databases.", param_hint="-o")
    wanted = [dataset_of(command)] if command else [*filter(is_comparable, all_datasets())]
    older_db, newer_db = database(older), database(newer)
    before, after = builds(older_db), builds(newer_db)
    require_common(before, after, wanted)
    if not command:
        both = {*before.by_dataset} & {*after.by_dataset}
        for name in sorted(both - {dataset.name for dataset in wanted}):
            output.notify(f"{name}: not compared, as it has no versions.sql.")
    for dataset in wanted:
        _report_unlike(before, after, dataset)
    comparisons = [
        (dataset, compare(older_db, newer_db, dataset))
        for dataset in wanted
        if shared(before, after, dataset)
    ]
    output.show([row for pair in comparisons for row in _counts(*pair)], as_json)
    differences = [
        (dataset, difference)
        for dataset, comparison in comparisons
        for difference in comparison.differences
    ]
    if not as_json:
        _show_reasons(differences)
        _show_examples(differences)
        if count := sum(difference.is_untrue for _, difference in differences):
            rows = "1 row of the older build is" if count == 1 else f"{count:,} older rows are"
            output.notify(f"{rows} untrue by the newer one.")
    if path:
        lines = (json.dumps(_record(*pair), ensure_ascii=False) + "\n" for pair in differences)
        output.write("".join(lines), path)


def _report_unlike(older: PastBuilds, newer: PastBuilds, dataset: AnyDataset) -> None:
    """Print what is not compared, and what beside the dump may cause differences."""
    both = shared(older, newer, dataset)
    notes: dict[str, list[str]] = defaultdict(list)
    for side in (older, newer):
        if alone := [name for name in side.of(dataset) if name not in both]:
            notes[f"only in {side.db.path}, not compared"] = alone
    for relation in both:
        for unlike in _unlike(older.of(dataset)[relation], newer.of(dataset)[relation]):
            notes[unlike].append(relation)
    for note, names in notes.items():
        listed = "all" if names == both else ", ".join(names)
        output.notify(f"{dataset.command}: {note}: {listed}.")


def _unlike(older: PastBuild, newer: PastBuild) -> Iterator[str]:
    """Yield a text for each way in which two builds of a relation differ."""
    if older.version != newer.version:
        yield f"built by kgbuild {older.version}, then {newer.version}"
    if older.file != newer.file:
        yield "built from a file of that name with other contents"
    if older.fingerprint == newer.fingerprint:
        yield "built from the same store"
    before = {"seed": older.seed, **older.options}
    after = {"seed": newer.seed, **newer.options}
    for name in sorted({**before, **after}):
        if before.get(name) != after.get(name):
            values = ", then ".join(str(side.get(name, "none")) for side in (before, after))
            yield f"built with another {name} ({values})"


def _counts(dataset: AnyDataset, comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield a row for each relation: how many rows it has, and how many changed in which way."""
    changes = Counter(
        (difference.relation, difference.change) for difference in comparison.differences
    )
    untrue = Counter(
        difference.relation for difference in comparison.differences if difference.is_untrue
    )
    for relation in comparison.relations:
        counts = {change: changes[relation, change] for change in _CHANGES}
        older = comparison.older[relation]
        yield {
            "dataset": dataset.command,
            "relation": relation,
            "older": older,
            "newer": comparison.newer[relation],
            "same": older - counts["gone"] - counts["moved"] - counts["reworded"],
            **counts,
            "untrue": untrue[relation],
        }


def _show_reasons(differences: _Differences) -> None:
    """Print why rows are gone, moved or new, the most frequent reason first."""
    counts = Counter(
        (dataset.command, difference.change, difference.why.reason)
        for dataset, difference in differences
        if difference.why
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
    """Return what a reason of the build that has no such row means."""
    if words := ABSENCES.get(reason):
        return words.format(build="older" if change == "new" else "newer")
    return reasons.get(reason, "")


def _show_examples(differences: _Differences) -> None:
    shown: Counter[tuple[str, str]] = Counter()
    rows = []
    for dataset, difference in differences:
        shown[dataset.command, difference.change] += 1
        if shown[dataset.command, difference.change] <= _EXAMPLES:
            why = difference.why
            row = {
                "dataset": dataset.command,
                "change": difference.change,
                "question": next(
                    side.questions[-1] for side in (difference.newer, difference.older) if side
                ),
                "older": _contents(difference, difference.older, difference.newer),
                "newer": _contents(difference, difference.newer, difference.older),
                "reason": f"{why.reason}: {why.detail}".removesuffix(": ") if why else "",
            }
            rows.append(row)
    if rows:
        click.echo()
        output.show(rows, as_json=False)


def _contents(difference: Difference, version: Version | None, other: Version | None) -> Any:
    """Return the contents of a version of a row that the other one lacks; all without another."""
    if version is None:
        return ""
    if other is None:
        return list(version.contents.values())
    if difference.change == "reworded":
        return [text for text in version.questions if text not in other.questions]
    pairs = ((version.contents[name], other.contents[name]) for name in difference.moved)
    return [_without(*pair) for pair in pairs]


def _without(value: Any, other: Any) -> Any:
    """Return a value; of a list, the entries that the other list lacks."""
    if isinstance(value, list) and isinstance(other, list) and sorted(value) != sorted(other):
        return [entry for entry in value if entry not in other]
    return value


def _record(dataset: AnyDataset, difference: Difference) -> dict[str, Any]:
    record = {
        "dataset": dataset.name,
        "relation": difference.relation,
        "change": difference.change,
        "about": difference.about,
        "moved": difference.moved,
        "untrue": difference.is_untrue,
    }
    for name, why in (("gone", difference.gone), ("new", difference.new)):
        record |= {f"{name}_reason": why and why.reason, f"{name}_detail": why and why.detail}
    record |= {"gone_statements": difference.lost, "new_statements": difference.gained}
    for name, version in (("older", difference.older), ("newer", difference.newer)):
        record |= {
            f"{name}_id": version and version.id,
            f"{name}_questions": version and version.questions,
            name: version and version.contents,
        }
    return record
