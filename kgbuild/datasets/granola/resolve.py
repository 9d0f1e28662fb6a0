"""Resolve the names in a question to items: its subject and its gold answers.

If several items have a name, evidence decides, and the smallest id only if evidence does not. In
the GRANOLA paper (2024, section 3.1) the smallest id always decides.
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
"""Returns the score of each description for a question; a better fit has a higher score."""

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
"""The rules that choose a subject, in this order; the rule that leaves one item is recorded."""

_RULES = ("answer", "relation", "class")
"""The rules of the three kinds of evidence, in their order."""
_EXACT = Nearness(is_spelled_otherwise=False, is_alias=False)


class Evidences(NamedTuple):
    """The evidence for an item: whether it has the answer, the relation and a fitting kind."""

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
    """The relation, the subject and the answers of a question, and the rule for the subject.

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
        """Return the relation, subject and answers of a question, or a rejection.

        ``matches`` are the possible relations. If the file has no answers, the answers are those
        that the store has for the subject.
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
        is_date = relation.object_kinds == DATE
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
        candidates = []
        for relation, mention in matches:
            for qid, near in self._items(mention, record.subject).items():
                evidence = self._evidence_of_subject(qid, relation, record)
                candidate = Candidate(relation, qid, near, evidence)
                if record.subject or self._is_possible(candidate, relation.subject_kinds):
                    candidates.append(candidate)
        if not candidates:
            return matches[0].relation, None, "answer only"
        chosen, rule = self._choose(candidates, record.question)
        if record.subject:
            return chosen.relation, chosen.qid, "given"
        if record.answers and not any(chosen.evidence):
            return chosen.relation, None, "answer only"  # a name alone is no evidence
        return chosen.relation, chosen.qid, rule

    def _link(
        self, answer: Answer, record: Record, relation: Relation, subject: str | None
    ) -> Answer:
        """Return an answer of the file, with its item if the store has it."""
        if relation.object_kinds == DATE:
            return Answer(answer.text, None)
        values = self._values(subject, relation) if subject else ()
        candidates = []
        for qid, near in self._items(answer.text, answer.qid).items():
            is_of_kind = self._is_of_kind(qid, relation.object_kinds)
            is_value = self._facts.is_value(qid, relation)
            evidence = Evidences(qid in values, is_value, is_of_kind)
            candidate = Candidate(relation, qid, near, evidence)
            if answer.qid or (
                qid != subject and self._is_possible(candidate, relation.object_kinds)
            ):
                candidates.append(candidate)
        if not candidates:
            return Answer(answer.text, None)
        if not any(candidate.evidence.has_answer for candidate in candidates):
            # Aliases that were cut at a comma call Massachusetts "Boston".
            candidates = [item for item in candidates if not item.near.is_alias] or candidates
        chosen, _ = self._choose(candidates, record.question)
        return Answer(answer.text or self._knowledge.labels.label(chosen.qid) or "", chosen.qid)

    def _stated_answers(self, subject: str, relation: Relation) -> list[Answer]:
        """Return the answers that the store has; the text is empty if one has no label."""
        if relation.object_kinds == DATE:
            values = self._facts.dates(subject, relation.pid)
            several = (dates.answers(value) for value in values)
            return [Answer(forms[0].text, None) for forms in several if forms]
        label = self._knowledge.labels.label
        return [Answer(label(qid) or "", qid) for qid in self._values(subject, relation)]

    def _items(self, name: str | None, qid: str | None) -> Mapping[str, Nearness]:
        """Return the item with an id, if there is one, else the items with a name."""
        if qid:
            return {qid: _EXACT} if self._exists(qid) else {}
        return self._named(name) if name else {}

    def _evidence_of_subject(self, qid: str, relation: Relation, record: Record) -> Evidences:
        """Return the evidence that an item is the subject."""
        is_of_kind = self._is_of_kind(qid, relation.subject_kinds)
        if relation.object_kinds == DATE:
            stated = self._dates(qid, relation)
            texts = {
                fold(t) for forms in stated for form in forms for t in (form.text, *form.aliases)
            }
            agrees = any(fold(answer.text) in texts for answer in record.answers)
            return Evidences(agrees, bool(stated), is_of_kind)
        values = self._values(qid, relation)
        items = [self._items(answer.text, answer.qid) for answer in record.answers]
        agrees = any(value in matches for matches in items for value in values)
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
        """Return whether a candidate may be meant where items of some kinds are expected.

        It may not if it is of another kind and has no evidence: the only item called "Two" is a
        number, and released no music.
        """
        accepts_all = any(not catalog().kinds[name].classes for name in kinds)
        has_kind = self._knowledge.kinds.names(candidate.qid)
        return accepts_all or any(candidate.evidence) or not has_kind

    def _choose(self, candidates: Sequence[Candidate], question: str) -> tuple[Candidate, str]:
        """Return the best candidate, and the rule that left only this candidate."""
        items = list(candidates)
        for n, rule in enumerate(_RULES):
            items = [item for item in items if item.evidence[n]] or items
            if len(items) == 1 and items[0].evidence[n]:
                return items[0], rule
        items = [item for item in items if item.relation.pid == items[0].relation.pid]
        if self._score and len(items) > 1:
            description = self._knowledge.labels.description
            descriptions = [description(item.qid) or "" for item in items]
            scores = self._score(question, descriptions)
            best = max(scores)
            items = [item for item, score in zip(items, scores, strict=True) if score == best]
            if len(items) == 1:
                return items[0], "description"
        nearest = min(item.near for item in items)
        items = [item for item in items if item.near == nearest]
        rule = "name" if len(items) == 1 else "number"
        return min(items, key=lambda item: number(item.qid)), rule
