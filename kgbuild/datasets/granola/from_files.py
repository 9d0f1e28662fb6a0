"""Give somebody's questions answers at every granularity, as section 3 of the GRANOLA paper does.

What the questions ask about is resolved to items of the store. From there on it is the same as
with questions that are made of the store's own statements, but that what the file gives as
answers are the finest ones, and count as possible answers of their relation.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from kgbuild.catalog import Catalog, Relation, catalog
from kgbuild.datasets.building import BuildPart
from kgbuild.datasets.granola.answers import Gold, ItemAnswers, TimeAnswers
from kgbuild.datasets.granola.drafts import Ask, Draft, Levels, completed, consistent
from kgbuild.datasets.granola.from_store import Options
from kgbuild.datasets.granola.profile import Profiles
from kgbuild.datasets.granola.question_files import Record, Source
from kgbuild.datasets.granola.recognise import Templates
from kgbuild.datasets.granola.resolve import Resolved, Resolver, Score
from kgbuild.datasets.granola.rows import Asked
from kgbuild.datasets.granola.statements import DATE, Stated
from kgbuild.english import date_parsing, dates
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Built, Evidence, Progress, Rejection
from kgbuild.store.labels import Names
from kgbuild.wikidata import Value


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
    """Return what builds the questions of one file.

    ``score`` compares descriptions with questions; ``ask`` asks a model for coarser answers.
    """
    return _Builder(knowledge, names, catalog(), options, score, ask).build


@dataclass
class _Builder:
    known: Knowledge
    names: Names
    catalog: Catalog
    options: Options
    score: Score | None
    ask: Ask | None

    def __post_init__(self) -> None:
        self._templates = Templates(self.catalog.asking("granola"))
        self._resolver = Resolver(self.known, self.names, self.catalog, self.score)
        self._stated = Stated(self.known, self.catalog)
        self._profiles = Profiles(self.known)

    def build(self, source: Source, progress: Progress) -> Built:
        started = time.monotonic()
        rejections = [*source.rejections]
        questions: list[_Question] = []
        for record in source.records:
            if len(questions) == self.options.limit:
                break
            fits = self._templates.fits(
                record.question, record.relation or self._templates.of_file(source.name)
            )
            found = self._resolver.resolve(record, fits)
            if isinstance(found, Rejection):
                rejections.append(found)
            else:
                mention = next((f.mention for f in fits if f.relation is found.relation), None)
                questions.append(_Question(record, mention, found))
        candidates = len(questions) + len(rejections)
        drafts = self._drafts(source.name, questions)
        if self.ask:
            drafts, inconsistent = consistent(self.known, drafts, self.ask)
            rejections += inconsistent
        done = completed(
            self.known, drafts, self.ask, lambda n: progress(source.name, n, len(drafts))
        )
        return Built(
            relation=source.name,
            tables={"granola_questions": done.questions, "granola_answers": done.answers},
            rejections=rejections + done.rejections,
            candidates=candidates,
            seconds=time.monotonic() - started,
        )

    def _drafts(self, source: str, questions: Sequence[_Question]) -> list[Draft]:
        """Return drafts in the order of the questions; each relation is measured once."""
        level = {
            relation.pid: (self._times if relation.object == DATE else self._items)(
                relation, [one.resolved for one in questions if one.resolved.relation is relation]
            )
            for relation in {
                one.resolved.relation.pid: one.resolved.relation for one in questions
            }.values()
        }
        drafts = []
        for record, mention, resolved in questions:
            gold, levels = level[resolved.relation.pid](resolved, mention or "")
            asked = Asked(
                relation=resolved.relation.pid,
                question=record.question,
                subject=resolved.subject,
                mention=mention,
                gold=[(one.qid, one.names[0]) for one in gold],
                evidence=[triple for one in gold for triple in one.evidence],
                resolution=resolved.resolution,
                source=source,
            )
            drafts.append(Draft(record.key, asked, levels))
        return drafts

    def _items(self, relation: Relation, asked: Sequence[Resolved]) -> "_Level":
        population = [
            (value, self._stated.when(subject, relation))
            for subject, values in self._stated.every(relation).items()
            for value in values
        ]
        population += [
            (answer.qid, self._when(one)) for one in asked for answer in one.answers if answer.qid
        ]
        answers = ItemAnswers(self.known, self.catalog, relation, population, self._profiles)

        def level(resolved: Resolved, mention: str) -> tuple[list[Gold], "_Levelling"]:
            gold = self._gold(resolved)
            name = self._name(resolved, mention)
            return gold, partial(
                answers.levelled, gold, self._when(resolved), name, self.options.min_bits
            )

        return level

    def _times(self, relation: Relation, asked: Sequence[Resolved]) -> "_Level":
        times = self.known.times.by_item(relation.pid)
        answers = TimeAnswers(value for values in times.values() for value in values)

        def level(resolved: Resolved, mention: str) -> tuple[list[Gold], "_Levelling"]:
            held = times.get(resolved.subject or "", ())
            pairs = [self._dated(answer.text, resolved, held) for answer in resolved.answers]
            name = self._name(resolved, mention)
            gold = [one for _, one in pairs]
            return gold, partial(answers.levelled, pairs, name, self.options.min_bits)

        return level

    def _when(self, resolved: Resolved) -> Years | None:
        return self._stated.when(resolved.subject, resolved.relation) if resolved.subject else None

    def _name(self, resolved: Resolved, mention: str) -> str:
        return (resolved.subject and self.known.labels.label(resolved.subject)) or mention

    def _gold(self, resolved: Resolved) -> list[Gold]:
        """Return the gold answers, each item once, by all names that the file has for it."""
        stated = self._stated.of(resolved.subject, resolved.relation) if resolved.subject else {}
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

    def _label(self, qid: str | None) -> Iterable[str]:
        label = self.known.labels.label(qid) if qid else None
        return [label] if label else []

    def _dated(
        self, text: str, resolved: Resolved, held: Sequence[Value]
    ) -> tuple[list[DateAnswer], Gold]:
        """Return all forms of a given time, which the store has, too, or which can be read."""
        for value in held:
            forms = dates.answers(value)
            if any(fold(text) in map(fold, (one.text, *one.aliases)) for one in forms[:1]):
                triple = Evidence(resolved.subject or "", resolved.relation.pid, value.text)
                return forms, Gold((text,), None, (triple,))
        read = date_parsing.read(text)
        return dates.answers(read) if read else [], Gold((text,), None, ())


_Levelling = Callable[[Sequence[str]], Levels]
_Level = Callable[[Resolved, str], tuple[list[Gold], _Levelling]]
