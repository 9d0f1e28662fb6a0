"""List the readings of a question: the relations and subjects that it may be about.

A question may ask for the value of a relation ("Who directed Dust?"), or backward for its subject
("Which film did Ann Lee direct?").
"""

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.records import FileAnswer, FileRecord
from kgbuild.datasets.granola.files.relation_words import RelationWords
from kgbuild.datasets.granola.files.templates import Templates
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.english import date_levels, date_parsing
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.rows import Evidence
from kgbuild.store.labels import Spellings
from kgbuild.text.index import Items, NameIndex, Nearness
from kgbuild.text.linking import NameLinker
from kgbuild.text.names import forms
from kgbuild.text.people import People
from kgbuild.text.words import split
from kgbuild.wikidata import number

EXACT = Nearness(is_alias=False, is_spelled_otherwise=False)
_MOST_NEIGHBOURS = 2000
"""Greatest number of items joined to an answer whose names are looked for in a question."""


class Mention(NamedTuple):
    """A name in a question, where it begins and ends, and the items with this name.

    It begins and ends at 0 if it is not in the question.
    """

    text: str
    start: int
    end: int
    items: Items

    def contains(self, mention: "Mention") -> bool:
        """Return whether another, shorter name is a part of this one."""
        is_inside = self.start <= mention.start and mention.end <= self.end
        return is_inside and self.end - self.start > mention.end - mention.start


class Reading(NamedTuple):
    """A relation and a subject, and the evidence that the question is about them.

    ``has_answer``: the subject has the relation to an answer of the file; ``has_relation``: to
    anything; ``is_of_kind``: the subject is of a kind that the relation is about. ``by_template``:
    the whole question is a template of the relation with this name. ``is_backward`` if the answers
    have the relation to the subject.
    """

    relation: Relation
    qid: str
    mention: Mention
    near: Nearness
    by_template: bool
    has_answer: bool
    has_relation: bool
    is_of_kind: bool
    is_backward: bool = False


class Readings:
    """Lists the readings of questions.

    What chooses a reading and what links answers share its ``knowledge``, ``facts``, ``words`` and
    ``templates``.
    """

    def __init__(self, knowledge: Knowledge, names: Spellings):
        self.knowledge = knowledge
        self.facts = RelationFacts(knowledge)
        self.words = RelationWords(knowledge.labels)
        self.templates = Templates([*self.words.relations.values()])
        self._index = NameIndex(knowledge, names)
        self._linker = NameLinker(self._index)
        self.named = functools.lru_cache(1 << 14)(self._read_named)
        self.relations_of = functools.lru_cache(1 << 14)(self._read_relations)
        self._mentions_in = functools.lru_cache(2)(self._read_mentions)

    def of(self, record: FileRecord, relations: Sequence[Relation]) -> list[Reading]:
        """Return the readings of a question about one of some relations, or else any relation.

        A relation that neither the file nor a template names must be stated of the subject. If
        nothing but the question names anything, and no name is joined to an answer of the file,
        common words and misspelt names may be.
        """
        readings = self._exact(record, relations)
        is_named = relations or record.subject or record.subject_qid
        if is_named or not record.answers or any(r.has_answer or r.by_template for r in readings):
            return readings
        return self._common(record) or self._misspelt(record)

    def _exact(self, record: FileRecord, relations: Sequence[Relation]) -> list[Reading]:
        """Return the readings by names that are spelled as in the store."""
        matches = self.templates.matches(record.question, relations)
        has_subject = bool(record.subject or record.subject_qid)
        golds = {qid for answer in record.answers for qid in self.items(answer)}
        readings = []
        for mention in self._mentions(record, [match.mention for match in matches]):
            matched = [m.relation for m in matches if has_subject or m.mention == mention.text]
            for qid, near in mention.items.items():
                stated = [] if relations else self.relations_of(qid)
                by_pid = {r.pid: r for r in (*relations, *matched, *stated)}
                for relation in () if record.is_backward else by_pid.values():
                    evidence = self._evidence(qid, relation, record)
                    reading = Reading(relation, qid, mention, near, relation in matched, *evidence)
                    if record.subject_qid or self._is_possible(reading):
                        readings.append(reading)
                readings += [
                    Reading(relation, qid, mention, near, False, True, True, True, is_backward=True)
                    for relation in self._backward(qid, golds)
                    if not matched and (not relations or relation in relations)
                ]
        return readings

    def _common(self, record: FileRecord) -> list[Reading]:
        """Return the readings of common words that are joined to an answer: "crash"."""
        return [
            reading._replace(mention=mention, near=mention.items[qid])
            for mention in self._mentions_in(record.question, is_common=True)
            if not self.words.names_kind(fold(mention.text))  # "what country"
            for qid in mention.items
            for reading in self._exact(record._replace(subject=mention.text, subject_qid=qid), ())
            if reading.has_answer
        ]

    def _misspelt(self, record: FileRecord) -> list[Reading]:
        """Return the readings of names that are joined to an answer, and that a question misspells.

        They are names of people, or nearly the labels of what is joined to an answer.
        """
        text = split(record.question)
        golds = {qid for answer in record.answers for qid in self.items(answer)}
        people = People(self._index).completed(
            text, self._linker.whole(text, self._linker.names(text))
        )
        near = self._linker.nearly(text, self._around(golds))
        readings = []
        for name in (*people, *near):
            start, end = text.words[name.first].start, text.words[name.last].end
            mention = Mention(record.question[start:end], start, end, name.items)
            named = record._replace(subject=mention.text)
            readings += [
                reading._replace(mention=mention)
                for qid in name.items
                for reading in self._exact(named._replace(subject_qid=qid), ())
                if reading.has_answer
            ]
        return readings

    def _around(self, golds: Iterable[str]) -> Iterator[str]:
        """Yield the items that statements join to answers, unless they are too many."""
        statements = self.knowledge.statements
        for gold in golds:
            yield from (v for values in statements.by_property(gold).values() for v in values)
            if statements.popularity(gold) <= _MOST_NEIGHBOURS:
                for pid in sorted(statements.properties_to(gold), key=number):
                    yield from statements.subjects(gold, pid)

    def has_names(self, question: str) -> bool:
        """Return whether a question has the name of an item."""
        return bool(self._mentions_in(question))

    def items(self, answer: FileAnswer) -> Items:
        """Return the item with the id of an answer, if there is one, else the items so named.

        "Jerusalem, Israel" is the Jerusalem that lies in Israel, if no item has the whole name.
        """
        if answer.qid:
            return {answer.qid: EXACT} if self._index.is_known(answer.qid) else {}
        named = self.named(answer.text)
        head, comma, tail = answer.text.partition(", ")
        if named or not comma:
            return named
        areas = [self._index.around(q) for q in self.named(tail.rpartition(", ")[2])]
        return {
            qid: near
            for qid, near in self.named(head).items()
            if any(not area.isdisjoint(self._index.around(qid)) for area in areas)
        }

    def values(
        self, qid: str, relation: Relation, is_backward: bool = False
    ) -> dict[str, Evidence]:
        """Return the values of an item for a relation, or the items of which it is a value."""
        if not is_backward:
            return self.facts.values(qid, relation)
        subjects = self.knowledge.statements.subjects(qid, relation.pid)
        return {subject: Evidence(subject, relation.pid, qid) for subject in subjects}

    def _backward(self, qid: str, golds: Collection[str]) -> list[Relation]:
        """Return the relations of some answers to an item."""
        relations = self.words.relations
        pids = {
            pid
            for gold in golds
            for subject, pid, _ in self.knowledge.statements.between(gold, qid)
            if subject == gold and self.words.is_asked(pid)
        }
        return [relations[pid] for pid in sorted(pids, key=number)]

    def _read_relations(self, qid: str) -> list[Relation]:
        return [r for r in self.words.relations.values() if self._states(qid, r)]

    def _states(self, qid: str, relation: Relation) -> bool:
        if relation.object_kinds == DATE:
            return bool(self.knowledge.times.of(qid, relation.pid))
        if self.knowledge.statements.values(qid, relation.pid):
            return True
        return bool(catalog().mirrors(relation) and self.values(qid, relation))

    def _mentions(self, record: FileRecord, matched: Sequence[str]) -> Iterator[Mention]:
        """Yield the names that may be those of the subject, with their items."""
        if record.subject_qid:
            exists = self._index.is_known(record.subject_qid)
            yield Mention(record.subject or "", 0, 0, {record.subject_qid: EXACT} if exists else {})
        elif record.subject:
            yield Mention(record.subject, 0, 0, self.named(record.subject))
        else:
            for text in dict.fromkeys(matched):
                start = max(record.question.find(text), 0)
                yield Mention(text, start, start + len(text), self.named(text))
            yield from (m for m in self._mentions_in(record.question) if m.text not in matched)

    def _read_mentions(self, question: str, *, is_common: bool = False) -> list[Mention]:
        """Return the whole names in a question, with their places and items.

        With ``is_common``, they may be common words in small letters.
        """
        text = split(question.encode("utf-8", "replace").decode())
        find = self._linker.unbroken if is_common else self._linker.whole
        mentions = []
        for name in find(text, self._linker.names(text)):
            start = text.words[name.first].start
            following = text.words[name.last + 1 : name.last + 2]
            if not any(word.text.isdecimal() and word.gap == " " for word in following):
                mentions.append(Mention(name.text, start, start + len(name.text), name.items))
        return mentions

    def _read_named(self, name: str) -> Items:
        """Return the items with a name that a file tells."""
        text = split(name)
        all_forms = forms(name, text.words, is_cased=True) if text.words else [name]
        return self._index.items(*all_forms)

    def _evidence(
        self, qid: str, relation: Relation, record: FileRecord
    ) -> tuple[bool, bool, bool]:
        """Return whether an item has an answer, the relation, and a fitting kind."""
        is_of_kind = not {*relation.subject_kinds}.isdisjoint(self.knowledge.kinds.names(qid))
        if relation.object_kinds == DATE:
            times = self.knowledge.times.of(qid, relation.pid)
            stated = [forms for value in times if (forms := date_levels.answers(value))]
            texts = {
                fold(t) for forms in stated for form in forms for t in (form.text, *form.aliases)
            }
            agrees = any(_date_text(answer.text) in texts for answer in record.answers)
            return agrees, bool(stated), is_of_kind
        values = self.values(qid, relation)
        has_answer = any(not self.items(one).keys().isdisjoint(values) for one in record.answers)
        return has_answer, bool(values), is_of_kind

    def _is_possible(self, reading: Reading) -> bool:
        """Return whether the subject of a reading is of a fitting kind, or has other evidence.

        The only item called "Two" is a number, and released no music.
        """
        kinds = self.knowledge.kinds.names(reading.qid)
        is_stated = reading.has_answer or reading.has_relation
        return is_stated or not kinds or catalog().fits(kinds, reading.relation.subject_kinds)


def _date_text(text: str) -> str:
    """Return a date as ``dates`` writes it, or else the folded text."""
    date = date_parsing.read(text)
    forms = date_levels.answers(date) if date else ()
    return fold(forms[0].text if forms else text)
