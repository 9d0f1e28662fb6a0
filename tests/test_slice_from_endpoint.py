"""A slice of an endpoint is that of the dump; a run that was killed goes on where it was."""

import gzip
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kgbuild.cli import cli
from kgbuild.dump.filter import Filter
from kgbuild.errors import (
    KgbuildError,
    NothingKeptError,
    OutputBusyError,
    WriteError,
    WrongCallError,
)
from kgbuild.files import atomic_files
from kgbuild.net import waits
from kgbuild.net.http import Client
from kgbuild.slice import from_endpoint
from kgbuild.slice import slice as slicing
from kgbuild.slice.slice import Report
from kgbuild.slice.spec import Spec, make_spec
from kgbuild.store import manifest
from kgbuild.store.load import load
from kgbuild.store.sparql.endpoint import Endpoint
from tests.conftest import ROOT, SAMPLE, triples
from tests.endpoints import VIRTUOSO, Fault, Proxy, proxy, serving, virtuoso

MORE = """
wd:Q700001 wdt:P31 wd:Q700002
wd:Q700001 rdfs:label "old"@en
wd:Q700001 rdfs:label "alt"@de-at
wd:Q700001 rdfs:label "vieux"@fr
wd:Q700001 wdt:P569 "1900-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>
wd:Q700001 wdt:P22 _:father
wd:Q700001 wdt:P22 _:stepfather
wd:Q700001 rdf:type wdno:P26
wd:Q700001 wdt:P214 "12345"
wd:Q700001 wdt:P40 wd:Q700005
wd:Q700005 <http://www.w3.org/2002/07/owl#sameAs> wd:Q700006
wd:Q700006 wdt:P31 wd:Q700003
wd:Q700006 wdt:P19 wd:Q700007
wd:Q700007 wdt:P131 wd:Q700008
wd:Q700008 wdt:P17 wd:Q700009
wd:Q700009 rdfs:label "land"@en
wd:Q700009 wdt:P36 wd:Q700007
wd:Q700002 wdt:P279 wd:Q700003
wd:Q700003 wdt:P279 wd:Q700002
wd:Q700003 wdt:P279 wd:Q700004
wd:Q700004 schema:description "the top"@en
"""
"""An unknown value, a redirect, a loop of classes, places above places."""


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "dump.nt"
    text = SAMPLE.read_text(encoding="utf-8")
    types = [
        f"wd:{pid} rdf:type <http://wikiba.se/ontology#Property>"
        for pid in sorted(set(re.findall(r"^<http://www.wikidata.org/entity/(P\d+)>", text, re.M)))
    ]
    path.write_text(text + triples("\n".join(types) + MORE), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def url(dump: Path) -> Iterator[str]:
    with serving(dump.with_name("oxigraph"), dump) as address:
        yield address


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "PACE", 0.0)
    monkeypatch.setattr(waits, "PAUSES", (0.0,) * 5)


@pytest.fixture
def faulty(url: str) -> Iterator[Proxy]:
    with proxy(url) as told:
        yield told


def gather(url: str, out: Path, wanted: Spec, **options: Any) -> Report:
    with closing(Client()) as client:
        return from_endpoint.cut(partial(Endpoint, url, client), out, wanted, **options)


def fingerprint(path: Path, folder: Path) -> str:
    load([str(path)], folder, Filter(("en", "de")))
    return manifest.read(folder).fingerprint


def lines(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines()


@pytest.mark.skipif(not VIRTUOSO, reason="Virtuoso is not installed")
def test_virtuoso_has_the_slice_of_the_dump(dump: Path, tmp_path: Path) -> None:
    wanted = make_spec({"instance-of": ["Q5", "Q515"], "property": ["usual"]})
    some = tmp_path / "some.nt"
    some.write_bytes(b"".join(dump.read_bytes().splitlines(keepends=True)[::5]))
    slicing.cut([str(some)], tmp_path / "here.nt.gz", wanted)
    with virtuoso(tmp_path, some.read_bytes()) as url:
        gather(url, tmp_path / "there.nt.gz", wanted)
    here, there = (lines(tmp_path / f"{name}.nt.gz") for name in ("here", "there"))
    assert {*filter(_is_kept, here)} == {*filter(_is_kept, there)}


def _is_kept(line: bytes) -> bool:
    """Return whether Virtuoso keeps a line: it rewrites blank nodes, numbers and coordinates."""
    return not any(text in line for text in (b"genid", b"_:", b"#decimal>", b"#wktLiteral>"))


@pytest.mark.parametrize(
    "options",
    [
        {"items": "Q255"},
        {"items": "Q700001", "hops": 1, "lang": ["en", "de"]},
        {"items": "Q700005", "property": "P19"},  # a redirect
        {"items": "Q700001\nQ255", "hops": 2, "property": ["usual", "P36"]},
        {"instance-of": ["Q700004"], "subclasses": True, "property": "all"},
        {"instance-of": ["Q5"], "sample": 0.4, "seed": 3, "aliases": False},
        {"instance-of": ["Q5", "Q515"], "items": "Q255", "descriptions": False},
        {"items": "Q700001", "datatype": ["item", "string", "unknown"], "property": "all"},
    ],
    ids=str,
)
def test_slices_equal_those_of_the_dump(dump, url, tmp_path, options):
    if "items" in options:
        (tmp_path / "items.txt").write_text(options["items"])
        options = {**options, "items": str(tmp_path / "items.txt")}
    wanted = make_spec(options)
    here = slicing.cut([str(dump)], tmp_path / "here.nt.gz", wanted)
    there = gather(url, tmp_path / "there.nt.gz", wanted)
    assert (there.chosen, there.items, there.leaving) == (here.chosen, here.items, here.leaving)
    assert there.chosen > 0
    assert fingerprint(tmp_path / "there.nt.gz", tmp_path / "a") == fingerprint(
        tmp_path / "here.nt.gz", tmp_path / "b"
    )
    # No more is left of the work than the slice and its report.
    left = {path.name for path in tmp_path.glob("*there*")}
    assert left == {"there.nt.gz", "there.nt.gz.report.json"}


def test_the_order_of_lines_does_not_depend_on_batches(url, tmp_path, monkeypatch):
    wanted = make_spec({"instance-of": ["Q5"], "lang": ["en", "de"]})
    gather(url, tmp_path / "a.nt.gz", wanted)
    monkeypatch.setattr(from_endpoint, "_BATCH_SIZES", {"truthy": 30, "item_summaries": 70})
    gather(url, tmp_path / "b.nt.gz", wanted)
    assert (tmp_path / "a.nt.gz").read_bytes() == (tmp_path / "b.nt.gz").read_bytes()
    subjects = list(dict.fromkeys(line.split()[0] for line in lines(tmp_path / "a.nt.gz")))
    numbers = [int(subject[len(b"<http://www.wikidata.org/entity/Q") : -1]) for subject in subjects]
    people = json.loads((tmp_path / "a.nt.gz.report.json").read_text())["chosen"]
    assert numbers[:people] == sorted(numbers[:people])


WANTED = {"instance-of": ["Q5"], "descriptions": False}


def test_cached_answers_are_not_requested_again(faulty, tmp_path, monkeypatch):
    monkeypatch.setattr(from_endpoint, "_BATCH_SIZES", {"truthy": 40, "item_summaries": 100})
    out = tmp_path / "people.nt.gz"
    gather(faulty.url, out, make_spec(WANTED))
    whole, first = out.read_bytes(), list(faulty.queries)
    assert len(first) == len(set(first)) > 6
    faulty.clear()
    faulty.after = (4, Fault(500, {}, b"out of memory"))
    done = run(faulty.url, out, "--force")
    assert done.exit_code == 1
    assert "The same command continues there" in done.stderr
    assert out.read_bytes() == whole  # the one from before
    before, faulty.after = list(faulty.queries), None
    faulty.clear()
    assert run(faulty.url, out, "--force").exit_code == 0
    assert out.read_bytes() == whole
    assert before[:4] + faulty.queries == first


def run(url: str, out: Path, *options: str) -> Any:
    wanted = ("--instance-of", "Q5", "--no-descriptions")
    arguments = ["slice", "--endpoint", url, "-o", str(out), *wanted, *options]
    return CliRunner().invoke(cli, arguments)


def test_a_killed_run_continues(faulty, tmp_path):
    faulty.after = (2, Fault(is_silent=True))
    out = tmp_path / "people.nt.gz"
    arguments = ["--endpoint", faulty.url, "-o", str(out), "--instance-of", "Q5"]
    command = [sys.executable, "-m", "kgbuild", "slice", *arguments, "--no-descriptions"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as running:
        assert faulty.held.wait(60)
        running.send_signal(signal.SIGKILL)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {".people.nt.gz.pages", "..people.nt.gz.pages.lock"}
    first, faulty.after = list(faulty.queries), None
    faulty.clear()
    assert run(faulty.url, out).exit_code == 0
    assert faulty.queries[0] == first[2] and not set(first[:2]) & set(faulty.queries)
    gather(faulty.url, tmp_path / "again.nt.gz", make_spec(WANTED))
    assert out.read_bytes() == (tmp_path / "again.nt.gz").read_bytes()


def test_invalid_answers_are_not_cached(faulty, tmp_path):
    faulty.plan = [None, Fault(200, {"Content-Type": "application/n-triples"}, b"<a> <b> ")]
    assert run(faulty.url, tmp_path / "a.nt.gz").exit_code == 1
    assert run(faulty.url, tmp_path / "a.nt.gz").exit_code == 0


@pytest.mark.parametrize(
    ("options", "key"),
    [({}, "instance-of"), ({"sample": 0.1}, "instance-of"), ({**WANTED, "limit": 3}, "limit")],
)
def test_specs_that_need_a_dump_are_errors(tmp_path, options, key):
    with pytest.raises(WrongCallError, match="For a slice from an endpoint") as caught:
        gather("http://127.0.0.1:1/", tmp_path / "a.nt", make_spec(options))
    assert f" '{key}' " in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_slice_without_items_is_an_error(url, tmp_path):
    with pytest.raises(NothingKeptError, match="None of the selected items is in") as caught:
        gather(url, tmp_path / "a.nt", make_spec({"instance-of": ["Q999999999"]}))
    assert f"is in {url}, although the filter keeps 0 lines." in str(caught.value)
    # Nor is it remembered: the next call asks anew.
    assert not list(tmp_path.iterdir())


def test_answers_stay_cached_if_the_slice_cannot_be_written(url, tmp_path):
    out = tmp_path / "a.nt.gz"
    (tmp_path / ".a.nt.gz.lock").mkdir()  # in the way
    with pytest.raises(WriteError):
        gather(url, out, make_spec(WANTED))
    assert from_endpoint.count_answers(out) > 0


def test_one_run_at_a_time(url, tmp_path):
    out = tmp_path / "a.nt.gz"
    with atomic_files.locked(from_endpoint.cache_beside(out)), pytest.raises(OutputBusyError):
        gather(url, out, make_spec(WANTED))
    assert gather(url, out, make_spec(WANTED)).files[0].name == url


def test_small_pages_lose_no_rows(faulty, url, tmp_path):
    gather(url, tmp_path / "a.nt.gz", make_spec(WANTED))
    faulty.cap = 500
    gather(faulty.url, tmp_path / "b.nt.gz", make_spec(WANTED))
    assert (tmp_path / "a.nt.gz").read_bytes() == (tmp_path / "b.nt.gz").read_bytes()


def test_no_endpoint_leaves_no_files(tmp_path):
    with pytest.raises(KgbuildError, match="No SPARQL endpoint answers at"):
        gather("http://127.0.0.1:1/", tmp_path / "a.nt", make_spec(WANTED))
    assert not list(tmp_path.iterdir())
    assert "is kept" not in run("http://127.0.0.1:1/", tmp_path / "a.nt").stderr


def test_a_folder_that_cannot_be_written(url, tmp_path):
    (tmp_path / "file").write_text("")
    done = run(url, tmp_path / "file" / "a.nt.gz")
    assert done.exit_code == 1 and done.stderr.startswith("Error: Cannot write ")


def test_an_existing_slice_is_not_overwritten(url, tmp_path):
    out = tmp_path / "people.nt.gz"
    out.write_text("mine")
    assert run(url, out).exit_code == 2
    assert out.read_text() == "mine"
