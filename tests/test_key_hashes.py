"""The hashes of keys in machine code: those of ``rows.digest``."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.graph.key_hashes import hash_keys
from kgbuild.rows import digest

NUMBERS = st.integers(0, 10) | st.integers(0, 999_999_999)
TEXTS = st.text(max_size=150).map(lambda text: text.encode("utf-8", "replace").decode())
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20)


@given(TEXTS, TEXTS, ROWS)
def test_the_hashes_are_those_of_rows(first: str, middle: str, rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, np.int32).T
    for keys in ((first, x, middle, y), (x, first, y), (x, y)):
        expected = []
        for row in rows:
            qids = (f"Q{number}" for number in row)
            texts = [part if isinstance(part, str) else next(qids) for part in keys]
            expected.append(int.from_bytes(digest(*texts)[:8]))
        assert hash_keys(keys).tolist() == expected
