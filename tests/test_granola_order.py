"""Levels: what lies above comes later, then what tells less; bits never grow."""

from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.order import ordered

KEYS = "abcdef"


def keys(bits: dict[str, float], above: dict[str, set[str]], finest: str = "a") -> list[str]:
    return [one.key for one in ordered(bits, above, finest)]


def test_an_ancestor_is_coarser_whatever_is_counted() -> None:
    # Of a sparse store, France may seem to tell more than the department.
    bits = {"a": 9.0, "department": 2.0, "france": 3.0}
    above = {"a": {"department", "france"}, "department": {"france"}}
    found = ordered(bits, above, "a")
    assert [(one.key, one.level, one.bits, one.was_capped) for one in found] == [
        ("a", 1, 9.0, False),
        ("department", 2, 2.0, False),
        ("france", 3, 2.0, True),  # as much as the finer one, and it is told
    ]


def test_of_different_chains_the_one_that_tells_more_comes_first() -> None:
    bits = {"a": 9.0, "french writer": 4.0, "writer": 1.0, "born in Paris": 5.0}
    above = {"a": {"french writer", "writer"}, "french writer": {"writer"}}
    assert keys(bits, above) == ["a", "born in Paris", "french writer", "writer"]


def test_the_finest_comes_first_though_another_seems_to_tell_more() -> None:
    assert keys({"a": 1.0, "b": 5.0}, {}) == ["a", "b"]


def test_circles_are_broken() -> None:
    assert keys({"a": 9.0, "b": 3.0, "c": 2.0}, {"b": {"c"}, "c": {"b"}}) == ["a", "b", "c"]


@given(
    st.dictionaries(st.sampled_from(KEYS), st.floats(0, 30), min_size=1).map(
        lambda bits: {"a": 31.0, **bits}
    ),
    st.sets(st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS))),
)
def test_every_answer_has_a_place(bits: dict[str, float], edges: set[tuple[str, str]]) -> None:
    # Edges go up the alphabet only, so there are no circles; the relation is made transitive.
    above: dict[str, set[str]] = {key: set() for key in KEYS}
    for one, other in sorted(edges, reverse=True):
        if one < other:
            above[one] |= {other} | above[other]
    found = ordered(bits, above, "a")
    assert sorted(one.key for one in found) == sorted(bits)
    assert [one.level for one in found] == list(range(1, len(bits) + 1))
    told = [one.bits for one in found]
    assert told == sorted(told, reverse=True)
    order = {one.key: one.level for one in found}
    for one, others in above.items():
        assert all(order[one] < order[other] for other in others if {one, other} <= set(bits))
    assert found == ordered(dict(reversed(bits.items())), above, "a")  # whatever the order given
