"""The script that builds a release again; it contains no time."""

import re
import shlex
from collections.abc import Iterator, Sequence
from importlib import resources

from kgbuild.export.cards import read_texts
from kgbuild.export.release import Release, Source

_OPTIONS = {"of_class": "class", "templates": "template"}
"""Options of builders that have another name on the command line."""
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")


def rebuild(release: Release) -> str:
    """Return the script that loads the dumps, builds, exports, and compares if it can.

    Whatever the names of files hold, each stays one word of it.
    """
    steps, loaded = [], None
    for source in release.sources:
        read = [file for file in source.files if _is_beside_dumps(file[0], source)]
        dumps = [file for file in source.files if file not in read]
        if dumps != loaded:
            names = " ".join(_path(name) for name, _ in dumps)
            steps += [*map(_same, dumps), f'kgbuild load --store "$work/kg" {names}']
            loaded = dumps
        steps += [*map(_same, read), _build(release, source, [name for name, _ in read])]
    texts, ending = read_texts("rebuild"), release.ending
    words = {
        "steps": "\n".join(steps),
        "dataset": release.dataset.command,
        "version": release.sources[0].version,
        "purpose": texts[f"purpose{ending}"],
        "compare": texts[f"compare{ending}"],
    }
    script = (resources.files("kgbuild.export") / "rebuild.sh").read_text(encoding="utf-8")
    return re.sub("@([a-z]+)@", lambda place: words[place[1]], script)


def _same(file: tuple[str, str]) -> str:
    """Return the line that fails if a file is not the one that was used."""
    name, digest = file
    return f"same {_path(name)} {shlex.quote(digest)}"


def _build(release: Release, source: Source, read: Sequence[str]) -> str:
    """Return the line that builds the rows of a source."""
    words = [
        *("kgbuild", release.dataset.command, '--store "$work/kg" --db "$work/datasets.duckdb"'),
        *_origin(release, source, read),
        f"--seed {source.seed}",
    ]
    for option, value in source.options.items():
        name = _OPTIONS.get(option, option.replace("_", "-"))
        values = value if isinstance(value, list) else [value]
        words += [f"--{name} {shlex.quote(str(entry))}" for entry in values]
    return " ".join(words)


def _origin(release: Release, source: Source, read: Sequence[str]) -> Iterator[str]:
    """Yield the options that name the relations, or the files, to build from."""
    if not source.question_file:
        if release.card.file_option:
            yield f"--relations {','.join(source.rows)}"
        return
    yield f"{release.card.file_option} {_path(source.question_file)}"
    yield from (f"--categories {_path(name)}" for name in read if name != source.question_file)


def _is_beside_dumps(name: str, source: Source) -> bool:
    """Return whether a file is not a dump, but a file of questions or of their categories."""
    question_file = source.question_file
    return question_file is not None and (name == question_file or name.endswith(_TABLES))


def _path(name: str) -> str:
    return f'"$dumps"/{shlex.quote(name)}'
