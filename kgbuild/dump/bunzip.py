"""Decompress a bz2 file on all cores.

A bz2 stream is a header, blocks, and an end mark with a checksum. Each block begins with a mark of
48 bits, at any bit of a byte (J. Seward's format, as described in
https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf). Blocks are independent, so
each is turned into a stream, which a thread decompresses. The checksums of blocks and streams and
the bytes after a stream are checked.
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

_BLOCK = 0x314159265359
_END = 0x177245385090
_MARK, _CHECKSUM, _POINTER = 48, 32, 25
"""Sizes in bits of a mark, of the checksum after it, and of the pointer to a block's first byte."""
_MOST_LETTERS = 900_000
_LONGEST = 8 * 4_000_000
"""A number of bits that is larger than any block."""
_READ = 1 << 20


class _Piece(NamedTuple):
    """A block: its bytes, the number of bits to skip in the first byte, and its size in bits."""

    data: bytes
    shift: int
    bits: int


@kernel
def _mark(data: npt.NDArray[np.uint8], first: int) -> int:
    """Return the position in bits of the next mark, at ``first`` or later; or -1."""
    window = np.uint64(0)
    for at in range(first >> 3, data.size):
        window = window << np.uint64(8) | np.uint64(data[at])
        for shift in range(7, -1, -1):
            bits = window >> np.uint64(shift) & np.uint64(0xFFFFFFFFFFFF)
            if bits == np.uint64(_BLOCK) or bits == np.uint64(_END):
                place = 8 * (at + 1) - shift - _MARK
                if place >= first:
                    return place
    return -1


class _Source:
    """Reads a file bit by bit; ``_at`` is the position in bits in ``_data``."""

    def __init__(self, read: Callable[[int], bytes]):
        self._read = read
        self._data = b""
        self._at = 0

    def _more(self) -> None:
        data = self._read(_READ)
        if not data:
            raise EOFError("the file ends before the end of the stream")
        self._data, self._at = self._data[self._at >> 3 :] + data, self._at & 7

    def ended(self) -> bool:
        if self._at == 8 * len(self._data):
            self._data, self._at = self._read(_READ), 0
        return not self._data

    def peek(self, ahead: int, count: int) -> int:
        """Return the next ``count`` bits after ``ahead`` bits as a number; do not move on."""
        while 8 * len(self._data) - self._at < ahead + count:
            self._more()
        return _bits(self._data, self._at + ahead, count)

    def take(self, count: int) -> int:
        value = self.peek(0, count)
        self._at += count
        return value

    def align(self) -> None:
        self._at = (self._at + 7) & ~7

    def block(self, checksum: int) -> _Piece:
        """Read a block: the bits up to the next true mark.

        A block may contain the bits of a mark by chance (once in 500 dumps of Wikidata). A true
        mark is followed by a pointer into the block, or by the stream's checksum.
        """
        bits = _MARK
        while True:
            place = _mark(np.frombuffer(self._data, np.uint8), self._at + bits)
            if place < 0:
                if 8 * len(self._data) - self._at > _LONGEST:
                    raise OSError("Invalid data stream")
                self._more()
                continue
            bits = place - self._at
            follows = self.peek(bits + _MARK, _CHECKSUM + _POINTER * (self._is(bits, _BLOCK)))
            if follows == checksum if self._is(bits, _END) else follows & 0xFFFFFF < _MOST_LETTERS:
                break
            bits += 1
        piece = _Piece(self._data[self._at >> 3 : (self._at + bits + 7) >> 3], self._at & 7, bits)
        self._at += bits
        return piece

    def _is(self, ahead: int, mark: int) -> bool:
        return self.peek(ahead, _MARK) == mark


def _bits(data: bytes, at: int, count: int) -> int:
    part = int.from_bytes(data[at >> 3 : (at + count + 7) >> 3], "big")
    return part >> (-(at + count) & 7) & ((1 << count) - 1)


def _pieces(read: Callable[[int], bytes]) -> Iterator[_Piece]:
    source = _Source(read)
    while not source.ended():
        if source.take(24) != int.from_bytes(b"BZh", "big") or not 49 <= source.take(8) <= 57:
            raise OSError("Invalid data stream")
        checksum = 0
        while (mark := source.peek(0, _MARK)) == _BLOCK:
            rotated = (checksum << 1 | checksum >> 31) & 0xFFFFFFFF
            checksum = rotated ^ source.peek(_MARK, _CHECKSUM)
            yield source.block(checksum)
        source.take(_MARK)
        if mark != _END or source.take(_CHECKSUM) != checksum:
            raise OSError("Invalid data stream")
        source.align()


def _decoded(piece: _Piece) -> bytes:
    """Return the text of a block: make a stream of it, and decompress that."""
    data = np.frombuffer(piece.data, np.uint8)
    if piece.shift:
        following = np.append(data[1:], np.uint8(0))
        data = data << np.uint8(piece.shift) | following >> np.uint8(8 - piece.shift)
    whole, rest = divmod(piece.bits, 8)
    last = int(data[whole]) >> (8 - rest) if rest else 0
    tail = (last << _MARK | _END) << _CHECKSUM | _bits(piece.data, piece.shift + _MARK, _CHECKSUM)
    pad = -rest % 8
    end = (tail << pad).to_bytes((rest + _MARK + _CHECKSUM + pad) // 8, "big")
    decompressor = bz2.BZ2Decompressor()
    text = decompressor.decompress(b"BZh9" + data[:whole].tobytes() + end)
    if not decompressor.eof or decompressor.unused_data:
        raise OSError("Invalid data stream")
    return text


def decompressed(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the text of a bz2 file of one or more streams; ``read(n)`` returns its next n bytes.

    Raises:
        OSError, EOFError: the file is damaged or cut short; the text before is yielded first.
    """
    cores = os.cpu_count() or 1
    pieces = _pieces(read)
    waiting: deque[Future[bytes]] = deque()
    with ThreadPoolExecutor(cores) as pool:
        try:
            for piece in pieces:
                waiting.append(pool.submit(_decoded, piece))
                if len(waiting) > 2 * cores:
                    yield waiting[0].result()
                    waiting.popleft()  # only now: the error of a damaged block is raised below
        except (OSError, EOFError):
            yield from (future.result() for future in waiting)
            raise
        yield from (future.result() for future in waiting)
