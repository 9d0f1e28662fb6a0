"""Decompress a bz2 file on all cores.

A bz2 stream has a header, blocks, and an end mark with a checksum. Each block begins with a mark of
48 bits, which can start at any bit of a byte (J. Seward's format, as described in
https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf). Blocks are independent: each
block is made a stream of its own, and a thread decompresses it. The checksums of blocks and streams
and the bytes after a stream are checked. Positions are counted in bits.

Libraries that do the same are no faster here, and cannot replace this: indexed_bzip2 1.7 accepts
garbage behind the end, and rapidgzip 0.16 refuses pipes and downloads, which cannot seek, and gives
none of the text before damage.
"""

import bz2
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgbuild.native.kernel import kernel

_BLOCK_MARK = 0x314159265359
_END_MARK = 0x177245385090
_MARK, _CHECKSUM, _POINTER = 48, 32, 25
"""Sizes in bits of a mark, of the checksum after it, and of the pointer to a block's first byte.

The pointer has 24 bits; a bit that says whether the block is randomised precedes it.
"""
_MAX_BLOCK_TEXT = 900_000
"""Maximum number of bytes of the text of a block, and so the limit of its pointer."""
_MAX_BLOCK_BITS = 8 * 4_000_000
"""A number of bits that is larger than any block."""
_READ_SIZE = 1 << 20
"""Number of bytes that are read at a time."""


class _Block(NamedTuple):
    """A compressed block: its bytes, the bits to skip in the first byte, and its size in bits."""

    data: bytes
    shift: int
    bits: int


@kernel
def _next_mark(data: npt.NDArray[np.uint8], first: int) -> int:
    """Return the position of the next mark, at ``first`` or later; -1 if there is none."""
    window = np.uint64(0)  # the last eight bytes
    for at in range(first >> 3, data.size):
        window = window << np.uint64(8) | np.uint64(data[at])
        for shift in range(7, -1, -1):
            bits = window >> np.uint64(shift) & np.uint64(0xFFFFFFFFFFFF)
            if bits == np.uint64(_BLOCK_MARK) or bits == np.uint64(_END_MARK):
                position = 8 * (at + 1) - shift - _MARK
                if position >= first:
                    return position
    return -1


class _BitReader:
    """Reads a file bit by bit; ``_at`` is the position in ``_data``."""

    def __init__(self, read: Callable[[int], bytes]):
        self._read = read
        self._data = b""
        self._at = 0

    def _read_more(self) -> None:
        data = self._read(_READ_SIZE)
        if not data:
            raise EOFError("the file ends before the end of the stream")
        self._data, self._at = self._data[self._at >> 3 :] + data, self._at & 7

    def is_at_end(self) -> bool:
        if self._at == 8 * len(self._data):
            self._data, self._at = self._read(_READ_SIZE), 0
        return not self._data

    def peek(self, ahead: int, count: int) -> int:
        """Return ``count`` bits, after the next ``ahead`` bits, as a number; do not move."""
        while 8 * len(self._data) - self._at < ahead + count:
            self._read_more()
        return _bits(self._data, self._at + ahead, count)

    def take(self, count: int) -> int:
        """Return the next ``count`` bits as a number, and move behind them."""
        value = self.peek(0, count)
        self._at += count
        return value

    def align(self) -> None:
        """Move to the start of the next byte, unless a byte starts here."""
        self._at = (self._at + 7) & ~7

    def take_block(self, checksum: int) -> _Block:
        """Return the block that begins here, and move to the mark behind it.

        A block may contain the bits of a mark by chance (once in 500 dumps of Wikidata). So the
        bits after a mark are checked: after a block's mark, they have a valid pointer; after the
        end mark, they are the stream's ``checksum``.
        """
        bits = _MARK
        while True:
            position = _next_mark(np.frombuffer(self._data, np.uint8), self._at + bits)
            if position < 0:
                if 8 * len(self._data) - self._at > _MAX_BLOCK_BITS:
                    raise OSError("Invalid data stream")
                self._read_more()
                continue
            bits = position - self._at
            if self.peek(bits, _MARK) == _END_MARK:
                is_true_mark = self.peek(bits + _MARK, _CHECKSUM) == checksum
            else:
                pointer = self.peek(bits + _MARK, _CHECKSUM + _POINTER) & 0xFFFFFF
                is_true_mark = pointer < _MAX_BLOCK_TEXT
            if is_true_mark:
                break
            bits += 1
        data = self._data[self._at >> 3 : (self._at + bits + 7) >> 3]
        block = _Block(data, self._at & 7, bits)
        self._at += bits
        return block


def _bits(data: bytes, at: int, count: int) -> int:
    """Return the ``count`` bits at the position ``at`` as a number."""
    part = int.from_bytes(data[at >> 3 : (at + count + 7) >> 3], "big")
    return part >> (-(at + count) & 7) & ((1 << count) - 1)


def _blocks(read: Callable[[int], bytes]) -> Iterator[_Block]:
    """Yield the blocks of a file; check the headers and checksums of its streams."""
    bits = _BitReader(read)
    while not bits.is_at_end():
        magic, level = bits.take(24), bits.take(8)
        if magic != int.from_bytes(b"BZh", "big") or not ord("1") <= level <= ord("9"):
            raise OSError("Invalid data stream")
        checksum = 0
        while (mark := bits.peek(0, _MARK)) == _BLOCK_MARK:
            rotated = (checksum << 1 | checksum >> 31) & 0xFFFFFFFF
            checksum = rotated ^ bits.peek(_MARK, _CHECKSUM)
            yield bits.take_block(checksum)
        bits.take(_MARK)
        if mark != _END_MARK or bits.take(_CHECKSUM) != checksum:
            raise OSError("Invalid data stream")
        bits.align()


def _decompress(block: _Block) -> bytes:
    """Return the text of a block: complete it to a stream, and decompress the stream."""
    data = np.frombuffer(block.data, np.uint8)
    if block.shift:
        following = np.append(data[1:], np.uint8(0))
        data = data << np.uint8(block.shift) | following >> np.uint8(8 - block.shift)
    whole_bytes, rest = divmod(block.bits, 8)
    last = int(data[whole_bytes]) >> (8 - rest) if rest else 0
    checksum = _bits(block.data, block.shift + _MARK, _CHECKSUM)
    tail = (last << _MARK | _END_MARK) << _CHECKSUM | checksum
    padding = -rest % 8
    end = (tail << padding).to_bytes((rest + _MARK + _CHECKSUM + padding) // 8, "big")
    decompressor = bz2.BZ2Decompressor()
    text = decompressor.decompress(b"BZh9" + data[:whole_bytes].tobytes() + end)
    if not decompressor.eof or decompressor.unused_data:
        raise OSError("Invalid data stream")
    return text


def decompressed(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the text of a bz2 file of one or more streams; ``read(n)`` returns its next n bytes.

    Raises:
        OSError, EOFError: the file is damaged or cut short; the text before is yielded first.
    """
    cores = os.cpu_count() or 1
    waiting: deque[Future[bytes]] = deque()
    with ThreadPoolExecutor(cores) as pool:
        try:
            for block in _blocks(read):
                waiting.append(pool.submit(_decompress, block))
                if len(waiting) > 2 * cores:
                    yield waiting[0].result()
                    waiting.popleft()  # later than its result, whose error is raised again below
        except (OSError, EOFError):
            yield from (future.result() for future in waiting)
            raise
        yield from (future.result() for future in waiting)
