"""Check an item that replaces the subject or the object of a statement.

The false chain has it in the place of the subject, with its bridge, or in the place of the object.
Each check raises ``Rejected`` with a reason of ``reasons.toml``.
"""

import functools
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.names import Shared
from kgbuild.datasets.syn_qa.near import Near
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import OBJECT, SUBJECT
from kgbuild.datasets.syn_qa.statement_checks import TIMELESS, StatementChecks, is_person
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.sexes import SEX, Sexes
from kgbuild.graph.years import NO_YEAR
from kgbuild.native.arrays import Flags, Positions
from kgbuild.relations import COUNTRIES, Kind
from kgbuild.rows import Rejected

_LIFESPAN = 100
"""Maximum number of years after a person's birth in which an item can begin that has to do with
the person: Goethe gets no Soviet award."""
_LASTING = (*TIMELESS, "organisation", "team", "award", "language", "disease")
"""Kinds of objects that last for many lives, so that nobody compares when they began."""
_SEQUELS = {"P155", "P156", "P1365", "P1366"}
"""Follows, followed by, replaces, replaced by: statements about one item may hold for the other."""
_CACHE_SIZE = 1 << 15
"""Maximum number of items whose places are kept in memory."""
_CLASS, _WITHIN = "P31", ("P131",)

# The relations of a store share what readers of items have read.
_sexes = functools.lru_cache(1)(Sexes)
_near = functools.lru_cache(8)(Near)


class ReplacementChecks(StatementChecks):
    """Checks the items that replace an ``end`` of the statements of one path."""

    end: str

    def __init__(self, knowledge: Knowledge, facts: PathFacts):
        super().__init__(knowledge, facts)
        self._kinds = knowledge.kinds
        self._index = knowledge.postings
        self._sexes = _sexes(knowledge)
        start, last = facts.path.start, facts.path.last
        self._near_subjects, self._near_bridges, self._near_objects = (
            _near(knowledge, frozenset(pids) - {*relation.forward_properties})
            for pids, relation in (
                (start.near_properties, start),
                (last.near_properties, last),
                (COUNTRIES, last),
            )
        )
        self._telling_place = functools.lru_cache(_CACHE_SIZE)(self._read_telling_place)
        self._places = functools.lru_cache(_CACHE_SIZE)(
            lambda qid: sorted(above(knowledge.statements, qid, _WITHIN))
        )

    @abstractmethod
    def rival(self, true: Chain, false: Chain) -> str | None:
        """Return the parent of the false chain's object that leaves no place for its subject.

        It is of the same sex. Return None without one, and for relations other than parents.
        """

    @abstractmethod
    def _likeness(self, true: Chain) -> Callable[[Chain], bool]:
        """Return a function of a false chain: whether it agrees in what the question tells.

        The question tells something of the end of the path.
        """

    @abstractmethod
    def _check_end(self, true: Chain, false: Chain) -> None:
        """Check what only an item at this end can have that reveals the false chain."""

    @abstractmethod
    def _replaced(self, true: Chain) -> Iterator[tuple[int, Kind | None]]:
        """Yield each place of the chain in which a false one has another item, with its kind."""

    def unfairness(self, true: Chain) -> Callable[[Chain], str]:
        """Return a function of a false chain: the reason by which it is revealed, or "".

        Names, stated properties or times may reveal it. Both chains share as many words between
        their ends, and their bridges, or their objects, a value of an ``alike`` property of the
        relation, such as the sex. The question needs some properties.
        """
        shared_words, lacks = self._questions.shared_words, self._facts.last.missing_properties
        expected, is_like = self._expected(true), self._likeness(true)
        replaced = [(place, kind) for place, kind in self._replaced(true) if kind]
        needs_rival = self._facts.path.last.one_of_each_sex

        def reason(false: Chain) -> str:
            if shared_words(false.subject, false.object) != expected:
                return "telling name"
            if not is_like(false):
                return "differs"
            if lacks(false.bridge) or (needs_rival and not self.rival(true, false)):
                return "lacks a property"
            for place, kind in replaced:
                if not self._are_of_one_time(kind, true[place], false[place]):
                    return "other time"
            return ""

        return reason

    def _expected(self, true: Chain) -> Shared | None:
        """Return what the names of a fair false chain share; None if names tell the true one."""
        expected = self._questions.shared_words(true.subject, true.object)
        is_city_in_club = expected.words and not is_person(self._questions.subject(true.subject))
        return None if is_city_in_club else expected

    def check_false(self, true: Chain, false: Chain) -> None:
        """Check that the assumption of the false chain is false, and not obviously false."""
        self._check_replacement(true, false)
        x, y = false.bridge, false.object
        if self._facts.last.has_unknown_value(x):
            raise Rejected("unknown value")
        if triple := self._facts.last.support(x, y):
            raise Rejected("holds", " ".join(triple))
        if joining := self._statements.between(x, y):
            raise Rejected("joined", " ".join(joining[0]))
        if self._questions.wording(true) != self._questions.wording(false):
            raise Rejected("wrong kind", false.bridge)
        self._check_names(true, false)
        self._check_place_names(true, false)
        self._check_time(false)
        kind = self._questions.kind(self.end, true)
        own, other = true.end(self.end), false.end(self.end)
        if self._questions.in_one_series(kind, own, other):
            raise Rejected("one series", self._questions.label(other))
        if self._facts.path.last.within:
            self._check_not_another_name(false)

    def _check_replacement(self, true: Chain, false: Chain) -> None:
        """Check that a replacement is of the right kind, and not joined to what it replaces."""
        if false.object in (false.subject, true.bridge):
            raise Rejected("is the object")
        kind_of = functools.partial(self._questions.kind, self.end)
        if kind_of(false) is not kind_of(true):
            raise Rejected("wrong kind", false.end(self.end))
        self._check_end(true, false)
        for qid, other in dict.fromkeys(zip(true, false, strict=True)):
            if qid != other and (joining := self._statements.between(qid, other)):
                raise Rejected("joined", " ".join(joining[0]))

    def are_near_subjects(self, subject: str, rows: Positions) -> Flags:
        """Return which rows are of the people of a subject, with its other near values."""
        has_one_people = is_person(self._questions.subject(subject))
        return self._near_subjects.are_near(subject, rows, has_one_people)

    def are_contemporary(self, subject: str, rows: Positions) -> Flags:
        """Return which rows are of the time of a subject; that of people must be known."""
        kind, year = self._questions.subject(subject), self.eras.year(subject)
        if not kind:
            return np.ones(len(rows), np.bool_)
        years = self.eras.years_of(rows)
        are_of_one_time: Flags = (
            (years == NO_YEAR) & (not is_person(kind))
            if year is None
            else (years != NO_YEAR) & (np.abs(years - year) <= kind.max_years_apart)
        )
        return are_of_one_time

    def _are_of_one_time(self, kind: Kind, first: str, second: str) -> bool:
        """Return whether two items of a kind did not begin too many years apart."""
        years = self.eras.years_apart(first, second)
        return years is not None and years <= kind.max_years_apart

    def _check_place_names(self, true: Chain, false: Chain) -> None:
        """Check that no bridge that is a place or body shares words with what must be guessed.

        The name of a club contains a city or its state. With two relations, a person may be named
        after the place of birth.
        """
        if is_person(self._questions.bridge(false.bridge)):
            return
        shared = self._questions.shared_words
        if self._facts.first:
            for chain in (true, false):
                if shared(chain.subject, chain.bridge).words:
                    raise Rejected("telling name", chain.bridge)
        if place := self._telling_place(false.bridge):
            raise Rejected("telling name", place)

    def _read_telling_place(self, bridge: str) -> str | None:
        """Return the first of the values of a bridge, and of their places, that its name tells."""
        values = self._facts.last.partners(bridge)
        places = (place for value in values for place in (value, *self._places(value)))
        shared = self._questions.shared_words
        return next((place for place in places if shared(bridge, place).words), None)

    def _share(self, first: str, second: str, pids: Sequence[str]) -> bool:
        """Return whether two items share a value of one of the properties."""
        return self._has_one_of(self._by_property(first, pids), second)

    def _by_property(self, qid: str, pids: Sequence[str]) -> Mapping[str, frozenset[str]]:
        """Return the values of some properties of an item, by property."""
        return {pid: frozenset(self._values(qid, pid)) for pid in pids}

    def _has_one_of(self, values: Mapping[str, frozenset[str]], qid: str) -> bool:
        """Return whether an item has one of some values of properties."""
        return any(not of.isdisjoint(self._values(qid, pid)) for pid, of in values.items())

    def _values(self, qid: str, pid: str) -> tuple[str, ...]:
        """Return the values of a property of an item; a missing sex is inferred."""
        if pid == SEX and (sex := self._sexes.of(qid)):
            return (sex,)
        return self._statements.values(qid, pid)

    def _check_not_another_name(self, false: Chain) -> None:
        """Check that no stated value may be the object, by its name or what it followed, or in it.

        Of a town whose places end below its country, nobody knows in which state it lies.
        """
        is_area = "state" in self._kinds.names(false.object)
        for value in self._facts.last.partners(false.bridge):
            if self._questions.may_be(value, false.object) or self._is_sequel(value, false.object):
                raise Rejected("holds", f"{value} may be {false.object}")
            if is_area and not any(map(self._is_country, (value, *self._places(value)))):
                raise Rejected("holds", f"{value} may lie in {false.object}")

    def _is_country(self, qid: str) -> bool:
        return "country" in self._kinds.names(qid)

    def _check_time(self, false: Chain) -> None:
        """Check that the times of the items do not reveal the false assumption."""
        least, most = self._facts.path.last.years_later
        later = self.eras.years_later(false.bridge, false.object)
        has_order = -least != most  # a student is younger than the teacher, a spouse need not be
        if later is None and has_order:
            raise Rejected("other time", "unknown")
        if is_person(self._questions.bridge(false.bridge)):
            most = min(most, _LIFESPAN)
        if later is not None and not least <= later <= most:
            raise Rejected("other time", f"{later} years")
        self._check_lives(false)

    def _is_sequel(self, first: str, second: str) -> bool:
        return any(pid in _SEQUELS for _, pid, _ in self._statements.between(first, second))


class SubjectChecks(ReplacementChecks):
    """Checks the items that replace subjects."""

    end = SUBJECT

    def rival(self, true: Chain, false: Chain) -> str | None:
        """Return the parent whom the replacement cannot be beside: the one whom it replaces."""
        return true.bridge if self._facts.path.last.one_of_each_sex else None

    def _likeness(self, true: Chain) -> Callable[[Chain], bool]:
        """Return whether the bridges of both agree in what the question tells of them."""
        sex = (SEX,) if self._questions.gendered_words(true.object) else ()
        pids = filter(None, (self._facts.path.last.matching_properties, sex))
        needed = [self._by_property(true.bridge, each) for each in pids]
        return lambda false: all(self._has_one_of(values, false.bridge) for values in needed)

    def _check_end(self, true: Chain, false: Chain) -> None:
        """Check that a replacement has another bridge, of the same kind and near."""
        if not self._facts.first:
            return
        if false.bridge in true:
            raise Rejected("same bridge")
        kinds = [self._questions.bridge(chain.bridge) for chain in (true, false)]
        classes = [{*self._statements.values(chain.bridge, _CLASS)} for chain in (true, false)]
        if kinds[0] != kinds[1] or not classes[0] & classes[1]:
            raise Rejected("wrong kind", false.bridge)
        row = np.array([self._index.row(false.bridge)])
        if not self._near_bridges.are_near(true.bridge, row, is_person(kinds[0])).all():
            raise Rejected("differs", ", ".join(self._facts.path.last.near_properties))

    def _replaced(self, true: Chain) -> Iterator[tuple[int, Kind | None]]:
        yield 0, self._questions.subject(true.subject)
        if self._facts.first:
            yield 1, self._questions.bridge(true.bridge)


class ObjectChecks(ReplacementChecks):
    """Checks the items that replace objects."""

    end = OBJECT

    def are_near_objects(self, qid: str, rows: Positions) -> Flags:
        """Return which rows are of the people of an object; of people, one must be known."""
        has_one_people, near = is_person(self._questions.object(qid)), self._near_objects
        if has_one_people and not near.peoples(qid):
            return np.zeros(len(rows), np.bool_)
        return near.are_near(qid, rows, has_one_people)

    def rival(self, true: Chain, false: Chain) -> str | None:
        """Return the parent that the replacing child has of the sex of its alleged one."""
        if not self._facts.path.last.one_of_each_sex:
            return None
        x = false.bridge
        holders = (f"Q{holder}" for holder in self._facts.last.holders(false.object).tolist())
        return next((qid for qid in holders if qid != x and self._share(qid, x, (SEX,))), None)

    def _likeness(self, true: Chain) -> Callable[[Chain], bool]:
        """Return whether the objects of both agree in what the question tells of them.

        Where objects are of other kinds than subjects, a property may be one of subjects alone: the
        languages of a town are not those of its mayor. Questions say "he" and "she".
        """
        words_of, last = self._questions.gendered_words, self._facts.path.last
        words = words_of(true.object)
        values = self._by_property(true.object, (SEX, *last.matching_properties))
        stated = {pid: of for pid, of in values.items() if of}
        is_needed = stated or (last.subject_kinds == last.object_kinds and last.matching_properties)
        return lambda false: (
            words_of(false.object) == words
            and (not is_needed or self._has_one_of(stated, false.object))
        )

    def _check_end(self, true: Chain, false: Chain) -> None:
        """Check that the assumption is not evident, and that dates do not tell that it is false."""
        self._check_not_evident(false.bridge, false.object)
        ends = self._questions.dated(false)
        if self._facts.path.last.contemporary and self.lifetimes.disjoint_dates(*ends):
            raise Rejected("other time", " ".join(false[1:]))

    def _replaced(self, true: Chain) -> Iterator[tuple[int, Kind | None]]:
        kind = self._questions.object(true.object)
        yield 2, None if kind and kind.name in _LASTING else kind


CHECKS = {checks.end: checks for checks in (SubjectChecks, ObjectChecks)}
"""The checks of replacements by the end that is replaced."""
