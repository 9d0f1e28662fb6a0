"""Build questions with answers at every granularity from a store's own statements.

As in section 3 of the GRANOLA paper, but for one thing: what is coarser than an answer follows
from triples, and how much coarser is measured, where the paper asks a model to write answers in
order from two descriptions.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kgbuild.building import (
    Built,
    Evidence,
    Progress,
    Rejection,
    Row,
    shuffled,
)
from kgbuild.granola import dates
from kgbuild.granola.answers import Gold, ItemAnswers, TimeAnswers
from kgbuild.granola.levels import Dropped, Levelled
from kgbuild.granola.profile import Profiles
from kgbuild.granola.rows import Answer, Asked, Question, rows
from kgbuild.kg.knowledge import Knowledge
from kgbuild.kg.labels import fold
from kgbuild.kg.times import Years
from kgbuild.kg.wikidata import number
from kgbuild.questions import closed, fill
from kgbuild.relations import Catalog, Relation, clean

DATE = ("date",)
"""The kind of the objects of relations whose answers are times."""
STATED = "stated"
"""How the subject of a question is found that is made from a statement."""
_Found: TypeAlias = tuple[list[Gold], tuple[list[Levelled], list[Dropped]]]


@dataclass(frozen=True)
class Options:
    """What a user may choose: questions a relation, the bits an answer must have, the seed."""

    limit: int | None = None
    min_bits: float = 0.5
    seed: int = 0


class _Left(Exception):  # noqa: N818
    """A question is left out for a reason."""

    def __init__(self, reason: str, detail: str = ""):
        self.rejection = (reason, detail)


def build(
    known: Knowledge,
    catalog: Catalog,
    relations: Sequence[Relation],
    options: Options,
    progress: Progress = lambda *_: None,
) -> Iterator[Built]:
    """Build the questions of each relation, in turn. ``progress`` counts them."""
    profiles = Profiles(known)
    for relation in relations:
        yield _Build(known, catalog, relation, options, profiles).build(progress)


def question(known: Knowledge, catalog: Catalog, relation: Relation, subject: str) -> str:
    """Return the question that is asked about a subject."""
    template = relation.granola[0]
    kind = next(iter(known.kinds.of(subject)), None)
    label = known.labels.label(subject) or subject
    phrase = catalog.kinds[kind].phrase(label) if kind else clean(label)
    return fill(template, {"{subject}": closed(phrase, template, "{subject}")})


def when(known: Knowledge, relation: Relation, subject: str) -> Years | None:
    """Return the years of what a relation says of a subject; None if it is so now.

    Of several times all count.
    """
    years = known.times.years(subject, relation.at) if relation.at else []
    return (min(first for first, _ in years), max(last for _, last in years)) if years else None


def statements(
    known: Knowledge, catalog: Catalog, relation: Relation
) -> dict[str, dict[str, Evidence]]:
    """Return the items of which a relation holds, by subject, each with the triple that says so.

    They come by number. The relation the other way round says so, too, if it is symmetric or
    the two are each other's inverse.
    """
    relations = catalog.relations
    inverse = (pid for pid in relation.inverse if pid in relations)
    mutual = [pid for pid in inverse if relation.pid in relations[pid].inverse]
    backward = (*mutual, *((relation.pid,) if relation.symmetric else ()))
    triples = [
        (one, other, Evidence(one, relation.pid, other))
        for one, other in known.statements.pairs(relation.pid)
    ]
    triples += [
        (other, one, Evidence(one, pid, other))
        for pid in backward
        for one, other in known.statements.pairs(pid)
    ]
    found: dict[str, dict[str, Evidence]] = {}
    for subject, value, evidence in sorted(triples, key=lambda t: (number(t[0]), number(t[1]))):
        if subject != value:
            found.setdefault(subject, {}).setdefault(value, evidence)
    return found


@dataclass
class _Build:
    """The build of one relation."""

    known: Knowledge
    catalog: Catalog
    relation: Relation
    options: Options
    profiles: Profiles
    rejections: list[Rejection] = field(default_factory=list)

    def build(self, progress: Progress) -> Built:
        started = time.monotonic()
        pid = self.relation.pid
        about = (_Times if self.relation.object == DATE else _Items)(self)
        names = Counter(fold(self.label(subject)) for subject in about.subjects)
        subjects = shuffled(about.subjects, key=lambda qid: (pid, qid), seed=self.options.seed)
        questions: list[Row] = []
        answers: list[Row] = []
        candidates = 0
        for subject in subjects:
            if len(questions) == self.options.limit:
                break
            candidates += 1
            progress(pid, len(questions), min(self.options.limit or len(subjects), len(subjects)))
            try:
                self._check(subject, names)
                question, levels = self._rows(subject, *about.ask(subject))
                questions.append(vars(question))
                answers += map(vars, levels)
            except _Left as left:
                self.rejections.append(Rejection(f"{subject} {pid}", *left.rejection))
        return Built(
            relation=pid,
            tables={"granola_questions": questions, "granola_answers": answers},
            rejections=self.rejections,
            candidates=candidates,
            seconds=time.monotonic() - started,
        )

    def label(self, qid: str) -> str:
        """Return the label of an item, without what is not seen; an empty text if it has none."""
        return clean(self.known.labels.label(qid) or "")

    def _check(self, subject: str, names: Mapping[str, int]) -> None:
        """Raise unless a question can be asked that is about the subject and nothing else."""
        label = self.label(subject)
        if not label:
            raise _Left("no label", subject)
        if names[fold(label)] > 1:
            raise _Left("same name", f"{names[fold(label)]} are called {label}")

    def _rows(
        self, subject: str, gold: Sequence[Gold], found: tuple[list[Levelled], list[Dropped]]
    ) -> tuple[Question, list[Answer]]:
        pid = self.relation.pid
        answers, dropped = found
        self.rejections += [Rejection(f"{subject} {pid}", reason, text) for text, reason in dropped]
        asked = Asked(
            relation=pid,
            question=question(self.known, self.catalog, self.relation, subject),
            subject=subject,
            mention=None,
            gold=[(one.qid, one.names[0]) for one in gold],
            evidence=[triple for one in gold for triple in one.evidence],
            resolution=STATED,
            source=pid,
        )
        return rows(self.known, asked, answers)


class _Items:
    """What is asked of a relation whose answers are items."""

    def __init__(self, build: _Build):
        self._build = build
        known, relation = build.known, build.relation
        self._stated = statements(known, build.catalog, relation)
        self._when = {subject: when(known, relation, subject) for subject in self._stated}
        population = (
            (value, self._when[subject])
            for subject, values in self._stated.items()
            for value in values
        )
        self._answers = ItemAnswers(known, build.catalog, relation, population, build.profiles)

    @property
    def subjects(self) -> Collection[str]:
        return self._stated

    def ask(self, subject: str) -> _Found:
        """Return the gold answers to a question, and all answers at their levels."""
        label, values = self._build.label, self._stated[subject]
        gold = [Gold((label(v),), v, (triple,)) for v, triple in values.items() if label(v)]
        if not gold:
            raise _Left("no label", ", ".join(values))
        name = label(subject)
        if any(fold(one.names[0]) == fold(name) for one in gold):
            raise _Left("same name", name)
        options = self._build.options
        found = self._answers.levelled(gold, self._when[subject], name, options.min_bits)
        return gold, found


class _Times:
    """What is asked of a relation whose answers are times."""

    def __init__(self, build: _Build):
        self._build = build
        self._times = build.known.times.of(build.relation.pid)
        every = (value for values in self._times.values() for value in values)
        self._answers = TimeAnswers(every)

    @property
    def subjects(self) -> Collection[str]:
        return self._times

    def ask(self, subject: str) -> _Found:
        """Return the gold answers to a question, and all answers at their levels."""
        pid = self._build.relation.pid
        values = [value for value in self._times[subject] if dates.answers(value)]
        if not values:
            raise _Left("no date", ", ".join(value.text for value in self._times[subject]))
        gold = [
            Gold((dates.answers(value)[0].text,), None, (Evidence(subject, pid, value.text),))
            for value in values
        ]
        pairs = list(zip(values, gold, strict=True))
        name, options = self._build.label(subject), self._build.options
        return gold, self._answers.levelled(pairs, name, options.min_bits)
