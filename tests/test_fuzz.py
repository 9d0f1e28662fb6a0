"""Thousands of damaged lines among good ones: nothing falls over, and no good line is lost."""

import gzip
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib

from kgbuild.dump.filter import Filter
from kgbuild.dump.kinds import KINDS
from kgbuild.errors import KgbuildError
from kgbuild.graph.open import open_store
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import Spec
from kgbuild.store.load import load
from tests.conftest import SAMPLE, data, triples

Mutation = Callable[[bytes, random.Random], bytes]


def _flip(line: bytes, chance: random.Random) -> bytes:
    found = bytearray(line)
    for _ in range(chance.randint(1, 4)):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def _insert(*texts: bytes) -> Mutation:
    def mutate(line: bytes, chance: random.Random) -> bytes:
        place = chance.randrange(len(line) + 1)
        return line[:place] + chance.choice(texts) + line[place:]

    return mutate


def _cut(line: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(line) + 1) for _ in range(2))
    return line[start:end] if chance.random() < 0.5 else line[:start] + line[end:]


def _double(line: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(line) + 1) for _ in range(2))
    return line[:end] + line[start:]


MUTATIONS: list[Mutation] = [
    _flip,
    _cut,
    _double,
    _insert(rb"\q", rb"\u12", rb"\uD800", rb"\U00110000", rb"\UFFFFFFFF", b"\\", rb"\u00e9"),
    _insert(
        b"\x00", b"\r", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5", b"\xef\xbb\xbf", b"\x85"
    ),
    _insert(b" ", b"\t", b'"', b"<", b">", b"@", b"^^", b".", b"#", b"_:", b"%zz", b"{}"),
    lambda line, _: line + b"\r",
    lambda line, _: line.replace(b"> <", b"> <a b"),
    lambda line, _: b"wd:Q1 wdt:P31 wd:Q5 ; wdt:P40 wd:Q1 .",
    lambda line, _: b'{"type":"item","id":"Q1"},',
    lambda line, _: b"@prefix wd: <http://www.wikidata.org/entity/> .",
    lambda line, _: line.replace(b"@en", b"@en-" + b"a" * 12),
    lambda line, _: line.replace(b"/Q", b"/Q99999999999"),
]
MARK = 'wd:Q{} rdfs:label "mark {}"@en'


def damaged(lines: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Yield damaged lines, each after a good one that nothing may happen to."""
    chance = random.Random(seed)
    for n in range(count):
        yield triples(MARK.format(900_000_000 + n, n)).encode()
        line = chance.choice(lines)
        if line:
            yield chance.choice(MUTATIONS)(line, chance).replace(b"\n", b" ") + b"\n"
    yield b"<a> <b> " + b'"x' * 5_000_000 + b"\n"
    yield triples(MARK.format(900_000_000 + count, count)).encode()


SOURCES = {
    "sample": lambda: SAMPLE.read_bytes().splitlines(),
    "truthy": lambda: gzip.decompress(
        data("kg/wikidata-99.truthy.nt.gz").read_bytes()
    ).splitlines(),
}
COUNT = 5_000


@pytest.mark.parametrize("source", SOURCES)
def test_damaged_lines_among_good_ones(tmp_path, source):
    text = b"".join(damaged(SOURCES[source](), COUNT, 1))
    (tmp_path / "dump.nt").write_bytes(text)
    lines = text.count(b"\n")

    made = load([str(tmp_path / "dump.nt")], tmp_path / "kg", Filter(), max_bad=1)
    assert made.lines == lines
    assert made.bad > COUNT / 4  # else nothing was damaged
    with open_store(tmp_path / "kg") as held:
        assert len(held.graph) == made.triples
        for n in range(0, COUNT + 1, 97):
            assert f"mark {n}" == held.labels.label(f"Q{900_000_000 + n}")

    spec = Spec(properties=("all",), datatype=KINDS)
    report = cut([str(tmp_path / "dump.nt")], tmp_path / "out.nt", spec, max_bad=1)
    assert report.lines == lines == report.kept + report.bad + sum(report.dropped.values())
    rejects = (tmp_path / "out.nt.rejects.tsv").read_text().splitlines()
    assert len(rejects) == report.bad + 1
    kept = (tmp_path / "out.nt").read_bytes().splitlines(keepends=True)
    marks = [line for line in kept if b'"mark ' in line and b"/Q9000" in line]
    assert [*map(bytes, marks)] == [
        triples(MARK.format(900_000_000 + n, n)).encode() for n in range(COUNT + 1)
    ]
    assert judged([line for line in kept if b'"mark ' not in line]) == Counter()


@pytest.mark.parametrize("source", SOURCES)
def test_damaged_lines_where_everything_is_kept(tmp_path, source):
    # The scanner does not look into them: those that Oxigraph refuses are set aside by the load.
    text = b"".join(damaged(SOURCES[source](), 4000, 2))
    (tmp_path / "dump.nt").write_bytes(text)
    made = load([str(tmp_path / "dump.nt")], tmp_path / "kg", Filter(everything=True), max_bad=1)
    assert made.lines == text.count(b"\n")
    rejects = (tmp_path / "kg" / "rejects.tsv").read_text().splitlines()
    assert len(rejects) == made.bad + 1
    with open_store(tmp_path / "kg") as held:
        assert len(held.graph) == made.triples
        for n in range(4001):
            assert f"mark {n}" == held.labels.label(f"Q{900_000_000 + n}")


ODD_TERMS = {"blank node, letter": "_:a\ufffd", "tag": '"x"@en-a'}


@pytest.mark.parametrize("term", ODD_TERMS.values(), ids=ODD_TERMS)
def test_what_the_grammar_allows_and_oxigraph_only_if_lenient(make_store, term):
    with open_store(make_store(triples(f"wd:Q1 wdt:P31 wd:Q5\nwd:Q1 wdt:P40 {term}"))) as held:
        assert len(held.graph) == 2


@pytest.mark.parametrize("iri", ["a%zz", "a[b", "\ufffd"])
def test_a_slice_has_no_iri_that_oxigraph_refuses(tmp_path, iri):
    # The grammar of N-Triples allows them, RFC 3987 does not.
    known, odd = "<http://www.wikidata.org/.well-known/genid/", f'"1"^^<http://x.y/{iri}>'
    text = triples(f"wd:Q1 wdt:P31 wd:Q5\nwd:Q1 wdt:P40 {known}{iri}>\nwd:Q1 wdt:P1082 {odd}")
    (tmp_path / "dump.nt").write_text(text)
    spec = Spec(properties=("all",), datatype=KINDS)
    report = cut([str(tmp_path / "dump.nt")], tmp_path / "out.nt", spec, max_bad=1)
    assert (report.kept, report.bad) == (1, 2)
    made = load([str(tmp_path / "out.nt")], tmp_path / "kg", Filter(everything=True))
    assert (made.triples, made.bad) == (1, 0)


def _entities() -> list[bytes]:
    """Return the real entities, each with a part of what is said of it."""
    found = []
    with gzip.open(data("kg/wikidata-99.json.gz")) as file:
        for line in file:
            if line.strip() in (b"[", b"]", b""):
                continue
            entity = json.loads(line.strip().removesuffix(b","))
            for part, most in (("labels", 3), ("descriptions", 2), ("aliases", 2), ("claims", 9)):
                members = dict(entity[part]).items()
                entity[part] = dict([*members][:most])
            for key, statements in entity["claims"].items():
                bare = ("mainsnak", "type", "id", "rank")
                entity["claims"][key] = [{name: statements[0][name] for name in bare}]
            found.append(json.dumps(entity, ensure_ascii=False).encode() + b",")
    return found


def _entity(number: int) -> bytes:
    name = {"en": {"language": "en", "value": f"mark {number - 900_000_000}"}}
    entity = {"type": "item", "id": f"Q{number}", "labels": name}
    return json.dumps({**entity, "descriptions": {}, "aliases": {}, "claims": {}}).encode() + b",\n"


WORDS = [b"null", b"[]", b"{}", b"0", b"1e999", b'"x"', b"-1", b"true", b"NaN", b"[" * 2000]


def _swap(line: bytes, chance: random.Random) -> bytes:
    """Put another value in the place of one."""
    values = [*re.finditer(rb'(?<=:)[ ]*("[^"]*"|-?[0-9.]+|\[\]|\{\}|null)', line)]
    place = chance.choice(values).span(1)
    return line[: place[0]] + chance.choice(WORDS) + line[place[1] :]


JSON_MUTATIONS: list[Mutation] = [*MUTATIONS[:6], *[_swap] * 6, lambda line, _: line + b"\r"]


def test_damaged_entities_among_good_ones(tmp_path):
    chance, entities, count = random.Random(3), _entities(), 1000
    parts = [b"[\n"]
    for n in range(count):
        line = chance.choice(JSON_MUTATIONS)(chance.choice(entities), chance)
        parts += _entity(900_000_000 + n), line.replace(b"\n", b" ") + b"\n"
    parts += triples("wd:Q1 wdt:P31 wd:Q5").encode(), b"{" * 3_000_000 + b"\n"
    (tmp_path / "dump.json").write_bytes(b"".join([*parts, b"]\n"]))

    made = load([str(tmp_path / "dump.json")], tmp_path / "kg", Filter(), max_bad=1)
    assert made.bad > count / 4
    with open_store(tmp_path / "kg") as held:
        assert len(held.graph) == made.triples
        for n in range(count):
            assert f"mark {n}" == held.labels.label(f"Q{900_000_000 + n}")

    spec = Spec(properties=("all",), datatype=KINDS)
    report = cut([str(tmp_path / "dump.json")], tmp_path / "out.nt", spec, max_bad=1)
    assert report.lines == report.kept + report.bad + sum(report.dropped.values())
    assert report.entities >= count
    rejects = (tmp_path / "out.nt.rejects.tsv").read_text().splitlines()
    assert len(rejects) == report.bad + 1
    assert judged((tmp_path / "out.nt").read_bytes().splitlines(keepends=True)) == Counter()


NO_DUMPS = {
    "Turtle": b"@prefix wd: <http://www.wikidata.org/entity/> .\nwd:Q1 wd:P31 wd:Q5 .\n" * 2000,
    "RDF/XML": b"<?xml version='1.0'?>\n" + b"<rdf:Description rdf:about='x'>\n" * 2000,
    "HTML": b"<html>\n<p>503 Service Unavailable\n</html>\n",
    "JSON over many lines": json.dumps([{"id": "Q1"}] * 2000, indent=1).encode(),
    "N-Triples after a bracket": b"[\n" + triples("wd:Q1 wdt:P31 wd:Q5").encode() * 2000,
    "NULs": b"\0" * 5000 + b"\n" + b"\0\n" * 2000,
    "UTF-16": (triples("wd:Q1 wdt:P31 wd:Q5") * 2000).encode("utf-16"),
    "noise": random.Random(4).randbytes(300_000),
}


@pytest.mark.parametrize("text", NO_DUMPS.values(), ids=NO_DUMPS)
def test_what_is_no_dump(tmp_path, text):
    (tmp_path / "dump").write_bytes(text)
    for make in (_load, _cut_out):
        with pytest.raises(KgbuildError, match=r"JSON dump: line|which is not read"):
            make([str(tmp_path / "dump")], tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".nt"] == []


def _load(dumps: Sequence[str], folder: Path) -> object:
    return load(dumps, folder / "kg", Filter(), max_bad=1)


def _cut_out(dumps: Sequence[str], folder: Path) -> object:
    return cut(dumps, folder / "out.nt", Spec(), max_bad=1, force=True)


@pytest.mark.parametrize("make", [_load, _cut_out])
def test_dumps_of_odd_bytes_give_no_other_errors(tmp_path, make):
    # Beginnings decide how a dump is read: compressed, JSON or not, with a byte order mark.
    good = triples("wd:Q1 wdt:P31 wd:Q5").encode()
    starts = (b"", b"\xef\xbb\xbf", b"[", b"{", b" [\n", b"\x1f\x8b", b"BZh9", b"\x28\xb5\x2f\xfd")
    ends = (b"", good, b"\r\n" + good, b"\0" + good, b"\xff\n" + good, good[:-1], b"\n\r\n")
    some = ends if make is _cut_out else ends[1::2]  # a load takes longer
    for number, (start, end) in enumerate(itertools.product(starts, some)):
        (tmp_path / "dump").write_bytes(start + end)
        (tmp_path / str(number)).mkdir()
        try:
            make([str(tmp_path / "dump")], tmp_path / str(number))
        except KgbuildError:
            assert start + end not in (good, b"\xef\xbb\xbf" + good)


def judged(lines: list[bytes]) -> Counter[str]:
    """Count the lines that two other readers of N-Triples call wrong."""
    found: Counter[str] = Counter()
    for line in set(lines):
        try:
            (triple,) = ox.parse(line, format=ox.RdfFormat.N_TRIPLES, lenient=True)
        except (SyntaxError, ValueError) as error:
            found[f"Oxigraph: {error}: {line!r}"] += 1
            continue
        try:
            graph = rdflib.Graph().parse(data=line, format="nt")
            assert len(graph) == 1, line
        except Exception as error:  # noqa: BLE001 (whatever it says, it counts)
            if not _rdflib_is_wrong(str(triple.object), line):
                found[f"rdflib: {error}: {line!r}"] += 1
    return found


def _rdflib_is_wrong(value: str, line: bytes) -> bool:
    """Tell of lines that the grammar allows and rdflib does not take."""
    unspaced = re.search(rb'>[<"_]', line) is not None
    return unspaced or b"\x00" in line or "_:" in value
