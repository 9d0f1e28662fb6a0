"""Write the paragraph and the two questions of a knowledge set by templates.

A predicate is a property of a subject and its values, as sentences write them.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import Wording, lexicon
from kgbuild.datasets.biokalma.minimal import Triple
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.sentences import (
    Description,
    Predicate,
    Subject,
    general_question,
    paragraph,
    specific_question,
)
from kgbuild.datasets.biokalma.subjects import Subjects, short_name
from kgbuild.english import date_parsing, dates
from kgbuild.english.articles import indefinite
from kgbuild.graph.hierarchy import Kinds
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Kind, Relation
from kgbuild.rows import stable_id

_DAY = "day"
_PERSON, _THING = "person", "thing"


class Phraser:
    """Turns facts into predicates."""

    def __init__(self, kinds: Kinds):
        self._kinds = kinds

    def predicate(self, facts: Sequence[Fact], label: str) -> Predicate:
        """Return the predicate of facts with the same subject and property.

        ``label`` is the label of the property.
        """
        wording = lexicon().wording(facts[0].pid, label)
        for pattern, says in wording.variants:
            if all(re.search(pattern, fact.shown) for fact in facts):
                wording = wording._replace(says=says, value_form="", variants=())
                break
        values = tuple(self._value(fact, wording) for fact in facts)
        of_people = any(fact.value_qid and self._is_person(fact.value_qid) for fact in facts)
        return Predicate(facts[0].pid, wording, values, of_people)

    def _is_person(self, qid: str) -> bool:
        return self._kinds.names(qid)[:1] == [_PERSON]

    def _value(self, fact: Fact, wording: Wording) -> str:
        """Return the value of a fact as sentences write it, with its article or preposition."""
        if fact.value.kind == "time":
            return self._time(fact, wording)
        if wording.value_form == "a":
            return indefinite(fact.shown)
        if wording.value_form == "the":
            return fact.shown if fact.shown.casefold().startswith("the ") else f"the {fact.shown}"
        return self._kind(fact).phrase(fact.shown) if fact.value_qid else fact.shown

    def _kind(self, fact: Fact) -> Kind:
        """Return the kind of a value, which decides about its article.

        It is the first kind that relations.toml expects and the value has. A value of unusual
        classes has none of these; then it is the first expected kind.
        """
        main_kind = self._kinds.names(fact.value.text)[:1]
        relation = catalog().relations.get(fact.pid)
        expected = relation.object_kinds if relation else (_THING,)
        if _THING in expected:
            expected = (*main_kind, *expected)
        kinds = [catalog().kinds[name] for name in expected]
        matches = [kind for kind in kinds if kind.name in main_kind or not kind.classes]
        return (matches or kinds)[0]

    def _time(self, fact: Fact, wording: Wording) -> str:
        # The text of citations is read, so that paragraph and citation have the same precision.
        time = date_parsing.read(fact.shown)
        forms = dates.answers(time) if time else ()
        text = forms[0].text if forms else fact.shown
        if wording.value_form != "date":
            return text
        return f"{'on' if forms and forms[0].kind == _DAY else 'in'} {text}"


class QuestionTexts:
    """Writes texts by templates, from a knowledge set about two subjects that a statement joins.

    The set begins with this statement: with one fact, or with two for a path (``P800/P57``).
    """

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._lexicon = lexicon()
        self._phraser = Phraser(knowledge.kinds)
        self._subjects = Subjects(knowledge, pools)
        self._pools = pools

    def name(self, qid: str) -> str:
        """Return the name of a subject in sentences."""
        return self._subjects.subject(qid).name

    def is_thing(self, qid: str) -> bool:
        """Return whether a subject is not a person."""
        return self._subjects.subject(qid).pronoun == "it"

    def sentence(self, facts: Sequence[Fact]) -> str:
        """Return a sentence that states facts of one subject and property."""
        subject = self._subjects.subject(facts[0].qid)
        return paragraph(self._lexicon, [(subject, [self._predicate(facts)])])

    def paragraph(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return a paragraph that states all facts of a set."""
        joining_facts = facts[: _path_length(statement)]
        opening = [
            (self._subject(fact.qid, statement), [self._predicate([fact])])
            for fact in joining_facts
        ]
        return paragraph(self._lexicon, [*opening, *self._descriptions(statement, facts)])

    def general(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return the general question, which names the topics of a set."""
        descriptions = self._descriptions(statement, facts)
        if any(subject.pronoun == "it" for subject, _ in descriptions):
            kind = "thing"
        else:
            kind = "kin" if statement[1] in self._lexicon.kin else "other"
        templates = self._lexicon.general[kind]
        if not self._lexicon.identifying & {fact.pid for fact in facts[_path_length(statement) :]}:
            templates = tuple(text for text in templates if not text.startswith("Who "))
        return general_question(self._lexicon, _choose(templates, statement), descriptions)

    def specific(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return the specific question, which asks for each fact of a set."""
        opening = _choose(self._relation(statement).biokalma, statement)
        return specific_question(self._lexicon, opening, self._descriptions(statement, facts))

    def _descriptions(self, statement: Triple, facts: Sequence[Fact]) -> list[Description]:
        """Return both subjects with their predicates in the order of the lexicon.

        The joining statement is left out.
        """
        by_property: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in facts[_path_length(statement) :]:
            by_property[fact.qid, fact.pid].append(fact)
        predicates: dict[str, list[Predicate]] = {qid: [] for qid in statement[::2]}
        for (qid, _), facts_of_property in by_property.items():
            predicates[qid].append(self._predicate(facts_of_property))
        for subject_predicates in predicates.values():
            subject_predicates.sort(key=lambda predicate: predicate.wording.position)
        return [
            (self._subject(qid, statement), subject_predicates)
            for qid, subject_predicates in predicates.items()
        ]

    def _subject(self, qid: str, statement: Triple) -> Subject:
        """Return how sentences refer to a subject of a statement.

        A subject without dates counts as alive if the other subject is alive and the relation
        joins contemporaries; else sentences about it are in the past tense.
        """
        first, _, second = statement
        subject = self._subjects.subject(qid)
        partner = self._subjects.subject(second if qid == first else first)
        is_past = subject.is_past
        if is_past is None:
            relation = self._relation(statement)
            joins_contemporaries = relation.contemporary or relation.symmetric
            is_past = not (joins_contemporaries and partner.is_past is False)
        short = subject.name if self.is_thing(qid) else short_name(subject.name, partner.name)
        return subject._replace(short_name=short, is_past=is_past)

    def _relation(self, statement: Triple) -> Relation:
        return catalog().relations[statement[1].rpartition("/")[2]]

    def _predicate(self, facts: Sequence[Fact]) -> Predicate:
        return self._phraser.predicate(facts, self._pools.property_label(facts[0].pid))


def _path_length(statement: Triple) -> int:
    """Return the number of facts of a joining statement: 2 for a path of two properties."""
    return 1 + statement[1].count("/")


def _choose(templates: Sequence[str], statement: Triple) -> str:
    """Choose a template by a hash of the statement, so that all builds choose the same one."""
    return templates[int(stable_id("form", *statement), 16) % len(templates)]
