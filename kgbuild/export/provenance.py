"""The origin of a release, and the script that builds it again.

Neither contains a time, so that the same build gives the same bytes.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgbuild.export.release import Release, Source

_OPTIONS = {"of_class": "class", "templates": "template"}
"""Options of builders that have another name on the command line."""
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
_SCRIPT = """\
#!/bin/sh
# {purpose}
# What else was read, such as a file of questions, is to be in the folder of the dumps too.
set -eu
fail() {{ echo "$2" >&2; exit "$1"; }}
[ $# -eq 2 ] || fail 2 "Usage: sh rebuild.sh FOLDER-OF-THE-DUMPS NEW-FOLDER"
command -v kgbuild > /dev/null \\
  || fail 1 "No kgbuild on the PATH. Install version {version}, or activate its environment."
[ ! -e "$2" ] || {{ [ -d "$2" ] && [ -z "$(ls -A "$2")" ]; }} \\
  || fail 2 "$2 is not empty. Name a new folder, or remove it first."
dumps=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same() {{
  [ "$(sha256sum < "$1" | cut -c1-64)" = "$2" ] || fail 1 "Not the same: $1"
}}
{steps}
kgbuild export {dataset} --db "$work/datasets.duckdb" -o "$2"
{compare}
"""
_COMPARE = """\
cd "$2"
sha256sum --quiet -c "$here/SHA256SUMS"
echo "The same bytes." """.rstrip()
_COMPARES = "Builds this release again from its dumps, into a new folder, and compares the bytes."
_CHOSEN = 'echo "These rows are all that were built, and {chosen} too."'
_COMPARES_NOT = (
    "Builds all rows again from the dumps, into a new folder, and compares nothing:\n"
    "# these are more than those of the release, {chosen} too."
)


def provenance(release: Release, canary: str, engine: str) -> dict[str, Any]:
    """Return the origin of a release and its numbers of rows; ``engine`` wrote its files."""
    return {
        "dataset": release.dataset.command,
        "canary": canary,
        "licences": [licence.name for licence in release.licences],
        "reviewed": _reviewed(release),
        **({"removed_when_verified": release.removed} if release.removed else {}),
        "written_by": engine,
        "tables": {
            table: {part.split: part.rows for part in release.parts if part.table == table}
            for table in release.columns
        },
        "sources": [_describe(source) for source in release.sources],
    }


def _reviewed(release: Release) -> Mapping[str, int] | None:
    reviewed = release.reviewed
    return reviewed and {
        "reviewers": reviewed.reviewers,
        "decided": reviewed.decided,
        "accepted": release.rows,
    }


def _describe(source: Source) -> Mapping[str, Any]:
    return {
        "kgbuild_version": source.version,
        "store_fingerprint": source.fingerprint,
        "store_triples": source.triples,
        "files": [{"name": name, "sha256": digest} for name, digest in source.files],
        "seed": source.seed,
        "options": source.options,
        "rows_built": dict(source.rows),
    }


def rebuild(release: Release) -> str:
    """Return the script that loads the dumps, builds, exports, and compares if it can.

    Whatever the names of files hold, each stays one word of it.
    """
    steps, loaded, chosen = [], None, release.chosen
    for source in release.sources:
        read = [file for file in source.files if _is_beside_dumps(file[0], source)]
        dumps = [file for file in source.files if file not in read]
        if dumps != loaded:
            steps += [*map(_same, dumps), _load(dumps)]
            loaded = dumps
        steps += [*map(_same, read), _build(release, source, [name for name, _ in read])]
    return _SCRIPT.format(
        steps="\n".join(steps),
        dataset=release.dataset.command,
        version=release.sources[0].version,
        purpose=_COMPARES_NOT.format(chosen=chosen) if chosen else _COMPARES,
        compare=_CHOSEN.format(chosen=chosen) if chosen else _COMPARE,
    )


def _same(file: tuple[str, str]) -> str:
    """Return the line that fails if a file is not the one that was used."""
    name, digest = file
    return f"same {_path(name)} {shlex.quote(digest)}"


def _load(dumps: Sequence[tuple[str, str]]) -> str:
    return f'kgbuild load --store "$work/kg" {" ".join(_path(name) for name, _ in dumps)}'


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
        words += [f"--{name} {shlex.quote(str(one))}" for one in values]
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
    """Tell whether a file is no dump: a file of questions, or of their categories."""
    question_file = source.question_file
    return question_file is not None and (name == question_file or name.endswith(_TABLES))


def _path(name: str) -> str:
    return f'"$dumps"/{shlex.quote(name)}'
