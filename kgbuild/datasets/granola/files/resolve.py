"""Resolve the names in a question to items: its subject and its gold answers.

If a question has several readings, evidence decides: statements first, then the words of the
question. If evidence does not decide, the question is rejected. In the GRANOLA paper (2024,
section 3.1) the smallest id decides.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.files.choose_reading import ReadingChoice, Score
from kgbuild.datasets.granola.files.readings import Readings
from kgbuild.datasets.granola.files.records import FileAnswer, FileRecord
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english import date_levels, date_parsing
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.rows import Evidence, Rejected, Rejection
from kgbuild.store.labels import Spellings
from kgbuild.text.index import Items, Nearness
from kgbuild.wikidata import number

RESOLUTIONS = {
    "given": "the file gives the id",
    "answer": "the only item with this name that has the relation to an answer of the file",
    "relation": "else the only item that has the relation",
    "class": "else the only item of a kind that the question is about",
    "description": "else the item whose description fits the question best",
    "name": "else the item whose name is most similar to the name in the question",
    "answer only": "no subject: only an answer was resolved, and the rest of the record agrees",
}
"""The rules that choose a subject, in this order; the rule that leaves one item is recorded."""
_WORD = re.compile(r"\w{4,}")
"""Words of a description that can agree with a question: short words are mostly common."""


class Resolved(NamedTuple):
    """The relation, the subject and the answers of a question, and the rule for the subject.

    The subject is None if the rule is "answer only"; ``mention`` is its name in the question. If
    the question ``is_backward``, the answers have the relation to the subject.
    """

    relation: Relation
    subject: str | None
    answers: tuple[FileAnswer, ...]
    resolution: str
    mention: str | None
    is_backward: bool = False

    @property
    def asked(self) -> Relation:
        """The relation of the subject to the answers; the inverse one if it ``is_backward``."""
        if not self.is_backward:
            return self.relation
        return replace(
            self.relation,
            subject_kinds=self.relation.object_kinds,
            object_kinds=self.relation.subject_kinds,
            accepts_places=False,
            accepts_classes=False,
        )


class FileResolver:
    """Resolves the names in questions; each name is looked up once.

    ``score`` compares descriptions with questions; without it they are not compared. ``words`` are
    the names of relations.
    """

    def __init__(self, knowledge: Knowledge, names: Spellings, score: Score | None = None):
        self._knowledge = knowledge
        self._readings = readings = Readings(knowledge, names)
        self.words = readings.words
        self._facts = readings.facts
        self._choice = ReadingChoice(readings, score)

    def resolve(self, record: FileRecord, file_name: str = "") -> Resolved | Rejection:
        """Return the relation, subject and answers of a question, or a rejection.

        If the record does not name the relation, the name of the file may. If the file has no
        answers, the answers are those that the store has for the subject.
        """
        try:
            return self._resolve(record, file_name)
        except Rejected as rejected:
            return rejected.rejection(record.key)

    def values(self, resolved: Resolved) -> Mapping[str, Evidence]:
        """Return what the store states as answers to a resolved question, each with its triple."""
        if not resolved.subject:
            return {}
        return self._readings.values(resolved.subject, resolved.relation, resolved.is_backward)

    def item(self, text: str, relation: Relation) -> str | None:
        """Return the item that an answer to a question about a relation names, or None.

        Labels take precedence over aliases, then items that have the relation or a fitting kind,
        then the smallest id.
        """
        items = self._possible(FileAnswer(text, None), relation.object_kinds, None, {})

        def rank(qid: str) -> tuple[bool, bool, bool, Nearness, int]:
            near, is_value = items[qid], self._facts.is_value(qid, relation)
            is_of_kind = self._is_of_kind(qid, relation)
            return near.is_alias, not is_value, not is_of_kind, near, number(qid)

        return min(items, key=rank, default=None)

    def _resolve(self, record: FileRecord, file_name: str) -> Resolved:
        relations = self._relations(record, file_name)
        best = self._choice.choose(record, relations)
        if best is None:
            return self._answer_only(record, relations)
        chosen, rule = best
        relation, subject = chosen.relation, chosen.qid
        if record.answers:
            linked = self._linked(record.answers, relation, subject, chosen.is_backward)
        else:
            linked = self._stated_answers(subject, relation)
        answers = tuple(answer for answer in linked if answer.text)
        if not answers:
            raise Rejected("unknown id" if record.answers else "no value", record.question)
        mention = chosen.mention.text or None
        return Resolved(relation, subject, answers, rule, mention, chosen.is_backward)

    def _relations(self, record: FileRecord, file_name: str) -> list[Relation]:
        """Return the relations that the file names; none if it names no relation.

        Answers and the words of the question can show which relation an unknown name means.

        Raises:
            Rejected: no relation has the name in the record, which has no answers.
        """
        if record.relation:
            relations = self.words.named(record.relation)
            if not relations and not record.answers:
                raise Rejected("unknown relation", record.relation)
            return relations
        pid = self._readings.templates.of_file(file_name)
        return [self.words.relations[pid]] if pid else []

    def _linked(
        self,
        answers: Sequence[FileAnswer],
        relation: Relation,
        subject: str | None,
        is_backward: bool = False,
    ) -> list[FileAnswer]:
        """Return the answers in their order, with their items if the store has them.

        The values of the subject come first. Else a text may be the label of another item that has
        the relation or a fitting kind; an alias is no evidence.
        """
        if relation.object_kinds == DATE and not is_backward:
            return [FileAnswer(answer.text, None) for answer in answers]
        values = self._readings.values(subject, relation, is_backward) if subject else {}
        kinds = relation.subject_kinds if is_backward else relation.object_kinds
        label = self._knowledge.labels.label
        linked = []
        for answer in answers:
            items = self._possible(answer, kinds, subject, values)
            agreed = [qid for qid in items if answer.qid or qid in values]
            qid = min(agreed, key=lambda one: (items[one], number(one)), default=None)
            if qid is None and not is_backward:
                qid = self._by_label(items, relation)
            linked.append(FileAnswer(answer.text or (qid and label(qid)) or "", qid))
        return linked

    def _possible(
        self,
        answer: FileAnswer,
        kinds: Sequence[str],
        subject: str | None,
        values: Mapping[str, object],
    ) -> Items:
        """Return the items that an answer may mean, without those of an unfitting kind.

        A person is no place of birth, unless the store says so; an id is not checked.
        """

        def is_possible(qid: str) -> bool:
            names = self._knowledge.kinds.names(qid)
            return qid in values or not names or catalog().fits(names, kinds)

        return {
            qid: near
            for qid, near in self._readings.items(answer).items()
            if answer.qid or (qid != subject and is_possible(qid))
        }

    def _by_label(self, items: Items, relation: Relation) -> str | None:
        """Return the only item with a text as its label, or None if there are several.

        Items that are values of the relation take precedence, then items of a fitting kind.
        """
        labelled = [qid for qid, near in items.items() if not near.is_alias]
        values = [qid for qid in labelled if self._facts.is_value(qid, relation)]
        fitting = [qid for qid in labelled if self._is_of_kind(qid, relation)]
        best = values or fitting or labelled
        return best[0] if len(best) == 1 else None

    def _is_of_kind(self, qid: str, relation: Relation) -> bool:
        return not {*relation.object_kinds}.isdisjoint(self._knowledge.kinds.names(qid))

    def _stated_answers(self, subject: str, relation: Relation) -> list[FileAnswer]:
        """Return the answers that the store has; the text is empty if one has no label."""
        if relation.object_kinds == DATE:
            values = self._facts.dates(subject, relation.pid)
            several = (date_levels.answers(value) for value in values)
            return [FileAnswer(forms[0].text, None) for forms in several if forms]
        label = self._knowledge.labels.label
        values_of = self._readings.values
        return [FileAnswer(label(qid) or "", qid) for qid in values_of(subject, relation)]

    def _answer_only(self, record: FileRecord, relations: Sequence[Relation]) -> Resolved:
        """Return the answers of a question whose subject is unknown, if the record confirms them.

        Raises:
            Rejected: no answer is in the store, or nothing in the record confirms it.
        """
        matches = self._readings.templates.matches(record.question, relations)
        relation = next(iter((*(match.relation for match in matches), *relations)), None)
        if relation is None:
            reason = "not joined" if record.answers else "no relation"
            has_names = record.subject or self._readings.has_names(record.question)
            raise Rejected(reason if has_names else "unknown names", record.question)
        mention = record.subject or next((match.mention for match in matches), None)
        linked = self._linked(record.answers, relation, None)
        is_date = relation.object_kinds == DATE
        if not any(answer.qid or (is_date and date_parsing.read(answer.text)) for answer in linked):
            has_ids = record.subject_qid or any(answer.qid for answer in record.answers)
            raise Rejected("unknown id" if has_ids else "unknown names", record.question)
        rest = record.question.replace(mention, " ") if mention else record.question
        confirmed = {
            answer.qid
            for answer, source in zip(linked, record.answers, strict=True)
            if answer.qid and (source.qid or self._agrees(answer.qid, rest))
        }
        if not confirmed and not is_date:
            raise Rejected("only the answer", f"{record.question} {linked[0].text}")
        answers = [a if a.qid in confirmed else FileAnswer(a.text, None) for a in linked]
        kept = tuple(answer for answer in answers if answer.text)
        return Resolved(relation, None, kept, "answer only", mention)

    def _agrees(self, qid: str, question: str) -> bool:
        """Return whether a question shares a word with an item's description or classes."""
        labels, values = self._knowledge.labels, self._knowledge.statements.values
        classes = (labels.label(of_class) or "" for of_class in values(qid, "P31"))
        texts = (labels.description(qid) or "", *classes)
        words = {word for text in texts for word in _WORD.findall(fold(text))}
        return not words.isdisjoint(_WORD.findall(fold(question)))
