"""The possible answers of a relation: the items that are its values."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from kgbuild.graph.pairs import Pairs
from kgbuild.graph.times import Years
from kgbuild.store.arrays import Flags, Numbers, Positions, are_among, distinct
from kgbuild.wikidata import number

YearsOfEach: TypeAlias = Callable[[Numbers], tuple[Flags, Positions, Positions]]
"""Returns whether each subject has years, and its first and last year."""


class Population:
    """The values of a relation, and further items, each with the years of all its subjects.

    ``pairs`` returns the subjects with their values.
    """

    def __init__(
        self,
        pairs: Callable[[], Pairs],
        years_of_each: YearsOfEach,
        further: Mapping[str, set[Years | None]],
    ):
        self._read_pairs = pairs
        self._years_of_each = years_of_each
        self._further = further

    @functools.cached_property
    def _pairs(self) -> Pairs:
        return self._read_pairs()

    @functools.cached_property
    def values(self) -> Numbers:
        """The numbers of the values, sorted."""
        return distinct(self._pairs.values)

    def items(self) -> list[str]:
        """Return the ids of all items."""
        values = [f"Q{value}" for value in self.values.tolist()]
        return [*dict.fromkeys((*values, *self._further))]

    def __len__(self) -> int:
        """Return the number of all items."""
        further = np.array([*map(number, self._further)], np.int32)
        return len(self.values) + int((~are_among(further, self.values)).sum())

    def __iter__(self) -> Iterator[tuple[str, set[Years | None]]]:
        """Yield each item, once, with its years: the values first, sorted by number."""
        return self.without(self.values[:0])

    def without(self, left_out: Numbers) -> Iterator[tuple[str, set[Years | None]]]:
        """Yield the items other than some values, whose numbers are sorted, with their years."""
        further = {**self._further}
        for value in left_out.tolist() if further else ():
            further.pop(f"Q{value}", None)
        pairs = self._pairs.where(~are_among(self._pairs.values, left_out))
        order = np.argsort(pairs.values, kind="stable")
        values, starts = np.unique(pairs.values[order], return_index=True)
        has_years, first, last = (column[order] for column in self._years_of_each(pairs.subjects))
        ends = [*starts.tolist()[1:], len(order)]
        for value, start, end in zip(values.tolist(), starts.tolist(), ends, strict=False):
            part = slice(start, end)
            spans = zip(first[part].tolist(), last[part].tolist(), strict=True)
            all_years = {
                years if has_any else None
                for has_any, years in zip(has_years[part].tolist(), spans, strict=True)
            }
            yield (qid := f"Q{value}"), all_years | further.pop(qid, set())
        yield from further.items()
