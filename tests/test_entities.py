"""Entities of the JSON dump as the lines of the truthy dump."""

import datetime
import gzip
import itertools
import json
import re
import sys
from collections import Counter
from urllib.parse import quote, quote_plus

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild import wikidata
from kgbuild.dump.filter import Filter
from kgbuild.dump.json.entities import EVERYTHING, convert
from kgbuild.dump.json.workers import convert_here, convert_in_processes, wanted
from kgbuild.dump.kinds import KINDS
from kgbuild.dump.reader import Block
from kgbuild.errors import CorruptArchiveError, KgbuildError
from tests.conftest import data

GREGORIAN = f"{wikidata.ENTITY}Q1985727"
JULIAN = f"{wikidata.ENTITY}Q1985786"
EARTH, MOON = f"{wikidata.ENTITY}Q2", f"{wikidata.ENTITY}Q405"
DATE, POINT = f"^^<{wikidata.XSD}dateTime>", f"^^<{wikidata.WKT}>"
FILE = "http://commons.wikimedia.org/wiki/Special:FilePath/"
PAGE = "http://commons.wikimedia.org/data/main/"


_ENUM = "P1: Invalid enum value 'best' - at `$.rank`"


def entity(claims=None, **parts):
    empty = {"labels": {}, "descriptions": {}, "aliases": {}}
    return {"type": "item", "id": "Q1", **empty, "claims": claims or {}, **parts}


def statement(value, kind="string", datatype="string", name="P1", rank="normal"):
    snak = {"snaktype": "value", "property": name, "datatype": datatype}
    snak["datavalue"] = {"value": value, "type": kind}
    return {"mainsnak": snak, "type": "statement", "id": "Q1$a", "rank": rank}


def special(snaktype, guid="Q1$a", rank="normal"):
    snak = {"snaktype": snaktype, "property": "P1", "datatype": "wikibase-item"}
    return {"mainsnak": snak, "type": "statement", "id": guid, "rank": rank}


def moment(time, precision=11, calendar=GREGORIAN):
    value = {"time": time, "precision": precision, "calendarmodel": calendar}
    return statement({**value, "timezone": 0, "before": 0, "after": 0}, "time", "time")


def point(longitude, latitude, globe=EARTH):
    value = {"latitude": latitude, "longitude": longitude, "precision": 0.1, "globe": globe}
    return statement({**value, "altitude": None}, "globecoordinate", "globe-coordinate")


def thing(name, kind):
    return statement({"entity-type": kind, "id": name}, "wikibase-entityid", f"wikibase-{kind}")


def triples(entity):
    """Return the N-Triples lines of an entity."""
    return convert(dump(entity), 1).text.decode().splitlines()


def objects(*statements):
    """Return what the statements' triples, but not those of precision, say."""
    start = f"<{wikidata.ENTITY}Q1> <{wikidata.DIRECT}P1> "
    lines = [line for line in triples(entity({"P1": list(statements)})) if "precision" not in line]
    assert all(line.startswith(start) and line.endswith(" .") for line in lines)
    return [line.removeprefix(start).removesuffix(" .") for line in lines]


def dump(*entities):
    return b"".join(json.dumps(entity).encode() + b",\n" for entity in entities)


def parsed(text):
    return list(ox.parse(text, format=ox.RdfFormat.N_TRIPLES, lenient=True))


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (thing("Q42", "item"), f"<{wikidata.ENTITY}Q42>"),
        (thing("P26", "property"), f"<{wikidata.ENTITY}P26>"),
        (thing("L7", "lexeme"), f"<{wikidata.ENTITY}L7>"),
        (thing("L7-S2", "sense"), f"<{wikidata.ENTITY}L7-S2>"),
        (thing("E9", "entity-schema"), f"<{wikidata.ENTITY}E9>"),
        (statement("plain"), '"plain"'),
        (statement('a"b\\c\nd\re\tf\0'), r'"a\"b\\c\nd\re\tf\u0000"'),
        (statement("Köln 🦊"), '"Köln 🦊"'),
        (statement("0012", datatype="external-id"), '"0012"'),
        (statement("\\relative c'", datatype="musical-notation"), '"\\\\relative c\'"'),
        # A datatype that came after this was written is what its values are made of.
        (statement("new", datatype="not-yet-known"), '"new"'),
        # The dump has MathML rendered from this.
        (statement("x^2", datatype="math"), '"x^2"^^<http://www.w3.org/1998/Math/MathML>'),
        (statement("https://a.example/b?c=d#e", datatype="url"), "<https://a.example/b?c=d#e>"),
        (statement("https://a.example/é", datatype="url"), "<https://a.example/é>"),
        (statement(" http://a.example/\n", datatype="url"), "<http://a.example/>"),
        (
            statement('http://a.example/ "<>\\`^|{}%20', datatype="url"),
            "<http://a.example/%20%22%3C%3E%5C%60%5E%7C%7B%7D%20>",
        ),
        # Names of media are encoded whole, those of data as MediaWiki's addresses are.
        (statement("A é(1)/~.jpg", datatype="commonsMedia"), f"<{FILE}A%20%C3%A9%281%29%2F~.jpg>"),
        (statement("Data:A é(1)/~.map", datatype="geo-shape"), f"<{PAGE}Data:A+%C3%A9(1)/~.map>"),
        (statement("Data:A'.tab", datatype="tabular-data"), f"<{PAGE}Data:A%27.tab>"),
        (
            statement({"text": 'le "chat"', "language": "fr-ca"}, "monolingualtext"),
            r'"le \"chat\""@fr-ca',
        ),
        (
            statement({"amount": "+11150516", "unit": "1"}, "quantity"),
            f'"+11150516"^^<{wikidata.XSD}decimal>',
        ),
        (statement({"amount": "-0.50"}, "quantity"), f'"-0.50"^^<{wikidata.XSD}decimal>'),
        (point(5.4726111111111, 49.5), f'"Point(5.4726111111111 49.5)"{POINT}'),
        (point(0, -90), f'"Point(0 -90)"{POINT}'),
        (point(2.0, 1), f'"Point(2 1)"{POINT}'),
        (point(1, 1, globe=None), f'"Point(1 1)"{POINT}'),
        (point(1, 2, MOON), f'"<{MOON}> Point(1 2)"{POINT}'),
        # PHP prints 14 digits, and this exponent.
        (point(53.21852777777778, 1e-05), f'"Point(53.218527777778 1.0E-5)"{POINT}'),
        (point(-1.5e-06, 0.0001), f'"Point(-1.5E-6 0.0001)"{POINT}'),
    ],
)
def test_how_a_value_is_written(given, written):
    assert objects(given) == [written]


@pytest.mark.parametrize(
    ("time", "precision", "calendar", "written"),
    [
        ("+1952-03-11T00:00:00Z", 11, GREGORIAN, "1952-03-11T00:00:00Z"),
        ("+1952-03-11T01:02:03Z", 14, GREGORIAN, "1952-03-11T01:02:03Z"),
        # What is finer than the precision is 1, be it 0 or not.
        ("+1952-00-00T00:00:00Z", 9, GREGORIAN, "1952-01-01T00:00:00Z"),
        ("+1952-03-11T00:00:00Z", 9, GREGORIAN, "1952-01-01T00:00:00Z"),
        ("+1952-03-00T00:00:00Z", 10, GREGORIAN, "1952-03-01T00:00:00Z"),
        ("+1952-03-31T00:00:00Z", 10, GREGORIAN, "1952-03-01T00:00:00Z"),
        ("+1952-00-00T00:00:00Z", 11, GREGORIAN, "1952-01-01T00:00:00Z"),
        ("+1900-00-00T00:00:00Z", 7, GREGORIAN, "1900-01-01T00:00:00Z"),
        # Days that a month has not are its last.
        ("+1999-02-31T00:00:00Z", 11, GREGORIAN, "1999-02-28T00:00:00Z"),
        ("+2000-02-30T00:00:00Z", 11, GREGORIAN, "2000-02-29T00:00:00Z"),
        ("+1900-02-29T00:00:00Z", 11, GREGORIAN, "1900-02-28T00:00:00Z"),
        ("-0001-02-29T00:00:00Z", 11, GREGORIAN, "0000-02-29T00:00:00Z"),  # 1 BCE is a leap year
        ("-0004-02-29T00:00:00Z", 11, GREGORIAN, "-0003-02-28T00:00:00Z"),
        # Years have four digits or more.
        ("+0079-10-24T00:00:00Z", 11, GREGORIAN, "0079-10-24T00:00:00Z"),
        ("+79-10-24T00:00:00Z", 11, GREGORIAN, "0079-10-24T00:00:00Z"),
        ("+00000012025-01-02T00:00:00Z", 11, GREGORIAN, "12025-01-02T00:00:00Z"),
        # There is a year 0 in XML Schema 1.1 and none in our calendars.
        ("-0044-03-15T00:00:00Z", 11, GREGORIAN, "-0043-03-15T00:00:00Z"),
        ("-0001-00-00T00:00:00Z", 9, GREGORIAN, "0000-01-01T00:00:00Z"),
        ("-0500-00-00T00:00:00Z", 7, GREGORIAN, "-0500-01-01T00:00:00Z"),  # rounded: not shifted
        ("-13798000000-00-00T00:00:00Z", 3, GREGORIAN, "-13798000000-01-01T00:00:00Z"),
        # Days of the Julian calendar are converted, and nothing coarser.
        ("+1543-05-24T00:00:00Z", 11, JULIAN, "1543-06-03T00:00:00Z"),
        ("+1582-10-04T00:00:00Z", 11, JULIAN, "1582-10-14T00:00:00Z"),
        ("+1582-10-05T00:00:00Z", 11, JULIAN, "1582-10-15T00:00:00Z"),
        ("+1900-02-29T12:00:00Z", 12, JULIAN, "1900-03-13T12:00:00Z"),
        ("+1999-12-31T00:00:00Z", 11, JULIAN, "2000-01-13T00:00:00Z"),
        ("+0200-03-01T00:00:00Z", 11, JULIAN, "0200-03-01T00:00:00Z"),
        ("+0001-01-01T00:00:00Z", 11, JULIAN, "0000-12-30T00:00:00Z"),
        ("-0001-12-31T00:00:00Z", 11, JULIAN, "0000-12-29T00:00:00Z"),
        ("-0044-03-15T00:00:00Z", 11, JULIAN, "-0043-03-13T00:00:00Z"),
        ("-4713-01-02T00:00:00Z", 11, JULIAN, "-4713-11-25T00:00:00Z"),
        ("+1543-05-24T00:00:00Z", 9, JULIAN, "1543-01-01T00:00:00Z"),
        ("+1543-05-24T00:00:00Z", 10, JULIAN, "1543-05-01T00:00:00Z"),
        # What PHP's calendar does not reach is taken for Gregorian.
        ("-4713-01-01T00:00:00Z", 11, JULIAN, "-4712-01-01T00:00:00Z"),
        ("-4714-01-02T00:00:00Z", 11, JULIAN, "-4713-01-02T00:00:00Z"),
        ("+1465073-01-02T00:00:00Z", 11, JULIAN, "1465073-01-02T00:00:00Z"),
        # Another calendar matters to days only.
        ("+0010-02-03T00:00:00Z", 10, MOON, "0010-02-01T00:00:00Z"),
    ],
)
def test_how_a_time_is_written(time, precision, calendar, written):
    start = f"<{wikidata.ENTITY}Q1>"
    assert triples(entity({"P1": [moment(time, precision, calendar)]})) == [
        f'{start} <{wikidata.DIRECT}P1> "{written}"{DATE} .',
        f'{start} <{wikidata.PRECISION}P1> "{written}/{precision}" .',
    ]


@pytest.mark.parametrize(
    ("time", "precision", "calendar"),
    [
        ("+0000-00-00T00:00:00Z", 9, GREGORIAN),  # 1 BCE or 1 CE?
        ("-0000-01-01T00:00:00Z", 11, JULIAN),
        ("+0010-02-03T00:00:00Z", 11, MOON),
    ],
)
def test_a_time_that_cannot_be_cleaned_stays_a_string_without_precision(time, precision, calendar):
    lines = triples(entity({"P1": [moment(time, precision, calendar)]}))
    assert lines == [f'<{wikidata.ENTITY}Q1> <{wikidata.DIRECT}P1> "{time}" .']


@settings(max_examples=60)
@given(st.dates(datetime.date(2, 1, 1), datetime.date(9990, 12, 31)))
def test_julian_days_are_as_many_days_after_the_first_as_the_calendar_says(day):
    before = day.year - 1
    in_year = day.replace(year=2001 if day.year % 4 else 2000).timetuple().tm_yday
    expected = datetime.date.fromordinal(before * 365 + before // 4 + in_year - 2)
    (written,) = objects(moment(f"+{day.isoformat()}T00:00:00Z", 11, JULIAN))
    assert written == f'"{expected.isoformat()}T00:00:00Z"{DATE}'


@pytest.mark.parametrize(
    ("ranks", "kept"),
    [
        (["normal"], [0]),
        (["normal", "normal"], [0, 1]),
        (["preferred"], [0]),
        (["normal", "preferred", "normal", "preferred"], [1, 3]),
        (["normal", "deprecated"], [0]),
        (["deprecated", "preferred"], [1]),
        (["deprecated"], []),
        (["deprecated", "deprecated"], []),
        ([], []),
    ],
)
def test_only_the_best_rank_is_written(ranks, kept):
    statements = [statement(str(n), rank=rank) for n, rank in enumerate(ranks)]
    assert objects(*statements) == [f'"{n}"' for n in kept]


def test_each_property_has_a_best_rank_of_its_own():
    claims = {"P2": [statement("a", name="P2")], "P1": [statement("b", rank="preferred")]}
    assert [line.split()[2] for line in triples(entity(claims))] == ['"a"', '"b"']


def test_an_unknown_value_is_a_blank_node_that_is_always_the_same():
    (first,) = objects(special("somevalue", "Q1$a"))
    (second,) = objects(special("somevalue", "Q1$b"))
    assert first == "_:237400c619096ab3df363021f8e7f0e3"
    assert re.fullmatch("_:[0-9a-f]{32}", second) and second != first


def test_no_value_is_a_type_if_it_is_of_the_best_rank():
    written = [f"<{wikidata.ENTITY}Q1> <{wikidata.TYPE}> <{wikidata.NO_VALUE}P1> ."]
    assert triples(entity({"P1": [special("novalue")]})) == written
    both = [special("novalue"), statement("a", rank="preferred")]
    assert objects(*both) == ['"a"']
    assert not triples(entity({"P1": [special("novalue", rank="deprecated")]}))


def test_texts_come_first_in_the_order_of_the_json():
    def text(language, value):
        return {"language": language, "value": value}

    lines = triples(
        entity(
            {"P1": [statement("x")]},
            labels={"fr": text("fr", "a"), "en": text("en", "b"), "mul": text("mul", "c")},
            descriptions={"en-gb": text("en-gb", "d")},
            aliases={"fr": [text("fr", "e"), text("fr", "f")], "be-x-old": [text("be-x-old", "g")]},
        )
    )
    assert [line.removeprefix(f"<{wikidata.ENTITY}Q1> ") for line in lines] == [
        f'<{wikidata.LABEL}> "a"@fr .',
        f'<{wikidata.LABEL}> "b"@en .',
        f'<{wikidata.LABEL}> "c"@mul .',
        f'<{wikidata.DESCRIPTION}> "d"@en-gb .',
        f'<{wikidata.ALIAS}> "e"@fr .',
        f'<{wikidata.ALIAS}> "f"@fr .',
        f'<{wikidata.ALIAS}> "g"@be-x-old .',
        f'<{wikidata.DIRECT}P1> "x" .',
    ]


def test_a_property_is_an_entity_too():
    lines = triples(entity({"P1": [thing("P1", "property")]}, type="property", id="P31"))
    assert lines == [f"<{wikidata.ENTITY}P31> <{wikidata.DIRECT}P1> <{wikidata.ENTITY}P1> ."]


def test_empty_parts_may_be_lists():
    # PHP does not tell an empty object from an empty list.
    empty = {key: [] for key in ("labels", "descriptions", "aliases", "claims")}
    text = dump(entity(**empty))
    dropped = {"empty_entity": 1}
    assert convert(text, 1) == (b"", [], dropped, 1, 1, 0, 0, [], text.strip(), 1)


@pytest.mark.parametrize("kind", ["lexeme", "mediainfo", "entity-schema"])
def test_words_and_files_have_no_lines_and_are_counted_apart(kind):
    assert triples({"type": kind, "id": "L1"}) == []
    text = dump({"type": kind, "id": "L1"})
    dropped = {"other_entity": 1}
    assert convert(text, 1) == (b"", [], dropped, 1, 1, 0, 0, [], text.strip(), 1)


def test_a_block_says_which_line_each_triple_came_from():
    lines = [
        b"[",
        *dump(entity({"P1": [moment("+1952-00-00T00:00:00Z", 9)]})).splitlines(),
        b"",
        b"{nonsense",
        b'{"type": "item", "id": "Q2", "labels": [], "descriptions": [], "aliases": [],'
        b' "claims": {"P1": [1]}}\r',
        json.dumps(entity({"P1": [statement("last")]}, id="Q3")).encode(),
        b"]",
    ]
    converted = convert(b"\n".join(lines) + b"\n", 10)
    assert (
        converted.text
        == (
            f'<{wikidata.ENTITY}Q1> <{wikidata.DIRECT}P1> "1952-01-01T00:00:00Z"{DATE} .\n'
            f'<{wikidata.ENTITY}Q1> <{wikidata.PRECISION}P1> "1952-01-01T00:00:00Z/9" .\n'
            f'<{wikidata.ENTITY}Q3> <{wikidata.DIRECT}P1> "last" .\n'
        ).encode()
    )
    assert (converted.line_numbers, converted.entities, converted.empty) == ([11, 11, 15], 3, 3)
    assert [(number, line) for number, _, line in converted.faults] == [
        (13, lines[3]),
        (14, lines[4]),
    ]
    assert (converted.stored, converted.faulty, converted.last) == (4, 2, lines[-1])
    assert convert(b"", 1) == (b"", [], {}, 0, 0, 0, 0, [], b"", 0)
    assert convert(b"\n", 1) == (b"", [], {}, 0, 0, 0, 1, [], b"", 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "no JSON"),
        (b"{},{}", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (dump(entity()).replace(b'"Q1"', b'"Q1", "extra": NaN').strip(), "no JSON"),
        (dump(entity()).replace(b"Q1", rb"\ud800").strip(), "no JSON"),
        (b"null", "no entity: not an object"),
        (b"[1]", "no entity: not an object"),
        (b'"Q1"', "no entity: not an object"),
        (b"{}", "no entity: no type or no id"),
        (b'{"entity": "Q1", "redirect": "Q2"}', "no entity: no type or no id"),
        (dump(entity(id=1)).strip(), "no entity: no type or no id"),
        (dump(entity(type="planet")).strip(), "no entity: of unknown type 'planet'"),
        (dump(entity(id="Q0")).strip(), "no entity: 'Q0' is not an id of this type"),
        (dump(entity(id="Q1\n")).strip(), r"no entity: 'Q1\n' is not an id of this type"),
        (dump(entity(id="P1")).strip(), "no entity: 'P1' is not an id of this type"),
        (dump(entity(type="property")).strip(), "no entity: 'Q1' is not an id of this type"),
        (dump(entity(id="Q1234567890123")).strip(), "no entity: 'Q1234567890123' is not an id"),
        (dump(entity(id="Q٤٢")).strip(), "no entity: 'Q٤٢' is not an id of this type"),
    ],
)
def test_a_line_that_is_no_entity_is_bad_and_its_neighbours_are_not(line, reason):
    good = dump(entity({"P1": [statement("a")]}))
    converted = convert(good + line + b"\n" + good, 7)
    assert (converted.line_numbers, converted.entities) == ([7, 9], 2)
    ((number, said, shown),) = converted.faults
    assert (number, shown) == (8, line)
    assert said.startswith(reason)


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ({"labels": 1}, "labels: not an object"),
        ({"aliases": [1]}, "aliases: not an object"),
        ({"claims": "P1"}, "claims: not an object"),
        ({"labels": {"en": None}}, "labels 'en': Expected `object`, got `null`"),
        (
            {"labels": {"en": {"language": "en"}}},
            "labels 'en': Object missing required field `value`",
        ),
        ({"labels": {"x": {"language": "x", "value": "a"}}}, "labels 'x': no language: 'x'"),
        ({"labels": {"e": {"language": "e n", "value": "a"}}}, "labels 'e': no language: 'e n'"),
        ({"aliases": {"en": [1]}}, "aliases 'en': Expected `object`, got `int`"),
        ({"aliases": {"en": 1}}, "aliases 'en': not a list"),
        ({"claims": {"Q1": []}}, "'Q1': no property"),
        ({"claims": {"P1": {}}}, "P1: not a list"),
        ({"claims": {"P1": [1]}}, "P1: Expected `object`, got `int`"),
        ({"claims": {"P1": [special("somevalue", rank="best")]}}, _ENUM),
        (
            {"claims": {"P1": [special("somevalue", rank=["normal"])]}},
            "P1: Expected `str`, got `array` - at `$.rank`",
        ),
        ({"claims": {"P1": [{"rank": "normal"}]}}, "P1: Object missing required field `mainsnak`"),
        ({"claims": {"P2": [statement("a")]}}, "P2: a statement of another property"),
        ({"claims": {"P1": [special("othervalue")]}}, "P1: of unknown snaktype 'othervalue'"),
        ({"claims": {"P1": [special("value")]}}, "P1: not of the known form"),
        *(
            ({"claims": {"P1": [bad]}}, f"P1: {reason}")
            for bad, reason in [
                (statement("a", kind="bad"), "a value of unknown type 'bad'"),
                (statement("a", kind=[]), "not of the known form"),
                (statement(1), "no text"),
                (statement("no-scheme", datatype="url"), "no IRI: 'no-scheme'"),
                (statement("http://a\nb", datatype="url"), r"no IRI: 'http://a\nb'"),
                (thing("Q0", "item"), "no entity: 'Q0'"),
                (thing("Q1> .", "item"), "no entity: 'Q1> .'"),
                (statement("Q1", "wikibase-entityid"), "not of the known form"),
                (statement({"amount": "1"}, "quantity"), "no amount: '1'"),
                (statement({"amount": "+1e5"}, "quantity"), "no amount: '+1e5'"),
                (statement({"text": "a"}, "monolingualtext"), "no or unknown 'language'"),
                (point("1", 2), "no coordinate"),
                (point(True, 2), "no coordinate"),
                (point(1, 2, "moon"), "no IRI: 'moon'"),
                (point(1, 2, 405), "no globe"),
                (moment("1952-03-11T00:00:00Z"), "no time: '1952-03-11T00:00:00Z'"),
                (moment("+1952-12-32T00:00:00Z"), "no time: '+1952-12-32T00:00:00Z'"),
                (moment("+1952-12-31T24:00:00Z"), "no time: '+1952-12-31T24:00:00Z'"),
                (moment('+1952-12-31T"'), "no time: '+1952-12-31T\"'"),
                (moment("+٢٠٠٠-01-01T00:00:00Z"), "no time: '+٢٠٠٠-01-01T00:00:00Z'"),
                (moment("+1952-12-31T00:00:00Z", 15), "no precision: 15"),
                (moment("+1952-12-31T00:00:00Z", True), "no precision: True"),
            ]
        ),
    ],
)
def test_a_bad_part_is_reported_and_the_rest_is_kept(part, reason):
    good = {"claims": {"P9": [statement("kept", name="P9")]}}
    parts = {**good, **part}
    if isinstance(parts["claims"], dict):
        parts["claims"] = {**parts["claims"], **good["claims"]}
    whole = entity(**parts)
    converted = convert(dump(whole), 3)
    assert converted.faults == [(3, reason, dump(whole).strip())]
    assert converted.entities == 1
    assert (b'"kept"' in converted.text) == isinstance(parts["claims"], dict)


@pytest.mark.parametrize("part", ["type", "labels", "descriptions", "aliases", "claims"])
def test_a_missing_part_means_none(part):
    # Programs that filter dumps, such as wikibase-dump-filter --omit, leave parts out.
    whole = entity({"P9": [statement("kept", name="P9")]}, labels={"en": EN})
    complete = triples(whole)
    del whole[part]
    converted = convert(dump(whole), 1)
    assert (converted.faults, converted.entities) == ([], 1)
    assert set(complete) - set(triples(whole)) == {
        line for line in complete if ("label" in line, "P9" in line) == ABSENT.get(part)
    }


EN = {"language": "en", "value": "kept"}
ABSENT = {"labels": (True, False), "claims": (False, True)}
"""Whether the lines that go with a part are labels and statements."""


def test_an_empty_part_is_a_part_and_null_is_none():
    nulls = {"labels": None, "descriptions": None, "aliases": None}
    lines = [
        {"id": "Q5", "claims": {}},  # as wikibase-dump-filter --keep id,claims writes it
        {"id": "Q6", **nulls, "claims": {"P1": 1}},
        {"id": "Q7", **nulls, "claims": None},
    ]
    converted = convert(dump(*lines), 1)
    assert [fault[:2] for fault in converted.faults] == [
        (2, "P1: not a list"),
        (3, "no entity: no type and no parts"),
    ]
    assert (converted.entities, converted.empty, converted.dropped["empty_entity"]) == (2, 0, 1)


def test_lists_without_entities_are_empty():
    converted = convert(b"[]\n[\n]\n\n", 1)
    assert (converted.stored, converted.empty, converted.faults) == (0, 4, [])


def test_the_types_of_entities_follow_from_their_ids():
    text = dump(*({"id": name, "labels": {"en": EN}} for name in ("Q1", "P1", "L1", "M1", "E1")))
    converted = convert(text, 1)
    assert [line.split()[0] for line in converted.text.decode().splitlines()] == [
        f"<{wikidata.ENTITY}Q1>",
        f"<{wikidata.ENTITY}P1>",
    ]
    assert converted.dropped == {"other_entity": 3}
    assert not converted.faults


def test_values_of_dumps_before_2016():
    # They have a number instead of an id, and no datatype.
    claims = {
        f"P{n}": [statement({"entity-type": kind, "numeric-id": n}, "wikibase-entityid")]
        for n, kind in ((31, "item"), (32, "property"))
    }
    claims["P33"] = [moment("+1952-03-11T00:00:00Z")]
    for name, (old,) in claims.items():
        old["mainsnak"]["property"] = name
        del old["mainsnak"]["datatype"]
    whole = dump(entity(claims))
    converted = convert(whole, 1)
    assert not converted.faults
    assert f"<{wikidata.DIRECT}P31> <{wikidata.ENTITY}Q31> ." in converted.text.decode()
    assert f"<{wikidata.DIRECT}P32> <{wikidata.ENTITY}P32> ." in converted.text.decode()
    # As many triples are kept or counted: a time makes two.
    rules = Filter(properties=("P31",)).rules()
    short = convert(whole, 1, wanted(rules))
    assert short.text.count(b"\n") + short.dropped.total() == converted.text.count(b"\n")


def test_brackets_and_commas_may_stand_on_either_side_of_an_entity():
    one, other = (json.dumps(entity(id=name, labels={"en": EN})) for name in ("Q1", "Q2"))
    forms = ["[\n{},\n{}\n]\n", "[{},\n{}]\n", "[\n{}\n,{}\n]\n", "{}\n{}\n", "\t{} ,\r\n{},\n"]
    texts = {convert(form.format(one, other).encode(), 1).text for form in forms}
    assert len(texts) == 1 and texts.pop().count(b"\n") == 2


def test_a_bad_statement_does_not_hide_its_siblings():
    claims = {
        "P1": [statement("a"), statement(1), {**statement("c"), "rank": "best"}, statement("b")]
    }
    converted = convert(dump(entity(claims)), 1)
    assert converted.text.count(b"\n") == 2
    assert [reason for _, reason, _ in converted.faults] == [_ENUM, "P1: no text"]


def test_half_a_surrogate_pair_is_no_text():
    label = {"en": {"language": "en", "value": "\ud800"}}
    for datatype in ("string", "url", "commonsMedia", "geo-shape", "math"):
        claims = {"P1": [statement("http://a/\ud800", datatype=datatype)]}
        assert triples(entity(claims, labels=label)) == []


CLASSES = {
    "what kind of entity it is, is metadata and not written": 99,
    "Wikibase percent-encodes the names of files, and their spaces": 334,
    "Wikibase links geoshapes": 20,
}
SINGLE = {
    "Julian days are left unconverted in the file": [
        ("Q155", "P575", "1500-04-22T00:00:00Z", "1500-05-02T00:00:00Z"),
        ("Q45", "P571", "1143-10-05T00:00:00Z", "1143-10-12T00:00:00Z"),
        ("Q619", "P569", "1473-02-19T00:00:00Z", "1473-02-28T00:00:00Z"),
        ("Q619", "P570", "1543-05-24T00:00:00Z", "1543-06-03T00:00:00Z"),
        ("Q859", "P569", "-0426-05-07T00:00:00Z", "-0426-05-02T00:00:00Z"),
    ],
    "Wikibase shifts years before our era only if precise to the year": [
        ("Q144", "P1319", "-33999-01-01T00:00:00Z", "-34000-01-01T00:00:00Z"),
        ("Q764", "P580", "-409999999-01-01T00:00:00Z", "-410000000-01-01T00:00:00Z"),
    ],
    "PHP prints 14 digits of a coordinate": [
        (
            *("Q148", "P625", "Point(103.45194444444445 35.844722222222224)"),
            "Point(103.45194444444 35.844722222222)",
        ),
        (
            *("Q45", "P1332", "Point(-8.198888888888888 42.15416666666667)"),
            "Point(-8.1988888888889 42.154166666667)",
        ),
        ("Q749", "P625", "Point(6.567 53.21852777777778)", "Point(6.567 53.218527777778)"),
        ("Q771", "P1333", "Point(-70.1 41.233333333333334)", "Point(-70.1 41.233333333333)"),
        (
            *("Q869", "P1332", "Point(99.95531111111111 20.465019444444444)"),
            "Point(99.955311111111 20.465019444444)",
        ),
    ],
}


def facts(text):
    """Return triples, and how often a subject and predicate have a blank node."""
    found, blank = set(), Counter()
    for triple in ox.parse(text, format=ox.RdfFormat.N_TRIPLES):
        key = (triple.subject.value, triple.predicate.value)
        if isinstance(triple.object, ox.BlankNode):
            blank[key] += 1
        elif triple.predicate.value not in wikidata.REPEATED_LABELS:
            found.add((*key, triple.object))
    return found, blank


@pytest.fixture(scope="module")
def real():
    with gzip.open(data("kg/wikidata-99.json.gz")) as file:
        return file.read()


@pytest.fixture(scope="module")
def truthy():
    with gzip.open(data("kg/wikidata-99.truthy.nt.gz")) as file:
        return facts(file.read())


def by_claim(triple):
    subject, predicate, value = triple
    strip = len(wikidata.ENTITY), len(wikidata.DIRECT)
    return subject[strip[0] :], predicate[strip[1] :], value.value


def test_real_items_differ_from_the_truthy_file_only_as_explained(real, truthy):
    converted = convert(real, 1)
    assert (converted.entities, converted.empty, converted.faults) == (99, 2, [])
    ours, our_blanks = facts(converted.text)
    theirs, their_blanks = truthy
    assert our_blanks == their_blanks and their_blanks.total() == 7
    ours = {triple for triple in ours if not triple[1].startswith(wikidata.PRECISION)}
    extra, missing = ours - theirs, theirs - ours

    item = ox.NamedNode("http://wikiba.se/ontology#Item")
    types = {triple for triple in missing if triple[1:] == (wikidata.TYPE, item)}
    files = {triple for triple in missing if triple[2].value.startswith(FILE)}
    shapes = {triple for triple in missing if triple[2].value.startswith("Data:")}
    as_wikibase_does = set()
    for subject, predicate, value in files:
        name = value.value.removeprefix(FILE).replace("_", " ")
        as_wikibase_does.add((subject, predicate, ox.NamedNode(FILE + quote(name, safe=""))))
    for subject, predicate, value in shapes:
        name = quote_plus(value.value, safe=":()")
        as_wikibase_does.add((subject, predicate, ox.NamedNode(PAGE + name)))
    assert [len(types), len(files), len(shapes)] == list(CLASSES.values())
    assert as_wikibase_does <= extra

    single = [row for rows in SINGLE.values() for row in rows]
    rest = {by_claim(triple) for triple in missing - types - files - shapes}
    assert rest == {(item, claim, said) for item, claim, said, _ in single}
    rest = {by_claim(triple) for triple in extra - as_wikibase_does}
    assert rest == {(item, claim, said) for item, claim, _, said in single}


def test_each_real_time_has_its_precision(real):
    found, _ = facts(convert(real, 1).text)
    times, precise = set(), set()
    for subject, predicate, value in found:
        if predicate.startswith(wikidata.PRECISION):
            time, _, precision = value.value.partition("/")
            precise.add((subject, predicate.removeprefix(wikidata.PRECISION), time))
            # So coarse a time has no month.
            assert 0 <= int(precision) <= 11
            assert int(precision) >= 10 or "-01-01T" in time
        elif getattr(value, "datatype", None) == ox.NamedNode(f"{wikidata.XSD}dateTime"):
            times.add((subject, predicate.removeprefix(wikidata.DIRECT), value.value))
    assert times == precise and len(times) > 90


@settings(max_examples=100)
@given(st.text())
def test_any_text_survives(text):
    label = {"en": {"language": "en", "value": text}}
    (triple,) = parsed(convert(dump(entity(labels=label)), 1).text)
    assert triple.object == ox.Literal(text, language="en")
    (triple,) = parsed(convert(dump(entity({"P1": [statement(text)]})), 1).text)
    assert triple.object == ox.Literal(text)


@settings(max_examples=60)
@given(st.text(), st.sampled_from(["url", "commonsMedia", "geo-shape", "tabular-data", "math"]))
def test_any_value_is_written_as_valid_triples_or_reported(text, datatype):
    converted = convert(dump(entity({"P1": [statement(text, datatype=datatype)]})), 1)
    assert len(parsed(converted.text)) + len(converted.faults) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PARTS = ("type", "id", "labels", "descriptions", "aliases", "claims")
WHOLE = entity(
    {
        "P1": [
            thing("Q42", "item"),
            statement("http://a.example/", datatype="url"),
            statement("a.jpg", datatype="commonsMedia"),
            statement({"amount": "+1", "unit": "1"}, "quantity", "quantity"),
            statement({"text": "a", "language": "en"}, "monolingualtext", "monolingualtext"),
            moment("+1543-05-24T00:00:00Z", 11, JULIAN),
            point(1.5, 2, MOON),
            special("somevalue"),
            special("novalue"),
        ]
    },
    labels={"en": {"language": "en", "value": "a"}},
    aliases={"en": [{"language": "en", "value": "b"}]},
)


def consistent(converted, lines):
    """Check what always holds: valid triples, each of a line, and no line unaccounted for."""
    assert len(parsed(converted.text)) == len(converted.line_numbers) == converted.text.count(b"\n")
    assert converted.line_numbers == sorted(converted.line_numbers)
    lost = {number for number, reason, _ in converted.faults if reason.startswith("no ")}
    assert converted.entities + len(lost) == converted.stored <= lines
    assert converted.faulty == len({number for number, _, _ in converted.faults})


@settings(max_examples=60)
@given(st.lists(JSON | st.dictionaries(st.sampled_from(PARTS), JSON), max_size=3))
def test_any_json_is_converted_or_reported(values):
    lines = [json.dumps(value).encode() for value in values]
    consistent(convert(b",\n".join(lines), 1), len(lines))


@given(st.binary())
def test_any_bytes_are_converted_or_reported(text):
    consistent(convert(text, 1), text.count(b"\n") + (not text.endswith(b"\n") and text != b""))


def places(node, path=()):
    """Yield the paths to all that is in a JSON value."""
    inner = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in inner if isinstance(node, dict | list) else ():
        yield (*path, key)
        yield from places(value, (*path, key)) if isinstance(value, dict | list) else ()


def with_value(entity, path, value):
    """Return a copy of an entity that has a value at a path of keys."""
    changed = json.loads(json.dumps(entity))
    node = changed
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return changed


def damaged(real, draws):
    """Return a short real line, and one of the short ones with other bytes at some places."""
    shortest = sorted(real.split(b"\n")[1:-2], key=len)[:5]
    line = draws.draw(st.sampled_from(shortest))
    for _ in range(draws.draw(st.integers(1, 5))):
        start = draws.draw(st.integers(0, len(line)))
        end = start + draws.draw(st.integers(0, 20))
        line = line[:start] + draws.draw(st.binary(max_size=5)) + line[end:]
    return shortest[0], line


FILTERS = {
    "usual": Filter(),
    "languages": Filter(languages=("fr", "en-gb")),
    "properties": Filter(properties=("P569", "P27", "P227")),
    "strings": Filter(kinds=KINDS, languages=("en", "de")),
    "everything": Filter(everything=True),
}


@settings(max_examples=100)
@given(st.sampled_from(list(places(WHOLE))), JSON, st.sampled_from(list(FILTERS.values())))
def test_an_entity_with_anything_anywhere_is_converted_or_reported(path, value, keep):
    text = dump(WHOLE, with_value(WHOLE, path, value), WHOLE)
    converted = convert(text, 1, wanted(keep.rules()))
    consistent(converted, 3)
    whole = converted.line_numbers.count(1)
    assert converted.line_numbers.count(3) == whole
    assert whole == len(triples(WHOLE)) or not keep.everything


@settings(max_examples=30)
@given(st.data())
def test_real_lines_that_are_damaged_are_converted_or_reported(real, draws):
    good, line = damaged(real, draws)
    converted = convert(b"\n".join((good, line, good)), 1)
    consistent(converted, 3 + line.count(b"\n"))
    whole = len(convert(good, 1).line_numbers)
    last = 3 + line.count(b"\n")
    assert converted.line_numbers.count(1) == converted.line_numbers.count(last) == whole > 0


def test_processes_convert_as_this_process_does_in_order(real):
    lines = real.splitlines(keepends=True)
    blocks = [Block(n + 1, line) for n, line in enumerate(lines)]
    usual = wanted(Filter().rules())
    assert [*convert_in_processes(blocks, usual)] == [*convert_here(blocks, usual)]


def test_a_dump_that_breaks_off_is_converted_up_to_there(real):
    def blocks():
        yield from (Block(n, b"[\n") for n in range(1, 4))
        raise CorruptArchiveError("dump", 3, "cut")

    conversions = convert_in_processes(blocks(), EVERYTHING)
    assert [block.first for block, _ in itertools.islice(conversions, 3)] == [1, 2, 3]
    with pytest.raises(CorruptArchiveError):
        next(conversions)


def test_a_process_that_ends_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    conversions = convert_in_processes([Block(1, b"[\n"), Block(2, b"]\n")], EVERYTHING)
    next(conversions)
    with pytest.raises(KgbuildError, match="ended at line 2"):
        next(conversions)
