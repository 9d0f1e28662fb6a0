"""Score the readings of a question by evidence, and choose the best one."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NoReturn, TypeAlias

from kgbuild.datasets.granola.files.readings import Reading, Readings
from kgbuild.datasets.granola.files.records import FileRecord
from kgbuild.datasets.granola.files.relation_words import words_of
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english.stems import stem
from kgbuild.relations import Relation
from kgbuild.rows import Rejected

Score: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns the score of each description for a question; a better fit has a higher score."""

_MOST_UNEXPLAINED = 1
"""Greatest number of words of a question that a reading may leave unexplained: with more, it is
about something else, and a statement joins a name to an answer by chance."""
_SHOWN = 3
"""Maximum number of readings in the detail of a rejection."""


class ReadingChoice:
    """Chooses among the readings of questions. ``score`` compares descriptions, if it is there."""

    def __init__(self, readings: Readings, score: Score | None = None):
        self._readings = readings
        self._labels = readings.knowledge.labels
        self._words = readings.words
        self._score = score

    def choose(
        self, record: FileRecord, relations: Sequence[Relation]
    ) -> tuple[Reading, str] | None:
        """Return the best reading of a question, and the rule that chose its subject.

        Each kind of evidence leaves the readings for which it is strongest: statements that join
        the subject to an answer, a template, the whole name, the relation and the type of answers
        that the question asks for, and what distinguishes namesakes. There is no best reading if
        no item is evident. ``relations`` are those that the file names.

        Raises:
            Rejected: the question has several readings, or its words name no relation.
        """
        readings = self._readings.of(record, relations)
        readings = [one for one in readings if _is_evident(one, record, relations)]
        if not readings:
            return None
        if not record.subject_qid:
            readings = _best(readings, attrgetter("has_answer"))
        readings = _outermost(_best(readings, attrgetter("by_template")))
        is_named = relations and len({one.relation.pid for one in readings}) == 1
        if not (is_named or readings[0].by_template):
            readings = self._of_asked_relation(record, readings)
        if record.subject_qid:
            return readings[0], "given"
        chosen, rule = self._of_namesakes(record, readings)
        # With answers that the store does not state, a name alone is no evidence.
        is_evident = chosen.has_relation or chosen.is_of_kind or not record.answers
        return (chosen, rule) if is_evident else None

    def _of_asked_relation(self, record: FileRecord, readings: Sequence[Reading]) -> list[Reading]:
        """Return the readings of the relation that the words of a question ask for.

        A forward one comes before its inverse.
        """
        best = _best(readings, lambda one: self._asks_for(record, one))
        is_told = self._asks_for(record, best[0]) or self._is_certain(best)
        if not is_told or len(self._unexplained(record, best[0])) > _MOST_UNEXPLAINED:
            reason = "other relation" if best[0].has_answer else "no relation"
            raise Rejected(reason, record.question)
        best = _best(best, lambda one: not one.is_backward)
        if len({(one.relation.pid, one.is_backward) for one in best}) > 1:
            self._reject(best)
        return best

    def _of_namesakes(self, record: FileRecord, readings: Sequence[Reading]) -> tuple[Reading, str]:
        """Return the best of the readings of some namesakes, and the rule that chose it."""
        rules = {"answer": "has_answer", "relation": "has_relation", "class": "is_of_kind"}
        for rule, field in rules.items():
            evidence = attrgetter(field)
            readings = _best(readings, evidence)
            if len(readings) == 1 and evidence(readings[0]):
                return readings[0], rule
        if self._score and len(readings) > 1:
            description = self._labels.description
            described = {one.qid: description(one.qid) or "" for one in readings}
            scores = dict(
                zip(described, self._score(record.question, [*described.values()]), strict=True)
            )
            readings = _best(readings, lambda one: scores[one.qid])
            if len(readings) == 1:
                return readings[0], "description"
        nearest = min(one.near for one in readings)
        readings = [one for one in readings if one.near == nearest]
        if len({one.qid for one in readings}) > 1:
            self._reject(readings)
        return readings[0], "name"

    def _asks_for(self, record: FileRecord, reading: Reading) -> float:
        """Return the score of the words around the subject's name for the relation.

        It is 0 if they do not name it, or no value is of a kind that the question asks for.
        """
        if not self._may_answer(record, reading):
            return 0.0
        words = self._words.words(self._without_subject(record, reading))
        return self._words.scores(words).get(reading.relation.pid, 0.0)

    def _unexplained(self, record: FileRecord, reading: Reading) -> set[str]:
        """Return the words of a question that a reading does not explain, such as its subject."""
        text, pid = self._without_subject(record, reading), reading.relation.pid
        if self._words.names_role(pid) and self._asks_for(record, reading):
            return set()
        label = self._labels.label(reading.qid) or ""
        of_subject = {*map(stem, words_of(label))}
        words = self._words
        return {
            word
            for word in words.telling(words.words(text))
            if not (words.has(pid, word) or words.names_kind(word) or stem(word) in of_subject)
        }

    def _may_answer(self, record: FileRecord, reading: Reading) -> bool:
        """Return whether a value may be of a kind that the question asks for."""
        kinds = self._words.answer_kinds(self._without_subject(record, reading))
        if reading.relation.object_kinds == DATE or not kinds:
            return not kinds or "date" in kinds
        values = self._readings.values(reading.qid, reading.relation, reading.is_backward)
        kinds_of_values = map(self._readings.knowledge.kinds.names, values)
        return any(not of_value or kinds & {*of_value} for of_value in kinds_of_values)

    def _is_certain(self, readings: Sequence[Reading]) -> bool:
        """Return whether the answer shows the relation, although no word of the question names it.

        "Who dreamed up Rome?" is about the only relation of the series to its creator. The date of
        an item may be an answer by chance.
        """
        reading = readings[0]
        is_only = len({one.relation.pid for one in readings}) == 1
        return is_only and reading.has_answer and reading.relation.object_kinds != DATE

    def _without_subject(self, record: FileRecord, reading: Reading) -> str:
        question, mention = record.question, reading.mention
        if mention.end:
            return f"{question[: mention.start]} {question[mention.end :]}"
        label = self._labels.label(reading.qid) or ""
        for name in filter(None, (mention.text, label)):
            question = question.replace(name, " ")
        return question

    def _reject(self, readings: Sequence[Reading]) -> NoReturn:
        label = self._labels.label
        texts = dict.fromkeys(
            f"{r.relation.pid} ({r.relation.label}) of {r.qid} ({label(r.qid)})" for r in readings
        )
        raise Rejected("several readings", " or ".join([*texts][:_SHOWN]))


def _is_evident(reading: Reading, record: FileRecord, relations: Sequence[Relation]) -> bool:
    """Return whether statements, a template or the file speak for a reading."""
    if reading.has_answer or reading.by_template or record.subject_qid:
        return True
    if record.subject and relations:
        return True
    return reading.has_relation and bool(record.subject or not record.answers)


def _best(readings: Sequence[Reading], evidence: Callable[[Reading], Any]) -> list[Reading]:
    """Return the readings with the strongest evidence of a kind."""
    scores = [*map(evidence, readings)]
    best = max(scores)
    return [one for one, score in zip(readings, scores, strict=True) if score == best]


def _outermost(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings whose name of the subject is no part of that of another reading."""
    mentions = [one.mention for one in readings]
    return [one for one in readings if not any(m.contains(one.mention) for m in mentions)]
