"""Find the names of passages in a question, and replace them by another name.

The title of a passage may have an addition in brackets, "Ed Wood (film)"; its name is without it.
"""

import itertools
import re
from collections.abc import Mapping, Sequence

from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.datasets.syn_qa.hotpotqa.text import NameSpan, SearchedText, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import ARTICLES

PLACES = ("settlement", "region")
"""Kinds whose names have additions after a comma: 'Dublin, Ohio'."""
# Text that continues a sentence after a name: "'s", " was"
_CONTINUATION = re.compile(r"['’]s| \w")


def mentions(question: SearchedText, record: Record) -> dict[str, list[NameSpan]]:
    """Return the spans of the names of each supporting passage in the question, by its title.

    Of names that overlap, the longest counts; of equal names, the name of a supporting passage.
    """
    passages = (*record.supporting, *record.distractors)  # the sort below keeps this order
    candidates = [
        (span, passage.title)
        for passage in passages
        for name in passage.names
        for span in question.spans(name)
    ]
    taken: list[NameSpan] = []
    spans: dict[str, list[NameSpan]] = {passage.title: [] for passage in passages}
    candidates.sort(key=lambda candidate: candidate[0].start - candidate[0].end)  # longest first
    for span, title in candidates:
        if all(span.end <= longer.start or longer.end <= span.start for longer in taken):
            taken.append(span)
            spans[title].append(span)
    return {passage.title: sorted(spans[passage.title]) for passage in record.supporting}


def is_alternative(question: SearchedText, mentions: Mapping[str, list[NameSpan]]) -> bool:
    """Return whether a question asks for a choice: 'Who is older, A or B?'."""
    spans = sorted(span for spans in mentions.values() for span in spans)
    gaps = (question.text[left.end : right.start] for left, right in itertools.pairwise(spans))
    return any(re.fullmatch(r'[\s",]*or[\s"]*(the |a |an )?"?', gap) for gap in gaps)


def text_around(text: str, spans: Sequence[NameSpan]) -> list[str]:
    """Return the parts of a text without the spans: before, between and after them."""
    starts = [0, *(span.end for span in spans)]
    ends = [*(span.start for span in spans), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def reads_badly(
    question: SearchedText, spans: Sequence[NameSpan], name: str, is_place: bool
) -> bool:
    """Return whether a question would read badly with a name at the spans.

    It reads badly if the name repeats a word beside it ('the Tower Corporation corporation'), or if
    the sentence continues after a name with a comma ('Who is Ed Wood, Jr. married to?'). A comma is
    no fault in the name of a place: ``insert_name`` adds a second one.
    """
    texts = text_around(question.text, spans)
    before, after = texts[:-1], texts[1:]
    if "," in name and not is_place and any(map(_CONTINUATION.match, after)):
        return True
    words_before = {word for text in before for word in words(text)[-1:]}
    words_after = {word for text in after for word in words(text)[:1]}
    name_words = words(name)
    outer_words = {*name_words[:1], *name_words[-1:]} - {*ARTICLES}
    return not outer_words.isdisjoint(words_before | words_after)


def insert_name(
    question: SearchedText,
    spans: Sequence[NameSpan],
    subject: Passage,
    replacement: Passage,
    name: str,
) -> str:
    """Return a question with the name of a replacement at each span of the subject.

    Articles, possessives and the comma after the addition to a place are adapted to the name.
    """
    text, *parts = text_around(question.text, spans)
    for after in parts:
        text = _adapt_before(text, name, subject, replacement)
        text += name + _adapt_after(name, after, subject)
    return text


def _adapt_before(before: str, name: str, subject: Passage, replacement: Passage) -> str:
    """Return the text before a name with the article that the name needs."""
    has_article = name.split(" ")[0].lower() in ARTICLES
    article = re.search(r"\b(the|an?) $", before, re.IGNORECASE)
    if not article:
        return before
    is_the = article[1].lower() == "the"
    if has_article or (is_the and subject.takes_the and not replacement.takes_the):
        return before[: article.start()]
    new_article = "the" if is_the else "an" if name[0] in "AEIOUaeiou" else "a"
    new_article = new_article.capitalize() if article[1][0].isupper() else new_article
    return f"{before[: article.start()]}{new_article} "


def _adapt_after(name: str, after: str, subject: Passage) -> str:
    """Return the text after a name with the possessive and the comma that the name needs."""
    if re.match(r"['’](\s|$)", after) and subject.name.endswith("s") and not name.endswith("s"):
        return f"{after[0]}s{after[1:]}"
    if re.match(r"['’]s\b", after) and name.endswith("s"):
        return after[0] + after[2:]
    has_addition = subject.kind in PLACES and ", " in name
    return f",{after}" if has_addition and after.startswith(" ") else after
