"""Resolve the names in a question to items: its subject and its gold answers.

If several items have a name, evidence decides, and the smallest id only in the end. In the GRANOLA
paper (2024, section 3.1) the smallest id always decides.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.catalog import Catalog, Relation
from kgbuild.datasets.granola.candidates import Candidate, Chooser, Evidences, Score
from kgbuild.datasets.granola.records import Answer, Record
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.templates import Match
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejection
from kgbuild.store.labels import Names, Nearness, named

__all__ = ["RESOLUTIONS", "Resolved", "Resolver", "Score"]

RESOLUTIONS = {
    "given": "the file gives the id",
    "answer": "the only item with this name that has the relation to an answer of the file",
    "relation": "else the only item that has the relation",
    "class": "else the only item of a kind that the question is about",
    "description": "else the item whose description fits the question best",
    "name": "else the item whose name is most similar to the name in the question",
    "number": "else the item with the smallest id",
    "answer only": "no subject: only an answer was resolved, or a name was the only evidence",
}
"""The rules that choose a subject, in their order. The one that left a single item is recorded."""

_EXACT = Nearness(is_spelled_otherwise=False, is_alias=False)


class Resolved(NamedTuple):
    """The relation, the subject and the answers of a question, and the rule of the subject.

    The subject is None if the rule is "answer only".
    """

    relation: Relation
    subject: str | None
    answers: tuple[Answer, ...]
    resolution: str


class Resolver:
    """Resolves the names in questions; each name is looked up once.

    ``score`` compares descriptions with questions; without it they are not compared.
    """

    def __init__(
        self, knowledge: Knowledge, names: Names, catalog: Catalog, score: Score | None = None
    ):
        self._knowledge = knowledge
        self._names = names
        self._chooser = Chooser(knowledge, catalog, score)
        self._facts = RelationFacts(knowledge, catalog)
        self._by_name: dict[str, Mapping[str, Nearness]] = {}
        self._values_of: dict[tuple[str, str], tuple[str, ...]] = {}

    def resolve(self, record: Record, matches: Sequence[Match]) -> Resolved | Rejection:
        """Return what a question is about, or why this is unknown.

        ``matches`` are the relations that it may be about. If the file has no answers, they are
        those that the store has for the subject.
        """
        if not matches:
            reason = "unknown relation" if record.relation else "no template"
            return Rejection(record.key, reason, record.question)
        relation, subject, rule = self._subject(record, matches)
        if record.answers:
            linked = [self._link(answer, record, relation, subject) for answer in record.answers]
        else:
            linked = self._stated_answers(subject, relation) if subject else []
        answers = tuple(answer for answer in linked if answer.text)
        is_known = any(answer.qid or _is_date(answer.text, relation) for answer in answers)
        if answers and (subject or is_known):
            return Resolved(relation, subject, answers, rule)
        if subject and not record.answers:
            return Rejection(record.key, "no value", record.question)
        has_ids = record.subject or any(answer.qid for answer in record.answers)
        return Rejection(record.key, "unknown id" if has_ids else "unknown names", record.question)

    def _subject(
        self, record: Record, matches: Sequence[Match]
    ) -> tuple[Relation, str | None, str]:
        """Return the relation, the subject, and the rule that chose it."""
        candidates = [
            Candidate(
                match.relation, qid, near, self._evidence_of_subject(qid, match.relation, record)
            )
            for match in matches
            for qid, near in self._items(match.mention, record.subject).items()
        ]
        possible = [
            one
            for one in candidates
            if record.subject or self._chooser.is_possible(one, one.relation.subject)
        ]
        if not possible:
            return matches[0].relation, None, "answer only"
        chosen, rule = self._chooser.choose(possible, record.question)
        if record.subject:
            return chosen.relation, chosen.qid, "given"
        if record.answers and not any(chosen.evidence):
            return chosen.relation, None, "answer only"  # a name alone is no evidence
        return chosen.relation, chosen.qid, rule

    def _link(
        self, answer: Answer, record: Record, relation: Relation, subject: str | None
    ) -> Answer:
        """Return an answer of the file with its item, if the store has one."""
        if relation.object == DATE:
            return Answer(answer.text, None)
        values = self._values(subject, relation) if subject else ()
        candidates = [
            Candidate(relation, qid, near, self._evidence_of_answer(qid, relation, values))
            for qid, near in self._items(answer.text, answer.qid).items()
        ]
        possible = [
            one
            for one in candidates
            if answer.qid
            or (one.qid != subject and self._chooser.is_possible(one, relation.object))
        ]
        if not possible:
            return Answer(answer.text, None)
        if not any(one.evidence.has_answer for one in possible):
            # Aliases that were cut at a comma call Massachusetts "Boston".
            possible = [one for one in possible if not one.near.is_alias] or possible
        chosen, _ = self._chooser.choose(possible, record.question)
        return Answer(answer.text or self._knowledge.labels.label(chosen.qid) or "", chosen.qid)

    def _stated_answers(self, subject: str, relation: Relation) -> list[Answer]:
        """Return the answers that the store has; the text is empty if one has no label."""
        if relation.object == DATE:
            return [Answer(forms[0].text, None) for forms in self._dates(subject, relation)]
        label = self._knowledge.labels.label
        return [Answer(label(qid) or "", qid) for qid in self._values(subject, relation)]

    def _items(self, name: str | None, qid: str | None) -> Mapping[str, Nearness]:
        """Return the items with a name, or only the one with the id if that is given."""
        if qid:
            return {qid: _EXACT} if self._exists(qid) else {}
        if not name:
            return {}
        if name not in self._by_name:
            self._by_name[name] = named(self._knowledge.graph, self._names, name)
        return self._by_name[name]

    def _evidence_of_subject(self, qid: str, relation: Relation, record: Record) -> Evidences:
        """Return the evidence that an item is the subject."""
        is_of_kind = self._chooser.is_of_kind(qid, relation.subject)
        if relation.object == DATE:
            stated = self._dates(qid, relation)
            texts = {
                fold(text) for forms in stated for one in forms for text in (one.text, *one.aliases)
            }
            agrees = any(fold(answer.text) in texts for answer in record.answers)
            return Evidences(agrees, bool(stated), is_of_kind)
        values = self._values(qid, relation)
        items = [self._items(answer.text, answer.qid) for answer in record.answers]
        agrees = any(value in of_name for of_name in items for value in values)
        return Evidences(agrees, bool(values), is_of_kind)

    def _evidence_of_answer(self, qid: str, relation: Relation, values: Sequence[str]) -> Evidences:
        """Return the evidence that an item is an answer; ``values`` are those of the subject."""
        is_of_kind = self._chooser.is_of_kind(qid, relation.object)
        return Evidences(qid in values, self._facts.is_value(qid, relation), is_of_kind)

    def _values(self, qid: str, relation: Relation) -> tuple[str, ...]:
        if (qid, relation.pid) not in self._values_of:
            self._values_of[qid, relation.pid] = tuple(self._facts.values(qid, relation))
        return self._values_of[qid, relation.pid]

    def _dates(self, qid: str, relation: Relation) -> list[list[DateAnswer]]:
        """Return the dates of an item, each in all its forms."""
        times = self._knowledge.times.by_item(relation.pid).get(qid, ())
        return [forms for value in times if (forms := dates.answers(value))]

    def _exists(self, qid: str) -> bool:
        knowledge = self._knowledge
        return bool(
            knowledge.labels.label(qid)
            or knowledge.kinds.classes(qid)
            or knowledge.statements.popularity(qid)
        )


def _is_date(text: str, relation: Relation) -> bool:
    return relation.object == DATE and date_parsing.read(text) is not None
