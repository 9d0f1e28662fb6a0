"""Build multi-hop minimal pairs from HotpotQA, as in section 2.2 of the Syn-(QA)² paper.

A question takes two passages. Where the title of one stands in it, the most similar distractor's
title takes its place: the one that shares most categories, if they are given, else the one whose
item shares most property values, else the one whose passage shares most words. The paper had
people take out what is nonsense, or true all the same; here the passages tell, and the store.
"""

import math
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from kgbuild.catalog import Catalog
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.mentions import (
    around,
    is_alternative,
    mentions,
    name_of,
    put,
    repeats,
)
from kgbuild.datasets.syn_qa.hotpotqa.passages import (
    DEATH,
    PRESENT,
    Passage,
    Span,
    Text,
    plain,
    stems,
    words,
)
from kgbuild.datasets.syn_qa.hotpotqa.records import Record, read
from kgbuild.datasets.syn_qa.rows import DATASET, Pair
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Built, Progress, Rejected, Rejection, shuffled, split, stable_id

REASONS = {
    "malformed": "the record lacks a field, or has another form than HotpotQA's",
    "cut short": "the file ends within the record, or is no JSON from there on",
    "comparison": "the question compares two things, and assumes nothing of one of them",
    "yes or no": "the question is one of yes or no, and assumes nothing",
    "no title": "neither title stands in the question",
    "no distractor": "the record has no distractor",
    "all distractors fell out": "none of the distractors may stand in",
    "wrong kind": "the distractor is another kind of thing, of another sex, or alive, or dead",
    "same name": "the distractor's name is, or holds, or is part of that of a supporting passage",
    "in the question": "the distractor stands in the question already",
    "holds": "a passage or the store says what may make the question true of the distractor",
    "may hold": "nothing particular that the question says is foreign to the distractor's passage",
    "reads badly": "the distractor's title would repeat the word beside it",
    "asked twice": "the file has the same question before",
}
_DESCRIBING = 3
"""How much more a word counts that says what both passages are about."""
_COMMON, _MANY = 0.5, 20
"""A category that more than this share of so many titles has tells nothing of any."""


@dataclass(frozen=True)
class Options:
    """What a user may choose: pairs, property values to share before they count, the seed."""

    limit: int | None = None
    min_overlap: int = 3
    seed: int = 0


class _Likeness(NamedTuple):
    """How alike two passages are, by each measure; the first one counts, the next breaks ties.

    Categories and property values are counted; words are weighed by their rarity, as a share
    of the weight of all words of both (the weighted Jaccard index).
    """

    categories: int
    values: int
    words: float


class _Choice(NamedTuple):
    """A passage in the question, where it stands there, and one to take its place.

    The bridge is the other supporting passage, ``is_named`` tells whether the question names it.
    """

    subject: Passage
    spans: Sequence[Span]
    bridge: Passage
    is_named: bool
    replacement: Passage
    likeness: _Likeness


def build(
    path: Path,
    known: Knowledge | None,
    catalog: Catalog,
    categories: Mapping[str, frozenset[str]],
    options: Options,
    progress: Progress = lambda *_: None,
) -> Built:
    """Build the pairs of a file of HotpotQA's, with a store or without one.

    ``categories`` are those of titles, none if there are none. ``progress`` counts records.
    Of two titles in a question, and of the distractors, the most alike pair is taken; of
    several the first by title.

    Raises:
        UnreadableDumpError, NotHotpotQAError: the file holds no record.
    """
    started = time.monotonic()
    records, rejections = read(path)
    linker = Linker(known, catalog) if known else None
    made = _File(records, rejections, linker, _telling_ones(categories), options)
    pairs = made.build(path.name, progress)
    return Built(
        relation=path.name,
        tables={"syn_qa_pairs": [vars(pair) for pair in pairs]},
        rejections=rejections,
        candidates=made.candidates,
        seconds=time.monotonic() - started,
    )


def _telling_ones(categories: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """Return the categories without those that most titles have."""
    held = Counter(category for found in categories.values() for category in found)
    most = _COMMON * len(categories) if len(categories) >= _MANY else len(categories)
    common = frozenset(category for category, count in held.items() if count > most)
    return {title: found - common for title, found in categories.items()}


@dataclass
class _File:
    """The build of one file."""

    records: Sequence[Record]
    rejections: list[Rejection]
    linker: Linker | None
    categories: Mapping[str, frozenset[str]]
    options: Options
    asked: set[str] = field(default_factory=set)
    candidates: int = 0

    def __post_init__(self) -> None:
        self.candidates = len(self.rejections)

    @cached_property
    def held(self) -> Counter[str]:
        """In how many records' passages each stem stands."""
        held: Counter[str] = Counter()
        for record in self.records:
            passages = (*record.supporting, *record.distractors)
            held.update(frozenset().union(*(passage.stems for passage in passages)))
        return held

    def build(self, name: str, progress: Progress) -> list[Pair]:
        records = shuffled(self.records, lambda record: (name, record.key), self.options.seed)
        pairs: list[Pair] = []
        for done, record in enumerate(records):
            if len(pairs) == self.options.limit:
                break
            self.candidates += 1
            progress(name, done, len(records))
            try:
                pairs.append(self._pair(name, record))
            except Rejected as rejected:
                self.rejections.append(rejected.rejection(record.key))
        return pairs

    def _pair(self, name: str, record: Record) -> Pair:
        question = Text(record.question)
        found = mentions(question, record)
        _check(question, record, found)
        choice, false_question = self._replacement(question, record, found)
        self.asked.add(record.question)
        return self._row(name, record, choice, false_question)

    def _replacement(
        self, question: Text, record: Record, found: Mapping[str, list[Span]]
    ) -> tuple[_Choice, str]:
        """Return the best replacement that may be, and the question with it."""
        if record.question in self.asked:
            raise Rejected("asked twice")
        for choice in self._choices(record, found):
            try:
                self._check_replacement(question, choice)
                self._check_false(question, record, choice)
                return choice, self._asked(question, record, choice)
            except Rejected as rejected:
                names = f"{choice.replacement.title} for {choice.subject.title}"
                detail = f"{names}; {rejected.detail}".removesuffix("; ")
                self.rejections.append(Rejection(record.key, rejected.reason, detail))
        raise Rejected("all distractors fell out", f"{len(record.distractors)} distractors")

    def _asked(self, question: Text, record: Record, choice: _Choice) -> str:
        """Return the question about the replacement."""
        name = name_of(choice.replacement, record)
        if repeats(question, choice.spans, name):
            raise Rejected("reads badly", name)
        return put(question, choice.spans, choice.subject, choice.replacement, name)

    def _choices(self, record: Record, found: Mapping[str, list[Span]]) -> list[_Choice]:
        """Return what may be replaced by what, the most alike first, ties by title."""
        one, other = record.supporting
        choices = [
            _Choice(
                *(subject, found[subject.title], bridge, bool(found[bridge.title])),
                *(distractor, likeness),
            )
            for subject, bridge in ((one, other), (other, one))
            if found[subject.title]
            for distractor in record.distractors
            for likeness in [self._likeness(subject, distractor)]
        ]
        return sorted(choices, key=_order)

    def _likeness(self, one: Passage, other: Passage) -> _Likeness:
        nothing: frozenset[str] = frozenset()
        shared = len(self._shared(one, other))
        return _Likeness(
            len(
                self.categories.get(one.title, nothing) & self.categories.get(other.title, nothing)
            ),
            shared if shared >= self.options.min_overlap else 0,
            self._shared_words(one, other),
        )

    def _shared(self, one: Passage, other: Passage) -> list[tuple[str, str]]:
        """Return the (property, value) that the items of two passages share."""
        qids = self._link(one), self._link(other)
        if self.linker is None or qids[0] is None or qids[1] is None:
            return []
        return self.linker.shared(qids[0], qids[1])

    def _link(self, passage: Passage) -> str | None:
        return self.linker.link(passage) if self.linker else None

    def _shared_words(self, one: Passage, other: Passage) -> float:
        shared = one.stems & other.stems
        described = stems(map(plain, one.description)) & stems(map(plain, other.description))
        more = self._weight(described & shared) * (_DESCRIBING - 1)
        either = self._weight(one.stems | other.stems)
        return (self._weight(shared) + more) / (either + more) if either else 0.0

    def _weight(self, found: Iterable[str]) -> float:
        """Return how much stems tell; the same sum in whichever order they come."""
        return math.fsum(map(self._rarity, found))

    def _rarity(self, stem: str) -> float:
        """Return how much it tells that a stem stands in a text: its information, in nats."""
        return math.log((1 + len(self.records)) / self.held[stem])

    def _check_replacement(self, question: Text, choice: _Choice) -> None:
        """Raise unless the question can be asked with the replacement in it."""
        subject, replacement = choice.subject, choice.replacement
        qids = self._link(subject), self._link(replacement)
        kinds = f"{subject.kind or 'unknown'}, {replacement.kind or 'unknown'}"
        if not subject.alike(replacement) or not _fits_life(question, subject, replacement):
            raise Rejected("wrong kind", kinds)
        if self.linker and qids[0] and qids[1] and not self.linker.may_stand_for(qids[0], qids[1]):
            raise Rejected("wrong kind", f"{qids[0]}, {qids[1]}")
        name = Text(replacement.name)
        for other in (subject, choice.bridge):
            if name.has(other.name) or Text(other.name).has(replacement.name):
                raise Rejected("same name", other.title)
        if question.has(replacement.name):
            raise Rejected("in the question")

    def _check_false(self, question: Text, record: Record, choice: _Choice) -> None:
        """Raise unless the question then assumes what is false, as far as one can tell."""
        replacement, bridge = choice.replacement, choice.bridge
        if _names(replacement, _bare(record.answer)):
            raise Rejected("holds", f"its passage names the answer, {record.answer}")
        if replacement.text.spans(bridge.name):
            raise Rejected("holds", f"its passage names {bridge.title}")
        if bridge.text.spans(replacement.name):
            raise Rejected("holds", f"the passage of {bridge.title} names it")
        if self.linker:
            says = self.linker.says(self._link(replacement), self._link(bridge))
            if says:
                raise Rejected("holds", " ".join(says[0]))
        # Particular is the other name, or what singles out one record of the file.
        lost = self._weight(_foreign(question, choice))
        if not choice.is_named and lost < math.log(1 + len(self.records)):
            raise Rejected("may hold", f"{lost:.1f} nats")

    def _row(self, name: str, record: Record, choice: _Choice, false_question: str) -> Pair:
        subject, bridge, replacement = choice.subject, choice.bridge, choice.replacement
        linker, qid, qid2 = self.linker, self._link(subject), self._link(replacement)
        measure, overlap = _measured(choice)
        return Pair(
            pair_id=stable_id(DATASET, "hotpotqa", record.question, false_question),
            relation=name,
            relation_label="HotpotQA",
            template_id=None,
            hops=2,
            subject_qid=qid,
            subject_label=subject.title,
            bridge_qid=self._link(bridge),
            bridge_label=bridge.title,
            replacement_qid=qid2,
            replacement_label=replacement.title,
            object_qid=None,
            object_label=None,
            overlap=overlap,
            shared=[
                {"property": pid, "value": value}
                for pid, value in self._shared(subject, replacement)
                if measure == "property_overlap"
            ],
            similarity=measure,
            question=record.question,
            false_question=false_question,
            answer=record.answer,
            falsity="absent",
            risk=None,
            evidence=[e._asdict() for e in linker.says(qid, self._link(bridge))] if linker else [],
            falsity_evidence=[],
            popularity=linker.popularity(qid) if linker else 0,
            replacement_popularity=linker.popularity(qid2) if linker else 0,
            source_id=record.key,
            split=split(subject.title),
        )


def _order(choice: _Choice) -> tuple[float, float, float, str, str]:
    categories, values, shared = choice.likeness
    return (-categories, -values, -shared, choice.replacement.title, choice.subject.title)


def _measured(choice: _Choice) -> tuple[str, int]:
    """Return the measure that chose a replacement, and the count of what is shared by it."""
    if choice.likeness.categories:
        return "categories", choice.likeness.categories
    if choice.likeness.values:
        return "property_overlap", choice.likeness.values
    return "token_overlap", len(choice.subject.stems & choice.replacement.stems)


def _check(question: Text, record: Record, found: Mapping[str, list[Span]]) -> None:
    """Raise unless a title can be replaced, so that the question assumes something else."""
    if record.type == "comparison" or is_alternative(question, found):
        raise Rejected("comparison")
    if words(record.answer) in (["yes"], ["no"]):
        raise Rejected("yes or no")
    if not any(found.values()):
        raise Rejected("no title")
    if not record.distractors:
        raise Rejected("no distractor")


def _fits_life(question: Text, subject: Passage, replacement: Passage) -> bool:
    """Tell whether what is asked of the dead is not asked of the living, nor the reverse."""
    if subject.kind != "person" or subject.is_dead == replacement.is_dead:
        return True
    if replacement.is_dead:
        return subject.is_dead is None or not PRESENT & set(question.words)
    return replacement.is_dead is None or not DEATH & set(question.words)


def _bare(answer: str) -> str:
    """Return an answer without an article before it."""
    return re.sub(r"^(the|a|an)\s+(?=\w)", "", answer, flags=re.IGNORECASE)


def _names(passage: Passage, name: str) -> bool:
    return passage.text.has(name) or Text(passage.title).has(name)


def _foreign(question: Text, choice: _Choice) -> frozenset[str]:
    """Return the stems of what the question says, which its passages have and the other lacks."""
    said = stems(words("".join(around(question.text, choice.spans))))
    return said & (choice.subject.stems | choice.bridge.stems) - choice.replacement.stems
