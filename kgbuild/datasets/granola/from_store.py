"""Build questions with answers at every granularity from a store's own statements.

As in section 3 of the GRANOLA paper, but for one thing: what is coarser than an answer follows
from triples, and how much coarser is measured, where the paper asks a model to write answers in
order from two descriptions.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgbuild import wikidata
from kgbuild.catalog import Catalog, Relation, catalog, clean
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.answers import Gold, ItemAnswers, TimeAnswers
from kgbuild.datasets.granola.drafts import Ask, Draft, Levels, completed
from kgbuild.datasets.granola.profile import Profiles
from kgbuild.datasets.granola.rows import Asked
from kgbuild.datasets.granola.statements import DATE, Stated
from kgbuild.english import dates
from kgbuild.english.normalize import fold
from kgbuild.english.templates import closed, fill
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, shuffled

STATED = "stated"
"""How the subject of a question is found that is made from a statement."""
_UNMISTAKABLE = {"person", "screen"}
"""Kinds of which nothing is by accident: people were not formed, and films have no performer."""
_ANY = "thing"
_NEVER = (10**6, 10**6)
_Asked: TypeAlias = tuple[list[Gold], Callable[[Sequence[str]], Levels]]


@dataclass(frozen=True)
class Options:
    """What a user may choose: questions a relation, the bits an answer must have, the seed."""

    limit: int | None = None
    min_bits: float = 0.5
    seed: int = 0


def builder(knowledge: Knowledge, options: Options, ask: Ask | None = None) -> BuildPart[Relation]:
    """Return what builds the questions of one relation; ``ask`` asks a model for coarser ones."""
    profiles = Profiles(knowledge)

    def build(relation: Relation, progress: Progress) -> Built:
        return _Build(knowledge, catalog(), relation, options, profiles).build(ask, progress)

    return build


@dataclass
class _Build:
    """The build of one relation."""

    known: Knowledge
    catalog: Catalog
    relation: Relation
    options: Options
    profiles: Profiles

    def build(self, ask: Ask | None, progress: Progress) -> Built:
        started = time.monotonic()
        pid = self.relation.pid
        if self.options.limit is None:
            self.known.labels.read_all(pid)
        about = (_Times if self.relation.object == DATE else _Items)(self)
        names = Counter(fold(self.label(subject)) for subject in about.subjects)
        subjects = shuffled(about.subjects, key=lambda qid: (pid, qid), seed=self.options.seed)
        drafts: list[Draft] = []
        rejections: list[Rejection] = []
        for subject in subjects:
            if len(drafts) == self.options.limit:
                break
            try:
                self._check(subject, names)
                drafts.append(self._draft(subject, *about.ask(subject)))
            except Rejected as rejected:
                rejections.append(rejected.rejection(f"{subject} {pid}"))
        done = completed(self.known, drafts, ask, lambda n: progress(pid, n, len(drafts)))
        return Built(
            relation=pid,
            tables={"granola_questions": done.questions, "granola_answers": done.answers},
            rejections=rejections + done.rejections,
            candidates=len(drafts) + len(rejections),
            seconds=time.monotonic() - started,
        )

    def label(self, qid: str) -> str:
        """Return the label of an item, without what is not seen; an empty text if it has none."""
        return clean(self.known.labels.label(qid) or "")

    def _check(self, subject: str, names: Mapping[str, int]) -> None:
        """Raise unless a question can be asked that is about the subject and nothing else."""
        label = self.label(subject)
        if not label:
            raise Rejected("no label", subject)
        if names[fold(label)] > 1:
            raise Rejected("same name", f"{names[fold(label)]} are called {label}")
        kinds, expected = self.known.kinds.names(subject), self.relation.subject
        if _UNMISTAKABLE & {*kinds} and not {*kinds, _ANY} & {*expected}:
            raise Rejected("wrong kind", ", ".join(kinds))

    def _draft(
        self, subject: str, gold: Sequence[Gold], level: Callable[[Sequence[str]], Levels]
    ) -> Draft:
        asked = Asked(
            relation=self.relation.pid,
            question=self._question(subject),
            subject=subject,
            mention=None,
            gold=[(one.qid, one.names[0]) for one in gold],
            evidence=[triple for one in gold for triple in one.evidence],
            resolution=STATED,
            source=self.relation.pid,
        )
        return Draft(f"{subject} {self.relation.pid}", asked, level)

    def _question(self, subject: str) -> str:
        template = self.relation.granola[0]
        kind = next(iter(self.known.kinds.names(subject)), None)
        label = self.label(subject)
        phrase = self.catalog.kinds[kind].phrase(label) if kind else label
        return fill(template, {"{subject}": closed(phrase, template, "{subject}")})


class _Items:
    """What is asked of a relation whose answers are items."""

    def __init__(self, build: _Build):
        self._build = build
        known, relation = build.known, build.relation
        stated = Stated(known, build.catalog)
        self._stated = stated.every(relation)
        self._when = {subject: stated.when(subject, relation) for subject in self._stated}
        population = (
            (value, self._when[subject])
            for subject, values in self._stated.items()
            for value in values
        )
        self._answers = ItemAnswers(known, build.catalog, relation, population, build.profiles)

    @property
    def subjects(self) -> Collection[str]:
        return self._stated

    def ask(self, subject: str) -> _Asked:
        """Return the gold answers to a question, and what puts all answers at their levels."""
        label, values = self._build.label, self._stated[subject]
        gold = [Gold((label(v),), v, (triple,)) for v, triple in values.items() if label(v)]
        if not gold:
            raise Rejected("no label", ", ".join(values))
        name = label(subject)
        if any(fold(one.names[0]) == fold(name) for one in gold):
            raise Rejected("same name", name)
        when = self._when[subject]
        finest = self._answers.finest(gold, when)
        min_bits = self._build.options.min_bits
        return gold, lambda said: self._answers.levelled(finest, when, name, min_bits, said)


class _Times:
    """What is asked of a relation whose answers are times."""

    def __init__(self, build: _Build):
        self._build = build
        self._times = build.known.times.by_item(build.relation.pid)
        self._answers = TimeAnswers(value for values in self._times.values() for value in values)

    @property
    def subjects(self) -> Collection[str]:
        return self._times

    def ask(self, subject: str) -> _Asked:
        """Return the gold answers to a question, and what puts all answers at their levels."""
        pid, times = self._build.relation.pid, self._times[subject]
        dated = [(value, forms) for value in times if (forms := dates.answers(value))]
        if not dated:
            raise Rejected("no date", ", ".join(value.text for value in times))
        if self._build.relation.first:
            dated = [min(dated, key=lambda one: wikidata.years(one[0]) or _NEVER)]
        pairs = [
            (forms, Gold((forms[0].text,), None, (Evidence(subject, pid, value.text),)))
            for value, forms in dated
        ]
        name, min_bits = self._build.label(subject), self._build.options.min_bits
        gold = [one for _, one in pairs]
        return gold, lambda said: self._answers.levelled(pairs, name, min_bits, said)
