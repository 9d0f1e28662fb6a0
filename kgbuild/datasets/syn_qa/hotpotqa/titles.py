"""Replace a title in a question by the one of the distractor with the most common categories."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from kgbuild.cells import text_of
from kgbuild.datasets.syn_qa.hotpotqa.mentions import reads_badly, text_around
from kgbuild.datasets.syn_qa.hotpotqa.records import Change, Passage, Record
from kgbuild.datasets.syn_qa.hotpotqa.text import NameSpan, SearchedText
from kgbuild.rows import Rejected, Rejection, require_columns
from kgbuild.tables.files import read_file

Categories = Mapping[str, frozenset[str]]
"""The categories of each title."""


def read_categories(path: Path) -> Categories:
    """Return the categories of each title in a table, with one title and one category per row.

    Titles may have underscores for spaces, as in Wikipedia's tables.

    Raises:
        TableFileError: the file cannot be read.
        WrongCallError: there is no column title or category.
    """
    table = read_file(path)
    require_columns(path, table.columns, ("title", "category"))
    categories_by_title: dict[str, set[str]] = {}
    for record in table.records:
        title, category = record.get("title"), record.get("category")
        if title is not None and category is not None:
            key = text_of(title).replace("_", " ")
            categories_by_title.setdefault(key, set()).add(text_of(category))
    return {title: frozenset(categories) for title, categories in categories_by_title.items()}


def change_title(
    record: Record,
    spans: Mapping[str, Sequence[NameSpan]],
    categories: Categories,
    rejections: list[Rejection],
) -> Change:
    """Return the change of the title in a question by the most similar distractor that fits.

    ``spans`` are those of each supporting title. ``rejections`` receives the distractors that do
    not fit; those that are equally similar are tried by title.

    Raises:
        Rejected: the question does not contain one of its two titles, or no distractor fits.
    """
    if sum(map(bool, spans.values())) != 1:
        raise Rejected("no single title")
    bridge, subject = sorted(record.supporting, key=lambda one: len(spans[one.title]))
    of_subject = categories.get(subject.title, frozenset())
    overlaps = {
        distractor: len(of_subject & categories.get(distractor.title, frozenset()))
        for distractor in sorted(record.distractors, key=lambda one: one.title)
    }
    for distractor in sorted(overlaps, key=lambda one: overlaps[one], reverse=True):
        try:
            if not overlaps[distractor]:
                raise Rejected("another kind")
            _check(record, spans[subject.title], (subject, bridge), distractor)
        except Rejected as rejected:
            names = f"{distractor.title} for {subject.title}"
            detail = f"{names}; {rejected.detail}".removesuffix("; ")
            rejections.append(Rejection(record.key, rejected.reason, detail))
        else:
            parts = text_around(record.question, spans[subject.title])
            return Change(
                replaced=subject.title,
                replacement=distractor.title,
                topic=subject,
                bridge=bridge,
                false_question=distractor.name.join(parts),
                similarity="categories",
                overlap=overlaps[distractor],
            )
    raise Rejected("all distractors fell out", f"{len(record.distractors)} distractors")


def _check(
    record: Record, spans: Sequence[NameSpan], supporting: tuple[Passage, Passage], other: Passage
) -> None:
    """Check that a title reads well in the place of another one, and nothing makes it true."""
    name, (_, bridge) = SearchedText(other.name), supporting
    for passage in supporting:
        if name.has(passage.name) or SearchedText(passage.name).has(other.name):
            raise Rejected("same name", passage.title)
    question = SearchedText(record.question)
    if question.has(other.name):
        raise Rejected("in the question")
    answer = re.sub(r"^(the|a|an)\s+(?=\w)", "", record.answer, flags=re.IGNORECASE)
    if other.text.has(answer) or SearchedText(other.title).has(answer):
        raise Rejected("holds", f"its passage names the answer, {record.answer}")
    if other.refers_to(bridge):
        raise Rejected("holds", f"its passage names {bridge.title}")
    if bridge.refers_to(other):
        raise Rejected("holds", f"the passage of {bridge.title} names it")
    if reads_badly(question, spans, other.name):
        raise Rejected("reads badly", other.name)
