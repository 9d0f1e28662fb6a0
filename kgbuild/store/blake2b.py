"""Sum up the BLAKE2b hashes of lines in compiled code.

``hashlib`` has the same hash, but is slower for short lines, because of the calls from Python.
Names are those of RFC 7693.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.native.kernel import kernel

Words: TypeAlias = npt.NDArray[np.uint64]

_SIZE = 16
"""Bytes of a hash."""
_BLOCK = 128
_IV = np.array(
    [
        *(0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1),
        *(0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179),
    ],
    np.uint64,
)
_SIGMA = np.array(
    [
        *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
        *(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
        *(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
        *(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
        *(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
        *(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
        *(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
        *(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
        *(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
        *(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
        *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
        *(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    ]
)
_START = _IV.copy()
_START[0] ^= np.uint64(0x01010000 ^ _SIZE)  # the parameter block: no key, one leaf


def _turned(word: np.uint64, by: int) -> np.uint64:
    return word >> np.uint64(by) | word << np.uint64(64 - by)


def _g(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, x: np.uint64, y: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Mix two words of the message into four of the state (3.1)."""
    a = a + b + x
    d = _turned(d ^ a, 32)
    c = c + d
    b = _turned(b ^ c, 24)
    a = a + b + y
    d = _turned(d ^ a, 16)
    c = c + d
    b = _turned(b ^ c, 63)
    return a, b, c, d


def _f(h: Words, m: Words, length: int, is_last: bool) -> None:
    """Mix a block ``m`` into the state ``h``, after ``length`` bytes (3.2)."""
    v0, v1, v2, v3, v4, v5, v6, v7 = h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
    v8, v9, v10, v11 = _IV[0], _IV[1], _IV[2], _IV[3]
    v12, v13, v14, v15 = _IV[4] ^ np.uint64(length), _IV[5], _IV[6], _IV[7]
    if is_last:
        v14 = ~v14
    for s in range(0, _SIGMA.size, 16):
        v0, v4, v8, v12 = _g(v0, v4, v8, v12, m[_SIGMA[s]], m[_SIGMA[s + 1]])
        v1, v5, v9, v13 = _g(v1, v5, v9, v13, m[_SIGMA[s + 2]], m[_SIGMA[s + 3]])
        v2, v6, v10, v14 = _g(v2, v6, v10, v14, m[_SIGMA[s + 4]], m[_SIGMA[s + 5]])
        v3, v7, v11, v15 = _g(v3, v7, v11, v15, m[_SIGMA[s + 6]], m[_SIGMA[s + 7]])
        v0, v5, v10, v15 = _g(v0, v5, v10, v15, m[_SIGMA[s + 8]], m[_SIGMA[s + 9]])
        v1, v6, v11, v12 = _g(v1, v6, v11, v12, m[_SIGMA[s + 10]], m[_SIGMA[s + 11]])
        v2, v7, v8, v13 = _g(v2, v7, v8, v13, m[_SIGMA[s + 12]], m[_SIGMA[s + 13]])
        v3, v4, v9, v14 = _g(v3, v4, v9, v14, m[_SIGMA[s + 14]], m[_SIGMA[s + 15]])
    h[0] ^= v0 ^ v8
    h[1] ^= v1 ^ v9
    h[2] ^= v2 ^ v10
    h[3] ^= v3 ^ v11
    h[4] ^= v4 ^ v12
    h[5] ^= v5 ^ v13
    h[6] ^= v6 ^ v14
    h[7] ^= v7 ^ v15


def _big_endian(word: np.uint64) -> np.uint64:
    value = np.uint64(0)
    for k in range(8):
        value = value << np.uint64(8) | (word >> np.uint64(8 * k) & np.uint64(0xFF))
    return value


@kernel
def _sum(
    text: npt.NDArray[np.uint8],
    ends: npt.NDArray[np.int64],
    which: npt.NDArray[np.bool_],
    h: Words,
    m: Words,
    total: Words,
) -> None:
    block = m.view(np.uint8)
    high, low = total[0], total[1]
    for n in range(ends.size):
        if not which[n]:
            continue
        at = start = ends[n - 1] if n else 0
        end = ends[n] - 1
        for k in range(8):
            h[k] = _START[k]
        while True:
            size = min(_BLOCK, end - at)
            for k in range(size):
                block[k] = text[at + k]
            for k in range(size, _BLOCK):
                block[k] = 0
            at += size
            _f(h, m, at - start, at == end)
            if at == end:
                break
        before = low
        low += _big_endian(h[1])
        high += _big_endian(h[0]) + np.uint64(low < before)
    total[0], total[1] = high, low


def sum_of_lines(
    text: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], which: npt.NDArray[np.bool_]
) -> int:
    """Return the sum, modulo 2^128, of the hashes of some lines, read as big-endian numbers.

    ``ends`` are the places after each line's end in ``text``; ``which`` are flags of the lines
    that count. A line's end is not hashed.
    """
    total = np.zeros(2, np.uint64)
    state, message = np.zeros(8, np.uint64), np.zeros(_BLOCK // 8, np.uint64)
    _sum(text, np.ascontiguousarray(ends), which, state, message, total)
    return int(total[0]) << 64 | int(total[1])
