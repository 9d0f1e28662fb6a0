"""The sum of the hashes of lines: that of ``hashlib``, for lines of every length."""

import hashlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.store.line_hashes import DIGEST_SIZE, hash_lines, sum_of_hashes


def slow_sum(lines: list[bytes]) -> int:
    digests = [hashlib.blake2b(line, digest_size=DIGEST_SIZE).digest() for line in lines]
    return sum(int.from_bytes(digest, "big") for digest in digests) % (1 << 128)


def fast_sum(lines: list[bytes]) -> int:
    text = np.frombuffer(b"".join(line + b"\n" for line in lines), np.uint8)
    ends = np.cumsum([len(line) + 1 for line in lines], dtype=np.int64)
    return sum_of_hashes(hash_lines(text, ends)) % (1 << 128)


def test_lines_of_every_length() -> None:
    # A hash reads blocks of 128 bytes and words of 8, so each remainder is another case.
    for length in range(4 * 128 + 1):
        line = bytes(n * 7 % 251 for n in range(length))
        assert fast_sum([line]) == slow_sum([line]), length


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=300), max_size=20))
def test_lines_are_summed(lines: list[bytes]) -> None:
    assert fast_sum(lines) == slow_sum(lines)
