"""Twenty thousand damaged lines among good ones: nothing falls over, and no good line is lost."""

import gzip
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator

import pyoxigraph as ox
import pytest
import rdflib

from kgbuild.kg import scan
from kgbuild.kg.filter import Filter
from kgbuild.kg.load import load
from kgbuild.kg.reading import opened
from kgbuild.kg.slice import cut
from kgbuild.kg.spec import Spec
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
COUNT = 20_000


@pytest.mark.parametrize("source", SOURCES)
def test_damaged_lines_among_good_ones(tmp_path, source):
    text = b"".join(damaged(SOURCES[source](), COUNT, 1))
    (tmp_path / "dump.nt").write_bytes(text)
    lines = text.count(b"\n")

    made = load([str(tmp_path / "dump.nt")], tmp_path / "kg", Filter(), max_bad=1)
    assert made.lines == lines
    assert made.bad > COUNT / 4  # else nothing was damaged
    with opened(tmp_path / "kg") as held:
        assert len(held.graph) == made.triples
        for n in range(0, COUNT + 1, 97):
            assert f"mark {n}" == held.labels.label(f"Q{900_000_000 + n}")

    spec = Spec(properties=("all",), datatype=scan.KINDS)
    report = cut([str(tmp_path / "dump.nt")], tmp_path / "out.nt", spec, max_bad=1)
    assert report.lines == lines == report.kept + report.bad + sum(report.dropped.values())
    rejects = (tmp_path / "out.rejects.tsv").read_text().splitlines()
    assert len(rejects) == report.bad + 1
    kept = (tmp_path / "out.nt").read_bytes().splitlines(keepends=True)
    marks = [line for line in kept if b'"mark ' in line and b"/Q9000" in line]
    assert [*map(bytes, marks)] == [
        triples(MARK.format(900_000_000 + n, n)).encode() for n in range(COUNT + 1)
    ]
    assert judged(kept) == Counter()


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
