"""The splits of rows of an index."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kgbuild.graph import key_hashes as splits_module
from kgbuild.graph.open import open_store
from kgbuild.rows import split, split_ends
from tests.conftest import triples


@pytest.mark.parametrize("train", [False, True])
def test_rows_have_the_splits_of_their_items(make_store: Callable[..., Path], train: bool) -> None:
    qids = [f"Q{n}" for n in range(10, 90)]
    folder = make_store(triples("\n".join(f"wd:{qid} wdt:P31 wd:Q5" for qid in qids)))
    names = [name for name, _ in split_ends(train)]
    with open_store(folder) as store:
        splits = store.knowledge({}).splits(train)
        # Some rows twice.
        for rows in (np.array([3, 1, 3]), np.arange(len(qids))):
            assert [names[n] for n in splits.of(rows)] == [split(qids[row], train) for row in rows]
        assert [names[splits.number(qid)] for qid in qids] == [split(qid, train) for qid in qids]
        assert len({*splits.of(np.arange(len(qids)))}) == len(names)


def test_splits_do_not_depend_on_batches_and_are_read_again(
    make_store: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    qids = [f"Q{n}" for n in range(10, 90)]
    folder = make_store(triples("\n".join(f"wd:{qid} wdt:P31 wd:Q5" for qid in qids)))
    # 80 rows: three batches, of which the last one is shorter.
    monkeypatch.setattr(splits_module, "_BATCH", 32)
    with open_store(folder) as store:
        counted = store.knowledge({}).splits(True).of(np.arange(len(qids)))
    # The numbers are kept; to count them again would fail, since a range has no step of 0.
    monkeypatch.setattr(splits_module, "_BATCH", 0)
    with open_store(folder) as store:
        kept = store.knowledge({}).splits(True)
        assert kept.of(np.arange(len(qids))).tolist() == counted.tolist()
        assert counted.tolist() == [kept.number(qid) for qid in qids]
