"""Split the text of an answer into sentences, in linear time."""

import re
from collections.abc import Iterator

from kgbuild import wikidata

# Possessive quantifiers (*+, ++) prevent quadratic time.
# A line end, or stops with closing quotes and brackets before a space or the end
_END = re.compile(r"""\n|[.!?]++["'”’)\]]*+(?=\s|$)""")
# The next word, after opening quotes, brackets and signs of lists
_NEXT = re.compile(r"""\s*+["'“‘(*-]*+(?P<word>\w*+)""")
_ABBREVIATION = re.compile(
    r"""
    ste? | mrs? | ms | dr | prof | [sj]r | gen | col | capt | lt | sgt | maj | rev | hon | gov | sen
    | ft | mt | nos | vol | vs | ca | cf | op | est | approx | inc | ltd | co | corp | bros | dept
    | univ | etc | al | jan | feb | mar | apr | jun | jul | aug | sept? | oct | nov | dec
    | [^\W\d_] (?: \.[^\W\d_] ){0,3}  # initials
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Abbreviations, whose full stop does not end a sentence."""
_STARTERS = re.compile(
    r"""
    s?he | it | they | his | hers? | their | its | the | this | that | these | those | in | on | at
    | by | for | from | with | during | after | before | while | when | although | though | as
    | both | later | then | however | among | and | but
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that begin a sentence after an abbreviation, because no name continues with them.

"The" begins a sentence after "Washington, D.C.", but "Louis" does not after "St.".
"""
_MAX_WORD_BEFORE_STOP = 10
"""Number of characters before a full stop that are enough to recognise an abbreviation."""
MONTHS = tuple(map(str.lower, wikidata.MONTHS))


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and the end of each sentence; a part without words extends the sentence."""
    spans: list[tuple[int, int]] = []
    begin = 0
    for end in (*(match.end() for match in sentence_ends(text)), len(text)):
        part = text[begin:end]
        if re.search(r"\w", part):
            spans.append((end - len(part.lstrip()), end))
        elif spans:
            spans[-1] = (spans[-1][0], end)
        begin = end
    return spans


def sentence_ends(text: str) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences: line ends, and . ! ? unless a small letter follows."""
    begin = 0
    for stop in _END.finditer(text):
        # The last word suffices; with the whole text, the time would be quadratic.
        before = text[max(begin, stop.start() - _MAX_WORD_BEFORE_STOP) : stop.start()]
        match = _NEXT.match(text, stop.end())
        next_word = match["word"] if match else ""
        if stop[0] == "\n" or _is_end(before, stop[0], next_word):
            yield stop
            begin = stop.end()


def _is_end(before: str, stop: str, next_word: str) -> bool:
    """Return whether a stop ends a sentence; it may belong to an abbreviation: "St. Louis"."""
    if stop != "." or not next_word:
        return not next_word[:1].islower()
    words = before.split()
    last_word = words[-1].lstrip("(\"'“‘") if words else ""
    if last_word.isdigit() and len(last_word) <= 2:
        is_day = next_word.lower() in MONTHS
        is_number_in_list = before.strip() == last_word
        return not (is_day or is_number_in_list)
    is_abbreviation = _ABBREVIATION.fullmatch(last_word) and not _STARTERS.fullmatch(next_word)
    return not (is_abbreviation or next_word[0].islower())
