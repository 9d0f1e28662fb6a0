"""Build multi-hop minimal pairs from HotpotQA, as in section 2.2 of the Syn-(QA)² paper.

A question needs two passages. If it contains the title of one of them, the title of the most
similar distractor replaces this title. Similarity is the number of common categories of a user's
table, then the number of common values in the store, then of common traits in the first sentences.
In the paper, people removed pairs that make no sense or whose assumption is true; here checks
against the passages and the store remove them.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgbuild.datasets.syn_qa.hotpotqa import checks
from kgbuild.datasets.syn_qa.hotpotqa.checks import Choice
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.mentions import mentions, reads_badly, text_around
from kgbuild.datasets.syn_qa.hotpotqa.records import Record, read
from kgbuild.datasets.syn_qa.hotpotqa.resemblance import Resemblances
from kgbuild.datasets.syn_qa.hotpotqa.text import NameSpan, SearchedText
from kgbuild.datasets.syn_qa.rows import DATASET, Pair, confusability
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


def build(
    path: Path,
    linker: Linker | None,
    categories: Mapping[str, frozenset[str]],
    *,
    limit: int | None = None,
    min_overlap: int = 3,
    seed: int = 0,
    splits: bool = False,
    progress: Progress = no_progress,
) -> Built:
    """Build the pairs of a file of HotpotQA, with the ``linker`` of a store or without one.

    ``categories`` are by title, and may be empty. ``progress`` counts records. A pair uses the most
    similar title of the question and distractor; ties are broken by title. ``limit`` is the maximum
    number of pairs, ``min_overlap`` the minimum number of shared property values: a smaller number
    counts as 0. With ``splits``, most pairs are in a split for training.

    Raises:
        UnreadableDumpError: the file cannot be read.
        TableFileError: the file has no record.
    """
    started = time.monotonic()
    records, rejections = read(path)
    resemblances = Resemblances(records, linker, categories, min_overlap)
    builder = _FileBuilder(path.name, linker, resemblances, rejections, splits)
    malformed, tried = len(rejections), 0
    pairs: list[Pair] = []
    for record in shuffled(records, lambda record: (path.name, record.key), seed):
        if len(pairs) == limit:
            break
        progress(path.name, tried, len(records))
        tried += 1
        try:
            pairs.append(builder.pair(record))
        except Rejected as rejected:
            rejections.append(rejected.rejection(record.key))
    return Built(
        relation=path.name,
        tables={"syn_qa_pairs": [vars(pair) for pair in pairs]},
        rejections=rejections,
        candidates=malformed + tried,
        seconds=time.monotonic() - started,
    )


@dataclass
class _FileBuilder:
    """Builds pairs from the records of a file, and adds rejected distractors to ``rejections``.

    ``questions`` has the questions of the pairs built so far.
    """

    name: str
    linker: Linker | None
    resemblances: Resemblances
    rejections: list[Rejection]
    splits: bool
    questions: set[str] = field(default_factory=set)

    def pair(self, record: Record) -> Pair:
        """Return the pair of a record.

        Raises:
            Rejected: no pair can be made of the record.
        """
        question = SearchedText(record.question)
        spans = mentions(question, record)
        checks.check_record(record, spans)
        if record.question in self.questions:
            raise Rejected("asked twice")
        choice, false_question = self._replace(question, record, spans)
        self.questions.add(record.question)
        return self._row(record, choice, false_question)

    def _replace(
        self, question: SearchedText, record: Record, spans: Mapping[str, list[NameSpan]]
    ) -> tuple[Choice, str]:
        """Return the best choice that passes the checks, and the question with its replacement."""
        for choice in self._choices(record, spans):
            try:
                checks.check_replacement(question, choice)
                checks.check_false(question, record.answer, choice, self.linker, self.resemblances)
                name = choice.replacement.name
                if reads_badly(question, choice.spans, name):
                    raise Rejected("reads badly", name)
                return choice, name.join(text_around(question.text, choice.spans))
            except Rejected as rejected:
                names = f"{choice.replacement.title} for {choice.subject.title}"
                detail = f"{names}; {rejected.detail}".removesuffix("; ")
                self.rejections.append(Rejection(record.key, rejected.reason, detail))
        raise Rejected("all distractors fell out", f"{len(record.distractors)} distractors")

    def _choices(self, record: Record, spans: Mapping[str, list[NameSpan]]) -> Iterator[Choice]:
        """Yield the choices of a replacement, the most similar first.

        Distractors of the record come first, then passages of other records.
        """
        bridge, subject = sorted(record.supporting, key=lambda one: len(spans[one.title]))
        titles = {passage.title for passage in (*record.supporting, *record.distractors)}
        similar = self.resemblances.most_similar(subject)
        others = [passage for passage in similar if passage.title not in titles]
        for replacements in (record.distractors, others):
            choices = (
                Choice(
                    subject,
                    spans[subject.title],
                    bridge,
                    replacement,
                    self.resemblances.compare(subject, replacement),
                )
                for replacement in replacements
            )
            # By title if equally similar.
            in_order = sorted(choices, key=lambda choice: choice.replacement.title)
            yield from sorted(in_order, key=lambda choice: choice.resemblance, reverse=True)

    def _row(self, record: Record, choice: Choice, false_question: str) -> Pair:
        subject, bridge, replacement = choice.subject, choice.bridge, choice.replacement
        linker = self.linker
        subject_qid, bridge_qid, replacement_qid = (
            linker.link(passage) if linker else None for passage in (subject, bridge, replacement)
        )
        measure, overlap = _measure(choice)
        statements = linker.statements(subject, bridge) if linker else []
        shared = self.resemblances.shared_values(subject, replacement)
        shared = shared if measure == "property_overlap" else []
        return Pair(
            pair_id=stable_id(DATASET, "hotpotqa", record.question, false_question),
            relation=self.name,
            relation_label="HotpotQA",
            hops=2,
            subject_qid=subject_qid,
            subject_label=subject.title,
            bridge_qid=bridge_qid,
            bridge_label=bridge.title,
            replacement_qid=replacement_qid,
            replacement_label=replacement.title,
            overlap=overlap,
            shared=[{"property": pid, "value": value} for pid, value in shared],
            similarity=measure,
            question=record.question,
            false_question=false_question,
            answer=record.answer,
            falsity="absent",
            evidence=[statement._asdict() for statement in statements],
            popularity=linker.popularity(subject_qid) if linker else 0,
            replacement_popularity=linker.popularity(replacement_qid) if linker else 0,
            source_id=record.key,
            split=split(subject.title, self.splits),
            confusability=confusability(overlap),
        )


def _measure(choice: Choice) -> tuple[str, int]:
    """Return the measure that decided for a replacement, and its value."""
    if choice.resemblance.categories:
        return "categories", choice.resemblance.categories
    if choice.resemblance.values:
        return "property_overlap", choice.resemblance.values
    return "first_sentence", choice.resemblance.traits
