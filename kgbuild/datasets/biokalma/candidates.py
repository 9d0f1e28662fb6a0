"""Find the units that a question about two subjects can ask for: all facts of one property."""

import functools
import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.biokalma.evolve import Dropped, Reason, Unit, make_units
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.minimal import (
    Minimality,
    Triple,
    joined_items,
    share_a_word,
    stands_in,
)
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.question_texts import QuestionTexts

PERSON, THING = "person", "thing"
"""The kinds of subjects."""
_MAX_VALUES = 3
"""Maximum number of values of a property that one question asks for."""


class Candidates:
    """Finds the units of questions.

    ``specificity`` returns that of a property; ``sentence`` writes the sentence of a unit.
    """

    def __init__(
        self,
        pools: Pools,
        texts: QuestionTexts,
        minimality: Minimality,
        specificity: Callable[[str], float],
        sentence: Callable[[Sequence[Fact]], str],
    ):
        self._lexicon = lexicon()
        self._pools = pools
        self._texts = texts
        self._minimality = minimality
        self._specificity = specificity
        self._sentence = sentence
        self.asks_for = functools.cache(self._asks_for)

    def units(
        self, statement: Triple, joining: Sequence[Fact], pool: Sequence[Fact]
    ) -> tuple[list[Unit], list[Dropped]]:
        """Return the units (facts of one property) that can be asked for, and the dropped facts."""
        units: list[Unit] = []
        dropped: list[Dropped] = []
        subject_qids = joined_items(statement)
        names = [self._texts.name(qid) for qid in subject_qids]
        linked_qids = {item for fact in joining for item in (fact.qid, fact.value.text)}
        revealed = {
            fact
            for fact in pool
            if fact.value.text in linked_qids or any(self._is_in_name(fact, name) for name in names)
        }
        for qid in subject_qids:
            kind = self._kind(qid)
            facts = [fact for fact in pool if fact.qid == qid]
            pids = {fact.pid for fact in facts}
            joining_pids = {fact.pid for fact in facts if self._joins(joining, fact)}
            candidates = [
                fact
                for fact in facts
                if fact.pid not in joining_pids and self._can_be_asked(fact, kind, pids)
            ]
            subject_units, subject_dropped = make_units(
                candidates,
                self._max_values,
                self._specificity,
                self._sentence,
                self._minimality,
                revealed,
            )
            units += subject_units
            dropped += subject_dropped
        return units, dropped

    def _can_be_asked(self, fact: Fact, kind: str, pids: set[str]) -> bool:
        """Return whether a question can ask for the property of a fact.

        ``kind`` is the kind of its subject, "person" or "thing"; ``pids`` has all properties of
        the subject in the pool.
        """
        return self.asks_for(fact.pid, kind) and pids.isdisjoint(
            self._lexicon.wording(fact.pid, "").unless
        )

    def _asks_for(self, pid: str, kind: str) -> bool:
        """Return whether questions ask for a property of some subjects of a kind."""
        if pid in self._lexicon.unasked or self._pools.property_label(pid) == pid:
            return False
        return self._lexicon.wording(pid, "").asked_of in ("", kind)

    def nameable(self, pool: Sequence[Fact]) -> list[Fact]:
        """Return the facts for which the name of a theme can ask: their values fit the wording."""
        wording = self._lexicon.wording
        unfit = {
            (fact.qid, fact.pid)
            for fact in pool
            if (values := wording(fact.pid, "").unfit_values) and re.search(values, fact.value_text)
        }
        return [
            fact
            for fact in pool
            if fact.pid in self._lexicon.properties
            and (fact.qid, fact.pid) not in unfit
            and self.asks_for(fact.pid, self._kind(fact.qid))
        ]

    def _kind(self, qid: str) -> str:
        return THING if self._texts.is_thing(qid) else PERSON

    def _is_in_name(self, fact: Fact, name: str) -> bool:
        """Return whether the name of a subject contains the value of a fact or hints at it."""
        if stands_in(fact.value_text, name):
            return True
        return self._lexicon.wording(fact.pid, "").value_in_name and share_a_word(
            fact.value_text, name
        )

    def _joins(self, joining: Sequence[Fact], fact: Fact) -> bool:
        """Return whether the property of a fact, or one that implies it, joins the subjects too.

        A question for such a fact would ask for the joining fact as well.
        """
        pids = (fact.pid, *self._lexicon.wording(fact.pid, "").implied_by)
        return any(
            triple == joint.triple or self._minimality.follows(triple, [joint.triple])
            for joint in joining
            for pid in pids
            for triple in [(fact.qid, pid, item) for item in (joint.qid, joint.value.text)]
        )

    def _max_values(self, pid: str, values: Sequence[Fact]) -> int | Reason:
        """Return the maximum number of values to ask for, or why they cannot be asked for."""
        wording = self._lexicon.wording(pid, "")
        if wording.unfit_values:
            for fact in values:
                if re.search(wording.unfit_values, fact.value_text):
                    return Reason("odd value", fact.value_text)
        if self._texts.lacks_tense(values):
            return Reason("no tense", "")
        if wording.number == "several" and len(values) == 1:
            return Reason("single value", values[0].value_text)
        return _MAX_VALUES if wording.noun or wording.number else 1
