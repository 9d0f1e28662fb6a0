"""What is removed from the entities of a JSON dump before they are decoded."""

import gzip
import json
import random
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump import bitmaps
from kgbuild.dump.filter import Filter, Sieve
from kgbuild.dump.json_entities import convert
from kgbuild.dump.json_pruning import CandidateItems, Pruner
from kgbuild.dump.json_workers import unpruned
from kgbuild.dump.reader import Block
from kgbuild.slice import slice as slicing
from kgbuild.slice.spec import Spec
from tests.conftest import data
from tests.test_entities import (
    EVERYTHING,
    FILTERS,
    JSON,
    WHOLE,
    damaged,
    dump,
    entity,
    moment,
    places,
    special,
    statement,
    thing,
    with_value,
)

ENGLISH = Filter(properties=("P1",)).rules()


@pytest.fixture(scope="module")
def real():
    with gzip.open(data("kg/wikidata-99.json.gz")) as file:
        return file.read()


def compact(*entities):
    """Write entities as Wikidata does: without spaces."""
    return b"".join(
        json.dumps(entity, separators=(",", ":")).encode() + b",\n" for entity in entities
    )


def pruned(text, rules=ENGLISH, candidates=None):
    """Prune a text; return what is left, decoded, and what was counted."""
    left, dropped = Pruner(rules, candidates).prune(Block(1, text))
    return [json.loads(line.removesuffix(b",")) for line in left.splitlines()], dropped


def both(text, rules):
    """Convert a text as it is, and pruned."""
    left, dropped = Pruner(rules).prune(Block(1, text))
    return convert(text, 1), unpruned(convert(left, 1), Block(1, text), dropped)


def label(language, text="a"):
    return {language: {"language": language, "value": text}}


@pytest.mark.parametrize("keep", FILTERS.values(), ids=FILTERS)
def test_pruned_entities_have_the_same_triples_and_counts(real, keep):
    whole, short = both(real, keep.rules())
    sieves = Sieve(keep.rules()), Sieve(keep.rules())
    expected, found = (
        sieve.sift(Block(1, converted.text))
        for sieve, converted in zip(sieves, (whole, short), strict=True)
    )
    assert found.text.tobytes() == expected.text.tobytes()
    assert sieves[1].counts + short.dropped == sieves[0].counts
    counts = attrgetter("stored", "entities", "faulty", "faults", "empty", "end")
    assert counts(short) == counts(whole)


def test_only_what_becomes_triples_is_left():
    snak = statement("x")["mainsnak"]
    full = {
        **statement("a"),
        "qualifiers": {"P2": [snak]},
        "qualifiers-order": ["P2"],
        "references": [{"snaks": {"P3": [snak]}, "hash": 'a "quoted" ] text'}],
    }
    item = entity(
        {"P1": [full], "P2": [statement("b", name="P2"), statement("c", name="P2")]},
        labels=label("en") | label("en-gb") | label("fr"),
        aliases={"fr": [*label("fr").values()] * 3},
        sitelinks={"enwiki": {"title": "A"}},
    )
    ((left,), dropped) = pruned(compact(item))
    kept = {key: full[key] for key in ("mainsnak", "id", "rank")}
    assert left == entity({"P1": [kept]}, labels=label("en") | label("en-gb"))
    prefix = "http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#"
    assert dropped == {
        ("other_language", prefix[0]): 1,
        ("other_language", f"{prefix[1]}altLabel"): 3,
        ("other_property", "P2"): 2,
    }


@pytest.mark.parametrize(
    ("statements", "count"),
    [
        ([statement("a", name="P2", rank="preferred"), statement("b", name="P2")], 1),
        ([statement("a", name="P2", rank="deprecated"), statement("b", name="P2")], 1),
        # The scanner judges these, or what follows is reported.
        ([{**moment("+1952-03-11T00:00:00Z"), "id": "Q1$a"}], None),
        ([special("somevalue")], None),
        ([{**statement("a"), "rank": "best"}], None),
        ([{"rank": "normal"}], None),
        ([], None),
    ],
)
def test_statements_are_counted_or_left(statements, count):
    ((left,), dropped) = pruned(compact(entity({"P2": statements})))
    assert ("P2" in left["claims"]) == (count is None)
    assert dropped == ({("other_property", "P2"): count} if count else {})


@pytest.mark.parametrize(
    "line",
    [
        dump(entity({"P2": [statement("a")]}, labels=label("fr"))),  # with spaces
        b"[\n",
        b"]\n",
        b"\n",
        b"{}\n",
        b'{"type":"item","id":"Q1"\n',
        b'{"type":"item","id":"Q1",}\n',
        b'{"type":"item","id":"Q1"}, {}\n',
        b'{"type":"item","id":"Q1","labels":{"fr":[}}\n',
        b'{"type":"item","id":"Q1","claims":{"P2":[{]}}\n',
        b'{"type":"item","id":"Q1","claims":{"P2":[{"rank":"normal"}\n',
        b'{"type":"item","id":"Q1\n',
        b'{"a":"\\\n',
    ],
)
def test_other_lines_stay_as_they_are(line):
    good = compact(entity(labels=label("fr")))
    left, dropped = Pruner(ENGLISH).prune(Block(1, good + line + good))
    short = compact(entity())
    assert left == short + line + short
    assert dropped.total() == 2


# The type of a statement, which is always "statement", is removed unread.
READ = [path for path in places(WHOLE) if path[0] != "claims" or path[-1] != "type" or path[4:]]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(READ), JSON)
def test_an_entity_with_anything_anywhere_is_pruned_to_the_same(path, value):
    whole, short = both(compact(WHOLE, with_value(WHOLE, path, value), WHOLE), EVERYTHING)
    assert short._replace(last=b"") == whole._replace(last=b"")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_lines_are_pruned_without_harm(real, draws):
    good, line = damaged(real, draws)
    text = b"\n".join((good, line, good, b""))
    left, _ = Pruner(ENGLISH, CandidateItems(*map(bitmaps.bitmap, ((), ("Q5",))))).prune(
        Block(1, text)
    )
    assert left.count(b"\n") == text.count(b"\n")
    first, *_, last, _ = left.split(b"\n")
    assert first == last and json.loads(first.removesuffix(b","))


HUMAN, CITY = [thing("Q5", "item")], [thing("Q515", "item")]
for _statement in (*HUMAN, *CITY):
    _statement["mainsnak"]["property"] = "P31"


@pytest.mark.parametrize(
    ("item", "is_whole"),
    [
        (entity({"P31": HUMAN, "P1": [statement("a")]}), True),
        (entity({"P31": [*CITY, *HUMAN], "P1": [statement("a")]}), True),
        (entity({"P1": [statement("a")], "P31": CITY}), False),
        (entity({"P1": [statement("a")]}), False),
        # Only P31 makes an instance.
        (entity({"P1": [statement("a")], "P17": HUMAN}), False),
        (entity({"P31": CITY, "P1": [statement("a")]}, id="Q7"), True),  # it is listed
        (entity({"P31": CITY, "P1": [statement("a")]}, id="P7", type="property"), True),
        (entity({}), True),
    ],
)
def test_other_items_keep_names_and_basic_statements(item, is_whole):
    item = {**item, "labels": label("en"), "sitelinks": {}}
    candidates = CandidateItems(bitmaps.bitmap(["Q7"]), bitmaps.bitmap(["Q5"]))
    ((left,), dropped) = pruned(compact(item), candidates=candidates)
    assert left["labels"] == label("en")
    basic = {key: value for key, value in item["claims"].items() if key != "P1" or is_whole}
    assert left["claims"].keys() == basic.keys()
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
@settings(max_examples=15, deadline=None)
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
        (folder / f"{name}.json").write_bytes(compact(*items))
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


def test_pruned_counts_are_numbers_of_python():
    _, dropped = pruned(compact(entity(labels=label("fr"))))
    assert not any(isinstance(count, np.generic) for count in dropped.values())


@pytest.mark.parametrize("count", [*range(8), 62, 63, 64, 65, 126, 127, 128])
def test_rows_of_backslashes_do_not_end_a_text_that_is_skipped(count):
    # Texts of all lengths, so that the row of backslashes begins at each byte of a word.
    texts = [f'[{"a" * length}{chr(92) * count}"}}{chr(92) * count}' for length in range(70)]
    for text in texts:
        item = entity(labels=label("en"), claims={})
        line = compact(item | {"sitelinks": {"a": [{"b": text}, text, 1]}})
        left, dropped = pruned(line + line)
        assert left == [item, item]
        assert not dropped


def test_a_backslash_outside_of_a_text_escapes_nothing():
    line = compact(entity(labels=label("en")) | {"sitelinks": {"a": "b"}})
    text = line.replace(b'"b"', b'\\"b"' + b" " * 70)
    left, _ = Pruner(ENGLISH).prune(Block(1, text))
    assert left == compact(entity(labels=label("en")))
