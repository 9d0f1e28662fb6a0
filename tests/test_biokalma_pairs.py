"""The pairs of subjects: which statements join two, and which of several is asked about."""

import random
from collections.abc import Callable, Sequence

import pytest

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.biokalma.rows import PEOPLE
from kgbuild.datasets.biokalma.sets.minimal import Minimality, Triple
from kgbuild.datasets.biokalma.sets.pairs import SubjectPairs
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store
from kgbuild.relations import Relation
from kgbuild.rows import Rejected
from tests.test_granola_profile import CITY, FILM, HUMAN, TIME, item, person

_REASONS = read_toml("datasets/biokalma/reasons.toml")

FICTIONAL = "Q95074"
AMONG_PEOPLE = ("P26", "P40", "P22", "P25", "P3373", "P451", "P184", "P1066", "P802", "P737")
AMONG_PEOPLE += ("P1038", "P185", "P1327")
RANDOM = 60
"""So many pairs of people are joined by statements of which chance decides."""


def joined_by_chance() -> str:
    """Return pairs that one to six statements join, this way or that."""
    chance = random.Random(0)
    lines = []
    for number in range(1000, 1000 + 2 * RANDOM, 2):
        lines += [person(number, f"A {number}"), person(number + 1, f"B {number}")]
        for _ in range(chance.randint(1, 6)):
            one, other = chance.sample((number, number + 1), 2)
            lines.append(f"wd:Q{one} wdt:{chance.choice(AMONG_PEOPLE)} wd:Q{other}\n")
    return "".join(lines)


WORLD = (
    person(1, "Ann Lee", "wdt:P26 wd:Q2"),
    person(2, "Bo Ek", "wdt:P26 wd:Q1"),
    person(3, "Cy Ek", "wdt:P22 wd:Q4"),
    person(4, "Di Ek", "wdt:P40 wd:Q3"),
    person(5, "Ed Ox", "wdt:P1066 wd:Q6", "wdt:P184 wd:Q6"),
    person(6, "Flo Ox", "wdt:P185 wd:Q5"),
    person(7, "Gus Ax", "wdt:P737 wd:Q8", "wdt:P26 wd:Q8"),
    person(8, "Hal Ax"),
    person(9, "Ida Um", "wdt:P26 wd:Q9"),
    person(10, "Jo Um", "wdt:P26 wd:Q20", "wdt:P451 wd:Q30"),
    item("Q20", "Superman", FICTIONAL, "wdt:P26 wd:Q20"),
    person(11, "Kay Um", "wdt:P26 wd:Q12"),
    f"wd:Q12 wdt:P31 wd:{HUMAN}\n",
    person(13, "Zoë  Um", "wdt:P26 wd:Q14"),
    person(14, "zoe um"),
    person(15, " \\u200e", "wdt:P26 wd:Q1"),
    # Two of those to whom Q21 is joined are called Vi Or: which one is asked about?
    person(21, "Wu Or", "wdt:P26 wd:Q22", "wdt:P737 wd:Q23"),
    person(22, "Vi Or"),
    person(23, "vi  or"),
    # A chain: Q16, Q17, Q18; and Q17's teacher is no person.
    person(18, "Sy On", "wdt:P3373 wd:Q17"),
    person(17, "Ty On", "wdt:P737 wd:Q16", "wdt:P1066 wd:Q20"),
    person(16, "Ut On"),
    # Who was influenced by somebody born later, and whose teacher died before.
    person(31, "Al Yo", "wdt:P737 wd:Q32", "wdt:P569 " + TIME.format("1803-03-02")),
    person(32, "Bo Yo", "wdt:P569 " + TIME.format("1815-05-06"), "wdt:P1066 wd:Q33"),
    person(33, "Cy Yo", "wdt:P570 " + TIME.format("1790-02-03"), "wdt:P737 wd:Q31"),
    person(34, "Di Yo", "wdt:P569 " + TIME.format("1816-07-08"), "wdt:P737 wd:Q31"),
    item("Q40", "Lund", CITY, "wdt:P47 wd:Q41"),
    item("Q41", "Malmö", CITY, "wdt:P190 wd:Q40"),
    # By their work: Al acted in two films that Bea directed, one of which Cid wrote; Al is among
    # the directors of one, and married to Cid.
    person(50, "Al Im", "wdt:P800 wd:Q60", "wdt:P800 wd:Q61", "wdt:P26 wd:Q52"),
    person(51, "Bea Im"),
    person(52, "Cid Im"),
    item("Q60", "One", FILM, "wdt:P57 wd:Q51", "wdt:P57 wd:Q50", "wdt:P58 wd:Q52"),
    item("Q61", "Two", FILM, "wdt:P57 wd:Q51"),
    # Eva's notable film has the music of Fay, who wrote that of another one with Eva, too.
    person(53, "Eva Im", "wdt:P800 wd:Q62"),
    person(54, "Fay Im"),
    item("Q62", "Three", FILM, "wdt:P86 wd:Q54"),
    item("Q63", "Four", FILM, "wdt:P86 wd:Q54", "wdt:P161 wd:Q53"),
    joined_by_chance(),
)
BY_WORK, BY_SCRIPT, BY_MUSIC = (catalog().relations[pid] for pid in ("P57", "P58", "P86"))


@pytest.fixture(scope="module")
def known(shared_store_of: Callable[..., Store]) -> Knowledge:
    return shared_store_of(*WORLD).knowledge(catalog().kinds)


def pairs_of(known: Knowledge, of_class: str = PEOPLE) -> SubjectPairs:
    return SubjectPairs(known, Minimality(known), of_class)


@pytest.fixture(scope="module")
def pairs(known: Knowledge) -> SubjectPairs:
    return pairs_of(known)


def statements_of(pairs: SubjectPairs, relation: Relation) -> list[Triple]:
    """Return the statements of a relation, sorted by the numbers of their items."""
    subjects, values = pairs.pairs_of(relation)
    numbers = sorted(zip(subjects.tolist(), values.tolist(), strict=True))
    return [(f"Q{x}", relation.path, f"Q{y}") for x, y in numbers]


def asked(pairs: SubjectPairs, pids: Sequence[str]) -> list[Triple]:
    """Return the statements of relations by which questions are asked."""
    found = []
    for pid in pids:
        for statement in statements_of(pairs, catalog().relations[pid]):
            try:
                pairs.check(statement)
                found.append(statement)
            except Rejected as rejected:
                assert rejected.reason in _REASONS["pair"]
    return found


@pytest.mark.parametrize(
    "statement",
    [
        ("Q1", "P26", "Q2"),  # of two sides the one with the smaller number
        ("Q4", "P40", "Q3"),  # of child and father the first relation of the file
        ("Q5", "P184", "Q6"),  # who supervised a doctorate was a teacher: it tells more
        ("Q7", "P26", "Q8"),
        ("Q17", "P737", "Q16"),
        ("Q34", "P737", "Q31"),
    ],
)
def test_accepted_statements(pairs: SubjectPairs, statement: Triple) -> None:
    assert statement in statements_of(pairs, catalog().relations[statement[1]])
    pairs.check(statement)  # raises nothing


@pytest.mark.parametrize(
    ("statement", "reason", "detail"),
    [
        (("Q9", "P26", "Q9"), "same item", "Q9"),
        (("Q10", "P26", "Q20"), "not of the class", "Q20"),
        (("Q10", "P451", "Q30"), "not of the class", "Q30"),  # of which nothing is known
        (("Q11", "P26", "Q12"), "no label", "Q12"),
        (("Q15", "P26", "Q1"), "no label", "Q15"),  # of which nothing is seen
        (("Q13", "P26", "Q14"), "same name", "Zoë Um"),
        (("Q2", "P26", "Q1"), "mirrored", "Q1 P26 Q2"),
        (("Q3", "P22", "Q4"), "mirrored", "Q4 P40 Q3"),
        (("Q6", "P185", "Q5"), "mirrored", "Q5 P184 Q6"),
        (("Q5", "P1066", "Q6"), "joined otherwise", "Q5 P184 Q6"),
        (("Q7", "P737", "Q8"), "joined otherwise", "Q7 P26 Q8"),
        (("Q31", "P737", "Q32"), "other time", "Q32 began 12 years after Q31"),
        (
            ("Q32", "P1066", "Q33"),
            "other time",
            "Q33 P570 1790-02-03T00:00:00Z; Q32 P569 1815-05-06T00:00:00Z",
        ),
    ],
)
def test_rejected_statements(
    pairs: SubjectPairs, statement: Triple, reason: str, detail: str
) -> None:
    assert statement in statements_of(pairs, catalog().relations[statement[1]])
    with pytest.raises(Rejected) as rejected:
        pairs.check(statement)
    assert rejected.value.args == (reason, detail)
    assert reason in _REASONS["pair"]


def test_statements_without_members_are_no_candidates(pairs: SubjectPairs) -> None:
    assert ("Q20", "P26", "Q20") not in statements_of(pairs, catalog().relations["P26"])
    assert statements_of(pairs, catalog().relations["P47"]) == []


def test_each_pair_has_one_question(pairs: SubjectPairs) -> None:
    found = asked(pairs, AMONG_PEOPLE)
    together = [frozenset((x, y)) for x, _, y in found]
    assert len({*together}) == len(together)
    by_chance = {pair for pair in together if min(int(qid[1:]) for qid in pair) >= 1000}
    assert len(by_chance) == RANDOM  # and none is left out
    # Whichever relations are asked for: those of a part are a part of all.
    assert asked(pairs, AMONG_PEOPLE[::-1]) != found  # in another order
    parts = [one for pid in AMONG_PEOPLE for one in asked(pairs, [pid])]
    assert sorted(parts) == sorted(found) == sorted(asked(pairs, AMONG_PEOPLE[::-1]))


def test_accepted_statements_follow_from_no_finer_one(pairs: SubjectPairs) -> None:
    finer = {
        "P451": [("P26", True), ("P26", False)],  # this way round, or the other one
        "P1066": [("P184", True), ("P185", False)],
        "P802": [("P185", True), ("P184", False)],
        "P737": [("P184", True), ("P185", False), ("P1066", True), ("P802", False)],
        "P1038": [(pid, way) for pid in AMONG_PEOPLE[:5] for way in (True, False)],
    }
    for x, pid, y in asked(pairs, AMONG_PEOPLE):
        for other, is_same_way in finer.get(pid, ()):
            one = (x, other, y) if is_same_way else (y, other, x)
            assert not pairs.knowledge.statements.holds(*one), (x, pid, y)


def test_pairs_joined_by_a_work(pairs: SubjectPairs) -> None:
    joined = statements_of(pairs, BY_WORK)
    # Two films join them once; whoever directs the own film is joined with nobody.
    assert joined == [("Q50", "P800/P57", "Q50"), ("Q50", "P800/P57", "Q51")]
    (composed,) = statements_of(pairs, BY_MUSIC)
    (married,) = statements_of(pairs, BY_SCRIPT)
    for statement, why in (
        (joined[0], ("same item", "Q50")),
        (joined[1], ("several works", "Q60 Q61")),  # "which film" asks for one, notable or not
        (composed, ("several works", "Q62 Q63")),
        (married, ("joined otherwise", "Q50 P26 Q52")),  # a couple is not asked about by its work
    ):
        with pytest.raises(Rejected) as rejected:
            pairs.check(statement)
        assert rejected.value.args == why


def test_a_path_stands_for_two_statements(pairs: SubjectPairs) -> None:
    # Of several works the one with the smallest number.
    assert pairs.steps(("Q50", "P800/P57", "Q51")) == [
        ("Q50", "P800", "Q60"),
        ("Q60", "P57", "Q51"),
    ]
    assert pairs.steps(("Q1", "P26", "Q2")) == [("Q1", "P26", "Q2")]


def test_members_are_directly_of_the_class(pairs: SubjectPairs, known: Knowledge) -> None:
    assert all(map(pairs.is_member, ("Q1", "Q12")))
    assert not any(map(pairs.is_member, ("Q20", "Q30", "Q40")))
    cities = pairs_of(known, CITY)
    assert (cities.is_member("Q40"), cities.is_member("Q41"), len(cities.members)) == (
        True,
        True,
        2,
    )


def test_another_class_has_other_pairs(known: Knowledge) -> None:
    cities = pairs_of(known, CITY)
    # Twins and neighbours say two things; the border comes first in the file.
    assert asked(cities, ("P47", "P190", "P26")) == [("Q40", "P47", "Q41")]


def test_holders_are_those_of_the_query(pairs: SubjectPairs, known: Knowledge) -> None:
    queried = dict(known.graph.select("holders", **{"class": PEOPLE}))
    assert {pid: pairs.holders(pid) for pid in queried} == queried
    assert pairs_of(known, "Q999").holders("P26") == 0
