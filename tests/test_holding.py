"""The holding test: the bytes that kgbuild makes of the sample stay what they are.

Everything is made by the command line, so that modules may move. A change of content re-pins a
hash on purpose, with a line in CHANGELOG.md: run ``python -m tests.test_holding`` to write
``tests/holding.json`` anew.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from click.testing import CliRunner

from kgbuild.cli import cli
from tests.conftest import SAMPLE

PINNED = Path(__file__).with_name("holding.json")
BUILDS = (
    ("syn-qa",),
    ("granola",),
    ("biokalma",),
    ("grouse", "--limit", "20"),
    ("granola", "--questions", "questions.jsonl"),
    ("syn-qa", "--relations", "P26/P69", "--limit", "20", "--seed", "7"),
    ("syn-qa", "--hotpotqa", "hotpot.json"),
    ("biokalma", "--relations", "P26", "--limit", "3", "--alpha", "0.5", "--seed", "3"),
)
"""Each into a database of its own, but for the first four, which share one."""
SLICES = {
    "people.nt": ("--instance-of", "Q5"),
    "adams.nt": ("--limit", "10", "--no-descriptions"),
    "german.nt": ("--lang", "en,de", "--property", "P19,P569", "--sample", "0.5", "--seed", "4"),
}
RELEASES = ("syn-qa", "granola", "biokalma", "grouse")
_VARYING = {"builds": ("built_at", "seconds", "dump")}
"""Columns that tell of the day and of files' dates."""
_CODE = ("tasks/utils.py", "tasks/inspect_tasks.py", "tasks/kgbuild.zip", "SHA256SUMS")
"""Copies of modules, whose places are not promised: their scores are compared elsewhere."""
QUESTIONS = [
    {"question": "Where was Douglas Adams born?", "answers": ["Cambridge"]},
    {"question": "Who wrote The Hobbit?", "answers": ["J. R. R. Tolkien"]},
    {"question": "In what place was Pablo Picasso born?", "answers": ["Málaga"]},
]
PASSAGES = {
    "Clara Lund": "Clara Lund (1905 – 1990) was a Danish chemist. She led the Thaw Works.",
    "Anna Berg": "Anna Berg (1901 – 1980) was a Danish chemist. She led the Frost Laboratory.",
    "Carl Holm": "Carl Holm (1899 – 1970) was a Danish inventor of the Frost Laboratory.",
}
HOTPOT = [
    {
        "_id": "r1",
        "question": "What did the Danish inventor patent who worked with Anna Berg?",
        "answer": "the zinc kettle",
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [["Anna Berg", 0], ["Carl Holm", 0]],
        "context": [[title, [text]] for title, text in PASSAGES.items()],
    }
]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, f"{arguments}\n{result.output}"
    return result.output


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def made(folder: Path) -> dict[str, str]:
    """Return the hash of all that is made of the sample in a folder, by what it is."""
    (folder / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS))
    (folder / "hotpot.json").write_text(json.dumps(HOTPOT))
    store = ("--store", str(folder / "kg"))
    run("load", *store, str(SAMPLE))
    manifest = json.loads((folder / "kg" / "manifest.json").read_text())
    hashes = {"store": manifest["fingerprint"]}
    for place, (command, *options) in enumerate(BUILDS):
        name = "all" if place < 4 else f"{place} {command}"
        db = str(folder / f"{name}.duckdb")
        options = [
            str(folder / one) if one.endswith((".json", ".jsonl")) else one for one in options
        ]
        run(command, *options, *store, "--db", db)
    for db_file in sorted(folder.glob("*.duckdb")):
        hashes |= {f"{db_file.stem}: {name}": value for name, value in tables(db_file)}
    for name, conditions in SLICES.items():
        run("slice", str(SAMPLE), "-o", str(folder / name), *conditions)
        hashes[f"slice: {name}"] = digest((folder / name).read_bytes())
    for dataset in RELEASES:
        target = folder / "release" / dataset
        run(
            "export",
            dataset,
            "-o",
            str(target),
            "--date",
            "2026-01-01",
            "--db",
            str(folder / "all.duckdb"),
        )
        hashes |= {f"release: {dataset}/{name}": value for name, value in files(target)}
    return hashes


def tables(db: Path) -> Iterator[tuple[str, str]]:
    """Yield the tables of a database that have rows, each with the hash of its rows in order."""
    with duckdb.connect(str(db), read_only=True) as connection:
        names = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        for (name,) in names:
            varying = ", ".join(_VARYING.get(name, ()))
            exclude = f" EXCLUDE ({varying})" if varying else ""
            query = f"SELECT *{exclude} FROM {name} ORDER BY rowid"
            rows = connection.execute(f"SELECT to_json(r)::VARCHAR FROM ({query}) AS r").fetchall()
            if rows:
                yield name, digest("\n".join(row for (row,) in rows).encode())


def files(release: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a release, but for the code in it, each with the hash of its content."""
    for path in sorted(release.rglob("*")):
        name = path.relative_to(release).as_posix()
        if path.is_file() and not name.startswith(_CODE):
            yield name, digest(content(path))


def content(path: Path) -> bytes:
    """Return what a file holds, without what depends on the version of DuckDB that wrote it."""
    if path.suffix == ".parquet":
        query = "SELECT to_json(r)::VARCHAR FROM read_parquet(?) AS r"
        return "\n".join(row for (row,) in duckdb.execute(query, [str(path)]).fetchall()).encode()
    data = path.read_bytes()
    if path.suffix == ".json":
        data = re.sub(rb'"DuckDB [^"]*"|"sha256": "[^"]*"', b"", data)
    return data


@pytest.fixture(scope="module")
def hashes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return made(tmp_path_factory.mktemp("holding"))


def test_what_is_made_of_the_sample_has_the_pinned_bytes(hashes: dict[str, str]) -> None:
    pinned = json.loads(PINNED.read_text())
    differing = {
        name for name in pinned.keys() | hashes.keys() if pinned.get(name) != hashes.get(name)
    }
    assert not differing, f"these differ, or are new or gone: {sorted(differing)}"


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        PINNED.write_text(json.dumps(made(Path(folder)), indent=1, sort_keys=True) + "\n")
