"""Measure how similar two passages are: by their categories, their items' values, their words."""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.cells import text_of
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.rows import require_columns

_MAX_IDENTIFYING = math.log(20)
"""Information in nats of a word in one of twenty passages, which suffices to identify a passage."""
_MAX_SIMILAR = 16
"""Maximum number of passages of other records that can replace a passage."""
_MIN_SHARED_CATEGORIES = 2
"""Minimum number of categories that a passage of another record must share."""


class Resemblance(NamedTuple):
    """How similar two passages are, by each measure; an earlier field counts more.

    ``categories`` of a user's table, ``values`` of the store and ``traits`` of the first sentences
    are numbers of common ones. ``words`` is the weighted Jaccard index of all words, from 0 to 1;
    rare words have more weight.
    """

    categories: int
    values: int
    traits: int
    words: float


class Resemblances:
    """Compares passages of the records of a file.

    ``categories`` are by title. If two items share fewer than ``min_overlap`` values, their number
    counts as 0.
    """

    def __init__(
        self,
        records: Sequence[Record],
        linker: Linker | None,
        categories: Mapping[str, frozenset[str]],
        min_overlap: int,
    ):
        self._linker = linker
        self._categories = categories
        self._min_overlap = min_overlap
        passages: dict[str, Passage] = {}
        for record in records:
            for passage in (*record.supporting, *record.distractors):
                passages.setdefault(passage.title, passage)
        self._passage_count = len(passages)
        self._stem_counts = Counter(stem for passage in passages.values() for stem in passage.stems)
        self._by_kind_and_decade: defaultdict[tuple[object, ...], list[Passage]] = defaultdict(list)
        for passage in passages.values():
            self._by_kind_and_decade[passage.kind, passage.decade].append(passage)

    def compare(self, first: Passage, second: Passage) -> Resemblance:
        """Return how similar two passages are."""
        empty: frozenset[str] = frozenset()
        first_categories, second_categories = (
            self._categories.get(passage.title, empty) for passage in (first, second)
        )
        value_count = len(self.shared_values(first, second))
        return Resemblance(
            categories=len(first_categories & second_categories),
            values=value_count if value_count >= self._min_overlap else 0,
            traits=len(first.categories & second.categories),
            words=self._jaccard(first, second),
        )

    def most_similar(self, subject: Passage) -> list[Passage]:
        """Return the passages of all records that share most categories with a subject.

        They are of its kind, and their decades are at most two decades away.
        """
        decade = subject.decade
        decades = [None] if decade is None else range(decade - 20, decade + 30, 10)
        passages = (
            passage
            for nearby_decade in decades
            for passage in self._by_kind_and_decade.get((subject.kind, nearby_decade), [])
        )
        ranked = (
            (-len(subject.categories & passage.categories), passage.title, passage)
            for passage in passages
        )
        most_similar = heapq.nsmallest(_MAX_SIMILAR, ranked)  # by title if equally similar
        return [
            passage
            for negative_count, _, passage in most_similar
            if -negative_count >= _MIN_SHARED_CATEGORIES
        ]

    def shared_values(self, first: Passage, second: Passage) -> list[tuple[str, str]]:
        """Return the pairs of property and value that the items of two passages share."""
        if self._linker is None:
            return []
        first_qid, second_qid = self._linker.link(first), self._linker.link(second)
        if not first_qid or not second_qid:
            return []
        return self._linker.shared_values(first_qid, second_qid)

    def _jaccard(self, first: Passage, second: Passage) -> float:
        """Return the Jaccard index of the stems of two passages, weighted by information."""
        total = self.information(first.stems | second.stems)
        return self.information(first.stems & second.stems) / total if total else 0.0

    def information(self, stems: Iterable[str]) -> float:
        """Return the sum of the information of stems in nats; their order does not change it."""
        return math.fsum(
            math.log((1 + self._passage_count) / max(1, self._stem_counts[stem])) for stem in stems
        )

    @property
    def identifying(self) -> float:
        """Minimum information in nats of a rare word.

        In a small file, it is the information of a word that two passages have.
        """
        return min(_MAX_IDENTIFYING, math.log((1 + self._passage_count) / 2))


def read_categories(
    path: Path, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Mapping[str, frozenset[str]]:
    """Return the categories of each title.

    ``columns`` and ``rows`` are the contents of the file ``path``, with one title and one category
    per row. Titles may have underscores for spaces, as in Wikipedia's tables.

    Raises:
        WrongCallError: there is no column title or category.
    """
    require_columns(path, columns, ("title", "category"))
    title_column, category_column = columns.index("title"), columns.index("category")
    categories_by_title: dict[str, set[str]] = {}
    for row in rows:
        title, category = row[title_column], row[category_column]
        if title is not None and category is not None:
            key = text_of(title).replace("_", " ")
            categories_by_title.setdefault(key, set()).add(text_of(category))
    return {title: frozenset(categories) for title, categories in categories_by_title.items()}
