"""Loads that are killed and started again: they continue, and write the same stores."""

import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgbuild.dump import reader
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import open_store
from kgbuild.store import counts, graph_loader, manifest
from kgbuild.store.load import load
from tests.conftest import SAMPLE, invoke, triples

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["kgbuild.store.load"])
EVERYTHING = Filter(everything=True)
"""A filter that lets Oxigraph refuse lines."""
_COMMAND = """
from kgbuild.cli import main
from tests.test_resume import in_small_steps

in_small_steps()
main()
"""
"""A program that runs a command of kgbuild in small steps."""
REFUSED = "<http://www.wikidata.org/entity/Q1> <http://example.org/p> <http://example.org/%zz> .\n"
"""A line that the scanner keeps, and Oxigraph refuses."""


def in_small_steps(set_value: Callable[[Any, str, object], None] = setattr) -> None:
    """Let a load of a small dump have many batches, parts and compactions."""
    set_value(reader, "BLOCK", 1 << 16)
    set_value(graph_loader, "_PART_BYTES", 3 << 16)
    set_value(graph_loader, "_FIRST_COMPACTION", 8_000)
    set_value(graph_loader, "_MIN_COMPACTED", 1)


def a_load(dump: Path, store: Path, kept: Filter, told: Path) -> None:
    """Load a dump; write down how many lines are skipped."""
    in_small_steps()
    load(
        [str(dump)],
        store,
        kept,
        continued=lambda lines: told.open("a").write(f"{lines}\n") and None,
    )


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dump of many blocks, which has bad lines of two kinds here and there."""
    text = SAMPLE.read_text()
    copies = [text.replace("/entity/Q", f"/entity/Q{n}0000") for n in range(1, 4)]
    parts = [f"{copy}junk {n}\n{REFUSED * (n % 3)}" for n, copy in enumerate(copies)]
    path = tmp_path_factory.mktemp("dump") / "dump.nt"
    path.write_text("".join(parts))
    return path


def contents(store: Path) -> dict[str, object]:
    """Return all that is in a store, except the times of the load."""
    held = manifest.read(store)
    folder = store / held.generation
    with open_store(store) as opened:
        lines: list[bytes] = []
        opened.graph.lines(lines.extend)
    facts = json.loads((store / manifest.MANIFEST).read_text())
    times = {"generation", "loaded_at", "seconds", "checksum"}
    return {
        "graph": sorted(lines),
        "manifest": [facts[name] for name in facts.keys() - times],
        "rejects": (store / manifest.REJECTS).read_bytes(),
        **{
            name: (folder / name).read_bytes()
            for name in (manifest.NAMES, manifest.POSTINGS, manifest.COLUMNS)
        },
        "files": {path.name for path in folder.iterdir()},
        "store": {path.name for path in store.iterdir()} - {held.generation},
    }


def a_load_in_a_process(*arguments: object) -> Any:
    process = FORKING.Process(target=a_load, args=arguments)
    process.start()
    return process


def content_of(path: Path) -> bytes:
    """Return the content of a file, or nothing if there is no such file."""
    return path.read_bytes() if path.exists() else b""


def test_a_load_that_is_killed_again_and_again(tmp_path: Path, dump: Path) -> None:
    a_load_in_a_process(dump, tmp_path / "undisturbed", EVERYTHING, tmp_path / "none").join()
    expected = contents(tmp_path / "undisturbed")
    assert b"%zz" in expected["rejects"]
    old = load([str(SAMPLE)], tmp_path / "kg", Filter()).fingerprint
    moments = random.Random(2)
    told = tmp_path / "told"
    checkpoint = tmp_path / "kg" / manifest.UNFINISHED / "checkpoint"
    for _ in range(5):
        before = content_of(checkpoint)
        process = a_load_in_a_process(dump, tmp_path / "kg", EVERYTHING, told)
        while process.is_alive() and content_of(checkpoint) == before:
            time.sleep(0.005)
        process.join(timeout=moments.uniform(0, 0.2))
        process.kill()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        with open_store(tmp_path / "kg") as held:  # the old store or the new one
            assert len(held.graph) == held.manifest.triples
        if held.manifest.fingerprint != old:
            break
    a_load_in_a_process(dump, tmp_path / "kg", EVERYTHING, told).join()
    assert contents(tmp_path / "kg") == expected
    skipped = [*map(int, told.read_text().split())]
    assert len(set(skipped)) > 1  # loads were continued from several checkpoints
    assert skipped == sorted(skipped)


def killed_at_a_checkpoint(dump: Path, store: Path, told: Path) -> None:
    """Kill a load when it has written a checkpoint."""
    process = a_load_in_a_process(dump, store, Filter(), told)
    while not (store / manifest.UNFINISHED / "checkpoint").exists():
        time.sleep(0.01)
    process.kill()
    process.join()
    assert not (store / manifest.MANIFEST).exists()


def change_the_dump(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump.write_text(dump.read_text() + triples("wd:Q1 wdt:P31 wd:Q5"))


def touch_the_dump(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(dump, (1, 1))


def start_the_machine_again(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (dump.parent / "boot").write_text("another")
    monkeypatch.setattr(graph_loader, "_BOOT", dump.parent / "boot")


def change_the_program(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "program_digest", lambda: "another")


def change_the_options(dump: Path, monkeypatch: pytest.MonkeyPatch) -> Filter:
    return Filter(("de",))


@pytest.mark.parametrize(
    "change",
    [
        *(change_the_dump, touch_the_dump, start_the_machine_again),
        *(change_the_program, change_the_options),
    ],
)
def test_a_load_of_something_else_begins_anew(
    tmp_path: Path,
    dump: Path,
    change: Callable[[Path, pytest.MonkeyPatch], Filter | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copy, store = tmp_path / "copy.nt", tmp_path / "kg"
    copy.write_bytes(dump.read_bytes())
    killed_at_a_checkpoint(copy, store, tmp_path / "told")
    kept = change(copy, monkeypatch) or Filter()
    skipped: list[int] = []
    load([str(copy)], store, kept, continued=skipped.append)
    assert skipped == []
    load([str(copy)], tmp_path / "undisturbed", kept)
    assert contents(store) == contents(tmp_path / "undisturbed")


def test_a_load_that_is_interrupted_says_how_to_continue(tmp_path: Path, dump: Path) -> None:
    many, store = tmp_path / "many.nt", tmp_path / "kg"
    many.write_bytes(dump.read_bytes() * 4)  # long enough to be interrupted
    command = [sys.executable, "-c", _COMMAND, "load", str(many), "--store", str(store)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not (store / manifest.UNFINISHED / "checkpoint").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert said == (
        f"What this load has written stays in {store} until the next load. The same command "
        "continues it.\n"
        "Error: Interrupted. Stores and datasets are as they were before this command.\n"
    )
    done = invoke(tmp_path, "stats", "--store", str(store))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"Error: No store at {store} yet: a load into it is still running, or was interrupted. "
        "Repeat the command of the interrupted load to continue it.\n"
    )


def test_the_same_load_continues_and_says_so(tmp_path: Path, dump: Path) -> None:
    killed_at_a_checkpoint(dump, tmp_path / "kg", tmp_path / "told")
    lines = dump.read_bytes().count(b"\n")
    # Batches must have the same sizes in both loads: so the command has small steps, too.
    command = [sys.executable, "-c", _COMMAND, "load", str(dump)]
    done = subprocess.run(
        [*command, "--store", str(tmp_path / "kg")], capture_output=True, text=True, check=True
    )
    (skipped,) = re.findall(
        "^This load continues one that was interrupted: ([0-9,]+) lines are already written.$",
        done.stderr,
        re.MULTILINE,
    )
    assert 0 < int(skipped.replace(",", "")) < lines
    load([str(dump)], tmp_path / "undisturbed", Filter())
    assert contents(tmp_path / "kg") == contents(tmp_path / "undisturbed")
