"""The order of levels: coarser answers come later, then those with fewer bits."""

from collections.abc import Mapping, Set

from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.levels import Candidate, Levelled, put_at_levels

KEYS = "bcdef"


def order(
    bits: Mapping[str, float], above: Mapping[str, Set[str]], gold_bits: float = 31.0
) -> list[Levelled]:
    def candidate(text: str, bits: float) -> Candidate:
        implied = frozenset({text, *above.get(text, ())})
        return Candidate(text, (), None, "place", bits, frozenset({text}), implied, ())

    coarser = [candidate(text, count) for text, count in bits.items()]
    answers, _ = put_at_levels([candidate("gold", gold_bits)], coarser, frozenset(), 0.0, "")
    return answers


def texts(bits: Mapping[str, float], above: Mapping[str, Set[str]]) -> list[str]:
    return [answer.candidate.text for answer in order(bits, above)]


def test_an_ancestor_is_coarser_whatever_its_bits() -> None:
    # In a small store, France may have more bits than the department.
    answers = order({"department": 2.0, "france": 3.0}, {"department": {"france"}}, 9.0)
    assert [(one.candidate.text, one.level, one.bits, one.was_capped) for one in answers] == [
        ("gold", 1, 9.0, False),
        ("department", 2, 2.0, False),
        ("france", 3, 2.0, True),  # capped at the bits of the finer one
    ]


def test_of_different_chains_the_answer_with_more_bits_comes_first() -> None:
    bits = {"french writer": 4.0, "writer": 1.0, "born in Paris": 5.0}
    above = {"french writer": {"writer"}}
    assert texts(bits, above) == ["gold", "born in Paris", "french writer", "writer"]


def test_the_gold_answer_comes_first_even_with_fewer_bits() -> None:
    assert [one.candidate.text for one in order({"b": 5.0}, {}, 1.0)] == ["gold", "b"]


def test_circles_are_broken() -> None:
    above = {"b": {"c"}, "c": {"d"}, "d": {"b"}}
    assert texts({"b": 3.0, "c": 2.0, "d": 1.0}, above) == ["gold", "b", "c", "d"]


@given(
    st.dictionaries(st.sampled_from(KEYS), st.floats(0, 30)),
    st.sets(st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS))),
)
def test_every_answer_has_a_level(bits: dict[str, float], edges: set[tuple[str, str]]) -> None:
    # Edges go up the alphabet only, so there are no circles; the relation is made transitive.
    above: dict[str, set[str]] = {key: set() for key in KEYS}
    for one, other in sorted(edges, reverse=True):
        if one < other:
            above[one] |= {other} | above[other]
    answers = order(bits, above)
    levels = {answer.candidate.text: answer.level for answer in answers}
    assert sorted(levels) == sorted((*bits, "gold"))
    assert [answer.level for answer in answers] == list(range(1, len(bits) + 2))
    assert [answer.bits for answer in answers] == sorted((a.bits for a in answers), reverse=True)
    for one, others in above.items():
        assert all(levels[one] < levels[other] for other in others if {one, other} <= set(bits))
    assert answers == order(dict(reversed(bits.items())), above)  # in any order of the input
