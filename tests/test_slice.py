"""What a slice holds: compared, line by line, with the plainest way to say what it should."""

import bz2
import contextlib
import gzip
import hashlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph as ox
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import generate
from kgbuild import wikidata
from kgbuild.dump.kinds import HIERARCHY
from kgbuild.errors import (
    KgbuildError,
    NothingKeptError,
    OutputBusyError,
    OutputExistsError,
    WriteError,
)
from kgbuild.files import atomic_files
from kgbuild.slice.slice import Report, beside, cut
from kgbuild.slice.spec import Spec
from tests.conftest import (
    PREFIXES,
    ROOT,
    SAMPLE,
    data,
    full_disk,
    invoke,
    left_by_a_killed_process,
    triples,
)
from tests.test_entities import SINGLE

WD, WDT = PREFIXES["wd:"], PREFIXES["wdt:"]
NAMES = (
    PREFIXES["rdfs:"] + "label",
    PREFIXES["skos:"] + "altLabel",
    PREFIXES["schema:"] + "description",
)
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"


def terms(line: str) -> tuple[str, str, str]:
    """Return a line's subject and predicate without brackets, and its object as it stands."""
    subject, predicate, value = line.removesuffix(" .").split(" ", 2)
    return subject.strip("<>"), predicate.strip("<>"), value


def target(value: str) -> str | None:
    """Return the item that an object is, or None."""
    return value.strip("<>") if value.startswith(f"<{WD}Q") else None


def expected(lines: list[str], spec: Spec) -> list[str]:
    """Return what a slice of lines, all of which the filter keeps, should hold.

    Sets of texts, gone through until nothing changes: slow, and hard to get wrong.
    """
    said = [terms(line) for line in lines]
    links = [(s, p, t) for s, p, v in said if s.startswith(f"{WD}Q") and (t := target(v))]
    classes = {WD + qid for qid in spec.instance_of}
    while spec.subclasses:
        more = {s for s, p, t in links if p == WDT + "P279" and t in classes} - classes
        if not more:
            break
        classes |= more
    listed = {WD + qid for qid in Path(spec.items).read_text().split()} if spec.items else set()
    seeds: dict[str, None] = {}
    for s, p, v in said:
        wanted = not (spec.items or spec.instance_of) or s in listed
        wanted |= p == WDT + "P31" and target(v) in classes
        if wanted and s.startswith(f"{WD}Q") and (len(seeds) < (spec.limit or 10**9)):
            seeds.setdefault(s)
    chosen = followed(set(seeds), links, {SAME_AS})
    for _ in range(spec.hops):
        chosen |= {t for s, _, t in links if s in chosen}
        chosen = followed(chosen, links, {SAME_AS})
    chain = {SAME_AS, *(WDT + pid for pid in HIERARCHY)}
    pointed = {t for s, _, t in links if s in chosen}
    pointed = followed(pointed | chosen, links, chain) - chosen
    kept = []
    for line, (s, p, v) in zip(lines, said, strict=True):
        redirect = p == SAME_AS and target(v) in chosen | pointed
        basic = s in pointed and (p in NAMES or p in chain)
        if s in chosen or redirect or basic or s.startswith(f"{WD}P"):
            kept.append(line)
    return kept if chosen & {s for s, _, _ in said} else []


def followed(found: set[str], links: list[tuple[str, str, str]], by: set[str]) -> set[str]:
    while more := {t for s, p, t in links if s in found and p in by} - found:
        found = found | more
    return found


def sliced(
    dump: Path | str, folder: Path, spec: Spec, **options: object
) -> tuple[list[str], Report]:
    """Cut a slice and return its lines and the report."""
    out = folder / "out.nt.gz"
    report = cut([str(dump)], out, spec, force=True, **options)  # type: ignore[arg-type]
    lines = gzip.decompress(out.read_bytes()).decode().splitlines()
    assert report.kept == len(lines)
    assert report.lines == report.kept + report.bad + sum(report.dropped.values())
    return lines, report


@pytest.fixture(scope="module")
def filtered(tmp_path_factory) -> list[str]:
    """Return the lines of the sample that the filter keeps of every item."""
    lines, report = sliced(SAMPLE, tmp_path_factory.mktemp("filtered"), Spec())
    assert report.lines == len(SAMPLE.read_text().splitlines())
    return lines


NUMBERS = st.integers(1, 9)
WORLDS = st.lists(
    st.one_of(
        st.builds("wd:Q{} wdt:P31 wd:Q{}".format, NUMBERS, NUMBERS),
        st.builds("wd:Q{} wdt:P279 wd:Q{}".format, NUMBERS, NUMBERS),
        st.builds("wd:Q{} wdt:P131 wd:Q{}".format, NUMBERS, NUMBERS),
        st.builds("wd:Q{} wdt:P40 wd:Q{}".format, NUMBERS, NUMBERS),
        st.builds("wd:Q{} wdt:P40 _:b{}".format, NUMBERS, NUMBERS),
        st.builds("wd:Q{} owl:sameAs wd:Q{}".format, NUMBERS, NUMBERS),
        st.builds('wd:Q{} rdfs:label "{}"@en'.format, NUMBERS, NUMBERS),
        st.builds('wd:P{} rdfs:label "{}"@en'.format, NUMBERS, NUMBERS),
        st.builds('wd:Q{} wdt:P1476 "{}"@en'.format, NUMBERS, NUMBERS),
    ),
    min_size=1,
    max_size=30,
)
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "instance_of": st.sets(NUMBERS, min_size=1, max_size=2).map(
            lambda numbers: tuple(f"Q{n}" for n in sorted(numbers))
        ),
        "items": st.sets(NUMBERS, min_size=1, max_size=3).map(
            lambda numbers: " ".join(f"Q{n}" for n in numbers)
        ),
        "hops": st.integers(0, 3),
        "subclasses": st.booleans(),
    },
)


@settings(max_examples=50)
@given(WORLDS, CHOICES)
def test_any_world_in_any_order(tmp_path_factory, world, choices):
    # Lines of one item need not stand together, links may go in circles, labels may be missing.
    check_world(tmp_path_factory.mktemp("world"), world, choices)


def check_world(folder: Path, world: list[str], choices: dict[str, object]) -> None:
    lines = triples("\n".join(world).replace("owl:sameAs", f"<{SAME_AS}>")).splitlines()
    (folder / "dump.nt").write_text("".join(f"{line}\n" for line in lines))
    spec = with_items({"properties": ("all",), **choices}, folder)
    anything = [line for line in lines if line.startswith(f"<{WD}Q")]
    if expected(lines, spec) if spec.selects else anything:
        should = expected(lines, spec) if spec.selects else lines
        assert sliced(folder / "dump.nt", folder, spec)[0] == should
    else:
        with pytest.raises(NothingKeptError):
            sliced(folder / "dump.nt", folder, spec)


def test_languages_properties_and_kinds(tmp_path):
    (tmp_path / "dump.nt").write_text(
        triples(
            """
            wd:Q1 rdfs:label "colour"@en-gb
            wd:Q1 rdfs:label "Farbe"@de
            wd:Q1 rdfs:label "couleur"@fr
            wd:Q1 skos:prefLabel "Farbe"@de
            wd:Q1 skos:altLabel "Farbton"@de
            wd:Q1 schema:description "was man sieht"@de
            wd:Q1 rdfs:label "all"@mul
            wd:Q1 wdt:P26 wd:Q2
            wd:Q1 wdt:P40 wd:Q3
            wd:Q1 wdt:P17 wd:Q4
            wd:Q1 wdt:P26 "id"
            wd:Q1 wdt:P26 "1"^^<http://www.w3.org/2001/XMLSchema#decimal>
            """
        )
    )
    spec = Spec(
        lang=("de",), aliases=False, descriptions=False, properties=("P26",), datatype=("item",)
    )
    lines, report = sliced(tmp_path / "dump.nt", tmp_path, spec)
    assert [terms(line)[2] for line in lines] == [
        '"Farbe"@de',
        '"all"@mul',
        f"<{WD}Q2>",
        f"<{WD}Q4>",  # the place, whatever was asked for
    ]
    assert report.dropped == {
        "name": 2,
        "other_language": 2,
        "other_property": 1,
        "other_value": 1,
        "repeated_label": 1,
        "string": 1,
    }
    assert report.leaving == 2  # Q2 and Q4


def test_a_limit_takes_the_first_and_stops_reading(tmp_path):
    people = "".join(
        triples(f'wd:Q{n} wdt:P31 wd:Q5\nwd:Q{n} rdfs:label "{n:0200}"@en\nwd:Q{n} wdt:P1 "x"')
        for n in range(10, 90_000)
    )
    (tmp_path / "dump.nt").write_text(people)
    some, report = sliced(tmp_path / "dump.nt", tmp_path, Spec(instance_of=("Q5",), limit=3))
    subjects = [terms(line)[0][len(WD) :] for line in some]
    assert subjects == ["Q10", "Q10", "Q11", "Q11", "Q12", "Q12"]
    assert not report.complete
    assert report.lines < 267_000
    more, _ = sliced(tmp_path / "dump.nt", tmp_path, Spec(instance_of=("Q5",), limit=5))
    assert more[: len(some)] == some
    anything, _ = sliced(tmp_path / "dump.nt", tmp_path, Spec(limit=3))
    assert anything == some


def test_a_sample_depends_on_the_item_and_the_seed_alone(tmp_path, filtered):
    def chosen(share: float, seed: int, lines: list[str]) -> set[str]:
        (tmp_path / "dump.nt").write_text("".join(f"{line}\n" for line in lines))
        spec = Spec(instance_of=("Q5",), sample=share, seed=seed)
        found, _ = sliced(tmp_path / "dump.nt", tmp_path, spec)
        return {terms(line)[0] for line in found if "P106>" in line}

    half = chosen(0.5, 1, filtered)
    everybody = {terms(line)[0] for line in filtered if "P106>" in line}
    assert 0.4 < len(half) / len(everybody) < 0.6
    shuffled = filtered[:]
    random.Random(1).shuffle(shuffled)
    assert chosen(0.5, 1, shuffled) == half
    assert chosen(0.25, 1, filtered) < half  # a smaller share is a part of a larger one
    assert chosen(0.5, 2, filtered) != half


FORMS = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": zstd.compress,
    "line ends of Windows": lambda text: text.replace(b"\n", b"\r\n"),
    "no last line end": lambda text: text.rstrip(b"\n"),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_however_a_dump_is_written_the_slice_is_the_same(tmp_path, form):
    (tmp_path / "dump").write_bytes(form(SAMPLE.read_bytes()))
    spec = Spec(instance_of=("Q5",))
    found = [tmp_path / "a.nt.gz", tmp_path / "b.nt.gz"]
    for dump, out in zip((SAMPLE, tmp_path / "dump"), found, strict=True):
        cut([str(dump)], out, spec)
    assert found[0].read_bytes() == found[1].read_bytes()


def test_standard_input_and_the_forms_of_output(tmp_path):
    command = [sys.executable, "-m", "kgbuild", "slice", "-", "-o", str(tmp_path / "a.nt")]
    subprocess.run(command, input=SAMPLE.read_bytes(), check=True)
    for name in ("a.nt.gz", "a.nt.zst"):
        assert invoke(tmp_path, "slice", str(SAMPLE), "-o", name).returncode == 0
    plain = (tmp_path / "a.nt").read_bytes()
    assert gzip.decompress((tmp_path / "a.nt.gz").read_bytes()) == plain
    assert zstd.open(io.BytesIO((tmp_path / "a.nt.zst").read_bytes())).read() == plain


# What fails leaves all as it was


@pytest.fixture
def there(tmp_path) -> Path:
    """Return an output that is there already, with its report."""
    (tmp_path / "out.nt.gz").write_bytes(b"before")
    beside(tmp_path / "out.nt.gz", "report.json").write_text("its report")
    return tmp_path / "out.nt.gz"


def assert_as_before(out: Path) -> None:
    assert out.read_bytes() == b"before"
    assert beside(out, "report.json").read_text() == "its report"
    left = {path.name.removeprefix(out.name) for path in out.parent.iterdir()} - {"dump"}
    assert {"", ".report.json"} <= left <= {"", ".report.json", ".rejects.tsv"}


# An entity of three triples, so that two bad lines of a hundred are less than 1 % of triples.
ENTITY = json.dumps(
    {
        "type": "item",
        "id": "Q1",
        "labels": {code: {"language": code, "value": "x"} for code in ("en", "mul", "en-gb")},
        "descriptions": {},
        "aliases": {},
        "claims": {},
    }
).encode()


@pytest.mark.parametrize(
    ("error", "content"),
    [
        ("is empty", b""),
        ("is kept", b"# nothing\n"),
        ("is kept", triples('wd:Q1 rdfs:label "x"@de').encode()),
        ("lines are bad", triples("wd:Q1 wdt:P31 wd:Q5").encode() + b"junk\n"),
        ("is cut short or damaged after", gzip.compress(SAMPLE.read_bytes())[:-9]),
        ("is cut short: ", SAMPLE.read_bytes()[:-3]),
        ("is cut short: ", b"[\n" + ENTITY + b",\n" + ENTITY + b"\n"),
        ("is cut short: ", b"[\n" + ENTITY + b",\n" + ENTITY[:-9]),
        ("is cut short: ", ENTITY + b"\n" + ENTITY[:-9]),
        ("lines are bad", b"[\n" + (ENTITY + b",\n") * 98 + b"{},\n" * 2 + b"]\n"),
        ("is cut short or damaged after", bz2.compress(SAMPLE.read_bytes())[:-9]),
    ],
)
@pytest.mark.parametrize("spec", [Spec(), Spec(instance_of=("Q5",))], ids=["all", "some"])
def test_a_dump_at_fault(there, error, content, spec):
    (there.parent / "dump").write_bytes(content)
    with pytest.raises(KgbuildError, match=error):
        cut([str(there.parent / "dump")], there, spec, force=True)
    assert_as_before(there)


def test_an_output_that_is_there(there):
    with pytest.raises(OutputExistsError):
        cut([str(SAMPLE)], there, Spec())
    assert_as_before(there)
    with pytest.raises(OutputExistsError):
        cut([str(SAMPLE)], there.parent, Spec(), force=True)  # a folder never


@pytest.mark.parametrize("renames", range(4))
def test_a_report_is_never_beside_another_slice(there, monkeypatch, renames):
    """Stop before each of the renames, as a kill does; then run any command on the slice."""
    older, newer = '{"sha256": "older"}', '{"sha256": "newer"}'
    slices = {"older": there.read_bytes(), "newer": b"the new slice"}
    report = atomic_files.report_beside(there)
    report.write_text(older)
    rename, left = Path.replace, iter(range(renames))

    def replace(self, target):
        if next(left, None) is None:
            raise StoppedError
        return rename(self, target)

    class StoppedError(Exception):
        pass

    folder = left_by_a_killed_process(there)
    (folder / there.name).write_bytes(slices["newer"])
    with monkeypatch.context() as patched, contextlib.suppress(StoppedError):
        patched.setattr(Path, "replace", replace)
        atomic_files.publish_with_report(folder, there, newer)
    if report.exists():
        assert there.read_bytes() == slices[json.loads(report.read_text())["sha256"]]
    with pytest.raises(OutputExistsError):  # also a command that is refused repairs it
        cut([str(SAMPLE)], there, Spec())
    assert report.read_text() == (older if renames < 2 else newer)
    assert there.read_bytes() == slices["older" if renames < 2 else "newer"]
    assert not folder.exists()


@pytest.mark.parametrize(
    ("size", "options"),
    [
        *((size, []) for size in (0, 1000, 50_000, 100_000)),
        *((size, ["--instance-of", "Q5"]) for size in (1000, 30_000)),  # while items are chosen
    ],
)
def test_a_full_disk(there, size, options):
    with full_disk(size):
        done = invoke(there.parent, "slice", str(SAMPLE), "-o", there.name, "--force", *options)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: Cannot write"), done.stderr
    assert_as_before(there)


def test_a_folder_that_cannot_be_made(there):
    with pytest.raises(WriteError):
        cut([str(SAMPLE)], there / "deeper" / "out.nt", Spec())
    assert_as_before(there)


# The whole of it, from the lines as they stand in the dump

KINDS = {
    # The first expression that an object fits says of which kind it is.
    "item": f"<{WD}Q[1-9][0-9]{{0,8}}>",
    "property": f"<{WD}P[1-9][0-9]{{0,8}}>",
    "unknown": "_:.*|<http://www.wikidata.org/.well-known/genid/.*>",
    "link": "<.*>",
    "text": '".*"@.*',
    "time": '".*"\\^\\^<.*#dateTime>',
    "quantity": '".*"\\^\\^<.*#decimal>',
    "point": '".*"\\^\\^<.*#wktLiteral>',
    "other": '".*"\\^\\^<.*>',
    "string": '".*"',
}


def filtered_by(spec: Spec, lines: list[str]) -> list[str]:
    """Return the lines that a filter keeps, of whichever item."""
    known = spec.filter.properties
    properties = None if known is None else {*known, *HIERARCHY}
    return [line for line in lines if is_kept(line, spec, properties)]


def is_kept(line: str, spec: Spec, properties: set[str] | None) -> bool:
    subject, predicate, value = terms(line)

    def asked_for(pid: str) -> bool:
        return properties is None or pid in properties

    entity = subject.removeprefix(WD)
    if entity == subject or (entity[0] == "P" and not asked_for(entity)):
        return False
    kind = next(kind for kind in KINDS if re.fullmatch(KINDS[kind], value, re.DOTALL))
    spoken = value.rpartition("@")[2] if kind == "text" else ""
    said = any(f"{spoken}-".startswith(f"{code}-") for code in (*spec.lang, "mul"))
    if predicate in NAMES:
        flags = (True, spec.aliases, spec.descriptions)
        return flags[NAMES.index(predicate)] and kind == "text" and said
    if predicate == SAME_AS:
        return kind in ("item", "property")
    if predicate == PREFIXES["rdf:"] + "type":
        no_value = value.removeprefix(f"<{PREFIXES['wdno:']}")
        return no_value != value and asked_for(no_value[:-1])
    pid = predicate.removeprefix(WDT)
    return pid != predicate and asked_for(pid) and kind in spec.datatype and (not spoken or said)


SPECS = {
    "people": {"instance_of": ("Q5",)},
    "films and their makers": {"instance_of": ("Q11424",), "subclasses": True, "hops": 1},
    "some": {"items": "Q7186 Q42 Q999999"},
    "around some": {"items": "Q7186 Q42", "hops": 2},
    "cities or some": {"instance_of": ("Q515",), "items": "Q42"},
    "places": {"instance_of": ("Q486972",), "subclasses": True},
    "all of all": {"properties": ("all",), "datatype": tuple(KINDS)},
    "German and French": {"lang": ("de", "fr"), "descriptions": False},
    "a regional form": {"lang": ("pt-br",), "instance_of": ("Q5",)},
    "labels and items alone": {"aliases": False, "descriptions": False, "datatype": ("item",)},
    "strings and links": {"properties": ("all",), "datatype": ("string", "link")},
    "families": {"properties": ("P26", "P40"), "instance_of": ("Q5",)},
    "families in Japanese": {"properties": ("P26",), "lang": ("ja",), "items": "Q7186", "hops": 2},
    "the first of all": {"limit": 7},
    "the first people": {"instance_of": ("Q5",), "limit": 3},
    "the first people and around": {"instance_of": ("Q5",), "limit": 3, "hops": 1},
    "the first places": {"instance_of": ("Q486972",), "subclasses": True, "limit": 20},
    "the first of some": {"items": "Q7186 Q42 Q937", "instance_of": ("Q515",), "limit": 2},
}


def with_items(wanted: dict[str, object], folder: Path) -> Spec:
    """Return a spec whose items stand in a file of the folder."""
    if "items" in wanted:
        (folder / "items").write_text(str(wanted["items"]).replace(" ", "\n"))
        wanted = {**wanted, "items": str(folder / "items")}
    return Spec(**wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize("wanted", SPECS.values(), ids=SPECS)
def test_a_slice_from_the_lines_of_the_dump(tmp_path, wanted):
    spec = with_items(wanted, tmp_path)
    raw = SAMPLE.read_text().splitlines()
    lines, report = sliced(SAMPLE, tmp_path, spec)
    assert lines == expected(filtered_by(spec, raw), spec)
    assert report.complete or "limit" in wanted
    assert report.lines == len(raw)
    said = [terms(line) for line in lines]
    described = {s for s, _, _ in said if s.startswith(f"{WD}Q")}
    pointed = {t for _, _, v in said if (t := target(v))}
    assert (report.items, report.leaving) == (len(described), len(pointed - described))
    assert (report.kept, report.bad) == (len(lines), 0)


@settings(max_examples=30)
@given(
    WORLDS,
    st.fixed_dictionaries(
        {"limit": st.integers(1, 4)},
        optional={"hops": st.integers(0, 2), "subclasses": st.booleans()},
    ),
)
def test_the_first_items_of_any_world(tmp_path_factory, world, choices):
    choices = {"instance_of": ("Q1", "Q2"), **choices}
    check_world(tmp_path_factory.mktemp("world"), world, choices)


@pytest.mark.parametrize(("subclasses", "first"), [(False, "Q1"), (True, "Q2")])
def test_the_first_of_listed_ones_and_instances(tmp_path, subclasses, first):
    # What is below a class is known only at the end: listed items come first then.
    world = 'wd:Q1 wdt:P31 wd:Q5\nwd:Q1 rdfs:label "one"@en\nwd:Q2 rdfs:label "two"@en'
    (tmp_path / "dump.nt").write_text(triples(world))
    spec = with_items(
        {"items": "Q2", "instance_of": ("Q5",), "limit": 1, "subclasses": subclasses}, tmp_path
    )
    lines, _ = sliced(tmp_path / "dump.nt", tmp_path, spec)
    assert {terms(line)[0] for line in lines} == {WD + first}


def test_several_dumps_are_one(tmp_path):
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    (tmp_path / "a.nt").write_bytes(b"".join(lines[:5000]))
    (tmp_path / "b.nt.gz").write_bytes(gzip.compress(b"".join(lines[5000:])))
    spec = Spec(instance_of=("Q5",), hops=1)
    parts = [str(tmp_path / "a.nt"), str(tmp_path / "b.nt.gz")]
    report = cut(parts, tmp_path / "parts.nt", spec)
    whole = cut([str(SAMPLE)], tmp_path / "whole.nt", spec)
    assert report.sha256 == whole.sha256
    assert [file.name for file in report.files] == ["a.nt", "b.nt.gz"]
    assert (report.lines, report.dropped) == (whole.lines, whole.dropped)


def test_bad_lines_are_counted_and_set_aside(tmp_path):
    lines = SAMPLE.read_text().splitlines(keepends=True)
    lines[100:100] = ["junk\n", "\n", "# a comment\n", '<a> <b> "c\n', "   \n"]
    (tmp_path / "dump.nt").write_text("".join(lines))
    counted = int(subprocess.check_output(["wc", "-l", tmp_path / "dump.nt"]).split()[0])
    found, report = sliced(tmp_path / "dump.nt", tmp_path, Spec(instance_of=("Q5",)))
    assert (report.lines, report.bad, report.dropped["not_triple"]) == (counted, 2, 3)
    assert found == sliced(SAMPLE, tmp_path / "clean", Spec(instance_of=("Q5",)))[0]
    rejects = beside(tmp_path / "out.nt.gz", "rejects.tsv")
    numbers = [line.split("\t")[1] for line in rejects.read_text().splitlines()[1:]]
    assert numbers == ["101", "104"]
    sliced(SAMPLE, tmp_path, Spec(instance_of=("Q5",)))
    assert not rejects.exists()  # it was of the slice before


@pytest.mark.parametrize(
    ("spec", "packed"),
    [(Spec(), "out.nt.gz"), (Spec(instance_of=("Q5",), hops=1, sample=0.5), "out.nt.zst")],
    ids=["all", "some"],
)
def test_the_same_bytes_anywhere_and_valid_ones(tmp_path, spec, packed):
    code = (
        "import sys; from kgbuild.slice.slice import cut; from kgbuild.slice.spec import make_spec;"
        "cut([sys.argv[1]], __import__('pathlib').Path(sys.argv[2]), make_spec(eval(sys.argv[3])))"
    )
    for name in ("out.nt", packed):
        here, there = tmp_path / name, tmp_path / "there" / name
        report = cut([str(SAMPLE)], here, spec)
        assert report.sha256 == hashlib.sha256(here.read_bytes()).hexdigest()
        assert report.bytes == here.stat().st_size
        if name == packed:
            command = [sys.executable, "-c", code, str(SAMPLE), str(there), repr(spec.keys)]
            subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "7"})
            assert here.read_bytes() == there.read_bytes()
    parsed = ox.parse((tmp_path / "out.nt").read_bytes(), format=ox.RdfFormat.N_TRIPLES)
    assert sum(1 for _ in parsed) == report.kept


def test_every_reference_of_real_items(tmp_path):
    with gzip.open(data("kg/real-slice.nt.gz"), "rb") as real:
        dump = tmp_path / "real.nt"
        # All lines of a fifth of the items.
        dump.write_bytes(b"".join(line for line in real if line.partition(b">")[0][-1] in b"47"))
    raw, _ = sliced(dump, tmp_path, Spec())
    spec = Spec(instance_of=("Q11424",), subclasses=True)
    lines, report = sliced(dump, tmp_path, spec)
    assert lines == expected(raw, spec)
    assert (report.lines, report.files[0].bytes) == (
        dump.read_bytes().count(b"\n"),
        dump.stat().st_size,
    )
    described = {terms(line)[0] for line in lines}
    assert report.items == len([subject for subject in described if subject.startswith(f"{WD}Q")])
    pointed = {t for line in lines if (t := target(terms(line)[2]))}
    assert report.leaving == len(pointed - described)
    # Of these the dump itself says nothing that the filter keeps.
    assert not (pointed - described) & {terms(line)[0] for line in raw}


def canonical(lines: list[str]) -> tuple[set[tuple[str, str, str]], Counter[tuple[str, str]]]:
    """Return triples as Oxigraph has them, and how often there is an unknown value."""
    found, unknown = set(), Counter[tuple[str, str]]()
    for triple in ox.parse("\n".join(lines), format=ox.RdfFormat.N_TRIPLES):
        subject, predicate = triple.subject.value, triple.predicate.value
        if isinstance(triple.object, ox.BlankNode):
            unknown[subject, predicate] += 1
        elif not predicate.startswith(wikidata.PRECISION):
            found.add((subject, predicate, str(triple.object)))
    return found, unknown


def test_json_and_truthy_dumps_differ_only_as_documented(tmp_path):
    spec = Spec(lang=("en", "de", "ja"), properties=("all",))
    truthy, one = sliced(data("kg/wikidata-99.truthy.nt.gz"), tmp_path, spec)
    of_json, other = sliced(data("kg/wikidata-99.json.gz"), tmp_path, spec)
    counted = gzip.decompress(data("kg/wikidata-99.truthy.nt.gz").read_bytes()).count(b"\n")
    assert (one.lines, one.bad, other.bad) == (counted, 0, 0)
    assert (other.entities, other.dropped["not_triple"]) == (99, 2)  # the brackets
    (theirs, their_unknown), (ours, our_unknown) = canonical(truthy), canonical(of_json)
    assert their_unknown == our_unknown
    single = [row for rows in SINGLE.values() for row in rows]

    def known(at: int, differing: set[tuple[str, str, str]]) -> set[tuple[str, ...]]:
        rows = {(WD + row[0], WDT + row[1], row[at]) for row in single}
        return {(s, p, v) for s, p, v in differing if (s, p, v.split('"')[1]) not in rows}

    assert known(2, theirs - ours) == known(3, ours - theirs) == set()
    assert len(theirs - ours) == len(ours - theirs) == len(single)


def test_memory_stays_flat(tmp_path):
    generate.write(tmp_path / "dump.nt", 3000, languages=8)
    code = (
        "import re, sys; from kgbuild.cli import cli\n"
        "cli(sys.argv[1:], standalone_mode=False)\n"
        # Not ru_maxrss, which a process has in part from the one that started it.
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1])"
    )
    command = [sys.executable, "-c", code, "slice", "dump.nt", "-o", "out.nt.gz"]
    done = subprocess.run(
        [*command, "--instance-of", "Q5", "--subclasses", "--hops", "1"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 500_000  # kB


# Others at work


@contextmanager
def at_work(out: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a slice of standard input in another process that waits for more."""
    command = [sys.executable, "-m", "kgbuild", "slice", "-", "-o", str(out), "--force"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        made = f".{out.name}.*.partial/{out.name}"  # which is made after the lock
        while not [*out.parent.glob(made)]:
            assert process.poll() is None
            time.sleep(0.01)
        try:
            yield process
        finally:
            process.kill()


def test_another_process_is_at_work(there):
    (there.parent / "dump").write_bytes(SAMPLE.read_bytes())
    with at_work(there) as process:
        with pytest.raises(OutputBusyError):
            cut([str(SAMPLE)], there, Spec(), force=True)
        assert there.read_bytes() == b"before"
        process.communicate(SAMPLE.read_bytes())
        assert process.returncode == 0
    assert gzip.decompress(there.read_bytes()).count(b"\n") > 10_000
    with at_work(there) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert [*there.parent.glob(".out.nt.gz.*.partial")]  # nobody was left to remove it
    report = cut([str(SAMPLE)], there, Spec(instance_of=("Q5",)), force=True)
    assert gzip.decompress(there.read_bytes()).count(b"\n") == report.kept
    names = {path.name for path in there.parent.iterdir()}
    assert names == {"dump", "out.nt.gz", "out.nt.gz.report.json"}
