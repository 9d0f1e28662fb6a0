"""Check that a question fits a statement and the item that replaces its subject.

A chain has the subject, the bridge and the object of a path; with one relation, the subject is also
the bridge. Each check raises ``Rejected`` with a reason of ``rows``.
"""

import functools
from collections.abc import Mapping, Sequence

from kgbuild.datasets.syn_qa.falsity import check_false
from kgbuild.datasets.syn_qa.lives import Lives
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.sexes import SEX, Sexes
from kgbuild.graph.eras import Eras
from kgbuild.graph.hierarchy import above
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Dated
from kgbuild.relations import COUNTRIES
from kgbuild.rows import Rejected

PERSON = "person"
LIFESPAN = 100
"""Maximum number of years after a person's birth in which an item can begin that has to do with
the person: Goethe gets no Soviet award."""
_SEQUELS = {"P155", "P156", "P1365", "P1366"}
"""Follows, followed by, replaces, replaced by: statements about one item may hold for the other."""
_CACHE_SIZE = 1 << 15
"""Maximum number of items whose countries, and of those whose places, are kept in memory."""
_CLASS, _COUNTRY, _WITHIN = "P31", "P17", ("P131",)


class Checks:
    """Checks the statements of one path."""

    def __init__(self, knowledge: Knowledge, facts: PathFacts):
        self._statements = knowledge.statements
        self._facts = facts
        self._questions = facts.questions
        self._eras = Eras(knowledge)
        self._lives = Lives(knowledge)
        self._sexes = Sexes(knowledge)
        self._near_values = functools.cache(self._read_near_values)
        self._countries = functools.lru_cache(_CACHE_SIZE)(self._read_countries)
        self._all_countries = functools.lru_cache(_CACHE_SIZE)(
            lambda qid: frozenset[str]().union(*self._countries(qid))
        )
        self._places = functools.lru_cache(_CACHE_SIZE)(self._read_places)

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
        if (ends := self._person_and_work(chain)) and self._lives.is_posthumous(*ends):
            raise Rejected("other time", " ".join(qid for qid, _ in ends))

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

    def check_kind(self, subject: str, replacement: str) -> None:
        """Check that the question about the subject fits the replacement."""
        if self._questions.subject(replacement) is not self._questions.subject(subject):
            raise Rejected("wrong kind", replacement)

    def check_names(self, true: Chain) -> None:
        """Check that the items of a true statement have different labels that fit the question."""
        self._check_labels(dict.fromkeys(true))
        if qid := self._questions.unfit(self._questions.template(true), true.subject, true.object):
            raise Rejected("unfit label", self._questions.label(qid))

    def _check_new_names(self, true: Chain, false: Chain) -> None:
        """Check this also of the replacement and its bridge."""
        self._check_labels(dict.fromkeys((*true, *false)))
        template, subject = self._questions.template(true), false.subject
        if self._questions.is_unfit_subject(template, self._questions.subject(subject), subject):
            raise Rejected("unfit label", self._questions.label(subject))

    def _check_labels(self, qids: Mapping[str, None]) -> None:
        """Check that items have different labels."""
        for qid in qids:
            if not self._questions.label(qid):
                raise Rejected("no label", qid)
        if self._questions.same_name(*qids):
            raise Rejected("same name", ", ".join(qids))

    def check_false(self, true: Chain, false: Chain) -> None:
        """Check that the assumption of the false chain is false, and not obviously false."""
        self._check_bridge(true, false)
        for qid, replacement in dict.fromkeys(zip(true[:2], false[:2], strict=True)):
            if joining := self._statements.between(qid, replacement):
                raise Rejected("joined", " ".join(joining[0]))
        check_false(self._facts.last, self._statements, false.bridge, false.object)
        if self._questions.wording(true) != self._questions.wording(false):
            raise Rejected("wrong kind", false.bridge)
        self._check_not_obvious(true, false)
        self._check_new_names(true, false)
        self._check_name(true, false)
        self._check_alike(true, false)

    def _check_not_obvious(self, true: Chain, false: Chain) -> None:
        """Check that the assumption is not obviously false about the replacement of x.

        Both must share a value of an ``alike`` property of the relation, such as the sex.
        """
        x, replacement = true.bridge, false.bridge
        if missing := self._facts.last.missing_properties(replacement):
            raise Rejected("lacks a property", ", ".join(missing))
        if self._differs_in_country(x, replacement):
            raise Rejected("differs", ", ".join(COUNTRIES))
        alike = self._facts.path.last.matching_properties
        if alike and not self._share(x, replacement, alike):
            raise Rejected("differs", ", ".join(alike))
        if self._facts.path.last.pid not in COUNTRIES:
            self._check_country(x, replacement, true.object)

    def _check_country(self, x: str, replacement: str, object_: str) -> None:
        """Check that the replacement is of the object's country if the subject is.

        An American composer does not get the Lenin Prize; but if the subject is a foreigner, too,
        the country reveals nothing.
        """
        countries = [*map(self._all_countries, (object_, x, replacement))]
        if all(countries) and countries[0] & countries[1] and not countries[0] & countries[2]:
            raise Rejected("differs", ", ".join(COUNTRIES))

    def _read_countries(self, qid: str) -> list[set[str]]:
        """Return the values of each of the COUNTRIES."""
        return [self._values(qid, pid) for pid in COUNTRIES]

    def _read_places(self, qid: str) -> list[str]:
        """Return the places that contain an item, sorted."""
        return sorted(above(self._statements, qid, _WITHIN))

    def _differs_in_country(self, first: str, second: str) -> bool:
        """Return whether both items have countries, but none in common, by a property.

        The relation may join items of two countries; then none differ.
        """
        return not self._facts.path.start.may_be_foreign and any(
            values and others and values.isdisjoint(others)
            for values, others in zip(self._countries(first), self._countries(second), strict=True)
        )

    def _check_name(self, true: Chain, false: Chain) -> None:
        """Check that names do not reveal the answer.

        The name of a club contains a city or its state, the name of an award a sex. With two
        relations, a person may be named after the place of birth.
        """
        questions, object_ = self._questions, false.object
        if questions.has_gendered_name(object_) and not self._share(
            true.bridge, false.bridge, [SEX]
        ):
            raise Rejected("differs", SEX)
        kind = questions.bridge(false.bridge)
        if kind and kind.name != PERSON:
            self._check_place_names(true, false)

    def _check_place_names(self, true: Chain, false: Chain) -> None:
        """Check that no bridge that is a place or body shares words with what must be guessed."""
        shared = self._questions.shared_words
        if self._facts.first:
            for chain in (true, false):
                if shared(chain.subject, chain.bridge).words:
                    raise Rejected("telling name", chain.bridge)
        for value in self._facts.last.partners(false.bridge):
            for place in (value, *self._places(value)):
                if shared(false.bridge, place).words:
                    raise Rejected("telling name", place)

    def is_foreign(self, subject: str, replacement: str) -> bool:
        """Return whether a replacement is of another country, so that it is not tried.

        With two relations, the countries of the bridges are compared instead.
        """
        return not self._facts.first and self._differs_in_country(subject, replacement)

    def is_near(self, subject: str, replacement: str) -> bool:
        """Return whether two subjects share a value, such as the country, that others differ in."""
        return not self._near_values(subject).isdisjoint(self._near_values(replacement))

    def is_dated(self, qid: str) -> bool:
        """Return whether the store has a year in which an item began."""
        return self._eras.year(qid) is not None

    def _read_near_values(self, qid: str) -> frozenset[tuple[str, str]]:
        """Return the pairs of property and value of an item; items that share one are near."""
        pids = self._facts.path.start.preferred_properties
        return frozenset((pid, value) for pid in pids for value in self._values(qid, pid))

    def _share(self, first: str, second: str, pids: Sequence[str]) -> bool:
        """Return whether two items share a value of one of the properties."""
        return any(self._values(first, pid) & self._values(second, pid) for pid in pids)

    def _values(self, qid: str, pid: str) -> set[str]:
        """Return the values of a property of an item; a missing sex is inferred."""
        if pid == SEX and (sex := self._sexes.of(qid)):
            return {sex}
        return {*self._statements.values(qid, pid)}

    def _check_bridge(self, true: Chain, false: Chain) -> None:
        """Check that the replacement has another bridge, of the same kind and country."""
        if self._facts.first is None:
            return
        if false.bridge in true:
            raise Rejected("same bridge")
        kinds = [self._questions.bridge(chain.bridge) for chain in (true, false)]
        classes = [{*self._statements.values(chain.bridge, _CLASS)} for chain in (true, false)]
        if kinds[0] != kinds[1] or not classes[0] & classes[1]:
            raise Rejected("wrong kind", false.bridge)
        countries = [{*self._statements.values(chain.bridge, _COUNTRY)} for chain in (true, false)]
        if any(countries) and not countries[0] & countries[1]:
            raise Rejected("differs", _COUNTRY)

    def _check_alike(self, true: Chain, false: Chain) -> None:
        """Check that the replacement is of the same time and not of the same series."""
        self._check_time(true, false)
        if self._questions.in_one_series(true.subject, false.subject):
            raise Rejected("one series", self._questions.label(false.subject))
        if self._facts.path.last.within:
            for value in self._facts.last.partners(false.bridge):
                same = self._questions.may_be(value, true.object)
                if same or self._is_sequel(value, true.object):
                    raise Rejected("holds", f"{value} may be {true.object}")

    def _check_time(self, true: Chain, false: Chain) -> None:
        """Check that the times of the items do not reveal the false assumption.

        The bridges must be of the same time, too.
        """
        for kind, qid, replacement in (
            (self._questions.subject(true.subject), true.subject, false.subject),
            (self._questions.bridge(true.bridge), true.bridge, false.bridge),
        )[: self._facts.path.hops]:
            years = self._eras.years_between(qid, replacement)
            if kind and years > kind.max_years_apart:
                raise Rejected("other time", f"{years} years")
        least, most = self._facts.path.last.years_later
        later = self._eras.years_later(false.bridge, false.object)
        has_order = -least != most  # a student is younger than the teacher, a spouse need not be
        if later is None and has_order:
            raise Rejected("other time", "unknown")
        bridge_kind = self._questions.bridge(false.bridge)
        if bridge_kind and bridge_kind.name == PERSON:
            most = min(most, LIFESPAN)
        if later is not None and not least <= later <= most:
            raise Rejected("other time", f"{later} years")
        ends = self._person_and_work(false)
        if ends and (self._lives.is_posthumous(*ends) or self._lives.is_too_young(*ends)):
            raise Rejected("other time", " ".join(qid for qid, _ in ends))

    def _person_and_work(self, chain: Chain) -> tuple[Dated, Dated] | None:
        """Return the person and the work of the last relation; None if it has none."""
        if not self._facts.path.last.alive:
            return None
        x_kind = self._questions.bridge(chain.bridge)
        y_kind = self._questions.object(chain.object)
        x, y = (chain.bridge, x_kind), (chain.object, y_kind)
        if y_kind and y_kind.name == PERSON:
            return y, x
        return (x, y) if x_kind and x_kind.name == PERSON else None

    def _is_sequel(self, first: str, second: str) -> bool:
        return any(pid in _SEQUELS for _, pid, _ in self._statements.between(first, second))
