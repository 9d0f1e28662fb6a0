"""Write the script that builds a release again; it contains no time."""

import re
import shlex
from collections.abc import Iterator, Sequence
from importlib import resources

from kgbuild.export.cards import read_texts
from kgbuild.export.release import Release, Source

_OPTIONS = {"of_class": "class", "templates": "template"}
"""Names of options on the command line, by parameter of a builder, where they differ."""
_OLDER = "older"
"""The folder of the store that rows are newer than."""
_TABLE_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")


def rebuild(release: Release) -> str:
    """Return a shell script that loads the dumps, builds and exports the dataset, and compares it.

    Names of files may be hostile, so they are quoted for the shell.
    """
    steps: list[str] = []
    loaded: dict[str, Sequence[tuple[str, str]]] = {}
    for source in release.sources:
        tables = [(name, digest) for name, digest in source.files if _is_table(name, source)]
        dumps = [file for file in source.files if file not in tables]
        older = source.options.get("since", {}).get("files", ())
        stores = {"kg": dumps, _OLDER: [(file["name"], file["sha256"]) for file in older]}
        for store, files in stores.items():
            if files and files != loaded.get(store):
                names = " ".join(_path(name) for name, _ in files)
                load = f'kgbuild load --store "$work/{store}" {names}'
                steps += [*map(_check_hash, files), load]
                loaded[store] = files
        if own := source.options.get("relations_file"):
            steps.append(_check_hash((own["name"], own["sha256"])))
        steps += [*map(_check_hash, tables), _build(release, source, [name for name, _ in tables])]
    if release.excluded:
        steps.append(_check_hash((release.excluded.file, release.excluded.sha256)))
    texts, ending = read_texts("rebuild"), release.ending
    values = {
        "steps": "\n".join(steps),
        "dataset": release.dataset.command,
        "options": " ".join(_export_options(release)),
        "version": release.sources[0].version,
        "purpose": texts[f"purpose{ending}"],
        "compare": texts[f"compare{ending}"],
    }
    script = (resources.files("kgbuild.export") / "rebuild.sh").read_text(encoding="utf-8")
    return re.sub("@([a-z]+)@", lambda placeholder: values[placeholder[1]], script)


def _export_options(release: Release) -> Iterator[str]:
    """Yield the options of the export. The date of publication is in files of the release."""
    if release.excluded:
        yield f"--exclude {_path(release.excluded.file)}"
    if release.safe_csv:
        yield "--safe-csv"
    if release.has_site:
        yield '--site --store "$work/kg"'
    yield f"--date {release.published.isoformat()}"


def _check_hash(file: tuple[str, str]) -> str:
    """Return the line that fails if a file (name, SHA-256) is not the file of the build."""
    name, digest = file
    return f"same {_path(name)} {shlex.quote(digest)}"


def _build(release: Release, source: Source, tables: Sequence[str]) -> str:
    """Return the command that builds the rows of a source; ``tables`` are names of files."""
    words = [
        *("kgbuild", release.dataset.command, '--store "$work/kg" --db "$work/datasets.duckdb"'),
        *_source_options(release, source, tables),
        f"--seed {source.seed}",
    ]
    for option, value in source.options.items():
        name = _OPTIONS.get(option, option.replace("_", "-"))
        if value is True:
            words.append(f"--{name}")
            continue
        if option == "since":
            words.append(f'--since "$work/{_OLDER}"')
            continue
        if option == "relations_file":
            words.insert(0, f"KGBUILD_RELATIONS={_path(value['name'])}")
            continue
        values = value if isinstance(value, list) else [value]
        words += [f"--{name} {shlex.quote(str(entry))}" for entry in values]
    # As JSON, it does not say where the rows are: the database is temporary.
    return " ".join((*words, "--json > /dev/null"))


def _source_options(release: Release, source: Source, tables: Sequence[str]) -> Iterator[str]:
    """Yield the options with the relations or the files to build from."""
    if not source.question_file:
        if release.card.file_option:
            yield f"--relations {','.join(source.rows)}"
        return
    yield f"{release.card.file_option} {_path(source.question_file)}"
    yield from (f"--categories {_path(name)}" for name in tables if name != source.question_file)


def _is_table(name: str, source: Source) -> bool:
    """Return whether a file is a table of questions or of their categories, and not a dump."""
    question_file = source.question_file
    return question_file is not None and (name == question_file or name.endswith(_TABLE_SUFFIXES))


def _path(name: str) -> str:
    """Return the path of a file in the folder of the dumps, as a word of the shell."""
    return f'"$dumps"/{shlex.quote(name)}'
