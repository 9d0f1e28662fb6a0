"""Symbolic links at the names of temporary files: nothing is written or deleted through them.

Each command runs in a folder in which links lead to the files of somebody else, at all names that
the command opens or creates, and at those that it used once.
"""

import datetime
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from kgbuild.datasets import database
from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError, OutputExistsError, WriteError, WrongCallError
from kgbuild.files import atomic_files
from kgbuild.models.reply_cache import replies_beside
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import Spec
from kgbuild.store.counts import Counts
from kgbuild.store.load import load
from kgbuild.tables.records import Review
from tests.chat_server import chat_server
from tests.conftest import SAMPLE, invoke, left_by_a_killed_process, triples
from tests.test_fetch import serving_pages

_seen: set[str] | None = None
"""The names that a command opens or creates."""
_EVENTS = ("open", "os.mkdir", "os.rename", "sqlite3.connect")


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    if _seen is not None and event in _EVENTS:
        _seen.update(str(argument) for argument in arguments if isinstance(argument, str | Path))


@cache
def _listening() -> None:
    """Begin to listen. That never ends, and is called for everything that the process does."""
    sys.addaudithook(_listen)


def digest(folder: Path) -> dict[str, str]:
    """Return what is in a folder: the hashes of files, and the targets of links."""
    return {
        str(path.relative_to(folder)): str(path.readlink())
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """Return a folder of somebody else, and check that no command changes it."""
    folder = tmp_path / "victim"
    for name in ("lock", "report", "release/x", "out.nt", "spool.gz", "thesis.txt", "checkpoint"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"precious {name}")
    before = digest(folder)
    yield folder
    assert digest(folder) == before


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory, sample_store: Path) -> Path:
    folder = tmp_path_factory.mktemp("db")
    for command in ("syn-qa --relations P26 --limit 2", "granola --relations P19 --limit 2"):
        arguments = [*command.split(), "--db", "sets.duckdb", "--store", str(sample_store)]
        done = invoke(folder, *arguments)
        assert done.returncode == 0, done.stderr
    return folder / "sets.duckdb"


Run = Callable[[Path], CompletedProcess[str]]
"""Runs a command that writes ``out`` (with some ending) in a folder."""


@pytest.fixture
def commands(db: Path, sample_store: Path) -> Iterator[dict[str, Run]]:
    """Return the commands that write files, by name."""
    items = {"Q1": triples('wd:Q1 wdt:P31 wd:Q5\nwd:Q1 rdfs:label "a"@en')}
    ((question_id,),) = database(db).sql("SELECT question_id FROM granola_questions LIMIT 1").rows
    line = json.dumps({"question_id": question_id, "answer": "Lund"}) + "\n"

    def on_db(folder: Path, *arguments: str) -> CompletedProcess[str]:
        shutil.copy(db, folder / "sets.duckdb")
        return invoke(folder, *arguments, "--db", "sets.duckdb")

    def aggregate(folder: Path) -> CompletedProcess[str]:
        (folder / "said.jsonl").write_text(line * 2)
        options = ("--by", "majority", "-o", "out.jsonl", "--force")
        return on_db(folder, "aggregate", "said.jsonl", *options)

    with serving_pages(items) as pages, chat_server() as server:
        ask = ("ask", "granola", "--model", "parrot", "--base-url", server.url)
        fetch = ("fetch", "Q1", "-o", "out.nt", "--from", pages.url, "--cache", "cache", "--force")
        cut = ("slice", str(SAMPLE), "-o", "out.nt", "--instance-of", "Q5", "--force")
        store = ("--store", str(sample_store))
        build = ("syn-qa", "--relations", "P26", "--limit", "2", *store)
        yield {
            "slice": lambda folder: invoke(folder, *cut),
            "load": lambda folder: invoke(folder, "load", str(SAMPLE), "--store", "out"),
            "build": lambda folder: on_db(folder, *build),
            "fetch": lambda folder: invoke(folder, *fetch),
            "report": lambda folder: on_db(folder, "report", "-o", "out.html", *store),
            "export": lambda folder: on_db(folder, "export", "syn-qa", "-o", "out"),
            "aggregate": aggregate,
            "ask": lambda folder: on_db(folder, *ask),
        }


NAMES = (*("slice", "load", "build", "fetch", "report", "export", "aggregate", "ask"),)
OLD = (".{0}.partial", "{0}.new", "{0}.rejects.tsv.new", ".{0}.pages", "{0}.rejects.tsv.lock")
"""Names of temporary files of earlier versions, by that of the output."""


def opened(run: Run, folder: Path) -> set[str]:
    """Return the names directly in the folder that a command opens or creates there."""
    global _seen
    _listening()
    _seen = set()
    try:
        done = run(folder)
    finally:
        seen, _seen = _seen, None
    assert done.returncode == 0, done.stderr
    parts = (Path(os.path.relpath(folder / path, folder)).parts for path in seen)
    return {names[0] for names in parts if names and names[0] != ".."}


@pytest.mark.parametrize("name", NAMES)
def test_no_command_follows_links(
    tmp_path: Path, victim: Path, commands: dict[str, Run], name: str
) -> None:
    run = commands[name]
    (tmp_path / "watched").mkdir()
    opened_names = opened(run, tmp_path / "watched")
    inputs = {"sets.duckdb", "said.jsonl"}  # which the user names
    left = {path.name for path in (tmp_path / "watched").iterdir()} | opened_names
    outputs = {path for path in left if path.startswith(("out", "sets", "replies"))}
    names = left | {old.format(output) for old in OLD for output in outputs}
    locks = {path for path in names if path.endswith(".lock")}
    names -= {"out.nt", "out.html", "out.jsonl", "out", "cache"}  # which the user names, too
    for target, planted in (
        (victim, names - inputs - locks),
        (victim / "thesis.txt", names - inputs - locks),
        (tmp_path / "nothing", names - inputs),
    ):
        folder = tmp_path / f"to {target.name}"
        folder.mkdir()
        for link in planted:
            (folder / link).symlink_to(target)
        done = run(folder)
        if done.returncode:
            assert done.stderr.splitlines()[-1].startswith("Error: "), done.stderr
        assert not (tmp_path / "nothing").exists()
        replaced = {link for link in planted if not (folder / link).is_symlink()}
        assert replaced <= outputs  # a new file may take the place of a link


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("load", "build", "ask")])
def test_an_output_is_written_where_a_link_of_the_user_leads(
    tmp_path: Path, commands: dict[str, Run], name: str
) -> None:
    ending = {"slice": ".nt", "fetch": ".nt", "aggregate": ".jsonl", "export": ""}
    out, end = (f"{base}{ending.get(name, '.html')}" for base in ("out", "end"))
    for content in (None, "old"):  # the link leads to nothing, or to a file
        folder = tmp_path / f"to {content}"
        (folder / "away").mkdir(parents=True)
        (folder / out).symlink_to(f"away/{end}")
        if content and name != "export":
            (folder / "away" / end).write_text(content)
        done = commands[name](folder)
        assert done.returncode == 0, done.stderr
        assert (folder / out).is_symlink()
        written = folder / "away" / end
        assert (
            (written / "README.md").is_file() if name == "export" else written.read_text() != "old"
        )
        assert not [path for path in folder.rglob("*") if path.name.startswith(f".{end}")]


@pytest.mark.parametrize(
    "link", ["unfinished", "generation-3", "load.lock", "rejects.tsv.new", "manifest.json.new"]
)
def test_a_store_with_links_is_refused(tmp_path: Path, victim: Path, link: str) -> None:
    dump, store = tmp_path / "a.nt", tmp_path / "kg"
    dump.write_text(triples("wd:Q1 wdt:P31 wd:Q5"))
    load([str(dump)], store, Filter())
    (store / link).symlink_to(victim)
    with pytest.raises(WrongCallError, match="is not a store: it contains") as caught:
        load([str(dump)], store, Filter())
    assert f"contains '{link}'." in str(caught.value)
    assert (store / link).is_symlink()


@pytest.mark.parametrize("link", ["graph/LOCK", "names", "load.lock"])
def test_links_within_a_generation_are_refused(tmp_path: Path, victim: Path, link: str) -> None:
    dump, store = tmp_path / "a.nt", tmp_path / "kg"
    dump.write_text(triples("wd:Q1 wdt:P31 wd:Q5"))
    load([str(dump)], store, Filter())
    (store / "generation-1" / link).unlink()
    (store / "generation-1" / link).symlink_to(victim / "thesis.txt")
    with pytest.raises(WrongCallError, match="is not a store: it contains") as caught:
        load([str(dump)], store, Filter())
    assert f"contains 'generation-1/{link}'." in str(caught.value)


def test_only_real_folders_with_the_mark_are_leftovers(tmp_path: Path, victim: Path) -> None:
    out = tmp_path / "out"
    left = left_by_a_killed_process(out)
    (left / "half").write_text("half")
    elsewhere = left_by_a_killed_process(tmp_path / "other")  # has the mark, and is of another
    (tmp_path / ".out.abcdefg1.partial").symlink_to(victim)
    (tmp_path / ".out.abcdefg2.partial").symlink_to(elsewhere)
    (tmp_path / ".out.abcdefg3.partial").mkdir()
    (tmp_path / ".out.abcdefg3.partial" / "mine").write_text("mine")
    (tmp_path / ".out.abcdefg4.partial").mkdir()  # the process was killed before it set the mark
    before = {path.name for path in tmp_path.iterdir()}
    atomic_files.write_bytes(out, b"whole")
    after = {path.name for path in tmp_path.iterdir()}
    assert before - after == {left.name, ".out.abcdefg4.partial"}
    assert after - before == {"out"}
    assert (tmp_path / ".out.abcdefg3.partial" / "mine").read_text() == "mine"


def test_a_folder_that_is_no_cache_of_answers_is_refused(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "a").symlink_to(victim)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine").touch()
    for name in ("a", "b"):
        with pytest.raises(WriteError, match="not made by kgbuild"):
            atomic_files.own_folder(tmp_path / name)
    atomic_files.own_folder(tmp_path / "c")
    (tmp_path / "c" / "answer").touch()
    atomic_files.own_folder(tmp_path / "c")  # it is continued
    atomic_files.remove_own(tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_files_have_the_usual_permissions(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        atomic_files.write_bytes(tmp_path / "out", b"new")
    finally:
        os.umask(old)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


def test_counts_are_not_written_through_a_link(tmp_path: Path, victim: Path) -> None:
    import numpy as np

    (tmp_path / "counts").symlink_to(victim)
    (counted,) = Counts(tmp_path / "counts", "a").arrays(("x",), [np.int64], lambda: [np.arange(3)])
    assert counted.tolist() == [0, 1, 2]


def test_only_a_named_cache_of_replies_may_be_a_link(tmp_path: Path, victim: Path) -> None:
    assert replies_beside(tmp_path / "sets.duckdb") == tmp_path / "replies.sqlite"
    (tmp_path / "replies.sqlite").symlink_to(victim / "thesis.txt")
    with pytest.raises(KgbuildError, match="symbolic link"):
        replies_beside(tmp_path / "sets.duckdb")


@pytest.mark.parametrize("name", ["{}.rejects.tsv", "{}.report.json", ".{}.lock"])
def test_a_file_of_the_user_beside_a_slice_stays(tmp_path, name):
    mine = tmp_path / name.format("a.nt.gz")
    mine.write_text("my notes")
    with pytest.raises((OutputExistsError, WriteError)) as caught:
        cut([str(SAMPLE)], tmp_path / "a.nt.gz", Spec())
    assert mine.name in str(caught.value)
    assert [*tmp_path.iterdir()] == [mine]
    assert mine.read_text() == "my notes"


@pytest.mark.parametrize("name", ["a.duckdb.wal", "a.duckdb.tmp"])
@pytest.mark.parametrize("target", ["victim", "nothing"])
def test_duckdb_writes_through_no_link_beside_a_database(tmp_path, name, target):
    db = database(tmp_path / "a.duckdb")
    db.write_scores([])
    (tmp_path / "victim").write_text("precious")
    (tmp_path / name).symlink_to(tmp_path / target)
    now = datetime.datetime.now(datetime.UTC)
    review = Review("syn_qa", "1", "Ada", "note", "answer", now)
    with pytest.raises(WriteError, match="symbolic link"):
        db.write_review(review)
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "nothing").exists()
