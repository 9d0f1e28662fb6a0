"""Build multi-hop minimal pairs from HotpotQA, as in section 2.2 of the Syn-(QA)² paper.

A question needs two passages. Where the title of one stands in it, the title of the most similar
distractor replaces it: the one that shares most categories, which are the user's, else the values
of the store, else what the first sentences say. In the paper people removed pairs that make no
sense or are true all the same; here the passages and the store decide.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgbuild.catalog import Catalog
from kgbuild.datasets.syn_qa.hotpotqa import checks
from kgbuild.datasets.syn_qa.hotpotqa.checks import Choice
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.mentions import PLACES, mentions, name_of, put, reads_badly
from kgbuild.datasets.syn_qa.hotpotqa.records import Record, read
from kgbuild.datasets.syn_qa.hotpotqa.resemblance import Resemblances
from kgbuild.datasets.syn_qa.hotpotqa.text import Span, Text
from kgbuild.datasets.syn_qa.rows import DATASET, Pair
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import (
    Built,
    Progress,
    Rejected,
    Rejection,
    no_progress,
    shuffled,
    split,
    stable_id,
)


@dataclass(frozen=True)
class Options:
    """The pairs at most, the property values to share at least before they count, the seed."""

    limit: int | None = None
    min_overlap: int = 3
    seed: int = 0


def build(
    path: Path,
    knowledge: Knowledge | None,
    catalog: Catalog,
    categories: Mapping[str, frozenset[str]],
    options: Options,
    progress: Progress = no_progress,
) -> Built:
    """Build the pairs of a file of HotpotQA's, with a store or without one.

    ``categories`` are those of titles, which may be empty. ``progress`` counts records. Of the
    titles in a question and the distractors, the most similar two are taken; of equal ones the
    first by title.

    Raises:
        UnreadableDumpError, NotHotpotQAError: the file holds no record.
    """
    started = time.monotonic()
    records, rejections = read(path)
    linker = Linker(knowledge, catalog) if knowledge else None
    resemblances = Resemblances(records, linker, categories, options.min_overlap)
    builder = _FileBuilder(path.name, linker, resemblances, rejections)
    malformed, done = len(rejections), 0
    pairs: list[Pair] = []
    for record in shuffled(records, lambda record: (path.name, record.key), options.seed):
        if len(pairs) == options.limit:
            break
        progress(path.name, done, len(records))
        done += 1
        try:
            pairs.append(builder.pair(record))
        except Rejected as rejected:
            rejections.append(rejected.rejection(record.key))
    return Built(
        relation=path.name,
        tables={"syn_qa_pairs": [vars(pair) for pair in pairs]},
        rejections=rejections,
        candidates=malformed + done,
        seconds=time.monotonic() - started,
    )


@dataclass
class _FileBuilder:
    """Builds pairs from the records of a file; rejected distractors join the ``rejections``."""

    name: str
    linker: Linker | None
    resemblances: Resemblances
    rejections: list[Rejection]
    questions: set[str] = field(default_factory=set)

    def pair(self, record: Record) -> Pair:
        """Return the pair of a record.

        Raises:
            Rejected: there is none.
        """
        question = Text(record.question)
        spans = mentions(question, record)
        checks.check_record(question, record, spans)
        if record.question in self.questions:
            raise Rejected("asked twice")
        choice, false_question = self._replace(question, record, spans)
        self.questions.add(record.question)
        return self._row(record, choice, false_question)

    def _replace(
        self, question: Text, record: Record, spans: Mapping[str, list[Span]]
    ) -> tuple[Choice, str]:
        """Return the best choice that passes the checks, and the question with it."""
        for choice in self._choices(record, spans):
            try:
                checks.check_replacement(question, choice, self.linker)
                answer = record.answer
                checks.check_false(question, answer, choice, self.linker, self.resemblances)
                return choice, _false_question(question, record, choice)
            except Rejected as rejected:
                names = f"{choice.replacement.title} for {choice.subject.title}"
                detail = f"{names}; {rejected.detail}".removesuffix("; ")
                self.rejections.append(Rejection(record.key, rejected.reason, detail))
        raise Rejected("all distractors fell out", f"{len(record.distractors)} distractors")

    def _choices(self, record: Record, spans: Mapping[str, list[Span]]) -> Iterator[Choice]:
        """Yield which passage can be replaced by which, the most similar first.

        The distractors of the record come first, then passages of other records.
        """
        one, other = record.supporting
        own = {passage.title for passage in (*record.supporting, *record.distractors)}
        ends = [(x, y) for x, y in ((one, other), (other, one)) if spans[x.title]]
        nearer = [(*end, distractor) for end in ends for distractor in record.distractors]
        farther = (
            (*end, passage)
            for end in ends
            for passage in self.resemblances.like(end[0])
            if passage.title not in own
        )
        for group in (nearer, farther):
            choices = [
                Choice(x, spans[x.title], y, replacement, self.resemblances.between(x, replacement))
                for x, y, replacement in group
            ]
            yield from sorted(choices, key=_order)

    def _row(self, record: Record, choice: Choice, false_question: str) -> Pair:
        subject, bridge, replacement = choice.subject, choice.bridge, choice.replacement
        linker = self.linker
        qids = [linker.link(one) if linker else None for one in (subject, bridge, replacement)]
        measure, overlap = _measure(choice)
        statements = linker.statements(subject, bridge) if linker else []
        shared = self.resemblances.shared_values(subject, replacement)
        shared = shared if measure == "property_overlap" else []
        return Pair(
            pair_id=stable_id(DATASET, "hotpotqa", record.question, false_question),
            relation=self.name,
            relation_label="HotpotQA",
            template_id=None,
            hops=2,
            subject_qid=qids[0],
            subject_label=subject.title,
            bridge_qid=qids[1],
            bridge_label=bridge.title,
            replacement_qid=qids[2],
            replacement_label=replacement.title,
            object_qid=None,
            object_label=None,
            overlap=overlap,
            shared=[{"property": pid, "value": value} for pid, value in shared],
            similarity=measure,
            question=record.question,
            false_question=false_question,
            answer=record.answer,
            falsity="absent",
            risk=None,
            evidence=[one._asdict() for one in statements],
            falsity_evidence=[],
            popularity=linker.popularity(qids[0]) if linker else 0,
            replacement_popularity=linker.popularity(qids[2]) if linker else 0,
            source_id=record.key,
            split=split(subject.title),
        )


def _false_question(question: Text, record: Record, choice: Choice) -> str:
    name = name_of(choice.replacement, record)
    if reads_badly(question, choice.spans, name, choice.subject.kind in PLACES):
        raise Rejected("reads badly", name)
    return put(question, choice.spans, choice.subject, choice.replacement, name)


def _order(choice: Choice) -> tuple[float | str, ...]:
    counts = (-count for count in choice.resemblance)
    return (*counts, choice.replacement.title, choice.subject.title)


def _measure(choice: Choice) -> tuple[str, int]:
    """Return the measure that decided for a replacement, and the count of what both have."""
    if choice.resemblance.categories:
        return "categories", choice.resemblance.categories
    if choice.resemblance.values:
        return "property_overlap", choice.resemblance.values
    return "first_sentence", choice.resemblance.traits
