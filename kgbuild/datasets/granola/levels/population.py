"""The possible answers of a relation: the items that are its values."""

import functools
from collections.abc import Callable, Iterable

from kgbuild.native.arrays import Numbers
from kgbuild.store.arrays import distinct

MOST = 1 << 16
"""The least number of values of which only a sample counts."""


class Population:
    """The values of a relation, whose numbers ``values`` returns, and further items."""

    def __init__(self, values: Callable[[], Numbers], further: Iterable[str]):
        self._read = values
        self._further = dict.fromkeys(further)

    @functools.cached_property
    def _values(self) -> Numbers:
        """The numbers of the values, sorted."""
        return distinct(self._read())

    def items(self) -> list[str]:
        """Return the ids of all items."""
        return [*dict.fromkeys((*_ids(self._values), *self._further))]

    def sampled(self) -> list[str]:
        """Return the ids of the items that count: values, sorted by number, and the further items.

        Of more than ``MOST`` values, every second or third counts, and so on: shares of so many are
        as good as those of all.
        """
        sample = self._values[:: len(self._values) // MOST + 1]
        return [*dict.fromkeys((*_ids(sample), *self._further))]


def _ids(numbers: Numbers) -> list[str]:
    return [f"Q{number}" for number in numbers.tolist()]
