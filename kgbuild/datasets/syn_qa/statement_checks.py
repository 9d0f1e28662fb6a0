"""Check that the questions of a path fit a statement.

A chain has the subject, the bridge and the object of a path; with one relation, the subject is also
the bridge. Each check raises ``Rejected`` with a reason of ``reasons.toml``.
"""

import functools

from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.graph.eras import Eras
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Dated, Lifetimes
from kgbuild.relations import Kind
from kgbuild.rows import Rejected

_PERSON = "person"
TIMELESS = ("place", "burial")
"""Kinds of items that people are joined to whose beginning says nothing: towns are founded anew."""
_MAX_YEARS_AFTER_DEATH = 3
"""Maximum number of years between the death of a person and the beginning of, say, the award."""


def is_person(kind: Kind | None) -> bool:
    """Return whether a kind is that of people."""
    return kind is not None and kind.name == _PERSON


# The relations of a store share what readers of items have read.
_eras = functools.lru_cache(1)(Eras)
_lifetimes = functools.lru_cache(1)(Lifetimes)


class StatementChecks:
    """Checks the statements of one path."""

    def __init__(self, knowledge: Knowledge, facts: PathFacts):
        self._statements = knowledge.statements
        self._facts = facts
        self._questions = facts.questions
        self.eras = _eras(knowledge)
        self.lifetimes = _lifetimes(knowledge.times)

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
        return last.alive or (is_subject and other_kind.name not in TIMELESS)
