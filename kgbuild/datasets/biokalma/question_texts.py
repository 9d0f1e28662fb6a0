"""Write the paragraph and the two questions of a knowledge set by templates.

The knowledge set has the facts that an answer needs; it is about two subjects, which a statement
joins. A predicate is a property with its values for one subject, as sentences write them.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.lexicon import Wording, lexicon
from kgbuild.datasets.biokalma.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.sentences import (
    Description,
    Predicate,
    Subject,
    write_general_question,
    write_paragraph,
    write_specific_question,
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
        for pattern, sentence in wording.variants:
            if all(re.search(pattern, fact.value_text) for fact in facts):
                # The sentence of a variant has its own articles, so values get none.
                wording = wording._replace(says=sentence, value_form="", variants=())
                break
        values = tuple(self._value(fact, wording) for fact in facts)
        of_people = any(fact.value_qid and self._is_person(fact.value_qid) for fact in facts)
        return Predicate(facts[0].pid, wording, values, of_people)

    def _is_person(self, qid: str) -> bool:
        return self._main_kind(qid) == [_PERSON]

    def _main_kind(self, qid: str) -> list[str]:
        """Return the name of the first kind of an item in relations.toml; an empty list without."""
        return self._kinds.names(qid)[:1]

    def _value(self, fact: Fact, wording: Wording) -> str:
        """Return the value of a fact as sentences write it, with its article or preposition."""
        if fact.value.kind == "time":
            return self._time(fact, wording)
        if wording.value_form == "a":
            return indefinite(fact.value_text)
        if wording.value_form == "the":
            has_article = fact.value_text.casefold().startswith("the ")
            return fact.value_text if has_article else f"the {fact.value_text}"
        return self._kind(fact).phrase(fact.value_text) if fact.value_qid else fact.value_text

    def _kind(self, fact: Fact) -> Kind:
        """Return the kind of a value, which decides about its article.

        The candidates are the kinds that relations.toml expects of objects of the relation; if it
        expects things, the main kind of the value is the first candidate. The first candidate that
        is the main kind, or that has no classes and so fits any value, is the result. If no
        candidate fits, it is the first one.
        """
        main_kind = self._main_kind(fact.value.text)
        relation = catalog().relations.get(fact.pid)
        expected_names = relation.object_kinds if relation else (_THING,)
        if _THING in expected_names:
            expected_names = (*main_kind, *expected_names)
        expected_kinds = [catalog().kinds[name] for name in expected_names]
        fitting = [kind for kind in expected_kinds if kind.name in main_kind or not kind.classes]
        return (fitting or expected_kinds)[0]

    def _time(self, fact: Fact, wording: Wording) -> str:
        """Return a date at the precision of its citation, perhaps with its preposition."""
        time = date_parsing.read(fact.value_text)  # the text in citations
        finest = next(iter(dates.answers(time)), None) if time else None
        text = finest.text if finest else fact.value_text
        if wording.value_form != "date":
            return text
        return f"{'on' if finest and finest.kind == _DAY else 'in'} {text}"


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
        return write_paragraph(self._lexicon, [(subject, [self._predicate(facts)])])

    def paragraph(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return a paragraph that states all facts of a set."""
        joining_facts = facts[: _path_length(statement)]
        opening = [
            (self._subject(fact.qid, statement), [self._predicate([fact])])
            for fact in joining_facts
        ]
        return write_paragraph(self._lexicon, [*opening, *self._descriptions(statement, facts)])

    def general(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return the general question, which names the topics of a set."""
        descriptions = self._descriptions(statement, facts)
        if any(subject.pronoun == "it" for subject, _ in descriptions):
            kind = "thing"
        else:
            kind = "kin" if statement[1] in self._lexicon.kin else "other"
        templates = self._lexicon.general[kind]
        pids = {fact.pid for fact in facts[_path_length(statement) :]}
        if pids.isdisjoint(self._lexicon.identifying):  # no fact says who the subjects are
            templates = tuple(text for text in templates if not text.startswith("Who "))
        return write_general_question(self._lexicon, _choose(templates, statement), descriptions)

    def specific(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return the specific question, which asks for each fact of a set."""
        opening_templates = self._relation(statement).biokalma
        opening = _choose(opening_templates, statement)
        return write_specific_question(self._lexicon, opening, self._descriptions(statement, facts))

    def _descriptions(self, statement: Triple, facts: Sequence[Fact]) -> list[Description]:
        """Return both subjects with their predicates in the order of the lexicon.

        The joining statement is left out.
        """
        by_property: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in facts[_path_length(statement) :]:
            by_property[fact.qid, fact.pid].append(fact)
        predicates: dict[str, list[Predicate]] = {qid: [] for qid in joined_items(statement)}
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
        joins contemporaries, as symmetric relations such as spouse do; else sentences about it are
        in the past tense.
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
        """Return the relation of a statement: of P800/P57 it is P57, which names its path."""
        _, path, _ = statement
        return catalog().relations[path.rpartition("/")[2]]

    def _predicate(self, facts: Sequence[Fact]) -> Predicate:
        return self._phraser.predicate(facts, self._pools.property_label(facts[0].pid))


def _path_length(statement: Triple) -> int:
    """Return the number of facts of a joining statement: 2 for a path of two properties."""
    return 1 + statement[1].count("/")


def _choose(templates: Sequence[str], statement: Triple) -> str:
    """Choose a template by a hash of the statement, so that all builds choose the same one.

    "form" is a part of the hash, so that other choices for the statement are independent of it.
    """
    return templates[int(stable_id("form", *statement), 16) % len(templates)]
