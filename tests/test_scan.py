"""The compiled scanner against two parsers of N-Triples, Oxigraph's and rdflib's.

They are second opinions, not the measure: that is https://www.w3.org/TR/n-triples/. Where
they differ from it and from each other, ``STRICTER`` and ``rdflib_accepts`` say how.
"""

import io
import itertools
import re
from dataclasses import replace

import numpy as np
import pyoxigraph as ox
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib.plugins.parsers.ntriples import ParseError, W3CNTriplesParser

from kgbuild import wikidata
from kgbuild.dump import bitmaps
from kgbuild.dump.filter import Filter
from kgbuild.dump.kinds import KINDS
from kgbuild.dump.scanning import rules, scanner
from kgbuild.dump.scanning.scanner import Scanned
from tests.conftest import triples

XSD = wikidata.XSD
USUAL = Filter(("en",))
ALL = Filter(("en", "de", "zh-hans", "a"), kinds=KINDS)
EVERYTHING = replace(USUAL, everything=True)
SUBJECT, PREDICATE = f"<{wikidata.ENTITY}Q42>".encode(), f"<{wikidata.DIRECT}P31>".encode()
LABEL = f"<{wikidata.LABEL}>".encode()
OBJECT = f"<{wikidata.ENTITY}Q5>".encode()
STRICTER = (
    # The grammar's language tags are letters and digits; Oxigraph holds them to RFC 5646:
    # @en-x and @en-a lack what these letters announce, @a is no language, and so on.
    *("subtag", "language tag"),
)
"""Words in Oxigraph's complaints about what the grammar of N-Triples allows."""
REFUSED = re.compile(
    rb"<[^<>]*\[|\"(?![+-]?\d*-(?:0\d|1[0-2])-(?:[0-2]\d|3[01]))[^\"]*\"\^\^<%bdateTime>"
    % XSD.encode()
)
"""What Oxigraph reads, and the scanner refuses: hosts in brackets, and days that no month has."""
LABEL_AT_END = re.compile(rb'_:[^\s<>"]*[^\s<>".](?=[ \t]*\.[ \t]*(?:#[^\n]*)?$)')


def scanned(text: bytes, keep: Filter = USUAL, *select: bitmaps.Bitmap) -> Scanned:
    """Scan a block that ends with the memory it lies in."""
    return scanner.scan(text, scanner.count_lines(text), keep.rules(select or None))


def lines_of(found: Scanned) -> list[bytes]:
    return [found.line(n) for n in range(len(found.ends))]


def oxigraph(line: bytes, lenient: bool = False) -> tuple[list[ox.Triple], str]:
    """Return the triples that Oxigraph reads in a line, and why it refuses it."""
    try:
        parsed = ox.parse(line + b"\n", format=ox.RdfFormat.N_TRIPLES, lenient=lenient)
        return [quad.triple for quad in parsed], ""
    except SyntaxError as error:
        return [], str(error.msg)


class Sink:
    def __init__(self):
        self.count = 0

    def triple(self, *terms):
        self.count += 1


def rdflib_accepts(line: bytes) -> bool:
    """Tell whether rdflib reads one triple in a line.

    It lets things pass that are wrong, so it is asked only about what is kept. Where it does
    not take what the grammar allows, that is put right before: objects without a space before
    them; labels of blank nodes beyond ASCII, with a colon, or followed by the stop at once;
    Unicode's spaces in IRIs.
    """
    line = re.sub(r"[^\S \t]", "x", line.decode()).encode()
    line = re.sub(rb'>(?=[<"_])', b"> ", line)
    line = LABEL_AT_END.sub(b"_:b ", line)
    sink = Sink()
    try:
        W3CNTriplesParser(sink=sink).parse(io.BytesIO(line + b"\n"))
    except ParseError:
        return False
    return sink.count == 1


def check_kept(line: bytes) -> None:
    """Check that a kept line is one triple of N-Triples for both."""
    assert rdflib_accepts(line), line
    # RDF 1.1 has colons in labels of blank nodes, RDF 1.2 and Oxigraph have none.
    line = LABEL_AT_END.sub(lambda match: match[0][:2] + match[0][2:].replace(b":", b"_"), line)
    read, why = oxigraph(line)
    assert len(read) == 1 or any(words in why for words in STRICTER), (line, why)
    if why:  # then these rules are all that it breaks
        assert len(oxigraph(line, lenient=True)[0]) == 1, line


def written(lines: list[bytes]) -> set[bytes]:
    store = ox.Store()
    text = b"".join(line + b"\n" for line in lines)
    store.bulk_load(text, format=ox.RdfFormat.N_TRIPLES, lenient=True)
    dumped = store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
    assert dumped is not None
    return set(dumped.split(b"\n")[:-1])


def check(line: bytes) -> None:
    """Check what becomes of one line, by all rules."""
    assert b"\n" not in line
    own = line.removesuffix(b"\r")
    read, why = oxigraph(own)
    for keep in (USUAL, ALL, EVERYTHING):
        found = scanned(line + b"\n", keep)
        assert found.lines == 1
        kept = lines_of(found)
        assert kept in ([], [own])
        assert found.text.tobytes() == b"".join(line + b"\n" for line in kept)
        if kept:
            if keep is not EVERYTHING:
                check_kept(own)
            assert not found.canonical[0] or written(kept) == {own}
            if read:
                node = ox.BlankNode
                is_blank = isinstance(read[0].subject, node) or isinstance(read[0].object, node)
                assert found.has_blank[0] == is_blank
        elif len(read) == 1 and not why and _is_wikidata(read[0]) and _is_utf8(own):
            assert not found.bad.size or REFUSED.search(own), own


def _is_utf8(line: bytes) -> bool:
    """Tell whether a line is text: Oxigraph does not look into comments, the scanner does."""
    return line.decode("utf-8", "ignore").encode() == line


def _is_wikidata(triple: ox.Triple) -> bool:
    """Tell whether a triple has an entity, or a page, as its subject."""
    return str(triple.subject).startswith((f"<{wikidata.ENTITY}", f"<{wikidata.ENTITY_PAGE}"))


# Bytes that are no UTF-8: alone, cut short, too long, of surrogates, beyond U+10FFFF.
WRONG = [
    *(b"\x80", b"\xff", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf"),
    *(b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf"),
    *(b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\xa6"),
]
EDGES = "\x00\x01\x1f \x7f\x80\x85\xa0·×÷̀ͯͿ;‌‿⁰\u2028\ud7ff\ue000\ufdd0�\ufffe\uffff𐀀\U000effff"
EDGES += "\U000f0000\U0010ffff"
ESCAPES = [
    *(rb"\t", rb"\b", rb"\n", rb"\r", rb"\f", rb"\"", rb"\'", rb"\\"),
    *(rb"\x", rb"\a", rb"\0", rb"\ ", rb"\N", "\\é".encode(), b"\\"),
    *(rb"\u0041", rb"\u00e9", rb"\u00E9", rb"\u0000", rb"\u000A", rb"\uFFFE", rb"\uD7FF"),
    *(rb"\uD800", rb"\uDFFF", rb"\uD83E\uDD8A", rb"\uE000", rb"\u", rb"\u1", rb"\u12", rb"\u123"),
    *(rb"\u12G4", rb"\u 123", rb"\U0001F98A", rb"\U00000041", rb"\U0010FFFF", rb"\U00110000"),
    *(rb"\UFFFFFFFF", rb"\U0000D800", rb"\U0001F98", rb"\U", rb"\U1", rb"\u0020", rb"\u003E"),
]
LETTERS = (
    st.sampled_from(ESCAPES)
    | st.sampled_from(WRONG)
    | st.sampled_from(EDGES).map(lambda c: c.encode())
    | st.characters(exclude_characters="\n", exclude_categories=["Cs"]).map(lambda c: c.encode())
    | st.sampled_from([b"<", b">", b"{", b"|", b"`", b"%", b"%20", b"%zz", b"[", b":", b"@en"])
)
PLAIN_LETTERS = st.sampled_from("abcxyz 0189.-_:@#<>\té�漢𐀀").map(lambda c: c.encode())


def texts(size: int = 8) -> st.SearchStrategy[bytes]:
    """Return texts that are mostly valid."""
    mixed = st.lists(PLAIN_LETTERS, max_size=size).map(b"".join)
    return st.tuples(mixed, st.just(b"") | LETTERS, mixed).map(b"".join)


def sampled(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words.split(" "))


PARTS = st.from_regex(r"\A[A-Za-z]{1,9}\Z") | st.from_regex(r"\A[A-Za-z0-9]{0,9}\Z")
TAGS = sampled(
    "en mul EN En en-gb en-GB en-x en-x-a en-a en-a-bb en-419 en-1901 e 1en en1 en- -en "
    "abcdefgh abcdefghi en-abcdefgh en-abcdefghi de-1996 zh-hans zh-Hans a a-b i-klingon"
) | st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: "-".join(["en", *parts][-3:]))
HOSTS = sampled("[1::8] [::1]:80 u:p@[::1] u@v@w a:1:2 a:1x@b a@b:c a:80 u@a:1")
IRIS = (
    st.sampled_from(
        [
            *(b"http://a/", b"urn:a", b"a:", b":", b"", b"a"),
            *(b"1a:b", b"a+.-9:b", b"+a:b", b"a b:c"),
            *(f"{wikidata.ENTITY}Q5".encode(), f"{wikidata.ENTITY}P5".encode()),
            *(f"{wikidata.ENTITY}Q05".encode(), f"{wikidata.ENTITY}Q1234567890".encode()),
            *(f"{wikidata.UNKNOWN_VALUE}8f2a".encode(), f"{wikidata.NO_VALUE}P5".encode()),
            *(b"http://[::1]/", b"http://[", b"http://a:b/", b"http://a:99999999/"),
            b"http://a/\\u0041",
            *(f"{XSD}string".encode(), f"{XSD}decimal".encode(), f"{XSD}dateTime".encode()),
            wikidata.WKT.encode(),
        ]
    )
    | texts().map(lambda text: b"http://a/" + text)
    | HOSTS.map(lambda host: f"http://{host}/".encode())
    | st.text("a1%zF[]:@/?#.~\u00e9\ue000", max_size=8).map(lambda text: f"http:/{text}".encode())
    | texts().map(lambda text: wikidata.UNKNOWN_VALUE.encode() + text)
    | texts(3)
)
DATES = sampled(
    "1952-03-11T00:00:00Z 2000-02-28T00:00:00Z 2000-02-29T00:00:00Z 1900-02-30T00:00:00Z "
    "0000-01-01T00:00:00Z 0001-01-01T00:00:00Z -0043-03-15T00:00:00Z 12345-01-01T00:00:00Z "
    "1952-13-01T00:00:00Z 1952-00-01T00:00:00Z 1952-04-31T00:00:00Z 1952-03-11T24:00:00Z "
    "1952-03-11T00:00:00+01:00 1952-03-11T12:30:00Z +1952-03-11T00:00:00Z 1952-03-11 x"
).map(str.encode)
NUMBERS = st.sampled_from(["+1", "1", "-0", "+1.50", "1.", ".5", "1e5", "", "abc"]).map(str.encode)
STRINGS = (
    texts()
    | st.lists(LETTERS | PLAIN_LETTERS, max_size=9).map(b"".join)
    | st.text(max_size=20).map(lambda t: t.replace("\n", "").encode("utf-8", "surrogatepass"))
)
NODES = sampled(
    "_:a _:genid00000003 _:0 _:9a _:_ _:: _:a:b _:a.b _:a..b _:a. _:.a _:-a _:a-b _:a- _:·a _:a· "
    "_:é _:é.é _:\u0301 _:a\u0301 _:\u203f _:a\u203f _:× _:a÷ _:\u037e _:\u0370 _:\ufffd "
    "_:\U000f0000 _:\U000effff _: _ _:a#b _:a%b _:a\xa0b _x"
).map(str.encode) | texts(4).map(lambda text: b"_:" + text)
LITERALS = st.one_of(
    STRINGS.map(lambda text: b'"%b"' % text),
    st.tuples(STRINGS, TAGS).map(lambda both: b'"%b"@%b' % (both[0], both[1].encode())),
    st.tuples(STRINGS | DATES | NUMBERS, IRIS).map(lambda both: b'"%b"^^<%b>' % both),
    DATES.map(lambda text: b'"%b"^^<%b>' % (text, f"{XSD}dateTime".encode())),
    NUMBERS.map(lambda text: b'"%b"^^<%b>' % (text, f"{XSD}decimal".encode())),
    STRINGS.map(lambda text: b'"%b"^^<%b>' % (text, wikidata.WKT.encode())),
    st.sampled_from(
        [
            *(b"", b'"', b'"a', b'"a\\"', b'"a"@', b'"a"^', b'"a"^^', b'"a"^^<', b'"a"^^<a:b'),
            b"5",
            b"'a'",
            *(b'"a"^<a:b>', b'"a"@en^^<a:b>', b'"a"b', b'"a""b"', b"<a:b", b"true", b"<<a:b>>"),
        ]
    ),
)
OBJECTS = LITERALS | IRIS.map(lambda iri: b"<%b>" % iri) | NODES
PREDICATES = st.sampled_from(
    [
        *(PREDICATE, PREDICATE, LABEL, LABEL, f"<{wikidata.ALIAS}>".encode()),
        *(f"<{iri}>".encode() for iri in (wikidata.DESCRIPTION, wikidata.SAME_AS, wikidata.TYPE)),
        *(f"<{wikidata.PRECISION}P569>".encode(), f"<{wikidata.NORMALIZED}P1>".encode()),
        *(f"<{wikidata.DIRECT}P131072>".encode(), f"<{wikidata.DIRECT}P0>".encode()),
        *(f"<{wikidata.REPEATED_LABELS[0]}>".encode(), b"<http://a/b>"),
    ]
)
SUBJECTS = st.sampled_from(
    [*[SUBJECT] * 6, f"<{wikidata.ENTITY}P31>".encode(), b"_:a", b"<http://a/b>"]
)
GAPS = st.sampled_from([b" "] * 8 + [b"", b"  ", b"\t", b" \t ", b"\r", b"\xc2\xa0"])
STOPS = st.sampled_from(
    [b" ."] * 8
    + [b".", b"\t.", b" . ", b" .\t", b" .  # no . stop", b" .#", b" .\r", b" . #\r", b""]
    + [b" . # a ."]
    + [b" . # \xff", b" . # \xc3\xa9", b" . #x\rjunk", b" . # \x00", b" ..", b" . .", b" . <a:b>"]
)


@settings(max_examples=100)
@given(SUBJECTS, GAPS, PREDICATES, GAPS, OBJECTS, STOPS)
@example(SUBJECT, b" ", PREDICATE, b" ", "_:\u0301".encode(), b" .")
@example(SUBJECT, b" ", PREDICATE, b" ", b"<http://a:b/>", b" .")
@example(SUBJECT, b"  ", PREDICATE, b" ", OBJECT, b" .")
@example(SUBJECT, b" ", PREDICATE, b" ", OBJECT, b" . #x .")
@example(SUBJECT, b" ", PREDICATE, b" ", OBJECT, b" . #\r" + SUBJECT + PREDICATE + b"<a:b> .")
@example(SUBJECT, b" ", f"<{wikidata.SAME_AS}>".encode(), b" ", rb'"\u0041"', b" .")
@example(SUBJECT, b" ", f"<{wikidata.SAME_AS}>".encode(), b" ", b"_:a", b" .")
def test_any_terms(subject, first, predicate, second, value, stop):
    check(b"".join((subject, first, predicate, second, value, stop)))


@settings(max_examples=100)
@given(PREDICATES, OBJECTS, st.data())
def test_cut_and_doubled_bytes(predicate, value, data):
    line = b" ".join((SUBJECT, predicate, value, b"."))
    at = data.draw(st.integers(0, len(line)))
    again = data.draw(st.integers(0, len(line)))
    check((line[:at] + line[again:]).replace(b"\n", b""))


@pytest.mark.parametrize("form", ['"{}"', '"a{}b"@en', "_:{}", "_:a{}", "_:a{}b", "<a:{}>"])
def test_letters_at_the_edges_of_ranges(form):
    for letter in EDGES + "\u0300\u036f\u0370\u037d\u203f":
        check(b" ".join((SUBJECT, PREDICATE, form.format(letter).encode(), b".")))


@pytest.mark.parametrize(
    "form", [b'"a%b"', b"<a:%b>", b'"a"^^<a:%b>', b"_:a%b", b"%b", b'"a"%b', b'"\\%b"']
)
def test_each_byte(form):
    for code in {*range(256)} - {ord("\n")}:
        check(b" ".join((SUBJECT, PREDICATE, form % bytes([code]), b".")))


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (rb'"\uD83E\uDD8A"@en', False),  # two surrogates are no letter here: RDF has no UTF-16
        (rb'"\U0001F98A"@en', True),
        (rb'"\u00e9"@en', True),
        (rb'"\u00e"@en', False),
        (b'"\xed\xa0\x80"@en', False),
        (b'"\xc0\x80"@en', False),
        (b'"\xf4\x8f\xbf\xbf"@en', True),
        (b'"a\tb"@en', True),  # unusual, yet allowed
        (b'"a\rb"@en', False),
        (b'"a"@en-abcdefgh', True),
        (b'"a"@en-abcdefghi', False),
        (b'"a"@en-1-2', True),
        (b'"a"@en-', False),
        (b'"a"@en--a', False),
        ("_:\u0301a".encode(), False),
        ("_:a\u0301".encode(), True),
        (b"_:a.b", True),
        (b"_:.a", False),
        (b"<http://a/%zz>", False),  # which the grammar allows, but no store that follows RFC 3987
        (b"<http://a/[b>", False),
        (b"<http://[::1]/b>", False),
        (b"<http://a/\\u0041>", True),
        (b"<http://a/\\u0020>", False),
        (b"<http://a/ >", False),
        (b"<//a/b>", False),
    ],
)
def test_valid_lines(line, kept):
    predicate = LABEL if b"@" in line else PREDICATE
    line = b" ".join((SUBJECT, predicate, line, b"."))
    found = scanned(line + b"\n", ALL)
    assert (lines_of(found) == [line]) is kept
    assert (len(found.bad) == 0) is kept


PLAIN = {
    "item": f"{wikidata.DIRECT}P31> <{wikidata.ENTITY}Q5>",
    "no value": f"{wikidata.TYPE}> <{wikidata.NO_VALUE}P26>",
    "redirect": f"{wikidata.SAME_AS}> <{wikidata.ENTITY}Q5>",
    "label": f'{wikidata.LABEL}> "Édith 𐀀 � a@b <c> # . d"@en',
    "date": f'{wikidata.DIRECT}P569> "1952-03-11T00:00:00Z"^^<{XSD}dateTime>',
    "point": f'{wikidata.DIRECT}P625> "Point(-98.5 39.8)"^^<{wikidata.WKT}>',
    "precision": f'{wikidata.PRECISION}P569> "1952-03-11T00:00:00Z/11"',
}


@pytest.mark.parametrize("rest", PLAIN.values(), ids=PLAIN)
def test_plain_lines(rest):
    line = SUBJECT + f" <{rest} .".encode()
    assert written([line]) == {line}
    assert scanned(line + b"\n").canonical.tolist() == [True]
    # Where it stands in other ways, it is not plain: Oxigraph would write it as above.
    subject, predicate, value = line.removesuffix(b" .").split(b" ", 2)
    for gaps in ((b"  ", b" ", b" "), (b" ", b"\t", b" "), (b" ", b" ", b"  "), (b"", b" ", b" ")):
        for end in (b".", b". ", b". # a", b". #a ."):
            odd = subject + gaps[0] + predicate + gaps[1] + value + gaps[2] + end
            found = scanned(odd + b"\n")
            assert (lines_of(found), found.canonical.tolist()) == ([odd], [False])
            assert written([odd]) == {line}
    found = scanned(b" " + line + b"\n" + line + b" # a .\n" + line + b"\r\n")
    assert found.canonical.tolist() == [False, False, True]


def test_contents_of_the_arrays():
    text = (
        triples(
            """
            wd:Q42 wdt:P31 wd:Q5
            wd:P26 wdt:P1696 wd:P40
            wd:Q1 wdt:P214 "dropped"
            wd:Q999999999 wdt:P131071 wd:Q1
            wd:Q7 wdt:P131072 wd:Q2
            wd:Q7 rdfs:label "a"@en
            wd:Q7 skos:altLabel "b\\u0041"@en
            wd:Q7 schema:description "c"@en
            wd:Q7 <http://www.w3.org/2002/07/owl#sameAs> wd:Q8
            wd:Q7 rdf:type wdno:P26
            wd:Q7 wdt:P570 _:b0
            wd:Q7 <urn:kgbuild:precision:P570> "x/9"
            wd:Q7 <http://a/b> wd:Q1
            """
        )
        + "bad\r\n# comment\n"
        + triples("wd:Q8 wdt:P1 wd:Q3").replace("\n", "\r\n")
    )
    found = scanned(text.encode())
    assert found.lines == 16
    assert found.indexes.tolist() == [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15]
    assert found.subject.tolist() == [42, -26, 999_999_999, *[7] * 8, 8]
    named = (rules.LABEL, rules.ALIAS, rules.DESCRIPTION, rules.SAME_AS, rules.TYPE)
    assert found.predicate.tolist() == [31, 1696, 131_071, 0, *named, 570, rules.PRECISION, 1]
    assert found.object.tolist() == [5, -40, 1, 2, 0, 0, 0, 8, 0, 0, 0, 3]
    assert found.canonical.tolist() == [True] * 5 + [False] + [True] * 3 + [False, True, True]
    assert np.flatnonzero(found.has_blank).tolist() == [9]
    raw = [line.removesuffix("\r").encode() for line in text.split("\n")]
    kept = [raw[n] for n in found.indexes]
    assert lines_of(found) == kept
    assert found.ends.tolist() == list(itertools.accumulate(len(line) + 1 for line in kept))
    assert found.text.tobytes() == b"".join(line + b"\n" for line in kept)
    ((place, start, end),) = found.bad.tolist()
    assert (place, text.encode()[start:end]) == (13, b"bad")
    dropped = [rules.DROP_STRING, rules.METADATA, rules.NOT_TRIPLE]  # a line of each
    assert np.flatnonzero(found.dropped).tolist() == dropped


def test_a_block_without_lines():
    found = scanned(b"")
    assert (found.lines, found.ends.size, found.bad.size, found.text.size) == (0, 0, 0, 0)
    assert scanned(b"\n").lines == 1


def check_places(text: bytes, keep: Filter) -> None:
    """Check that a block is scanned as its lines are one by one."""
    found = scanned(text, keep)
    lines = text.split(b"\n")[:-1]
    assert found.lines == len(lines)
    alone = [scanned(line + b"\n", keep) for line in lines]
    kept = [n for n, one in enumerate(alone) if len(one.ends)]
    assert found.indexes.tolist() == kept
    assert lines_of(found) == [alone[n].line(0) for n in kept]
    for name in ("subject", "predicate", "object", "canonical", "has_blank"):
        expected = [getattr(alone[n], name)[0] for n in kept]
        assert getattr(found, name).tolist() == expected
    assert found.bad[:, 0].tolist() == [n for n, one in enumerate(alone) if len(one.bad)]
    for place, start, end in found.bad.tolist():
        assert text[start:end] == lines[place].removesuffix(b"\r")


@pytest.mark.parametrize("keep", [USUAL, ALL, EVERYTHING], ids=["usual", "all", "everything"])
@pytest.mark.parametrize("fill", [b"x", b"#", b" ", b"\xff", b'"', b"\\", b"\r", b"\x0b", b"\x8a"])
def test_lines_of_every_length(keep, fill):
    # The scanner looks for line ends eight bytes at a time: each place modulo 8 has its turn.
    # 0x0B and 0x8A are the bytes that such a search takes for 0x0A if it is done wrongly.
    lines = [fill * n for n in range(41)]
    for first in range(8):
        check_places(b"".join(line + b"\n" for line in [b"-" * first, *lines]), keep)
    labels = [b'%b %b "%b"@en .' % (SUBJECT, LABEL, b"y" * n) for n in range(41)]
    mixed = itertools.chain.from_iterable(zip(lines, labels, strict=True))
    check_places(b"".join(line + b"\n" for line in mixed), keep)


TAILS = [
    *(b'%b %b "%b' % (SUBJECT, PREDICATE, b"y" * n) for n in range(10)),
    *(b'%b %b "a\\' % (SUBJECT, PREDICATE), b"_:", b"_:a", b'_:a <b> "', b"<", b"<a", b"<a>", b"_"),
    *(b"%b %b %b" % (SUBJECT, PREDICATE, OBJECT[:n]) for n in range(len(OBJECT) + 1)),
    *(b"%b %b" % (SUBJECT, LABEL[:n]) for n in range(0, len(LABEL) + 1, 3)),
    *(SUBJECT[:n] for n in range(1, len(SUBJECT))),
    *(b'%b %b "a"%b' % (SUBJECT, LABEL, end) for end in (b"@", b"@e", b"@en", b"^", b"^^", b"^^<")),
    *(b'%b %b "%b' % (SUBJECT, LABEL, cut) for cut in (b"\xc3", b"\xe2\x82", b"\\u12", b"\\U1")),
]


@pytest.mark.parametrize("keep", [USUAL, ALL], ids=["usual", "all"])
def test_nothing_is_read_beyond_a_line_or_the_block(keep):
    # What follows a line would complete it, had the scanner read on; and what stands in
    # memory behind a block must not matter.
    good = b" ".join((SUBJECT, PREDICATE, OBJECT, b"."))
    completions = (b'y"@en .\n', b"> .\n", b'" .\n', b" .\n", b"\x82\xac\n", good + b"\n", b"")
    for tail in TAILS:
        for behind in completions:
            room = good + b"\n" + tail + b"\n"
            memory = np.frombuffer(room + behind, np.uint8)
            found = scanned(memoryview(memory)[: len(room)], keep)
            assert (found.lines, lines_of(found)) == (2, [good])
            assert len(found.bad) == 1
            check_places(room + behind, keep)


def bits(*numbers: int) -> bitmaps.Bitmap:
    members = bitmaps.bitmap()
    bitmaps.add(members, np.array(numbers, np.int64))
    return members


@pytest.mark.parametrize(
    ("shorthand", "kept"),
    [
        # Of an item that is chosen, all; Q1 is.
        ("wd:Q1 wdt:P40 wd:Q9", True),
        ('wd:Q1 rdfs:label "x"@en', True),
        ('wd:Q1 <urn:kgbuild:precision:P569> "x/9"', True),
        ("wd:Q1 rdf:type wdno:P26", True),
        ('wd:Q1 rdfs:label "x"@de', False),  # the other rules hold
        # Of one that is pointed to, names, class and place; Q2 is.
        ('wd:Q2 rdfs:label "x"@en', True),
        ('wd:Q2 skos:altLabel "x"@en', True),
        ('wd:Q2 schema:description "x"@en', True),
        ("wd:Q2 wdt:P31 wd:Q9", True),
        ("wd:Q2 wdt:P17 wd:Q9", True),
        ("wd:Q2 wdt:P40 wd:Q1", False),
        ("wd:Q2 wdt:P131072 wd:Q1", False),
        ("wd:Q2 rdf:type wdno:P26", False),
        ('wd:Q2 <urn:kgbuild:precision:P569> "x/9"', False),
        # A redirect is kept for what it leads to.
        ("wd:Q9 <http://www.w3.org/2002/07/owl#sameAs> wd:Q1", True),
        ("wd:Q9 <http://www.w3.org/2002/07/owl#sameAs> wd:Q2", True),
        ("wd:Q2 <http://www.w3.org/2002/07/owl#sameAs> wd:Q9", False),
        ("wd:Q1 <http://www.w3.org/2002/07/owl#sameAs> wd:Q9", True),
        ("wd:Q9 <http://www.w3.org/2002/07/owl#sameAs> wd:Q9", False),
        # Of others nothing, wherever their number lies in a byte, or beyond the bitmap.
        *((f"wd:Q{n} wdt:P31 wd:Q1", False) for n in (3, 8, 9, 10, 17, 257, 999_999_999)),
        # Properties come along.
        ("wd:P1 wdt:P31 wd:Q9", True),
        ('wd:P2 rdfs:label "x"@en', True),
    ],
)
def test_selection_of_items(shorthand, kept):
    text = triples(shorthand).encode()
    found = scanned(text, USUAL, bits(1), bits(2))
    assert (len(found.ends) == 1) is kept
    # Nothing is kept only because items are selected.
    assert len(found.ends) <= len(scanned(text).ends)


def test_short_bitmaps():
    # They may end before an item's number: such an item is not in them.
    chosen = np.array([0b10], np.uint8)  # Q1
    text = b"".join(triples(f"wd:Q{n} wdt:P40 wd:Q1").encode() for n in (1, 7, 8, 9, 10**6))
    assert scanned(text, USUAL, chosen, chosen[:0]).subject.tolist() == [1]
    assert scanned(text, USUAL, chosen[:0], chosen[:0]).subject.tolist() == []


def test_other_predicates_are_never_basic():
    # With everything, lines of any predicate get as far as the selection.
    keep = replace(EVERYTHING, properties=("P40",))
    text = triples("wd:Q2 <http://a/b> wd:Q1\nwd:Q2 wdt:P31 wd:Q1").encode()
    made = keep.rules((bits(1), bits(2)))
    made.table[rules.KINDS_AT - 1] = True  # what the code of none must not be taken for
    assert scanner.scan(text, scanner.count_lines(text), made).predicate.tolist() == [31]
