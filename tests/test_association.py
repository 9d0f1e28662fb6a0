"""Estimate P(item has value): shares of the index equal shares by plain counting."""

from collections.abc import Mapping

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump.filter import Filter
from kgbuild.graph.association import Association
from kgbuild.graph.open import open_store
from kgbuild.store.load import load
from tests.conftest import triples

ITEMS = [f"Q{n}" for n in (1, 2, 3, 9, 10, 11, 20)]
STATEMENTS = st.lists(
    st.tuples(st.sampled_from(ITEMS), st.sampled_from(["P1", "P2", "P3"]), st.sampled_from(ITEMS)),
    min_size=1,
    max_size=40,
)


def counted(
    facts: Mapping[str, set[tuple[str, str]]],
    qid: str,
    holders: set[str],
    but: str,
    ignored: set[str],
) -> Association:
    """Count in plain Python."""
    shares = []
    for key in facts.get(qid, ()):
        if key[0] not in ignored:
            others = {item for item, keys in facts.items() if key in keys} - {qid, but}
            shares.append(len(others & holders) / (len(others) + 2))
    best = [*sorted(shares, reverse=True)[:2], 0.0, 0.0]
    return Association(best[0], best[1])


@settings(max_examples=60, deadline=None)
@given(
    STATEMENTS,
    st.sets(st.sampled_from([*ITEMS, "Q99"])),
    st.sampled_from([*ITEMS, "Q99"]),
    st.sets(st.sampled_from(["P1", "P2"])),
)
def test_random_stores(tmp_path_factory, statements, holders, but, ignored):
    folder = tmp_path_factory.mktemp("random")
    text = "\n".join(f"wd:{s} wdt:{p} wd:{o}" for s, p, o in statements)
    (folder / "dump.nt").write_text(triples(text))
    load([str(folder / "dump.nt")], folder / "kg", Filter())
    facts: dict[str, set[tuple[str, str]]] = {}
    for subject, pid, value in statements:
        facts.setdefault(subject, set()).add((pid, value))
    with open_store(folder / "kg") as store:
        associations = store.knowledge({}).associations
        having = associations.holders(sorted(holders), ignored)
        assert np.all(np.diff(having.rows) > 0)
        asked = ("Q1", "Q2", "Q20", "Q99")
        assert associations.estimate(asked, having, but) == [
            counted(facts, qid, holders, but, ignored) for qid in asked
        ]


def test_of_very_many_holders_some_are_looked_at(make_store):
    # 10,000 people have the value; half of them share a village with Q1.
    lines = ["wd:Q1 wdt:P19 wd:Q5"]
    for n in range(10, 10_010):
        lines += [f"wd:Q{n} wdt:P19 wd:Q{5 + n % 2}", f"wd:Q{n} wdt:P27 wd:Q7"]
    with open_store(make_store(triples("\n".join(lines)))) as store:
        associations = store.knowledge({}).associations
        holders = associations.holders((f"Q{n}" for n in range(10, 10_010)), {"P27"})
        (results,) = associations.estimate(["Q1"], holders, "Q10")
    # All 5,000 with that village but Q10 have it; the estimate may be a few off, never above 1.
    assert 0.95 < results.best <= 1
    assert results.second == 0
