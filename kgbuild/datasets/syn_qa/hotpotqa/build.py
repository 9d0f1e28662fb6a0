"""Build multi-hop minimal pairs from HotpotQA, as in section 2.2 of the Syn-(QA)² paper.

A question needs two passages. With categories of their titles, the title of the most similar
distractor replaces the one in the question. In the paper, people then removed pairs that make no
sense or whose assumption is true. Without categories, a value of the question is replaced: that
another value makes the question false follows from the passage that states it.
"""

import time
from pathlib import Path

from kgbuild.datasets.syn_qa.hotpotqa.mentions import mentions
from kgbuild.datasets.syn_qa.hotpotqa.records import Change, Record, read
from kgbuild.datasets.syn_qa.hotpotqa.text import SearchedText
from kgbuild.datasets.syn_qa.hotpotqa.titles import Categories, change_title
from kgbuild.datasets.syn_qa.hotpotqa.values import change_value
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
    categories: Categories,
    *,
    limit: int | None = None,
    seed: int = 0,
    splits: bool = False,
    progress: Progress = no_progress,
) -> Built:
    """Build the pairs of a file of HotpotQA.

    If there are ``categories`` of titles, titles are replaced, otherwise values. ``progress``
    counts records. ``limit`` is the maximum number of pairs. With ``splits``, most pairs are in a
    split for training.

    Raises:
        TableFileError: the file cannot be read.
        WrongCallError: the file has no record.
    """
    started = time.monotonic()
    records, rejections = read(path)
    malformed, tried = len(rejections), 0
    unread = f"records that cannot be read: {malformed:,}, such as"
    notes = [f"{unread} {one.detail.removeprefix(f'{path.name}, ')}." for one in rejections[:1]]
    pairs: dict[str, Pair] = {}  # by question
    for record in shuffled(records, lambda record: (path.name, record.key), seed):
        if len(pairs) == limit:
            break
        progress(path.name, tried, len(records))
        tried += 1
        try:
            if record.question in pairs:
                raise Rejected("asked twice")
            change = _change(record, categories, rejections)
            pairs[record.question] = _row(path.name, record, change, splits)
        except Rejected as rejected:
            rejections.append(rejected.rejection(record.key))
    return Built(
        relation=path.name,
        tables={"syn_qa_pairs": [vars(pair) for pair in pairs.values()]},
        rejections=rejections,
        candidates=malformed + tried,
        seconds=time.monotonic() - started,
        notes=notes,
    )


def _change(record: Record, categories: Categories, rejections: list[Rejection]) -> Change:
    """Return what is changed in the question of a record.

    Raises:
        Rejected: no pair can be made of the record.
    """
    if record.type == "comparison":
        raise Rejected("comparison")
    if "?" not in record.question:
        raise Rejected("no question")
    spans = mentions(SearchedText(record.question), record)
    if categories:
        return change_title(record, spans, categories, rejections)
    return change_value(record, spans)


def _row(name: str, record: Record, change: Change, splits: bool) -> Pair:
    return Pair(
        pair_id=stable_id(DATASET, "hotpotqa", record.question, change.false_question),
        relation=name,
        relation_label="HotpotQA",
        hops=2,
        subject_qid=None,
        subject_label=change.replaced,
        bridge_label=change.bridge.title,
        replacement_qid=None,
        replacement_label=change.replacement,
        overlap=change.overlap,
        similarity=change.similarity,
        question=record.question,
        false_question=change.false_question,
        answer=record.answer,
        falsity="absent" if change.overlap else "contradicted",
        source_id=record.key,
        split=split(change.topic.title, splits),
        confusability=confusability(change.overlap) if change.overlap else None,
    )
