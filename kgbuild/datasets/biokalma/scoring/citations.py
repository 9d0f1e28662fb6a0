"""Read attributed answers: their sentences, and the knowledge that each sentence cites.

A model cites a piece of knowledge in brackets after a statement, by the id of an item and the
labels of property and value in its prompt: ``[Q7259, occupation: mathematician]``. ``[NA]``
follows a statement for which the model has no knowledge.

Source: sections 2.1 and 3.3, and table 13, of the BioKaLMA paper.
"""

import functools
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.text.replies import final
from kgbuild.text.sentences import sentence_ends, sentence_spans

# Possessive quantifiers (*+, ++) prevent quadratic time.
# Control characters except the line feed
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_BRACKETS_OF_MODELS = (("\\[", "["), ("\\]", "]"), ("【", "["), ("】", "]"))
"""Other brackets of models, and those that they stand for."""
_MARK = re.compile(r"\[\s*+n/?a\s*+\]|\(\s*+n/?a\s*+\)", re.IGNORECASE)
"""The mark of missing knowledge: [NA], [N/A], (NA)."""
_NA = "[NA]"

# An item id: "Q7259" or "qid: Q7259"
_ITEM = r"\s*+(?:qid\s*+:\s*+)?(?P<qid>q\d++)(?!\w)"
_ITEM_ID = re.compile(rf"{_ITEM}\s*+", re.IGNORECASE)
# The beginning of brackets that cite: "[Q7259" or "[NA]"
_CITATION_START = re.compile(rf"\[(?:{_ITEM}|\s*+na\s*+\])", re.IGNORECASE)
# Brackets on one line without brackets inside; not "[text](link)"
_BRACKETS = re.compile(r"\[([^\[\]\n]*+)\](?!\()")
# An item id, or the end of a property and its colon: "occupation:", but not "https://"
_CITES = re.compile(r"\bq\d++\b|[^\W\d_]\s*+:(?!//)", re.IGNORECASE)
# A bracket, or an empty line
_BRACKET_OR_BREAK = re.compile(r"[\[\]]|\n[^\S\n]*+\n")
_WORD = re.compile(r"\S+")
_MAX_WORDS_OF_PIECE = 40
"""Maximum number of words of a piece in brackets that nothing closes."""
_SEPARATORS = re.compile(r"([,;])")
_IGNORED = re.compile(r"[*`'\"‘’“”]")
"""Quotation marks, and the signs of emphasis that ``final`` removes from answers."""
# Parentheses with an id and more, as "(Q7259, mathematician)"; not "Ada Lovelace (Q7259)"
_PARENTHESES = re.compile(
    r"\(((?>[^()\[\]\n]*?\bq\d++\b)[^\S\n]*+[^()\[\]\s][^()\[\]\n]*+)\)", re.IGNORECASE
)
# What may be a citation in no known form: such parentheses, a footnote "[1]"
_UNREAD = re.compile(rf"{_PARENTHESES.pattern}|\[\d++\]", re.IGNORECASE)

# Further forms, which are only read leniently.
# The first item of brackets: "Q7259", "wd:Q7259", "Source: Q7259:", "Ada Lovelace (Q7259),"
_FIRST_ITEM = re.compile(r"^[^,;]*?\b(q\d++)\b(?:\s*+\([^()]*+\))?+\W*+", re.IGNORECASE)
_BETWEEN = re.compile(r"\s[-–—|→]++\s|[=,]")
"""What stands for the colon between property and value."""


class Triple(NamedTuple):
    """A piece of knowledge: an item, the label of a property, and the text of a value."""

    qid: str
    property: str
    value: str


class Citation(NamedTuple):
    """A piece of knowledge that an answer cites.

    ``triple`` is a piece of the pool if the citation ``is_correct``; else it has the words of the
    model, with empty texts for missing parts.
    """

    triple: Triple
    is_correct: bool


class Sentence(NamedTuple):
    """A sentence of an answer, without its brackets; ``is_marked`` if it has [NA].

    ``unread`` are brackets that may cite, but in no known form.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    is_marked: bool = False
    unread: tuple[str, ...] = ()


class Pool:
    """The pieces of knowledge that a model can cite.

    A citation matches a piece if both have the same spelling after ``fold`` (which normalises case,
    accents and spaces). Spaces around marks, Markdown's emphasis and quotation marks are ignored.
    ``lenient`` has further texts ``property: value`` of pieces; with it, answers are read
    leniently.
    """

    def __init__(
        self, triples: Iterable[Triple], lenient: Iterable[tuple[Triple, str]] | None = None
    ):
        self.is_lenient = lenient is not None
        self.max_marks = 0  # of commas and semicolons in a piece
        self._pieces: dict[str, dict[str, Triple]] = defaultdict(dict)
        exact = ((triple, f"{triple.property}:{triple.value}") for triple in triples)
        for triple, text in (*exact, *(lenient or ())):
            normalised = _normalise(text)
            self._pieces[triple.qid].setdefault(normalised, triple)
            self.max_marks = max(self.max_marks, len(_SEPARATORS.findall(normalised)))

    def knows(self, qid: str) -> bool:
        """Return whether the pool has a piece about an item."""
        return qid in self._pieces

    def find(self, qid: str, text: str) -> Triple | None:
        """Return the piece about an item that the text ``property: value`` cites, or None."""
        return self._pieces[qid].get(_normalise(text)) if self.knows(qid) else None

    def counterpart(self, triple: Triple) -> Triple | None:
        """Return the piece that a citation of ``triple`` matches, or None.

        Pieces that differ only in details that are ignored share one counterpart.
        """
        return self.find(triple.qid, f"{triple.property}:{triple.value}")


@functools.lru_cache(maxsize=2**16)  # many answers cite the same pieces
def _normalise(text: str) -> str:
    """Return the text ``property: value`` normalised for comparison."""
    normalised = fold(_IGNORED.sub("", text))
    for mark in ",;:":
        normalised = normalised.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return normalised


def parse(text: str, pool: Pool) -> list[Sentence]:
    """Return the sentences of an attributed answer with their citations, in linear time.

    Only the final answer counts: see ``final``. A citation belongs to the sentence around it or
    before it. Citations without any sentence belong to a sentence with an empty text.

    Brackets, also ``【…】`` and ``\\[…\\]``, cite if they begin with the id of an item
    (``[Q1, …]``, ``[qid: Q1, …]``). Others with an id, or with a property and a colon, are an
    incomplete citation; all others (``[sic]``) are text. Unclosed brackets end behind the longest
    piece, before the next brackets that cite, or with the sentence. Brackets may have several
    pieces, of several items: ``[Q1, p: a, b]``, ``[Q1, p: a; p: b]``, ``[Q1, p: a; Q2, p: b]``.
    Commas, semicolons and colons may belong to labels, so the longest text that is a piece is read
    as one; all else is an incorrect citation, one for each colon. The name of the item is not a
    citation, unless the pool has a property "name"; an id or a name alone is one incomplete
    citation.

    With a pool for lenient reading, further forms count: ``[name (Q1), …]``, ``[Source: Q1, …]``,
    other signs between the parts (``[Q1: p: v]``, ``[Q1 - p - v]``, ``['Q1', 'p', 'v']``),
    parentheses, and what the pool has in its further texts.

    Known weakness: ``[Note: …]`` counts as an incomplete citation.
    """
    answer = _CONTROL.sub(" ", final(text))
    for other, bracket in _BRACKETS_OF_MODELS:
        answer = answer.replace(other, bracket)
    answer = _MARK.sub(_NA, answer)
    if pool.is_lenient:
        answer = _PARENTHESES.sub(r"[\1]", answer)
    plain, blocks = _separate(answer, pool)
    spans = sentence_spans(plain)
    starts = [start for start, _ in spans]
    blocks_by_sentence: list[list[str]] = [[] for _ in spans or blocks[:1]]
    for position, content in blocks:
        blocks_by_sentence[max(bisect_left(starts, position) - 1, 0)].append(content)
    texts = [_tidy(plain[start:end]) for start, end in spans] or [""] * len(blocks_by_sentence)
    return [
        _sentence(sentence, contents, pool)
        for sentence, contents in zip(texts, blocks_by_sentence, strict=True)
    ]


def _sentence(text: str, contents: Sequence[str], pool: Pool) -> Sentence:
    """Return a sentence with the contents of its brackets."""
    citing = [content for content in contents if content.strip().lower() != "na"]
    citations: list[Citation] = []
    unread = [match[0] for match in _UNREAD.finditer(text)]
    for content in citing:
        of_brackets = _citations(content, pool)
        citations += of_brackets
        if not all(all(citation.triple) for citation in of_brackets):
            unread.append(f"[{content.strip()}]")
    return Sentence(text, tuple(citations), len(citing) < len(contents), tuple(unread))


def _tidy(text: str) -> str:
    """Return a sentence without the gaps, or empty brackets, that its citations left."""
    return re.sub(" (?=[.,;:!?])", "", " ".join(re.sub(r"\[ ?\]", "", text).split()))


def _separate(text: str, pool: Pool) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without the brackets that cite, and these brackets.

    Brackets are a position in the returned text and a content.
    """
    parts: list[str] = []  # of the returned text
    parts_length = 0
    blocks = []
    part_start = position = 0  # in ``text``
    while (start := text.find("[", position)) >= 0:
        position = start + 1
        if block := _block(text, start, pool):
            position, content = block
            parts.append(text[part_start:start])
            parts_length += start - part_start
            blocks.append((parts_length, content))
            part_start = position
    return "".join([*parts, text[part_start:]]), blocks


def _block(text: str, start: int, pool: Pool) -> tuple[int, str] | None:
    """Return the end and the content of the brackets at ``start``; None if they cite nothing."""
    if not _CITATION_START.match(text, start):
        brackets = _BRACKETS.match(text, start)
        if not brackets or not _CITES.search(brackets[1]):
            return None
        return brackets.end(), brackets[1]
    depth = 0
    stop = len(text)
    for match in _BRACKET_OR_BREAK.finditer(text, start):
        is_next_citation = match.start() > start and _CITATION_START.match(text, match.start())
        if is_next_citation or match[0].isspace():
            stop = match.start()
            break
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.end(), text[start + 1 : match.start()]
    content = text[start + 1 : stop]  # of unclosed brackets
    length = next((match.start() for match in sentence_ends(content)), len(content))
    length = _length_of_piece(content[:length], pool) or length
    return start + 1 + length, content[:length]


def _length_of_piece(content: str, pool: Pool) -> int:
    """Return the length of the longest beginning of unclosed brackets that cites one piece.

    The sentence may go on behind it. The length is 0 if no beginning cites a piece.
    """
    item, comma, rest = content.partition(",")
    match = _ITEM_ID.fullmatch(item)
    if not match:
        return 0
    ends = [word.end() for word in islice(_WORD.finditer(rest), _MAX_WORDS_OF_PIECE)]
    qid = match["qid"].upper()
    fitting = (end for end in reversed(ends) if pool.find(qid, rest[:end].rstrip(",;")))
    end = next(fitting, 0)
    return end and len(item + comma) + end


def _citations(content: str, pool: Pool) -> list[Citation]:
    """Return the citations in the content of brackets: at least one."""
    if pool.is_lenient:
        content = _strict(content)
    texts = _SEPARATORS.split(content)
    parts, marks = texts[::2], ["", *texts[1::2]]
    items = [match and match["qid"].upper() for match in map(_ITEM_ID.fullmatch, parts)]
    qid = next(filter(None, items), "")
    citations: list[Citation] = []
    rest = property_ = ""  # a text that is no piece yet, and the last property
    at = 0
    while at < len(parts):
        width, piece = 1, None
        if items[at]:
            citations += _unmatched(qid, rest)
            qid, rest, property_ = items[at] or "", "", ""
        elif found := _longest(qid, property_, parts, marks, at, pool):
            citations += _unmatched(qid, rest)
            width, piece = found
            citations.append(Citation(piece, is_correct=True))
            rest, property_ = "", piece.property
        else:
            label, colon, _ = parts[at].partition(":")
            if colon:
                citations += _unmatched(qid, rest)
                rest, property_ = parts[at], label.strip()
            elif rest or not property_:
                rest += marks[at] + parts[at]
            elif parts[at].strip():
                rest = f"{property_}:{parts[at]}"
        at += width
    citations += _unmatched(qid, rest)
    return citations or [Citation(Triple(qid, "", ""), is_correct=False)]


def _longest(
    qid: str, property_: str, parts: Sequence[str], marks: Sequence[str], at: int, pool: Pool
) -> tuple[int, Triple] | None:
    """Return the largest number of parts that are a piece, and the piece; None without one.

    The parts are a property and a value, or a further value of the last property.
    """
    for width in range(min(pool.max_marks + 1, len(parts) - at), 0, -1):
        more = (marks[n] + parts[n] for n in range(at + 1, at + width))
        text = "".join((parts[at], *more))
        if piece := pool.find(qid, text) or pool.find(qid, f"{property_}:{text}"):
            return width, piece
    return None


def _unmatched(qid: str, text: str) -> Iterator[Citation]:
    """Yield the incorrect citation of a text; none for the name of an item."""
    label, colon, value = (part.strip() for part in text.partition(":"))
    if colon and label.lower() != "name":
        yield Citation(Triple(qid, label, value), is_correct=False)


def _strict(content: str) -> str:
    """Return the content of brackets in the strict form, if it has one of the lenient forms."""
    item, comma, rest = _FIRST_ITEM.sub(r"\1,", content).partition(",")
    return f"{item}{comma}{rest if ':' in rest else _BETWEEN.sub(':', rest, count=1)}"
