"""Loading: what the new store holds, what bad dumps get, and that the old store always stands."""

import contextlib
import ctypes
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgbuild import __version__
from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.filter import Filter
from kgbuild.dump.reader import LONGEST_LINE
from kgbuild.errors import CorruptArchiveError, KgbuildError, NothingKeptError, UnreadableDumpError
from kgbuild.files.atomic_files import report_beside
from kgbuild.graph.open import open_store
from kgbuild.store import manifest
from kgbuild.store.labels import lookup
from kgbuild.store.load import READING_SHARE, load
from tests.conftest import SAMPLE, full_disk, invoke, load_text, triples
from tests.processes import interrupted_after_rename

OLD = triples('wd:Q1 rdfs:label "the old one"@en\nwd:Q1 wdt:P31 wd:Q5')
NEW = triples('wd:Q2 rdfs:label "the new one"@en\nwd:Q2 wdt:P31 wd:Q5')


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes text or bytes to a dump and returns its path."""

    def written(content: str | bytes, name: str = "dump.nt") -> str:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return written


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    return load_text(tmp_path_factory.mktemp("loaded"), OLD)


@pytest.fixture
def old(loaded: Path, tmp_path: Path) -> Path:
    """Return a store that is loaded already."""
    return shutil.copytree(loaded, tmp_path / "store")


@contextlib.contextmanager
def unchanged(store: Path) -> Iterator[None]:
    """Hold that a store is afterwards as it was: its manifest, what it says, what lies about."""
    before = (store / manifest.MANIFEST).read_bytes()
    yield
    assert (store / manifest.MANIFEST).read_bytes() == before
    with open_store(store) as held:
        assert held.labels.label("Q1") == "the old one"
        assert [match.qid for match in lookup(held.graph, held.names, "the old one")] == ["Q1"]
    assert_tidy(store)


def assert_tidy(store: Path) -> None:
    """Hold that a store's folder has no leftovers."""
    counts = manifest.read(store).generation
    assert {path.name for path in store.iterdir()} == {manifest.MANIFEST, manifest.REJECTS, counts}


def rejects(store: Path) -> list[list[str]]:
    """Return the fields of the lines in the rejects, without the file's head."""
    lines = (store / manifest.REJECTS).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "file\tline\treason\ttext"
    return [line.split("\t") for line in lines[1:]]


# What a load makes


def test_the_manifest_has_the_origin_of_a_store(tmp_path, write):
    first, second = OLD + "junk\n", triples('wd:Q2 wdt:P31 wd:Q5\nwd:Q2 rdfs:label "zwei"@de')
    paths = [write(first, "first.nt"), write(gzip.compress(second.encode()), "second.nt.gz")]
    os.utime(paths[1], (0, 86_400 * 366))  # 2 January 1971
    made = load(paths, tmp_path / "kg", Filter(("de", "en")), max_bad=0.5)
    assert made == manifest.read(tmp_path / "kg")
    assert made.generation == "generation-1"
    assert made.kgbuild_version == __version__
    assert made.loaded_at.endswith("+00:00")
    assert [file.name for file in made.files] == ["first.nt", "second.nt.gz"]
    size, digest = len(first), hashlib.sha256(first.encode()).hexdigest()
    assert made.files[0] == DumpFile("first.nt", size, digest, made.loaded_at[:10])
    assert made.files[1].sha256 == hashlib.sha256(Path(paths[1]).read_bytes()).hexdigest()
    assert made.files[1].modified == "1971-01-02"
    assert (made.languages, made.everything) == (("de", "en"), False)
    assert (made.lines, made.bad, made.dropped) == (5, 1, {})
    assert (made.triples, made.items) == (4, 2)
    assert (made.properties, made.classes) == ({"P31": 2}, {"Q5": 2})


def test_dropped_lines_are_counted_by_reason(make_store):
    noise = triples('wd:Q1 rdfs:label "x"@de\nwd:Q1 wdt:P1 "2"\nwd:Q1 wdt:P1 "1"')
    made = manifest.read(make_store(OLD + "\n" + noise))
    assert made.dropped == {"not_triple": 1, "other_language": 1, "string": 2}
    assert (made.lines, made.triples) == (6, 2)


def test_several_files_make_one_store(tmp_path, write):
    paths = [write(OLD, "a.nt"), write(NEW, "b.nt"), write(OLD, "d.nt")]
    made = load(paths, tmp_path / "kg", Filter())
    # The third file says nothing new.
    assert (made.lines, made.triples, made.items) == (6, 4, 2)


def test_standard_input(tmp_path):
    done = run("load", "-", "--store", str(tmp_path / "kg"), input=OLD)
    assert done.returncode == 0
    file = manifest.read(tmp_path / "kg").files[0]
    digest = hashlib.sha256(OLD.encode()).hexdigest()
    assert file == DumpFile("standard input", len(OLD), digest, "")  # a pipe has no date


def test_a_second_load_replaces_the_first(old, write):
    made = load([write(NEW)], old, Filter())
    assert made.generation == "generation-2"
    with open_store(old) as held:
        assert held.labels.label("Q1") is None
        assert held.labels.label("Q2") == "the new one"
    assert_tidy(old)


def test_the_same_dump_twice_has_one_fingerprint(tmp_path):
    one, other = (load([str(SAMPLE)], tmp_path / name, Filter()) for name in "ab")
    again = load([str(SAMPLE)], tmp_path / "a", Filter())
    assert one.fingerprint == other.fingerprint == again.fingerprint
    assert len({made.triples for made in (one, other, again)}) == 1


def test_a_load_reports_its_progress(tmp_path, write):
    steps = []
    path = write(OLD + triples('wd:Q1 wdt:P1 "1"'))
    load([path], tmp_path / "kg", Filter(), progress=lambda *step: steps.append(step))
    size = Path(path).stat().st_size
    (reading, *read), *indexing = steps
    total = round(size / READING_SHARE)
    assert read == [size, total]
    assert re.fullmatch(r"reading 0\.0 M lines, [\d,]+ k/s", reading)
    assert {(step, all_) for step, _, all_ in indexing} == {("indexing", total)}
    done = [done for _, done, _ in indexing]
    assert done[0] == size
    assert done == sorted(set(done))  # each step is a part of the rest
    assert done[-1] < total  # triples are counted afterwards


def test_progress_of_a_dump_without_a_size(tmp_path):
    # A pipe has no size, so neither reading nor the rest has a share.
    code = (
        "from pathlib import Path; from kgbuild.dump.filter import Filter\n"
        "from kgbuild.store.load import load\n"
        "show = lambda *step: print(step[1:])\n"
        f"load(['-'], Path({str(tmp_path / 'kg')!r}), Filter(), progress=show)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=OLD, capture_output=True, text=True, check=True
    )
    reading, *indexing = done.stdout.splitlines()
    assert reading == f"({len(OLD)}, 0)"
    assert set(indexing) == {"(0, 0)"}


def test_a_full_disk_is_foreseen(tmp_path, write, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=200)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    monkeypatch.setattr("kgbuild.store.space._MIN_FOR_ESTIMATE", 1)
    dumps = [write(OLD, "a.nt"), write(OLD * 3, "b.nt")]
    warnings: list[tuple[int, int]] = []
    load(dumps, tmp_path / "kg", Filter(), warn=lambda *bytes: warnings.append(bytes))
    needed = 4 * 2 * 170 + 120_000_000
    assert warnings == [(needed, 200 + 2 * 170)]  # after the first of four equal parts


@pytest.mark.parametrize("is_new", [True, False])
def test_a_slice_that_the_disk_cannot_hold_is_refused(tmp_path, write, monkeypatch, old, is_new):
    free = shutil.disk_usage(tmp_path)._replace(free=120_000_339)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    path = write(NEW)
    report = report_beside(Path(path))
    contents = {
        "kept": 2,
        "bytes": len(NEW),
        "spec": {"lang": ["en"], "datatype": ["item", "time"]},
    }
    report.write_text(json.dumps(contents))
    store = tmp_path / "in" / "new" if is_new else old
    with unchanged(old), pytest.raises(KgbuildError, match="The load needs about") as caught:
        load([path], store, Filter())
    assert f"GB are free in {tmp_path if is_new else old}. Free some" in str(caught.value)
    assert not (tmp_path / "in").exists()
    spec = {"lang": ["en", "de"], "datatype": ["item"]}
    for change in ({"bytes": len(NEW) + 1}, {"spec": spec}):
        # It is the report of another slice, or the load drops the German texts.
        report.write_text(json.dumps(contents | change))
        assert load([path], store, Filter()).triples == 2


def test_a_dump_whose_name_is_no_utf8(tmp_path, write):
    made = load([write(f"junk\n{OLD}", "caf\udce9.nt")], tmp_path / "kg", Filter(), max_bad=1)
    assert made.files[0].name == "caf\\xe9.nt"
    assert rejects(tmp_path / "kg")[0][0].endswith("caf\\xe9.nt")


HOSTILE = [
    'say "hi"',
    "back\\slash\\",
    "two\nlines\r\nand\ttabs",
    "🦊 \U0010ffff \u0001\x7f\u2028",
    '" . } DROP ALL ; INSERT DATA { <a> <b> "c',
    '"} UNION { ?s ?p ?o } #',
    "'; DROP TABLE names; --",
    "%s {} $1 ?item ${x}",
    "\u202egnitirw tfel",
    " ",
]


def raw(text: str) -> str:
    """Return a text as it may stand in N-Triples, with the four escapes that must be."""
    escapes = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"}
    return "".join(escapes.get(c, c) for c in text)


def escaped(text: str) -> str:
    """Return a text with every letter escaped."""
    return "".join(f"\\U{ord(c):08X}" for c in text)


@pytest.mark.parametrize("write_text", [raw, escaped])
def test_hostile_labels_come_back_letter_by_letter(make_store, write_text):
    lines = [
        triples(f"wd:Q{n} rdfs:label _:x").replace("_:x", f'"{write_text(name)}"@en')
        for n, name in enumerate(HOSTILE, 7)
    ]
    with open_store(make_store(OLD + "".join(lines))) as held:
        for n, name in enumerate(HOSTILE, 7):
            assert held.labels.label(f"Q{n}") == name
            if name.strip():  # nobody looks for blanks
                (match,) = lookup(held.graph, held.names, name)
                assert (match.qid, match.label, match.name) == (f"Q{n}", name, name)
        assert held.labels.label("Q1") == "the old one"  # nothing else happened


# Bad lines

LABEL = b"<http://www.wikidata.org/entity/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "
CLAIM = b"<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P1> "
BAD_LINES = {
    "bytes that are no text": (LABEL + b'"\xff"@en .', "xff"),
    "unterminated literal": (LABEL + b'"open@en .', "open"),
    "no full stop": (LABEL + b'"x"@en', "x"),
    "quote within": (LABEL + b'"a"b"@en .', 'a"b'),
    "bad escape": (LABEL + rb'"\q"@en .', r"\q"),
    "half a character": (LABEL + rb'"\uD800"@en .', r"\uD800"),
    "space in an IRI": (CLAIM + b"<http://www.wikidata.org/.well-known/genid/a b> .", "a b"),
    "space in a datatype": (CLAIM + b'"1"^^<http://www.w3.org/2001/XMLSchema#dec imal> .', "c i"),
    "bad blank node": (CLAIM + b"_:a{b .", "a{b"),
    "Turtle": (b"wd:Q1 wdt:P31 wd:Q5 .", "wd:Q1"),
    "JSON": (b'{"id": "Q1"},', "{"),
}


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_is_set_aside_and_its_neighbours_are_not(tmp_path, write, kind, everything):
    bad, shown = BAD_LINES[kind]
    path = write(OLD.encode() + bad + b"\n" + NEW.encode())
    made = load([path], tmp_path / "kg", Filter(everything=everything), max_bad=0.5)
    assert (made.lines, made.triples) == (5, 4)
    found = rejects(tmp_path / "kg")
    assert made.bad == 1
    ((file, number, reason, text),) = found
    assert (file, number) == (path, "3")
    assert reason
    assert shown in text
    with open_store(tmp_path / "kg") as held:
        assert held.labels.label("Q1") == "the old one"
        assert held.labels.label("Q2") == "the new one"


def test_over_long_lines_are_set_aside(tmp_path, write):
    # Cut after 200 bytes, the second would look like a triple that can be dropped.
    start = '<http://a> <http://b> "'
    ends_well = start + "x" * (198 - len(start)) + " ." + "y" * LONGEST_LINE
    label = triples('wd:Q3 rdfs:label "{}"@en').replace("{}", "z" * LONGEST_LINE)
    path = write(f"{OLD}{label}{ends_well}\n{NEW}")
    made = load([path], tmp_path / "kg", Filter(), max_bad=0.5)
    assert (made.lines, made.bad, made.dropped, made.triples) == (6, 2, {}, 4)
    found = rejects(tmp_path / "kg")
    assert [(number, reason) for _, number, reason, _ in found] == [
        ("3", f"longer than {LONGEST_LINE} bytes"),
        ("4", f"longer than {LONGEST_LINE} bytes"),
    ]
    assert [text for _, _, _, text in found] == [label[:200], ends_well[:200]]


def test_rejects_are_in_order_and_on_one_line_each(tmp_path, write):
    odd = triples('wd:Q1 rdfs:label "\\q\tx"@en')  # the parser finds it, after the slice
    first = write(f"junk\tone\n{OLD}{odd}junk \x1b[31m two\r\n{NEW}", "a.nt")
    second = write(f"junk in\x0bthe second\n{OLD}", "b.nt")
    load([first, second], tmp_path / "kg", Filter(), max_bad=0.5)
    found = rejects(tmp_path / "kg")
    assert [(Path(file).name, number, text) for file, number, _, text in found] == [
        ("a.nt", "1", "junk\\tone"),
        ("a.nt", "4", odd.rstrip().replace("\\q\t", "\\\\q\\t")),
        ("a.nt", "5", "junk \\x1b[31m two"),  # nothing that would move a terminal's cursor
        ("b.nt", "1", "junk in\\x0bthe second"),
    ]


def test_rejects_are_those_of_the_last_load(old, write):
    load([write(f"junk\n{OLD}")], old, Filter(), max_bad=0.5)
    assert len(rejects(old)) == 1
    load([write(OLD)], old, Filter())
    assert rejects(old) == []


@pytest.mark.parametrize(
    ("bad", "limit", "loads"), [(1, 0.01, True), (2, 0.01, False), (0, 0, True)]
)
def test_as_many_bad_lines_as_are_allowed(old, write, bad, limit, loads):
    good = "".join(triples(f"wd:Q{n} wdt:P31 wd:Q5") for n in range(1, 101 - bad))
    path = write("junk\n" * bad + good)  # 100 lines
    if loads:
        assert load([path], old, Filter(), limit).bad == bad
        return
    with (
        unchanged(old),
        pytest.raises(KgbuildError, match="lines are bad, more than --max-bad") as caught,
    ):
        load([path], old, Filter(), limit)
    assert f"{bad} of 100 lines" in str(caught.value)
    assert f"listed in {old / manifest.REJECTS};" in str(caught.value)
    assert len(rejects(old)) == bad  # kept, for the message says so


# Dumps that are none

FAULTS: dict[str, tuple[str, bytes]] = {
    "empty": ("is empty", b""),
    "empty archive": ("is empty", gzip.compress(b"")),
    "one line of JSON": ("JSON dump: line 1 is", b'{"id": "Q42"}\n'),
    "a reply": ("not a JSON dump: line 1 is", b'{"search": [{"id": "Q42"}]}'),
    "JSON with empty lines": ("JSON dump: line 1 is", b'{"id": "Q42"},\r\n\r\n' * 1000),
    "comments": ("Nothing in .* is kept.* There is nothing else", b"# nothing\n\n" * 600),
    "an empty list": ("Nothing in .* is kept.* There is nothing else", b"[]\n"),
    "a table": ("JSON dump: line 1 is", b"PAR1\x15\x00\n\x15PAR1"),
    "nothing that is kept": (
        "Nothing in .* is kept",
        triples('wd:Q1 rdfs:label "eins"@de\nwd:Q1 wdt:P214 "1"').encode(),
    ),
    "cut short": ("is cut short or damaged: Comp.*ended", gzip.compress(NEW.encode() * 999)[:-10]),
}


@pytest.mark.parametrize(("error", "content"), FAULTS.values(), ids=FAULTS)
def test_a_dump_that_is_none_leaves_the_old_store(old, write, error, content):
    path = write(content)
    with unchanged(old), pytest.raises(KgbuildError, match=error):
        load([path], old, Filter())


def test_a_dump_that_is_cut_short_after_much_of_it_was_loaded(old, write):
    # More than a block: part of it is in the new graph when the end is seen.
    lines = SAMPLE.read_bytes() * 12
    with unchanged(old), pytest.raises(CorruptArchiveError) as caught:
        load([write(gzip.compress(lines, 1)[:-100])], old, Filter())
    assert lines.count(b"\n") // 2 < caught.value.line < lines.count(b"\n")


@pytest.mark.parametrize("kind", ["empty", "a reply", "nothing that is kept", "cut short"])
def test_a_dump_that_is_none_makes_no_store(tmp_path, write, kind):
    error, content = FAULTS[kind]
    (tmp_path / "mine").mkdir()  # a folder of the user stays
    for name in ("kg", "mine"):
        with pytest.raises(KgbuildError, match=error):
            load([write(content)], tmp_path / name, Filter())
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["mine"]


@pytest.mark.parametrize("paths", [["none.nt"], ["bad.nt", "none.nt"], ["none.nt", "bad.nt"]])
def test_a_missing_dump_leaves_the_old_store(old, write, tmp_path, paths):
    write(b"{", "bad.nt")  # which is not read before
    with unchanged(old), pytest.raises(UnreadableDumpError) as caught:
        load([str(tmp_path / path) for path in paths], old, Filter())
    assert caught.value.path == str(tmp_path / "none.nt")


def test_data_of_errors(tmp_path, write):
    store, path = tmp_path / "kg", write(b"{]\n" * 2000)
    with pytest.raises(KgbuildError, match="JSON dump: line ") as not_a_dump:
        load([path], store, Filter())
    assert f"{path} is not a JSON dump: line 1 is '{{]'." in str(not_a_dump.value)
    with pytest.raises(KgbuildError, match="is empty; what was") as empty:
        load([write(triples("wd:Q1 wdt:P31 wd:Q5"), "a.nt"), write(b"")], store, Filter())
    # One file of many, a download that failed, say.
    assert str(empty.value).startswith(f"{path} is")
    with pytest.raises(NothingKeptError) as nothing:
        load([write(triples('wd:Q1 wdt:P214 "1"') + "\n")], store, Filter())
    dropped = (
        "kept: 1 × empty lines and comments, 1 × external ids and other plain strings. To keep"
    )
    assert dropped in str(nothing.value)


def test_nothing_kept_tells_of_the_bad_lines_and_the_iris(tmp_path, write):
    # Items of another Wikibase, or of Wikidata with https, are metadata here.
    line = triples("wd:Q1 wdt:P31 wd:Q5").replace("http:", "https:")
    with pytest.raises(NothingKeptError) as caught:
        load([write(f"# a comment\n{line}bad\n")], tmp_path / "kg", Filter(), max_bad=1)
    rejects = tmp_path / "kg" / manifest.REJECTS
    assert f"; 1 lines are bad (see {rejects}). " in str(caught.value)
    assert f"first line is '{line[:79]}…'." in str(caught.value)
    assert rejects.read_text().count("\n") == 2  # the heading, and the bad line


@pytest.mark.parametrize("text", ['"Adams"', '"Adams"^^<http://www.w3.org/2001/XMLSchema#string>'])
def test_labels_without_a_language_are_counted_as_such(tmp_path, write, text):
    lines = triples(f"wd:Q42 wdt:P31 wd:Q5\nwd:Q42 rdfs:label {text}")
    loaded = load([write(lines)], tmp_path / "kg", Filter())
    assert (loaded.triples, loaded.dropped) == (1, {"no_language": 1})


def test_a_load_that_fails_keeps_the_rejects_of_the_store(tmp_path, write):
    store = tmp_path / "kg"
    load([write(triples("wd:Q1 wdt:P31 wd:Q5") + "bad\n")], store, Filter(), max_bad=0.5)
    before = (store / manifest.REJECTS).read_text()
    assert before.count("\n") == 2  # the heading, and the one bad line
    with pytest.raises(KgbuildError, match="is empty; what was"):
        load([write(b"")], store, Filter())
    assert (store / manifest.REJECTS).read_text() == before


def test_a_thousand_bad_lines_after_a_good_one_are_bad_lines(tmp_path, write):
    with pytest.raises(KgbuildError, match="lines are bad, more than --max-bad") as caught:
        load([write(triples("wd:Q1 wdt:P31 wd:Q5") + "{\n" * 2000)], tmp_path / "kg", Filter())
    assert "2,000 of 2,001 lines" in str(caught.value)


# Loads that die

KGBUILD = [sys.executable, "-m", "kgbuild"]


def run(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    options = {"capture_output": True, "text": True, "env": dict(os.environ)} | options
    return subprocess.run([*KGBUILD, *arguments], **options)


@contextlib.contextmanager
def loading_from_a_pipe(store: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a load of standard input that has begun to fill a generation and waits for more."""
    command = [*KGBUILD, "load", "-", "--store", str(store)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(NEW.encode())
        process.stdin.flush()
        while not filling(store):
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            time.sleep(0.01)
        try:
            yield process
        finally:
            process.kill()


def filling(store: Path) -> bool:
    """Tell whether a graph is there beside the one that counts."""
    try:
        counts = manifest.read(store).generation
    except KgbuildError:
        counts = ""
    graphs = store.glob("generation-*/graph/CURRENT")
    return any(path.parent.parent.name != counts for path in graphs)


def test_a_load_that_is_killed(old, write):
    before = (old / manifest.MANIFEST).read_bytes()
    with loading_from_a_pipe(old) as process:
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert (old / manifest.MANIFEST).read_bytes() == before
    with open_store(old) as held:
        assert held.labels.label("Q1") == "the old one"
    assert (old / "generation-2").is_dir()  # nobody was left to remove it
    assert load([write(NEW)], old, Filter()).triples == 2
    assert_tidy(old)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_load_that_is_interrupted(old, how):
    with unchanged(old), loading_from_a_pipe(old) as process:
        process.send_signal(how)
        _, said = process.communicate()
        assert process.returncode == 128 + how
        assert said.decode() == (
            "Error: Interrupted. Stores and datasets are as they were before this command.\n"
        )


def test_a_load_that_is_interrupted_after_it_has_replaced_the_store_says_so(old, write):
    done = interrupted_after_rename("manifest.json", "load", write(NEW), "--store", old)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.endswith(
        f"Error: Interrupted. Already written: {old}. All others are as they were before.\n"
    )
    assert manifest.read(old).triples == 2
    assert_tidy(old)


def test_a_first_load_that_is_interrupted_leaves_no_store(tmp_path):
    with loading_from_a_pipe(tmp_path / "kg") as process:
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert not (tmp_path / "kg").exists()


def test_two_loads_at_once(old, write):
    with loading_from_a_pipe(old) as process:
        done = run("load", write(NEW), "--store", str(old))
        assert done.returncode == 1
        assert (
            done.stderr
            == f"Error: Another process is loading into {old}. Wait until it has finished.\n"
        )
        # The first one goes on as if nothing had been.
        process.communicate(triples("wd:Q3 wdt:P31 wd:Q5").encode())
        assert process.returncode == 0
    assert manifest.read(old).triples == 3
    assert_tidy(old)


def test_a_reader_goes_on_while_a_load_replaces_its_store(old, write):
    with open_store(old) as reader:
        load([write(NEW)], old, Filter())
        assert reader.graph.select("values", subject="Q1", property="P31")
        assert reader.labels.label("Q1") == "the old one"
        assert lookup(reader.graph, reader.names, "THE OLD ONE")[0].qid == "Q1"
        assert (old / "generation-1").is_dir()
        with open_store(old) as later:
            assert later.labels.label("Q2") == "the new one"
    assert (old / "generation-1").is_dir()  # nobody looked since
    load([write(OLD)], old, Filter())
    assert_tidy(old)


def test_a_failed_load_removes_unread_generations(old, write):
    with open_store(old):
        load([write(NEW)], old, Filter())
    with pytest.raises(KgbuildError, match="is empty; what was"):
        load([write("")], old, Filter())
    assert_tidy(old)


@pytest.mark.parametrize("size", [0, 100, 10_000, 50_000, 100_000, 250_000])
def test_a_full_disk(old, size):
    # From the first file on, the rejects, to the largest of the graph and the names.
    with unchanged(old):
        with full_disk(size):
            done = invoke(old.parent, "load", str(SAMPLE), "--store", str(old))
        assert done.returncode == 1
        assert done.stderr.startswith(f"Error: Cannot write {old}")
        assert done.stderr.endswith("What was there before is unchanged.\n")
        assert "File too large" in done.stderr or "full" in done.stderr or "disk" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_disk_that_is_full_when_texts_are_collected(old, write):
    # Long names of rare letters wait in a temporary file before a part of the graph is loaded.
    letters = random.Random(1)
    names = (
        "".join(chr(letters.randrange(0x4E00, 0x9F00)) for _ in range(250)) for _ in range(300)
    )
    path = write(
        "".join(triples(f'wd:Q{n} rdfs:label "{name}"@en') for n, name in enumerate(names, 1))
    )
    with unchanged(old):
        with full_disk(200_000):
            done = invoke(old.parent, "load", path, "--store", str(old))
        assert done.stderr.startswith(f"Error: Cannot write {old}/unfinished: ")
        assert done.returncode == 1


def without_privileges() -> None:
    """Take from root what lets it write where it may not."""
    libc = ctypes.CDLL(None)
    drop_from_bounding_set = 24
    for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        if os.geteuid() == 0 and libc.prctl(drop_from_bounding_set, capability, 0, 0, 0):
            os._exit(77)


@pytest.fixture
def read_only(old: Path) -> Iterator[Path]:
    """Return a store in a folder that nobody may write."""
    paths = [old.parent, old, *old.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield old
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_folder_that_may_not_be_written(read_only):
    def tried(store: Path) -> str:
        done = run("load", str(SAMPLE), "--store", str(store), preexec_fn=without_privileges)
        if done.returncode == 77:
            pytest.skip("root cannot give up its privileges here")
        assert done.returncode == 1
        return done.stderr

    with unchanged(read_only):
        for store in (read_only, read_only.parent / "new"):
            assert tried(store) == (
                f"Error: Cannot write {store}: Permission denied. "
                "What was there before is unchanged.\n"
            )


def test_a_store_that_may_not_be_written_can_be_read(read_only):
    done = run("lookup", "old", "--store", str(read_only), preexec_fn=without_privileges)
    assert done.stderr == "Error: No item is called 'old', and no name is similar.\n"
    done = run("lookup", "the old one", "--store", str(read_only), preexec_fn=without_privileges)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Q1" in done.stdout
