"""Build questions with answers at every granularity from the statements of a store.

Source: section 3 of the GRANOLA paper. There, a model writes the answers and their order from two
descriptions; here, coarser answers follow from triples, and a measure orders them.
"""

import contextlib
import functools
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from kgbuild.datasets.ahead import Ahead
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.levels.date_answers import DateAnswers
from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.order import Gold, Level
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.drafts import (
    RowDraft,
    complete,
    with_distinct_questions,
    with_levels,
)
from kgbuild.datasets.granola.questions.golds import Golds, gold_dates, untold
from kgbuild.datasets.granola.questions.question_texts import SubjectQuestions
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.since import Older, Since, Statement, against
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import shuffled_items
from kgbuild.native.arrays import Numbers, Positions
from kgbuild.relations import Relation
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, Row, no_progress
from kgbuild.store.arrays import distinct, forgetting

STATED = "stated"
"""The resolution (how the subject was chosen) of questions that are made from statements."""
_MIN_AHEAD = 20_000
"""Minimum number of wanted questions from which on workers are faster than this process alone."""
_profiles = functools.lru_cache(maxsize=1)(Profiles)
"""The profiles of a store: the relations that a process builds have many items in common."""


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

    def build(relation: Relation, progress: Progress) -> Built:
        part = _Relation(knowledge, relation, options, older)
        return part.build(ask, None if ask else ahead, progress)

    return build


def drafts_of(
    relation: Relation, options: GranolaOptions, older: Older | None, knowledge: Knowledge
) -> Callable[[str], RowDraft]:
    """Return a function that drafts the question of a relation about a subject, with its levels.

    It raises ``Rejected`` for a subject without a question.
    """
    _, draft = _Relation(knowledge, relation, options, older).drafts()
    return draft


_Answer: TypeAlias = Callable[[str, str], tuple[Sequence[Gold], Level]]
"""Returns the gold answers to the question about a subject, and the function for all answers."""


class _Relation:
    """The build of one relation."""

    def __init__(
        self, knowledge: Knowledge, relation: Relation, options: GranolaOptions, older: Older | None
    ):
        self._knowledge = knowledge
        self._relation = relation
        self._options = options
        self._profiles = _profiles(knowledge)
        self._facts = RelationFacts(knowledge)
        self._since = against(knowledge, older)
        self._in_worker = partial(drafts_of, relation, options, older)

    def build(self, ask: Ask | None, ahead: Ahead | None, progress: Progress) -> Built:
        """Return the rows of the relation, with the rejected subjects."""
        started = time.monotonic()
        pid = self._relation.pid
        subjects, draft = self.drafts(progress, ask)
        drafts: list[RowDraft] = []
        rejections: list[Rejection] = []
        with contextlib.closing(self._examined(subjects, draft, ahead)) as examined:
            for subject, drafted in forgetting(examined):
                if len(drafts) == self._options.limit:
                    break
                try:
                    drafts.append(drafted())
                except Rejected as rejected:
                    rejections.append(rejected.rejection(f"{subject} {pid}"))
        drafts, same = with_distinct_questions(drafts)
        rejections += same
        splits = self._options.splits
        built = complete(self._knowledge, pid, drafts, rejections, started, splits, ask, progress)
        if self._since:
            built.since = [*self._compared(self._since, built.tables["granola_questions"])]
        return built

    def drafts(
        self, progress: Progress = no_progress, ask: Ask | None = None
    ) -> tuple[Numbers | Positions, Callable[[str], RowDraft]]:
        """Return the numbers of the subjects, and a function that drafts the question about one.

        The function raises ``Rejected`` for subjects without a question. A draft has its levels,
        unless a model is asked for further answers.
        """
        is_date = self._relation.object_kinds == DATE
        subjects, answer = self._dates() if is_date else self._items(progress)
        texts = SubjectQuestions(self._relation, self._profiles)
        pid = self._relation.pid

        def draft(subject: str) -> RowDraft:
            if self._since:
                self._since.check(self._stated(subject), alternatives=True)
            question = texts.question(subject)
            gold, level = answer(subject, question)
            row = RowDraft(
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
            return row if ask else with_levels(row)

        return subjects, draft

    def _stated(self, subject: str) -> list[Statement]:
        pid = self._relation.pid
        values: Iterable[str] = self._facts.values(subject, self._relation)
        if self._relation.object_kinds == DATE:
            values = (time.text for time in self._knowledge.times.of(subject, pid))
        return [(subject, pid, value) for value in values]

    def _compared(self, since: Since, questions: Sequence[Row]) -> Iterator[Row]:
        """Yield the rows of the table ``since`` for the answers to questions."""
        pid = self._relation.pid
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
        candidates = shuffled_items(self._relation.pid, subjects, self._options.seed)
        wanted = min(len(subjects), self._options.limit or len(subjects))
        if ahead is None or wanted < _MIN_AHEAD:
            yield from ((subject, partial(draft, subject)) for subject in candidates)
            return
        with contextlib.closing(ahead.of(candidates, wanted, draft, self._in_worker)) as examined:
            yield from examined

    def _items(self, progress: Progress) -> tuple[Numbers | Positions, _Answer]:
        """Return the subjects of a relation whose answers are items, and the function for answers.

        A subject is rejected if ``Golds`` reject its answers, if it has several answers where only
        one can be true, or places of which no country is known.
        """
        facts = self._facts
        population = facts.population(self._relation)
        counts = self._knowledge.counts
        answers = ItemAnswers(self._relation, population, self._profiles, counts, progress)
        golds = Golds(self._relation, self._profiles)

        def answer(subject: str, question: str) -> tuple[Sequence[Gold], Level]:
            values, name = facts.values(subject, self._relation), self._profiles.label(subject)
            gold = golds.of(subject, question, values)
            finest = answers.finest(gold)
            if self._relation.accepts_places and not answers.are_in_countries(finest):
                raise Rejected("no country", ", ".join(values))
            if self._relation.single_valued and len(finest) > 1:
                raise Rejected("contradicted", ", ".join(values))
            level = partial(answers.levelled, finest, name, self._options.min_bits)
            return gold, partial(untold, question, level)

        return distinct(facts.pairs(self._relation).subjects), answer

    def _dates(self) -> tuple[Numbers | Positions, _Answer]:
        """Return the subjects of a relation whose answers are dates, and the function for answers.

        A subject is rejected if it has none that ``gold_dates`` returns.
        """
        pid = self._relation.pid
        answers = DateAnswers(self._knowledge.times.by_item(pid).values())

        def answer(subject: str, _question: str) -> tuple[Sequence[Gold], Level]:
            dates = self._facts.dates(subject, pid)
            values_with_forms = gold_dates(dates, self._relation.earliest_only)
            evidence = tuple(Evidence(subject, pid, value.text) for value, _ in values_with_forms)
            _, common_forms = values_with_forms[0]
            gold = [Gold((common_forms[0].text,), None, evidence, common_forms)]
            arguments = gold, self._profiles.label(subject), self._options.min_bits
            return gold, partial(answers.levelled, *arguments)

        return self._knowledge.columns.times.items(pid), answer
