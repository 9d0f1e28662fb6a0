"""Build tests for evaluators: about one subject after the other, a test of each type.

Source: the GroUSE dataset, whose sets of tests share a question and largely its references.
"""

import re
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kgbuild.biokalma.minimal import share_a_word, stands_in
from kgbuild.biokalma.phrases import Phrases
from kgbuild.biokalma.pool import Fact, Pools
from kgbuild.biokalma.subjects import Subjects
from kgbuild.biokalma.texts import Texts
from kgbuild.biokalma.wording import specific
from kgbuild.biokalma.words import Words
from kgbuild.building import Built, Progress, Rejection, Row, shuffled, split, stable_id
from kgbuild.grouse.faults import TYPES, Case, Made, Statement
from kgbuild.grouse.rows import DATASET, Test
from kgbuild.kg.knowledge import Knowledge
from kgbuild.kg.wikidata import Value
from kgbuild.relations import Catalog

PEOPLE = "Q5"
"""The class that tests are about."""
_ASKED = 3
_FOREIGN = 3
_LIKE = 20
"""Similar items that are tried for a case."""

_Facts: TypeAlias = dict[str, Fact]
"""What can be asked of an item: the only value of each property."""


class _Like(NamedTuple):
    """An item similar to a subject, and what can be asked of it."""

    qid: str
    label: str
    facts: _Facts


@dataclass(frozen=True)
class Options:
    """What a user may choose: the most subjects, and the seed of their order."""

    limit: int = 60
    seed: int = 0


class _Left(Exception):  # noqa: N818
    """A subject is left out, for a reason of ``rows``."""


class Builder:
    """Builds tests from one store."""

    def __init__(self, known: Knowledge, catalog: Catalog, words: Words, options: Options):
        self._known = known
        self._words = words
        self._options = options
        self._pools = Pools(known, words)
        self._subjects = Subjects(known, catalog, words, self._pools)
        self._phrases = Phrases(catalog, words, known.kinds)
        self._texts = Texts(catalog, words, self._phrases, self._subjects, self._pools)

    def build(self, progress: Progress = lambda *_: None) -> Built:
        """Build the tests about the subjects of the class. ``progress`` counts the subjects."""
        started = time.monotonic()
        people = self._known.statements.subjects(PEOPLE, "P31")
        rows: list[Row] = []
        rejections: list[Rejection] = []
        done = 0
        for qid in shuffled(people, key=lambda qid: (qid,), seed=self._options.seed):
            if done == self._options.limit:
                break
            progress(PEOPLE, done, self._options.limit)
            try:
                case = self._case(qid)
            except _Left as left:
                rejections.append(Rejection(qid, str(left), ""))
                continue
            done += 1
            rows += [vars(_row(name, make(case), case)) for name, make in TYPES.items()]
        seconds = time.monotonic() - started
        return Built(PEOPLE, {"grouse_tests": rows}, rejections, done + len(rejections), seconds)

    def _case(self, qid: str) -> Case:
        """Return what the tests about a subject are made of.

        Raises:
            _Left: there is not enough.
        """
        facts = self._askable(qid)
        if len(facts) <= _ASKED:
            raise _Left("too few facts")
        order = shuffled(facts, key=lambda pid: (qid, pid), seed=self._options.seed)
        # An absurd value needs words around it that take any name.
        order.sort(key=lambda pid: not self._takes_a_name(facts[pid]))
        like = self._like(qid, facts)
        strangers = [_named(facts[order[0]], one) for one in like]
        for one in like:
            # The last of the asked is what is distorted, with the value of the similar item.
            for last in (pid for pid in order[1:] if self._differ(facts, one.facts, pid)):
                first, second, extra = [pid for pid in order if pid != last][:_ASKED]
                asked = [facts[pid] for pid in (first, second, last)]
                foreign = self._foreign(asked, one.facts)
                absurd = [fact for fact in strangers if not share_a_word(fact.shown, one.label)]
                if len(foreign) == _FOREIGN and absurd and self._takes_a_name(asked[0]):
                    distorted = _valued(asked[-1], one.facts[last])
                    told = (facts[extra], foreign, distorted, absurd[0])
                    return self._made(one.qid, asked, *told)
        raise _Left("nobody like it")

    def _made(
        self,
        other: str,
        asked: Sequence[Fact],
        extra: Fact,
        foreign: Sequence[Fact],
        distorted: Fact,
        absurd: Fact,
    ) -> Case:
        qid = extra.qid
        return Case(
            subject=qid,
            label=self._pools.label(qid),
            other=other,
            question=self._question(asked),
            half=self._question(asked[:2]),
            asked=[self._statement(fact) for fact in asked],
            extra=self._statement(extra),
            foreign=[self._statement(fact) for fact in foreign],
            distorted=self._statement(distorted),
            absurd=self._statement(absurd),
        )

    def _askable(self, qid: str) -> _Facts:
        """Return what can be asked of an item: properties with one value that no other tells."""
        if not (name := self._pools.label(qid)):
            return {}
        by_property: dict[str, list[Fact]] = defaultdict(list)
        for fact in self._pools.of(qid):
            by_property[fact.pid].append(fact)
        found: _Facts = {}
        for fact in (some[0] for some in by_property.values() if len(some) == 1):
            is_told = any(_alike(fact, other) for other in found.values())
            if not is_told and self._can_be_asked(fact, name):
                found[fact.pid] = fact
        return found

    def _can_be_asked(self, fact: Fact, name: str) -> bool:
        """Tell whether a property has words of its own, and the name does not tell its value."""
        wording = self._words.properties.get(fact.pid)
        if wording is None or fact.pid in self._words.unasked or wording.of not in ("", "person"):
            return False
        if wording.unlike and re.search(wording.unlike, fact.shown):
            return False
        return fact.value.kind in ("item", "time") and not share_a_word(fact.shown, name)

    def _takes_a_name(self, fact: Fact) -> bool:
        """Tell whether the sentence of a fact stays grammatical, and gets absurd, with anybody."""
        is_person = fact.value_qid and self._known.kinds.of(fact.value_qid)[:1] == ["person"]
        wording = self._words.properties[fact.pid]
        return bool(fact.value_qid) and not is_person and not wording.value

    def _like(self, qid: str, facts: _Facts) -> list[_Like]:
        """Return the similar items, the most similar first, with what can be asked of them."""
        name = self._pools.label(qid)
        told = [name, *(fact.shown for fact in facts.values())]
        found = []
        for like in self._known.overlap.top(qid, facts, _LIKE):
            label = self._pools.label(like.qid)
            # One who is named after what is asked for, as Leopold of Belgium, would seem to answer.
            if label and not any(share_a_word(label, text) for text in told):
                theirs = {
                    pid: fact
                    for pid, fact in self._askable(like.qid).items()
                    # What names the subject would be information about it.
                    if fact.value_qid != qid and not share_a_word(fact.shown, name)
                }
                found.append(_Like(like.qid, label, theirs))
        return found

    def _differ(self, facts: _Facts, theirs: _Facts, pid: str) -> bool:
        """Tell whether a property's values are so different that one is false for the other."""
        if pid not in theirs or any(_alike(theirs[pid], fact) for fact in facts.values()):
            return False
        mine, other = facts[pid].value_qid, theirs[pid].value_qid
        if mine is None or other is None:
            return mine is other
        wholes = self._known.wholes.of
        return mine not in wholes(other) and other not in wholes(mine)

    def _foreign(self, asked: Sequence[Fact], theirs: _Facts) -> list[Fact]:
        """Return facts of a similar item unlike those asked for: first of the same properties."""
        pids = [fact.pid for fact in asked]
        unlike = [fact for fact in theirs.values() if not any(_alike(fact, one) for one in asked)]
        return sorted(unlike, key=lambda fact: fact.pid not in pids)[:_FOREIGN]

    def _statement(self, fact: Fact) -> Statement:
        return Statement(fact, self._texts.sentence([fact]))

    def _question(self, facts: Sequence[Fact]) -> str:
        """Return the question that asks one subject for facts."""
        subject = self._subjects.of(facts[0].qid)
        said = [self._phrases.said([one], self._pools.property_label(one.pid)) for one in facts]
        return specific(self._words, "", [(subject, said), (subject, ())]).strip()


def _valued(fact: Fact, other: Fact) -> Fact:
    return fact._replace(value=other.value, shown=other.shown)


def _named(fact: Fact, like: _Like) -> Fact:
    return fact._replace(value=Value("item", like.qid), shown=like.label)


def _alike(one: Fact, other: Fact) -> bool:
    """Tell whether the value of one fact might be read out of that of another."""
    if one.value.kind == other.value.kind == "time":
        return one.shown[:4] == other.shown[:4]
    return stands_in(one.shown, other.shown) or share_a_word(one.shown, other.shown)


def _row(name: str, made: Made, case: Case) -> Test:
    """Return the row of a test. The evidence is what proves its references, as far as true."""
    facts = {one.fact for one in made.references} - {case.absurd.fact}
    return Test(
        test_id=stable_id(DATASET, name, case.subject, made.input, made.actual),
        test_type=name,
        references=[one.text for one in made.references],
        input=made.input,
        actual_output=made.actual,
        expected_output=made.expected,
        conditions=dict(made.conditions),
        metadata={
            "test_type": name,
            "subject_qid": case.subject,
            "subject_label": case.label,
            "other_qid": case.other,
            "fault": made.fault,
            "evidence": [one._asdict() for one in sorted(fact.evidence for fact in facts)],
        },
        source=PEOPLE,
        split=split(case.subject),
    )
