"""The index of statements gives the same results as the queries."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.graph.open import open_store
from kgbuild.graph.statements import Statements
from tests.conftest import load_text, triples

ITEMS = [f"Q{n}" for n in (1, 2, 3, 9, 10, 100, 101)]
PROPERTIES = ["P1", "P2", "P10", "P31"]


def pairs_of(statements: Statements, pid: str) -> list[tuple[str, str]]:
    """Return (item, value) for each statement of a property."""
    numbers = (part.tolist() for part in statements.numbers(pid))
    return [(f"Q{subject}", f"Q{value}") for subject, value in zip(*numbers, strict=True)]


@settings(max_examples=10)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*ITEMS, "P7"]),  # properties are described by statements, too
            st.sampled_from(PROPERTIES),
            st.sampled_from([*ITEMS, "P7", "_:unknown"]),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_random_stores(tmp_path_factory, statements):
    prefixed = [tuple(t if t[0] == "_" else f"wd:{t}" for t in (s, o)) for s, _, o in statements]
    text = "\n".join(
        f"{s} wdt:{p} {o}" for (s, o), (_, p, _) in zip(prefixed, statements, strict=True)
    )
    with open_store(load_text(tmp_path_factory.mktemp("random"), triples(text))) as store:
        said, select = store.knowledge({}).statements, store.graph.select
        for pid in PROPERTIES:
            assert sorted(pairs_of(said, pid)) == sorted(select("relation_pairs", property=pid))
            for qid in (*ITEMS, "Q5"):
                values = [v.text for (v,) in select("values", subject=qid, property=pid)]
                items = {text for text in values if text.startswith("Q")}
                assert set(said.values(qid, pid)) == items
                subjects = {results for (results,) in select("subjects", object=qid, property=pid)}
                assert set(said.subjects(qid, pid)) == subjects
                assert all(said.holds(qid, pid, other) == (other in items) for other in ITEMS)
        for qid in (*ITEMS, "Q5"):
            counted = sum(count for (count,) in select("popularity", item=qid))
            assert said.popularity(qid) == counted
            assert said.properties_to(qid) == {p for p in PROPERTIES if said.subjects(qid, p)}


def test_answers_come_by_number(store_of):
    lines = [f"wd:Q{n} wdt:P1 wd:Q{m}" for n in (10, 9, 100) for m in (30, 4, 5)]
    said = store_of(*lines).knowledge({}).statements
    assert said.values("Q10", "P1") == ("Q4", "Q5", "Q30")
    assert said.subjects("Q5", "P1") == ["Q9", "Q10", "Q100"]
    assert said.popularity("Q4") == 3


def test_the_real_slice(real_store):
    with open_store(real_store) as store:
        said, select = store.knowledge({}).statements, store.graph.select
        for pid in ("P26", "P36", "P131"):
            pairs = select("relation_pairs", property=pid)
            assert sorted(pairs_of(said, pid)) == sorted(pairs)
            for qid in {y for _, y in pairs[::200]}:
                subjects = {results for (results,) in select("subjects", object=qid, property=pid)}
                assert set(said.subjects(qid, pid)) == subjects
                (count,) = select("popularity", item=qid)[0]
                assert said.popularity(qid) == count
