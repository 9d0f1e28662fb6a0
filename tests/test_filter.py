"""What is kept of a dump, line by line, and why the rest is dropped."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.dump import reader
from kgbuild.dump.filter import Filter, sift
from kgbuild.dump.kinds import REASONS
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning import rules
from tests.conftest import data, triples

XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"

KEPT = {
    "item": "wd:Q42 wdt:P31 wd:Q5",
    "property": "wd:P26 wdt:P1696 wd:P26",
    "date": f'wd:Q42 wdt:P569 "1952-03-11T00:00:00Z"^^<{XSD}dateTime>',
    "date before Christ": f'wd:Q1048 wdt:P570 "-0043-03-15T00:00:00Z"^^<{XSD}dateTime>',
    "quantity": f'wd:Q42 wdt:P2048 "+1.96"^^<{XSD}decimal>',
    "coordinates": f'wd:Q30 wdt:P625 "Point(-98.5795 39.828175)"^^<{WKT}>',
    "coordinates elsewhere": (
        f'wd:Q1 wdt:P625 "<http://www.wikidata.org/entity/Q405> Point(23.4 0.6)"^^<{WKT}>'
    ),
    "unknown value": "wd:Q24 wdt:P570 _:genid00000003",
    "unknown value, other name": "wd:Q24 wdt:P570 _:b0-1.x",
    "unknown value, other form": (
        "wd:Q24 wdt:P570 <http://www.wikidata.org/.well-known/genid/8f2a3c5b>"
    ),
    "no value": "wd:Q619 rdf:type wdno:P26",
    "redirect": "wd:Q11111 <http://www.w3.org/2002/07/owl#sameAs> wd:Q22222",
    "label": 'wd:Q42 rdfs:label "Douglas Adams"@en',
    "label for all languages": 'wd:Q42 rdfs:label "Douglas Adams"@mul',
    "label of a region": 'wd:Q42 rdfs:label "colour"@en-gb',
    "label with quotes": r'wd:Q42 rdfs:label "the \"Hitchhiker\"\\"@en',
    "label with an escape": r'wd:Q42 rdfs:label "\u00C9dith \U0001F98A"@en',
    "label that looks like a tag": 'wd:Q42 rdfs:label "a@de .  b"@en',
    "alias": 'wd:Q42 skos:altLabel "DNA"@en',
    "description": 'wd:Q42 schema:description "English author"@en',
    "label of a property": 'wd:P26 rdfs:label "spouse"@en',
    "text of a language": 'wd:Q145 wdt:P1549 "British"@en',
    "empty text": 'wd:Q145 wdt:P1549 ""@en',
}

DROPPED = {
    "other_language": [
        'wd:Q42 rdfs:label "Douglas Adams"@de',
        'wd:Q42 skos:altLabel "DNA"@fr',
        'wd:Q42 schema:description "englischer Schriftsteller"@de-ch',
        'wd:Q42 rdfs:label "x"@enm',  # Middle English: begins with en, but is another code
        'wd:Q42 rdfs:label "x"@zh-hans',
        'wd:Q145 wdt:P1549 "Brite"@de',
    ],
    "repeated_label": [
        'wd:Q42 skos:prefLabel "Douglas Adams"@en',
        'wd:Q42 schema:name "Douglas Adams"@en',
        'wd:Q42 schema:name "Douglas Adams"@de',
        'wd:Q42 skos:prefLabel "Douglas Adams"@mul',
    ],
    "string": [
        'wd:Q42 wdt:P214 "113230702"',
        r'wd:Q24 wdt:P4839 "Entity[\"FictionalCharacter\", \"JackBauer\"]"',
    ],
    "normalized": [
        "wd:Q42 <http://www.wikidata.org/prop/direct-normalized/P214>"
        " <http://viaf.org/viaf/113230702>"
    ],
    "link": [
        "wd:Q42 wdt:P18 <http://commons.wikimedia.org/wiki/Special:FilePath/Adams_(1).jpg>",
        "wd:Q42 wdt:P856 <https://douglasadams.com/>",
        "wd:Q42 wdt:P6254 <http://www.wikidata.org/entity/L42-F1>",
        "wd:Q42 wdt:P31 <http://www.wikidata.org/entity/Q05>",  # no id
        "wd:Q42 wdt:P31 <http://www.wikidata.org/entity/Q9999999999999>",  # nor that, of 13 digits
    ],
    "other_value": [
        f'wd:Q42 wdt:P1082 "7"^^<{XSD}integer>',
        r'wd:Q11518 wdt:P2534 "<math>c^{2}</math>"^^<http://www.w3.org/1998/Math/MathML>',
    ],
    "type": [
        "wd:Q42 rdf:type <http://wikiba.se/ontology#Item>",
        "wd:Q42 rdf:type <http://wikiba.se/ontology-beta#Item>",
    ],
    "page": [
        "<https://www.wikidata.org/wiki/Special:EntityData/Q42> schema:about wd:Q42",
        '<https://www.wikidata.org/wiki/Special:EntityData/Q42> schema:softwareVersion "1.0.0"',
    ],
    "blank_subject": [
        "_:genid42 <http://www.w3.org/2002/07/owl#onProperty> wdt:P26",
        "_:genid42 rdf:type <http://www.w3.org/2002/07/owl#Restriction>",
    ],
    "metadata": [
        "wdno:P26 rdf:type <http://www.w3.org/2002/07/owl#Class>",
        "wdt:P26 rdf:type <http://www.w3.org/2002/07/owl#ObjectProperty>",
        "wd:P26 <http://wikiba.se/ontology#directClaim> wdt:P26",
        f'wd:Q42 <http://wikiba.se/ontology#statements> "7"^^<{XSD}integer>',
        "wd:Q042 wdt:P31 wd:Q5",  # a subject that is no entity
        "wd:L42 rdfs:label wd:Q5",
    ],
}

NOT_TRIPLES = ["", " ", "\t \t", "# a comment", "  # a comment", "#", "# wd:Q1 wdt:P31 wd:Q5 ."]

BAD = [
    "x",
    ".",
    "<a> <b> <c>",  # no full stop
    "<a> <b> .",
    "<a> .",
    "<a b> <c>",
    '{"id": "Q42", "labels": {}},',
    '<a> <b> "c"@en',
    'wd:Q1 rdfs:label "x"@en .',  # Turtle
    "<a> <b> <c> . <d>",
    "\ufeff<a> <b> <c> .",  # a byte order mark that is not at the start of the file
    "<a>\u00a0<b> <c> .",  # a space that is none in N-Triples
]


def verdict(line: bytes, keep: Filter) -> str:
    """Return what becomes of a line: kept, bad, or the reason why it is dropped."""
    sliced = sliced_by(keep, line, 1)
    counts = Counter(sliced.dropped)
    counts += Counter({"kept": len(sliced.kept), "bad": len(sliced.bad)})
    ((found, count),) = counts.items()
    assert count == 1
    return found


@dataclass
class Sliced:
    """What became of a text's lines."""

    kept: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    bad: list[tuple[int, bytes]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def sliced_by(keep: Filter, text: bytes, first: int) -> Sliced:
    scanned = sift(Block(first, text, frozenset()), keep.rules())
    return Sliced(
        [scanned.line(n) + b"\n" for n in range(len(scanned.ends))],
        [first + place for place in scanned.indexes.tolist()],
        [(first + place, text[start:end]) for place, start, end in scanned.bad.tolist()],
        +Counter(dict(zip(rules.VERDICTS, scanned.dropped.tolist(), strict=True))),
    )


def line(shorthand: str) -> bytes:
    return triples(shorthand).encode()


@pytest.mark.parametrize("text", NOT_TRIPLES)
@pytest.mark.parametrize("keep", [Filter(), Filter(everything=True)], ids=["en", "everything"])
def test_empty_lines_and_comments(keep, text):
    assert verdict(f"{text}\n".encode(), keep) == "not_triple"
    assert verdict(f"{text}\r\n".encode(), keep) == "not_triple"


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("keep", [Filter(), Filter(everything=True)], ids=["en", "everything"])
def test_lines_unlike_triples_are_bad(keep, text):
    sliced = sliced_by(keep, f"{text}\r\n".encode(), 3)
    assert sliced == Sliced(bad=[(3, text.encode())])


def test_every_reason_to_drop_has_an_example_and_words():
    of_json = {"other_entity", "empty_entity", "no_language"}
    of_lines = {*DROPPED, "not_triple", "name", "other_property", "other_item"}
    assert of_lines | of_json == set(REASONS)
    assert {"keep", *REASONS, "bad"} == set(rules.VERDICTS)


@pytest.mark.parametrize(
    ("reason", "shorthand"),
    [
        *(("kept", text) for text in KEPT.values()),
        *((reason, text) for reason in DROPPED for text in DROPPED[reason]),
    ],
)
def test_what_becomes_of_a_line_with_any_spaces_and_line_ends(reason, shorthand):
    subject, predicate, value = triples(shorthand).removesuffix(" .\n").split(" ", 2)
    for space, end in (
        *((" ", " .\n"), (" ", ".\n"), (" ", " .\r\n")),
        *(("\t", " .\n"), ("  ", "  .  \n"), (" \t ", "\t.\t\n")),
    ):
        # A full stop that follows a blank node's name at once is not told from the name.
        gap = " " if value.startswith("_:") and end.startswith(".") else ""
        text = space.join((subject, predicate, value)) + gap + end
        assert verdict(text.encode(), Filter()) == reason, text


@pytest.mark.parametrize(
    ("languages", "kept"),
    [
        (("en",), {"en", "en-gb", "mul"}),
        (("de",), {"de", "de-ch", "mul"}),
        (("en", "de"), {"en", "en-gb", "de", "de-ch", "mul"}),
        (("pt-br",), {"pt-br", "mul"}),
        (("en-gb",), {"en-gb", "mul"}),
        (("mul",), {"mul"}),
        (("e.",), {"mul"}),  # a code is no expression
    ],
)
def test_languages(languages, kept):
    codes = ["en", "en-gb", "de", "de-ch", "pt", "pt-br", "mul", "enm", "ende"]
    codes += [code.upper() for code in codes]
    for shorthand in ("rdfs:label", "skos:altLabel", "schema:description", "wdt:P1549"):
        found = {
            code
            for code in codes
            if verdict(line(f'wd:Q42 {shorthand} "x"@{code}'), Filter(languages)) == "kept"
        }
        assert found == kept | {code.upper() for code in kept}


def test_texts_without_a_language_are_kept():
    for shorthand in KEPT.values():
        if "@" not in shorthand:
            assert verdict(line(shorthand), Filter(("ja",))) == "kept"


@pytest.mark.parametrize(
    "shorthand", [*KEPT.values(), *(text for texts in DROPPED.values() for text in texts)]
)
def test_option_to_keep_everything(shorthand):
    assert verdict(line(shorthand), Filter(everything=True)) == "kept"


@pytest.mark.parametrize(
    ("reason", "shorthand", "keep"),
    [
        ("other_property", "wd:Q42 wdt:P26 wd:Q5", Filter(properties=("P40",))),
        ("other_property", 'wd:Q42 wdt:P214 "1"', Filter(properties=("P40",))),
        ("other_property", "wd:Q42 rdf:type wdno:P26", Filter(properties=("P40",))),
        (
            "other_property",
            'wd:Q42 <urn:kgbuild:precision:P569> "1952-03-11T00:00:00Z/11"',
            Filter(properties=("P40",)),
        ),
        ("kept", "wd:Q42 wdt:P40 wd:Q5", Filter(properties=("P40",))),
        ("kept", "wd:Q42 wdt:P131 wd:Q5", Filter(properties=("P40",))),  # the place chain
        ("other_property", "wd:Q42 wdt:P131072 wd:Q5", Filter(properties=("P40",))),
        ("kept", "wd:Q42 wdt:P131072 wd:Q5", Filter()),
        ("name", 'wd:Q42 skos:altLabel "DNA"@en', Filter(aliases=False)),
        ("name", 'wd:Q42 schema:description "x"@en', Filter(descriptions=False)),
        ("kept", 'wd:Q42 schema:description "x"@en', Filter(aliases=False)),
        ("kept", 'wd:Q42 rdfs:label "x"@en', Filter(aliases=False, descriptions=False)),
        ("kept", 'wd:Q42 wdt:P214 "1"', Filter(kinds=("string",))),
        ("kept", "wd:Q42 wdt:P856 <https://douglasadams.com/>", Filter(kinds=("link",))),
        ("bad", "wd:Q42 wdt:P856 <https://a b/>", Filter(kinds=("link",))),
        ("bad", "wd:Q42 wdt:P856 <relative>", Filter(kinds=("link",))),
        ("link", "wd:Q42 wdt:P856 <relative>", Filter()),
        ("other_value", "wd:Q42 wdt:P31 wd:Q5", Filter(kinds=("string",))),
        ("kept", 'wd:Q42 rdfs:label "x"@en', Filter(kinds=("item",))),  # names are no values
        ("other_language", 'wd:Q42 rdfs:label "x"@de', Filter(kinds=("item",))),
        ("other_value", 'wd:Q42 wdt:P1476 "x"@en', Filter(kinds=("item",))),
        ("other_property", 'wd:P26 rdfs:label "spouse"@en', Filter(properties=("P40",))),
        ("kept", 'wd:P40 rdfs:label "child"@en', Filter(properties=("P40",))),
        ("kept", f'wd:Q42 wdt:P1 "7"^^<{XSD}integer>', Filter(kinds=("other",))),
    ],
)
def test_other_options_of_a_filter(reason, shorthand, keep):
    assert verdict(line(shorthand), keep) == reason


def test_numbers_and_order_of_lines():
    text = b"".join(
        [
            line("wd:Q1 wdt:P31 wd:Q5"),  # 11
            b"bad\n",
            line('wd:Q1 wdt:P214 "1"'),
            b"\n",
            line("wd:Q2 wdt:P31 wd:Q5"),  # 15
            b"worse \xff\r\n",
            line('wd:Q1 wdt:P214 "2"'),
        ]
    )
    sliced = sliced_by(Filter(), text, 11)
    assert sliced.kept == [line("wd:Q1 wdt:P31 wd:Q5"), line("wd:Q2 wdt:P31 wd:Q5")]
    assert sliced.numbers == [11, 15]
    assert sliced.bad == [(12, b"bad"), (16, b"worse \xff")]
    assert sliced.dropped == {"string": 2, "not_triple": 1}


RUN = 500_000


@pytest.mark.parametrize("keep", [Filter(), Filter(everything=True)], ids=["en", "everything"])
@pytest.mark.parametrize(
    "text",
    [
        b"<a> <b>" + b" " * RUN + b"\n",
        b"<a> <b> c" + b" " * RUN + b"\n",
        b"<a> <b> c" + b" \t" * RUN + b"x\n",
        b"<a>" + b" " * RUN + b"<b> c\n",
        b" " * RUN + b"x\n",
        b"<a> <b> c" + b". " * RUN + b"x\n",
    ],
    ids=["no object", "after", "within", "no property", "before", "full stops"],
)
def test_long_runs_of_spaces_are_read_once(keep, text):
    # Tried in all its parts, such a line would take hours, and this test would never end.
    assert verdict(text, keep) == "bad"


TERMS = st.sampled_from(
    [
        *'<>"\\@^_:.# \t\r\x00',
        *("<a>", "_:b", '"c"', '"d"@en', '"e"@de', "wd:Q1", " .", "\u2028", "\x85", "é", "\udcff"),
        "<http://www.wikidata.org/entity/Q1>",
        "<http://www.wikidata.org/prop/direct/P1>",
        "<http://www.w3.org/2000/01/rdf-schema#label>",
        f"^^<{XSD}decimal>",
    ]
)
LINES = st.lists(TERMS, max_size=9).map("".join) | st.text().map(lambda t: t.replace("\n", ""))


@pytest.mark.parametrize("keep", [Filter(), Filter(everything=True)], ids=["en", "everything"])
@settings(max_examples=60)
@given(st.lists(LINES, max_size=8))
@example(["<a> <b> <c> .", "", "\r"])
def test_every_line_is_accounted_for_once(keep, lines):
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    sliced = sliced_by(keep, text, 1)
    assert len(sliced.kept) + len(sliced.bad) + sliced.dropped.total() == len(lines)
    raw = text.split(b"\n")
    for number, kept in zip(sliced.numbers, sliced.kept, strict=True):
        assert kept == raw[number - 1].removesuffix(b"\r") + b"\n"
    for number, bad in sliced.bad:
        assert bad == raw[number - 1].removesuffix(b"\r")
    assert set(sliced.dropped) <= set(REASONS)


def test_the_real_99_items():
    # As counted by grep: 30,912 = 2 × 15,456 labels repeated as prefLabel and as name.
    found: Counter[str] = Counter()
    with reader.Dump(str(data("kg/wikidata-99.truthy.nt.gz"))) as opened:
        for block in opened.blocks():
            sliced = sliced_by(Filter(), block.text, block.first)
            found += sliced.dropped
            found.update(kept=len(sliced.kept), bad=len(sliced.bad), lines=block.text.count(b"\n"))
    assert found == {
        "lines": 71_174,
        "kept": 8_412,
        "other_language": 24_955,
        "repeated_label": 30_912,
        "string": 6_301,
        "link": 495,
        "type": 99,
        "bad": 0,
    }
    assert found["lines"] == found.total() - found["lines"]
