"""Check that a question fits a statement, and the item that replaces its subject.

Each check raises ``Rejected`` with one of the dataset's reasons.
"""

from collections.abc import Sequence

from kgbuild.datasets.syn_qa.falsity import risk_of
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.risk import Signals
from kgbuild.datasets.syn_qa.sexes import SEX, Sexes
from kgbuild.graph.eras import Eras
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected

MOST_YEARS = 50
"""The years that may lie between the beginnings of a subject and its replacement: across
centuries the times alone tell what is false."""


class Checks:
    """Checks the statements of one path; a risk of more than ``max_risk`` is too high."""

    def __init__(self, knowledge: Knowledge, facts: PathFacts, max_risk: float):
        self._statements = knowledge.statements
        self._facts = facts
        self._questions = facts.questions
        self._max_risk = max_risk
        self._eras = Eras(knowledge.statements, knowledge.times)
        self._sexes = Sexes(knowledge)

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
        if self._questions.subject(replacement) != self._questions.subject(subject):
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

    def risk(self, true: Chain, false: Chain, signals: Signals) -> float:
        """Return the risk that the false chain is true after all; check that it suits."""
        self._check_bridge(true, false)
        if self._questions.wording(true) != self._questions.wording(false):
            raise Rejected("wrong kind", false.bridge)
        facts = self._facts.last
        x, y = false.bridge, false.object
        risk = risk_of(facts, self._statements, x, y, signals, self._max_risk)
        self._check_not_obvious(true.bridge, false.bridge)
        self.check_names(true, false)
        self._check_alike(true, false)
        return risk

    def _check_not_obvious(self, x: str, replacement: str) -> None:
        """Check that one must know the replacement of x to see that the assumption is false.

        One of the properties that both must share, such as the sex, must be known of both.
        """
        if missing := self._facts.last.missing_properties(replacement):
            raise Rejected("lacks a property", ", ".join(missing))
        alike = self._facts.path.last.alike
        if alike and not self._share(x, replacement, alike):
            raise Rejected("differs", ", ".join(alike))

    def is_near(self, subject: str, replacement: str) -> bool:
        """Tell whether two subjects share a value, such as the country, that others differ in."""
        return self._share(subject, replacement, self._facts.path.start.near)

    def _share(self, one: str, other: str, pids: Sequence[str]) -> bool:
        return any(self._values(one, pid) & self._values(other, pid) for pid in pids)

    def _values(self, qid: str, pid: str) -> set[str]:
        """Return the values of a property of an item; of the sex also one that is inferred."""
        if pid == SEX and (sex := self._sexes.of(qid)):
            return {sex}
        return {*self._statements.values(qid, pid)}

    def _check_bridge(self, true: Chain, false: Chain) -> None:
        """Check that the replacement leads to another bridge, of the same kind."""
        if self._facts.first is None:
            return
        if false.bridge in true:
            raise Rejected("same bridge")
        kinds = [self._questions.bridge(chain.bridge) for chain in (true, false)]
        classes = [{*self._statements.values(chain.bridge, "P31")} for chain in (true, false)]
        if kinds[0] != kinds[1] or not classes[0] & classes[1]:
            raise Rejected("wrong kind", false.bridge)

    def _check_alike(self, true: Chain, false: Chain) -> None:
        """Check that the replacement is of the same time, and by the names that it is no sequel."""
        years = self._eras.years_between(true.subject, false.subject)
        if years > MOST_YEARS:
            raise Rejected("other time", f"{years} years")
        if self._questions.in_one_series(true.subject, false.subject):
            raise Rejected("one series", self._questions.label(false.subject))
        if self._facts.path.last.within:
            for value in self._facts.last.partners(false.bridge):
                if self._questions.may_be(value, true.object):
                    raise Rejected("holds", f"{value} may be {true.object}")
