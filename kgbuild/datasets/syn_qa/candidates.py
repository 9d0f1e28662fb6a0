"""Find the similar items that may replace the subject of a statement, and their risk."""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kgbuild.datasets.syn_qa.checks import PERSON, Checks
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
_MOST_FAIR, _MOST_PASSING = 32, 8
"""Maximum number of near and fair items whose risks are compared, and of those that pass."""


class Candidate(NamedTuple):
    """A similar item, as the false chain that it leads to.

    ``overlap`` is the number of values that it shares with the subject; ``is_undated`` is whether
    its time is not stated. ``risk`` is the estimated probability that the assumption is true.
    """

    chain: Chain
    overlap: int
    is_undated: bool
    risk: float


class Failed(NamedTuple):
    """A similar item, and the reason why it is no candidate."""

    qid: str
    reason: str
    detail: str


class Alike(NamedTuple):
    """The candidates for a subject, those with the lowest risk first, and the items that failed.

    ``properties`` are those by which items are similar. ``unfair`` has the numbers of the similar
    items that are no candidates by a reason that is not looked at one by one.
    """

    properties: Sequence[str]
    candidates: Sequence[Candidate]
    unfair: Mapping[str, int]
    failed: Sequence[Failed]


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
        """Return the candidates for a true statement: of the first that pass all checks.

        Dated ones come first, and among these the ones with the lowest risk.

        Raises:
            Rejected: there are no similar items.
        """
        kind = self._facts.questions.subject(true.subject)
        properties = similarity_properties(self._facts.path.start, kind)
        similar, unfair = self._similar(true, properties), Counter[str]()
        if self._facts.least_risk(true.object) > self._max_risk:
            return Alike(properties, (), {"risky": len(similar)}, ())
        fair = self._fair(true, similar, unfair)
        compared = [*itertools.islice(fair, _MOST_FAIR)]
        risks = self._facts.risks([one.chain.bridge for one in compared], true)
        known = (one._replace(risk=risk) for one, risk in zip(compared, risks, strict=True))
        likely_false = [one for one in known if one.risk <= self._max_risk]
        unfair["risky"] = len(compared) - len(likely_false)
        passing, failed = list[Candidate](), list[Failed]()
        for one in sorted(likely_false, key=lambda one: (one.is_undated, one.risk)):
            try:
                self._checks.check_false(true, one.chain)
            except Rejected as rejected:
                failed.append(Failed(one.chain.subject, rejected.reason, rejected.detail))
                continue
            passing.append(one)
            if len(passing) == _MOST_PASSING:
                break
        return Alike(properties, passing, +unfair, failed)

    def _fair(self, true: Chain, similar: Positions, unfair: Counter[str]) -> Iterator[Candidate]:
        """Yield the fair items near the subject, dated ones first, without risk; count others."""
        qids = self._knowledge.similarity.qids(similar)
        are_undated = self._knowledge.begin_years().own[similar[:, 0]] == NO_YEAR
        for n in np.argsort(are_undated, kind="stable").tolist():
            if not self._checks.are_near(true.subject, qids[n]):
                unfair["differs"] += 1
                continue
            try:
                false = self._facts.chain(qids[n], true.object)
                self._checks.check_fair(true, false)
            except Rejected as rejected:
                unfair[rejected.reason] += 1
            else:
                yield Candidate(false, int(similar[n, 1]), bool(are_undated[n]), 1.0)

    def _similar(self, true: Chain, properties: Sequence[str]) -> Positions:
        """Return the most similar items of the subject's split, as an array of ``ranked``.

        If subject and object share a family name, those with this name follow, however little they
        share with the subject.
        """
        x, least = true.subject, self._min_overlap
        ranked = self._knowledge.similarity.ranked_before(
            x, tuple(properties), _MOST_SIMILAR, least
        )
        namesakes = self._namesakes(true)
        if len(namesakes):
            namesakes = namesakes[~np.isin(namesakes[:, 0], ranked[:, 0])]
            ranked = np.concatenate([ranked, namesakes])
        if not len(ranked):
            raise Rejected("no similar item", f"needs {least} shared values")
        splits = self._knowledge.splits(self._train)
        same_split: Positions = ranked[splits.of(ranked[:, 0]) == splits.number(x)]
        if not len(same_split):
            raise Rejected("no fair replacement", f"{len(ranked)} items of other splits")
        return same_split

    def _namesakes(self, true: Chain) -> Positions:
        """Return the people with the last name that subject and object share, if they do."""
        questions = self._facts.questions
        kind = questions.subject(true.subject)
        is_family = (
            kind is not None
            and kind.name == PERSON
            and questions.shared_words(true.subject, true.object).is_last
        )
        rows = self._by_last_name.get(questions.last_name(true.subject), ()) if is_family else ()
        own = self._knowledge.postings.row(true.subject)
        result = np.zeros((len(rows), 3), np.int64)
        result[:, 0] = rows
        others: Positions = result[result[:, 0] != own]
        return others

    @functools.cached_property
    def _by_last_name(self) -> Mapping[str, Sequence[int]]:
        """The rows of the subjects of the path by their last names."""
        numbers = np.unique(self._facts.ends().subjects)
        rows: dict[str, list[int]] = defaultdict(list)
        of_each = self._knowledge.postings.row_of_each_number(numbers)
        for number, row in zip(numbers.tolist(), of_each.tolist(), strict=True):
            if row >= 0 and (name := self._facts.questions.last_name(f"Q{number}")):
                rows[name].append(row)
        return rows


def similarity_properties(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties by which subjects of a relation are compared.

    The relation itself and equivalent properties are left out: by them, items would be similar
    because the relation joins them to the same object.
    """
    excluded = {*relation.forward_properties, *relation.backward_properties}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in excluded]
