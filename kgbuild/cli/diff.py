"""The command that tells what a newer build changed."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click

from kgbuild.cli import screen
from kgbuild.datasets import NAMES, all_datasets, database
from kgbuild.datasets import dataset as dataset_of
from kgbuild.datasets.base import AnyDataset, package_folder
from kgbuild.errors import clean
from kgbuild.tables.absences import ABSENCES, Why
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
_Comparisons: TypeAlias = Sequence[tuple[AnyDataset, Comparison]]
_EXAMPLES = 2
"""How many differences of each kind are shown."""
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("older", type=_FILE)
@click.argument("newer", type=_FILE)
@click.option(
    "--dataset",
    "command",
    type=click.Choice(_COMMANDS),
    help="Compare this one only.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every difference to a file, as JSON Lines.",
)
@screen.json_option
def diff(older: Path, newer: Path, command: str | None, output: Path | None, as_json: bool) -> None:
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
    if output and output.exists() and any(map(output.samefile, (older, newer))):
        raise click.BadParameter("it is one of the databases.", param_hint="-o")
    wanted = [dataset_of(command)] if command else [*filter(is_comparable, all_datasets())]
    one, other = database(older), database(newer)
    before, after = builds(one), builds(other)
    require_common(before, after, wanted)
    if not command:
        for name in sorted(
            {*before.by_dataset} & {*after.by_dataset} - {one.name for one in wanted}
        ):
            screen.say(clean(f"{name}: not compared, as it has no versions.sql."))
    _report_unlike(before, after, wanted)
    comparisons = [
        (dataset, compare(one, other, dataset))
        for dataset in wanted
        if shared(before, after, dataset)
    ]
    screen.show([row for each in comparisons for row in _counts(*each)], as_json)
    if not as_json:
        _show_reasons(comparisons)
        _show_examples(comparisons)
        _say_untrue(comparisons)
    if output:
        lines = (
            _line(dataset, each)
            for dataset, comparison in comparisons
            for each in comparison.differences
        )
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        screen.write(text, output)


def _report_unlike(one: PastBuilds, other: PastBuilds, wanted: Sequence[AnyDataset]) -> None:
    """Say what is not compared, and what beside the dump may cause differences."""
    for dataset in wanted:
        both = shared(one, other, dataset)
        for side in (one, other):
            if alone := [name for name in side.of(dataset) if name not in both]:
                _say(dataset, f"only in {side.db.path}, not compared", alone)
        for unlike, names in _unlike(one, other, dataset, both).items():
            _say(dataset, unlike, names if len(names) < len(both) else ["all"])


def _say(dataset: AnyDataset, what: str, names: Sequence[str]) -> None:
    screen.say(clean(f"{dataset.command}: {what}: {', '.join(names)}."))


def _unlike(
    older: PastBuilds, newer: PastBuilds, dataset: AnyDataset, both: Sequence[str]
) -> Mapping[str, list[str]]:
    """Return how the builds of relations differ, each with the relations that do."""
    found: dict[str, list[str]] = defaultdict(list)
    for relation in both:
        for unlike in _unlike_in(older.of(dataset)[relation], newer.of(dataset)[relation]):
            found[unlike].append(relation)
    return found


def _unlike_in(one: PastBuild, other: PastBuild) -> Iterator[str]:
    if one.version != other.version:
        yield f"built by kgbuild {one.version}, then {other.version}"
    if one.file != other.file:
        yield "built from a file of that name with other contents"
    if one.fingerprint == other.fingerprint:
        yield "built from the same store"
    before = {"seed": one.seed, **one.options}
    after = {"seed": other.seed, **other.options}
    for name in sorted({**before, **after}):
        if before.get(name) != after.get(name):
            values = ", then ".join(str(each.get(name, "none")) for each in (before, after))
            yield f"built with another {name} ({values})"


def _counts(dataset: AnyDataset, comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield a row for each relation: how many rows it has, and what became of them."""
    changes = Counter((one.relation, one.change) for one in comparison.differences)
    untrue = Counter(one.relation for one in comparison.differences if one.is_untrue)
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


def _show_reasons(comparisons: _Comparisons) -> None:
    """Show why rows are gone, moved or new, the commonest reason first."""
    counts = Counter(
        (dataset.name, each.change, each.why.reason)
        for dataset, comparison in comparisons
        for each in comparison.differences
        if each.why
    )
    datasets = {dataset.name: dataset for dataset, _ in comparisons}
    rows = [
        {
            "dataset": datasets[name].command,
            "change": change,
            "rows": count,
            "reason": reason,
            "what it means": _meaning(datasets[name], change, reason),
        }
        for (name, change, reason), count in counts.most_common()
    ]
    if rows:
        click.echo()
        screen.show(rows, as_json=False)


def _meaning(dataset: AnyDataset, change: str, reason: str) -> str:
    """Return what a reason of the build that has no such row means."""
    if words := ABSENCES.get(reason):
        return words.format(build="older" if change == "new" else "newer")
    return dataset.reasons.get(reason, "")


def _say_untrue(comparisons: _Comparisons) -> None:
    """Say how many rows, whatever became of them, are untrue now."""
    if count := sum(
        each.is_untrue for _, comparison in comparisons for each in comparison.differences
    ):
        rows = "1 row of the older build is" if count == 1 else f"{count:,} older rows are"
        screen.say(f"{rows} untrue by the newer one.")


def _show_examples(comparisons: _Comparisons) -> None:
    """Show the first differences of each kind."""
    rows = []
    for dataset, comparison in comparisons:
        shown: Counter[str] = Counter()
        for one in comparison.differences:
            shown[one.change] += 1
            if shown[one.change] <= _EXAMPLES:
                rows.append(_example(dataset, one))
    if rows:
        click.echo()
        screen.show(rows, as_json=False)


def _example(dataset: AnyDataset, one: Difference) -> dict[str, Any]:
    why = one.why
    return {
        "dataset": dataset.command,
        "change": one.change,
        "question": next(side.questions[-1] for side in (one.newer, one.older) if side),
        "older": _contents(one, one.older, one.newer),
        "newer": _contents(one, one.newer, one.older),
        "reason": f"{why.reason}: {why.detail}".removesuffix(": ") if why else "",
    }


def _contents(one: Difference, version: Version | None, other: Version | None) -> Any:
    """Return the contents of a row that the other one lacks; all, if there is no other one."""
    if version is None:
        return ""
    if other is None:
        return list(version.contents.values())
    if one.change == "reworded":
        return [text for text in version.questions if text not in other.questions]
    return [_beside(version.contents[name], other.contents[name]) for name in one.moved]


def _beside(value: Any, other: Any) -> Any:
    """Return a value; of a list, the entries that the other one lacks."""
    if isinstance(value, list) and isinstance(other, list) and sorted(value) != sorted(other):
        return [each for each in value if each not in other]
    return value


def _line(dataset: AnyDataset, one: Difference) -> dict[str, Any]:
    """Return a difference as an object of JSON."""
    return {
        "dataset": dataset.name,
        "relation": one.relation,
        "change": one.change,
        "about": one.about,
        "moved": one.moved,
        "untrue": one.is_untrue,
        **_of("gone", one.gone),
        **_of("new", one.new),
        "gone_statements": one.lost,
        "new_statements": one.gained,
        **_version("older", one.older),
        **_version("newer", one.newer),
    }


def _of(name: str, why: Why | None) -> dict[str, Any]:
    return {f"{name}_reason": why and why.reason, f"{name}_detail": why and why.detail}


def _version(name: str, version: Version | None) -> dict[str, Any]:
    return {
        f"{name}_id": version and version.id,
        f"{name}_questions": version and version.questions,
        name: version and version.contents,
    }
