"""Measure how similar two passages are: by categories, their items' values, first sentences."""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild.cells import text_of
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.rows import require_columns
from kgbuild.tables.files import read_file

_MAX_IDENTIFYING = math.log(20)
"""Information in nats of a word in one of twenty passages, which suffices to identify a passage."""
_MAX_SIMILAR = 16
"""Maximum number of passages of other records that can replace a passage."""


class Resemblance(NamedTuple):
    """How similar two passages are, by each measure; an earlier field counts more.

    ``categories`` of a user's table, ``values`` of the store and ``traits`` of the first sentences
    are numbers of common ones.
    """

    categories: int
    values: int
    traits: int


class Resemblances:
    """Compares passages of the records of a file.

    ``categories`` are by title. If two items share fewer than ``min_overlap`` values, their number
    counts as 0. ``identifying`` is the minimum information in nats of a rare word; it is lower in a
    small file. ``particular`` is that of two words that are in a single passage.
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
        of_two = math.log((1 + len(passages)) / 2)  # the information of a word that two have
        self.identifying = min(_MAX_IDENTIFYING, of_two)
        self.particular = 2 * math.log(1 + len(passages))
        self._stem_counts = Counter(stem for passage in passages.values() for stem in passage.stems)
        self._by_kind: defaultdict[str | None, list[Passage]] = defaultdict(list)
        for passage in passages.values():
            self._by_kind[passage.kind].append(passage)

    def compare(self, first: Passage, second: Passage) -> Resemblance:
        """Return how similar two passages are."""
        of_first, of_second = (
            self._categories.get(passage.title, frozenset()) for passage in (first, second)
        )
        value_count = len(self.shared_values(first, second))
        return Resemblance(
            categories=len(of_first & of_second),
            values=value_count if value_count >= self._min_overlap else 0,
            traits=len(first.traits & second.traits),
        )

    def most_similar(self, subject: Passage) -> list[Passage]:
        """Return the passages of all records that can replace a subject and share most traits.

        The years of both are known, or of neither.
        """
        ranked = (
            (-len(subject.traits & passage.traits), passage.title, passage)
            for passage in self._by_kind[subject.kind]
            if subject.can_be_replaced_by(passage)
            and (subject.year is None) == (passage.year is None)
        )
        # By title if equally similar.
        return [passage for *_, passage in heapq.nsmallest(_MAX_SIMILAR, ranked)]

    def shared_values(self, first: Passage, second: Passage) -> list[tuple[str, str]]:
        """Return the pairs of property and value that the items of two passages share."""
        if self._linker is None:
            return []
        first_qid, second_qid = self._linker.link(first), self._linker.link(second)
        if not first_qid or not second_qid:
            return []
        return self._linker.shared_values(first_qid, second_qid)

    def information(self, stems: Iterable[str]) -> float:
        """Return the sum of the information of stems in nats; their order does not change it."""
        return math.fsum(
            math.log((1 + self._passage_count) / max(1, self._stem_counts[stem])) for stem in stems
        )


def read_categories(path: Path) -> Mapping[str, frozenset[str]]:
    """Return the categories of each title in a table, with one title and one category per row.

    Titles may have underscores for spaces, as in Wikipedia's tables.

    Raises:
        TableFileError: the file cannot be read.
        WrongCallError: there is no column title or category.
    """
    table = read_file(path)
    require_columns(path, table.columns, ("title", "category"))
    categories_by_title: dict[str, set[str]] = {}
    for record in table.records:
        title, category = record.get("title"), record.get("category")
        if title is not None and category is not None:
            key = text_of(title).replace("_", " ")
            categories_by_title.setdefault(key, set()).add(text_of(category))
    return {title: frozenset(categories) for title, categories in categories_by_title.items()}
