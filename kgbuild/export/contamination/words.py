"""Turn text into hashes of its words, and these into hashes of all windows of some words.

Case, accents and punctuation do not count. The functions read UTF-8.
"""

import functools
import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from kgbuild.english.normalize import plain
from kgbuild.native.kernel import kernel

Hashes = npt.NDArray[np.uint64]
Ends = npt.NDArray[np.int64]

MAX_WINDOW = 13
"""The words of the longest window. Source: T. Brown et al. (2020), Language models are few-shot
learners, appendix C, which searches corpora for 13-grams of benchmarks."""
_BASE = 0x9E3779B97F4A7C15
"""An odd number: the hash of a window is a polynomial of this base, modulo 2^64."""
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
_ESCAPED_CHARACTER = re.compile(rb"\\u([0-9a-fA-F]{4})")
_OTHER_ESCAPE = re.compile(rb"\\.", re.DOTALL)


def normalise(text: bytes, is_json: bool = False) -> bytes:
    """Return a text without accents; other signs than letters and digits become spaces.

    In JSON, escapes become the characters that they mean.
    """
    if is_json and b"\\" in text:
        text = _ESCAPED_CHARACTER.sub(_unescape, text)
        text = _OTHER_ESCAPE.sub(b"  ", text)
    return text if text.isascii() else _NOT_ASCII.sub(lambda match: _letters(match[0]), text)


def _unescape(match: re.Match[bytes]) -> bytes:
    return chr(int(match[1], 16)).encode("utf-8", "replace")


@functools.lru_cache(1 << 16)
def _letters(text: bytes) -> bytes:
    """Return the letters of a text that is not ASCII; a combining accent leaves nothing."""
    letters = plain(text.decode("utf-8", "replace"))
    return "".join(c if c.isalnum() else " " for c in letters).encode("utf-8", "replace")


def hash_words(text: bytes) -> tuple[Hashes, Ends]:
    """Return the hash of each word of a normalised text, and the position behind it."""
    characters = np.frombuffer(text, np.uint8)
    hashes = np.empty(len(text) // 2 + 1, np.uint64)
    ends = np.empty(len(hashes), np.int64)
    count = _hash_words(characters, hashes, ends)
    return hashes[:count], ends[:count]


@kernel
def _hash_words(text: npt.NDArray[np.uint8], hashes: Hashes, ends: Ends) -> int:
    """Write the FNV-1a hash of each word in small letters, and its end; return their number."""
    count = 0
    length = 0
    value = np.uint64(0xCBF29CE484222325)
    for n in range(text.size + 1):
        c = np.int64(text[n]) if n < text.size else np.int64(32)
        if 65 <= c <= 90:
            c += 32
        if 48 <= c <= 57 or 97 <= c <= 122 or c >= 128:
            value = (value ^ np.uint64(c)) * np.uint64(0x100000001B3)
            length += 1
        elif length:
            hashes[count] = value ^ (value >> np.uint64(32))
            ends[count] = n
            count += 1
            length = 0
            value = np.uint64(0xCBF29CE484222325)
    return count


def windows(hashes: Hashes) -> Iterator[tuple[int, Hashes]]:
    """Yield the hashes of all windows of 1, 2, … ``MAX_WINDOW`` words, by the number of words.

    The first one of each is the window from the first word on.
    """
    values, power = hashes, 1
    for length in range(1, min(MAX_WINDOW, len(hashes)) + 1):
        if length > 1:
            power = power * _BASE % (1 << 64)
            # The word before each window is added with a higher power.
            values = values[1:] + hashes[: len(hashes) - length + 1] * np.uint64(power)
        yield length, values
