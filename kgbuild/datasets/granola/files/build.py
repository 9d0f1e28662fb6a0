"""Add answers at every granularity to the questions of files, as section 3 of the paper does.

The names in a question are resolved to items of the store. The answers of the file are the gold
answers, and count among the possible answers of their relation. Those to a backward question are
the subjects of the relation. Other steps are as in ``from_store``.
"""

import time
from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola.files.choose_reading import Score
from kgbuild.datasets.granola.files.records import FileRecord, QuestionFile
from kgbuild.datasets.granola.files.resolve import FileResolver, Resolved
from kgbuild.datasets.granola.levels.date_answers import DateAnswers
from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.order import Gold
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.drafts import RowDraft, complete, consistent
from kgbuild.datasets.granola.questions.from_store import GranolaOptions
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.english import date_levels, date_parsing
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Built, Evidence, Progress, Rejection
from kgbuild.store.labels import Spellings
from kgbuild.wikidata import Value

_Question: TypeAlias = tuple[FileRecord, Resolved]
"""A record of a file, and what its names are resolved to."""


class FileBuilder:
    """Builds the questions of files, which share what was read from the store.

    ``score`` compares descriptions with questions; ``ask`` asks a model for coarser answers.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        names: Spellings,
        options: GranolaOptions,
        score: Score | None = None,
        ask: Ask | None = None,
    ):
        self._knowledge = knowledge
        self._resolver = FileResolver(knowledge, names, score)
        self._options = options
        self._ask = ask
        self._facts = RelationFacts(knowledge)
        self._profiles = Profiles(knowledge)

    def __call__(self, source: QuestionFile, progress: Progress) -> Built:
        """Return the rows of a file, with the rejected records."""
        started = time.monotonic()
        questions, rejections = self._resolve(source)
        drafts = self._drafts(source.name, questions, progress)
        ask, splits = self._ask, self._options.splits
        if ask:
            drafts, inconsistent = consistent(self._knowledge, drafts, ask)
            rejections += inconsistent
        return complete(
            self._knowledge, source.name, drafts, rejections, started, splits, ask, progress
        )

    def _resolve(self, source: QuestionFile) -> tuple[list[_Question], list[Rejection]]:
        """Return the questions of a file whose names are resolved, and the rejected records."""
        questions: list[_Question] = []
        rejections = [*source.rejections]
        for record in source.records:
            if len(questions) == self._options.limit:
                break
            resolved = self._resolver.resolve(record, source.name)
            if isinstance(resolved, Rejection):
                rejections.append(resolved)
            else:
                questions.append((record, resolved))
        return questions, rejections

    def _drafts(
        self, source: str, questions: Sequence[_Question], progress: Progress
    ) -> list[RowDraft]:
        """Return drafts in the order of the questions; each relation is measured once."""
        by_relation: dict[tuple[str, bool], list[Resolved]] = {}
        for _, resolved in questions:
            by_relation.setdefault(_key(resolved), []).append(resolved)
        answers = {key: self._answers(many, progress) for key, many in by_relation.items()}
        return [
            self._draft(source, record, resolved, answers[_key(resolved)])
            for record, resolved in questions
        ]

    def _answers(
        self, questions: Sequence[Resolved], progress: Progress
    ) -> ItemAnswers | DateAnswers:
        """Return the object that assigns levels to the answers of a relation."""
        asked, is_backward = questions[0].asked, questions[0].is_backward
        if asked.object_kinds == DATE:
            return DateAnswers(self._knowledge.times.by_item(asked.pid).values())
        answers = [
            answer.qid for question in questions for answer in question.answers if answer.qid
        ]
        population = self._facts.population(asked, answers, is_backward)
        return ItemAnswers(asked, population, self._profiles, progress=progress)

    def _draft(
        self,
        source: str,
        record: FileRecord,
        resolved: Resolved,
        answers: ItemAnswers | DateAnswers,
    ) -> RowDraft:
        pid, subject = resolved.relation.pid, resolved.subject
        label = self._knowledge.labels.label(subject) if subject else None
        if resolved.asked.object_kinds == DATE:
            times = self._knowledge.times.of
            stated = [*times(subject, pid), *self._facts.dates(subject, pid)] if subject else []
            gold = [_date(answer.text, resolved, stated) for answer in resolved.answers]
        else:
            gold = self._gold(resolved)
        about = gold, label or resolved.mention or "", self._options.min_bits
        return RowDraft(
            key=record.key,
            relation=pid,
            question=record.question,
            subject=subject,
            mention=resolved.mention,
            gold=gold,
            resolution=resolved.resolution,
            source=source,
            level=partial(answers.levelled, *about),
        )

    def _gold(self, resolved: Resolved) -> list[Gold]:
        """Return the gold answers, each item once, with all its names in the file."""
        stated = self._resolver.values(resolved)
        names: dict[tuple[str, str | None], list[str]] = {}
        for text, qid in resolved.answers:
            names.setdefault((qid or fold(text), qid), []).append(text)
        gold = []
        for (key, qid), texts in names.items():
            label = self._knowledge.labels.label(qid) if qid else None
            evidence = (stated[key],) if key in stated else ()
            gold.append(Gold((*texts, label) if label else tuple(texts), qid, evidence))
        return gold


def _key(resolved: Resolved) -> tuple[str, bool]:
    return resolved.relation.pid, resolved.is_backward


def _date(text: str, resolved: Resolved, stated: Sequence[Value]) -> Gold:
    """Return a date in a file in all its forms, with evidence if the store states it."""
    for value in stated:
        if fold(text) in map(fold, date_levels.spellings(value)):
            triple = Evidence(resolved.subject or "", resolved.relation.pid, value.text)
            return Gold((text,), None, (triple,), date_levels.answers(value))
    date = date_parsing.read(text)
    return Gold((text,), forms=date_levels.answers(date) if date else ())
