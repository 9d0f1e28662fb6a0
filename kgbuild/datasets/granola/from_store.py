"""Build questions with answers at every granularity from the statements of a store.

As in section 3 of the GRANOLA paper, except that coarser answers follow from triples, and their
order is measured. In the paper, a model writes the answers, in order, from two descriptions.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.date_answers import DateAnswers
from kgbuild.datasets.granola.date_bounds import SafeDates
from kgbuild.datasets.granola.drafts import Draft, complete
from kgbuild.datasets.granola.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels import Gold, Levels
from kgbuild.datasets.granola.profiles import Profiles
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.english import dates
from kgbuild.english.normalize import fold
from kgbuild.english.templates import closed, fill
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation, clean
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, shuffled

STATED = "stated"
"""The resolution of questions that are made from statements."""
_STRICT = {"person", "screen"}
"""Kinds whose items have reliable classes: people are not founded, films have no performer."""
_ANY = "thing"
_NEVER = (10**6, 10**6)  # years after all others


@dataclass(frozen=True)
class Options:
    """The maximum number of questions, the minimum bits of coarser answers, the seed."""

    limit: int | None = None
    min_bits: float = 0.5
    seed: int = 0


def builder(knowledge: Knowledge, options: Options, ask: Ask | None = None) -> BuildPart[Relation]:
    """Return the function that builds the questions of a relation.

    ``ask`` asks a model for coarser answers.
    """
    profiles = Profiles(knowledge)

    def build(relation: Relation, progress: Progress) -> Built:
        return _Relation(knowledge, relation, options, profiles).build(ask, progress)

    return build


_Drafts: TypeAlias = tuple[Collection[str], Callable[[str], Draft]]
"""The subjects of a relation, and a function that returns a subject's draft, or rejects it."""


@dataclass
class _Relation:
    """The build of one relation."""

    knowledge: Knowledge
    relation: Relation
    options: Options
    profiles: Profiles

    def build(self, ask: Ask | None, progress: Progress) -> Built:
        started = time.monotonic()
        pid = self.relation.pid
        if self.options.limit is None:
            self.knowledge.labels.read_all(pid)
        subjects, draft = self._dates() if self.relation.object == DATE else self._items()
        names = Counter(fold(self._label(subject)) for subject in subjects)
        drafts: list[Draft] = []
        rejections: list[Rejection] = []
        for subject in shuffled(subjects, key=lambda qid: (pid, qid), seed=self.options.seed):
            if len(drafts) == self.options.limit:
                break
            try:
                self._check(subject, names)
                drafts.append(draft(subject))
            except Rejected as rejected:
                rejections.append(rejected.rejection(f"{subject} {pid}"))
        return complete(self.knowledge, pid, drafts, rejections, started, ask, progress)

    def _label(self, qid: str) -> str:
        """Return the label of an item without invisible characters; empty if it has none."""
        return clean(self.knowledge.labels.label(qid) or "")

    def _check(self, subject: str, names: Mapping[str, int]) -> None:
        """Reject a subject without a unique name, or of a kind that the relation does not allow."""
        label = self._label(subject)
        if not label:
            raise Rejected("no label", subject)
        if names[fold(label)] > 1:
            raise Rejected("same name", f"{names[fold(label)]} are called {label}")
        kinds, expected = self.knowledge.kinds.names(subject), self.relation.subject
        if _STRICT & {*kinds} and not {*kinds, _ANY} & {*expected}:
            raise Rejected("wrong kind", ", ".join(kinds))

    def _draft(
        self, subject: str, gold: Sequence[Gold], level: Callable[[Sequence[str]], Levels]
    ) -> Draft:
        pid, template, phrase = self.relation.pid, self.relation.granola[0], self._label(subject)
        if kinds := self.knowledge.kinds.names(subject):
            phrase = catalog().kinds[kinds[0]].phrase(phrase)
        return Draft(
            key=f"{subject} {pid}",
            relation=pid,
            question=fill(template, {"{subject}": closed(phrase, template, "{subject}")}),
            subject=subject,
            mention=None,
            gold=gold,
            resolution=STATED,
            source=pid,
            level=level,
        )

    def _items(self) -> _Drafts:
        """Return the drafts of a relation whose answers are items.

        A subject is rejected if its answers no longer exist, have no label, or its own name.
        """
        facts = RelationFacts(self.knowledge)
        all_values = facts.all_values(self.relation)
        years = {subject: facts.years(subject, self.relation) for subject in all_values}
        population = (
            (value, years[subject]) for subject, values in all_values.items() for value in values
        )
        answers = ItemAnswers(self.relation, population, self.profiles)

        def draft(subject: str) -> Draft:
            values, name = all_values[subject], self._label(subject)
            current = [value for value in values if not self._is_outdated(subject, value)]
            gold = [
                Gold((label,), value, (values[value],))
                for value in current
                if (label := self._label(value))
            ]
            if not current:
                raise Rejected("outdated", ", ".join(values))
            if not gold:
                raise Rejected("no label", ", ".join(values))
            if any(fold(answer.names[0]) == fold(name) for answer in gold):
                raise Rejected("same name", name)
            finest = answers.finest(gold, years[subject])
            about = finest, years[subject], name, self.options.min_bits
            return self._draft(subject, gold, partial(answers.levelled, *about))

        return all_values, draft

    def _is_outdated(self, subject: str, place: str) -> bool:
        """Return whether a question asks where something is, and a place no longer exists."""
        asks_where_it_is = self.relation.where and not self.relation.at
        is_former = self.profiles.history.is_former
        is_place = asks_where_it_is and "place" in self.knowledge.kinds.names(place)
        return is_place and is_former(place) and not is_former(subject)

    def _dates(self) -> _Drafts:
        """Return the drafts of a relation whose answers are dates.

        A subject is rejected if none of its dates is safe, or can be written as a date.
        """
        pid = self.relation.pid
        times = self.knowledge.times.by_item(pid)
        answers = DateAnswers(value for values in times.values() for value in values)
        safe = SafeDates(self.knowledge, pid)

        def draft(subject: str) -> Draft:
            values = safe.dates(subject)
            dated = [(value, forms) for value in values if (forms := dates.answers(value))]
            if not dated:
                raise Rejected("no date", ", ".join(value.text for value in values))
            if self.relation.first:
                dated = [min(dated, key=lambda pair: wikidata.years(pair[0]) or _NEVER)]
            gold = [
                Gold((forms[0].text,), None, (Evidence(subject, pid, value.text),), forms)
                for value, forms in dated
            ]
            about = gold, None, self._label(subject), self.options.min_bits
            return self._draft(subject, gold, partial(answers.levelled, *about))

        return times, draft
