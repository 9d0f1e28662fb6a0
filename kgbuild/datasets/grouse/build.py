"""Build tests for judges: for each subject, a test of each type.

A case holds the facts for all tests of a subject; see ``cases``.

Source: the GroUSE dataset, in which the tests of a set share a question and most references.
"""

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kgbuild.datasets.biokalma.questions.clauses import Subject
from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.questions.mentions import short_name
from kgbuild.datasets.biokalma.questions.phrases import Phraser
from kgbuild.datasets.biokalma.questions.subjects import Subjects
from kgbuild.datasets.biokalma.questions.wording import write_specific_question
from kgbuild.datasets.biokalma.sets.pool import Piece, Pools
from kgbuild.datasets.grouse import wording
from kgbuild.datasets.grouse.cases import Case, text
from kgbuild.datasets.grouse.fact_values import (
    FOREIGN_FACTS,
    Facts,
    foreign_facts,
    move_back,
    reveals,
    share_a_word,
    with_value,
)
from kgbuild.datasets.grouse.faults import TYPES, GeneratedTest
from kgbuild.datasets.grouse.rows import DATASET, conditions
from kgbuild.datasets.grouse.wording import WordedStatement
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Built, Progress, Rejected, Rejection, Row, shuffled, split, stable_id
from kgbuild.wikidata import Value

PEOPLE = "Q5"
"""The class that tests are about."""
_TARGETS = 3
"""Number of facts that a question asks for."""


class CaseBuilder:
    """Builds tests about at most ``limit`` subjects of one store, ordered by ``seed``.

    With ``splits``, most tests are in a split for training.
    """

    def __init__(self, knowledge: Knowledge, limit: int, seed: int, splits: bool = False):
        self._knowledge = knowledge
        self._limit = limit
        self._seed = seed
        self._splits = splits
        self._lexicon = lexicon()
        self._pools = Pools(knowledge)
        self._subjects = Subjects(knowledge, self._pools)
        self._predicate = Phraser(knowledge, self._pools).predicate
        self._words = wording.property_words()

    def build(self, class_qid: str, progress: Progress) -> Built:
        """Build the tests about the subjects of a class. ``progress`` counts the subjects."""
        started = time.monotonic()
        subjects = self._knowledge.statements.subjects(class_qid, "P31")
        rows: list[Row] = []
        rejections: list[Rejection] = []
        cases = 0
        for qid in shuffled(subjects, key=lambda qid: (qid,), seed=self._seed):
            if cases == self._limit:
                break
            progress(class_qid, cases, self._limit)
            try:
                case = self.case(qid)
            except Rejected as rejected:
                rejections.append(rejected.rejection(qid))
                continue
            cases += 1
            rows += [
                _row(make(case._replace(test_type=name)), name, case, self._splits)
                for name, make in TYPES.items()
            ]
        seconds = time.monotonic() - started
        return Built(
            class_qid, {"grouse_tests": rows}, rejections, cases + len(rejections), seconds
        )

    def case(self, qid: str) -> Case:
        """Return the case of a subject.

        Raises:
            Rejected: there are not enough facts.
        """
        facts = self._askable(qid)
        if len(facts) <= _TARGETS:
            raise Rejected("too few facts")
        if not self._subjects.subject(qid).pronoun:
            raise Rejected("no pronoun")
        shuffled_pids = shuffled(facts, key=lambda pid: (qid, pid), seed=self._seed)
        absurd = next(filter(None, (self._absurd(facts[pid]) for pid in shuffled_pids)), None)
        if not absurd:
            raise Rejected("nothing absurd")
        facts_by_item = self._similar_items(qid, facts)
        for similar_qid, similar_facts in facts_by_item.items():
            foreign = {similar_qid: similar_facts, **facts_by_item}  # this item comes first
            for pid in shuffled_pids:
                if self._differ(facts, similar_facts, pid):
                    # The first facts become the targets, so they include these two.
                    pids = dict.fromkeys((absurd.pid, pid, *shuffled_pids))
                    distorted = with_value(facts[pid], similar_facts[pid])
                    ordered = [facts[ordered_pid] for ordered_pid in pids]
                    if case := self._assemble(ordered, foreign, distorted, absurd):
                        return case
        raise Rejected("nobody like it")

    def _assemble(
        self,
        facts: Sequence[Piece],
        facts_by_item: Mapping[str, Facts],
        distorted: Piece,
        absurd: Piece,
    ) -> Case | None:
        """Return a case whose targets are the first ``facts``; None if there are too few facts.

        ``facts_by_item`` are the facts of similar items. The extra fact is the first further fact
        for which a similar item has a different value.
        """
        targets = shuffled(facts[:_TARGETS], lambda fact: (fact.qid, fact.pid, "asked"), self._seed)
        by_property = {fact.pid: fact for fact in facts}
        similar_qid = next(iter(facts_by_item))
        for extra in facts[_TARGETS:]:
            pid = extra.pid
            different = (
                item_facts[pid]
                for item_facts in facts_by_item.values()
                if self._differ(by_property, item_facts, pid)
            )
            wrong = next(different, None)
            foreign = foreign_facts(targets, extra, facts_by_item.values())
            if wrong and len(foreign) == FOREIGN_FACTS and foreign[1].qid == similar_qid:
                break
        else:
            return None
        people = [*dict.fromkeys(self._pools.label(fact.qid) for fact in (extra, *foreign))]
        pids = [fact.pid for fact in targets]
        return Case(
            seed=self._seed,
            subject=extra.qid,
            label=people[0],
            similar_qid=similar_qid,
            question=self._question(targets, people),
            short_question=self._question(targets[:2], people),
            targets=[self._statement(fact, people) for fact in targets],
            extra=self._statement(extra, people),
            foreign=[self._statement(fact, people) for fact in foreign],
            distorted_index=pids.index(distorted.pid),
            distorted=self._statement(distorted, people),
            absurd_index=pids.index(absurd.pid),
            absurd=self._statement(absurd, people),
            extra_distorted=self._statement(with_value(extra, wrong), people),
        )

    def _askable(self, qid: str) -> Facts:
        """Return the facts that a question can ask for: single values, none revealing another."""
        # The tense of sentences depends on the date of birth.
        if not (name := self._pools.label(qid)) or not self._knowledge.times.years(qid, "P569"):
            return {}
        candidates = self._pools.pieces(qid)
        counts = Counter(fact.pid for fact in candidates)
        facts: Facts = {}
        for candidate in candidates:
            if counts[candidate.pid] > 1 or not self._can_be_asked(candidate, name):
                continue
            if not any(reveals(candidate, fact) for fact in facts.values()):
                facts[candidate.pid] = candidate
        return facts

    def _can_be_asked(self, fact: Piece, name: str) -> bool:
        """Return whether words.toml has words for a fact whose value ``name`` does not reveal."""
        if fact.pid not in self._words:
            return False
        unsuitable_values = (
            self._lexicon.properties[fact.pid].unfit_values,
            self._words[fact.pid].unlike,
            r"\b[a-z]+\.$",  # a full stop after a word in small letters, such as "chess."
        )
        if any(re.search(pattern, fact.value_text) for pattern in unsuitable_values if pattern):
            return False
        return fact.value.kind in ("item", "time") and not share_a_word(fact.value_text, name)

    def _absurd(self, fact: Piece) -> Piece | None:
        """Return the fact with a value that cannot be true; None if there is no such value."""
        births = [first_year for first_year, _ in self._knowledge.times.years(fact.qid, "P569")]
        # Of people before, ancient countries and dates 800 years earlier are not absurd.
        if min(births) < 1600:
            return None
        if fact.value.kind == "time":
            return move_back(fact)
        candidates = [
            fact._replace(value=Value("item", qid), value_text=label)
            for qid in self._words[fact.pid].absurd
            if (label := self._pools.label(qid)) and not share_a_word(label, fact.value_text)
        ]
        return next(iter(shuffled(candidates, key=lambda fact: fact.triple, seed=self._seed)), None)

    def _similar_items(self, qid: str, facts: Facts) -> dict[str, Facts]:
        """Return the facts of similar items by item id, the most similar item first."""
        name = self._pools.label(qid)
        texts = [name, *(fact.value_text for fact in facts.values())]
        items = {}
        for similar in self._knowledge.similarity.most_similar(qid, facts, k=20):
            label = self._pools.label(similar.qid)
            # A label that contains a value, such as Leopold of Belgium, would seem to answer.
            if label and not any(share_a_word(label, text) for text in texts):
                items[similar.qid] = {
                    pid: fact
                    for pid, fact in self._askable(similar.qid).items()
                    # A fact that names the subject would be information about it.
                    if fact.value_qid != qid and not share_a_word(fact.value_text, name)
                }
        return items

    def _differ(self, facts: Facts, similar_facts: Facts, pid: str) -> bool:
        """Return whether two values of a property exclude each other: town and country do not."""
        if pid not in similar_facts:
            return False
        if any(reveals(similar_facts[pid], fact) for fact in facts.values()):
            return False
        value, similar_value = facts[pid].value_qid, similar_facts[pid].value_qid
        if value is None or similar_value is None:
            return value is similar_value  # both are None: two dates
        wholes = self._knowledge.wholes.above
        return value not in wholes(similar_value) and similar_value not in wholes(value)

    def _statement(self, fact: Piece, people: Sequence[str]) -> WordedStatement:
        """Return a fact with two wordings; its subject's name is unambiguous among ``people``."""
        predicate = self._predicate([fact])
        # A special form of the sentence for some values has no second wording.
        is_plain = predicate.wording.says == self._lexicon.properties[fact.pid].says
        says = self._words[fact.pid].otherwise if is_plain else predicate.wording.says
        paraphrase = predicate._replace(wording=predicate.wording._replace(says=says))
        return WordedStatement(fact, self._subject(fact.qid, people), predicate, paraphrase)

    def _subject(self, qid: str, people: Sequence[str]) -> Subject:
        """Return a subject with a short name that fits none of the other people."""
        subject = self._subjects.subject(qid)
        other_names = " ".join(name for name in people if name != subject.name)
        return subject._replace(short_name=short_name(subject.name, other_names))

    def _question(self, facts: Sequence[Piece], people: Sequence[str]) -> str:
        subject = self._subject(facts[0].qid, people)
        predicates = [self._predicate([fact]) for fact in facts]
        descriptions = [(subject, predicates), (subject, ())]
        return write_specific_question("", descriptions)


def _row(test: GeneratedTest, test_type: str, case: Case, splits: bool) -> dict[str, Any]:
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
            "other_qid": case.similar_qid,
            "fault": test.fault,
            "evidence": [triple._asdict() for triple in sorted(fact.evidence for fact in facts)],
        },
        "source": PEOPLE,
        "split": split(case.subject, splits),
    }
