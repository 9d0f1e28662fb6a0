"""Find the similar items that may replace an end of a statement, and their risk."""

import functools
import itertools
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.names import names
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.replacement_checks import (
    ObjectChecks,
    ReplacementChecks,
    SubjectChecks,
)
from kgbuild.datasets.syn_qa.rows import OBJECT, SUBJECT, PairOptions, Variant, confusability
from kgbuild.datasets.syn_qa.statement_checks import is_person
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.years import NO_YEAR
from kgbuild.native.arrays import Positions
from kgbuild.relations import Kind, Relation
from kgbuild.rows import Rejected, remembered

_CLASS = "P31"
_RISK_FACTOR_OF_TWO_HOPS = 0.75
"""Factor of the maximum risk for paths of two relations, of which readers knew more to be true."""
_MOST_SIMILAR = 600
"""Maximum number of similar items that are read."""
_MOST_CANDIDATES = 16
"""Maximum number of candidates for a statement."""
_MOST_SUBJECTS = 1 << 12
"""Maximum number of subjects of which the objects of similar ones are kept in memory."""
_MOST_NAMED = 1 << 17
"""Maximum number of people among whom those with a family name are looked for."""
_YEARS_PER_VALUE, _YEARS_IF_UNKNOWN = 10, 50
"""Number of years that make two items as different as a value that only one of them has."""

_NO_ROWS = np.empty(0, np.int64)


class Candidate(NamedTuple):
    """A similar item, as the false chain that it leads to.

    ``overlap`` is the number of values that it shares with what it replaces; ``risk`` is the
    estimated probability that the assumption is true.
    """

    chain: Chain
    overlap: int
    risk: float


class Examined(NamedTuple):
    """A statement, and the candidates for an end of it, the most similar ones first.

    ``properties`` are those by which items are similar. ``excluded`` has the numbers of the similar
    items that are no candidates, by reason.
    """

    chain: Chain
    properties: tuple[str, ...]
    candidates: Sequence[Candidate]
    excluded: Mapping[str, int]


class Similar(NamedTuple):
    """The ``near`` ones of the items that are similar to an end, in order of preference.

    They are rows of ``ranked``. ``properties`` are those by which ``total`` items are similar.
    """

    properties: tuple[str, ...]
    total: int
    near: Positions


class Candidates:
    """Finds the items that may replace one end of the statements of a path.

    They share as many values with it as the options or the grade of ``variant`` say.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        facts: PathFacts,
        checks: ReplacementChecks,
        options: PairOptions,
        variant: Variant,
    ):
        self._knowledge = knowledge
        self._facts = facts
        self._checks = checks
        self._grade = variant.grade
        self._min_overlap = options.min_overlap
        self._max_risk = options.max_risk * (_RISK_FACTOR_OF_TWO_HOPS if facts.path.first else 1)
        self._splits = knowledge.splits(options.splits)

    def examine(self, true: Chain) -> Examined:
        """Return the candidates for a true statement, whose falsity is not checked yet.

        Raises:
            Rejected: there are no similar items.
        """
        properties, total, near = self._similar(true)
        excluded = Counter(differs=total - len(near))
        fair = self._fair(true, near, excluded)
        candidates = list[Candidate]()
        while batch := [*itertools.islice(fair, _MOST_CANDIDATES - len(candidates))]:
            safe = [one for one in self._with_risks(batch) if one.risk <= self._max_risk]
            excluded["risky"] += len(batch) - len(safe)
            candidates += safe
        counted = {reason: count for reason, count in excluded.items() if count}
        return Examined(true, properties, candidates, counted)

    @abstractmethod
    def _similar(self, true: Chain) -> Similar:
        """Return the items that are similar to an end; raise ``Rejected`` without any."""

    def _fair(self, true: Chain, near: Positions, excluded: Counter[str]) -> Iterator[Candidate]:
        """Yield the near items that nothing reveals, and count the others by reason."""
        unfairness = self._checks.unfairness(true)
        for candidate in self._candidates(true, near, excluded):
            if reason := unfairness(candidate.chain):
                excluded[reason] += 1
            else:
                yield candidate

    @abstractmethod
    def _candidates(
        self, true: Chain, near: Positions, excluded: Counter[str]
    ) -> Iterator[Candidate]:
        """Yield near items as candidates, and count others by reason."""

    def _with_risks(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Return candidates with their risks, if they have only the least one so far."""
        return candidates

    def _chosen(
        self, own: str, properties: tuple[str, ...], ranked: Positions, namesakes: Positions | None
    ) -> Positions:
        """Return those similar items that share enough, or as much as the grade says.

        If there are ``namesakes``, they are those among these, followed by all others, however
        little they share with what they replace.
        """
        least, grade = self._min_overlap, self._grade
        needed = f"a {grade} one" if grade else f"{least} shared values"
        if grade:
            grades = [confusability(overlap) for overlap in ranked[:, 1].tolist()]
            ranked = ranked[np.array(grades, np.str_) == grade]
        else:
            ranked = ranked[ranked[:, 1] >= least]
            if namesakes is not None:
                needed = "the family name"
                of_family = self._knowledge.similarity.among(own, properties, namesakes)
                others = of_family[~np.isin(of_family[:, 0], ranked[:, 0])]
                ranked = np.concatenate([ranked[np.isin(ranked[:, 0], namesakes)], others])
        if not len(ranked):
            raise Rejected("no similar item", f"needs {needed}")
        return ranked

    def _namesakes(self, true: Chain) -> Positions | None:
        """Return the rows of other people with the last name that both ends share, if they do."""
        questions, end = self._facts.questions, self._checks.end
        kind = questions.kind(end, true)
        if self._grade or not kind or not is_person(kind):
            return None
        if not questions.shared_words(true.subject, true.object).is_last:
            return None
        family = names(self._knowledge.labels).of_subject(true.end(end)).last
        rows = _by_last_name(self._knowledge, kind.classes).get(family, ())
        ends = map(self._knowledge.postings.row, (true.subject, true.object))
        return np.array(sorted({*rows}.difference(ends)), np.int64)

    def _ranked_subjects(self, x: str, properties: tuple[str, ...]) -> Positions:
        """Return the items that are similar to a subject."""
        similarity = self._knowledge.similarity
        return similarity.ranked_before(x, properties, _MOST_SIMILAR, self._min_overlap)

    def _subject_properties(self, x: str) -> tuple[str, ...]:
        return similarity_properties(self._facts.path.start, self._facts.questions.subject(x))


class SubjectCandidates(Candidates):
    """Finds the items that may replace subjects."""

    _checks: SubjectChecks

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        # Subjects have several statements.
        self._of_subject = remembered(partial(self._find, namesakes=None), _MOST_SUBJECTS)

    def _similar(self, true: Chain) -> Similar:
        namesakes = self._namesakes(true)
        x = true.subject
        return self._of_subject(x) if namesakes is None else self._find(x, namesakes)

    def _find(self, x: str, namesakes: Positions | None) -> Similar:
        """Return the items that are similar to a subject, and of its split."""
        properties, similarity = self._subject_properties(x), self._knowledge.similarity
        ranked = self._ranked_subjects(x, properties)
        if self._grade:
            rows = np.union1d(ranked[:, 0], similarity.of_class(x, _MOST_SIMILAR))
            ranked = similarity.among(x, properties, rows)
        ranked = self._chosen(x, properties, ranked, namesakes)
        splits = self._splits
        same_split = ranked[splits.of(ranked[:, 0]) == splits.number(x)]
        if not len(same_split):
            raise Rejected("no fair replacement", f"{len(ranked)} items of other splits")
        near = same_split[self._checks.are_near_subjects(x, same_split[:, 0])]
        return Similar(properties, len(same_split), self._in_order(x, near))

    def _in_order(self, x: str, similar: Positions) -> Positions:
        """Return similar items: those that share the most values and are of the same time first.

        Without a stated time, they count as half a century apart.
        """
        if (year := self._checks.eras.year(x)) is None:
            return similar
        years = self._knowledge.begin_years().own[similar[:, 0]]
        years_apart = np.where(years == NO_YEAR, _YEARS_IF_UNKNOWN, np.abs(years - year))
        order = np.argsort(years_apart / _YEARS_PER_VALUE - similar[:, 1], kind="stable")
        in_order: Positions = similar[order]
        return in_order

    def _candidates(
        self, true: Chain, near: Positions, excluded: Counter[str]
    ) -> Iterator[Candidate]:
        """Yield near items as subjects; those of a risk above the maximum are counted."""
        if self._facts.least_risk(true.object) > self._max_risk:
            excluded["risky"] = len(near)
            return
        items, overlaps = self._knowledge.postings.items[near[:, 0]], near[:, 1].tolist()
        bridges = self._facts.bridges(items)
        risks = self._facts.risks(bridges, true)
        have_bridge, are_safe = bridges >= 0, risks <= self._max_risk
        excluded["no single bridge"] = int(np.count_nonzero(~have_bridge))
        excluded["risky"] = int(np.count_nonzero(have_bridge & ~are_safe))
        for n in np.flatnonzero(have_bridge & are_safe).tolist():
            false = Chain(f"Q{items[n]}", f"Q{bridges[n]}", true.object)
            yield Candidate(false, overlaps[n], float(risks[n]))


class ObjectCandidates(Candidates):
    """Finds the items that may replace objects: the director of such a film, for a director."""

    _checks: ObjectChecks

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        # Subjects have several statements, and all objects of those that are like them are read.
        self._objects_of_alike = functools.lru_cache(_MOST_SUBJECTS)(self._read_objects_of_alike)

    def _similar(self, true: Chain) -> Similar:
        """Return the items that are similar to the object, dated ones first.

        Of objects, such as towns, the time tells little.
        """
        similarity, own = self._knowledge.similarity, true.object
        relation, kind = self._facts.path.last, self._facts.questions.object(own)
        # Objects are of many classes, which tell most about them.
        properties = (_CLASS, *similarity_properties(relation, kind))
        # To count values is cheaper than to find the objects, of which none may be near enough.
        can_share = self._grade or len(similarity.keys(own, properties)) >= self._min_overlap
        rows = self._objects_of_alike(true.subject) if can_share else _NO_ROWS
        ranked = similarity.among(own, properties, rows)
        ranked = self._chosen(own, properties, ranked, self._namesakes(true))
        near = ranked[self._checks.are_near_objects(own, ranked[:, 0])]
        are_undated = self._knowledge.begin_years().own[near[:, 0]] == NO_YEAR
        return Similar(properties, len(ranked), near[np.argsort(are_undated, kind="stable")])

    def _read_objects_of_alike(self, x: str) -> Positions:
        """Return the rows of the objects of subjects that are like a subject and fair, sorted."""
        properties, similarity = self._subject_properties(x), self._knowledge.similarity
        ranked = self._ranked_subjects(x, properties)
        if not len(ranked):
            return _NO_ROWS
        near = ranked[self._checks.are_near_subjects(x, ranked[:, 0]), 0]
        alike = near[self._checks.are_contemporary(x, near)]
        # The objects of other occupations or genres would tell: a jazz musician's prize of acting.
        if len(similarity.keys(x, properties[:1])):
            same_class = similarity.among(x, properties[:1], alike)
            alike = same_class[same_class[:, 1] > 0, 0]
        return self._knowledge.postings.rows_of_numbers(self._facts.objects(alike)).astype(np.int64)

    def _candidates(
        self, true: Chain, near: Positions, excluded: Counter[str]
    ) -> Iterator[Candidate]:
        """Yield near items as objects, each with the least risk of its holders."""
        items = self._knowledge.postings.items[near[:, 0]]
        for item, overlap in zip(items.tolist(), near[:, 1].tolist(), strict=True):
            false = Chain(true.subject, true.bridge, f"Q{item}")
            yield Candidate(false, overlap, self._facts.least_risk(false.object))

    def _with_risks(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Return candidates with the risk of each; if even the least is too high, with the least.

        Each object has holders of its own, so risks are estimated for those that are fair.
        """
        safe = [one for one in candidates if one.risk <= self._max_risk]
        if not safe:
            return safe
        objects = [one.chain.object for one in safe]
        risks = self._facts.risks_of_objects(safe[0].chain.bridge, objects)
        pairs = zip(safe, risks.tolist(), strict=True)
        return [Candidate(chain, overlap, risk) for (chain, overlap, _), risk in pairs]


CANDIDATES = {SUBJECT: SubjectCandidates, OBJECT: ObjectCandidates}
"""What finds candidates, by the end that is replaced."""


@functools.lru_cache(1)
def _by_last_name(knowledge: Knowledge, classes: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return the rows of the items of some classes by last names; of many items, a sample."""
    last_name = names(knowledge.labels).of_subject
    rows = np.concatenate([knowledge.statements.rows(of_class, _CLASS) for of_class in classes])
    result: dict[str, list[int]] = defaultdict(list)
    for row in rows[:: 1 + len(rows) // _MOST_NAMED].tolist():
        result[last_name(f"Q{knowledge.postings.items[row]}").last].append(row)
    return result


def similarity_properties(relation: Relation, kind: Kind | None) -> tuple[str, ...]:
    """Return the properties by which subjects of a relation, or objects, are compared.

    The relation itself and equivalent properties are left out: by them, items would be similar
    because the relation joins them to the same item.
    """
    excluded = {*relation.forward_properties, *relation.backward_properties}
    return tuple(pid for pid in (kind.similarity if kind else ()) if pid not in excluded)
