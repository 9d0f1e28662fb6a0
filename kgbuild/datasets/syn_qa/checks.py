"""Check that a question fits a statement and the item that replaces its subject or object.

A chain has the subject, the bridge and the object of a path; with one relation, the subject is also
the bridge. The false chain has a replacement in the place of the subject, and its bridge; or in the
place of the object. Each check raises ``Rejected`` with a reason of ``reasons.toml``.
"""

import functools
from collections.abc import Sequence
from functools import partial

import numpy as np

from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.names import Shared
from kgbuild.datasets.syn_qa.near import Near
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.rows import OBJECT, SUBJECT
from kgbuild.graph.eras import Eras
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.sexes import SEX, Sexes
from kgbuild.graph.times import Dated, Lifetimes
from kgbuild.graph.years import NO_YEAR
from kgbuild.native.arrays import Flags, Positions
from kgbuild.relations import COUNTRIES, Kind
from kgbuild.rows import Rejected

_PERSON = "person"
_LIFESPAN = 100
"""Maximum number of years after a person's birth in which an item can begin that has to do with
the person: Goethe gets no Soviet award."""
_TIMELESS = ("place", "burial")
"""Kinds of items that people are joined to whose beginning says nothing: towns are founded anew."""
_LASTING = (*_TIMELESS, "organisation", "team", "award", "language", "disease")
"""Kinds of objects that last for many lives, so that nobody compares when they began."""
_MAX_YEARS_AFTER_DEATH = 3
"""Maximum number of years between the death of a person and the beginning of, say, the award."""
_SEQUELS = {"P155", "P156", "P1365", "P1366"}
"""Follows, followed by, replaces, replaced by: statements about one item may hold for the other."""
_CACHE_SIZE = 1 << 15
"""Maximum number of items whose places are kept in memory."""
_CLASS, _WITHIN = "P31", ("P131",)


def is_person(kind: Kind | None) -> bool:
    """Return whether a kind is that of people."""
    return kind is not None and kind.name == _PERSON


# The relations of a store share what readers of items have read.
_eras = functools.lru_cache(1)(Eras)
_lifetimes = functools.lru_cache(1)(Lifetimes)
_sexes = functools.lru_cache(1)(Sexes)
_near = functools.lru_cache(8)(Near)


class Checks:
    """Checks the statements of one path, and the items that replace ``perturbed`` in them."""

    def __init__(self, knowledge: Knowledge, facts: PathFacts, perturbed: str = SUBJECT):
        self._perturbed = perturbed
        self._is_object = perturbed == OBJECT
        self._statements = knowledge.statements
        self._kinds = knowledge.kinds
        self._facts = facts
        self._questions = facts.questions
        self._index = knowledge.postings
        self.eras, self._sexes = _eras(knowledge), _sexes(knowledge)
        self.lifetimes = _lifetimes(knowledge.times)
        start, last = facts.path.start, facts.path.last
        self._near_subjects, self._near_bridges, self._near_objects = (
            _near(knowledge, frozenset(pids) - {*relation.forward_properties})
            for pids, relation in (
                (start.near_properties, start),
                (last.near_properties, last),
                (COUNTRIES, last),
            )
        )
        self._places = functools.lru_cache(_CACHE_SIZE)(
            lambda qid: sorted(above(knowledge.statements, qid, _WITHIN))
        )
        # All candidates for a statement need it.
        self._expected = functools.lru_cache(1)(self._read_expected)

    def check_statement(self, chain: Chain) -> None:
        """Check that the questions of the path fit the items of a true statement."""
        if len({*chain}) <= self._facts.path.hops:
            raise Rejected("same item")
        subject, bridge, object_ = chain
        questions = self._questions
        kinds = questions.subject(subject), questions.bridge(bridge), questions.object(object_)
        for qid, kind in zip(chain, kinds, strict=True):
            if kind is None:
                raise Rejected("wrong kind", qid)
        if not questions.wording(chain).templates:
            raise Rejected("wrong kind", bridge)
        self._check_not_evident(bridge, object_)
        self._check_lives(chain)
        self._check_names(chain, chain)

    def _check_not_evident(self, x: str, y: str) -> None:
        """Check that the statement is not evident: the native language of an Italian is Italian.

        The relation has paths of properties to evident objects. Without such objects, nothing is
        known, and the statement is rejected as well.
        """
        if property_paths := self._facts.path.last.evident_paths:
            evident = {qid for path in property_paths for qid in self._follow(x, path)}
            if not evident or y in evident:
                raise Rejected("evident", y)

    def _follow(self, x: str, property_path: str) -> set[str]:
        """Return the items at the end of a path of properties, such as P27/P37."""
        qids = {x}
        for pid in property_path.split("/"):
            qids = {value for qid in qids for value in self._statements.values(qid, pid)}
        return qids

    def _check_names(self, true: Chain, false: Chain) -> None:
        """Check that the items of both chains have different labels that fit the question."""
        qids = dict.fromkeys((*true, *false))
        for qid in qids:
            if not self._questions.label(qid):
                raise Rejected("no label", qid)
        if self._questions.same_name(*qids):
            raise Rejected("same name", ", ".join(qids))
        template = self._questions.template(true)
        if qid := self._questions.unfit(template, false.subject, false.object):
            raise Rejected("unfit label", self._questions.label(qid))

    def check_fair(self, true: Chain, false: Chain) -> None:
        """Check that neither names nor stated properties nor times reveal the false chain.

        Both chains share as many words between their ends, and their bridges, or their objects, a
        value of an ``alike`` property of the relation, such as the sex. The question needs some
        properties.
        """
        if self._questions.shared_words(false.subject, false.object) != self._expected(true):
            raise Rejected("telling name")
        if self._is_object:
            self._check_like_object(true, false)
        else:
            self._check_like_bridge(true, false)
        if self._facts.last.missing_properties(false.bridge):
            raise Rejected("lacks a property")
        if self._facts.path.last.one_of_each_sex and not self.rival(true, false):
            raise Rejected("lacks a property")
        self._check_same_time(true, false)

    def _read_expected(self, true: Chain) -> Shared | None:
        """Return what the names of a fair false chain share; None if names tell the true one."""
        expected = self._questions.shared_words(true.subject, true.object)
        is_city_in_club = expected.words and not is_person(self._questions.subject(true.subject))
        return None if is_city_in_club else expected

    def _check_like_bridge(self, true: Chain, false: Chain) -> None:
        """Check that the bridges of both chains agree in what the question tells of them."""
        needed = [self._facts.path.last.matching_properties]
        if self._questions.gendered_words(true.object):
            needed.append((SEX,))
        if not all(not pids or self._share(true.bridge, false.bridge, pids) for pids in needed):
            raise Rejected("differs")

    def _check_like_object(self, true: Chain, false: Chain) -> None:
        """Check that the objects of both chains agree in what the question tells of them.

        Where objects are of other kinds than subjects, a property may be one of subjects alone: the
        languages of a town are not those of its mayor. Questions say "he" and "she".
        """
        words, last = self._questions.gendered_words, self._facts.path.last
        needed = [pid for pid in (SEX, *last.matching_properties) if self._values(true.object, pid)]
        if last.subject_kinds == last.object_kinds:
            needed = needed or [*last.matching_properties]
        if words(true.object) != words(false.object) or (
            needed and not self._share(true.object, false.object, needed)
        ):
            raise Rejected("differs")

    def rival(self, true: Chain, false: Chain) -> str | None:
        """Return the parent of the false chain's object that leaves no place for its subject.

        It is of the same sex. Return None without one, and for relations other than parents.
        """
        if not self._facts.path.last.one_of_each_sex:
            return None
        if not self._is_object:
            return true.bridge
        x = false.bridge
        holders = (f"Q{holder}" for holder in self._facts.last.holders(false.object).tolist())
        return next((qid for qid in holders if qid != x and self._share(qid, x, (SEX,))), None)

    def _check_same_time(self, true: Chain, false: Chain) -> None:
        """Check that what is replaced and its replacement began at about the same time."""
        questions = self._questions
        if self._is_object:
            kind = questions.object(true.object)
            kinds = [None if kind and kind.name in _LASTING else kind]
            roles = [(true.object, false.object)]
        else:
            kinds = [questions.subject(true.subject), questions.bridge(true.bridge)]
            roles = [*zip(true[:2], false[:2], strict=True)][: self._facts.path.hops]
        for kind, (qid, other) in zip(kinds, roles, strict=False):
            if not self._are_of_one_time(kind, qid, other):
                raise Rejected("other time")

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
        kind = self._questions.kind(self._perturbed, true)
        own, other = true.end(self._perturbed), false.end(self._perturbed)
        if self._questions.in_one_series(kind, own, other):
            raise Rejected("one series", self._questions.label(other))
        if self._facts.path.last.within:
            self._check_not_another_name(false)
        if self._is_object:
            self._check_not_evident(false.bridge, false.object)
            self._check_lifetimes(false)

    def _check_replacement(self, true: Chain, false: Chain) -> None:
        """Check that a replacement is of the right kind, and not joined to what it replaces."""
        if false.object in (false.subject, true.bridge):
            raise Rejected("is the object")
        kind_of = partial(self._questions.kind, self._perturbed)
        if kind_of(false) is not kind_of(true):
            raise Rejected("wrong kind", false.end(self._perturbed))
        if self._facts.first and not self._is_object:
            self._check_bridge(true, false)
        for qid, other in dict.fromkeys(zip(true, false, strict=True)):
            if qid != other and (joining := self._statements.between(qid, other)):
                raise Rejected("joined", " ".join(joining[0]))

    def _check_bridge(self, true: Chain, false: Chain) -> None:
        """Check that the replacement has another bridge, of the same kind and near."""
        if false.bridge in true:
            raise Rejected("same bridge")
        kinds = [self._questions.bridge(chain.bridge) for chain in (true, false)]
        classes = [{*self._statements.values(chain.bridge, _CLASS)} for chain in (true, false)]
        if kinds[0] != kinds[1] or not classes[0] & classes[1]:
            raise Rejected("wrong kind", false.bridge)
        row = np.array([self._index.row(false.bridge)])
        if not self._near_bridges.are_near(true.bridge, row, is_person(kinds[0])).all():
            raise Rejected("differs", ", ".join(self._facts.path.last.near_properties))

    def are_near(self, qid: str, rows: Positions) -> Flags:
        """Return which rows are of the people of an item to replace, with its near values."""
        if not self._is_object:
            return self.are_near_subject(qid, rows)
        has_one_people, near = is_person(self._questions.object(qid)), self._near_objects
        if has_one_people and not near.peoples(qid):
            return np.zeros(len(rows), np.bool_)
        return near.are_near(qid, rows, has_one_people)

    def are_near_subject(self, subject: str, rows: Positions) -> Flags:
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

    def _are_of_one_time(self, kind: Kind | None, first: str, second: str) -> bool:
        """Return whether two items of a kind did not begin too many years apart."""
        years = self.eras.years_apart(first, second)
        return not kind or (years is not None and years <= kind.max_years_apart)

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
        for value in self._facts.last.partners(false.bridge):
            for place in (value, *self._places(value)):
                if shared(false.bridge, place).words:
                    raise Rejected("telling name", place)

    def _share(self, first: str, second: str, pids: Sequence[str]) -> bool:
        """Return whether two items share a value of one of the properties."""
        return any(self._values(first, pid) & self._values(second, pid) for pid in pids)

    def _values(self, qid: str, pid: str) -> set[str]:
        """Return the values of a property of an item; a missing sex is inferred."""
        if pid == SEX and (sex := self._sexes.of(qid)):
            return {sex}
        return {*self._statements.values(qid, pid)}

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

    def _check_lives(self, chain: Chain) -> None:
        """Check that people lived when the other item began, such as their award."""
        x, y = self._questions.dated(chain)
        for person, other in ((x, y), (y, x)):
            if not self._must_live(person, other, is_subject=person is x):
                continue
            death, beginning = self.lifetimes.last_end(person), self.eras.known_year(other[0])
            if death is None or beginning is None:
                continue
            if death + _MAX_YEARS_AFTER_DEATH < beginning:
                raise Rejected("other time", f"{person[0]} {other[0]}")

    def _check_lifetimes(self, chain: Chain) -> None:
        """Check that dates do not tell that bridge and object did not exist at the same time."""
        ends = self._questions.dated(chain)
        if self._facts.path.last.contemporary and self.lifetimes.disjoint_dates(*ends):
            raise Rejected("other time", " ".join(chain[1:]))

    def _must_live(self, person: Dated, other: Dated, is_subject: bool) -> bool:
        """Return whether an item is a person who must have lived when the other one began.

        A book may appear after its author's death, a brother be born, and a town be founded.
        """
        kind, other_kind = person[1], other[1]
        if not other_kind or not is_person(kind):
            return False
        last = self._facts.path.last
        if is_person(other_kind):
            return last.contemporary
        return last.alive or (is_subject and other_kind.name not in _TIMELESS)

    def _is_sequel(self, first: str, second: str) -> bool:
        return any(pid in _SEQUELS for _, pid, _ in self._statements.between(first, second))
