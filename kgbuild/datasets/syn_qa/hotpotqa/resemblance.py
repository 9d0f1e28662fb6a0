"""How similar two passages are: by their categories, the values of their items, their words."""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record

_IDENTIFYING = math.log(20)
"""The information in nats of a word that one passage in twenty has."""
_LIKE, _ALIKE = 16, 2
"""Maximum number of passages of other records that are tried; minimum of shared traits."""
_COMMON, _MANY = 0.5, 20
"""With ``_MANY`` titles or more, categories of more than this share of them do not count."""


class Resemblance(NamedTuple):
    """How similar two passages are, by each measure; the first counts most.

    ``categories`` of a user's table, ``values`` of the store and ``traits`` of the first sentences
    are counts of what both have; ``words`` is the share of the weight of all words that those of
    both have, weighted by rarity (the weighted Jaccard index).
    """

    categories: int
    values: int
    traits: int
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
        self._beside: defaultdict[str, list[Passage]] = defaultdict(list)
        passages: dict[str, Passage] = {}
        for record in records:
            together = (*record.supporting, *record.distractors)
            for passage in together:
                self._beside[passage.title] += together
                passages.setdefault(passage.title, passage)
        self._passages = len(passages)
        self._stems = Counter(stem for one in passages.values() for stem in one.stems)
        self._groups: defaultdict[tuple[object, ...], list[Passage]] = defaultdict(list)
        for passage in passages.values():
            self._groups[passage.kind, passage.decade].append(passage)

    def between(self, one: Passage, other: Passage) -> Resemblance:
        """Return how similar two passages are."""
        none: frozenset[str] = frozenset()
        categories = [self._categories.get(passage.title, none) for passage in (one, other)]
        values = len(self.shared_values(one, other))
        return Resemblance(
            len(categories[0] & categories[1]),
            values if values >= self._min_overlap else 0,
            len(one.categories & other.categories),
            self._shared_words(one, other),
        )

    def beside(self, passage: Passage) -> list[Passage]:
        """Return the passages of the records that have a passage."""
        return self._beside[passage.title]

    def like(self, subject: Passage) -> list[Passage]:
        """Return the passages of all records that share most traits with a subject.

        They are of its kind, and their years are at most two decades away.
        """
        decade = subject.decade
        decades = [None] if decade is None else range(decade - 20, decade + 30, 10)
        near = (one for at in decades for one in self._groups.get((subject.kind, at), []))
        ranked = ((-len(subject.categories & one.categories), one.title, one) for one in near)
        return [one for count, _, one in heapq.nsmallest(_LIKE, ranked) if -count >= _ALIKE]

    def shared_values(self, one: Passage, other: Passage) -> list[tuple[str, str]]:
        """Return the (property, value) that the items of two passages share."""
        if self._linker is None:
            return []
        items = self._linker.link(one), self._linker.link(other)
        return self._linker.shared(items[0], items[1]) if items[0] and items[1] else []

    def _shared_words(self, one: Passage, other: Passage) -> float:
        total = self.information(one.stems | other.stems)
        return self.information(one.stems & other.stems) / total if total else 0.0

    def information(self, stems: Iterable[str]) -> float:
        """Return the information of stems in nats; the same sum in whichever order they come."""
        return math.fsum(
            math.log((1 + self._passages) / max(1, self._stems[stem])) for stem in stems
        )

    @property
    def identifying(self) -> float:
        """The information in nats of a rare word: in a small file, one that two passages have."""
        return min(_IDENTIFYING, math.log((1 + self._passages) / 2))


def _without_common(categories: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """Return the categories without those that most titles have."""
    counts = Counter(category for own in categories.values() for category in own)
    most = _COMMON * len(categories) if len(categories) >= _MANY else len(categories)
    common = frozenset(category for category, count in counts.items() if count > most)
    return {title: own - common for title, own in categories.items()}
