"""Check that a question fits a statement, and the item that replaces its subject.

Each check raises ``Rejected`` with one of the dataset's reasons.
"""

import functools
from collections.abc import Sequence

from kgbuild.datasets.syn_qa.falsity import check_false
from kgbuild.datasets.syn_qa.lives import Lives
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.sexes import SEX, Sexes
from kgbuild.english.normalize import fold
from kgbuild.graph.eras import Eras
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Dated
from kgbuild.relations import COUNTRIES
from kgbuild.rows import Rejected

_SEQUELS = {"P155", "P156", "P1365", "P1366"}
"""Follows, followed by, replaces, replaced by: what is true of the one may be true of the other."""
_PERSON = "person"
_GENDERED = {"actor", "actress", "female", "male", "man", "men", "woman", "women"}
"""Words of an award's name that tell the sex of those who get it."""
_CLASS, _COUNTRY = "P31", "P17"


class Checks:
    """Checks the statements of one path."""

    def __init__(self, knowledge: Knowledge, facts: PathFacts):
        self._statements = knowledge.statements
        self._facts = facts
        self._questions = facts.questions
        self._eras = Eras(knowledge.statements, knowledge.times, knowledge.labels)
        self._lives = Lives(knowledge)
        self._sexes = Sexes(knowledge)
        self._near_values = functools.cache(self._read_near_values)

    def check_statement(self, chain: Chain) -> None:
        """Check that the path's questions fit the items of a true statement."""
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
        """Check that the statement does not follow from what x is, as far as that is known."""
        if ways := self._facts.path.last.evident:
            ends = {end for way in ways for end in self._ends(x, way)}
            if not ends or y in ends:
                raise Rejected("evident", y)

    def _ends(self, x: str, way: str) -> set[str]:
        """Return the items to which properties lead, one after the other."""
        ends = {x}
        for pid in way.split("/"):
            ends = {value for end in ends for value in self._statements.values(end, pid)}
        return ends

    def check_kind(self, subject: str, replacement: str) -> None:
        """Check that the question about the subject suits the replacement."""
        if self._questions.subject(replacement) is not self._questions.subject(subject):
            raise Rejected("wrong kind", replacement)

    def check_names(self, true: Chain, *chains: Chain) -> None:
        """Check that each item has a label that suits the question, and no two the same."""
        chains, template = (true, *chains), self._questions.template(true)
        qids = dict.fromkeys(qid for chain in chains for qid in chain)
        for qid in qids:
            if not self._questions.label(qid):
                raise Rejected("no label", qid)
        if self._questions.same_name(*qids):
            raise Rejected("same name", ", ".join(qids))
        for chain in chains:
            if qid := self._questions.unfit(template, chain.subject, chain.object):
                raise Rejected("unfit label", self._questions.label(qid))

    def check_false(self, true: Chain, false: Chain) -> None:
        """Check that the false chain is false, and that it suits."""
        self._check_bridge(true, false)
        for one, other in zip(true[:2], false[:2], strict=True):
            if joining := self._statements.between(one, other):
                raise Rejected("joined", " ".join(joining[0]))
        check_false(self._facts.last, self._statements, false.bridge, false.object)
        if self._questions.wording(true) != self._questions.wording(false):
            raise Rejected("wrong kind", false.bridge)
        self._check_not_obvious(true.bridge, false.bridge)
        self.check_names(true, false)
        self._check_name(true, false)
        self._check_alike(true, false)

    def _check_not_obvious(self, x: str, replacement: str) -> None:
        """Check that one must know the replacement of x to see that the assumption is false.

        One of the properties that both must share, such as the sex, must be known of both.
        """
        if missing := self._facts.last.missing_properties(replacement):
            raise Rejected("lacks a property", ", ".join(missing))
        if not self._facts.path.start.abroad and self._is_foreign(x, replacement):
            raise Rejected("differs", ", ".join(COUNTRIES))
        alike = self._facts.path.last.alike
        if alike and not self._share(x, replacement, alike):
            raise Rejected("differs", ", ".join(alike))

    def _is_foreign(self, one: str, other: str) -> bool:
        """Tell whether both items state countries, and none in common."""
        countries = ((self._values(one, pid), self._values(other, pid)) for pid in COUNTRIES)
        return any(ours and theirs and not ours & theirs for ours, theirs in countries)

    def _check_name(self, true: Chain, false: Chain) -> None:
        """Check that names do not tell: a city in that of a club, a sex in that of an award."""
        questions, object_ = self._questions, false.object
        if _GENDERED & {*fold(questions.label(object_)).split()} and not self._share(
            true.bridge, false.bridge, [SEX]
        ):
            raise Rejected("differs", SEX)
        kind = questions.bridge(false.bridge)
        if kind and kind.name != _PERSON:
            for value in self._facts.last.partners(false.bridge):
                if questions.shared_words(false.bridge, value).words:
                    raise Rejected("telling name", value)

    def is_near(self, subject: str, replacement: str) -> bool:
        """Return whether two subjects share a value, such as the country, that others differ in."""
        return not self._near_values(subject).isdisjoint(self._near_values(replacement))

    def _read_near_values(self, qid: str) -> frozenset[tuple[str, str]]:
        """Return the (property, value) of an item that make others near that share one."""
        pids = self._facts.path.start.near
        return frozenset((pid, value) for pid in pids for value in self._values(qid, pid))

    def _share(self, one: str, other: str, pids: Sequence[str]) -> bool:
        return any(self._values(one, pid) & self._values(other, pid) for pid in pids)

    def _values(self, qid: str, pid: str) -> set[str]:
        """Return the values of a property of an item; of the sex also one that is inferred."""
        if pid == SEX and (sex := self._sexes.of(qid)):
            return {sex}
        return {*self._statements.values(qid, pid)}

    def _check_bridge(self, true: Chain, false: Chain) -> None:
        """Check that the replacement leads to another bridge, of the same kind and country."""
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
        """Check that the replacement is of the same time, and that it is of no series."""
        self._check_time(true, false)
        if self._questions.in_one_series(true.subject, false.subject):
            raise Rejected("one series", self._questions.label(false.subject))
        if self._facts.path.last.within:
            for value in self._facts.last.partners(false.bridge):
                same = self._questions.may_be(value, true.object)
                if same or self._is_sequel(value, true.object):
                    raise Rejected("holds", f"{value} may be {true.object}")

    def _check_time(self, true: Chain, false: Chain) -> None:
        """Check that the times of the items do not tell what is false.

        Over two hops, the bridges are of one time, too.
        """
        for kind, one, other in (
            (self._questions.subject(true.subject), true.subject, false.subject),
            (self._questions.bridge(true.bridge), true.bridge, false.bridge),
        ):
            years = self._eras.years_between(one, other)
            if kind and years > kind.apart:
                raise Rejected("other time", f"{years} years")
        least, most = self._facts.path.last.later
        later = self._eras.years_later(false.bridge, false.object)
        if later is not None and not least <= later <= most:
            raise Rejected("other time", f"{later} years")
        ends = self._person_and_work(false)
        if ends and (self._lives.is_posthumous(*ends) or self._lives.is_too_young(*ends)):
            raise Rejected("other time", " ".join(qid for qid, _ in ends))

    def _person_and_work(self, chain: Chain) -> tuple[Dated, Dated] | None:
        """Return the ends of the last relation if the one takes part in making the other."""
        if not self._facts.path.last.alive:
            return None
        x = chain.bridge, self._questions.bridge(chain.bridge)
        y = chain.object, self._questions.object(chain.object)
        if y[1] and y[1].name == _PERSON:
            return y, x
        return (x, y) if x[1] and x[1].name == _PERSON else None

    def _is_sequel(self, one: str, other: str) -> bool:
        return any(pid in _SEQUELS for _, pid, _ in self._statements.between(one, other))
