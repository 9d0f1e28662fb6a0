"""Choose the pairs of subjects of a class, over all its relations, and divide them into splits.

The choice does not depend on the options of a build: a pair has the same split in all builds. It is
made once, and kept beside the store.
"""

import functools
from dataclasses import dataclass

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
from kgbuild.rows import Rejected, split, split_ends
from kgbuild.store.arrays import are_among
from kgbuild.store.columns import PROPERTY_BITS

MAX_USES = 8
"""Maximum number of questions about one subject."""
_SEED = 0
_LOW = 0xFFFFFFFF
"""The bits of the second of two numbers in one."""
_MIN_STATEMENTS = 1 + MIN_PIECES
"""Number of statements and dates that a subject has at least: its class, and what is asked."""


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
        codes, full = self._candidates
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
    def _candidates(self) -> tuple[Positions, Numbers]:
        """All pairs that questions can be about, and the subject that is in enough others, or 0.

        The code of a pair has the smaller number before the larger one. Codes are sorted.
        """
        codes, full = self.pairs.knowledge.counts.arrays(
            ("biokalma_pairs", self.pairs.of_class), (np.int64, np.int32), self._find_candidates
        )
        return codes, full

    def _find_candidates(self) -> list[Array]:
        codes = self._joined()
        items, numbers = np.unique(np.concatenate(_ends(codes)), return_inverse=True)
        first, second = np.split(numbers, 2)
        full = np.full(len(first), -1)
        _choose(first, second, np.zeros(len(items), np.uint8), full)
        order = np.argsort(codes)
        return [codes[order], np.append(items, np.int32(0))[full[order]]]  # -1 is the last one

    def _joined(self) -> Positions:
        """Return the pairs, those of small relations first, each relation in a seeded order."""
        parts = [np.empty(0, np.int64)]
        for relation in self.pairs.relations.values():
            listed = self.pairs.pairs_of(relation)
            ends = listed.subjects, listed.values
            fits = np.logical_and(*map(self._are_rich, ends)) & (ends[0] != ends[1])
            low, high = np.minimum(*ends)[fits], np.maximum(*ends)[fits]
            codes = low.astype(np.int64) << 32 | high
            keys = str(_SEED), low, relation.path, high
            parts.append(codes[np.argsort(hash_keys(keys), kind="stable")])
        codes = np.concatenate(sorted(parts, key=len))
        _, firsts = np.unique(codes, return_index=True)  # two may be joined by several statements
        return codes[np.sort(firsts)]

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
    def _splits(self) -> tuple[Numbers, Array]:
        """The subjects of chosen pairs, sorted, and the numbers of their splits."""
        items, splits = self.pairs.knowledge.counts.arrays(
            ("biokalma_division", self.pairs.of_class, str(self.has_training)),
            (np.int32, np.uint8),
            self._divide,
        )
        return items, splits

    def _divide(self) -> list[Array]:
        """Divide the chosen pairs into splits.

        Subjects that many pairs join are a community, which has one split. In an order by hash,
        the splits take communities until they have their share of the pairs.
        """
        codes, full = self._candidates
        ends = _ends(codes[full == 0])
        items, homes = communities(Pairs(*ends))
        home, other_home = (homes[np.searchsorted(items, one)] for one in ends)
        count = int(homes.max(initial=-1)) + 1
        keys = str(_SEED), np.arange(count, dtype=np.int32)
        order = np.argsort(hash_keys(keys), kind="stable")
        sizes = np.bincount(home[home == other_home], minlength=count)[order]
        middles = (np.cumsum(sizes) - sizes / 2) / max(1, sizes.sum())
        *inner_ends, _ = (end for _, end in split_ends(self.has_training))
        split_of = np.empty(count, np.uint8)
        split_of[order] = np.searchsorted(inner_ends, middles)
        return [items, split_of[homes]]


def _ends(codes: Positions) -> tuple[Numbers, Numbers]:
    """Return the two items of each pair."""
    return (codes >> 32).astype(np.int32), (codes & _LOW).astype(np.int32)


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
