"""Build tests for judges: for each subject, a test of each type.

Source: the GroUSE dataset, whose sets of tests share a question and largely its references.
"""

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from kgbuild import wikidata
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.minimal import share_a_word, stands_in
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.question_texts import Phraser
from kgbuild.datasets.biokalma.sentences import Predicate, Subject, specific_question
from kgbuild.datasets.biokalma.subjects import Subjects, short_name
from kgbuild.datasets.grouse import wording
from kgbuild.datasets.grouse.cases import REFERENCES, Case, text
from kgbuild.datasets.grouse.faults import TYPES, GeneratedTest
from kgbuild.datasets.grouse.rows import DATASET, conditions
from kgbuild.datasets.grouse.wording import Statement
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean
from kgbuild.rows import Built, Progress, Rejected, Rejection, Row, shuffled, split, stable_id
from kgbuild.wikidata import Value

PEOPLE = "Q5"
"""The class that tests are about."""
_ASKED = 3  # facts that a question asks for
_FOREIGN = REFERENCES + 1
"""Number of facts about other items; two of them may share a reference."""
_PER_ITEM = 3
"""Maximum number of facts about one similar item."""
_SIMILAR = 20
"""Number of similar items that are tried for a case."""
_MODERN = 1600
"""First year of birth for which ancient countries, and dates 800 years earlier, are absurd."""
_LONG_BEFORE = 800
"""Years by which a date is made absurd: two full turns of the calendar, so every day exists."""
_FULL_STOP = r"\b[a-z]+\.$"
"""A full stop that is not part of a name: "chess."."""

_Facts: TypeAlias = dict[str, Fact]
"""The facts of an item that can be asked for, by property: each has a single value."""


class Builder:
    """Builds tests about at most ``limit`` subjects of one store, ordered by ``seed``."""

    def __init__(self, knowledge: Knowledge, limit: int, seed: int):
        self._knowledge = knowledge
        self._limit = limit
        self._seed = seed
        self._lexicon = lexicon()
        self._pools = Pools(knowledge)
        self._subjects = Subjects(knowledge, self._pools)
        self._phraser = Phraser(knowledge.kinds)
        self._words = wording.property_words()

    def build(self, class_qid: str, progress: Progress) -> Built:
        """Build the tests about the subjects of a class. ``progress`` counts the subjects."""
        started = time.monotonic()
        subjects = self._knowledge.statements.subjects(class_qid, "P31")
        rows: list[Row] = []
        rejections: list[Rejection] = []
        done = 0
        for qid in shuffled(subjects, key=lambda qid: (qid,), seed=self._seed):
            if done == self._limit:
                break
            progress(class_qid, done, self._limit)
            try:
                case = self.case(qid)
            except Rejected as rejected:
                rejections.append(rejected.rejection(qid))
                continue
            done += 1
            rows += [
                _row(make(case._replace(test_type=name)), name, case)
                for name, make in TYPES.items()
            ]
        seconds = time.monotonic() - started
        return Built(class_qid, {"grouse_tests": rows}, rejections, done + len(rejections), seconds)

    def case(self, qid: str) -> Case:
        """Return the case of a subject.

        Raises:
            Rejected: there are not enough facts.
        """
        facts = self._askable(qid)
        if len(facts) <= _ASKED:
            raise Rejected("too few facts")
        if not self._subjects.subject(qid).pronoun:
            raise Rejected("no pronoun")
        order = shuffled(facts, key=lambda pid: (qid, pid), seed=self._seed)
        absurd = next(filter(None, (self._absurd(facts[pid]) for pid in order)), None)
        if not absurd:
            raise Rejected("nothing absurd")
        similar = self._similar_items(qid, facts)
        for other, other_facts in similar.items():
            others = {other: other_facts, **similar}  # in this order
            for differing in (pid for pid in order if self._differ(facts, other_facts, pid)):
                pids = dict.fromkeys((absurd.pid, differing, *order))
                distorted = _with_value(facts[differing], other_facts[differing])
                if case := self._assemble([facts[p] for p in pids], others, distorted, absurd):
                    return case
        raise Rejected("nobody like it")

    def _assemble(
        self, facts: Sequence[Fact], others: Mapping[str, _Facts], distorted: Fact, absurd: Fact
    ) -> Case | None:
        """Return a case that asks for the first ``facts``; None if there are too few facts.

        Its extra fact is a fact for which another item has a different value.
        """
        chosen = shuffled(facts[:_ASKED], lambda fact: (fact.qid, fact.pid, "asked"), self._seed)
        by_property = {fact.pid: fact for fact in facts}
        other = next(iter(others))
        for extra in facts[_ASKED:]:
            pid = extra.pid
            different = (o[pid] for o in others.values() if self._differ(by_property, o, pid))
            wrong = next(different, None)
            foreign = _foreign([*chosen, extra], others.values())
            if wrong and len(foreign) == _FOREIGN and foreign[1].qid == other:
                break
        else:
            return None
        people = [*dict.fromkeys(self._pools.label(fact.qid) for fact in (extra, *foreign))]
        pids = [fact.pid for fact in chosen]
        return Case(
            seed=self._seed,
            subject=extra.qid,
            label=people[0],
            other=other,
            question=self._question(chosen, people),
            half=self._question(chosen[:2], people),
            asked=[self._statement(fact, people) for fact in chosen],
            extra=self._statement(extra, people),
            foreign=[self._statement(fact, people) for fact in foreign],
            distorted_at=pids.index(distorted.pid),
            distorted=self._statement(distorted, people),
            absurd_at=pids.index(absurd.pid),
            absurd=self._statement(absurd, people),
            extra_distorted=self._statement(_with_value(extra, wrong), people),
        )

    def _askable(self, qid: str) -> _Facts:
        """Return the facts that can be asked for: single values that no other fact reveals."""
        # The tense depends on the date of birth.
        if not (name := self._pools.label(qid)) or not self._knowledge.times.years(qid, "P569"):
            return {}
        counts = Counter(fact.pid for fact in self._pools.facts(qid))
        facts: _Facts = {}
        for fact in (fact for fact in self._pools.facts(qid) if counts[fact.pid] == 1):
            is_revealed = any(_reveals(fact, other) for other in facts.values())
            if not is_revealed and self._can_be_asked(fact, name):
                facts[fact.pid] = fact
        return facts

    def _can_be_asked(self, fact: Fact, name: str) -> bool:
        """Return whether a property has its own words, and the name does not reveal its value."""
        if fact.pid not in self._words:
            return False
        unlike = (self._lexicon.properties[fact.pid].unfit_values, self._words[fact.pid].unlike)
        if any(re.search(pattern, fact.shown) for pattern in (*unlike, _FULL_STOP) if pattern):
            return False
        return fact.value.kind in ("item", "time") and not share_a_word(fact.shown, name)

    def _absurd(self, fact: Fact) -> Fact | None:
        """Return a fact with a value of its kind that cannot be true, or None if there is none."""
        births = [first for first, _ in self._knowledge.times.years(fact.qid, "P569")]
        if min(births) < _MODERN:
            return None
        if fact.value.kind == "time":
            return _long_before(fact)
        candidates = [
            fact._replace(value=Value("item", qid), shown=label)
            for qid in self._words[fact.pid].absurd
            if (label := self._pools.label(qid)) and not share_a_word(label, fact.shown)
        ]
        return next(iter(shuffled(candidates, key=lambda fact: fact.triple, seed=self._seed)), None)

    def _similar_items(self, qid: str, facts: _Facts) -> dict[str, _Facts]:
        """Return the facts of the similar items, the most similar first."""
        name = self._pools.label(qid)
        texts = [name, *(fact.shown for fact in facts.values())]
        items = {}
        for similar in self._knowledge.similarity.most_similar(qid, facts, _SIMILAR):
            label = self._pools.label(similar.qid)
            # A label with the answer in it, such as Leopold of Belgium, would seem to answer.
            if label and not any(share_a_word(label, text) for text in texts):
                items[similar.qid] = {
                    pid: fact
                    for pid, fact in self._askable(similar.qid).items()
                    # A fact that names the subject would be information about it.
                    if fact.value_qid != qid and not share_a_word(fact.shown, name)
                }
        return items

    def _differ(self, facts: _Facts, others: _Facts, pid: str) -> bool:
        """Return whether the values of a property exclude each other."""
        if pid not in others or any(_reveals(others[pid], fact) for fact in facts.values()):
            return False
        value, other = facts[pid].value_qid, others[pid].value_qid
        if value is None or other is None:
            return value is other
        wholes = self._knowledge.wholes.above
        return value not in wholes(other) and other not in wholes(value)

    def _statement(self, fact: Fact, people: Sequence[str]) -> Statement:
        """Return a fact with its wordings, which distinguish the subject from other people."""
        predicate = self._predicate(fact)
        # A form that a value needs has no second wording.
        is_plain = predicate.wording.says == self._lexicon.properties[fact.pid].says
        says = self._words[fact.pid].otherwise if is_plain else predicate.wording.says
        otherwise = predicate._replace(wording=predicate.wording._replace(says=says))
        return Statement(fact, self._subject(fact.qid, people), predicate, otherwise)

    def _subject(self, qid: str, people: Sequence[str]) -> Subject:
        subject = self._subjects.subject(qid)
        others = " ".join(name for name in people if name != subject.name)
        return subject._replace(short_name=short_name(subject.name, others))

    def _predicate(self, fact: Fact) -> Predicate:
        return self._phraser.predicate([fact], self._pools.property_label(fact.pid))

    def _question(self, facts: Sequence[Fact], people: Sequence[str]) -> str:
        """Return the question that asks for facts of one subject."""
        subject = self._subject(facts[0].qid, people)
        predicates = [self._predicate(fact) for fact in facts]
        return specific_question(self._lexicon, "", [(subject, predicates), (subject, ())]).strip()


def _foreign(own: Sequence[Fact], others: Iterable[_Facts]) -> list[Fact]:
    """Return facts of similar items that differ from the ``own`` facts of the subject.

    Facts with a property that is asked for come first; the last own fact is not asked for.
    """
    pids = [fact.pid for fact in own[:_ASKED]]
    facts: list[Fact] = []
    for other in others:
        unlike = [fact for fact in other.values() if not any(_reveals(fact, x) for x in own)]
        facts += sorted(unlike, key=lambda fact: fact.pid not in pids)[:_PER_ITEM]
    return facts[:_FOREIGN]


def _long_before(fact: Fact) -> Fact | None:
    year, rest = fact.value.text[:4], fact.value.text[4:]
    if not year.isdigit():
        return None
    value = fact.value._replace(text=f"{int(year) - _LONG_BEFORE:04}{rest}")
    return fact._replace(value=value, shown=clean(wikidata.show(value)))


def _with_value(fact: Fact, other: Fact) -> Fact:
    return fact._replace(value=other.value, shown=other.shown)


def _reveals(fact: Fact, other: Fact) -> bool:
    """Return whether the value of a fact reveals the value of another fact."""
    if fact.value.kind == other.value.kind == "time":
        return fact.shown[:4] == other.shown[:4]
    return stands_in(fact.shown, other.shown) or share_a_word(fact.shown, other.shown)


def _row(test: GeneratedTest, test_type: str, case: Case) -> dict[str, Any]:
    """Return the row of a test; its evidence proves the true references."""
    statements = (statement for reference in test.references for statement in reference)
    facts = {statement.fact for statement in statements} - {case.absurd.fact}
    return {
        "test_id": stable_id(DATASET, test_type, case.subject, test.input, test.actual),
        "test_type": test_type,
        "references": [*map(text, test.references)],
        "input": test.input,
        "actual_output": test.actual,
        "expected_output": test.expected,
        "conditions": conditions(*test.conditions),
        "metadata": {
            "test_type": test_type,
            "subject_qid": case.subject,
            "subject_label": case.label,
            "other_qid": case.other,
            "fault": test.fault,
            "evidence": [triple._asdict() for triple in sorted(fact.evidence for fact in facts)],
        },
        "source": PEOPLE,
        "split": split(case.subject),
    }
