"""Find the similar items that may replace the subject of a statement, and their risk."""

import functools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kgbuild.datasets.syn_qa.checks import Checks, is_person
from kgbuild.datasets.syn_qa.names import names
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.years import NO_YEAR
from kgbuild.relations import Kind, Relation
from kgbuild.rows import Rejected
from kgbuild.store.arrays import Positions

_RISK_FACTOR_OF_TWO_HOPS = 0.75
"""Factor of the maximum risk for paths of two relations, of which readers knew more to be true."""
_MOST_SIMILAR = 600
"""Maximum number of similar items that are read."""
_MOST_CANDIDATES = 16
"""Maximum number of candidates for a statement."""
_MOST_NAMED = 1 << 17
"""Maximum number of people among whom those with a family name are looked for."""
_YEARS_PER_VALUE, _YEARS_IF_UNKNOWN = 10, 50
"""Number of years that make two items as different as a value that only one of them has."""


class Candidate(NamedTuple):
    """A similar item, as the false chain that it leads to.

    ``overlap`` is the number of values that it shares with the subject; ``risk`` is the estimated
    probability that the assumption is true.
    """

    chain: Chain
    overlap: int
    risk: float


class Alike(NamedTuple):
    """The candidates for a subject, the most similar ones first.

    ``properties`` are those by which items are similar. ``unfair`` has the numbers of the similar
    items that are no candidates, by reason.
    """

    properties: Sequence[str]
    candidates: Sequence[Candidate]
    unfair: Mapping[str, int]


class Candidates:
    """Finds the items that may replace the subjects of one path.

    They share at least ``min_overlap`` values with the subject, and the risk is at most
    ``max_risk``. ``train`` is whether one of the splits is for training.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        facts: PathFacts,
        checks: Checks,
        min_overlap: int,
        max_risk: float,
        train: bool,
    ):
        self._knowledge = knowledge
        self._facts = facts
        self._checks = checks
        self._min_overlap = min_overlap
        self._max_risk = max_risk * (_RISK_FACTOR_OF_TWO_HOPS if facts.path.first else 1)
        self._train = train

    def alike(self, true: Chain) -> Alike:
        """Return the candidates for a true statement, whose falsity is not checked yet.

        Raises:
            Rejected: there are no similar items.
        """
        kind = self._facts.questions.subject(true.subject)
        properties = similarity_properties(self._facts.path.start, kind)
        similar = self._similar(true, properties)
        if self._facts.least_risk(true.object) > self._max_risk:
            return Alike(properties, (), {"risky": len(similar)})
        near = similar[self._checks.are_near(true.subject, similar[:, 0])]
        unfair = Counter(differs=len(similar) - len(near))
        near = self._in_order(true, near)
        bridges = self._facts.bridges(self._knowledge.postings.items[near[:, 0]])
        risks = self._facts.risks(bridges, true)
        unfair["no single bridge"] = int(np.count_nonzero(bridges < 0))
        are_risky = (risks > self._max_risk) & (bridges >= 0)
        unfair["risky"] = int(np.count_nonzero(are_risky))
        qids, candidates = self._knowledge.similarity.qids(near), list[Candidate]()
        for n in np.flatnonzero((bridges >= 0) & ~are_risky).tolist():
            false = Chain(qids[n], f"Q{bridges[n]}", true.object)
            try:
                self._checks.check_fair(true, false)
            except Rejected as rejected:
                unfair[rejected.reason] += 1
                continue
            candidates.append(Candidate(false, int(near[n, 1]), float(risks[n])))
            if len(candidates) == _MOST_CANDIDATES:
                break
        return Alike(properties, candidates, +unfair)

    def _in_order(self, true: Chain, similar: Positions) -> Positions:
        """Return similar items: those that share the most values and are of the same time first.

        Without a stated time, they count as half a century apart.
        """
        year = self._checks.eras.year(true.subject)
        if year is None:
            return similar
        years = self._knowledge.begin_years().own[similar[:, 0]]
        years_apart = np.where(years == NO_YEAR, _YEARS_IF_UNKNOWN, np.abs(years - year))
        order = np.argsort(years_apart / _YEARS_PER_VALUE - similar[:, 1], kind="stable")
        in_order: Positions = similar[order]
        return in_order

    def _similar(self, true: Chain, properties: Sequence[str]) -> Positions:
        """Return the most similar items of the subject's split, as an array of ``ranked``.

        If subject and object share a family name, they are those with this name, followed by all
        others with it, however little they share with the subject.
        """
        x, least, needed = true.subject, self._min_overlap, f"{self._min_overlap} shared values"
        similarity, questions = self._knowledge.similarity, self._facts.questions
        ranked = similarity.ranked_before(x, tuple(properties), _MOST_SIMILAR, least)
        kind, family = questions.subject(x), questions.last_name(x)
        if kind and is_person(kind) and questions.shared_words(x, true.object).is_last:
            needed = "the family name"
            last_names = map(questions.last_name, similarity.qids(ranked))
            ranked = ranked[np.array([name == family for name in last_names], np.bool_)]
            namesakes = _by_last_name(self._knowledge, kind.classes).get(family, ())
            ends = map(self._knowledge.postings.row, (x, true.object))
            others = np.array(sorted({*namesakes}.difference(ranked[:, 0].tolist(), ends)), int)
            ranked = np.concatenate([ranked, np.pad(others[:, None], ((0, 0), (0, 2)))])
        if not len(ranked):
            raise Rejected("no similar item", f"needs {needed}")
        splits = self._knowledge.splits(self._train)
        same_split: Positions = ranked[splits.of(ranked[:, 0]) == splits.number(x)]
        if not len(same_split):
            raise Rejected("no fair replacement", f"{len(ranked)} items of other splits")
        return same_split


@functools.lru_cache(1)
def _by_last_name(knowledge: Knowledge, classes: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return the rows of the items of some classes by last names; of many items, a sample."""
    last_name = names(knowledge.labels).of_subject
    rows = np.concatenate([knowledge.statements.rows(of_class, "P31") for of_class in classes])
    result: dict[str, list[int]] = defaultdict(list)
    for row in rows[:: 1 + len(rows) // _MOST_NAMED].tolist():
        result[last_name(f"Q{knowledge.postings.items[row]}").last].append(row)
    return result


def similarity_properties(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties by which subjects of a relation are compared.

    The relation itself and equivalent properties are left out: by them, items would be similar
    because the relation joins them to the same object.
    """
    excluded = {*relation.forward_properties, *relation.backward_properties}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in excluded]
