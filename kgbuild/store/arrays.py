"""Arrays beside the graph, which are mapped into memory; see ``array_files`` for their files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from kgbuild.native.arrays import Array, Flags, Numbers, Positions
from kgbuild.store.array_files import forget_pages, map_file

_FORGET_EVERY = 512
"""Number of items that are looked up between two calls of ``forget_pages``."""

T = TypeVar("T")
Number = TypeVar("Number", bound=np.number[Any])


def distinct(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return the numbers of an array, sorted and without repetitions.

    ``np.unique`` of NumPy 2.3 and later returns the same, but takes ten times as long.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    array = np.sort(array)
    return array[are_new(array)]


def are_new(sorted_numbers: Array) -> Flags:
    """Return whether each number of a sorted array is not the one before it."""
    flags = np.ones(len(sorted_numbers), bool)
    np.not_equal(sorted_numbers[1:], sorted_numbers[:-1], out=flags[1:])
    return flags


def places(numbers: npt.NDArray[Number], sorted_numbers: npt.NDArray[Number]) -> Positions:
    """Return the position of each number in a sorted array of the same type, or -1.

    >>> places(np.array([5, 1, 2]), np.array([1, 4, 5])).tolist()
    [2, 0, -1]
    """
    if not len(sorted_numbers):
        return np.full(len(numbers), -1)
    at = np.minimum(sorted_numbers.searchsorted(numbers), len(sorted_numbers) - 1)
    at[sorted_numbers[at] != numbers] = -1
    return at


def are_among(numbers: npt.NDArray[Number], sorted_numbers: npt.NDArray[Number]) -> Flags:
    """Return whether each number is in a sorted array of the same type.

    ``np.isin`` returns the same, but takes twice as long and more memory.

    >>> are_among(np.array([5, 1, 2]), np.array([1, 4, 5])).tolist()
    [True, True, False]
    """
    return places(numbers, sorted_numbers) >= 0


def ends_of(sizes: Positions | Numbers) -> Positions:
    """Return where each of adjacent parts of some sizes ends, after a zero."""
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends


def map_arrays(
    path: Path, layout: int, fingerprint: str, types: Sequence[type], *, is_compared: bool = False
) -> list[Array]:
    """Map the arrays in a file, which have these types, into memory; errors as of ``map_file``."""
    formats = [np.dtype(kind).char for kind in types]
    parts = map_file(path, layout, fingerprint, formats, is_compared=is_compared)
    return [*map(np.asarray, parts)]


def forgetting(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and take all mapped arrays out of memory now and then.

    Each item that is looked up reads a few pages, and the operating system maps those around them,
    so that thousands of items would fill the memory with whole files.
    """
    for number, item in enumerate(items):
        if number % _FORGET_EVERY == 0:
            forget_pages()
        yield item
