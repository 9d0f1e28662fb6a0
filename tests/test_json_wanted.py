"""What of a JSON dump is not written, since the rules drop it, and how it is counted."""

import gzip
import json
import random
from collections import Counter
from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild import wikidata
from kgbuild.dump.filter import Filter, sift
from kgbuild.dump.json.entities import convert
from kgbuild.dump.json.workers import wanted
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning.rules import VERDICTS, CandidateItems
from kgbuild.slice import slice as slicing
from kgbuild.slice.spec import Spec
from tests.conftest import data
from tests.test_entities import FILTERS, dump, entity, moment, special, statement, thing

ENGLISH = Filter(properties=("P1",)).rules()


@pytest.fixture(scope="module")
def real():
    with gzip.open(data("kg/wikidata-99.json.gz")) as file:
        return file.read()


def written(item, rules=ENGLISH, candidates=None):
    """Return what is written of an item, as (predicate, object), and what is counted."""
    converted = convert(dump(item), 1, wanted(rules, candidates))
    lines = converted.text.decode().splitlines()
    return [tuple(line.removesuffix(" .").split(" ", 2)[1:]) for line in lines], converted.dropped


def label(language, text="a"):
    return {language: {"language": language, "value": text}}


@pytest.mark.parametrize(
    "keep", [*FILTERS.values(), Filter(aliases=False)], ids=[*FILTERS, "no aliases"]
)
def test_what_is_written_has_the_same_kept_lines_and_counts(real, keep):
    whole, short = convert(real, 1), convert(real, 1, wanted(keep.rules()))
    expected, found = (sift(Block(1, made.text), keep.rules()) for made in (whole, short))
    assert found.text.tobytes() == expected.text.tobytes()
    counts = [
        Counter(dict(zip(VERDICTS, scanned.dropped.tolist(), strict=True)))
        for scanned in (expected, found)
    ]
    assert +(counts[1] + short.dropped) == +counts[0]
    counts = attrgetter("stored", "entities", "faulty", "faults", "empty", "end")
    assert counts(short) == counts(whole)
    assert keep.everything or len(short.text) < len(whole.text) / 2


def test_texts_are_counted_by_their_language():
    item = entity(
        labels=label("en") | label("en-gb") | label("fr") | label("english"),
        aliases={"fr": [*label("fr").values()] * 3, "de": []},
    )
    lines, dropped = written(item)
    assert [value for _, value in lines] == ['"a"@en', '"a"@en-gb']
    assert dropped == {"other_language": 5}


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ([statement("a", name="P2", rank="preferred"), statement("b", name="P2")], 1),
        ([statement("a", name="P2", rank="deprecated"), statement("b", name="P2")], 1),
        ([statement("a", name="P2"), statement("b", name="P2")], 2),
        # The scanner judges these, or what follows is reported.
        ([{**moment("+1952-03-11T00:00:00Z"), "id": "Q1$a"}], None),
        ([special("somevalue")], None),
        ([{**statement("a"), "rank": "best"}], None),
        ([{"rank": "normal"}], None),
    ],
)
def test_statements_are_counted_or_left(statements, count):
    lines, dropped = written(entity({"P2": statements}))
    assert not count or not lines
    assert dropped == ({"other_property": count} if count else {})


def test_an_entity_whose_triples_are_all_counted_is_not_empty():
    counted = convert(dump(entity(labels=label("fr"))), 1, wanted(ENGLISH))
    assert (counted.text, counted.dropped) == (b"", {"other_language": 1})
    for nothing in (entity(), entity({"P2": []})):
        empty = convert(dump(nothing), 1, wanted(ENGLISH))
        assert (empty.text, empty.dropped) == (b"", {"empty_entity": 1})


def item_value(pid, qid):
    statement = thing(qid, "item")
    statement["mainsnak"]["property"] = pid
    return statement


HUMAN, CITY = [item_value("P31", "Q5")], [item_value("P31", "Q515")]


@pytest.mark.parametrize(
    ("item", "is_whole"),
    [
        (entity({"P31": HUMAN, "P1": [statement("a")]}), True),
        (entity({"P31": [*CITY, *HUMAN], "P1": [statement("a")]}), True),
        (entity({"P1": [statement("a")], "P31": CITY}), False),
        (entity({"P1": [statement("a")]}), False),
        # Only P31 makes an instance.
        (entity({"P1": [statement("a")], "P17": [item_value("P17", "Q5")]}), False),
        (entity({"P31": CITY, "P1": [statement("a")]}, id="Q7"), True),  # it is listed
        (entity({"P31": CITY, "P1": [statement("a")]}, id="P7", type="property"), True),
        (entity({}), True),
    ],
)
def test_other_items_keep_names_and_basic_statements(item, is_whole):
    rules = Filter(properties=("P1", "P31")).rules()
    candidates = CandidateItems(frozenset(["Q7"]), frozenset(["Q5"]))
    lines, dropped = written({**item, "labels": label("en")}, rules, candidates)
    basic = [pid for pid in item["claims"] if pid != "P1" or is_whole]
    predicates = [wikidata.LABEL, *(wikidata.DIRECT + pid for pid in basic)]
    assert [*dict.fromkeys(predicate.strip("<>") for predicate, _ in lines)] == predicates
    assert not dropped


@pytest.mark.parametrize(
    "conditions",
    [
        {"instance_of": ("Q5",)},
        {"instance_of": ("Q5", "Q6256"), "limit": 9},
        {"instance_of": ("Q5",), "sample": 0.5, "seed": 3},
        {"items": "items.txt"},
        {"items": "items.txt", "instance_of": ("Q6256",)},
    ],
)
def test_slices_of_some_items_have_the_same_bytes(tmp_path, monkeypatch, conditions):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.txt").write_text("Q42\nQ31\nQ999999\n")
    spec, source = Spec(**conditions), [str(data("kg/wikidata-99.json.gz"))]
    short = slicing.cut(source, tmp_path / "short.nt", spec)
    monkeypatch.setattr(slicing, "chooses_while_reading", lambda _: False)
    whole = slicing.cut(source, tmp_path / "whole.nt", spec)
    assert (tmp_path / "short.nt").read_bytes() == (tmp_path / "whole.nt").read_bytes()
    counts = ("kept", "items", "chosen", "leaving", "absent", "entities", "bad")
    assert [getattr(short, name) for name in counts] == [getattr(whole, name) for name in counts]
    assert short.lines < whole.lines


def shuffled(value, drawn):
    """Return JSON with the keys of all objects in another order."""
    if isinstance(value, list):
        return [shuffled(element, drawn) for element in value]
    if not isinstance(value, dict):
        return value
    keys = drawn.sample(sorted(value), len(value))
    return {key: shuffled(value[key], drawn) for key in keys}


@pytest.fixture(scope="module")
def people_and_others(real):
    """Return five people and five other items, whose lines are the shortest."""
    lines = sorted((line.strip(b",") for line in real.split(b"\n")[1:-2]), key=len)
    people = [line for line in lines if b'"Q5"' in line]
    return [json.loads(line) for line in people[:5] + lines[:5]]


@pytest.mark.parametrize("conditions", [{}, {"instance_of": ("Q5",)}])
@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_the_order_of_keys_does_not_change_what_a_slice_keeps(
    people_and_others, tmp_path_factory, conditions, seed
):
    folder = tmp_path_factory.mktemp("orders")
    lines = []
    for name, items in (
        ("given", people_and_others),
        ("shuffled", shuffled(people_and_others, random.Random(seed))),
    ):
        (folder / f"{name}.json").write_bytes(dump(*items))
        out = folder / f"{name}.nt"
        report = slicing.cut([str(folder / f"{name}.json")], out, Spec(**conditions))
        assert report.bad == 0
        lines.append(sorted(out.read_bytes().splitlines()))
    assert lines[0] == lines[1]


@pytest.mark.parametrize(
    "conditions",
    [
        {},
        {"limit": 3},
        {"instance_of": ("Q5",), "subclasses": True},
        {"instance_of": ("Q5",), "hops": 1},
    ],
)
def test_all_items_are_candidates_if_they_are_chosen_later(conditions):
    assert not slicing.chooses_while_reading(Spec(**conditions))
