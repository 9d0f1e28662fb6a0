"""How similar two passages are: by their categories, the values of their items, their words."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.datasets.syn_qa.hotpotqa.text import plain, stems

_DESCRIPTION_WEIGHT = 3
"""The weight of a word that is in both descriptions; other words have 1."""
_COMMON, _MANY = 0.5, 20
"""A category that more than this share of so many titles has does not count."""


class Resemblance(NamedTuple):
    """How similar two passages are, by each measure; the first counts most.

    ``categories`` and ``values`` are counts of what both have; ``words`` is the share of the
    weight of all words that those of both have, weighted by rarity (the weighted Jaccard index).
    """

    categories: int
    values: int
    words: float


class Resemblances:
    """Compares passages of the records of a file.

    ``categories`` are those of titles. Less than ``min_overlap`` shared values count as none.
    """

    def __init__(
        self,
        records: Sequence[Record],
        linker: Linker | None,
        categories: Mapping[str, frozenset[str]],
        min_overlap: int,
    ):
        self._linker = linker
        self._categories = _without_common(categories)
        self._min_overlap = min_overlap
        self._records = len(records)
        self._stems: Counter[str] = Counter()  # in how many records' passages each stem stands
        for record in records:
            passages = (*record.supporting, *record.distractors)
            self._stems.update(frozenset().union(*(passage.stems for passage in passages)))

    def between(self, one: Passage, other: Passage) -> Resemblance:
        """Return how similar two passages are."""
        none: frozenset[str] = frozenset()
        categories = [self._categories.get(passage.title, none) for passage in (one, other)]
        values = len(self.shared_values(one, other))
        return Resemblance(
            len(categories[0] & categories[1]),
            values if values >= self._min_overlap else 0,
            self._shared_words(one, other),
        )

    def shared_values(self, one: Passage, other: Passage) -> list[tuple[str, str]]:
        """Return the (property, value) that the items of two passages share."""
        if self._linker is None:
            return []
        items = self._linker.link(one), self._linker.link(other)
        return self._linker.shared(items[0], items[1]) if items[0] and items[1] else []

    def _shared_words(self, one: Passage, other: Passage) -> float:
        shared = one.stems & other.stems
        described = stems(map(plain, one.description)) & stems(map(plain, other.description))
        extra = self.information(described & shared) * (_DESCRIPTION_WEIGHT - 1)
        total = self.information(one.stems | other.stems)
        return (self.information(shared) + extra) / (total + extra) if total else 0.0

    def information(self, stems: Iterable[str]) -> float:
        """Return the information of stems in nats; the same sum in whichever order they come."""
        return math.fsum(math.log((1 + self._records) / self._stems[stem]) for stem in stems)

    @property
    def identifying(self) -> float:
        """The information in nats that identifies one record of the file."""
        return math.log(1 + self._records)


def _without_common(categories: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """Return the categories without those that most titles have."""
    counts = Counter(category for own in categories.values() for category in own)
    most = _COMMON * len(categories) if len(categories) >= _MANY else len(categories)
    common = frozenset(category for category, count in counts.items() if count > most)
    return {title: own - common for title, own in categories.items()}
