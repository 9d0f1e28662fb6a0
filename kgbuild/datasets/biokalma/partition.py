"""Choose the pairs of subjects of a class, over all its relations, and divide them into splits.

The choice does not depend on the options of a build: a pair has the same split in all builds.
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kgbuild.datasets.biokalma.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.biokalma.rows import MAX_USES
from kgbuild.graph import hierarchy
from kgbuild.rows import TRAIN, Rejected, shuffled, split, split_ends

_SEED = 0
_MIN_PAIRS = 4
"""Number of pairs of a relation that each split needs at least beside a split for training, if
there are enough."""


@dataclass(frozen=True)
class Partition:
    """The pairs of a class, and the split of each subject.

    ``is_rich`` returns whether enough is known of a subject for a question; pairs of other subjects
    do not count as uses. ``has_training`` is whether a split is for training.
    """

    pairs: Pairs
    is_rich: Callable[[str], bool]
    has_training: bool = False

    def check(self, statement: Triple) -> None:
        """Check that a pair is chosen, and that its subjects are in the same split.

        Raises:
            Rejected: a subject is in enough other pairs, or the subjects are in different splits.
        """
        x, y = joined_items(statement)
        if statement in self._overused:
            raise Rejected("used often", self._overused[statement])
        if {x, y} <= self._splits.keys() and self.split(x) != self.split(y):
            raise Rejected("between splits", f"{x} in {self.split(x)}, {y} in {self.split(y)}")

    def split(self, qid: str) -> str:
        """Return the split of a subject; that of its id if it is in no chosen pair."""
        return self._splits.get(qid) or split(qid, self.has_training)

    @functools.cached_property
    def _statements(self) -> list[Triple]:
        """The chosen pairs: no subject is in more than ``MAX_USES`` of them."""
        return [statement for statement in self._candidates if statement not in self._overused]

    @functools.cached_property
    def _overused(self) -> Mapping[Triple, str]:
        """The pairs that are not chosen, with a subject that is in enough others."""
        uses: Counter[str] = Counter()
        overused: dict[Triple, str] = {}
        for statement in self._candidates:
            subjects = joined_items(statement)
            if full := [qid for qid in subjects if uses[qid] == MAX_USES]:
                overused[statement] = full[0]
            else:
                uses.update(subjects)
        return overused

    @functools.cached_property
    def _candidates(self) -> list[Triple]:
        """All pairs that questions can be about, those of small relations first."""
        by_relation = [
            [statement for statement in statements if self._is_candidate(statement)]
            for relation in self.pairs.relations.values()
            for statements in [self.pairs.statements_of(relation)]
        ]
        return [
            statement
            for statements in sorted(by_relation, key=len)
            for statement in shuffled(statements, key=lambda triple: triple, seed=_SEED)
        ]

    def _is_candidate(self, statement: Triple) -> bool:
        try:
            self.pairs.check(statement)
        except Rejected:
            return False
        return all(map(self.is_rich, joined_items(statement)))

    @functools.cached_property
    def _splits(self) -> dict[str, str]:
        """The split of each subject of a chosen pair.

        Subjects that many pairs join are a community, which has one split. The smaller splits take
        communities until they have their share of the pairs of each relation.
        """
        communities = hierarchy.communities(map(joined_items, self._statements))
        home = {qid: number for number, members in enumerate(communities) for qid in members}
        counts: list[Counter[str]] = [Counter() for _ in communities]
        for x, path, y in self._statements:
            if home[x] == home[y]:
                counts[home[x]][path] += 1
        total = sum(counts, Counter())
        splits = split_ends(self.has_training)
        ends = [0.0, *(end for _, end in splits)]
        shares = sorted(
            (end - begin, name) for (name, end), begin in zip(splits, ends, strict=False)
        )
        minimum = _MIN_PAIRS if TRAIN in dict(splits) else 0
        *small, (_, largest) = shares
        split_of = dict.fromkeys(range(len(communities)), largest)
        for share, name in small:
            goal = {
                path: max(share * count, min(minimum, count / len(splits)))
                for path, count in total.items()
            }
            free = [number for number, split_name in split_of.items() if split_name == largest]
            split_of |= dict.fromkeys(
                _take({number: counts[number] for number in free}, goal), name
            )
        return {qid: split_of[number] for qid, number in home.items()}


def _take(counts: Mapping[int, Counter[str]], goal: Mapping[str, float]) -> list[int]:
    """Return communities whose pairs together come near a goal, which is by relation.

    ``counts`` are the numbers of pairs of each community, by relation.
    """
    taken: list[int] = []
    lacking = dict(goal)

    def gain(number: int) -> float:
        """Return by how much the distance to the goal shrinks, relative to the goal."""
        return sum(
            (abs(lacking[path]) - abs(lacking[path] - count)) / goal[path]
            for path, count in counts[number].items()
        )

    candidates = sorted(counts)
    while candidates and gain(best := max(candidates, key=gain)) > 0:
        candidates.remove(best)
        taken.append(best)
        for path, count in counts[best].items():
            lacking[path] -= count
    return taken
