"""Write a recipe: the TOML file from which ``kgbuild build`` makes datasets and a release again.

A recipe has no time and no folder: files are named, with their hashes.
"""

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kgbuild import __version__
from kgbuild.datasets.base import AnyDataset
from kgbuild.export.cards import card
from kgbuild.export.release import Release, ReleaseSource

_HEAD = """\
# What was built, and from what. To build it again, where FILES is the folder of the files:
# kgbuild build recipe.toml --files FILES -o NEW-FOLDER
kgbuild = {}
"""
NAMED_FILES = ("relations_file", "since")
"""Options that builds record with the names and hashes of files."""


def of_release(release: Release) -> str:
    """Return the recipe of a release.

    ``compare`` in it says that building again gives the same bytes. It does not if rows were
    accepted by reviewers or removed by verification, since no dump knows of these.
    """
    options: dict[str, Any] = {"dataset": release.dataset.command}
    hashes = {}
    if excluded := release.excluded:
        options["exclude"] = excluded.file
        hashes[excluded.file] = excluded.sha256
    options |= {"safe_csv": release.safe_csv, "site": release.has_site}
    options |= {"date": release.published.isoformat(), "compare": not release.ending}
    return recipe([(release.dataset, release.sources)], [options], hashes)


def recipe(
    built: Iterable[tuple[AnyDataset, Sequence[ReleaseSource]]],
    releases: Iterable[Mapping[str, Any]] = (),
    hashes: Mapping[str, str] | None = None,
) -> str:
    """Return the recipe of datasets with their sources.

    ``releases`` are options of ``kgbuild export``, and ``hashes`` the SHA-256 of its files.
    """
    all_hashes = dict(hashes or {})
    builds = []
    for dataset, sources in built:
        questions = {name for source in sources for name in source.rows}
        for source in sources:
            builds.append(_build(dataset, source, questions))
            all_hashes |= source.files
            for name in NAMED_FILES:
                all_hashes |= _files(source.options.get(name, {}))
    tables = [
        *(f"[[build]]\n{_entries(build)}" for build in builds),
        *(f"[[release]]\n{_entries(release)}" for release in releases),
        f"[sha256]\n{_entries(dict(sorted(all_hashes.items())))}",
    ]
    return "\n".join([_HEAD.format(_value(__version__)), *tables])


def _build(dataset: AnyDataset, source: ReleaseSource, questions: Iterable[str]) -> dict[str, Any]:
    """Return the entry of a source: the parameters of the dataset's function ``build``.

    ``questions`` are the names of all files of questions; the source may have read several.
    """
    options = dict(source.options)
    for name in {*NAMED_FILES} & options.keys():
        names = [*_files(options[name])]
        options[name] = names[0] if len(names) == 1 else names
    read = {*questions, *(value for value in options.values() if isinstance(value, str))}
    parameters = inspect.signature(dataset.build).parameters
    made_from: dict[str, Any] = {}
    if source.question_file:
        made_from = {card(dataset, {}).file_option.lstrip("-"): source.question_file}
    elif "relations" in parameters:
        made_from = {"relations": [*source.rows]}
    return {
        "dataset": dataset.command,
        "store": [name for name, _ in source.files if name not in read],
        **made_from,
        **options,
        **({"seed": source.seed} if "seed" in parameters else {}),
    }


def _files(recorded: Mapping[str, Any]) -> dict[str, str]:
    """Return the hashes by name of the files that a build records of an option."""
    files = recorded.get("files", [recorded] if recorded else [])
    return {file["name"]: file["sha256"] for file in files}


def _entries(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(name)} = {_value(value)}\n" for name, value in table.items())


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.isascii() else _value(name)


def _value(value: object) -> str:
    """Return a value as TOML, which has the escapes of JSON, and one character more to escape."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
