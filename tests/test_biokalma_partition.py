"""Which pairs are chosen among all, and how they are divided into splits."""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.rows import PEOPLE
from kgbuild.datasets.biokalma.sets.minimal import Minimality, joined_items
from kgbuild.datasets.biokalma.sets.pairs import SubjectPairs
from kgbuild.datasets.biokalma.sets.partition import MAX_USES, Partition
from kgbuild.graph.open import open_store
from kgbuild.rows import Rejected, split, split_ends
from tests.conftest import load_text, triples
from tests.test_biokalma_pairs import statements_of
from tests.test_granola_profile import HUMAN, TIME, item

RELATIONS = ("P26", "P451", "P737")
PIECES = ("wdt:P19 wd:Q9001", "wdt:P69 wd:Q9002")
"""What can be asked of each person."""


def circle(first: int, relation: str) -> str:
    """Return five people, of whom each two are joined."""
    numbers = range(first, first + 5)
    return "".join(
        item(
            f"Q{number}",
            f"Person {number}",
            HUMAN,
            *PIECES,
            *(f"wdt:{relation} wd:Q{other}" for other in numbers if other > number),
        )
        for number in numbers
    )


CIRCLES = [
    circle(100 + 5 * number, relation)
    for relation in RELATIONS
    for number in range(20 * RELATIONS.index(relation), 20 * RELATIONS.index(relation) + 20)
]
"""Twenty communities of each relation."""
BRIDGE = "wd:Q100 wdt:P737 wd:Q105\n"


def popular(*pieces: str) -> str:
    """Return one whom ten others influenced, which is too many, and the others with pieces."""
    influences = (f"wdt:P737 wd:Q{2 + n}" for n in range(10))
    admirers = (item(f"Q{2 + n}", f"Admirer {n}", HUMAN, *pieces) for n in range(10))
    return "".join([item("Q1", "Popular", HUMAN, *PIECES, *influences), *admirers])


@pytest.fixture(scope="module")
def partition(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Partition]:
    with opened(tmp_path_factory.mktemp("partition")) as made:
        yield made


@contextlib.contextmanager
def opened(folder: Path, train: bool = True, pieces: Sequence[str] = PIECES) -> Iterator[Partition]:
    text = triples("".join([*CIRCLES, BRIDGE, popular(*pieces)]))
    with open_store(load_text(folder, text)) as store:
        known = store.knowledge(catalog().kinds)
        yield Partition(SubjectPairs(known, Minimality(known), PEOPLE), train)


def reasons(partition: Partition) -> dict[tuple[str, str, str], str]:
    """Return why each candidate is left out, or an empty text."""
    found = {}
    for pid in RELATIONS:
        for statement in statements_of(partition.pairs, catalog().relations[pid]):
            try:
                partition.check(statement)
                found[statement] = ""
            except Rejected as rejected:
                found[statement] = rejected.reason
    return found


def test_nobody_is_in_too_many_pairs(partition: Partition) -> None:
    found = reasons(partition)
    uses = Counter(qid for one, why in found.items() if not why for qid in joined_items(one))
    assert max(uses.values()) == uses["Q1"] == MAX_USES == 8
    left_out = [one for one, why in found.items() if why == "used often"]
    assert [one[0] for one in left_out] == ["Q1", "Q1"]  # two of the ten


def test_poor_subjects_are_in_no_question_and_use_nothing(tmp_path: Path) -> None:
    # The store says too little of the ten for two pieces, so that their pairs are no candidates.
    with opened(tmp_path, pieces=PIECES[:1]) as partition:
        found = reasons(partition)
        assert {why for one, why in found.items() if "Q1" in one} == {"too little knowledge"}
        assert "used often" not in found.values()


def test_dates_are_pieces_too(tmp_path: Path) -> None:
    dates = [f"wdt:{pid} {TIME.format('1900-05-05')}" for pid in ("P569", "P2031")]
    with opened(tmp_path, pieces=dates) as partition:
        found = reasons(partition)
        assert [why for one, why in found.items() if "Q1" in one].count("") == MAX_USES


def test_each_subject_has_one_split(partition: Partition) -> None:
    found = set()
    for (x, _, y), why in reasons(partition).items():
        if not why:
            assert partition.split(x) == partition.split(y)
            found.add(partition.split(x))
    assert found == {name for name, _ in split_ends(train=True)}


def test_without_a_split_for_training_nearly_all_is_the_test_set(tmp_path: Path) -> None:
    with opened(tmp_path, train=False) as partition:
        chosen = [one for one, why in reasons(partition).items() if not why]
        count = Counter(partition.split(x) for x, *_ in chosen)
        assert all(partition.split(x) == partition.split(y) for x, _, y in chosen)
    # A community of a circle has ten pairs, which is five per cent of a relation's 200.
    assert count == {"test": len(chosen) - 30, "dev": 30}


def test_few_pairs_are_between_two_splits(partition: Partition) -> None:
    found = Counter(reasons(partition).values())
    # Of 611 pairs only the bridge between two circles may be lost.
    assert found["between splits"] <= 1
    assert found.total() == 20 * 3 * 10 + 1 + 10


def test_splits_have_their_shares(partition: Partition) -> None:
    count = Counter(partition.split(one[0]) for one, why in reasons(partition).items() if not why)
    assert count["train"] / count.total() == pytest.approx(0.8, abs=0.04)
    assert count["dev"] == pytest.approx(count["test"], abs=12)


def test_who_is_in_no_pair_has_the_split_of_the_id(partition: Partition) -> None:
    assert partition.split("Q99999") == split("Q99999", True)


def test_the_partition_is_always_the_same(partition: Partition, tmp_path: Path) -> None:
    with opened(tmp_path) as again:
        assert reasons(again) == reasons(partition)
        assert [again.split(f"Q{n}") for n in range(1, 500)] == [
            partition.split(f"Q{n}") for n in range(1, 500)
        ]
