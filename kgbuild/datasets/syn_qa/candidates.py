"""Find the similar items that may replace an end of a statement, and their risk."""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.syn_qa.checks import PERSON, Checks
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import OBJECT, SUBJECT, Variant, confusability
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.years import NO_YEAR
from kgbuild.relations import Kind, Relation
from kgbuild.rows import Rejected
from kgbuild.store.arrays import Positions

_CLASS = "P31"
_RISK_FACTOR_OF_TWO_HOPS = 0.75
"""Factor of the maximum risk for paths of two relations, of which readers knew more to be true."""
_MOST_SIMILAR = 600
"""Maximum number of similar items that are read."""
_MOST_FAIR, _MOST_PASSING = 32, 8
"""Maximum number of near and fair items whose risks are compared, and of those that pass."""


class Candidate(NamedTuple):
    """A similar item, as the false chain that it leads to.

    ``overlap`` is the number of values that it shares with what it replaces; ``is_undated`` is
    whether its time is not stated. ``risk`` is the estimated probability that the assumption is
    true.
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
    """The candidates for an end of a statement, the lowest risks first, and the items that failed.

    ``properties`` are those by which items are similar. ``unfair`` has the numbers of the similar
    items that are no candidates by a reason that is not looked at one by one.
    """

    properties: Sequence[str]
    candidates: Sequence[Candidate]
    unfair: Mapping[str, int]
    failed: Sequence[Failed]


class Candidates:
    """Finds the items that may replace one end of the statements of a path.

    They share at least ``min_overlap`` values with it, or as many as the grade of ``variant`` says,
    and the risk is at most ``max_risk``. ``train`` is whether one of the splits is for training.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        facts: PathFacts,
        checks: Checks,
        min_overlap: int,
        max_risk: float,
        train: bool,
        variant: Variant = Variant(),  # noqa: B008
    ):
        self._knowledge = knowledge
        self._facts = facts
        self._checks = checks
        self._perturbed, self._grade = variant
        self._is_object = self._perturbed == OBJECT
        self._min_overlap = min_overlap
        self._max_risk = max_risk * (_RISK_FACTOR_OF_TWO_HOPS if facts.path.first else 1)
        self._train = train

    def alike(self, true: Chain) -> Alike:
        """Return the candidates for a true statement: of the first that pass all checks.

        Dated ones come first, and among these the ones with the lowest risk.

        Raises:
            Rejected: there are no similar items.
        """
        path, questions = self._facts.path, self._facts.questions
        kind = questions.kind(self._perturbed, true)
        relation = path.last if self._is_object else path.start
        properties = similarity_properties(relation, kind)
        if self._is_object:  # objects are of many classes, which tell most about them
            properties = [_CLASS, *properties]
        similar, unfair = self._similar(true, properties), Counter[str]()
        if not self._is_object and self._facts.least_risk(true.object) > self._max_risk:
            return Alike(properties, (), {"risky": len(similar)}, ())
        fair = self._fair(true, similar, unfair)
        compared = [*itertools.islice(fair, _MOST_FAIR)]
        risks = self._facts.risks([one.chain for one in compared], true)
        known = (one._replace(risk=risk) for one, risk in zip(compared, risks, strict=True))
        likely_false = [one for one in known if one.risk <= self._max_risk]
        unfair["risky"] = len(compared) - len(likely_false)
        passing, failed = list[Candidate](), list[Failed]()
        for one in likely_false if self._is_object else sorted(likely_false, key=_by_risk):
            try:
                self._checks.check_false(true, one.chain)
            except Rejected as rejected:
                qid = one.chain.end(self._perturbed)
                failed.append(Failed(qid, rejected.reason, rejected.detail))
                continue
            passing.append(one)
            if len(passing) == _MOST_PASSING:
                break
        return Alike(properties, passing, +unfair, failed)

    def _fair(self, true: Chain, similar: Positions, unfair: Counter[str]) -> Iterator[Candidate]:
        """Yield the fair items that are near, dated ones first, without risk; count others."""
        own = true.end(self._perturbed)
        qids = self._knowledge.similarity.qids(similar)
        are_undated = self._knowledge.begin_years().own[similar[:, 0]] == NO_YEAR
        for n in np.argsort(are_undated, kind="stable").tolist():
            if not self._checks.are_near(own, qids[n]):
                unfair["differs"] += 1
                continue
            try:
                false = self._false(true, qids[n])
                self._checks.check_fair(true, false)
            except Rejected as rejected:
                unfair[rejected.reason] += 1
            else:
                yield Candidate(false, int(similar[n, 1]), bool(are_undated[n]), 1.0)

    def _false(self, true: Chain, qid: str) -> Chain:
        """Return a true chain with an item in the place of the end that is replaced.

        Raises:
            Rejected: the item has no bridge, or several.
        """
        if self._is_object:
            return true._replace(object=qid)
        return self._facts.chain(qid, true.object)

    def _similar(self, true: Chain, properties: Sequence[str]) -> Positions:
        """Return the most similar items, as an array of ``ranked``; subjects have one split.

        An object is replaced by one of a subject like its own: by the director of such a film.
        If subject and object share a family name, those with this name follow, however little they
        share with what they replace.
        """
        similarity, own = self._knowledge.similarity, true.end(self._perturbed)
        least, grade = self._min_overlap, self._grade
        if self._is_object:
            ranked = similarity.among(own, properties, self._objects_of_alike(true.subject))
        else:
            ranked = similarity.ranked_before(own, tuple(properties), _MOST_SIMILAR, least)
        if grade and not self._is_object:
            rows = np.union1d(ranked[:, 0], similarity.of_class(own, _MOST_SIMILAR))
            ranked = similarity.among(own, properties, rows)
        if grade:
            grades = [confusability(overlap) for overlap in ranked[:, 1].tolist()]
            ranked = ranked[np.array(grades, np.str_) == grade]
        else:
            ranked = ranked[ranked[:, 1] >= least]
            namesakes = similarity.among(own, properties, self._namesakes(true))
            further = namesakes[~np.isin(namesakes[:, 0], ranked[:, 0])]
            ranked = np.concatenate([ranked, further])
        if not len(ranked):
            needed = f"a {grade} one" if grade else f"{least} shared values"
            raise Rejected("no similar item", f"needs {needed}")
        if self._is_object:
            return ranked
        splits = self._knowledge.splits(self._train)
        same_split: Positions = ranked[splits.of(ranked[:, 0]) == splits.number(own)]
        if not len(same_split):
            raise Rejected("no fair replacement", f"{len(ranked)} items of other splits")
        return same_split

    def _namesakes(self, true: Chain) -> Positions:
        """Return the rows of people with the last name that both ends share, if they do."""
        questions, own = self._facts.questions, true.end(self._perturbed)
        kind = questions.kind(self._perturbed, true)
        is_family = (
            kind is not None
            and kind.name == PERSON
            and questions.shared_words(true.subject, true.object).is_last
        )
        rows = self._by_last_name.get(questions.last_name(own), ()) if is_family else ()
        return np.array(rows, np.int64)

    def _objects_of_alike(self, x: str) -> Positions:
        """Return the rows of the objects of subjects that are like a subject and fair, sorted."""
        relation, similarity = self._facts.path.start, self._knowledge.similarity
        properties = similarity_properties(relation, self._facts.questions.subject(x))
        ranked = similarity.ranked_before(x, tuple(properties), _MOST_SIMILAR, self._min_overlap)
        alike = (qid for qid in similarity.qids(ranked) if self._checks.are_like(x, qid))
        objects = {y for qid in alike for _, y in self._facts.statements_of(SUBJECT, qid)}
        numbers = np.fromiter(map(wikidata.number, objects), np.int32)
        return self._knowledge.postings.rows_of_numbers(numbers).astype(np.int64)

    @functools.cached_property
    def _by_last_name(self) -> Mapping[str, Sequence[int]]:
        """The rows of the items that are replaced by their last names."""
        ends = self._facts.ends()
        numbers = np.unique(ends.values if self._is_object else ends.subjects)
        rows: dict[str, list[int]] = defaultdict(list)
        of_each = self._knowledge.postings.row_of_each_number(numbers)
        for number, row in zip(numbers.tolist(), of_each.tolist(), strict=True):
            if row >= 0 and (name := self._facts.questions.last_name(f"Q{number}")):
                rows[name].append(row)
        return rows


def _by_risk(candidate: Candidate) -> tuple[bool, float]:
    """Return the sort key of a candidate for a subject: dated ones first, then the lowest risk.

    Of objects, a low risk means that few have them, which would tell.
    """
    return candidate.is_undated, candidate.risk


def similarity_properties(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties by which subjects of a relation, or objects, are compared.

    The relation itself and equivalent properties are left out: by them, items would be similar
    because the relation joins them to the same item.
    """
    excluded = {*relation.forward_properties, *relation.backward_properties}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in excluded]
