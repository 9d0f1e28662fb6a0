"""Add answers at every granularity to the questions of files, as section 3 of the paper does.

The names in a question are resolved to items of the store. What follows is the same as for
questions that are made from statements, except that the answers of the file are the gold answers,
and count among the possible answers of their relation.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from kgbuild.catalog import Catalog, catalog
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.date_answers import DateAnswers
from kgbuild.datasets.granola.drafts import Draft, complete, consistent
from kgbuild.datasets.granola.from_store import Options
from kgbuild.datasets.granola.gold import Gold
from kgbuild.datasets.granola.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels import Levels
from kgbuild.datasets.granola.profiles import Profiles
from kgbuild.datasets.granola.question_files import Source
from kgbuild.datasets.granola.records import Record
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.resolve import Resolved, Resolver, Score
from kgbuild.datasets.granola.rows import DraftQuestion
from kgbuild.datasets.granola.templates import Templates
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Built, Evidence, Progress, Rejection
from kgbuild.store.labels import Names
from kgbuild.wikidata import Value

_Level: TypeAlias = Callable[[Sequence[str]], Levels]
_Answers: TypeAlias = Callable[[Resolved, str], tuple[list[Gold], _Level]]
"""Returns the gold answers to a question, by the name of its subject, and what levels them."""


class _Question(NamedTuple):
    record: Record
    mention: str | None
    resolved: Resolved


def builder(
    knowledge: Knowledge,
    names: Names,
    options: Options,
    score: Score | None = None,
    ask: Ask | None = None,
) -> BuildPart[Source]:
    """Return the function that builds the questions of a file.

    ``score`` compares descriptions with questions; ``ask`` asks a model for coarser answers.
    """
    return _Builder(knowledge, names, catalog(), options, score, ask).build


@dataclass
class _Builder:
    knowledge: Knowledge
    names: Names
    catalog: Catalog
    options: Options
    score: Score | None
    ask: Ask | None

    def __post_init__(self) -> None:
        self._templates = Templates(self.catalog.relations_of("granola"))
        self._resolver = Resolver(self.knowledge, self.names, self.catalog, self.score)
        self._facts = RelationFacts(self.knowledge, self.catalog)
        self._profiles = Profiles(self.knowledge)

    def build(self, source: Source, progress: Progress) -> Built:
        started = time.monotonic()
        questions, rejections = self._resolve(source)
        drafts = self._drafts(source.name, questions)
        if self.ask:
            drafts, inconsistent = consistent(self.knowledge, drafts, self.ask)
            rejections += inconsistent
        return complete(
            self.knowledge, source.name, drafts, rejections, started, self.ask, progress
        )

    def _resolve(self, source: Source) -> tuple[list[_Question], list[Rejection]]:
        """Return the questions of a file whose names are resolved, and the rejected records."""
        questions: list[_Question] = []
        rejections = [*source.rejections]
        of_file = self._templates.of_file(source.name)
        for record in source.records:
            if len(questions) == self.options.limit:
                break
            matches = self._templates.matches(record.question, record.relation or of_file)
            resolved = self._resolver.resolve(record, matches)
            if isinstance(resolved, Rejection):
                rejections.append(resolved)
                continue
            mentions = (one.mention for one in matches if one.relation is resolved.relation)
            questions.append(_Question(record, next(mentions, None), resolved))
        return questions, rejections

    def _drafts(self, source: str, questions: Sequence[_Question]) -> list[Draft]:
        """Return drafts in the order of the questions; each relation is measured once."""
        by_relation: dict[str, list[Resolved]] = {}
        for question in questions:
            relation = question.resolved.relation
            by_relation.setdefault(relation.pid, []).append(question.resolved)
        answers = {
            pid: (self._dates if resolved[0].relation.object == DATE else self._items)(resolved)
            for pid, resolved in by_relation.items()
        }
        return [
            self._draft(source, question, answers[question.resolved.relation.pid])
            for question in questions
        ]

    def _draft(self, source: str, question: _Question, answers: _Answers) -> Draft:
        record, mention, resolved = question
        label = resolved.subject and self.knowledge.labels.label(resolved.subject)
        gold, level = answers(resolved, label or mention or "")
        draft = DraftQuestion(
            relation=resolved.relation.pid,
            question=record.question,
            subject=resolved.subject,
            mention=mention,
            gold=[(one.qid, one.names[0]) for one in gold],
            evidence=[triple for one in gold for triple in one.evidence],
            resolution=resolved.resolution,
            source=source,
        )
        return Draft(record.key, draft, level)

    def _items(self, questions: Sequence[Resolved]) -> _Answers:
        relation = questions[0].relation
        population = self._facts.population(relation)
        population += [
            (answer.qid, self._years(one))
            for one in questions
            for answer in one.answers
            if answer.qid
        ]
        answers = ItemAnswers(self.knowledge, self.catalog, relation, population, self._profiles)

        def of(resolved: Resolved, name: str) -> tuple[list[Gold], _Level]:
            gold, years = self._gold(resolved), self._years(resolved)
            return gold, partial(answers.levelled, gold, years, name, self.options.min_bits)

        return of

    def _dates(self, questions: Sequence[Resolved]) -> _Answers:
        times = self.knowledge.times.by_item(questions[0].relation.pid)
        answers = DateAnswers(value for values in times.values() for value in values)

        def of(resolved: Resolved, name: str) -> tuple[list[Gold], _Level]:
            stated = times.get(resolved.subject or "", ())
            pairs = [_date(answer.text, resolved, stated) for answer in resolved.answers]
            gold = [one for _, one in pairs]
            return gold, partial(answers.levelled, pairs, name, self.options.min_bits)

        return of

    def _years(self, resolved: Resolved) -> Years | None:
        return self._facts.years(resolved.subject, resolved.relation) if resolved.subject else None

    def _gold(self, resolved: Resolved) -> list[Gold]:
        """Return the gold answers, each item once, with all names that the file has for it."""
        subject = resolved.subject
        stated = self._facts.values(subject, resolved.relation) if subject else {}
        names: dict[str, list[str]] = {}
        for answer in resolved.answers:
            names.setdefault(answer.qid or fold(answer.text), []).append(answer.text)
        items = {answer.qid or fold(answer.text): answer.qid for answer in resolved.answers}
        return [
            Gold(
                (*texts, *self._label(items[key])),
                items[key],
                (stated[key],) if key in stated else (),
            )
            for key, texts in names.items()
        ]

    def _label(self, qid: str | None) -> list[str]:
        label = self.knowledge.labels.label(qid) if qid else None
        return [label] if label else []


def _date(text: str, resolved: Resolved, stated: Sequence[Value]) -> tuple[list[DateAnswer], Gold]:
    """Return all forms of a date in a file, with evidence if the store states it, too."""
    for value in stated:
        forms = dates.answers(value)
        if any(fold(text) in map(fold, (one.text, *one.aliases)) for one in forms[:1]):
            triple = Evidence(resolved.subject or "", resolved.relation.pid, value.text)
            return forms, Gold((text,), None, (triple,))
    date = date_parsing.read(text)
    return dates.answers(date) if date else [], Gold((text,))
