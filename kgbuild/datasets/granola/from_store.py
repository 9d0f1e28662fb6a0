"""Build questions with answers at every granularity from the statements of a store.

As in section 3 of the GRANOLA paper, except that coarser answers follow from triples, and their
order is measured; in the paper a model writes the answers, in order, from two descriptions.
"""

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from kgbuild import wikidata
from kgbuild.catalog import Catalog, catalog
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.date_answers import DateAnswers
from kgbuild.datasets.granola.drafts import Draft, complete
from kgbuild.datasets.granola.gold import Gold
from kgbuild.datasets.granola.item_answers import ItemAnswers
from kgbuild.datasets.granola.profiles import Profiles
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.datasets.granola.rows import DraftQuestion
from kgbuild.english import dates
from kgbuild.english.normalize import fold
from kgbuild.english.templates import closed, fill
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import Relation, clean
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, shuffled

STATED = "stated"
"""The resolution of questions that are made from statements."""
_STRICT = {"person", "screen"}
"""Kinds with reliable classes: people are not founded, and films have no performer."""
_ANY = "thing"
_NEVER = (10**6, 10**6)


@dataclass(frozen=True)
class Options:
    """The most questions, the bits that a coarser answer needs, the seed of the order."""

    limit: int | None = None
    min_bits: float = 0.5
    seed: int = 0


def builder(knowledge: Knowledge, options: Options, ask: Ask | None = None) -> BuildPart[Relation]:
    """Return the function that builds the questions of a relation.

    ``ask`` asks a model for coarser answers.
    """
    profiles = Profiles(knowledge)

    def build(relation: Relation, progress: Progress) -> Built:
        part = _Relation(knowledge, catalog(), relation, options, profiles)
        return part.build(ask, progress)

    return build


@dataclass
class _Relation:
    """The build of one relation."""

    knowledge: Knowledge
    catalog: Catalog
    relation: Relation
    options: Options
    profiles: Profiles

    def build(self, ask: Ask | None, progress: Progress) -> Built:
        started = time.monotonic()
        pid = self.relation.pid
        if self.options.limit is None:
            self.knowledge.labels.read_all(pid)
        answers = (_Dates if self.relation.object == DATE else _Items)(self)
        names = Counter(fold(self.label(subject)) for subject in answers.subjects)
        subjects = shuffled(answers.subjects, key=lambda qid: (pid, qid), seed=self.options.seed)
        drafts: list[Draft] = []
        rejections: list[Rejection] = []
        for subject in subjects:
            if len(drafts) == self.options.limit:
                break
            try:
                self._check(subject, names)
                drafts.append(answers.draft(subject))
            except Rejected as rejected:
                rejections.append(rejected.rejection(f"{subject} {pid}"))
        return complete(self.knowledge, pid, drafts, rejections, started, ask, progress)

    def label(self, qid: str) -> str:
        """Return the label of an item without invisible characters; empty if it has none."""
        return clean(self.knowledge.labels.label(qid) or "")

    def _check(self, subject: str, names: Mapping[str, int]) -> None:
        """Reject a subject without a unique name, or of a kind that the relation does not have."""
        label = self.label(subject)
        if not label:
            raise Rejected("no label", subject)
        if names[fold(label)] > 1:
            raise Rejected("same name", f"{names[fold(label)]} are called {label}")
        kinds, expected = self.knowledge.kinds.names(subject), self.relation.subject
        if _STRICT & {*kinds} and not {*kinds, _ANY} & {*expected}:
            raise Rejected("wrong kind", ", ".join(kinds))

    def question(self, subject: str, gold: Sequence[Gold]) -> DraftQuestion:
        """Return the question about a subject."""
        template = self.relation.granola[0]
        kind = next(iter(self.knowledge.kinds.names(subject)), None)
        label = self.label(subject)
        phrase = self.catalog.kinds[kind].phrase(label) if kind else label
        return DraftQuestion(
            relation=self.relation.pid,
            question=fill(template, {"{subject}": closed(phrase, template, "{subject}")}),
            subject=subject,
            mention=None,
            gold=[(one.qid, one.names[0]) for one in gold],
            evidence=[triple for one in gold for triple in one.evidence],
            resolution=STATED,
            source=self.relation.pid,
        )


class _Items:
    """The questions of a relation whose answers are items."""

    def __init__(self, part: _Relation):
        self._part = part
        facts = RelationFacts(part.knowledge, part.catalog)
        self._values = facts.all_values(part.relation)
        self._years = {subject: facts.years(subject, part.relation) for subject in self._values}
        population = (
            (value, self._years[subject])
            for subject, values in self._values.items()
            for value in values
        )
        self._answers = ItemAnswers(
            part.knowledge, part.catalog, part.relation, population, part.profiles
        )

    @property
    def subjects(self) -> Collection[str]:
        return self._values

    def draft(self, subject: str) -> Draft:
        """Return a draft, or reject a subject whose answers have no label, or its own name."""
        label, values = self._part.label, self._values[subject]
        gold = [Gold((label(v),), v, (triple,)) for v, triple in values.items() if label(v)]
        if not gold:
            raise Rejected("no label", ", ".join(values))
        name = label(subject)
        if any(fold(one.names[0]) == fold(name) for one in gold):
            raise Rejected("same name", name)
        when, min_bits = self._years[subject], self._part.options.min_bits
        finest = self._answers.finest(gold, when)
        level = partial(self._answers.levelled, finest, when, name, min_bits)
        return Draft(
            f"{subject} {self._part.relation.pid}", self._part.question(subject, gold), level
        )


class _Dates:
    """The questions of a relation whose answers are dates."""

    def __init__(self, part: _Relation):
        self._part = part
        self._times = part.knowledge.times.by_item(part.relation.pid)
        self._answers = DateAnswers(value for values in self._times.values() for value in values)

    @property
    def subjects(self) -> Collection[str]:
        return self._times

    def draft(self, subject: str) -> Draft:
        """Return a draft, or reject a subject without a date that people write."""
        pid, times = self._part.relation.pid, self._times[subject]
        dated = [(value, forms) for value in times if (forms := dates.answers(value))]
        if not dated:
            raise Rejected("no date", ", ".join(value.text for value in times))
        if self._part.relation.first:
            dated = [min(dated, key=lambda one: wikidata.years(one[0]) or _NEVER)]
        pairs = [
            (forms, Gold((forms[0].text,), None, (Evidence(subject, pid, value.text),)))
            for value, forms in dated
        ]
        name, min_bits = self._part.label(subject), self._part.options.min_bits
        level = partial(self._answers.levelled, pairs, name, min_bits)
        question = self._part.question(subject, [gold for _, gold in pairs])
        return Draft(f"{subject} {pid}", question, level)
