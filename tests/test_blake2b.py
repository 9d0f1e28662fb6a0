"""The compiled hash is the one of ``hashlib``, whatever the lines are."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.store import blake2b


def summed(lines: list[bytes], which: list[bool]) -> int:
    text = np.frombuffer(b"".join(line + b"\n" for line in lines), np.uint8)
    ends = np.cumsum([len(line) + 1 for line in lines], dtype=np.int64)
    return blake2b.sum_of_lines(text, ends, np.array(which, np.bool_))


def expected(lines: list[bytes]) -> int:
    digests = [hashlib.blake2b(line, digest_size=16).digest() for line in lines]
    return sum(int.from_bytes(digest, "big") for digest in digests) % 2**128


@pytest.mark.parametrize("length", [*range(4), *range(126, 131), *range(254, 259), 100_000])
def test_every_way_to_fill_a_block(length):
    # A block has 128 bytes, and the last one is padded unless it is full.
    line = bytes(n % 251 for n in range(length))
    assert summed([line], [True]) == expected([line])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.binary(max_size=400), st.booleans()), max_size=20))
def test_any_lines(chosen):
    # Some are left out; sums of more than two go beyond 128 bits.
    lines, which = [line for line, _ in chosen], [kept for _, kept in chosen]
    assert summed(lines, which) == expected([line for line, kept in chosen if kept])


def test_carrying():
    # Of so many lines the lower halves carry over about as often as not.
    lines = [b"%d" % n for n in range(1000)]
    assert summed(lines, [True] * 1000) == expected(lines)
