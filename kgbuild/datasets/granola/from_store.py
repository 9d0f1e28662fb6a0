"""Build questions with answers at every granularity from the statements of a store.

Source: section 3 of the GRANOLA paper. There, a model writes the answers and their order from two
descriptions; here, coarser answers follow from triples, and a measure orders them.
"""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.base import read_toml
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.date_answers import DateAnswers
from kgbuild.datasets.granola.date_bounds import SafeDates
from kgbuild.datasets.granola.drafts import Draft, complete, with_distinct_questions
from kgbuild.datasets.granola.evident_answers import is_evident
from kgbuild.datasets.granola.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels import Gold, Levels
from kgbuild.datasets.granola.namesakes import PERSON
from kgbuild.datasets.granola.occupations import fitting_endings
from kgbuild.datasets.granola.profiles import Profiles
from kgbuild.datasets.granola.question_texts import QuestionTexts
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.repeated_answers import RepeatedAnswers
from kgbuild.datasets.granola.subject_names import has_bare_name, item_label
from kgbuild.english import dates
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import shuffled_items
from kgbuild.graph.times import Years
from kgbuild.relations import Relation
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection
from kgbuild.store.arrays import Numbers, Positions, distinct, forgetting
from kgbuild.wikidata import Value

STATED = "stated"
"""The resolution (how the subject was chosen) of questions that are made from statements."""
_LOCATION, _SEAT, _OWNER = "P276", "P159", "P127"
_NO_YEARS = (10**6, 10**6)
"""Years of a date that cannot be read: later than all others."""


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


def builder(knowledge: Knowledge, options: Options, ask: Ask | None = None) -> BuildPart[Relation]:
    """Return the function that builds the questions of a relation.

    ``ask`` sends requests for coarser answers to a model.
    """
    profiles = Profiles(knowledge)

    def build(relation: Relation, progress: Progress) -> Built:
        return _Relation(knowledge, relation, options, profiles).build(ask, progress)

    return build


_Drafts: TypeAlias = tuple[Numbers | Positions, Callable[[str, str], Draft]]
"""The numbers of the subjects of a relation, and a function that drafts the question about one."""


@dataclass
class _Relation:
    """The build of one relation."""

    knowledge: Knowledge
    relation: Relation
    options: Options
    profiles: Profiles

    def build(self, ask: Ask | None, progress: Progress) -> Built:
        """Return the rows of the relation, with the rejected subjects."""
        started = time.monotonic()
        pid = self.relation.pid
        subjects, draft = self._dates() if self.relation.object_kinds == DATE else self._items()
        is_about_people = PERSON in self.relation.object_kinds
        others = self.knowledge.statements.numbers(pid).values if is_about_people else ()
        people: Numbers = np.append(subjects, np.asarray(others, np.int32))
        texts = QuestionTexts(self.relation, distinct(people), self.profiles)
        drafts: list[Draft] = []
        rejections: list[Rejection] = []
        for subject in forgetting(shuffled_items(pid, subjects, self.options.seed)):
            if len(drafts) == self.options.limit:
                break
            try:
                drafts.append(draft(subject, texts.question(subject)))
            except Rejected as rejected:
                rejections.append(rejected.rejection(f"{subject} {pid}"))
        drafts, same = with_distinct_questions(drafts)
        rejections += same
        splits = self.options.splits
        return complete(self.knowledge, pid, drafts, rejections, started, splits, ask, progress)

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

    def _items(self) -> _Drafts:
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
            if any(fold(answer.names[0]) == fold(name) for answer in gold):
                raise Rejected("same name", name)
            if PERSON in self.relation.object_kinds:
                self._check_names(gold)
            if self.relation.accepts_places and is_evident(question, name, gold):
                raise Rejected("answer in the question", ", ".join(values))
            finest = answers.finest(gold, years)
            arguments = finest, years, name, self.options.min_bits
            kinds = self.profiles.described_kinds(subject)
            level = partial(levelled, *arguments, endings=fitting_endings(self.relation, kinds))
            return self._draft(subject, question, gold, level)

        return distinct(facts.pairs(self.relation).subjects), draft

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

    def _dates(self) -> _Drafts:
        """Return the subjects of a relation whose answers are dates, and the function for drafts.

        A subject is rejected if it has no date that is safe and can be written, or several that
        have nothing in common. A century is no answer: it tells little of most subjects. Of several
        times, a relation may ask for the earliest one.
        """
        pid = self.relation.pid
        times = self.knowledge.times.by_item(pid)
        answers = DateAnswers(value for values in times.values() for value in values)
        safe = SafeDates(self.knowledge, pid)

        def draft(subject: str, question: str) -> Draft:
            values = safe.dates(subject)
            values_with_forms: Sequence[_Dated] = [
                (value, forms)
                for value in values
                if (forms := dates.answers(value)) and forms[0].kind != "century"
            ]
            if not values_with_forms:
                raise Rejected("no date", ", ".join(value.text for value in values))
            if self.relation.earliest_only:
                is_only = len(values_with_forms) == 1
                earliest, all_forms = min(values_with_forms, key=_years)
                values_with_forms = [(earliest, _from_year(all_forms) if is_only else all_forms)]
            values_with_forms = _common(values_with_forms)
            if not values_with_forms or values_with_forms[0][1][0].kind == "century":
                raise Rejected("contradicted", ", ".join(value.text for value in values))
            evidence = tuple(Evidence(subject, pid, value.text) for value, _ in values_with_forms)
            _, common_forms = values_with_forms[0]
            gold = [Gold((common_forms[0].text,), None, evidence, common_forms)]
            arguments = gold, None, self._label(subject), self.options.min_bits
            return self._draft(subject, question, gold, partial(answers.levelled, *arguments))

        return self.knowledge.columns.times.items(pid), draft


_Dated: TypeAlias = tuple[Value, Sequence[DateAnswer]]
"""A date with its forms, the finest first."""


def _from_year(forms: Sequence[DateAnswer]) -> list[DateAnswer]:
    """Return the forms of a date from its year on.

    If only one release is stated, the first one may have been in another country that year.
    """
    return [form for form in forms if form.kind not in ("day", "month")]


def _common(dates_with_forms: Sequence[_Dated]) -> Sequence[_Dated]:
    """Return dates with the forms that all of them have: two days of 1962 are both "1962".

    At most one of several days is true. A year that contains the other date is left out.
    """
    texts = [[form.text for form in forms] for _, forms in dates_with_forms]
    finest = [
        dated
        for dated, own in zip(dates_with_forms, texts, strict=True)
        if not any(own[0] in other[1:] for other in texts)
    ]
    common = set.intersection(*({form.text for form in forms} for _, forms in finest))
    shared = [(value, [form for form in forms if form.text in common]) for value, forms in finest]
    return [(value, forms) for value, forms in shared if forms]


def _years(value_with_forms: _Dated) -> Years:
    value, _ = value_with_forms
    return wikidata.years(value) or _NO_YEARS
