"""Find the names of passages in a question, and what reads badly in their place.

The title of a passage may have an addition in brackets, "Ed Wood (film)"; its name is without it.
"""

import re
from collections.abc import Sequence

from kgbuild.datasets.syn_qa.hotpotqa.records import Record
from kgbuild.datasets.syn_qa.hotpotqa.text import NameSpan, SearchedText, words

# Text that continues a sentence after a name: "'s", " was"
_CONTINUATION = re.compile(r"['’]s| \w")
_POSSESSIVE = re.compile(r"['’](s\b|\s|$)")


def mentions(question: SearchedText, record: Record) -> dict[str, list[NameSpan]]:
    """Return the spans of the names of each supporting passage in the question, by its title.

    Of names that overlap, the longest counts; of equal names, the name of a supporting passage.
    """
    passages = (*record.supporting, *record.distractors)  # the sort below keeps this order
    candidates = [
        (span, passage.title)
        for passage in passages
        for name in dict.fromkeys((passage.title, passage.name))
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


def text_around(text: str, spans: Sequence[NameSpan]) -> list[str]:
    """Return the parts of a text without the spans: before, between and after them."""
    starts = [0, *(span.end for span in spans)]
    ends = [*(span.start for span in spans), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def reads_badly(question: SearchedText, spans: Sequence[NameSpan], name: str) -> bool:
    """Return whether a question would read badly with a name at the spans.

    It does if the name repeats a word beside it ('the Tower Corporation corporation', 'the The
    Who'), follows "a" or "an", needs another ending of a possessive, or if the sentence continues
    after a name with a comma ('Who is Ed Wood, Jr. married to?').
    """
    texts = text_around(question.text, spans)
    before, after = texts[:-1], texts[1:]
    if "," in name and any(map(_CONTINUATION.match, after)):
        return True
    possessives = filter(None, map(_POSSESSIVE.match, after))
    if any((ending[1] == "s") == name.endswith("s") for ending in possessives):
        return True
    words_before = {word for text in before for word in words(text)[-1:]}
    words_after = {word for text in after for word in words(text)[:1]}
    name_words = words(name)
    outer_words = {*name_words[:1], *name_words[-1:]}
    is_repeated = not outer_words.isdisjoint(words_before | words_after)
    return is_repeated or not words_before.isdisjoint(("a", "an"))
