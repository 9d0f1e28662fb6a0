"""Reading bz2 on all cores, against Python's own bz2: the same text, or an error."""

import bz2
import io
import itertools
import os
import random
import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.files import bunzip
from kgbuild.files.bunzip import decompressed

BLOCK, END = 0x314159265359, 0x177245385090
MANY = random.Random(1).randbytes(450_000)
"""What cannot be compressed: of level 1, five blocks, at four bits of a byte."""


def read(archive: bytes, size: int | None = None) -> bytes:
    """Return the text of an archive, which comes in parts of some size."""
    file = io.BytesIO(archive)
    return b"".join(decompressed(lambda most: file.read(min(most, size or most))))


def outcome(archive: bytes) -> tuple[bytes, bool]:
    """Return the text that came out, and whether it ended without an error."""
    parts: list[bytes] = []
    try:
        parts.extend(decompressed(io.BytesIO(archive).read))
    except (OSError, EOFError):
        return b"".join(parts), False
    return b"".join(parts), True


def blocks(archive: bytes) -> list[int]:
    """Return the bits at which an archive's blocks begin."""
    bits = bin(int.from_bytes(archive, "big"))[2:].zfill(8 * len(archive))
    return [match.start() for match in re.finditer(f"{BLOCK:048b}", bits)]


def flipped(archive: bytes, bit: int) -> bytes:
    changed = bytearray(archive)
    changed[bit >> 3] ^= 0x80 >> (bit & 7)
    return bytes(changed)


@pytest.fixture(scope="module")
def many() -> bytes:
    return bz2.compress(MANY, 1)


TEXTS = st.binary(max_size=300) | st.tuples(st.binary(max_size=9), st.integers(0, 9000)).map(
    lambda both: both[0] * both[1]
)


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, st.integers(1, 9)), max_size=5), st.integers(1, 50))
def test_streams_in_any_parts(streams, size):
    archive = b"".join(bz2.compress(text, level) for text, level in streams)
    expected = b"".join(text for text, _ in streams)
    assert read(archive) == read(archive, size) == expected == bz2.decompress(archive)


def test_an_empty_file_has_no_text():
    assert read(b"") == b""


def test_blocks_at_any_bit_of_a_byte():
    text = random.Random(5).randbytes(2_500_000)
    archive = bz2.compress(text, 1)
    found = blocks(archive)
    assert len(found) == 26
    assert {place % 8 for place in found} == set(range(8))
    assert read(archive) == read(archive, 99_991) == text


@pytest.mark.parametrize("size", [99_980, 99_981, 99_999, 100_000, 100_001, 899_981, 900_000])
@pytest.mark.parametrize("level", [1, 9])
def test_texts_of_about_a_block(size, level):
    text = random.Random(size).randbytes(size)
    assert read(bz2.compress(text, level)) == text


def test_texts_of_one_letter():
    # 45 MB in 50 bytes: the most that a block holds is given out at once.
    text = b"\n" * 46_000_000
    assert read(bz2.compress(text)) == text


def test_streams_of_many_blocks_one_after_the_other(many):
    assert read(many + bz2.compress(b"") + many + bz2.compress(b"a")) == MANY + MANY + b"a"


@pytest.mark.parametrize("size", range(58))
def test_each_place_at_which_a_small_file_can_be_cut(size):
    archive = bz2.compress(b"hello " * 99 + b"world")
    for whole, before in ((archive, b""), (bz2.compress(b"before") + archive, b"before")):
        cut = whole[: len(whole) - len(archive) + min(size, len(archive) - 1)]
        found, ended = outcome(cut)
        # A cut between two streams cannot be told from the end.
        assert ended is (size == 0)
        assert found in (before, before + b"hello " * 99 + b"world")


def test_a_file_of_many_blocks_cut_anywhere(many):
    places = [place >> 3 for place in blocks(many)]
    near = (place + n for place in places for n in (-1, 0, 5, 6, 7, 13, 14, 100))
    for size in sorted({*near, *range(len(many) - 12, len(many)), 1, 3, 4, len(many) // 2}):
        found, ended = outcome(many[:size])
        assert not ended or size == 0
        assert MANY.startswith(found)
        # All blocks that are whole come out, but for the last, whose end nothing shows.
        whole = sum(place + 14 < size for place in places[1:])
        assert len(found) >= 99_900 * min(whole, len(places) - 1)


REGIONS = {
    "header": lambda places, end: range(32),
    "first mark": lambda places, end: range(32, 80),
    "first checksum": lambda places, end: range(80, 112),
    "pointer": lambda places, end: range(112, 137),
    "symbols": lambda places, end: range(137, 500, 7),
    "body": lambda places, end: range(500, places[1], 90_001),
    "a later mark": lambda places, end: range(places[3], places[3] + 48, 5),
    "a later checksum": lambda places, end: range(places[3] + 48, places[3] + 80, 5),
    "last body": lambda places, end: range(places[-1] + 99, end, 70_001),
    "end mark": lambda places, end: range(end, end + 48),
    "stream's checksum": lambda places, end: range(end + 48, end + 80, 5),
}


def end_of(archive: bytes) -> int:
    """Return the bit at which an archive's last end mark begins."""
    number = int.from_bytes(archive, "big")
    pad = next(n for n in range(8) if number >> (n + 32) & ((1 << 48) - 1) == END)
    return 8 * len(archive) - pad - 80


@pytest.mark.parametrize("region", REGIONS)
def test_a_changed_bit_is_detected(many, region):
    archive, text = (many, MANY)
    if region in ("header", "first mark", "first checksum", "pointer", "symbols", "end mark"):
        text = MANY[:210_000]  # for many bits, fewer blocks
        archive = bz2.compress(text, 1)
    places, end = blocks(archive), end_of(archive)
    for bit in REGIONS[region](places, end):
        found, ended = outcome(flipped(archive, bit))
        assert text.startswith(found)
        # The level may be any digit: blocks are then smaller than they could be.
        assert ended is (region == "header" and found == text)
        assert not ended or bit in range(28, 32)


def test_padding_bits_are_ignored():
    for n in range(40):
        archive = bz2.compress(b"x" * n + b"y")
        for bit in range(end_of(archive) + 80, 8 * len(archive)):
            damaged = flipped(archive, bit)
            assert read(damaged) == bz2.decompress(damaged) == b"x" * n + b"y"


@settings(max_examples=100)
@given(st.binary(min_size=1, max_size=400), st.data())
def test_no_damage_gives_another_text(text, data):
    archive = bz2.compress(text)
    for _ in range(data.draw(st.integers(1, 3))):
        archive = flipped(archive, data.draw(st.integers(0, 8 * len(archive) - 1)))
    cut = archive[: data.draw(st.integers(0, len(archive)))]
    for damaged in (archive, cut, archive + cut):
        found, ended = outcome(damaged)
        assert found in (b"", text, text + text)
        assert not ended or found == text * damaged.count(b"BZh")


def test_reading_ends_at_a_damaged_block(many):
    # Blocks are read ahead of the damaged one; their text would follow a gap.
    archive = many * 6  # more blocks than wait for their turn, on eight cores
    places = blocks(many)
    for n, place in enumerate(places):
        damaged = flipped(archive, 8 * len(many) + place + 5000)
        found, ended = outcome(damaged)
        assert not ended
        assert (MANY + MANY).startswith(found)
        assert len(found) >= len(MANY) + 99_900 * n


@pytest.mark.parametrize(
    "after",
    [b"x", b"\0", b"BZh", b"BZh0", b"BZh9", b"<html>503 Service Unavailable</html>", b"\n" * 99],
)
@pytest.mark.parametrize("text", [b"", b"hello"])
def test_bytes_after_a_stream_must_be_a_stream(after, text):
    assert outcome(bz2.compress(text) + after) == (text, False)


@pytest.mark.parametrize(
    "archive", [b"B", b"BZ", b"BZh", b"BZh9", b"BZh0" + b"\0" * 99, b"BZip", b"BZh9" + b"\0" * 9]
)
def test_files_that_are_not_bz2(archive):
    assert outcome(archive) == (b"", False)


def test_a_block_without_an_end_is_refused():
    # Nothing after the mark ever ends the block: memory must not fill up with all of a dump.
    taken = 0

    def endless(size: int) -> bytes:
        nonlocal taken
        taken += size
        return (b"BZh9" + BLOCK.to_bytes(6, "big") if taken == size else b"").ljust(size, b"x")

    with pytest.raises(OSError, match="Invalid data stream"):
        list(decompressed(endless))
    assert taken < 8_000_000


def test_a_reader_that_fails():
    archive = io.BytesIO(bz2.compress(MANY, 1))

    def failing(size: int) -> bytes:
        if archive.tell():
            raise OSError(5, "Input/output error")
        return archive.read(300_000)

    parts = []
    with pytest.raises(OSError, match="Input/output error"):
        parts.extend(decompressed(failing))
    assert MANY.startswith(b"".join(parts))
    assert len(parts) == 2


def test_threads_end_when_reading_stops(many):
    before = threading.active_count()
    parts = decompressed(io.BytesIO(many * 9).read)
    assert MANY.startswith(next(parts))
    parts.close()
    assert threading.active_count() == before


def test_reading_is_not_far_ahead(many):
    file = io.BytesIO(many * 60)
    parts = decompressed(file.read)
    next(parts)
    most = (2 * (os.cpu_count() or 1) + 2) * 110_000 + (2 << 20)
    assert file.tell() <= most
    parts.close()


def holding(*maps: int) -> bytes:
    """Return a text whose block says so of the letters in it, sixteen at a time from 0x10 on.

    A block tells which of all 256 letters it has by sixteen bits for each sixteen of them, as
    they are: so these can be chosen, and a mark be put into a block.
    """
    letters = [
        16 * n + k for n, bits in enumerate(maps, 1) for k in range(16) if bits & (0x8000 >> k)
    ]
    return bytes(letters) * 3


MARKS = {BLOCK: (0x3141, 0x5926, 0x5359), END: (0x1772, 0x4538, 0x5090)}


@pytest.mark.parametrize("mark", MARKS, ids=["block", "end"])
@pytest.mark.parametrize("before", [b"", b"something else"])
def test_a_mark_in_a_block_by_chance(mark, before):
    # What follows is no pointer into a block: the bits that would be its highest are set.
    text = holding(*MARKS[mark], 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF)
    archive = (bz2.compress(before) if before else b"") + bz2.compress(text) + bz2.compress(b"z")
    bits = bin(int.from_bytes(archive, "big"))
    assert bits.count(f"{mark:048b}") == 3 + bool(before)
    assert read(archive) == bz2.decompress(archive) == before + text + b"z"


def test_a_mark_by_chance_that_looks_real_is_an_error_and_no_other_text():
    # A pointer follows it that could be one, as it does after 1 chance mark of 19. Such a file
    # is refused although it is whole. Its letters would be those below: never those of a dump.
    text = holding(*MARKS[BLOCK], 0x0101, 0x0101, 0x0001, 0x0101)
    archive = bz2.compress(text)
    assert bz2.decompress(archive) == text
    assert outcome(archive) == (b"", False)


def made(*parts: tuple[int, int], shift: int = 0) -> tuple[bytes, int]:
    """Return bits that are made of (number, how many bits), after some that fill up a byte."""
    bits = "0" * shift + "".join(f"{number:0{count}b}" for number, count in parts)
    size = len(bits) - shift
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big"), size


@pytest.mark.parametrize("shift", range(8))
@pytest.mark.parametrize("size", [1, 3, 1 << 20])
def test_where_a_block_ends(shift, size):
    checksum, other = 0xDEADBEEF, 0xDEADBEEE
    head = ((BLOCK, 48), (0x12345678, 32), (5, 25))
    body = (
        *((0x2AAAAAAA, 30), (END, 48), (other, 32), (1, 3)),  # an end, but of another checksum
        *((BLOCK, 48), (0, 32), (900_000, 25), (0, 7)),  # a block, but of too many letters
        *((BLOCK, 48), (0, 32), (0xFFFFFF, 25), (END, 48), (1, 1)),
    )
    for after in (((END, 48), (checksum, 32)), ((BLOCK, 48), (0, 32), (899_999, 25))):
        data, _ = made(*head, *body, *after, shift=shift)
        expected, bits = made(*head, *body, shift=shift)
        file = io.BytesIO(data)
        bits_reader = bunzip._BitReader(lambda most, file=file: file.read(min(most, size)))
        bits_reader.take(shift) if shift else None
        block = bits_reader.take_block(checksum)
        assert (block.shift, block.bits) == (shift, bits)
        assert bunzip._bits(block.data, shift, bits) == bunzip._bits(expected, shift, bits)
        assert bits_reader.take(48) == after[0][0]


@settings(max_examples=60)
@given(st.binary(min_size=1, max_size=40), st.data())
def test_bits(data, draw):
    at = draw.draw(st.integers(0, 8 * len(data) - 1))
    count = draw.draw(st.integers(1, 8 * len(data) - at))
    text = "".join(f"{byte:08b}" for byte in data)
    assert bunzip._bits(data, at, count) == int(text[at : at + count], 2)
    size = draw.draw(st.integers(1, 9))
    file = io.BytesIO(data)
    bits_reader = bunzip._BitReader(lambda most: file.read(min(most, size)))
    for first, last in itertools.pairwise(sorted({0, at, at + count})):
        assert bits_reader.take(last - first) == int(text[first:last], 2)
