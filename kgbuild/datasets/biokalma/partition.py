"""Choose the pairs of subjects of a class, over all its relations, and divide them into splits.

The choice does not depend on the options of a build: a pair has the same split in all builds. It is
made once, and kept beside the store.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.biokalma import shares
from kgbuild.datasets.biokalma.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.pair_candidates import Statements, find_candidates
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.biokalma.rows import MAX_USES
from kgbuild.graph.communities import communities
from kgbuild.graph.pairs import Pairs as NumberPairs
from kgbuild.native.kernel import kernel
from kgbuild.rows import TRAIN, Rejected, split, split_ends
from kgbuild.store.arrays import Array, Bytes, Flags, Numbers, Positions

_SEED = 0
_MIN_PAIRS = 4
"""Number of pairs of a relation that each split needs at least beside a split for training, if
there are enough."""


@dataclass(frozen=True)
class Partition:
    """The pairs of a class, and the split of each subject.

    ``are_rich`` returns whether enough is known of each of many subjects for a question; pairs of
    other subjects do not count as uses. ``has_training`` is whether a split is for training.
    """

    pairs: Pairs
    are_rich: Callable[[Numbers], Flags]
    has_training: bool = False

    def check(self, statement: Triple) -> None:
        """Check that a pair is chosen, and that its subjects are in the same split.

        Raises:
            Rejected: a subject is in enough other pairs, or the subjects are in different splits.
        """
        x, y = joined_items(statement)
        if full := self._full(statement):
            raise Rejected("used often", f"Q{full}")
        splits = self._chosen_split(x), self._chosen_split(y)
        if all(splits) and splits[0] != splits[1]:
            raise Rejected("between splits", f"{x} in {splits[0]}, {y} in {splits[1]}")

    def split(self, qid: str) -> str:
        """Return the split of a subject; that of its id if it is in no chosen pair."""
        return self._chosen_split(qid) or split(qid, self.has_training)

    def _full(self, statement: Triple) -> int:
        """Return the number of the subject that is in enough other pairs; 0 if the pair is chosen.

        The pair may be no candidate.
        """
        x, path, y = statement
        relations, subjects, values, full = self._overused
        number = np.int32(wikidata.number(x))
        start, end = subjects.searchsorted((number, number + np.int32(1))).tolist()
        relation = [*self.pairs.relations].index(path)
        matches = (relations[start:end] == relation) & (values[start:end] == wikidata.number(y))
        return int(full[start:end][matches].sum())

    def _chosen_split(self, qid: str) -> str:
        """Return the split of a subject of a chosen pair; an empty text for other subjects."""
        items, numbers = self._splits
        number = np.int32(wikidata.number(qid))
        at = int(items.searchsorted(number))
        if at == len(items) or items[at] != number:
            return ""
        name, _ = split_ends(self.has_training)[int(numbers[at])]
        return name

    @functools.cached_property
    def _candidates(self) -> tuple[Statements, Numbers]:
        """All pairs that questions can be about, and the subject that is in enough others, or 0."""
        *statements, full = self.pairs.knowledge.counts.arrays(
            ("biokalma_pairs", self.pairs.of_class),
            (np.int32, np.int32, np.int32, np.int32),
            self._find_candidates,
        )
        return Statements(*statements), full

    def _find_candidates(self) -> list[Array]:
        statements = find_candidates(self.pairs, self.are_rich, _SEED)
        ends = np.concatenate([statements.subjects, statements.values])
        items, numbers = np.unique(ends, return_inverse=True)
        first, second = np.split(numbers, 2)
        full = np.full(len(first), -1)
        _choose(first, second, np.zeros(len(items), np.uint8), full)
        subjects = np.append(items, np.int32(0))[full]  # -1 is the last one
        return [*statements, subjects]

    @functools.cached_property
    def _overused(self) -> tuple[Array, ...]:
        """The pairs that are not chosen, sorted by subject, with what ``_candidates`` has."""
        statements, full = self._candidates
        (at,) = np.nonzero(full)
        at = at[np.argsort(statements.subjects[at], kind="stable")]
        return (*statements.where(at), full[at])

    @functools.cached_property
    def _splits(self) -> tuple[Numbers, Array]:
        """The subjects of chosen pairs, sorted, and the numbers of their splits."""
        items, splits = self.pairs.knowledge.counts.arrays(
            ("biokalma_splits", self.pairs.of_class, str(self.has_training)),
            (np.int32, np.uint8),
            self._divide,
        )
        return items, splits

    def _divide(self) -> list[Array]:
        """Divide the chosen pairs into splits.

        Subjects that many pairs join are a community, which has one split. The smaller splits take
        communities until they have their share of the pairs of each relation.
        """
        statements, full = self._candidates
        statements = statements.where(full == 0)
        items, homes = communities(NumberPairs(statements.subjects, statements.values))
        home, other_home = (
            homes[np.searchsorted(items, ends)] for ends in (statements.subjects, statements.values)
        )
        within = home == other_home
        paths = len(self.pairs.relations)
        home, relations = home[within], statements.relations[within].astype(np.int64)
        counts = shares.count_relations(home, relations, int(homes.max(initial=-1)) + 1, paths)
        total = np.bincount(relations, minlength=paths)
        splits = split_ends(self.has_training)
        ends = [0.0, *(end for _, end in splits)]
        sizes = sorted(
            (end - begin, name) for (name, end), begin in zip(splits, ends, strict=False)
        )
        minimum = _MIN_PAIRS if TRAIN in dict(splits) else 0
        *small, (_, largest) = sizes
        names = [name for name, _ in splits]
        split_of = np.full(len(counts), names.index(largest))
        for share, name in small:
            goal = np.maximum(share * total, np.minimum(minimum, total / len(splits)))
            free = np.flatnonzero(split_of == names.index(largest))
            split_of[shares.take(counts, free, goal)] = names.index(name)
        return [items, split_of[homes]]


@kernel
def _choose(first: Positions, second: Positions, uses: Bytes, full: Positions) -> None:
    """Write the subject of each pair that is in enough earlier pairs; leave -1 without one."""
    for n in range(first.size):
        if uses[first[n]] == MAX_USES:
            full[n] = first[n]
        elif uses[second[n]] == MAX_USES:
            full[n] = second[n]
        else:
            uses[first[n]] += 1
            uses[second[n]] += 1
