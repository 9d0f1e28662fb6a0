"""Put candidates at levels: dropped answers with their reasons, and the order of the others."""

from collections.abc import Iterable

from hypothesis import example, given
from hypothesis import strategies as st

from kgbuild.datasets.granola.levels.date_answers import DateAnswers
from kgbuild.datasets.granola.levels.order import Gold, Levelled, RawAnswer, minimal, put_at_levels
from kgbuild.english.date_levels import answers as forms
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.rows import Evidence
from kgbuild.wikidata import Value


def candidate(
    text: str,
    bits: float,
    implies: str = "",
    *aliases: str,
    says: str = "",
    tier: int = 0,
    kind: str = "place",
) -> RawAnswer:
    """Return a candidate that says its own text, or ``says``, and implies what is listed."""
    said = frozenset[object]({says or text})
    implied = said | {*filter(None, implies.split(", "))}
    return RawAnswer(text, aliases, None, kind, bits, said, implied, (), tier)


GOLD = candidate("Paris", 9.0, "France, Europe", "City of Light")


def told(
    coarser: Iterable[RawAnswer],
    gold: Iterable[RawAnswer] = (GOLD,),
    trivial: Iterable[str] = (),
    min_bits: float = 0.5,
    subject: str = "",
) -> tuple[list[tuple[int, str, float]], list[tuple[str, str]]]:
    results, dropped = put_at_levels([*gold], coarser, {*trivial}, min_bits, subject)
    return [(one.level, one.candidate.text, one.bits) for one in results], dropped


def test_an_ancestor_comes_later_whatever_its_bits() -> None:
    # In a sparse store France may seem to tell more than the region that lies in it.
    region, france = candidate("Ile", 3.0, "France"), candidate("France", 4.0)
    results, _ = put_at_levels([GOLD], [france, region], set(), 0.5, "")
    assert [(one.level, one.candidate.text, one.bits, one.was_capped) for one in results] == [
        (1, "Paris", 9.0, False),
        (2, "Ile", 3.0, False),
        (3, "France", 3.0, True),  # and it is told
    ]


def test_no_answer_has_more_bits_than_the_gold_answer() -> None:
    results, _ = put_at_levels([GOLD], [candidate("France", 12.0)], set(), 0.5, "")
    assert [(one.bits, one.was_capped) for one in results] == [(9.0, False), (9.0, True)]


def test_all_gold_answers_are_at_level_1() -> None:
    nice = candidate("Nice", 7.0, "France, Europe")
    results, _ = told([candidate("France", 8.0, "Europe")], [GOLD, nice])
    # And what is coarser tells no more than any of them.
    assert results == [(1, "Paris", 9.0), (1, "Nice", 7.0), (2, "France", 7.0)]


def test_gold_answers_of_one_name_are_one() -> None:
    # The city and the former electorate: whoever says "Brandenburg" has said both.
    towns = [candidate("Brandenburg", 5.0, says="Q1"), candidate("brandenburg", 6.0, says="Q2")]
    results, _ = told([candidate("Germany", 1.0)], towns)
    assert results == [(1, "Brandenburg", 5.0), (2, "Germany", 1.0)]


def test_reasons_of_dropped_answers() -> None:
    results, dropped = told(
        [
            candidate("a city", 3.0, says="class"),
            candidate("Earth", 0.4),
            candidate("the Orly area", 4.0),
            candidate("orlyville", 3.5, tier=1),
            candidate("The Paris", 3.0),
            candidate("France", 2.0),
        ],
        trivial=["class", "Paris"],
        subject="Orly Area",
    )
    assert results == [(1, "Paris", 9.0), (2, "orlyville", 3.5), (3, "France", 2.0)]
    assert dropped == [
        ("the Orly area", "gives the subject away"),
        ("The Paris", "same answer"),  # but for the article, which nobody hears
        ("a city", "trivial"),
        ("Earth", "tells little"),
    ]


def test_one_more_facet_is_not_trivial() -> None:
    more = RawAnswer("a French city", (), None, "x", 3.0, frozenset("ab"), frozenset("ab"), ())
    assert len(told([more], trivial=["a"])[0]) == 2
    assert len(told([more], trivial=["a", "b"])[0]) == 1


def test_a_subject_without_a_name_drops_no_answer() -> None:
    assert len(told([candidate("France", 2.0)], subject="")[0]) == 2


def test_the_same_of_two_gold_answers_is_one() -> None:
    # Both are "a writer": the words are the same, and so is what they say.
    twice = [candidate("a writer", 2.0), candidate("a writer", 2.0)]
    assert told(twice) == ([(1, "Paris", 9.0), (2, "a writer", 2.0)], [])


def test_of_two_that_read_alike_the_finer_one_stays() -> None:
    results, dropped = told(
        [candidate("France", 2.0, says="x"), candidate("France", 3.0, says="y")]
    )
    assert results == [(1, "Paris", 9.0), (2, "France", 3.0)]
    assert dropped == [("France", "same answer")]


def test_aliases_are_of_one_answer() -> None:
    gold = candidate("New York City", 9.0, "", "New York", "NYC", "the big apple")
    coarser = [
        candidate("New York", 5.0, "", "NY", "Empire State", tier=1),
        candidate("United States", 2.0, "", "NY", "US", "U.S.", "us"),
    ]
    results, _ = put_at_levels([gold], coarser, set(), 0.5, "")
    assert [(one.candidate.text, one.candidate.aliases) for one in results] == [
        # "New York" is the text of another one,
        ("New York City", ("NYC", "the big apple")),
        # and "NY" the alias of a coarser one, which is believed to be meant.
        ("New York", ("Empire State",)),
        # Of those that read alike, one is enough.
        ("United States", ("NY", "US")),
    ]


def test_an_alias_that_all_gold_answers_have_stays_with_all() -> None:
    # They are at one level: whichever is meant, it is as good.
    gold = [candidate("A Street", 9.0, "", "home"), candidate("B Street", 9.0, "", "home")]
    results, _ = put_at_levels(gold, [], set(), 0.5, "")
    assert [one.candidate.aliases for one in results] == [("home",), ("home",)]


def test_minimal() -> None:
    france, nice = candidate("France", 2.0, "Europe"), candidate("Nice", 8.0, "France")
    # France lies above both; that Paris is in Europe, too, no gold answer says.
    assert minimal([france, GOLD, nice]) == [GOLD, nice]
    # Two that lie in each other, as a city and a county of one extent: neither goes.
    one, two = candidate("a", 1.0, "b"), candidate("b", 1.0, "a")
    assert minimal([one, two]) == [one, two]


# Levels are of each gold answer


def test_answers_of_one_tier_share_a_level() -> None:
    nice = candidate("Nice", 9.0, "Var, France, Europe")
    oslo = candidate("Oslo", 9.0, "Norway, Europe")
    coarser = [
        candidate("Var", 6.0, "France, Europe", tier=200),
        candidate("France", 3.0, "Europe", tier=100),
        candidate("Norway", 3.0, "Europe", tier=100),
        candidate("Europe", 1.0),
    ]
    results, _ = put_at_levels([nice, oslo], coarser, set(), 0.5, "")
    assert [(one.level, one.candidate.text, one.golds) for one in results] == [
        (1, "Nice", ("Nice",)),
        (1, "Oslo", ("Oslo",)),
        (2, "Var", ("Nice",)),
        # Norway is beside France, though it is the first step from Oslo.
        (3, "France", ("Nice",)),
        (3, "Norway", ("Oslo",)),
        (4, "Europe", ("Nice", "Oslo")),
    ]


def test_an_answer_comes_before_those_that_it_implies_whatever_its_tier() -> None:
    gold = candidate("Nice", 9.0, "Var, Provence, France")
    coarser = [
        candidate("Var", 7.0, "Provence, France", tier=200),
        candidate("Provence", 6.0, "France", tier=200),
        candidate("Alps", 6.0, "France", tier=200),
        candidate("France", 3.0, tier=100),
    ]
    results, _ = put_at_levels([gold], coarser, set(), 0.5, "")
    assert [(one.level, one.candidate.text) for one in results[1:]] == [
        (2, "Var"),
        (3, "Alps"),
        (3, "Provence"),
        (4, "France"),
    ]


def test_bits_do_not_decide_the_order() -> None:
    # In a slice, few may be French, and many playwrights.
    gold = candidate("Ann", 9.0, "a playwright, a writer")
    coarser = [candidate("a playwright", 2.0, tier=2), candidate("a French person", 5.0, tier=1)]
    results, _ = put_at_levels([gold], coarser, set(), 0.5, "")
    assert [(one.level, one.candidate.text, one.bits) for one in results[1:]] == [
        (2, "a playwright", 2.0),
        (3, "a French person", 5.0),
    ]


# Whatever there is


TEXTS = ["Ulm", "ulm", "The Ulm", "Bonn", "Köln", "Koln", "Rome", "a Rome", "Nice", "Orly"]
ONE = st.tuples(
    st.sampled_from(TEXTS),
    st.floats(0, 30),
    st.sets(st.integers(0, 9)),
    st.lists(st.sampled_from(TEXTS), max_size=3),
)


def world(ones: list[tuple[str, float, set[int], list[str]]]) -> list[RawAnswer]:
    """Return candidates each of which implies some with greater numbers, and what those imply."""
    implied: dict[int, set[int]] = {}
    results: list[RawAnswer] = []
    for n, (text, bits, above, aliases) in reversed([*enumerate(ones)]):
        implied[n] = {n}.union(*(implied[m] for m in above if n < m < len(ones)))
        own, all_of = frozenset({n}), frozenset(implied[n])
        results.append(RawAnswer(text, tuple(aliases), None, "x", bits, own, all_of, (), n % 3))
    return results[::-1]


def above(one: Levelled, other: Levelled) -> bool:
    return other.candidate.facets <= one.candidate.implied and one.candidate != other.candidate


@given(st.lists(ONE, min_size=1, max_size=10), st.integers(1, 3))
@example([("Ulm", 1.0, set(), []), ("Bonn", 2.0, {2}, []), ("Rome", 3.0, set(), [])], 1)
def test_any_candidates(ones: list[tuple[str, float, set[int], list[str]]], gold: int) -> None:
    candidates = world(ones)
    finest, coarser = candidates[:gold], candidates[gold:]
    results, dropped = put_at_levels(finest, coarser, set(), 0.5, "Orly")
    levels = [one.level for one in results]
    golden = levels.count(1)
    # There is no gap.
    assert levels == sorted(levels) and {*levels} == {*range(1, max(levels) + 1)}
    placed = results[golden:]
    exact = {one.candidate.text: one for one in results[:golden]}
    assert all(one.bits <= exact[text].bits for one in placed for text in one.golds)
    assert all(one.level <= two.level for one in placed for two in placed if above(one, two))
    if golden == 1:
        # None comes before one that lies below it, or tells more than that.
        pairs = [(one, two) for one in placed for two in placed if above(one, two)]
        assert all(one.level < two.level and one.bits >= two.bits for one, two in pairs)
    # What is capped tells less here than it does by itself, and nothing else does.
    assert all(one.was_capped == (one.bits < one.candidate.bits) for one in results)
    # No two read alike, and no name is one of another level.
    assert len({normalise(one.candidate.text) for one in results}) == len(results)
    levels_of: dict[str, int] = {}
    for one in results:
        for name in (one.candidate.text, *one.candidate.aliases):
            assert levels_of.setdefault(normalise(name), one.level) == one.level
    # Each is there, or it is told why not.
    assert len(placed) + len(dropped) == len(coarser)
    # Nothing depends on the order in which they come.
    again, why = put_at_levels(finest, coarser[::-1], set(), 0.5, "Orly")
    if len({one.text for one in coarser}) == len(coarser):
        assert (again, sorted(why)) == (results, sorted(dropped))


# Times


def day(text: str) -> Value:
    return Value("time", f"{text}T00:00:00Z")


def dated(*days: str) -> list[Gold]:
    return [
        Gold((dates[0].text,), None, (Evidence("Q1", "P569", text),), dates)
        for text in days
        for dates in [forms(day(text))]
    ]


def test_a_day_has_five_levels() -> None:
    times = DateAnswers([[day("1900-05-05"), day("1999-05-05")]])
    results, dropped = times.levelled(dated("1962-05-03"), "Ann", 0.5)
    assert [(one.level, one.candidate.text, round(one.bits, 1)) for one in results] == [
        (1, "3 May 1962", 15.2),
        (2, "May 1962", 10.2),
        (3, "1962", 6.6),
        (4, "the 1960s", 3.3),
    ]
    # A hundred years are all that there are.
    assert dropped == [("the 20th century", "tells little")]
    assert {one.candidate.evidence for one in results} == {(Evidence("Q1", "P569", "1962-05-03"),)}


def test_a_year_that_another_time_lies_in_is_coarser_than_that() -> None:
    times = DateAnswers([[day("1000-05-05"), day("1999-05-05")]])
    results, _ = times.levelled(dated("1962-01-01", "1962-05-03"), "Ann", 0.5)
    assert [(one.level, one.candidate.text) for one in results] == [
        (1, "3 May 1962"),
        (2, "May 1962"),
        (3, "1962"),
        (4, "the 1960s"),
        (5, "the 20th century"),
    ]


def test_two_times_that_meet_in_a_decade() -> None:
    times = DateAnswers([[day("1000-05-05"), day("1999-05-05")]])
    results, _ = times.levelled(dated("1961-01-01", "1962-01-01"), "Ann", 0.5)
    assert [(one.level, one.candidate.text) for one in results] == [
        (1, "1961"),
        (1, "1962"),
        (2, "the 1960s"),
        (3, "the 20th century"),
    ]


def test_an_unreadable_time_has_no_coarser_answer() -> None:
    # As somebody's file may write it.
    gold = Gold(("last Tuesday",), None, ())
    results, _ = DateAnswers([]).levelled([gold], "Ann", 0.5)
    assert [(one.level, one.candidate.text) for one in results] == [(1, "last Tuesday")]


def test_another_date_of_a_model_is_unconfirmed() -> None:
    times = DateAnswers([[day("1000-05-05"), day("1999-05-05")]])
    value = day("1958-03-22")
    gold = [Gold(("22 March 1958",), forms=forms(value))]
    said = ("the spring of 1958", "March 1958", "1959", "the 1950s", "1960s")
    results, dropped = times.levelled(gold, "Ann", 0.5, said)
    # What is no date can't be told; of dates only those that the gold one lies in are true.
    assert dropped == [("1959", "unconfirmed"), ("1960s", "unconfirmed")]
    assert [one.candidate.text for one in results] == [
        *("22 March 1958", "the spring of 1958", "March 1958"),
        *("1958", "the 1950s", "the 20th century"),
    ]


# Levels of what implies something, or has a tier

KEYS = "bcdef"


def test_circles_are_broken() -> None:
    ring = [candidate("b", 3.0, "c"), candidate("c", 2.0, "d"), candidate("d", 1.0, "b")]
    assert [text for _, text, _ in told(ring)[0]] == ["Paris", "b", "c", "d"]


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
    coarser = [
        candidate(text, count, ", ".join(above[text]), tier=tiers.get(text, 0), kind=kind)
        for text, count in bits.items()
    ]
    answers, _ = told(coarser, min_bits=0.0)
    levels = {text: level for level, text, _ in answers}
    assert sorted(levels) == sorted((*bits, "Paris"))
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
    assert answers == told(coarser[::-1], min_bits=0.0)[0]  # in any order


def test_descriptions_of_one_tier_that_nothing_implies_share_a_level() -> None:
    # Two people: a screenwriter, and an animator who is described as a writer, too.
    occupations = {"screenwriter": (5.0, "writer"), "writer": (4.0, ""), "animator": (6.0, "")}
    coarser = [candidate(text, *said, kind="class") for text, said in occupations.items()]
    assert [(level, text) for level, text, _ in told(coarser)[0][1:]] == [
        (2, "animator"),
        (2, "screenwriter"),
        (3, "writer"),
    ]
