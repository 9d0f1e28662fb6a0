"""Build tests for evaluators: for each subject, a test of each type.

Source: the GroUSE dataset, whose sets of tests share a question and largely its references.
"""

import re
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kgbuild import wikidata
from kgbuild.catalog import Catalog
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.minimal import share_a_word, stands_in
from kgbuild.datasets.biokalma.phrases import Phraser
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.sentences import Predicate, Subject, specific_question
from kgbuild.datasets.biokalma.subjects import Subjects, short_name
from kgbuild.datasets.grouse import wording
from kgbuild.datasets.grouse.cases import REFERENCES, Case, text
from kgbuild.datasets.grouse.faults import TYPES, GeneratedTest
from kgbuild.datasets.grouse.rows import DATASET, Test
from kgbuild.datasets.grouse.wording import Statement
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean
from kgbuild.rows import Built, Progress, Rejected, Rejection, Row, shuffled, split, stable_id
from kgbuild.wikidata import Value

PEOPLE = "Q5"
"""The class that tests are about."""
_ASKED = 3
_FOREIGN = REFERENCES + 1
"""The number of facts of other items; in some sets, two of them share a reference."""
_OF_OTHER = 3
"""The most facts of one similar item."""
_LIKE = 20
"""The number of similar items that are tried for a case."""
_MODERN = 1600
"""The first year of birth from which ancient countries, and dates of long before, are absurd."""
_LONG_BEFORE = 800
"""Years by which a date is made absurd: two full turns of the calendar, so every day exists."""

_Facts: TypeAlias = dict[str, Fact]
"""The facts of an item that can be asked for, by property: each has a single value."""


class _SimilarItem(NamedTuple):
    """An item similar to a subject, with the facts that can be asked for."""

    qid: str
    label: str
    facts: _Facts


class _Selection(NamedTuple):
    """The facts of a case about a subject and other items: see ``Case``."""

    asked: Sequence[Fact]
    extra: Fact
    mistold: Fact
    foreign: Sequence[Fact]


@dataclass(frozen=True)
class Options:
    """The options of a build: the most subjects, and the seed of their order."""

    limit: int = 60
    seed: int = 0


class Builder:
    """Builds tests from one store."""

    def __init__(self, knowledge: Knowledge, catalog: Catalog, lexicon: Lexicon, options: Options):
        self._knowledge = knowledge
        self._lexicon = lexicon
        self._options = options
        self._pools = Pools(knowledge, lexicon)
        self._subjects = Subjects(knowledge, catalog, lexicon, self._pools)
        self._phraser = Phraser(catalog, lexicon, knowledge.kinds)
        self._own = wording.property_words()

    def build(self, progress: Progress = lambda *_: None) -> Built:
        """Build the tests about the subjects of the class. ``progress`` counts the subjects."""
        started = time.monotonic()
        people = self._knowledge.statements.subjects(PEOPLE, "P31")
        rows: list[Row] = []
        rejections: list[Rejection] = []
        done = 0
        for qid in shuffled(people, key=lambda qid: (qid,), seed=self._options.seed):
            if done == self._options.limit:
                break
            progress(PEOPLE, done, self._options.limit)
            try:
                case = self._case(qid)
            except Rejected as rejected:
                rejections.append(rejected.rejection(qid))
                continue
            done += 1
            rows += [
                vars(_row(name, make(case._replace(test_type=name)), case))
                for name, make in TYPES.items()
            ]
        seconds = time.monotonic() - started
        return Built(PEOPLE, {"grouse_tests": rows}, rejections, done + len(rejections), seconds)

    def _case(self, qid: str) -> Case:
        """Return the case of a subject.

        Raises:
            Rejected: there are not enough facts.
        """
        facts = self._askable(qid)
        if len(facts) <= _ASKED:
            raise Rejected("too few facts")
        if not self._subjects.of(qid).pronoun:
            raise Rejected("no pronoun")
        order = shuffled(facts, key=lambda pid: (qid, pid), seed=self._options.seed)
        absurd = next(filter(None, (self._absurd(facts[pid]) for pid in order)), None)
        if not absurd:
            raise Rejected("nothing absurd")
        found = self._similar_items(qid, facts)
        for other in found:
            for odd in (pid for pid in order if self._differ(facts, other.facts, pid)):
                pids = [*dict.fromkeys((absurd.pid, odd, *order))]
                others = [other, *(one for one in found if one is not other)]
                chosen = self._select([facts[pid] for pid in pids], others)
                if chosen:
                    distorted = _valued(facts[odd], other.facts[odd])
                    return self._assemble(other.qid, chosen, distorted, absurd)
        raise Rejected("nobody like it")

    def _select(self, facts: Sequence[Fact], others: Sequence[_SimilarItem]) -> _Selection | None:
        """Return a selection whose first facts are asked for; None if there are too few facts.

        Its extra fact is one for which another item has a different value.
        """
        seed = self._options.seed
        asked = shuffled(facts[:_ASKED], key=lambda fact: (fact.qid, fact.pid, "asked"), seed=seed)
        by_property = {fact.pid: fact for fact in facts}
        for extra in facts[_ASKED:]:
            wrong = (
                one.facts[extra.pid]
                for one in others
                if self._differ(by_property, one.facts, extra.pid)
            )
            mistold = next(wrong, None)
            foreign = _foreign([*asked, extra], others)
            if mistold and len(foreign) == _FOREIGN and foreign[1].qid == others[0].qid:
                return _Selection(asked, extra, _valued(extra, mistold), foreign)
        return None

    def _assemble(self, other: str, chosen: _Selection, distorted: Fact, absurd: Fact) -> Case:
        asked, extra, mistold, foreign = chosen
        people = [*dict.fromkeys(self._pools.label(fact.qid) for fact in (extra, *foreign))]

        def stated(fact: Fact) -> Statement:
            return self._statement(fact, people)

        pids = [fact.pid for fact in asked]
        return Case(
            seed=self._options.seed,
            subject=extra.qid,
            label=people[0],
            other=other,
            question=self._question(asked, people),
            half=self._question(asked[:2], people),
            asked=[*map(stated, asked)],
            extra=stated(extra),
            foreign=[*map(stated, foreign)],
            odd=pids.index(distorted.pid),
            distorted=stated(distorted),
            absurd_at=pids.index(absurd.pid),
            absurd=stated(absurd),
            mistold=stated(mistold),
        )

    def _askable(self, qid: str) -> _Facts:
        """Return the facts that can be asked for: single values that no other fact reveals."""
        # Without a date of birth the tense would be a guess.
        if not (name := self._pools.label(qid)) or not self._knowledge.times.years(qid, "P569"):
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
        """Return whether a property has its own words, and the name does not reveal its value."""
        if fact.pid not in self._own:
            return False
        for unlike in (
            self._lexicon.properties[fact.pid].unlike,
            self._own[fact.pid].unlike,
            _ENDED,
        ):
            if unlike and re.search(unlike, fact.shown):
                return False
        return fact.value.kind in ("item", "time") and not share_a_word(fact.shown, name)

    def _absurd(self, fact: Fact) -> Fact | None:
        """Return a fact with a value of its kind that cannot be true, or None if there is none."""
        born = [first for first, _ in self._knowledge.times.years(fact.qid, "P569")]
        if min(born) < _MODERN:
            return None
        if fact.value.kind == "time":
            return _long_before(fact)
        named = ((qid, self._pools.label(qid)) for qid in self._own[fact.pid].absurd)
        known = [fact._replace(value=Value("item", qid), shown=name) for qid, name in named if name]
        found = [one for one in known if not share_a_word(one.shown, fact.shown)]
        return next(
            iter(shuffled(found, key=lambda one: one.triple, seed=self._options.seed)), None
        )

    def _similar_items(self, qid: str, facts: _Facts) -> list[_SimilarItem]:
        """Return the similar items, the most similar first, with their facts."""
        name = self._pools.label(qid)
        told = [name, *(fact.shown for fact in facts.values())]
        found = []
        for like in self._knowledge.similarity.most_similar(qid, facts, _LIKE):
            label = self._pools.label(like.qid)
            # A label with the answer in it, such as Leopold of Belgium, would seem to answer.
            if label and not any(share_a_word(label, text) for text in told):
                theirs = {
                    pid: fact
                    for pid, fact in self._askable(like.qid).items()
                    # A fact that names the subject would be information about it.
                    if fact.value_qid != qid and not share_a_word(fact.shown, name)
                }
                found.append(_SimilarItem(like.qid, label, theirs))
        return found

    def _differ(self, facts: _Facts, theirs: _Facts, pid: str) -> bool:
        """Return whether the values of a property exclude each other."""
        if pid not in theirs or any(_alike(theirs[pid], fact) for fact in facts.values()):
            return False
        mine, other = facts[pid].value_qid, theirs[pid].value_qid
        if mine is None or other is None:
            return mine is other
        wholes = self._knowledge.wholes.above
        return mine not in wholes(other) and other not in wholes(mine)

    def _statement(self, fact: Fact, people: Sequence[str]) -> Statement:
        """Return a fact with its wordings, which distinguish the subject from other people."""
        predicate = self._predicate(fact)
        # A form that a value needs has no second wording.
        is_plain = predicate.wording.says == self._lexicon.properties[fact.pid].says
        says = self._own[fact.pid].otherwise if is_plain else predicate.wording.says
        otherwise = predicate._replace(wording=predicate.wording._replace(says=says))
        return Statement(fact, self._subject(fact.qid, people), predicate, otherwise)

    def _subject(self, qid: str, people: Sequence[str]) -> Subject:
        subject = self._subjects.of(qid)
        others = " ".join(name for name in people if name != subject.name)
        return subject._replace(short_name=short_name(subject.name, others))

    def _predicate(self, fact: Fact) -> Predicate:
        return self._phraser.predicate([fact], self._pools.property_label(fact.pid))

    def _question(self, facts: Sequence[Fact], people: Sequence[str]) -> str:
        """Return the question that asks for facts of one subject."""
        subject = self._subject(facts[0].qid, people)
        predicates = [self._predicate(fact) for fact in facts]
        return specific_question(self._lexicon, "", [(subject, predicates), (subject, ())]).strip()


_ENDED = r"\b[a-z]+\.$"
"""A full stop that is not part of a name: "chess."."""


def _foreign(told: Sequence[Fact], others: Sequence[_SimilarItem]) -> list[Fact]:
    """Return facts of similar items that differ from the told ones, same properties first."""
    pids = [fact.pid for fact in told[:_ASKED]]
    found: list[Fact] = []
    for one in others:
        unlike = [fact for fact in one.facts.values() if not any(_alike(fact, x) for x in told)]
        found += sorted(unlike, key=lambda fact: fact.pid not in pids)[:_OF_OTHER]
    return found[:_FOREIGN]


def _long_before(fact: Fact) -> Fact | None:
    year, rest = fact.value.text[:4], fact.value.text[4:]
    if not year.isdigit():
        return None
    value = fact.value._replace(text=f"{int(year) - _LONG_BEFORE:04}{rest}")
    return fact._replace(value=value, shown=clean(wikidata.show(value)))


def _valued(fact: Fact, other: Fact) -> Fact:
    return fact._replace(value=other.value, shown=other.shown)


def _alike(one: Fact, other: Fact) -> bool:
    """Return whether the value of one fact may be read from that of another."""
    if one.value.kind == other.value.kind == "time":
        return one.shown[:4] == other.shown[:4]
    return stands_in(one.shown, other.shown) or share_a_word(one.shown, other.shown)


def _row(name: str, made: GeneratedTest, case: Case) -> Test:
    """Return the row of a test; its evidence proves the true references."""
    facts = {one.fact for some in made.references for one in some} - {case.absurd.fact}
    return Test(
        test_id=stable_id(DATASET, name, case.subject, made.input, made.actual),
        test_type=name,
        references=[*map(text, made.references)],
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
