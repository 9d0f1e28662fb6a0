"""Check that a question fits a statement, and the item that replaces its subject.

Each check raises ``Rejected`` with one of the dataset's reasons.
"""

from kgbuild.datasets.syn_qa.falsity import risk_of
from kgbuild.datasets.syn_qa.path_facts import Chain, PathFacts
from kgbuild.datasets.syn_qa.risk import Signals
from kgbuild.datasets.syn_qa.sexes import SEX, Sexes
from kgbuild.graph.eras import Eras
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected

MOST_YEARS = 50
"""The years that may lie between the beginnings of a subject and its replacement: across
centuries the times alone tell what is false."""
_COUNTRIES = ("P27", "P17", "P495")
"""Country of citizenship, country, country of origin."""


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

    def check_kind(self, subject: str, replacement: str) -> None:
        """Check that the question about the subject suits the replacement."""
        if self._questions.subject(replacement) != self._questions.subject(subject):
            raise Rejected("wrong kind", replacement)

    def check_names(self, *chains: Chain) -> None:
        """Check that each item has a label, and no two the same."""
        qids = dict.fromkeys(qid for chain in chains for qid in chain)
        for qid in qids:
            if not self._questions.label(qid):
                raise Rejected("no label", qid)
        if self._questions.same_name(*qids):
            raise Rejected("same name", ", ".join(qids))

    def risk(self, true: Chain, false: Chain, signals: Signals) -> float:
        """Return the risk that the false chain is true after all; check that it suits."""
        self._check_bridge(true, false)
        facts = self._facts.last
        x, y = false.bridge, false.object
        risk = risk_of(facts, self._statements, x, y, signals, self._max_risk)
        self._check_not_obvious(true.bridge, false.bridge)
        self.check_names(true, false)
        self._check_alike(true, false)
        return risk

    def _check_not_obvious(self, x: str, replacement: str) -> None:
        """Check that one must know the replacement of x to see that the assumption is false.

        A property that both must share, such as the sex, must be known of both.
        """
        if missing := self._facts.last.missing_properties(replacement):
            raise Rejected("lacks a property", ", ".join(missing))
        for pid in self._facts.path.last.alike:
            if not self._values(x, pid) & self._values(replacement, pid):
                raise Rejected("differs", pid)

    def is_foreign(self, x: str, replacement: str) -> bool:
        """Tell whether both items have countries, and none in common: their names may tell so."""
        countries = ((self._values(x, pid), self._values(replacement, pid)) for pid in _COUNTRIES)
        return any(ours and theirs and not ours & theirs for ours, theirs in countries)

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
