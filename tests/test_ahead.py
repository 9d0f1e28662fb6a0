"""Candidates that workers examine ahead give the rows that one process gives."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets import ahead, workers
from kgbuild.datasets.ahead import Ahead
from kgbuild.datasets.syn_qa.build import path_builder
from kgbuild.datasets.syn_qa.rows import PairOptions
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store
from kgbuild.rows import Built, Rejected, no_progress


def odd_squares(_: Knowledge) -> Callable[[int], int]:
    return square


def square(number: int) -> int:
    if number % 2 == 0:
        raise Rejected("even", str(number))
    return number**2


@pytest.fixture(autouse=True)
def workers_for_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MIN_ROWS", 1)


def built(store: Store, pid: str, count: int, limit: int) -> Built:
    """Build pairs with some workers; any similar item is good enough, so the sample has many."""
    options = PairOptions(limit, min_overlap=1, max_risk=1.0)
    examined = Ahead(workers.generation(store), count)
    build = path_builder(options, store.knowledge(catalog().kinds), examined)
    return replace(build(catalog().path(pid), no_progress), seconds=0.0)


def test_pairs_do_not_depend_on_the_number_of_processes(sample: Store) -> None:
    # Of P166, other pairs have used some of the five replacements at which a worker stops.
    alone, together = (built(sample, "P166", count, 300) for count in (1, 2))
    assert alone.rows == 300
    assert together == alone


def test_results_and_reasons_come_in_the_order_of_candidates(sample: Store) -> None:
    examined = Ahead(workers.generation(sample), 2).of(range(100), 100, square, odd_squares)
    for number, (candidate, result) in enumerate(examined):
        assert candidate == number
        if number % 2:
            assert result() == number**2
        else:
            with pytest.raises(Rejected) as rejected:
                result()
            assert (rejected.value.reason, rejected.value.detail) == ("even", str(number))
    assert number == 99


def test_an_endless_list_is_examined_only_a_little_ahead(sample: Store) -> None:
    read: list[int] = []
    candidates = (read.append(number) or number for number in iter(lambda: len(read), -1))
    examined = Ahead(workers.generation(sample), 2).of(candidates, 100, square, odd_squares)
    assert [candidate for candidate, _ in (next(examined), next(examined))] == [0, 1]
    examined.close()
    assert len(read) == 2 * 4 * 32  # four shares of 32 for each of two workers
