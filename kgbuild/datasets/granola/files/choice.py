"""Choose the reading of a question: its relation by words, and its subject by evidence."""

import itertools
import re
from collections.abc import Callable, Sequence, Set
from typing import NoReturn, TypeAlias

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.files.readings import Reading, Readings
from kgbuild.datasets.granola.files.records import Answer, Record
from kgbuild.datasets.granola.files.relation_words import RelationWords, words_of
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english import date_parsing
from kgbuild.english.dates import DAY
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation
from kgbuild.rows import Rejected

Score: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns the score of each description for a question; a better fit has a higher score."""

_RULES = ("answer", "relation", "class")
"""The names of the three kinds of evidence, in the order of ``_evidence``."""
_LEAST_SHARE = 0.4
"""Minimum share of the question's words, without the subject's name, that occur in names of the
relation. With a lower share the question asks for something else: "When did the UK enter World War
II?" does not ask when the war began."""
_NEAR_BEST = 0.9
"""Minimum score of a stated relation, as a share of the best one of all relations: without a stated
director, "Who directed Dust?" does not ask for its producer."""
_DESCRIBING = ("P31", "P106", "P27", "P17", "P131", "P495", "P136", "P641", "P57", "P50", "P175")
"""Properties by whose values questions describe the subject: "Hercules by Luigi Cozzi"."""
_NAME = re.compile(r"(?<!^)\b[A-Z]\w+")
"""A word with a capital inside a question: a name, or a part of one."""
_UNCERTAIN = 0.7
"""Factor of the score of a relation whose values may be of another kind than the question wants."""
_SHOWN = 3
"""Maximum number of readings in the detail of a rejection."""


class Choice:
    """Chooses among the readings of questions. ``score`` compares descriptions, if it is there."""

    def __init__(
        self,
        knowledge: Knowledge,
        words: RelationWords,
        readings: Readings,
        score: Score | None = None,
    ):
        self._knowledge = knowledge
        self._words = words
        self._readings = readings
        self._score = score

    def choose(
        self, record: Record, readings: Sequence[Reading], relations: Sequence[Relation]
    ) -> tuple[Reading, str]:
        """Return the best reading, and the rule that chose its subject.

        ``relations`` are those that the file names.

        Raises:
            Rejected: the question has several readings, or its words name no relation.
        """
        candidates = self._of_named_relation(record, readings, relations)
        if record.subject_qid:
            return candidates[0], "given"
        # Without answers to confirm it, the kind of an item does not outweigh a nearer name.
        rules = _RULES if record.answers else _RULES[:2]
        for n, rule in enumerate(rules):
            supported = [reading for reading in candidates if _evidence(reading)[n]]
            candidates = supported or candidates
            if len(candidates) == 1 and supported:
                return candidates[0], rule
        # Templates of several relations can match a question: the first relation counts.
        first_pid = candidates[0].relation.pid
        candidates = [reading for reading in candidates if reading.relation.pid == first_pid]
        if self._score and len(candidates) > 1:
            description = self._knowledge.labels.description
            scores = self._score(
                record.question, [description(reading.qid) or "" for reading in candidates]
            )
            scored = zip(candidates, scores, strict=True)
            candidates = [reading for reading, score in scored if score == max(scores)]
            if len(candidates) == 1:
                return candidates[0], "description"
        nearest = min(reading.near for reading in candidates)
        candidates = [reading for reading in candidates if reading.near == nearest]
        if len({reading.qid for reading in candidates}) > 1:
            self._reject(candidates)
        return candidates[0], "name"

    def _of_named_relation(
        self, record: Record, readings: Sequence[Reading], relations: Sequence[Relation]
    ) -> list[Reading]:
        """Return the readings of the relation that templates, the file or words name."""
        templates = [reading for reading in readings if reading.by_template]
        if templates:
            return templates
        has_answer = readings[0].has_answer
        pids = {reading.relation.pid for reading in readings}
        if relations and len(pids) == 1:
            return [*readings]
        scores: dict[str, float] = {}
        for reading in readings:
            score = self._score_of(record, reading)
            pid = reading.relation.pid
            scores[pid] = max(score, scores.get(pid, 0.0))
        best = max(scores.values())
        if not best:
            if len(pids) == 1 and self._is_certain(record, readings[0]):
                return [*readings]
            raise Rejected("other relation" if has_answer else "no relation", record.question)
        kept = [reading for reading in readings if scores[reading.relation.pid] == best]
        if has_answer:
            kept = self._with_most_answers(record, kept)
        if len({(r.relation.pid, r.is_backward) for r in kept}) > 1:
            self._reject(kept)
        return kept

    def _with_most_answers(self, record: Record, readings: Sequence[Reading]) -> list[Reading]:
        """Return the readings of which most answers are values, those forward before others."""

        def count(reading: Reading) -> tuple[int, bool]:
            values = self._readings.values(reading.qid, reading.relation, reading.is_backward)
            named = (self._readings.items(answer) for answer in record.answers)
            hits = sum(not items.keys().isdisjoint(values) for items in named)
            return hits, not reading.is_backward

        best = max(map(count, readings))
        return [reading for reading in readings if count(reading) == best]

    def _score_of(self, record: Record, reading: Reading) -> float:
        """Return the score of the words around the subject's name for the relation.

        The score is lower if the values of the relation may be of another kind than the question
        asks for. It is 0 if the words name other things, such as another item with a capital: the
        date of an item is no answer to a question about two.
        """
        text = self._without_subject(record, reading)
        pid = reading.relation.pid
        ignored = self._describing_words(reading)
        fit = self._fit(reading, self._answer_kinds(text, ignored))
        words = [
            word
            for word in self._words.words(text)
            if self._words.has(pid, word)
            or not (word in ignored or (fit == 1.0 and self._words.names_kind(word)))
        ]
        scores = self._words.scores(words)
        if pid not in scores or self._words.share(words, pid) < _LEAST_SHARE:
            return 0.0
        if not reading.has_answer and scores[pid] < _NEAR_BEST * max(scores.values()):
            return 0.0
        names_another_item = any(
            not self._words.has(pid, word) and word not in ignored
            for name in _NAME.findall(text.strip())
            for word in self._words.words(name)
        )
        needs_only_subject = not reading.has_answer or reading.relation.object_kinds == DATE
        if names_another_item and needs_only_subject:
            return 0.0
        return fit * scores[pid]

    def _describing_words(self, reading: Reading) -> frozenset[str]:
        """Return words that describe the subject: "the French politician Charles Humbert".

        They are those of its description, and of the labels of its values for other properties.
        """
        labels, values = self._knowledge.labels, self._knowledge.statements.values
        pids = [pid for pid in _DESCRIBING if pid != reading.relation.pid]
        qids = {qid for pid in pids for qid in values(reading.qid, pid)}
        demonyms = read_toml("granola", "demonyms")
        texts = [
            labels.description(reading.qid),
            *map(labels.label, qids),
            *map(demonyms.get, qids),
        ]
        return frozenset(word for text in texts if text for word in words_of(text))

    def _answer_kinds(self, rest: str, describing: Set[str]) -> frozenset[str]:
        """Return the kinds of answers that words ask for which do not describe the subject.

        After "which" and "what" they do all the same.
        """
        kept = [
            word
            for before, word in itertools.pairwise(["", *words_of(rest)])
            if word not in describing or before in ("which", "what")
        ]
        return self._words.answer_kinds(" ".join(kept))

    def _is_certain(self, record: Record, reading: Reading) -> bool:
        """Return whether the answer shows the relation, although no word of the question names it.

        "Who dreamed up Rome?" is about the only relation of the series to its creator. The year of
        an item, an answer that the question names as well, and an alias may occur by chance.
        """
        question = fold(record.question)
        texts = [answer.text for answer in record.answers if answer.text]
        if not reading.has_answer or any(fold(text) in question for text in texts):
            return False
        if reading.relation.object_kinds == DATE:
            days = map(date_parsing.read, texts)
            if not all(day and day.precision == DAY for day in days):
                return False
        elif not any(self._is_label(reading, answer) for answer in record.answers):
            return False
        rest = self._without_subject(record, reading)
        kinds = self._answer_kinds(rest, self._describing_words(reading))
        return self._fit(reading, kinds) > 0

    def _is_label(self, reading: Reading, answer: Answer) -> bool:
        """Return whether an answer is the label of a value."""
        values = self._readings.values(reading.qid, reading.relation, reading.is_backward)
        items = self._readings.items(answer)
        return any(qid in values and not near.is_alias for qid, near in items.items())

    def _without_subject(self, record: Record, reading: Reading) -> str:
        """Return the question without the subject's name."""
        question, mention = record.question, reading.mention
        if mention.end:
            return f"{question[: mention.start]} {question[mention.end :]}"
        label = self._knowledge.labels.label(reading.qid) or ""
        for name in filter(None, (mention.text, label)):
            question = question.replace(name, " ")
        return question

    def _fit(self, reading: Reading, kinds: frozenset[str]) -> float:
        """Return the factor by which the kinds of the values change the score of a relation.

        It is 1 if a value is of one of the ``kinds`` that the question asks for, ``_UNCERTAIN`` if
        kinds are unknown, and else 0.
        """
        if reading.relation.object_kinds == DATE:
            return 1.0 if "date" in kinds else 0.0 if kinds else _UNCERTAIN
        if not kinds:
            return 1.0
        values = self._readings.values(reading.qid, reading.relation, reading.is_backward)
        kinds_of_values = [self._knowledge.kinds.names(qid) for qid in values]
        if any(kinds & {*of_value} for of_value in kinds_of_values):
            return 1.0
        return 0.0 if all(kinds_of_values) else _UNCERTAIN

    def _reject(self, readings: Sequence[Reading]) -> NoReturn:
        label = self._knowledge.labels.label
        texts = dict.fromkeys(
            f"{r.relation.pid} ({r.relation.label}) of {r.qid} ({label(r.qid)})" for r in readings
        )
        raise Rejected("several readings", " or ".join([*texts][:_SHOWN]))


def _evidence(reading: Reading) -> tuple[bool, bool, bool]:
    return reading.has_answer, reading.has_relation, reading.is_of_kind
