"""The index of values that a load writes, in whatever parts its triples are sorted."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump.filter import scan_lines
from kgbuild.store import spill
from kgbuild.store.postings import Postings, PostingsWriter, open_postings
from tests.conftest import triples

Link: TypeAlias = tuple[int, int, int]
"""An item, a property and an item as its value."""

links = st.tuples(st.integers(1, 9), st.integers(1, 3), st.integers(1, 5))


def written(batches: Sequence[Sequence[Link]], path: Path) -> list[list[int]]:
    """Return the arrays of the index of links."""
    with closing(PostingsWriter(path, path.parent)) as writer:
        for batch in batches:
            lines = triples("\n".join(f"wd:Q{s} wdt:P{p} wd:Q{o}" for s, p, o in batch))
            writer.add(scan_lines(lines.encode().splitlines()))
        writer.write("made up")
    return [array.tolist() for array in open_postings(path, "made up")]


def expected(links: set[Link]) -> list[list[int]]:
    """Return the arrays by their definition in ``Postings``."""
    items = sorted({item for item, _, _ in links})
    counts = Counter((pid, value) for _, pid, value in links)
    keys = sorted(counts, key=lambda key: (counts[key], key))
    pairs = [(items.index(item), keys.index((pid, value))) for item, pid, value in links]
    by_row, by_key = sorted(pairs), sorted((key, row) for row, key in pairs)
    return list(
        Postings(
            items=items,
            properties=[pid for pid, _ in keys],
            values=[value for _, value in keys],
            row_ends=ends(by_row),
            row_keys=[key for _, key in by_row],
            key_ends=ends(by_key),
            key_rows=[row for _, row in by_key],
            by_value=sorted(range(len(keys)), key=lambda key: keys[key][::-1]),
        )
    )


def ends(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return where each group of sorted pairs ends, after a zero."""
    sizes = [len(list(group)) for _, group in groupby(pairs, key=lambda pair: pair[0])]
    return np.cumsum([0, *sizes]).tolist()


@settings(max_examples=30)
@given(st.lists(st.lists(links, max_size=12), max_size=5), st.sampled_from([1, 4, 1000]))
def test_parts_of_any_size_give_the_arrays_of_the_definition(
    batches: list[list[Link]], part: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(spill, "_PART", part)
        arrays = written(batches, Path(folder) / "postings")
        assert [path.name for path in Path(folder).iterdir()] == ["postings"]
    assert arrays == expected({link for batch in batches for link in batch})
