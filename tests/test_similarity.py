"""The most similar items: counted over posting lists, as the query that defines it counts."""

import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.cli.look.store import similar
from kgbuild.dump.filter import scan_lines
from kgbuild.errors import DamagedStoreError
from kgbuild.graph.open import Store, open_store
from kgbuild.graph.similarity import Neighbour, Similarity
from kgbuild.relations import MAX_SIMILARITY
from kgbuild.store import postings
from kgbuild.store.postings import Postings, PostingsWriter
from tests.conftest import load_text, triples

PERSON = catalog().kinds["person"].similarity


ALL = 10**9
"""As many neighbours as there may be."""


def similarity_of(store: Store) -> Similarity:
    return store.knowledge({}).similarity


def by_query(
    store: Store, qid: str, properties: Sequence[str], min_overlap: int
) -> list[Neighbour]:
    """Return the neighbours as the query finds them; its places left over are filled again."""
    filled = itertools.islice(itertools.cycle(properties), MAX_SIMILARITY)
    places = {f"p{n}": pid for n, pid in enumerate(filled, 1)}
    rows = store.graph.select("property_overlap", item=qid, min_overlap=min_overlap, **places)
    return [Neighbour(*row) for row in rows]


def assert_agree(
    store: Store, similarity: Similarity, qids: Sequence[str], properties: Sequence[str], least: int
) -> int:
    """Hold that both ways give the same neighbours in the same order; return how many."""
    total = 0
    for qid in qids:
        results = similarity.most_similar(qid, properties, ALL, least)
        assert results == by_query(store, qid, properties, least), qid
        total += len(results)
    return total


# Against the query that defines it


def instances(store: Store, classes: set[str]) -> list[str]:
    return sorted(
        {
            qid
            for c in classes
            for (qid,) in store.graph.select("subjects", object=c, property="P31")
        }
    )


@pytest.mark.parametrize("name", [n for n, kind in catalog().kinds.items() if kind.similarity])
def test_items_of_every_kind_of_the_sample(sample, name):
    kinds = sample.knowledge(catalog().kinds).kinds
    properties = catalog().kinds[name].similarity
    similarity = similarity_of(sample)
    items = [q for q in instances(sample, set(sample.manifest.classes)) if name in kinds.names(q)]
    assert_agree(sample, similarity, items[:: max(1, len(items) // 4)], properties, 1)


# By hand


TIES = """
    wd:Q1 wdt:P31 wd:Q5
    wd:Q1 wdt:P106 wd:Q100
    wd:Q1 wdt:P106 wd:Q101
    wd:Q1 wdt:P69 wd:Q102
    wd:Q30 wdt:P31 wd:Q5
    wd:Q30 wdt:P106 wd:Q100
    wd:Q30 wdt:P106 wd:Q101
    wd:Q4 wdt:P31 wd:Q5
    wd:Q4 wdt:P106 wd:Q100
    wd:Q10 wdt:P31 wd:Q5
    wd:Q10 wdt:P106 wd:Q100
    wd:Q9 wdt:P31 wd:Q5
    wd:Q9 wdt:P69 wd:Q102
    wd:Q8 wdt:P31 wd:Q6
    wd:Q8 wdt:P106 wd:Q100
    wd:Q8 wdt:P106 wd:Q101
    wd:Q8 wdt:P69 wd:Q102
    """


def test_ties_go_to_the_rarest_value_and_then_to_the_smallest_id(store_of):
    store = store_of(TIES)
    similarity = similarity_of(store)
    # Q100 is held by 5 items (Q1, Q4, Q8, Q10, Q30), Q101 and Q102 by three: Q8, which is of
    # another class and so no neighbour, counts as a holder.
    assert similarity.most_similar("Q1", ["P106", "P69"], ALL, 1) == [
        Neighbour("Q30", 2, 3),
        Neighbour("Q9", 1, 3),
        Neighbour("Q4", 1, 5),  # by number: Q4 before Q10
        Neighbour("Q10", 1, 5),
    ]
    assert_agree(store, similarity, ["Q1"], ["P106", "P69"], 1)


def test_an_item_without_statements_has_no_neighbours(store_of):
    store = store_of(TIES + "wd:Q50 wdt:P31 wd:Q5\nwd:Q51 wdt:P106 wd:Q100")
    similarity = similarity_of(store)
    for qid in ("Q999", "Q50", "Q100"):  # not there; without values; only a value
        assert similarity.most_similar(qid, ["P106", "P69"], ALL, 1) == []
    # Without a class there is none to share, and such an item is no neighbour either.
    assert similarity.most_similar("Q51", ["P106"], ALL, 1) == []
    assert "Q51" not in {results.qid for results in similarity.most_similar("Q1", ["P106"], ALL)}
    assert_agree(store, similarity, ["Q1", "Q51", "Q50"], ["P106", "P69"], 1)


def test_the_same_value_of_two_properties_counts_twice(store_of):
    store = store_of(
        "".join(
            f"wd:{qid} wdt:P31 wd:Q5\nwd:{qid} wdt:P19 wd:Q100\nwd:{qid} wdt:P20 wd:Q100\n"
            for qid in ("Q1", "Q2")
        )
    )
    # A property that is named twice is one property.
    similarity = similarity_of(store)
    assert similarity.most_similar("Q1", ["P19", "P20", "P20"], ALL, 1) == [Neighbour("Q2", 2, 2)]
    assert_agree(store, similarity, ["Q1"], ["P19", "P20"], 1)


def test_shared_values(store_of):
    store = store_of(TIES + "wd:Q30 wdt:P69 wd:Q102\nwd:Q30 wdt:P69 wd:Q103")
    similarity = similarity_of(store)
    # The rarest first: Q101 is held by 3, Q102 by 4, Q100 by 5 items.
    both = [("P106", "Q101"), ("P69", "Q102"), ("P106", "Q100")]
    assert similarity.shared_values("Q1", "Q30", ["P106", "P69"]) == both
    assert similarity.shared_values("Q30", "Q1", ["P69"]) == [("P69", "Q102")]
    assert similarity.shared_values("Q4", "Q9", ["P106", "P69"]) == []


def test_equally_rare_shared_values_are_ordered_by_number(store_of):
    text = "".join(
        f"wd:{qid} wdt:{pid} wd:{value}\n"
        for qid in ("Q1", "Q2")
        for pid, value in (("P106", "Q9"), ("P69", "Q10"), ("P69", "Q9"), ("P9", "Q99"))
    )
    similarity = similarity_of(store_of(text))
    assert similarity.shared_values("Q1", "Q2", ["P106", "P69", "P9"]) == [
        ("P9", "Q99"),
        ("P69", "Q9"),
        ("P69", "Q10"),
        ("P106", "Q9"),
    ]


def test_shared_values_are_as_many_as_the_overlap(sample):
    similarity = similarity_of(sample)
    for qid in instances(sample, {"Q5"})[::20]:
        for neighbour in similarity.most_similar(qid, PERSON, 30):
            assert len(similarity.shared_values(qid, neighbour.qid, PERSON)) == neighbour.overlap


# Many at once


def test_neighbours_of_many_are_those_of_each(sample):
    people = instances(sample, {"Q5"})
    similarity = similarity_of(sample)
    results = similarity.most_similar_to_each(people, PERSON, 10, 2)
    assert results == [similarity.most_similar(qid, PERSON, 10, 2) for qid in people]


@pytest.mark.parametrize("qids", [[], ["Q1"], ["Q1", "Q999", "Q1"]])
def test_many_may_be_none_unknown_or_the_same(store_of, qids):
    similarity = similarity_of(store_of(TIES))
    best = {"Q1": [Neighbour("Q30", 2, 3)], "Q999": []}
    assert similarity.most_similar_to_each(qids, ["P106", "P69"], 1) == [best[qid] for qid in qids]


def asked_for(store: Path, *arguments: str) -> list[dict[str, object]]:
    done = CliRunner().invoke(similar, [*arguments, "--store", str(store), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_command_names_the_item_of_several(sample_store):
    # A composer, a city and a physicist: of two kinds, which are compared by other properties.
    items = ["Q255", "Q64", "Q7186"]
    rows = asked_for(sample_store, *items, "--limit", "3", "--min-overlap", "2")
    alone = {
        item: asked_for(sample_store, item, "--limit", "3", "--min-overlap", "2") for item in items
    }
    assert all(alone.values())
    assert rows == [{"of": item, **row} for item in items for row in alone[item]]
    assert list(rows[0]) == ["of", "qid", "label", "overlap", "shared"]
    # Whom one names twice is one item, and the first column would say nothing.
    twice = asked_for(sample_store, "Q255", "q255", "--limit", "3", "--min-overlap", "2")
    assert twice == alone["Q255"]


# Random small stores against plain counting

Facts = Mapping[str, set[tuple[str, str]]]
ITEMS = [f"Q{n}" for n in (1, 2, 3, 9, 10, 11, 20)]
STATEMENTS = st.lists(
    st.tuples(
        st.sampled_from([*ITEMS, "P5"]),
        st.sampled_from(["P31", "P31", "P1", "P2", "P3"]),
        # Items may be their own values; a property, a text and an unknown value are no items.
        st.sampled_from(["Q1", "Q2", "Q100", "Q101", "P6", '"x"@en', "_:unknown"]),
    ),
    min_size=1,
    max_size=40,
)


def counted(facts: Facts, qid: str, properties: set[str], least: int) -> list[Neighbour]:
    """Count as the paper says it, in plain Python."""

    def values(item: str) -> set[tuple[str, str]]:
        return {(p, v) for p, v in facts[item] if p in properties and v.startswith("Q")}

    def classes(item: str) -> set[str]:
        return {v for p, v in facts[item] if p == "P31" and v.startswith("Q")}

    items = [item for item in facts if item.startswith("Q")]
    holders = Counter(key for item in items for key in values(item))
    results = []
    for other in items:
        shared = values(qid) & values(other)
        if other != qid and len(shared) >= least and classes(qid) & classes(other):
            rarest = min(holders[key] for key in shared)
            results.append(Neighbour(other, len(shared), rarest))
    return sorted(results, key=lambda n: (-n.overlap, n.rarest, int(n.qid[1:])))


@given(STATEMENTS, st.sets(st.sampled_from(["P1", "P2", "P3"]), min_size=1), st.integers(1, 3))
def test_random_stores(tmp_path_factory, statements, asked, least):
    folder: Path = tmp_path_factory.mktemp("random")
    objects = (o if o[0] in '_"' else f"wd:{o}" for _, _, o in statements)
    lines = zip(statements, objects, strict=True)
    text = "\n".join(f"wd:{s} wdt:{p} {o}" for (s, p, _), o in lines)
    load_text(folder, triples(text))
    facts: dict[str, set[tuple[str, str]]] = {}
    for subject, pid, value in statements:
        facts.setdefault(subject, set()).add((pid, value))
    with open_store(folder / "kg") as store:
        similarity = similarity_of(store)
        for qid in facts.keys() - {"P5"}:
            expected = counted(facts, qid, asked, least)
            assert by_query(store, qid, sorted(asked), least) == expected
            # However many are asked for, the search may end before it has seen all others.
            for most in range(len(facts) + 1):
                assert similarity.most_similar(qid, sorted(asked), most, least) == expected[:most]
        qids = sorted(facts.keys() - {"P5"})
        one_by_one = [similarity.most_similar(qid, sorted(asked), 2, least) for qid in qids]
        assert similarity.most_similar_to_each(qids, sorted(asked), 2, least) == one_by_one


def indexed(facts: Facts, path: Path) -> Postings:
    """Return the index of facts, which no graph holds."""
    text = "\n".join(f"wd:{s} wdt:{p} wd:{o}" for s, said in facts.items() for p, o in said)
    with closing(PostingsWriter(path, path.parent)) as writer:
        writer.add(scan_lines(triples(text).encode().splitlines(keepends=True)))
        writer.write("made up")
    return postings.open_postings(path, "made up")


@pytest.mark.parametrize("seed", range(2))
def test_random_stores_of_common_and_of_rare_values(tmp_path, seed):
    # Of 1,200 items, a value that fewer than five have is in no bitmap. Values follow Zipf's
    # law, so that there are many of both, and many ties.
    rng = np.random.default_rng(seed)
    facts: dict[str, set[tuple[str, str]]] = {}
    for item in range(1, 1201):
        facts[f"Q{item}"] = {("P31", f"Q{1000 + rng.integers(2)}")}
        for _ in range(rng.integers(9)):
            value = int(1000 ** rng.random())
            facts[f"Q{item}"].add((f"P{1 + rng.integers(3)}", f"Q{2000 + value}"))
    index = indexed(facts, tmp_path / "postings")
    sizes = np.diff(index.key_ends)
    assert (sizes < 5).sum() > 100 < (sizes >= 5).sum()
    assert {2, 3, 4} < set(sizes.tolist())  # rare ones, too, can be shared
    similarity = Similarity(index)
    qids, properties = list(facts)[::60], ["P1", "P2", "P3"]
    for least in (1, 2, 3):
        expected = [counted(facts, qid, set(properties), least) for qid in qids]
        for most in (1, 2, 10, ALL):
            results = similarity.most_similar_to_each(qids, properties, most, least)
            assert results == [neighbours[:most] for neighbours in expected]


def test_the_rarest_of_the_common_values_counts(tmp_path):
    # Of 768 items, a value has a bitmap from the third holder on, as Q2001 has, and Q2000 none.
    facts = {f"Q{item}": {("P31", "Q5")} for item in range(1, 769)}
    for item, value in (("Q1", "Q2000"), ("Q2", "Q2000"), ("Q1", "Q2001"), ("Q2", "Q2001")):
        facts[item].add(("P1", value))
    facts["Q3"].add(("P1", "Q2001"))
    similarity = Similarity(indexed(facts, tmp_path / "postings"))
    assert similarity.most_similar("Q1", ["P1"], ALL, 2) == [Neighbour("Q2", 2, 2)]
    assert similarity.most_similar("Q1", ["P1"], ALL) == [
        Neighbour("Q2", 2, 2),
        Neighbour("Q3", 1, 3),
    ]


def test_the_best_ones_are_the_first_of_all(real_store):
    # Of people with hundreds of thousands of holders of their values, the search sees a part.
    with open_store(real_store) as store:
        similarity = similarity_of(store)
        for qid in [*instances(store, {"Q5"})[::400], "Q33760", "Q5879"]:
            for least in (1, 3):
                everyone = similarity.most_similar(qid, PERSON, ALL, least)
                for most in (1, 2, 10, 100):
                    assert similarity.most_similar(qid, PERSON, most, least) == everyone[:most]


def test_the_index_of_another_store_is_none(store_of):
    store = store_of(TIES)
    old = (store.folder / "postings").read_bytes()
    store = store_of("wd:Q1 wdt:P31 wd:Q5")
    (store.folder / "postings").write_bytes(old)
    with pytest.raises(DamagedStoreError, match="another store"):
        store.knowledge({})
