"""What is taken away: pieces of knowledge round after round, and right graphs."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.sets.ablation import (
    ACCURACIES,
    absent_pieces,
    assign_graphs,
    unrelated_questions,
)
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.graph.open import Store
from kgbuild.rows import Row
from kgbuild.wikidata import Value


@pytest.fixture(scope="module")
def minimality(shared_store_of: Callable[..., Store]) -> Minimality:
    """Return the rules, in a world with a town (Q10) and its country (Q11)."""
    return Minimality(shared_store_of("wd:Q10 wdt:P17 wd:Q11").knowledge(catalog().kinds))


def fact(qid: str, pid: str, value: str) -> Piece:
    return Piece(qid, pid, Value("item", value), f"label {value}")


KNOWLEDGE = [
    fact("Q1", "P184", "Q2"),
    fact("Q1", "P27", "Q11"),
    fact("Q1", "P102", "Q20"),
    fact("Q1", "P451", "Q21"),
    fact("Q2", "P20", "Q22"),
]
IMPLYING = [
    fact("Q2", "P185", "Q1"),  # the first piece, from the other side
    fact("Q1", "P19", "Q10"),  # who was born in a town of a country is taken for a citizen
    fact("Q1", "P26", "Q21"),  # a spouse is a partner
]
INNOCENT = [
    fact("Q1", "P1066", "Q2"),  # follows from the first piece, not the other way round
    fact("Q2", "P19", "Q10"),  # of the other subject
    fact("Q1", "P69", "Q10"),  # where somebody learnt tells of no citizenship
    fact("Q1", "P102", "Q23"),
    fact("Q2", "P20", "Q24"),
    fact("Q3", "P451", "Q1"),
]
POOL = [*KNOWLEDGE, *IMPLYING, *INNOCENT]
BY = {0: IMPLYING[:1], 1: IMPLYING[1:2], 3: IMPLYING[2:]}
"""What makes a piece of the set known, by its place."""

Taken = Callable[..., list[Row]]


@pytest.fixture
def taken(minimality: Minimality) -> Taken:
    def take(remove: int = 3, seed: int = 0, question: str = "q1") -> list[Row]:
        return [*absent_pieces(question, KNOWLEDGE, POOL, remove, seed, minimality)]

    return take


def gone(rows: Sequence[Row], removed: int) -> set[tuple[str, str, str]]:
    return {
        (row["qid"], row["property"], row["value"]) for row in rows if row["removed"] == removed
    }


def cited(one: Piece) -> tuple[str, str, str]:
    return one.qid, one.pid, one.value_text


@pytest.mark.parametrize("seed", range(12))
def test_each_round_removes_one_more_piece_and_the_facts_that_imply_it(
    taken: Taken, seed: int
) -> None:
    rows = taken(seed=seed)
    before: set[int] = set()
    for removed in (1, 2, 3):
        pieces = [row for row in rows if row["removed"] == removed and not row["implies"]]
        places = {row["position"] for row in pieces}
        assert len(pieces) == len(places) == removed
        assert before < places  # nested: what is gone stays so
        before = places
        expected = {
            cited(one) for place in places for one in (KNOWLEDGE[place - 1], *BY.get(place - 1, []))
        }
        assert gone(rows, removed) == expected
        assert len(expected) == sum(row["removed"] == removed for row in rows)  # none twice
    for row in rows:
        here = cited(KNOWLEDGE[row["position"] - 1])
        assert row["implies"] == ((row["qid"], row["property"], row["value"]) != here)


def test_at_least_one_piece_remains(minimality: Minimality) -> None:
    two = KNOWLEDGE[:2]
    rows = [*absent_pieces("q1", two, POOL, 3, 0, minimality)]
    assert {row["removed"] for row in rows} == {1}
    assert [*absent_pieces("q1", two[:1], POOL, 3, 0, minimality)] == []


def test_fewer_rounds_are_the_first_of_more(taken: Taken) -> None:
    whole = taken(3)
    assert taken(2) == [row for row in whole if row["removed"] <= 2]
    assert taken(0) == []


def test_the_seed_and_the_question_decide(taken: Taken) -> None:
    assert taken(seed=5) == taken(seed=5)
    orders = {
        tuple(row["position"] for row in taken(seed=seed) if not row["implies"])
        for seed in range(10)
    }
    assert len(orders) > 5
    of_questions = {
        tuple(row["position"] for row in taken(question=f"q{n}") if not row["implies"])
        for n in range(10)
    }
    assert len(of_questions) > 5


def test_a_piece_that_follows_from_two_facts_is_absent_too(minimality: Minimality) -> None:
    # Who have a father in common are siblings.
    sibling = fact("Q1", "P3373", "Q2")
    fathers = [fact("Q1", "P22", "Q9"), fact("Q2", "P22", "Q9")]
    knowledge = [sibling, fact("Q1", "P102", "Q20")]
    pool = [*knowledge, *fathers]
    for seed in range(4):
        rows = [*absent_pieces("q1", knowledge, pool, 1, seed, minimality)]
        left = [one for one in pool if cited(one) not in gone(rows, 1)]
        removed = next(knowledge[row["position"] - 1] for row in rows if not row["implies"])
        assert not minimality.follows(removed.triple, [one.triple for one in left])


# Graphs


def pairs(count: int) -> dict[str, tuple[str, str]]:
    """Return questions about two each; the second of one is the first of the next."""
    return {f"q{n}": (f"Q{n}", f"Q{n + 1}") for n in range(count)}


def by_accuracy(rows: Sequence[Row]) -> dict[int, list[Row]]:
    graphs: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        graphs[row["accuracy"]].append(row)
    return graphs


def is_wrong(row: Row) -> bool:
    return row["given_qid"] != row["subject_qid"]


@pytest.mark.parametrize("count", [2, 3, 5, 7, 50])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_accuracy_determines_the_number_of_wrong_graphs(count: int, seed: int) -> None:
    subjects = pairs(count)
    keys = [(question, qid) for question, pair in subjects.items() for qid in pair]
    graphs = by_accuracy([*assign_graphs(subjects, seed)])
    assert list(graphs) == [*ACCURACIES]
    before: set[tuple[str, str]] = set()
    for accuracy, rows in graphs.items():
        assert [(row["question_id"], row["subject_qid"]) for row in rows] == keys
        wrong = {(row["question_id"], row["subject_qid"]) for row in rows if is_wrong(row)}
        # To the nearest number of graphs: of six, 1.2 are 1, and 4.8 are 5.
        assert len(wrong) == int(2 * count * (100 - accuracy) / 100 + 0.5)
        assert before <= wrong
        before = wrong


@pytest.mark.parametrize("seed", range(5))
def test_wrong_graphs_are_of_subjects_of_other_questions(seed: int) -> None:
    subjects = pairs(9)
    replacements: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for row in assign_graphs(subjects, seed):
        assert row["given_qid"] in subjects[row["given_in"]]  # its pool has that graph
        if is_wrong(row):
            # Never that of a subject of this question, though another one is about it, too.
            assert row["given_qid"] not in subjects[row["question_id"]]
            assert row["given_in"] != row["question_id"]
            replacements[row["question_id"], row["subject_qid"]].add(
                (row["given_in"], row["given_qid"])
            )
        else:
            assert row["given_in"] == row["question_id"]
    assert {len(others) for others in replacements.values()} == {1}  # the same at every accuracy


@pytest.mark.parametrize(
    "subjects",
    [
        {},
        pairs(1),
        {"q1": ("Q1", "Q2"), "q2": ("Q2", "Q1")},  # no other question has another subject
        {"q1": ("Q1", "Q2"), "q2": ("Q1", "Q2"), "q3": ("Q2", "Q1")},
    ],
)
def test_without_other_questions_no_graph_is_wrong(subjects: dict[str, tuple[str, str]]) -> None:
    assert [*assign_graphs(subjects, 0)] == []


def test_the_seed_decides_about_graphs() -> None:
    subjects = pairs(20)
    assert [*assign_graphs(subjects, 4)] == [*assign_graphs(subjects, 4)]
    assert [*assign_graphs(subjects, 4)] != [*assign_graphs(subjects, 5)]
    wrong = [
        {(row["question_id"], row["subject_qid"]) for row in assign_graphs(subjects, seed) if
         row["accuracy"] == 80 and is_wrong(row)}
        for seed in (4, 5)
    ]  # fmt: skip
    assert wrong[0] != wrong[1]


def test_unrelated_pools_name_no_subject_of_the_question() -> None:
    subjects = {"a": ["Q1"], "b": ["Q2"], "c": ["Q3"], "d": ["Q4"]}
    # All pools have Q4, so d has no unrelated question; the pool of b has the subject of a.
    pool_items = {"a": ["Q1", "Q4"], "b": ["Q2", "Q1", "Q4"], "c": ["Q3", "Q4"], "d": ["Q4", "Q9"]}
    others = unrelated_questions(subjects, pool_items, seed=0)
    assert others.keys() == {"a", "b", "c"}
    assert all(question != other for question, other in others.items()) and others["a"] in "cd"
    assert others == unrelated_questions(dict(reversed(subjects.items())), pool_items, seed=0)
    assert any(others != unrelated_questions(subjects, pool_items, seed) for seed in range(1, 9))
