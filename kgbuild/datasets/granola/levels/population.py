"""The possible answers of a relation: the items that are its values."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from kgbuild.graph.pairs import Pairs
from kgbuild.graph.times import Years
from kgbuild.native.arrays import Flags, Numbers, Positions
from kgbuild.store.arrays import are_among, distinct

MOST = 1 << 16
"""The least number of values of which only a sample counts."""
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
        self._pairs = functools.cache(pairs)
        self._years_of_each = years_of_each
        self._further = further

    @functools.cached_property
    def _values(self) -> Numbers:
        """The numbers of the values, sorted."""
        return distinct(self._pairs().values)

    def items(self) -> list[str]:
        """Return the ids of all items."""
        return [*dict.fromkeys((*self._ids(self._values), *self._further))]

    def __len__(self) -> int:
        """Return the number of the items that are yielded."""
        return len(self._sampled) + len({*self._further}.difference(self._ids(self._sampled)))

    def __iter__(self) -> Iterator[tuple[str, set[Years | None]]]:
        """Yield items, each once with its years: the values, sorted by number, and further items.

        Of more than ``MOST`` values, every second or third counts, and so on: shares of so many are
        as good as those of all.
        """
        further = {**self._further}
        pairs = self._pairs().where(are_among(self._pairs().values, self._sampled))
        order = np.argsort(pairs.values, kind="stable")
        values, starts = np.unique(pairs.values[order], return_index=True)
        has_years, first, last = (column[order] for column in self._years_of_each(pairs.subjects))
        ends = [*starts.tolist()[1:], len(order)]
        for qid, start, end in zip(self._ids(values), starts.tolist(), ends, strict=False):
            part = slice(start, end)
            spans = zip(first[part].tolist(), last[part].tolist(), strict=True)
            all_years = {
                years if has_any else None
                for has_any, years in zip(has_years[part].tolist(), spans, strict=True)
            }
            yield qid, all_years | further.pop(qid, set())
        yield from further.items()

    @property
    def _sampled(self) -> Numbers:
        return self._values[:: len(self._values) // MOST + 1]

    @staticmethod
    def _ids(numbers: Numbers) -> list[str]:
        return [f"Q{number}" for number in numbers.tolist()]
