"""Read attributed answers: their sentences, and the knowledge that each sentence cites.

A model cites a piece of knowledge in brackets after a statement, by the id of an item and the
labels of property and value in its prompt: ``[Q7259, occupation: mathematician]``. ``[NA]``
follows a statement for which the model has no knowledge.

Source: X. Li, Y. Cao, L. Pan, Y. Ma and A. Sun, Towards verifiable generation: a benchmark for
knowledge-aware language model attribution (2024): sections 2.1 and 3.3, table 13.
"""

import functools
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.text.replies import final
from kgbuild.text.sentences import sentence_ends, sentence_spans

# Possessive quantifiers (*+, ++) prevent quadratic time.
# Control characters except the line feed
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

# An item id: "Q7259" or "qid: Q7259"
_ITEM = r"(?:qid\s*+:\s*+)?(?P<qid>q\d++)(?!\w)"
_ITEM_ID = re.compile(_ITEM, re.IGNORECASE)
# The beginning of brackets that cite: "[Q7259" or "[NA]"
_CITATION_START = re.compile(rf"\[\s*+(?:{_ITEM}|na\s*+\])", re.IGNORECASE)
# Brackets on one line without brackets inside; not "[text](link)"
_BRACKETS = re.compile(r"\[([^\[\]\n]*+)\](?!\()")
# The end of a property and its colon: "occupation:", but not "https://"
_PROPERTY_END = re.compile(r"[^\W\d_]\s*+:(?!//)")
# A bracket, or an empty line
_BRACKET_OR_BREAK = re.compile(r"[\[\]]|\n[^\S\n]*+\n")


class Triple(NamedTuple):
    """A piece of knowledge: an item, the label of a property, and the text of a value."""

    qid: str
    property: str
    value: str


class Citation(NamedTuple):
    """A piece of knowledge that an answer cites.

    ``triple`` is a piece of the pool if the citation ``is_correct``; else it has the words of the
    model, with empty texts for missing parts. ``is_of_unknown_item`` is true if the citation has
    the id of an item that the pool says nothing about.
    """

    triple: Triple
    is_correct: bool
    is_of_unknown_item: bool = False


class Sentence(NamedTuple):
    """A sentence of an answer, without its brackets; ``is_marked`` if it has [NA]."""

    text: str
    citations: tuple[Citation, ...] = ()
    is_marked: bool = False


class Pool:
    """The pieces of knowledge that a model can cite.

    A citation matches a piece if both have the same spelling after ``fold`` (which normalises case,
    accents and spaces). Spaces around commas and colons and Markdown's emphasis are ignored.
    """

    def __init__(self, triples: Iterable[Triple], fold: Callable[[str], str]):
        self._fold = fold
        # By item id: the pieces by normalised text, and the maximum number of commas in a piece.
        self._pieces: dict[str, dict[str, Triple]] = defaultdict(dict)
        self._max_commas: dict[str, int] = defaultdict(int)
        for triple in triples:
            text = _normalise(f"{triple.property}:{triple.value}", fold)
            self._pieces[triple.qid].setdefault(text, triple)
            self._max_commas[triple.qid] = max(self._max_commas[triple.qid], text.count(","))

    def knows(self, qid: str) -> bool:
        """Return whether the pool has a piece about an item."""
        return qid in self._pieces

    def find(self, qid: str, text: str) -> Triple | None:
        """Return the piece about an item that the text ``property: value`` cites, or None."""
        return self._pieces[qid].get(_normalise(text, self._fold)) if self.knows(qid) else None

    def counterpart(self, triple: Triple) -> Triple | None:
        """Return the piece that a citation of ``triple`` matches, or None.

        Pieces that differ only in details that are ignored share one counterpart.
        """
        return self.find(triple.qid, f"{triple.property}:{triple.value}")

    def max_commas(self, qid: str) -> int:
        """Return the maximum number of commas in a piece of knowledge about an item."""
        return self._max_commas.get(qid, 0)


@functools.lru_cache(maxsize=2**16)  # many answers cite the same pieces
def _normalise(text: str, fold: Callable[[str], str]) -> str:
    """Return the text ``property: value`` normalised for comparison."""
    # ``final`` removes the same signs of emphasis from answers.
    normalised = fold(text.replace("*", "").replace("`", ""))
    for mark in ",:":
        normalised = normalised.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return normalised


def parse(text: str, pool: Pool) -> list[Sentence]:
    """Return the sentences of an attributed answer with their citations, in linear time.

    Only the final answer counts: see ``final``. A citation belongs to the sentence around it or
    before it. Citations without any sentence belong to a sentence with an empty text.

    Brackets cite if they begin with the id of an item (``[Q1, …]``, ``[qid: Q1, …]``). Brackets
    with a property and a colon but no id are an incomplete citation; all others (``[sic]``) are
    text. Unclosed brackets end before the next brackets that cite, or with the sentence. Commas and
    colons in brackets may belong to labels, so the reading with the most pieces of the pool counts;
    the rest are incorrect citations, one for each colon. The name of the item is not a citation,
    unless the pool has a property "name"; an id or a name alone is one incomplete citation.

    Known weaknesses: ``[Note: …]`` counts as an incomplete citation. After one property, each value
    except the first does as well (``[Q1, occupation: poet, painter]``).
    """
    plain, blocks = _separate(_CONTROL.sub(" ", final(text)))
    spans = sentence_spans(plain)
    starts = [start for start, _ in spans]
    blocks_by_sentence: list[list[str]] = [[] for _ in spans or blocks[:1]]
    for position, content in blocks:
        blocks_by_sentence[max(bisect_left(starts, position) - 1, 0)].append(content)
    texts = [_tidy(plain[start:end]) for start, end in spans] or [""] * len(blocks_by_sentence)
    sentences = []
    for sentence, contents in zip(texts, blocks_by_sentence, strict=True):
        citing = [content for content in contents if content.strip().lower() != "na"]
        citations = tuple(citation for content in citing for citation in _citations(content, pool))
        sentences.append(Sentence(sentence, citations, is_marked=len(citing) < len(contents)))
    return sentences


def _tidy(text: str) -> str:
    """Return a sentence without the gaps, or empty brackets, that its citations left."""
    return re.sub(" (?=[.,;:!?])", "", " ".join(re.sub(r"\[ ?\]", "", text).split()))


def _separate(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without the brackets that cite, and these brackets.

    Brackets are a position in the returned text and a content.
    """
    parts: list[str] = []  # of the returned text
    parts_length = 0
    blocks = []
    part_start = position = 0  # in ``text``
    while (start := text.find("[", position)) >= 0:
        position = start + 1
        if block := _block(text, start):
            position, content = block
            parts.append(text[part_start:start])
            parts_length += start - part_start
            blocks.append((parts_length, content))
            part_start = position
    return "".join([*parts, text[part_start:]]), blocks


def _block(text: str, start: int) -> tuple[int, str] | None:
    """Return the end and the content of the brackets at ``start``; None if they cite nothing."""
    if not _CITATION_START.match(text, start):
        brackets = _BRACKETS.match(text, start)
        if not brackets or not _PROPERTY_END.search(brackets[1]):
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
    return start + 1 + length, content[:length]


def _citations(content: str, pool: Pool) -> list[Citation]:
    """Return the citations in the content of brackets: at least one."""
    parts = content.split(",")
    qid = ""
    for index, part in enumerate(parts):
        if match := _ITEM_ID.fullmatch(part.strip()):
            qid = match["qid"].upper()
            del parts[index]
            break
    is_of_unknown_item = bool(qid) and not pool.knows(qid)
    citations = []
    for piece, text in _join_unmatched(_match_pieces(qid, parts, pool)):
        before, colon, after = text.partition(":")
        label, value = (before.strip(), after.strip()) if colon else ("", text.strip())
        if piece or before.strip().lower() != "name":
            triple = piece or Triple(qid, label, value)
            citations.append(Citation(triple, piece is not None, is_of_unknown_item))
    return citations or [Citation(Triple(qid, "", ""), False, is_of_unknown_item)]


_Match: TypeAlias = tuple[Triple | None, str]
"""A text between commas, and the piece of the pool that it matches, or None."""


def _join_unmatched(matches: Iterable[_Match]) -> list[_Match]:
    """Join texts that match no piece, so that each has one colon.

    Texts before the first colon are the name of the item: they follow the text "name:".
    """
    joined: list[tuple[Triple | None, list[str]]] = [(None, ["name:"])]
    for piece, text in matches:
        last_piece, last_texts = joined[-1]
        if piece or (text.strip() and (last_piece or ":" in text)):
            joined.append((piece, [text]))
        elif text.strip():
            last_texts.append(text)
    return [(piece, ",".join(texts)) for piece, texts in joined]


class _Reading(NamedTuple):
    """A reading of the first parts, as counts of parts and pieces, and its last step.

    The last step takes ``width`` parts as the text of ``piece``, or one part as unmatched text.
    """

    matched_parts: int
    pieces: int
    width: int
    piece: Triple | None


def _match_pieces(qid: str, parts: Sequence[str], pool: Pool) -> list[_Match]:
    """Match the parts between commas with the pieces of a pool; labels may contain commas.

    The best reading has the maximum number of parts in pieces, then the maximum number of pieces.
    """
    best = [_Reading(0, 0, 0, None)]  # the best reading of the first 0, 1, 2 … parts
    for end in range(1, len(parts) + 1):
        reading = best[end - 1]._replace(width=1, piece=None)
        for width in range(1, min(pool.max_commas(qid) + 1, end) + 1):
            if piece := pool.find(qid, ",".join(parts[end - width : end])):
                earlier = best[end - width]
                counts = (earlier.matched_parts + width, earlier.pieces + 1)
                if counts > (reading.matched_parts, reading.pieces):
                    reading = _Reading(*counts, width, piece)
        best.append(reading)
    matches = []
    end = len(parts)
    while end:
        reading = best[end]
        matches.append((reading.piece, ",".join(parts[end - reading.width : end])))
        end -= reading.width
    return matches[::-1]
