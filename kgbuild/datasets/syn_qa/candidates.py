"""Find the similar items that may replace an end of a statement, and their risk."""

import functools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kgbuild.datasets.syn_qa.checks import Checks, is_person
from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.names import names
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import OBJECT, PairOptions, Variant, confusability
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.years import NO_YEAR
from kgbuild.native.arrays import Positions
from kgbuild.relations import Kind, Relation
from kgbuild.rows import Rejected

_CLASS = "P31"
_RISK_FACTOR_OF_TWO_HOPS = 0.75
"""Factor of the maximum risk for paths of two relations, of which readers knew more to be true."""
_MOST_SIMILAR = 600
"""Maximum number of similar items that are read."""
_MOST_CANDIDATES = 8
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


class Alike(NamedTuple):
    """A statement, and the candidates for an end of it, the most similar ones first.

    ``properties`` are those by which items are similar. ``unfair`` has the numbers of the similar
    items that are no candidates, by reason.
    """

    chain: Chain
    properties: Sequence[str]
    candidates: Sequence[Candidate]
    unfair: Mapping[str, int]


class Candidates:
    """Finds the items that may replace one end of the statements of a path.

    They share as many values with it as the options or the grade of ``variant`` say.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        facts: PathFacts,
        checks: Checks,
        options: PairOptions,
        variant: Variant,
    ):
        self._knowledge = knowledge
        self._facts = facts
        self._checks = checks
        self._perturbed, self._grade = variant
        self._is_object = self._perturbed == OBJECT
        self._min_overlap = options.min_overlap
        self._max_risk = options.max_risk * (_RISK_FACTOR_OF_TWO_HOPS if facts.path.first else 1)
        self._splits = knowledge.splits(options.splits)
        # Subjects have several statements, and all objects of those that are like them are read.
        self._objects_of_alike = functools.lru_cache(_MOST_SUBJECTS)(self._read_objects_of_alike)
        self._of_subject = functools.lru_cache(_MOST_SUBJECTS)(
            lambda x: self._find(Chain(x, x, x), None)
        )

    def alike(self, true: Chain) -> Alike:
        """Return the candidates for a true statement, whose falsity is not checked yet.

        Raises:
            Rejected: there are no similar items.
        """
        namesakes = None if self._grade else self._namesakes(true)
        needs_object = self._is_object or namesakes is not None
        similar = self._find(true, namesakes) if needs_object else self._of_subject(true.subject)
        properties, total, near = similar
        if not self._is_object and self._facts.least_risk(true.object) > self._max_risk:
            return Alike(true, properties, (), {"risky": total})
        unfair = Counter(differs=total - len(near))
        candidates = list[Candidate]()
        for false, overlap, known_risk in self._false_chains(true, near, unfair):
            try:
                self._checks.check_fair(true, false)
            except Rejected as rejected:
                unfair[rejected.reason] += 1
                continue
            risk = self._risk(false) if known_risk is None else known_risk
            if risk > self._max_risk:
                unfair["risky"] += 1
                continue
            candidates.append(Candidate(false, overlap, risk))
            if len(candidates) == _MOST_CANDIDATES:
                break
        return Alike(true, properties, candidates, +unfair)

    def _find(
        self, true: Chain, namesakes: Positions | None
    ) -> tuple[Sequence[str], int, Positions]:
        """Return by which properties items are similar to an end, how many, and the near ones.

        Those that are near are in order. Those of a subject without ``namesakes`` do not depend on
        the object.
        """
        path, kind = self._facts.path, self._facts.questions.kind(self._perturbed, true)
        properties = similarity_properties(path.last if self._is_object else path.start, kind)
        if self._is_object:  # objects are of many classes, which tell most about them
            properties = [_CLASS, *properties]
        similar = self._similar(true, properties, namesakes)
        near = similar[self._checks.are_near(true.end(self._perturbed), similar[:, 0])]
        return properties, len(similar), self._in_order(true, near)

    def _false_chains(
        self, true: Chain, near: Positions, unfair: Counter[str]
    ) -> Iterator[tuple[Chain, int, float | None]]:
        """Yield the chains with near items in the place of an end, their overlaps and risks.

        The risks of subjects are estimated at once, and those above the maximum are counted. Each
        object has holders of its own, so its risk is estimated when it is needed.
        """
        items, overlaps = self._knowledge.postings.items[near[:, 0]], near[:, 1].tolist()
        if self._is_object:
            for item, overlap in zip(items.tolist(), overlaps, strict=True):
                yield true._replace(object=f"Q{item}"), overlap, None
            return
        bridges = self._facts.bridges(items)
        risks = self._facts.risks(bridges, true)
        have_bridge, are_safe = bridges >= 0, risks <= self._max_risk
        unfair["no single bridge"] = int(np.count_nonzero(~have_bridge))
        unfair["risky"] = int(np.count_nonzero(have_bridge & ~are_safe))
        for n in np.flatnonzero(have_bridge & are_safe).tolist():
            yield Chain(f"Q{items[n]}", f"Q{bridges[n]}", true.object), overlaps[n], float(risks[n])

    def _risk(self, false: Chain) -> float:
        """Return the risk of a false chain; if even the least one is too high, the least one."""
        if (least := self._facts.least_risk(false.object)) > self._max_risk:
            return least
        return self._facts.risk(false.bridge, false.object)

    def _in_order(self, true: Chain, similar: Positions) -> Positions:
        """Return similar items: those that share the most values and are of the same time first.

        Without a stated time, they count as half a century apart. Of objects, such as towns, the
        time tells less, but undated ones are last.
        """
        years = self._knowledge.begin_years().own[similar[:, 0]]
        year = None if self._is_object else self._checks.eras.year(true.subject)
        if year is not None:
            years_apart = np.where(years == NO_YEAR, _YEARS_IF_UNKNOWN, np.abs(years - year))
            order = np.argsort(years_apart / _YEARS_PER_VALUE - similar[:, 1], kind="stable")
        else:
            order = np.argsort((years == NO_YEAR) & self._is_object, kind="stable")
        in_order: Positions = similar[order]
        return in_order

    def _similar(
        self, true: Chain, properties: Sequence[str], namesakes: Positions | None
    ) -> Positions:
        """Return the most similar items, as an array of ``ranked``; subjects have one split.

        An object is replaced by one of a subject like its own: by the director of such a film.
        If there are ``namesakes``, they are those among these, followed by all others, however
        little they share with what they replace.
        """
        similarity, own = self._knowledge.similarity, true.end(self._perturbed)
        least, grade = self._min_overlap, self._grade
        needed = f"a {grade} one" if grade else f"{least} shared values"
        if self._is_object:
            # To count values is cheaper than to find the objects, of which none may be near enough.
            can_share = grade or len(similarity.keys(own, properties)) >= least
            rows = self._objects_of_alike(true.subject) if can_share else _NO_ROWS
            ranked = similarity.among(own, properties, rows)
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
            if namesakes is not None:
                needed = "the family name"
                of_family = similarity.among(own, properties, namesakes)
                others = of_family[~np.isin(of_family[:, 0], ranked[:, 0])]
                ranked = np.concatenate([ranked[np.isin(ranked[:, 0], namesakes)], others])
        if not len(ranked):
            raise Rejected("no similar item", f"needs {needed}")
        if self._is_object:
            return ranked
        splits = self._splits
        same_split: Positions = ranked[splits.of(ranked[:, 0]) == splits.number(own)]
        if not len(same_split):
            raise Rejected("no fair replacement", f"{len(ranked)} items of other splits")
        return same_split

    def _namesakes(self, true: Chain) -> Positions | None:
        """Return the rows of other people with the last name that both ends share, if they do."""
        questions = self._facts.questions
        kind = questions.kind(self._perturbed, true)
        if not kind or not is_person(kind):
            return None
        if not questions.shared_words(true.subject, true.object).is_last:
            return None
        family = names(self._knowledge.labels).of_subject(true.end(self._perturbed)).last
        rows = _by_last_name(self._knowledge, kind.classes).get(family, ())
        ends = map(self._knowledge.postings.row, (true.subject, true.object))
        return np.array(sorted({*rows}.difference(ends)), np.int64)

    def _read_objects_of_alike(self, x: str) -> Positions:
        """Return the rows of the objects of subjects that are like a subject and fair, sorted."""
        relation, similarity = self._facts.path.start, self._knowledge.similarity
        properties = similarity_properties(relation, self._facts.questions.subject(x))
        ranked = similarity.ranked_before(x, tuple(properties), _MOST_SIMILAR, self._min_overlap)
        if not len(ranked):
            return _NO_ROWS
        near = ranked[self._checks.are_near_subject(x, ranked[:, 0]), 0]
        alike = near[self._checks.are_contemporary(x, near)]
        return self._knowledge.postings.rows_of_numbers(self._facts.objects(alike)).astype(np.int64)


@functools.lru_cache(1)
def _by_last_name(knowledge: Knowledge, classes: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return the rows of the items of some classes by last names; of many items, a sample."""
    last_name = names(knowledge.labels).of_subject
    rows = np.concatenate([knowledge.statements.rows(of_class, _CLASS) for of_class in classes])
    result: dict[str, list[int]] = defaultdict(list)
    for row in rows[:: 1 + len(rows) // _MOST_NAMED].tolist():
        result[last_name(f"Q{knowledge.postings.items[row]}").last].append(row)
    return result


def similarity_properties(relation: Relation, kind: Kind | None) -> list[str]:
    """Return the properties by which subjects of a relation, or objects, are compared.

    The relation itself and equivalent properties are left out: by them, items would be similar
    because the relation joins them to the same item.
    """
    excluded = {*relation.forward_properties, *relation.backward_properties}
    return [pid for pid in (kind.similarity if kind else ()) if pid not in excluded]
