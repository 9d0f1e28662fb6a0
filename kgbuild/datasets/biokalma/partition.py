"""Choose the pairs of subjects of a class, over all its relations, and divide them into splits.

The choice does not depend on the options of a build: a pair has the same split in all builds.
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kgbuild import wikidata
from kgbuild.datasets.biokalma.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.pairs import Pairs
from kgbuild.datasets.biokalma.rows import MAX_USES
from kgbuild.rows import SPLITS, Rejected, shuffled, split, stable_id

_SEED = 0
_RESOLUTION = 2
"""With a higher resolution, communities are smaller, and more pairs are between two of them."""


@dataclass(frozen=True)
class Partition:
    """The pairs of a class, and the split of each subject.

    ``is_rich`` returns whether enough is known of a subject for a question; pairs of other subjects
    do not count as uses.
    """

    pairs: Pairs
    is_rich: Callable[[str], bool]

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
        return self._splits.get(qid) or split(qid)

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

        Subjects that many pairs join are a community, which has one split. The small splits first
        get communities with relations that they lack, until each has its share of the pairs.
        """
        communities = [*map(frozenset, _communities(self._statements))]
        pairs_of: dict[frozenset[str], list[Triple]] = {members: [] for members in communities}
        home = {qid: members for members in communities for qid in members}
        for statement in self._statements:
            x, y = joined_items(statement)
            if home[x] is home[y]:
                pairs_of[home[x]].append(statement)
        total = sum(map(len, pairs_of.values()))
        splits: dict[str, str] = {}
        remaining = [*communities]
        begin = 0.0
        shares = []
        for name, end in SPLITS:
            shares.append((end - begin, name))
            begin = end
        *small, (_, largest) = sorted(shares)
        for share, name in small:
            for members in _take(remaining, pairs_of, share * total):
                remaining.remove(members)
                splits |= dict.fromkeys(members, name)
        return splits | dict.fromkeys((qid for members in remaining for qid in members), largest)


def _take(
    communities: Sequence[frozenset[str]],
    pairs_of: Mapping[frozenset[str], Sequence[Triple]],
    size: float,
) -> list[frozenset[str]]:
    """Return communities that have about ``size`` pairs and as many relations as possible."""
    taken: list[frozenset[str]] = []
    relations: Counter[str] = Counter()
    candidates = [members for members in communities if 0 < len(pairs_of[members]) <= size]
    while candidates and relations.total() < size:

        def value(members: frozenset[str]) -> tuple[float, str]:
            new = {path for _, path, _ in pairs_of[members]} - {*relations}
            return len(new) / len(pairs_of[members]), stable_id(*sorted(members))

        best = max(candidates, key=value)
        candidates.remove(best)
        taken.append(best)
        relations.update(path for _, path, _ in pairs_of[best])
    return taken


def _communities(statements: Sequence[Triple]) -> list[list[str]]:
    """Return the communities of subjects by the method of Louvain, ordered by their smallest id.

    Source: V. Blondel et al., Fast unfolding of communities in large networks, 2008.
    """
    import networkx as nx  # slow to import, and few commands need it

    qids = sorted(
        {qid for statement in statements for qid in joined_items(statement)}, key=wikidata.number
    )
    numbers = {qid: number for number, qid in enumerate(qids)}
    graph: nx.Graph[int] = nx.Graph()  # sets of numbers have the same order in all processes
    graph.add_nodes_from(range(len(qids)))
    graph.add_edges_from((numbers[x], numbers[y]) for x, _, y in statements)
    communities = nx.community.louvain_communities(graph, resolution=_RESOLUTION, seed=_SEED)
    return sorted(
        ([qids[number] for number in sorted(members)] for members in communities),
        key=lambda members: wikidata.number(members[0]),
    )
