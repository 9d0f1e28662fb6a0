"""The order of levels: coarser answers come later, then those of a lower tier."""

from collections.abc import Mapping, Set
from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.granola.levels.order import Levelled, put_at_levels
from tests.test_granola_levels import candidate

KEYS = "bcdef"


def order(
    bits: Mapping[str, float],
    above: Mapping[str, Set[str]],
    tiers: Mapping[str, int] = MappingProxyType({}),
    kind: str = "place",
) -> list[Levelled]:
    coarser = [
        candidate(text, count, ", ".join(above.get(text, ())), tier=tiers.get(text, 0))
        for text, count in bits.items()
    ]
    of_kind = [answer._replace(kind=kind) for answer in coarser]
    answers, _ = put_at_levels([candidate("gold", 31.0)], of_kind, frozenset(), 0.0, "")
    return answers


def test_circles_are_broken() -> None:
    above = {"b": {"c"}, "c": {"d"}, "d": {"b"}}
    answers = order({"b": 3.0, "c": 2.0, "d": 1.0}, above)
    assert [one.candidate.text for one in answers] == ["gold", "b", "c", "d"]


@given(
    st.dictionaries(st.sampled_from(KEYS), st.floats(0, 30)),
    st.sets(st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS))),
    st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3)),
    st.sampled_from(["place", "occupation"]),
)
def test_every_answer_has_a_level(
    bits: dict[str, float], edges: set[tuple[str, str]], tiers: dict[str, int], kind: str
) -> None:
    # Edges go up the alphabet only, so there are no circles; the relation is made transitive.
    above: dict[str, set[str]] = {key: set() for key in KEYS}
    for one, other in sorted(edges, reverse=True):
        if one < other:
            above[one] |= {other} | above[other]
    answers = order(bits, above, tiers=tiers, kind=kind)
    levels = {answer.candidate.text: answer.level for answer in answers}
    assert sorted(levels) == sorted((*bits, "gold"))
    assert {*levels.values()} == {*range(1, max(levels.values()) + 1)}  # no gap
    implied = {(one, other) for one, others in above.items() for other in others} & {
        (one, other) for one in bits for other in bits
    }
    assert all(levels[one] < levels[other] for one, other in implied)
    # Places that imply nothing have the level of their tier. So have descriptions that no other
    # one implies, unless they imply one of a higher tier.
    last = [one for one in bits if not above[one] & bits.keys()]
    if kind != "place":
        finer = {one: {other for other in bits if one in above[other]} for one in bits}
        last = [one for one in last if not finer[one]]
    for one in last:
        for other in last:
            is_finer = tiers.get(one, 0) > tiers.get(other, 0)
            assert (levels[one] < levels[other]) == is_finer
    assert answers == order(
        dict(reversed(bits.items())), above, tiers=tiers, kind=kind
    )  # in any order


def test_descriptions_of_one_tier_that_nothing_implies_share_a_level() -> None:
    # Two people: a screenwriter, and an animator who is described as a writer, too.
    bits = {"screenwriter": 5.0, "writer": 4.0, "animator": 6.0}
    answers = order(bits, {"screenwriter": {"writer"}}, kind="occupation")
    assert [(answer.level, answer.candidate.text) for answer in answers[1:]] == [
        (2, "animator"),
        (2, "screenwriter"),
        (3, "writer"),
    ]
