"""Resolve the names in a question to items: its subject and its gold answers.

If several items have a name, evidence decides, and the smallest id only in the end. In the GRANOLA
paper (2024, section 3.1) the smallest id always decides.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.question_files import Answer, Record
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.templates import Match
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.rows import Rejection
from kgbuild.store.labels import Names, Nearness, items_named
from kgbuild.wikidata import number

Score: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns how well each description fits a question: the larger, the better."""

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

_RULES = ("answer", "relation", "class")
"""The rules of the three kinds of evidence, in their order."""
_EXACT = Nearness(is_spelled_otherwise=False, is_alias=False)


class Evidences(NamedTuple):
    """The evidence for an item: it has the answer, or the relation, or a fitting kind."""

    has_answer: bool
    has_relation: bool
    is_of_kind: bool


class Candidate(NamedTuple):
    """An item with the name, and the evidence for it."""

    relation: Relation
    qid: str
    near: Nearness
    evidence: Evidences


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

    def __init__(self, knowledge: Knowledge, names: Names, score: Score | None = None):
        self._knowledge = knowledge
        self._named = functools.cache(functools.partial(items_named, knowledge.graph, names))
        self._score = score
        self._facts = RelationFacts(knowledge)
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
        is_date = relation.object == DATE
        is_resolved = any(
            answer.qid or (is_date and date_parsing.read(answer.text)) for answer in answers
        )
        if answers and (subject or is_resolved):
            return Resolved(relation, subject, answers, rule)
        if subject and not record.answers:
            return Rejection(record.key, "no value", record.question)
        has_ids = record.subject or any(answer.qid for answer in record.answers)
        return Rejection(record.key, "unknown id" if has_ids else "unknown names", record.question)

    def _subject(
        self, record: Record, matches: Sequence[Match]
    ) -> tuple[Relation, str | None, str]:
        """Return the relation, the subject, and the rule that chose it."""
        possible = []
        for relation, mention in matches:
            for qid, near in self._items(mention, record.subject).items():
                evidence = self._evidence_of_subject(qid, relation, record)
                one = Candidate(relation, qid, near, evidence)
                if record.subject or self._is_possible(one, relation.subject):
                    possible.append(one)
        if not possible:
            return matches[0].relation, None, "answer only"
        chosen, rule = self._choose(possible, record.question)
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
        possible = []
        for qid, near in self._items(answer.text, answer.qid).items():
            is_of_kind = self._is_of_kind(qid, relation.object)
            is_value = self._facts.is_value(qid, relation)
            one = Candidate(relation, qid, near, Evidences(qid in values, is_value, is_of_kind))
            if answer.qid or (qid != subject and self._is_possible(one, relation.object)):
                possible.append(one)
        if not possible:
            return Answer(answer.text, None)
        if not any(one.evidence.has_answer for one in possible):
            # Aliases that were cut at a comma call Massachusetts "Boston".
            possible = [one for one in possible if not one.near.is_alias] or possible
        chosen, _ = self._choose(possible, record.question)
        return Answer(answer.text or self._knowledge.labels.label(chosen.qid) or "", chosen.qid)

    def _stated_answers(self, subject: str, relation: Relation) -> list[Answer]:
        """Return the answers that the store has; the text is empty if one has no label."""
        if relation.object == DATE:
            return [Answer(forms[0].text, None) for forms in self._dates(subject, relation)]
        label = self._knowledge.labels.label
        return [Answer(label(qid) or "", qid) for qid in self._values(subject, relation)]

    def _items(self, name: str | None, qid: str | None) -> Mapping[str, Nearness]:
        """Return the item with an id, if there is one, else the items with a name."""
        if qid:
            return {qid: _EXACT} if self._exists(qid) else {}
        return self._named(name) if name else {}

    def _evidence_of_subject(self, qid: str, relation: Relation, record: Record) -> Evidences:
        """Return the evidence that an item is the subject."""
        is_of_kind = self._is_of_kind(qid, relation.subject)
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
            or knowledge.statements.values(qid, "P31")
            or knowledge.statements.popularity(qid)
        )

    def _is_of_kind(self, qid: str, kinds: Sequence[str]) -> bool:
        return not {*kinds}.isdisjoint(self._knowledge.kinds.names(qid))

    def _is_possible(self, candidate: Candidate, kinds: Sequence[str]) -> bool:
        """Tell whether a candidate may be meant where items of some kinds are expected.

        It is not if there is no evidence and it is of another kind: the only item called "Two" is
        a number, and released no music.
        """
        accepts_all = any(not catalog().kinds[name].classes for name in kinds)
        has_kind = self._knowledge.kinds.names(candidate.qid)
        return accepts_all or any(candidate.evidence) or not has_kind

    def _choose(self, candidates: Sequence[Candidate], question: str) -> tuple[Candidate, str]:
        """Return the best candidate, and the rule that left no other one."""
        left = list(candidates)
        for n, rule in enumerate(_RULES):
            left = [one for one in left if one.evidence[n]] or left
            if len(left) == 1 and left[0].evidence[n]:
                return left[0], rule
        left = [one for one in left if one.relation.pid == left[0].relation.pid]
        if self._score and len(left) > 1:
            descriptions = [self._knowledge.labels.description(one.qid) or "" for one in left]
            scores = self._score(question, descriptions)
            best = max(scores)
            left = [one for one, score in zip(left, scores, strict=True) if score == best]
            if len(left) == 1:
                return left[0], "description"
        nearest = min(one.near for one in left)
        left = [one for one in left if one.near == nearest]
        return min(left, key=lambda one: number(one.qid)), "name" if len(left) == 1 else "number"
