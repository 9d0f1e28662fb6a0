"""Arrays and texts in temporary files, and how they are sorted in parts."""

import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.store import spill
from kgbuild.store.arrays import ends_of
from kgbuild.store.spill import Spills, TextPart, Texts, in_ranges, sorted_order

# Seven letters are compared at a time.
records = st.tuples(st.integers(-9, 9), st.text("ab\0é", max_size=20).map(str.encode))


def as_part(texts: Sequence[bytes]) -> TextPart:
    ends = ends_of(np.array([*map(len, texts)], np.int64))
    return np.frombuffer(b"".join(texts), np.uint8), ends[:-1], ends[1:]


def as_bytes(part: TextPart) -> list[bytes]:
    content, starts, stops = part
    return [content[start:stop].tobytes() for start, stop in zip(starts, stops, strict=True)]


def test_an_array_on_the_disk(tmp_path: Path) -> None:
    with closing(Spills(tmp_path)) as spills:
        array = spills.new(np.int32)
        for part in ([1, 2], [], [3]):
            array.append(np.array(part, np.int64))
        assert [part.tolist() for part in array] == [[1, 2], [], [3]]
        array.append(np.array([4], np.int64))  # after reading
        assert [part.tolist() for part in array] == [[1, 2], [], [3], [4]]
        assert (len(array), array.nbytes, array.dtype) == (4, 16, "i4")
        assert not [*tmp_path.iterdir()]  # it has no name, so nothing is left after a kill
        assert array.taken().tolist() == [1, 2, 3, 4]
        assert spills.new(np.int32).taken().tolist() == []


@given(st.lists(records))
@example([(0, b"1234567" + end) for end in (b"\0", b"", b"8", b"89", b"8")])
def test_texts_are_sorted_by_their_keys_and_bytes(pairs: list[tuple[int, bytes]]) -> None:
    keys = np.array([key for key, _ in pairs], np.int64)
    order, are_repeated = sorted_order(keys, as_part([text for _, text in pairs]))
    found = [pairs[n] for n in order.tolist()]
    assert found == sorted(pairs)
    assert are_repeated.tolist() == [n > 0 and found[n] == found[n - 1] for n in range(len(found))]


@settings(max_examples=30)
@given(st.lists(st.lists(records, max_size=9), max_size=5), st.sampled_from([1, 40, 1000]))
def test_ranges_of_any_size_have_all_keys_with_their_texts(
    batches: list[list[tuple[int, bytes]]], size: int
) -> None:
    low_bits, found, groups = 1, list[tuple[int, bytes]](), list[int]()
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(spill, "_PART", size)
        patch.setattr(spill, "_SAMPLED", 2)
        with closing(Spills(Path(folder))) as spills:
            keys, texts = spills.new(np.int32), Texts(spills)
            for batch in batches:
                keys.append(np.array([key for key, _ in batch], np.int32))
                content, starts, stops = as_part([text for _, text in batch])
                texts.append(stops - starts, content)
            for part, its_texts in in_ranges(keys, texts, low_bits=low_bits):
                found += sorted(zip(part.tolist(), as_bytes(its_texts), strict=True))
                groups += {key >> low_bits for key in part.tolist()}
    assert found == sorted(record for batch in batches for record in batch)
    assert len(groups) == len({*groups})  # no group is in two parts
