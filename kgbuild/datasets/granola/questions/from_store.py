"""Build questions with answers at every granularity from the statements of a store.

Source: section 3 of the GRANOLA paper. There, a model writes the answers and their order from two
descriptions; here, coarser answers follow from triples, and a measure orders them.
"""

import contextlib
import functools
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from kgbuild.datasets.ahead import Ahead
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.levels.date_answers import DateAnswers
from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.order import Gold, Levels
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.date_golds import gold_dates
from kgbuild.datasets.granola.questions.drafts import (
    RowDraft,
    complete,
    with_distinct_questions,
    with_levels,
)
from kgbuild.datasets.granola.questions.golds import Golds, untold
from kgbuild.datasets.granola.questions.question_texts import SubjectQuestions
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.since import Older, Since, Statement, against
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import shuffled_items
from kgbuild.relations import Relation
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, Row, no_progress
from kgbuild.store.arrays import Numbers, Positions, distinct, forgetting

STATED = "stated"
"""The resolution (how the subject was chosen) of questions that are made from statements."""
_MIN_AHEAD = 20_000
"""Minimum number of wanted questions from which on workers are faster than this process alone."""


@dataclass(frozen=True)
class GranolaOptions:
    """The options of a build.

    ``limit`` is the maximum number of questions of a relation, ``min_bits`` the minimum bits of a
    coarser answer (see ``measure``). ``seed`` orders the subjects. With ``splits``, most
    questions are in a split for training.
    """

    limit: int | None = None
    min_bits: float = 0.5
    seed: int = 0
    splits: bool = False


def builder(
    knowledge: Knowledge,
    options: GranolaOptions,
    ask: Ask | None = None,
    ahead: Ahead | None = None,
    older: Older | None = None,
) -> BuildPart[Relation]:
    """Return the function that builds the questions of a relation.

    ``ask`` sends requests for coarser answers to a model. ``ahead`` drafts many questions on all
    cores; without it, this process drafts all. With an ``older`` store, questions are about
    subjects of which it has none of the answers.
    """
    profiles = Profiles(knowledge)

    def build(relation: Relation, progress: Progress) -> Built:
        part = _Relation(knowledge, relation, options, profiles, older)
        return part.build(ask, None if ask else ahead, progress)

    return build


def _examiner(
    relation: Relation, options: GranolaOptions, older: Older | None, knowledge: Knowledge
) -> Callable[[str], RowDraft]:
    """Return the function that drafts the questions of a relation in a worker, with levels."""
    _, draft = _Relation(knowledge, relation, options, Profiles(knowledge), older).drafts()
    return _levelled(draft)


def _levelled(draft: Callable[[str], RowDraft]) -> Callable[[str], RowDraft]:
    """Return the function that drafts questions with levels, none of which a model adds."""
    return lambda subject: with_levels(draft(subject))


def drafts_of(
    knowledge: Knowledge, relation: Relation, options: GranolaOptions, profiles: Profiles
) -> Callable[[str], RowDraft]:
    """Return a function that drafts the question of a relation about a subject.

    It raises ``Rejected`` for a subject without a question.
    """
    _, draft = _Relation(knowledge, relation, options, profiles, None).drafts()
    return _levelled(draft)


_Write: TypeAlias = Callable[[str, str], RowDraft]
"""A function that returns the draft of a question about a subject."""


@dataclass
class _Relation:
    """The build of one relation."""

    knowledge: Knowledge
    relation: Relation
    options: GranolaOptions
    profiles: Profiles
    older: Older | None

    def build(self, ask: Ask | None, ahead: Ahead | None, progress: Progress) -> Built:
        """Return the rows of the relation, with the rejected subjects."""
        started = time.monotonic()
        pid = self.relation.pid
        subjects, draft = self.drafts(progress)
        draft = draft if ask else _levelled(draft)
        drafts: list[RowDraft] = []
        rejections: list[Rejection] = []
        with contextlib.closing(self._examined(subjects, draft, ahead)) as examined:
            for subject, drafted in forgetting(examined):
                if len(drafts) == self.options.limit:
                    break
                try:
                    drafts.append(drafted())
                except Rejected as rejected:
                    rejections.append(rejected.rejection(f"{subject} {pid}"))
        drafts, same = with_distinct_questions(drafts)
        rejections += same
        splits = self.options.splits
        built = complete(self.knowledge, pid, drafts, rejections, started, splits, ask, progress)
        if self._since:
            built.since = [*self._compared(self._since, built.tables["granola_questions"])]
        return built

    def drafts(
        self, progress: Progress = no_progress
    ) -> tuple[Numbers | Positions, Callable[[str], RowDraft]]:
        """Return the numbers of the subjects, and a function that drafts the question about one.

        The function raises ``Rejected`` for subjects without a question.
        """
        is_date = self.relation.object_kinds == DATE
        subjects, write = self._dates() if is_date else self._items(progress)
        texts = SubjectQuestions(self.relation, self.profiles)
        stated = self._stated()

        def draft(subject: str) -> RowDraft:
            if self._since:
                self._since.check(stated(subject), alternatives=True)
            return write(subject, texts.question(subject))

        return subjects, draft

    @functools.cached_property
    def _since(self) -> Since | None:
        return against(self.knowledge, self.older)

    def _stated(self) -> Callable[[str], list[Statement]]:
        """Return the function that returns what the store states of a subject."""
        pid = self.relation.pid
        if self.relation.object_kinds == DATE:
            times = self.knowledge.times
            return lambda subject: [(subject, pid, time.text) for time in times.of(subject, pid)]
        facts = RelationFacts(self.knowledge)
        return lambda subject: [
            (subject, pid, value) for value in facts.values(subject, self.relation)
        ]

    def _compared(self, since: Since, questions: Sequence[Row]) -> Iterator[Row]:
        """Yield the rows of the table ``since`` for the answers to questions."""
        pid = self.relation.pid
        for row in questions:
            subject, triples = row["subject_qid"], row["evidence"]
            values = [
                one["object"] if one["subject"] == subject else one["subject"] for one in triples
            ]
            statements = [(subject, pid, value) for value in values]
            yield from since.rows(pid, row["question_id"], statements, len(statements))

    def _examined(
        self, subjects: Numbers | Positions, draft: Callable[[str], RowDraft], ahead: Ahead | None
    ) -> Generator[tuple[str, Callable[[], RowDraft]]]:
        """Yield each subject in the seeded order, with a function that returns its draft."""
        candidates = shuffled_items(self.relation.pid, subjects, self.options.seed)
        wanted = min(len(subjects), self.options.limit or len(subjects))
        if ahead is None or wanted < _MIN_AHEAD:
            yield from ((subject, partial(draft, subject)) for subject in candidates)
            return
        in_worker = partial(_examiner, self.relation, self.options, self.older)
        with contextlib.closing(ahead.of(candidates, wanted, draft, in_worker)) as examined:
            yield from examined

    def _draft(
        self,
        subject: str,
        question: str,
        gold: Sequence[Gold],
        level: Callable[[Sequence[str]], Levels],
    ) -> RowDraft:
        """Return the draft of the question about a subject."""
        pid = self.relation.pid
        return RowDraft(
            key=f"{subject} {pid}",
            relation=pid,
            question=question,
            subject=subject,
            mention=None,
            gold=gold,
            resolution=STATED,
            source=pid,
            level=level,
        )

    def _items(self, progress: Progress) -> tuple[Numbers | Positions, _Write]:
        """Return the subjects of a relation whose answers are items, and the function for drafts.

        A subject is rejected if ``Golds`` reject its answers, if it has several answers where only
        one can be true, or places of which no country is known.
        """
        facts = RelationFacts(self.knowledge)
        population = facts.population(self.relation)
        counts = self.knowledge.counts
        answers = ItemAnswers(self.relation, population, self.profiles, counts, progress)
        golds = Golds(self.relation, self.profiles)

        def draft(subject: str, question: str) -> RowDraft:
            values, name = facts.values(subject, self.relation), self.profiles.label(subject)
            years = facts.years(subject, self.relation)
            gold = golds.of(subject, question, values)
            finest = answers.finest(gold, years)
            if self.relation.accepts_places and not answers.are_in_countries(finest, years):
                raise Rejected("no country", ", ".join(values))
            if self.relation.single_valued and len(finest) > 1:
                raise Rejected("contradicted", ", ".join(values))
            arguments = finest, years, name, self.options.min_bits
            level = partial(answers.levelled, *arguments)
            return self._draft(subject, question, gold, partial(untold, question, level))

        return distinct(facts.pairs(self.relation).subjects), draft

    def _dates(self) -> tuple[Numbers | Positions, _Write]:
        """Return the subjects of a relation whose answers are dates, and the function for drafts.

        A subject is rejected if it has none that ``gold_dates`` returns.
        """
        pid = self.relation.pid
        times = self.knowledge.times.by_item(pid)
        answers = DateAnswers(value for values in times.values() for value in values)
        facts = RelationFacts(self.knowledge)

        def draft(subject: str, question: str) -> RowDraft:
            values_with_forms = gold_dates(facts.dates(subject, pid), self.relation.earliest_only)
            evidence = tuple(Evidence(subject, pid, value.text) for value, _ in values_with_forms)
            _, common_forms = values_with_forms[0]
            gold = [Gold((common_forms[0].text,), None, evidence, common_forms)]
            arguments = gold, None, self.profiles.label(subject), self.options.min_bits
            return self._draft(subject, question, gold, partial(answers.levelled, *arguments))

        return self.knowledge.columns.times.items(pid), draft
