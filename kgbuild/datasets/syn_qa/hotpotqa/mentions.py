"""Where the names of passages stand in a question, and the question with another name there."""

import itertools
import re
from collections.abc import Mapping, Sequence

from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.datasets.syn_qa.hotpotqa.text import Span, Text, words
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import ARTICLES

PLACES = ("settlement", "region")


def mentions(question: Text, record: Record) -> dict[str, list[Span]]:
    """Return where each supporting title stands in the question.

    Where names overlap, the longest counts; of equal ones that of a supporting passage.
    """
    passages = (*record.supporting, *record.distractors)
    candidates = [
        (span, passage.title)
        for passage in passages
        for name in passage.names
        for span in question.spans(name)
    ]
    taken: list[Span] = []
    spans: dict[str, list[Span]] = {passage.title: [] for passage in passages}
    for span, title in sorted(candidates, key=lambda one: one[0].start - one[0].end):
        if all(span.end <= other.start or other.end <= span.start for other in taken):
            taken.append(span)
            spans[title].append(span)
    return {passage.title: sorted(spans[passage.title]) for passage in record.supporting}


def is_alternative(question: Text, mentions: Mapping[str, list[Span]]) -> bool:
    """Tell whether a question asks to choose: 'Who is older, A or B?'."""
    spans = sorted(span for spans in mentions.values() for span in spans)
    between = (question.text[one.end : other.start] for one, other in itertools.pairwise(spans))
    return any(re.fullmatch(r'[\s",]*or[\s"]*(the |a |an )?"?', text) for text in between)


def around(text: str, spans: Sequence[Span]) -> list[str]:
    """Return the parts of a text between spans, and those before and after them."""
    starts = [0, *(span.end for span in spans)]
    ends = [*(span.start for span in spans), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def name_of(passage: Passage, record: Record) -> str:
    """Return the name of a passage, with its addition if the record has a namesake of it."""
    passages = (*record.supporting, *record.distractors)
    namesakes = {other.title for other in passages if words(other.name) == words(passage.name)}
    return passage.title if namesakes - {passage.title} else passage.name


def reads_badly(question: Text, spans: Sequence[Span], name: str, is_place: bool) -> bool:
    """Tell whether a name would repeat a word beside it: 'the Tower Corporation corporation'.

    Nor is a comma of the name to cut the sentence, but for a place, whose second comma is added.
    """
    texts = around(question.text, spans)
    if "," in name and not is_place and any(re.match(r"['’]s| \w", text) for text in texts[1:]):
        return True
    parts = [words(text) for text in texts]
    beside = {word for part in parts[:-1] for word in part[-1:]}
    beside |= {word for part in parts[1:] for word in part[:1]}
    return bool(beside & {*words(name)[:1], *words(name)[-1:]} - {*ARTICLES})


def put(
    question: Text, spans: Sequence[Span], subject: Passage, replacement: Passage, name: str
) -> str:
    """Return a question with the name of a replacement at each place of the subject.

    Articles, possessives and the comma after the addition to a place fit the new name.
    """
    text, *parts = around(question.text, spans)
    for after in parts:
        text = _with_article(text, name, subject, replacement)
        text += name + _after(name, after, subject)
    return text


def _with_article(before: str, name: str, subject: Passage, replacement: Passage) -> str:
    """Return what stands before a name with the article that the name takes."""
    article = re.search(r"\b(the|an?) $", before, re.IGNORECASE)
    if not article:
        is_plain = re.search(r"(^|[a-z] )$", before) and name.split(" ")[0].lower() not in ARTICLES
        adds = replacement.takes_the and not subject.takes_the and is_plain
        return f"{before}{'the' if before else 'The'} " if adds else before
    is_the = article[1].lower() == "the"
    has_own = name.split(" ")[0].lower() in ARTICLES
    if has_own or (is_the and subject.takes_the and not replacement.takes_the):
        return before[: article.start()]
    fitting = "the" if is_the else "an" if name[0] in "AEIOUaeiou" else "a"
    fitting = fitting.capitalize() if article[1][0].isupper() else fitting
    return f"{before[: article.start()]}{fitting} "


def _after(name: str, after: str, subject: Passage) -> str:
    """Return what stands after a name, as it fits the name."""
    if re.match(r"['’](\s|$)", after) and subject.name.endswith("s") and not name.endswith("s"):
        return f"{after[0]}s{after[1:]}"
    if re.match(r"['’]s\b", after) and name.endswith("s"):
        return after[0] + after[2:]
    return f",{after}" if subject.kind in PLACES and ", " in name and after[:1] == " " else after
