"""Resolve names to items: what a question is about, and what its gold answers are.

Of several items that have a name, evidence chooses, as far as there is any, before the smallest
id does, which alone decides in the GRANOLA paper (2024, section 3.1).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.catalog import Catalog, Relation
from kgbuild.datasets.granola.question_files import Answer, Record
from kgbuild.datasets.granola.recognise import Fit
from kgbuild.datasets.granola.statements import DATE, Stated
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejection
from kgbuild.store.labels import Names, Nearness, named
from kgbuild.wikidata import number

Score = Callable[[str, Sequence[str]], Sequence[float]]
"""Tells of a question and several descriptions how well each fits: the more, the better."""

RESOLUTIONS = {
    "given": "the file tells the item's id",
    "answer": "the only item of the name that has the relation to a given answer",
    "relation": "likewise the only one that has the relation at all",
    "class": "likewise the only one that is known to be of a kind that is asked about",
    "description": "of items that are equal so far, its description fits the question best",
    "name": "of items that are equal so far, its own name comes nearest to the mention",
    "number": "of items that are equal so far, it has the smallest id",
    "answer only": "only an answer was found, or nothing but a name speaks for a subject",
}
"""The rules that choose a subject, in their order: that one is told which left no other item."""

REASONS = {
    "no template": "no template fits the question, and the file does not tell its relation",
    "unknown relation": "the file tells a relation that has no templates",
    "unknown names": "nothing in the store is called as the question's subject or an answer",
    "unknown id": "the store says nothing of the items that the file tells",
    "no value": "there are no answers in the file, nor in the store",
}


class Resolved(NamedTuple):
    """What a question asks about: its relation, its subject, its answers and their items.

    ``resolution`` is one of ``RESOLUTIONS``; the subject is None if it is "answer only".
    """

    relation: Relation
    subject: str | None
    answers: tuple[Answer, ...]
    resolution: str


class _Candidate(NamedTuple):
    """An item that may be meant, and which of the first three rules speak for it."""

    relation: Relation
    qid: str
    near: Nearness
    evidence: tuple[bool, bool, bool]


class Resolver:
    """Resolves the names of questions; each name is looked up once.

    ``score`` compares descriptions with questions; without it descriptions tell nothing.
    """

    def __init__(
        self, known: Knowledge, names: Names, catalog: Catalog, score: Score | None = None
    ):
        self._known = known
        self._names = names
        self._kinds = catalog.kinds
        self._stated = Stated(known, catalog)
        self._score = score
        self._called: dict[str, Mapping[str, Nearness]] = {}
        self._had: dict[tuple[str, str], tuple[str, ...]] = {}

    def resolve(self, record: Record, fits: Sequence[Fit]) -> Resolved | Rejection:
        """Return what a question asks about, or why nobody can tell.

        ``fits`` are the relations that it may ask about. Without given answers, what the store
        has for the subject are the answers.
        """
        if not fits:
            reason = "unknown relation" if record.relation else "no template"
            return Rejection(record.key, reason, record.question)
        relation, subject, rule = self._subject(record, fits)
        if record.answers:
            found = [self._linked(answer, record, relation, subject) for answer in record.answers]
        else:
            found = self._held(subject, relation) if subject else []
        answers = tuple(answer for answer in found if answer.text)
        is_known = any(answer.qid or _is_date(answer.text, relation) for answer in answers)
        if answers and (subject or is_known):
            return Resolved(relation, subject, answers, rule)
        if subject and not record.answers:
            return Rejection(record.key, "no value", record.question)
        has_ids = record.subject or any(answer.qid for answer in record.answers)
        return Rejection(record.key, "unknown id" if has_ids else "unknown names", record.question)

    def _subject(self, record: Record, fits: Sequence[Fit]) -> tuple[Relation, str | None, str]:
        """Return the relation that is asked about, the subject, and the rule that chose it."""
        candidates = [
            _Candidate(fit.relation, qid, near, self._as_subject(qid, fit.relation, record))
            for fit in fits
            for qid, near in self._items(fit.mention, record.subject).items()
        ]
        possible = [
            one
            for one in candidates
            if record.subject or self._is_possible(one, one.relation.subject)
        ]
        if not possible:
            return fits[0].relation, None, "answer only"
        chosen, rule = self._chosen(possible, record.question)
        if record.subject:
            return chosen.relation, chosen.qid, "given"
        if record.answers and not any(chosen.evidence):
            return chosen.relation, None, "answer only"  # nothing but a name speaks for it
        return chosen.relation, chosen.qid, rule

    def _linked(
        self, answer: Answer, record: Record, relation: Relation, subject: str | None
    ) -> Answer:
        """Return a given answer with its item, or without where the store has none."""
        if relation.object == DATE:
            return Answer(answer.text, None)
        values = self._values(subject, relation) if subject else ()
        candidates = [
            _Candidate(relation, qid, near, self._as_answer(qid, relation, values))
            for qid, near in self._items(answer.text, answer.qid).items()
        ]
        possible = [
            one
            for one in candidates
            if answer.qid or (one.qid != subject and self._is_possible(one, relation.object))
        ]
        if not possible:
            return Answer(answer.text, None)
        if not any(one.evidence[0] for one in possible):
            # Aliases that were cut at a comma call Massachusetts "Boston".
            possible = [one for one in possible if not one.near.is_alias] or possible
        chosen, _ = self._chosen(possible, record.question)
        return Answer(answer.text or self._known.labels.label(chosen.qid) or "", chosen.qid)

    def _held(self, subject: str, relation: Relation) -> list[Answer]:
        """Return the answers that the store has; what has no label is none."""
        if relation.object == DATE:
            return [Answer(known[0].text, None) for known in self._dates(subject, relation)]
        label = self._known.labels.label
        return [Answer(label(qid) or "", qid) for qid in self._values(subject, relation)]

    def _is_possible(self, candidate: _Candidate, kinds: Sequence[str]) -> bool:
        """Tell whether an item can be meant where one of some kinds is expected.

        It cannot if nothing speaks for it, and it is known to be of another kind: the only
        item that is called "Two" is a number, and released no music.
        """
        takes_all = any(not self._kinds[name].classes for name in kinds)
        return takes_all or any(candidate.evidence) or not self._known.kinds.names(candidate.qid)

    def _chosen(self, candidates: Sequence[_Candidate], question: str) -> tuple[_Candidate, str]:
        """Return the candidate for which most speaks, and the rule that left no other one."""
        left = list(candidates)
        for n, rule in enumerate(_EVIDENCE):
            left = [one for one in left if one.evidence[n]] or left
            if len(left) == 1 and left[0].evidence[n]:
                return left[0], rule
        left = [one for one in left if one.relation.pid == left[0].relation.pid]
        if self._score and len(left) > 1:
            about = [self._known.labels.description(one.qid) or "" for one in left]
            scores = self._score(question, about)
            best = max(scores)
            left = [one for one, score in zip(left, scores, strict=True) if score == best]
            if len(left) == 1:
                return left[0], "description"
        nearest = min(one.near for one in left)
        left = [one for one in left if one.near == nearest]
        return min(left, key=lambda one: number(one.qid)), "name" if len(left) == 1 else "number"

    def _items(self, name: str | None, qid: str | None) -> Mapping[str, Nearness]:
        """Return the items that may be meant: that of the id alone, if one is told."""
        if qid:
            return {qid: _ITSELF} if self._is_known(qid) else {}
        if not name:
            return {}
        if name not in self._called:
            self._called[name] = named(self._known.graph, self._names, name)
        return self._called[name]

    def _as_subject(self, qid: str, relation: Relation, record: Record) -> tuple[bool, bool, bool]:
        """Tell whether a given answer is a value of an item, whether it has one, and its kind."""
        if relation.object == DATE:
            known = self._dates(qid, relation)
            texts = {fold(text) for one in known for date in one for text in _texts(date)}
            agrees = any(fold(answer.text) in texts for answer in record.answers)
            return agrees, bool(known), self._is_of(qid, relation.subject)
        values = self._values(qid, relation)
        given = [self._items(answer.text, answer.qid) for answer in record.answers]
        agrees = any(value in items for items in given for value in values)
        return agrees, bool(values), self._is_of(qid, relation.subject)

    def _as_answer(
        self, qid: str, relation: Relation, values: Sequence[str]
    ) -> tuple[bool, bool, bool]:
        """Tell whether an item is a value of the subject, or of any item, and of a fitting kind."""
        is_answer = self._stated.is_answer(qid, relation)
        return qid in values, is_answer, self._is_of(qid, relation.object)

    def _values(self, qid: str, relation: Relation) -> tuple[str, ...]:
        """Return the items that the relation joins to an item; what implies it does not count."""
        if (qid, relation.pid) not in self._had:
            self._had[qid, relation.pid] = tuple(self._stated.of(qid, relation))
        return self._had[qid, relation.pid]

    def _dates(self, qid: str, relation: Relation) -> list[list[DateAnswer]]:
        """Return an item's times for a relation, each at all of its granularities."""
        times = self._known.times.by_item(relation.pid).get(qid, ())
        return [known for value in times if (known := dates.answers(value))]

    def _is_of(self, qid: str, kinds: Sequence[str]) -> bool:
        return not {*kinds}.isdisjoint(self._known.kinds.names(qid))

    def _is_known(self, qid: str) -> bool:
        known = self._known
        return bool(
            known.labels.label(qid) or known.kinds.classes(qid) or known.statements.popularity(qid)
        )


_EVIDENCE = ("answer", "relation", "class")
"""The rules that ask of each candidate whether something speaks for it, in their order."""
_ITSELF = Nearness(is_spelled_otherwise=False, is_alias=False)


def _is_date(text: str, relation: Relation) -> bool:
    return relation.object == DATE and date_parsing.read(text) is not None


def _texts(date: DateAnswer) -> tuple[str, ...]:
    return (date.text, *date.aliases)
