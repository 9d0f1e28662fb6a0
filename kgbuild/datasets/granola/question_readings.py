"""List the readings of a question: the relations and subjects that it may be about."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.mentions import Mention, find
from kgbuild.datasets.granola.question_files import Answer, Record, parts
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.relation_words import RelationWords
from kgbuild.datasets.granola.templates import Templates
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.store.labels import Nearness

EXACT = Nearness(is_spelled_otherwise=False, is_alias=False)
_AROUND = ("P131", "P17")
"""Located in the administrative territorial entity, country."""
Named = Callable[[str], Mapping[str, Nearness]]
"""Returns the items with a name."""


class Reading(NamedTuple):
    """A relation and a subject, and the evidence that the question is about them.

    ``has_answer``: the subject has the relation to an answer of the file; ``has_relation``: to
    anything; ``is_of_kind``: the subject is of a kind that the relation is about. ``by_template``:
    the whole question is a template of the relation with this name.
    """

    relation: Relation
    qid: str
    mention: Mention
    near: Nearness
    by_template: bool
    has_answer: bool
    has_relation: bool
    is_of_kind: bool


def outermost(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings whose name of the subject is no part of that of another reading.

    Names in lower case are common nouns if others have a capital, or more words.
    """
    mentions = {(r.mention.start, r.mention.end): r.mention for r in readings}.values()
    outer = [m for m in mentions if not any(other.contains(m) for other in mentions)]
    names = [m for m in outer if m.text != m.text.lower()]
    most_words = max((len(m.text.split()) for m in outer), default=0)
    names = names or [m for m in outer if len(m.text.split()) == most_words]
    spans = {(m.start, m.end) for m in names}
    return [r for r in readings if (r.mention.start, r.mention.end) in spans]


class Readings:
    """Lists the readings of questions."""

    def __init__(
        self,
        knowledge: Knowledge,
        facts: RelationFacts,
        words: RelationWords,
        templates: Templates,
        named: Named,
    ):
        self._knowledge = knowledge
        self._facts = facts
        self._words = words
        self._templates = templates
        self._named = named
        self._values_of: dict[tuple[str, str], tuple[str, ...]] = {}
        self._stated: dict[str, list[Relation]] = {}

    def of(self, record: Record, relations: Sequence[Relation]) -> list[Reading]:
        """Return the readings of a question about one of some relations, or else any relation.

        A relation that neither the file nor a template names must be stated of the subject.
        """
        matches = self._templates.matches(record.question, relations)
        has_subject = bool(record.subject or record.subject_qid)
        readings = []
        for mention in self._mentions(record, [match.mention for match in matches]):
            matched = [m.relation for m in matches if has_subject or m.mention == mention.text]
            for qid, near in mention.items.items():
                stated = [] if relations else self.relations_of(qid)
                by_pid = {r.pid: r for r in (*relations, *matched, *stated)}
                for relation in by_pid.values():
                    evidence = self._evidence(qid, relation, record)
                    reading = Reading(relation, qid, mention, near, relation in matched, *evidence)
                    if record.subject_qid or self._is_possible(reading):
                        readings.append(reading)
        return readings

    def has_names(self, question: str) -> bool:
        """Return whether a question has the name of an item."""
        return bool(find(question, self._named))

    def items(self, answer: Answer) -> Mapping[str, Nearness]:
        """Return the item with the id of an answer, if there is one, else the items so named.

        "Jerusalem, Israel" is the Jerusalem that lies in Israel, if no item has the whole name.
        """
        if answer.qid:
            return {answer.qid: EXACT} if self._exists(answer.qid) else {}
        named = self._named(answer.text)
        head, comma, tail = answer.text.partition(", ")
        if named or not comma:
            return named
        around = self._named(tail.rpartition(", ")[2])
        return {qid: near for qid, near in self._named(head).items() if self._is_in(qid, around)}

    def _is_in(self, place: str, areas: Collection[str]) -> bool:
        """Return whether a place lies in one of some areas, by its areas and countries."""
        reached, queue = {place}, [place]
        for one in queue:  # grows during the loop
            for pid in _AROUND:
                above = {*self._knowledge.statements.values(one, pid)} - reached
                reached |= above
                queue += sorted(above)
        return bool(areas) and not reached.isdisjoint(areas)

    def _has_value(self, answer: Answer, values: Sequence[str]) -> bool:
        """Return whether an answer names one of some values, or each of its parts does."""
        if not self.items(answer).keys().isdisjoint(values):
            return True
        named = [self.items(part) for part in parts(answer)]
        return len(named) > 1 and not any(items.keys().isdisjoint(values) for items in named)

    def values(self, qid: str, relation: Relation) -> tuple[str, ...]:
        """Return the values of an item for a relation."""
        if (qid, relation.pid) not in self._values_of:
            self._values_of[qid, relation.pid] = tuple(self._facts.values(qid, relation))
        return self._values_of[qid, relation.pid]

    def relations_of(self, qid: str) -> list[Relation]:
        """Return the relations of which an item has values."""
        if qid not in self._stated:
            relations = self._words.relations.values()
            self._stated[qid] = [relation for relation in relations if self._states(qid, relation)]
        return self._stated[qid]

    def _states(self, qid: str, relation: Relation) -> bool:
        if relation.object_kinds == DATE:
            return bool(self._knowledge.times.of(qid, relation.pid))
        if self._knowledge.statements.values(qid, relation.pid):
            return True
        return bool(catalog().mirrors(relation) and self.values(qid, relation))

    def _mentions(self, record: Record, matched: Sequence[str]) -> Iterator[Mention]:
        """Yield the names that may be those of the subject, with their items."""
        if record.subject_qid:
            exists = self._exists(record.subject_qid)
            yield Mention(record.subject or "", 0, 0, {record.subject_qid: EXACT} if exists else {})
        elif record.subject:
            yield Mention(record.subject, 0, 0, self._named(record.subject))
        else:
            for text in dict.fromkeys(matched):
                start = max(record.question.find(text), 0)
                yield Mention(text, start, start + len(text), self._named(text))
            yield from (m for m in find(record.question, self._named) if m.text not in matched)

    def _evidence(self, qid: str, relation: Relation, record: Record) -> tuple[bool, bool, bool]:
        """Return whether an item has an answer, the relation, and a fitting kind."""
        is_of_kind = not {*relation.subject_kinds}.isdisjoint(self._knowledge.kinds.names(qid))
        if relation.object_kinds == DATE:
            stated = self._dates(qid, relation)
            texts = {
                fold(t) for forms in stated for form in forms for t in (form.text, *form.aliases)
            }
            agrees = any(_date_text(answer.text) in texts for answer in record.answers)
            return agrees, bool(stated), is_of_kind
        values = self.values(qid, relation)
        has_answer = any(self._has_value(answer, values) for answer in record.answers if values)
        return has_answer, bool(values), is_of_kind

    def _dates(self, qid: str, relation: Relation) -> list[list[DateAnswer]]:
        """Return the dates of an item, each in all its forms."""
        times = self._knowledge.times.of(qid, relation.pid)
        return [forms for value in times if (forms := dates.answers(value))]

    def _exists(self, qid: str) -> bool:
        knowledge = self._knowledge
        return bool(
            knowledge.labels.label(qid)
            or knowledge.statements.values(qid, "P31")
            or knowledge.statements.popularity(qid)
        )

    def _is_possible(self, reading: Reading) -> bool:
        """Return whether the subject of a reading is of a fitting kind, or has other evidence.

        The only item called "Two" is a number, and released no music.
        """
        kinds = reading.relation.subject_kinds
        accepts_all = any(not catalog().kinds[name].classes for name in kinds)
        is_evident = reading.has_answer or reading.has_relation or reading.is_of_kind
        return accepts_all or is_evident or not self._knowledge.kinds.names(reading.qid)


def _date_text(text: str) -> str:
    """Return a date as ``dates`` writes it, or else the folded text."""
    date = date_parsing.read(text)
    forms = dates.answers(date) if date else ()
    return fold(forms[0].text if forms else text)
