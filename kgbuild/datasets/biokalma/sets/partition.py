"""Choose the pairs of subjects of a class, over all its relations, and divide them into splits.

The choice does not depend on the options of a build: a pair has the same split in all builds. It is
made once, and kept beside the store.
"""

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.biokalma.sets.evolve import MIN_PIECES
from kgbuild.datasets.biokalma.sets.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.sets.pairs import SubjectPairs
from kgbuild.graph.communities import communities
from kgbuild.graph.key_hashes import hash_keys
from kgbuild.graph.pairs import Pairs
from kgbuild.native.arrays import Array, Bytes, Flags, Numbers, Positions
from kgbuild.native.kernel import kernel
from kgbuild.rows import TRAIN, Rejected, split, split_ends
from kgbuild.store.arrays import are_among
from kgbuild.store.columns import PROPERTY_BITS

MAX_USES = 8
"""Maximum number of questions about one subject."""
_SEED = 0
_LOW = 0xFFFFFFFF
"""The bits of the second of two numbers in one."""
_MIN_STATEMENTS = 1 + MIN_PIECES
"""Number of statements and dates that a subject has at least: its class, and what is asked."""
_MIN_PAIRS = 4
"""Number of pairs of a relation that each split needs at least beside a split for training, if
there are enough."""


class Joined(NamedTuple):
    """Pairs of items that statements join, each once.

    ``relations`` are positions among those of ``SubjectPairs``; ``codes`` have the smaller number
    of a pair before the larger one.
    """

    relations: Array
    codes: Positions

    def where(self, chosen: Flags | Positions) -> "Joined":
        """Return the chosen pairs, in the order of ``chosen`` if it has positions."""
        return Joined(self.relations[chosen], self.codes[chosen])

    @property
    def ends(self) -> tuple[Numbers, Numbers]:
        """The two items of each pair."""
        return (self.codes >> 32).astype(np.int32), (self.codes & _LOW).astype(np.int32)


@dataclass(frozen=True)
class Partition:
    """The pairs of a class, and the split of each subject.

    Pairs with a subject of which the store says too little for a question do not count as uses.
    ``has_training`` is whether a split is for training.
    """

    pairs: SubjectPairs
    has_training: bool = False

    def check(self, statement: Triple) -> None:
        """Check that a pair is chosen, and that its subjects are in the same split.

        Raises:
            Rejected: the store says too little of a subject, one is in enough other pairs, or the
                subjects are in different splits.
        """
        x, y = joined_items(statement)
        first, second = sorted(map(wikidata.number, (x, y)))
        codes, full = self._sorted_candidates
        code = first << 32 | second
        at = int(codes.searchsorted(code))
        if at == len(codes) or codes[at] != code:
            raise Rejected("too little knowledge", "a subject has hardly any statement")
        if full[at]:
            raise Rejected("used often", f"Q{full[at]}")
        splits = self._chosen_split(x), self._chosen_split(y)
        if splits[0] != splits[1]:
            raise Rejected("between splits", f"{x} in {splits[0]}, {y} in {splits[1]}")

    def split(self, qid: str) -> str:
        """Return the split of a subject; that of its id if it is in no chosen pair."""
        return self._chosen_split(qid) or split(qid, self.has_training)

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
    def _candidates(self) -> tuple[Joined, Numbers]:
        """All pairs that questions can be about, and the subject that is in enough others, or 0."""
        relations, codes, full = self.pairs.knowledge.counts.arrays(
            ("biokalma_joined", self.pairs.of_class),
            (np.int32, np.int64, np.int32),
            self._find_candidates,
        )
        return Joined(relations, codes), full

    def _find_candidates(self) -> list[Array]:
        joined = self._joined()
        items, numbers = np.unique(np.concatenate(joined.ends), return_inverse=True)
        first, second = np.split(numbers, 2)
        full = np.full(len(first), -1)
        _choose(first, second, np.zeros(len(items), np.uint8), full)
        return [*joined, np.append(items, np.int32(0))[full]]  # -1 is the last one

    def _joined(self) -> Joined:
        """Return the pairs, those of small relations first, each relation in a seeded order."""
        parts: list[tuple[int, Positions]] = []
        for n, relation in enumerate(self.pairs.relations.values()):
            listed = self.pairs.pairs_of(relation)
            ends = listed.subjects, listed.values
            fits = np.logical_and(*map(self._are_rich, ends)) & (ends[0] != ends[1])
            low, high = np.minimum(*ends)[fits], np.maximum(*ends)[fits]
            codes = low.astype(np.int64) << 32 | high
            keys = str(_SEED), low, relation.path, high
            parts.append((n, codes[np.argsort(hash_keys(keys), kind="stable")]))
        parts.sort(key=lambda part: len(part[1]))
        codes = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
        relations = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts])
        _, firsts = np.unique(codes, return_index=True)  # two may be joined by several statements
        return Joined(relations.astype(np.int32), codes).where(np.sort(firsts))

    def _are_rich(self, items: Numbers) -> Flags:
        """Return whether each item is of the class, with enough statements for a question."""
        index, dated = self.pairs.knowledge.postings, self.pairs.knowledge.columns.times.keys
        rows = index.row_of_each_number(items)
        bounds = np.stack([items, items + 1]).astype(np.int64) << PROPERTY_BITS
        starts, ends = dated.searchsorted(bounds)
        sizes = index.row_ends[rows + 1] - index.row_ends[rows] + ends - starts
        fits: Flags = are_among(items, self.pairs.members) & (sizes >= _MIN_STATEMENTS)
        return fits & (rows >= 0)

    @functools.cached_property
    def _sorted_candidates(self) -> tuple[Positions, Numbers]:
        """The codes of the candidates, sorted, and the subject in enough others of each, or 0."""
        joined, full = self._candidates
        order = np.argsort(joined.codes)
        return joined.codes[order], full[order]

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
        joined, full = self._candidates
        joined = joined.where(full == 0)
        items, homes = communities(Pairs(*joined.ends))
        home, other_home = (homes[np.searchsorted(items, ends)] for ends in joined.ends)
        within = home == other_home
        home, relations = home[within], joined.relations[within]
        total = np.bincount(relations, minlength=len(self.pairs.relations))
        splits = split_ends(self.has_training)
        ends = [0.0, *(end for _, end in splits)]
        sizes = sorted(
            (end - begin, name) for (name, end), begin in zip(splits, ends, strict=False)
        )
        minimum = _MIN_PAIRS if TRAIN in dict(splits) else 0
        *small, (_, largest) = sizes
        names = [name for name, _ in splits]
        split_of = np.full(int(homes.max(initial=-1)) + 1, names.index(largest))
        for share, name in small:
            goal = np.maximum(share * total, np.minimum(minimum, total / len(splits)))
            free = split_of == names.index(largest)
            split_of[take_share(home, relations, free, goal)] = names.index(name)
        return [items, split_of[homes]]


def take_share(home: Positions, relations: Array, free: Flags, goal: Array) -> Flags:
    """Return those of the ``free`` communities whose pairs together come near a goal.

    ``home`` and ``relations`` are the community and the relation of each pair, ``goal`` the number
    of pairs by relation. Small relations come first: of each, communities are taken in an order by
    hash, until their pairs, with those of the communities before, are as many as its goal.
    """
    taken, lacking = np.zeros(len(free), bool), goal.astype(float)
    order = np.argsort(hash_keys((str(_SEED), np.arange(len(free), dtype=np.int32))), kind="stable")
    for relation in np.argsort(goal, kind="stable").tolist():
        counts = np.bincount(home[relations == relation], minlength=len(free))
        sizes = np.where(free & ~taken, counts, 0)[order]
        fits = (sizes > 0) & (np.cumsum(sizes) - sizes / 2 <= lacking[relation])
        new = np.zeros(len(free), bool)
        new[order[fits]] = True
        lacking -= np.bincount(relations[new[home]], minlength=len(goal))
        taken |= new
    return taken


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
