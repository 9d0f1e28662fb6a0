"""All pairs that questions can be about, found in arrays as they are defined one by one."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.coherence import unmeasured
from kgbuild.datasets.biokalma.drafts import Drafter
from kgbuild.datasets.biokalma.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.pair_candidates import MAX_RELATIONS, find_candidates
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.biokalma.rows import PEOPLE, Options
from kgbuild.dump.filter import Filter
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Rejected, shuffled
from kgbuild.store.arrays import Flags, Numbers
from kgbuild.store.load import load
from tests.conftest import triples
from tests.test_biokalma_pairs import WORLD, pairs_of, person, statements_of
from tests.test_biokalma_pool import DAY
from tests.test_granola_profile import CITY, item

NAMESAKES = (
    # Whom Q70's partner is joined to has the name of Q70 twice, with other letters.
    person(70, "Æla  Um", "wdt:P26 wd:Q71"),
    person(71, "Bo Um", "wdt:P3373 wd:Q72"),
    person(72, "ÆLA Um"),
    # Namesakes in whom an invisible character hides.
    person(73, "Al \\u200eUm", "wdt:P26 wd:Q74"),
    person(74, "Al \\u200eum"),
    person(75, "\\u200eCy Um", "wdt:P26 wd:Q76"),
    person(76, "cy um"),
)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    folder = tmp_path_factory.mktemp("candidates")
    (folder / "all.nt").write_text(triples("".join([*WORLD, *NAMESAKES])), encoding="utf-8")
    load([str(folder / "all.nt")], folder / "kg", Filter())
    with open_store(folder / "kg") as store:
        yield store.knowledge(catalog().kinds)


def defined(pairs: Pairs, is_rich: Callable[[str], bool], seed: int) -> list[Triple]:
    """Return the statements that pass ``check``, of rich subjects; small relations are first."""

    def is_candidate(statement: Triple) -> bool:
        try:
            pairs.check(statement)
        except Rejected:
            return False
        return all(map(is_rich, joined_items(statement)))

    by_relation = [
        [*filter(is_candidate, statements_of(pairs, relation))]
        for relation in pairs.relations.values()
    ]
    return [
        statement
        for statements in sorted(by_relation, key=len)
        for statement in shuffled(statements, key=lambda triple: triple, seed=seed)
    ]


def in_arrays(pairs: Pairs, are_rich: Callable[[Numbers], Flags], seed: int) -> list[Triple]:
    statements = find_candidates(pairs, are_rich, seed)
    paths = [*pairs.relations]
    return [
        (f"Q{x}", paths[relation], f"Q{y}")
        for relation, x, y in zip(*(array.tolist() for array in statements), strict=True)
    ]


@pytest.mark.parametrize("of_class", [PEOPLE, CITY])
@pytest.mark.parametrize("poor", ["", "05"])  # last digits of subjects of whom little is known
def test_the_candidates_are_those_that_pass_the_check(
    known: Knowledge, of_class: str, poor: str
) -> None:
    pairs = pairs_of(known, of_class)
    digits = [*map(int, poor)]
    candidates = in_arrays(pairs, lambda items: ~np.isin(items % 10, digits), seed=3)
    assert candidates == defined(pairs, lambda qid: qid[-1] not in poor, seed=3)
    if of_class == PEOPLE:
        assert len(candidates) > 30
        assert not {"Q71", "Q73", "Q75"} & {x for x, _, _ in candidates}  # all have namesakes


def test_a_number_has_a_bit_for_each_direction_of_each_relation(known: Knowledge) -> None:
    assert len(pairs_of(known).relations) <= MAX_RELATIONS


def test_a_class_without_pairs_has_no_candidates(known: Knowledge) -> None:
    assert in_arrays(pairs_of(known, "Q999"), lambda items: items > 0, seed=0) == []


@pytest.mark.parametrize("of_class", [PEOPLE, CITY])
def test_the_real_slice(real_store, of_class: str) -> None:
    with open_store(real_store) as store:
        drafter = drafter_of(store, of_class)
        expected = defined(drafter.pairs, drafter._candidates.is_rich, seed=0)
        assert len(expected) > 500
        assert in_arrays(drafter.pairs, drafter.partition.are_rich, seed=0) == expected


RICH = (
    person(1, "Two facts", "wdt:P19 wd:Q90", "wdt:P106 wd:Q91"),
    person(2, "A fact and a time", "wdt:P19 wd:Q90", f"wdt:P569 {DAY}"),
    person(3, "Two places of a name", "wdt:P19 wd:Q90", "wdt:P19 wd:Q92"),
    person(4, "Two values of a property", "wdt:P106 wd:Q91", "wdt:P106 wd:Q93"),
    person(5, "One of a property without a label", "wdt:P19 wd:Q90", "wdt:P106 wd:Q94"),
    person(6, "One invisible", "wdt:P19 wd:Q90", "wdt:P106 wd:Q95"),
    person(7, "A silent one", "wdt:P19 wd:Q90", "wdt:P735 wd:Q91"),
    person(8, "A fact and a text", "wdt:P19 wd:Q90", 'wdt:P106 "smith"@en'),
    person(9, "A human and a city", f"wdt:P31 wd:{CITY}", "wdt:P19 wd:Q90", "wdt:P106 wd:Q91"),
    person(10, "Nothing"),
    person(11, "One fact", "wdt:P19 wd:Q90"),
    item("Q90", "Lund", CITY, "wdt:P17 wd:Q91", "wdt:P131 wd:Q93"),
    item("Q91", "smith", "Q28640"),
    item("Q92", "Lund", CITY),
    item("Q93", "poet", "Q28640"),
    "wd:Q94 wdt:P279 wd:Q93\n",
    item("Q95", " \\u200e", "Q28640"),
)


def drafter_of(store: Store, of_class: str) -> Drafter:
    return Drafter(store.knowledge(catalog().kinds), Options(of_class=of_class), unmeasured)


@pytest.mark.parametrize("of_class", [PEOPLE, CITY])
def test_rich_items_are_those_with_enough_facts(make_store, of_class: str) -> None:
    with open_store(make_store(triples("".join(RICH)))) as store:
        drafter = drafter_of(store, of_class)
        subjects = drafter.pairs.knowledge.statements.subject_numbers(of_class, "P31")
        expected = [drafter._candidates.is_rich(f"Q{n}") for n in subjects.tolist()]
        assert drafter.partition.are_rich(subjects).tolist() == expected
        if of_class == PEOPLE:
            rich = {n for n, is_rich in zip(subjects.tolist(), expected, strict=True) if is_rich}
            assert {1, 2, 4} <= rich
            assert not rich & {3, 5, 6, 7, 10, 11}
