"""Build questions with answers at every granularity from the statements of a store.

Source: section 3 of the GRANOLA paper. There, a model writes the answers and their order from two
descriptions; here, coarser answers follow from triples, and a measure orders them.
"""

import contextlib
import itertools
import time
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from kgbuild.datasets.ahead import Ahead
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.base import read_toml
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.date_answers import DateAnswers
from kgbuild.datasets.granola.date_bounds import SafeDates
from kgbuild.datasets.granola.date_golds import gold_dates
from kgbuild.datasets.granola.drafts import Draft, complete, with_distinct_questions, with_levels
from kgbuild.datasets.granola.evident_answers import (
    has_adjective,
    is_dated,
    is_evident,
    shares_a_name,
)
from kgbuild.datasets.granola.generations import has_bare_name
from kgbuild.datasets.granola.item_answers import ItemAnswers
from kgbuild.datasets.granola.item_labels import item_label
from kgbuild.datasets.granola.levels import Gold, Levels
from kgbuild.datasets.granola.namesakes import PERSON
from kgbuild.datasets.granola.occupations import fitting_endings
from kgbuild.datasets.granola.places import PLACE
from kgbuild.datasets.granola.profiles import Profiles
from kgbuild.datasets.granola.question_texts import QuestionTexts
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.repeated_answers import RepeatedAnswers
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import shuffled_items
from kgbuild.relations import Relation
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection
from kgbuild.store.arrays import Numbers, Positions, distinct, forgetting

STATED = "stated"
"""The resolution (how the subject was chosen) of questions that are made from statements."""
_MIN_AHEAD = 20_000
"""Minimum number of wanted questions from which on workers are faster than this process alone."""
_LOCATION, _SEAT, _AREA, _OWNER = "P276", "P159", "P131", "P127"
_WHERE = (_SEAT, _LOCATION, _AREA)
_SCHOOL, _BUILDING, _TEAM = "school", "building", "team"
_OF_MAKERS = {_OWNER, "P112", "P50", "P170", "P175"}
"""Relations whose answers made or own the subject, and often name it: Geffen Records."""


@dataclass(frozen=True)
class Options:
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
    knowledge: Knowledge, options: Options, ask: Ask | None = None, ahead: Ahead | None = None
) -> BuildPart[Relation]:
    """Return the function that builds the questions of a relation.

    ``ask`` sends requests for coarser answers to a model. ``ahead`` drafts many questions on all
    cores; without it, this process drafts all.
    """
    profiles = Profiles(knowledge)

    def build(relation: Relation, progress: Progress) -> Built:
        part = _Relation(knowledge, relation, options, profiles)
        return part.build(ask, None if ask else ahead, progress)

    return build


def _examiner(relation: Relation, options: Options, knowledge: Knowledge) -> Callable[[str], Draft]:
    """Return the function that drafts the questions of a relation in a worker, with levels."""
    _, draft = _Relation(knowledge, relation, options, Profiles(knowledge)).drafts()
    return lambda subject: with_levels(draft(subject))


def _without_asked(
    question: str, level: Callable[[Sequence[str]], Levels], texts: Sequence[str]
) -> Levels:
    """Return levels without an answer that the question has: "Name a play" and "a play"."""
    answers, dropped = level(texts)
    asked = [one for one in answers if f"Name {one.candidate.text} that " in question]
    if not asked:
        return answers, dropped
    kept = [one for one in answers if one not in asked]
    numbers = {n: new for new, n in enumerate(sorted({one.level for one in kept}), 1)}
    trivial = [(one.candidate.text, "trivial") for one in asked]
    return [one._replace(level=numbers[one.level]) for one in kept], [*dropped, *trivial]


_Write: TypeAlias = Callable[[str, str], Draft]
"""A function that returns the draft of a question about a subject."""


@dataclass
class _Relation:
    """The build of one relation."""

    knowledge: Knowledge
    relation: Relation
    options: Options
    profiles: Profiles

    def build(self, ask: Ask | None, ahead: Ahead | None, progress: Progress) -> Built:
        """Return the rows of the relation, with the rejected subjects."""
        started = time.monotonic()
        pid = self.relation.pid
        subjects, draft = self.drafts()
        drafts: list[Draft] = []
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
        return complete(self.knowledge, pid, drafts, rejections, started, splits, ask, progress)

    def drafts(self) -> tuple[Numbers | Positions, Callable[[str], Draft]]:
        """Return the numbers of the subjects, and a function that drafts the question about one.

        The function raises ``Rejected`` for subjects without a question.
        """
        subjects, write = self._dates() if self.relation.object_kinds == DATE else self._items()
        is_about_people = PERSON in self.relation.object_kinds
        statements = self.knowledge.statements
        others = statements.numbers(self.relation.pid).values if is_about_people else ()
        people: Numbers = np.append(subjects, np.asarray(others, np.int32))
        texts = QuestionTexts(self.relation, distinct(people), self.profiles)
        return subjects, lambda subject: write(subject, texts.question(subject))

    def _examined(
        self, subjects: Numbers | Positions, draft: Callable[[str], Draft], ahead: Ahead | None
    ) -> Generator[tuple[str, Callable[[], Draft]]]:
        """Yield each subject in the seeded order, with a function that returns its draft."""
        candidates = shuffled_items(self.relation.pid, subjects, self.options.seed)
        wanted = min(len(subjects), self.options.limit or len(subjects))
        if ahead is None or wanted < _MIN_AHEAD:
            yield from ((subject, partial(draft, subject)) for subject in candidates)
            return
        in_worker = partial(_examiner, self.relation, self.options)
        with contextlib.closing(ahead.of(candidates, wanted, draft, in_worker)) as examined:
            yield from examined

    def _label(self, qid: str) -> str:
        return item_label(self.knowledge.labels, qid)

    def _draft(
        self,
        subject: str,
        question: str,
        gold: Sequence[Gold],
        level: Callable[[Sequence[str]], Levels],
    ) -> Draft:
        """Return the draft of the question about a subject."""
        pid = self.relation.pid
        return Draft(
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

    def _items(self) -> tuple[Numbers | Positions, _Write]:
        """Return the subjects of a relation whose answers are items, and the function for drafts.

        A subject is rejected if its answers no longer exist, have no label, or have its name.
        """
        facts = RelationFacts(self.knowledge)
        population = facts.population(self.relation)
        answers = ItemAnswers(self.relation, population, self.profiles, self.knowledge.counts)
        levelled = RepeatedAnswers(answers, self.profiles).levelled

        def draft(subject: str, question: str) -> Draft:
            values, name = facts.values(subject, self.relation), self._label(subject)
            years = facts.years(subject, self.relation)
            seats = self._seats(subject, values)
            possible = [value for value in seats if not self._is_excluded(value)]
            current = [value for value in possible if not self._is_outdated(subject, value)]
            gold = [
                Gold((label,), value, (values[value],))
                for value in current
                if (label := self._label(value))
            ]
            if not current:
                raise Rejected("outdated" if possible else "wrong kind", ", ".join(values))
            if not gold:
                raise Rejected("no label", ", ".join(values))
            self._check_answers(subject, question, values, gold)
            finest = answers.finest(gold, years)
            if self.relation.single_valued and len(finest) > 1:
                raise Rejected("contradicted", ", ".join(values))
            arguments = finest, years, name, self.options.min_bits
            kinds = self.profiles.described_kinds(subject)
            level = partial(levelled, *arguments, endings=fitting_endings(self.relation, kinds))
            return self._draft(subject, question, gold, partial(_without_asked, question, level))

        return distinct(facts.pairs(self.relation).subjects), draft

    def _check_answers(
        self, subject: str, question: str, values: Collection[str], gold: Sequence[Gold]
    ) -> None:
        """Check that the answers are no names of the subject, and no names that say too little.

        Raises:
            Rejected: the question contains an answer, or there are several seats.
        """
        name = self._label(subject)
        if any(fold(answer.names[0]) == fold(name) for answer in gold):
            raise Rejected("same name", name)
        if PERSON in self.relation.object_kinds:
            self._check_names(gold)
        if self._is_evident(subject, question, name, gold):
            raise Rejected("answer in the question", ", ".join(values))
        if self._has_several_seats(subject):
            raise Rejected("several seats", ", ".join(values))

    def _is_evident(self, subject: str, question: str, name: str, gold: Sequence[Gold]) -> bool:
        """Return whether the name of a subject says what the answer is.

        Of places and people, only whole names count: a town may have the river's name, and lie
        elsewhere.
        """
        if self.relation.pid in _OF_MAKERS:
            return shares_a_name(name, gold)
        if PERSON in self.relation.object_kinds:  # Ann Lee, and her child Mary Ann Lee
            return is_evident(question, name, gold)
        if not self.relation.accepts_places:
            return False
        kinds = self.profiles.described_kinds(subject)
        printed = [Gold((self.profiles.place_phrase(one.qid),)) for one in gold if one.qid]
        if is_evident(question, name, [*gold, *printed]):
            return True
        if _TEAM in kinds and has_adjective(name, gold):
            return True
        is_named = {"place", PERSON}.isdisjoint(kinds)
        return is_named and shares_a_name(name, [*map(self._with_words, gold)])

    def _with_words(self, place: Gold) -> Gold:
        """Return a place with its usual name, and its aliases of one word: Rome, Roma.

        An alias that was cut at a comma is that of a region: "Arizona", of Tucson.
        """
        qid = place.qid or ""
        regions = self.profiles.descriptions.regions
        aliases = self.knowledge.labels.aliases(qid)
        cut = {alias.rpartition(", ")[2] for alias in aliases if ", " in alias}
        words = (
            alias
            for alias in aliases
            if " " not in alias and alias not in cut and regions.get(fold(alias), qid) == qid
        )
        return Gold((*place.names, self.profiles.place_phrase(qid), *words), place.qid)

    def _check_names(self, gold: Sequence[Gold]) -> None:
        """Check that the names of people say who is meant.

        Raises:
            Rejected: "Louis V" may be a ruler of several countries.
        """
        for one in gold:
            if one.qid and has_bare_name(self.profiles, one.qid, one.names[0]):
                raise Rejected("unusual name", one.names[0])

    def _seats(self, subject: str, places: Collection[str]) -> Collection[str]:
        """Return the headquarters of an institution among several places where it is.

        Raises:
            Rejected: none of several places is its headquarters; the others may be branches.
        """
        is_seated = {"organisation", "team"} & {*self.profiles.kinds.names(subject)}
        if self.relation.pid != _LOCATION or len(places) < 2 or not is_seated:
            return places
        seats = self.knowledge.statements.values(subject, _SEAT)
        if not (marked := [place for place in places if place in seats]):
            raise Rejected("several seats", ", ".join(places))
        return marked

    def _has_several_seats(self, subject: str) -> bool:
        """Return whether an institution is in places that do not contain each other.

        One of them may be a branch, a former seat, or an error. The description names a place, too.
        """
        kinds = {*self.profiles.kinds.names(subject)}
        is_building = _BUILDING in kinds and _SCHOOL not in kinds
        is_seated = {"organisation", "team"} & kinds and "place" not in kinds and not is_building
        if self.relation.pid not in _WHERE or not is_seated:
            return False
        values = self.knowledge.statements.values
        seats = dict.fromkeys(seat for pid in _WHERE for seat in values(subject, pid))
        described = self.profiles.descriptions.read(subject)
        if described and described.where:
            seats[described.where] = None
        around = {seat: self.profiles.profile(seat, None).facets for seat in seats}
        return any(
            (PLACE, one) not in around[other] and (PLACE, other) not in around[one]
            for one, other in itertools.combinations(seats, 2)
        )

    def _is_excluded(self, value: str) -> bool:
        """Return whether an item, or an item of its classes, answers no question.

        Nor does a class, such as "primary school", where an item is due.
        """
        label = self._label(value)
        first, *others = label.split() or [""]
        is_lower = label.islower() or (bool(others) and first.islower())
        kinds = {*self.profiles.described_kinds(value)}
        if is_lower and kinds.isdisjoint({PERSON, "place"}) and not self.relation.accepts_classes:
            return True
        if _SCHOOL in kinds:  # some universities are towns by their classes, too
            return False
        excluded = read_toml("granola", "classes")["not_answers"].get(self.relation.pid, {})
        classes = self.profiles.classes
        return bool(excluded) and any(
            not classes.closure(qid).isdisjoint(excluded) for qid in (value, *classes.of(value))
        )

    def _is_outdated(self, subject: str, place: str) -> bool:
        """Return whether a place or an owner of today is due, and this one no longer exists."""
        is_former = self.profiles.history.is_former
        if self.relation.pid == _OWNER:
            return is_former(place) and not is_former(subject)
        asks_where_it_is = self.relation.accepts_places and not self.relation.event_date_property
        kinds = self.knowledge.kinds.names(place)
        is_place = "place" in kinds or not kinds
        if not asks_where_it_is or not is_place or is_former(place) == is_former(subject):
            return False
        # A town that is no municipality any more is still there.
        subject_kinds = self.profiles.kinds.names(subject)
        return is_former(place) or not subject_kinds or "place" in subject_kinds

    def _dates(self) -> tuple[Numbers | Positions, _Write]:
        """Return the subjects of a relation whose answers are dates, and the function for drafts.

        A subject is rejected if it has no date that is safe, or none that ``gold_dates`` returns.
        """
        pid = self.relation.pid
        times = self.knowledge.times.by_item(pid)
        answers = DateAnswers(value for values in times.values() for value in values)
        safe = SafeDates(self.knowledge, pid)

        def draft(subject: str, question: str) -> Draft:
            values_with_forms = gold_dates(safe.dates(subject), self.relation.earliest_only)
            evidence = tuple(Evidence(subject, pid, value.text) for value, _ in values_with_forms)
            _, common_forms = values_with_forms[0]
            gold = [Gold((common_forms[0].text,), None, evidence, common_forms)]
            if is_dated(question, common_forms):
                raise Rejected("answer in the question", common_forms[0].text)
            arguments = gold, None, self._label(subject), self.options.min_bits
            return self._draft(subject, question, gold, partial(answers.levelled, *arguments))

        return self.knowledge.columns.times.items(pid), draft
