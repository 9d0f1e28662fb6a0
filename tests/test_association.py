"""Estimate P(item has value): shares of the index equal shares by plain counting."""

from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.graph.open import open_store
from tests.conftest import load_text, triples

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
    stating: set[str],
    without: str,
) -> tuple[float, float]:
    """Count in plain Python."""
    base = min(1.0, max(0, len(holders) - 1) / max(1, len(stating) - 1))
    shares = [base, base]
    for key in facts.get(qid, ()):
        others = {item for item, keys in facts.items() if key in keys} - {qid, without}
        holding, total = len(others & holders), len(others & stating)
        shares.append((holding + 2 * base) / (max(holding, total) + 2))
    best = sorted(shares, reverse=True)
    return best[0], best[1]


def numbers(qids: Iterable[str]) -> np.ndarray:
    """Return the numbers of items, sorted."""
    return np.array(sorted(int(qid[1:]) for qid in qids), np.int32)


@settings(max_examples=10)
@given(
    STATEMENTS,
    st.sets(st.sampled_from(ITEMS)),
    st.sets(st.sampled_from(ITEMS)),
    st.sampled_from([*ITEMS, "Q99"]),
)
def test_random_stores(tmp_path_factory, statements, holders, others, without):
    folder = tmp_path_factory.mktemp("random")
    text = "\n".join(f"wd:{s} wdt:{p} wd:{o}" for s, p, o in statements)
    load_text(folder, triples(text))
    facts: dict[str, set[tuple[str, str]]] = {}
    for subject, pid, value in statements:
        facts.setdefault(subject, set()).add((pid, value))
    holders &= facts.keys()  # the index has rows for subjects only
    stating = holders | (others & facts.keys())
    with open_store(folder / "kg") as store:
        knowledge = store.knowledge({})
        associations = knowledge.associations(("test",), numbers(stating))
        rows = associations.holders(numbers(holders))
        assert np.all(np.diff(rows.rows) > 0)
        items = ("Q1", "Q2", "Q20", "Q99")
        item_rows = knowledge.postings.row_of_each_number(numbers(items))
        shares = zip(*associations.estimate(item_rows, rows, without), strict=True)
        for qid, estimate in zip(items, shares, strict=True):
            expected = counted(facts, qid, holders, stating, without)
            assert estimate == pytest.approx(expected)
        values = [holders, stating, set(), holders]
        each = [associations.holders(numbers(items)) for items in values]
        for qid, row in zip(items, item_rows.tolist(), strict=True):
            shares = zip(*associations.estimate_each(row, each), strict=True)
            for holding, estimate in zip(values, shares, strict=True):
                assert estimate == pytest.approx(counted(facts, qid, holding, stating, qid))


def test_of_very_many_holders_some_are_looked_at(store_of):
    # 10,000 people have the value; half of them share a village with Q1.
    lines = ["wd:Q1 wdt:P19 wd:Q5"]
    for n in range(10, 10_010):
        lines += [f"wd:Q{n} wdt:P19 wd:Q{5 + n % 2}", f"wd:Q{n} wdt:P27 wd:Q7"]
    holding = [f"Q{n}" for n in range(10, 10_010)]
    knowledge = store_of(*lines).knowledge({})
    associations = knowledge.associations(("test",), numbers(holding))
    holders = associations.holders(numbers(holding))
    rows = knowledge.postings.row_of_each_number(numbers(["Q1"]))
    (best,), _ = associations.estimate(rows, holders, "Q10")
    # All who state it have the value; the estimate may be a few off, never above 1.
    assert 0.95 < best <= 1


def test_the_values_that_make_another_one_likely(store_of):
    # Three of four people with the trade Q8 are citizens of Q7; of Q1 it is not stated.
    lines = ["wd:Q1 wdt:P106 wd:Q8", "wd:Q1 wdt:P19 wd:Q5"]
    for n in (10, 11, 12):
        lines += [f"wd:Q{n} wdt:P106 wd:Q8", f"wd:Q{n} wdt:P27 wd:Q7"]
    lines += ["wd:Q13 wdt:P106 wd:Q8", "wd:Q13 wdt:P27 wd:Q9"]
    stating = ["Q10", "Q11", "Q12", "Q13"]
    associations = store_of(*lines).knowledge({}).associations(("test",), numbers(stating))
    sources = associations.sources("Q1", associations.holders(numbers(["Q10", "Q11", "Q12"])))
    assert sources[0] == ("P106", "Q8", 3, 4)
