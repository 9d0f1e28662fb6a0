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
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.evaluate.answers import final

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

_ITEM = r"(?:qid\s*+:\s*+)?(?P<qid>q\d++)(?!\w)"
_IS_ITEM = re.compile(_ITEM, re.IGNORECASE)
_OPENS = re.compile(rf"\[\s*+(?:{_ITEM}|na\s*+\])", re.IGNORECASE)
_BRACKETS = re.compile(r"\[([^\[\]\n]*+)\](?!\()")  # a ( follows the text of a link
_PROPERTY = re.compile(r"[^\W\d_]\s*+:(?!//)")
_BRACKET_OR_BREAK = re.compile(r"[\[\]]|\n[^\S\n]*+\n")

_END = re.compile(r"""\n|[.!?]++["'”’)\]]*+(?=\s|$)""")
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
"""Words that no name continues with: after "Washington, D.C." they begin a sentence."""
_LONGEST_ABBREVIATION = 10  # characters
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


class Triple(NamedTuple):
    """A piece of knowledge: an item, the label of a property, and the text of a value."""

    qid: str
    property: str
    value: str


class Citation(NamedTuple):
    """A piece of knowledge that an answer cites.

    ``triple`` is that of the pool if the citation ``is_correct``; else it has the words of the
    model, with empty texts for missing parts. ``names_unknown``: the pool has nothing on the item.
    """

    triple: Triple
    is_correct: bool
    names_unknown: bool = False


class Sentence(NamedTuple):
    """A sentence of an answer, without its brackets; ``is_marked`` if it has [NA]."""

    text: str
    citations: tuple[Citation, ...] = ()
    is_marked: bool = False


class Pool:
    """The knowledge that a model can cite.

    A citation matches a piece if both have the same spelling. Differences that ``fold`` removes
    (case, accents, spaces), spaces around commas and colons, and Markdown's emphasis are ignored.
    """

    def __init__(self, triples: Iterable[Triple], fold: Callable[[str], str]):
        self._fold = fold
        self._triples: dict[str, dict[str, Triple]] = defaultdict(dict)
        self._commas: dict[str, int] = defaultdict(int)
        for triple in triples:
            spelled = _spelled(f"{triple.property}:{triple.value}", fold)
            self._triples[triple.qid].setdefault(spelled, triple)
            self._commas[triple.qid] = max(self._commas[triple.qid], spelled.count(","))

    def knows(self, qid: str) -> bool:
        """Return whether there is knowledge of an item."""
        return qid in self._triples

    def find(self, qid: str, text: str) -> Triple | None:
        """Return the knowledge of an item that ``property: value`` cites, or None."""
        return self._triples[qid].get(_spelled(text, self._fold)) if self.knows(qid) else None

    def counterpart(self, triple: Triple) -> Triple | None:
        """Return the triple that citations of a triple get: the first with the same spelling."""
        return self.find(triple.qid, f"{triple.property}:{triple.value}")

    def max_commas(self, qid: str) -> int:
        """Return the maximum number of commas in a piece of knowledge about an item."""
        return self._commas.get(qid, 0)


@functools.lru_cache(maxsize=2**16)  # many answers cite the same pieces
def _spelled(text: str, fold: Callable[[str], str]) -> str:
    """Return the normalised spelling of a piece of knowledge, for comparison."""
    # ``final`` removes the same signs of emphasis from answers.
    spelled = fold(text.replace("*", "").replace("`", ""))
    for mark in ",:":
        spelled = spelled.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return spelled


def parse(text: str, pool: Pool) -> list[Sentence]:
    """Return the sentences of an attributed answer with their citations, in linear time.

    Only the final answer counts: see ``final``. A citation belongs to the sentence around or before
    it; without a sentence, it belongs to one with an empty text.

    Brackets cite if they begin with the id of an item (``[Q1, …]``, ``[qid: Q1, …]``), or have a
    property and a colon without an id, which is an incomplete citation; others (``[sic]``) are
    text. Unclosed brackets end before the next brackets that cite, or with the sentence. Commas and
    colons inside may belong to labels, so the reading with the most knowledge of the pool counts;
    the rest are incorrect citations, one for each colon. The name of the item is not a citation,
    unless the pool has a piece "name"; an id or a name alone is one incomplete citation.

    Known weakness: ``[Note: …]`` counts as an incomplete citation, and so does each value but the
    first after one property (``[Q1, occupation: poet, painter]``).
    """
    plain, blocks = _separate(_CONTROL.sub(" ", final(text)))
    spans = _spans(plain)
    starts = [start for start, _ in spans]
    contents: list[list[str]] = [[] for _ in spans or blocks[:1]]
    for place, content in blocks:
        contents[max(bisect_left(starts, place) - 1, 0)].append(content)
    texts = [_tidy(plain[start:end]) for start, end in spans] or [""] * len(contents)
    sentences = []
    for sentence, brackets in zip(texts, contents, strict=True):
        cited = [content for content in brackets if content.strip().lower() != "na"]
        citations = tuple(citation for content in cited for citation in _citations(content, pool))
        sentences.append(Sentence(sentence, citations, len(cited) < len(brackets)))
    return sentences


def _tidy(text: str) -> str:
    """Return a sentence without the gaps, or empty brackets, that its citations left."""
    return re.sub(" (?=[.,;:!?])", "", " ".join(re.sub(r"\[ ?\]", "", text).split()))


def _separate(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without brackets that cite, and their contents with their places in it."""
    plain: list[str] = []
    blocks = []
    length = copied = position = 0
    while (start := text.find("[", position)) >= 0:
        position = start + 1
        if block := _block(text, start):
            position, content = block
            plain.append(text[copied:start])
            length += start - copied
            blocks.append((length, content))
            copied = position
    return "".join([*plain, text[copied:]]), blocks


def _block(text: str, start: int) -> tuple[int, str] | None:
    """Return the end and the content of the brackets at ``start``; None if they cite nothing."""
    if not _OPENS.match(text, start):
        closed = _BRACKETS.match(text, start)
        return (closed.end(), closed[1]) if closed and _PROPERTY.search(closed[1]) else None
    depth = 0
    stop = len(text)
    for match in _BRACKET_OR_BREAK.finditer(text, start):
        opens_next = match.start() > start and _OPENS.match(text, match.start())
        if opens_next or match[0].isspace():
            stop = match.start()
            break
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.end(), text[start + 1 : match.start()]
    content = text[start + 1 : stop]
    end = next((end.start() for end in _ends(content)), len(content))
    return start + 1 + end, content[:end]


def _spans(text: str) -> list[tuple[int, int]]:
    """Return the sentences of a text as spans; a part without words belongs to the one before."""
    spans: list[tuple[int, int]] = []
    begin = 0
    for end in (*(end.end() for end in _ends(text)), len(text)):
        part = text[begin:end]
        if re.search(r"\w", part):
            spans.append((end - len(part.lstrip()), end))
        elif spans:
            spans[-1] = (spans[-1][0], end)
        begin = end
    return spans


def _ends(text: str) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences: line ends, and . ! ? unless a small letter follows."""
    begin = 0
    for end in _END.finditer(text):
        # The last word suffices; with the whole text, the time would be quadratic.
        before = text[max(begin, end.start() - _LONGEST_ABBREVIATION) : end.start()]
        following = _NEXT.match(text, end.end())
        word = following["word"] if following else ""
        if end[0] == "\n" or _is_end(before, end[0], word):
            yield end
            begin = end.end()


def _is_end(before: str, stop: str, word: str) -> bool:
    """Return whether a stop ends a sentence, not an abbreviation: "St. Louis"."""
    if stop != "." or not word:
        return not word[:1].islower()
    tail = before.split()
    last = tail[-1].lstrip("(\"'“‘") if tail else ""
    if last.isdigit() and len(last) <= 2:  # a day, or the number of an item in a list
        return word.lower() not in MONTHS and before.strip() != last
    continues = _ABBREVIATION.fullmatch(last) and not _STARTERS.fullmatch(word)
    return not (continues or word[0].islower())


def _citations(content: str, pool: Pool) -> list[Citation]:
    """Return the citations in brackets, at least one."""
    parts = content.split(",")
    items = [_IS_ITEM.fullmatch(part.strip()) for part in parts]
    place, qid = next(((n, item["qid"].upper()) for n, item in enumerate(items) if item), (-1, ""))
    others = [part for n, part in enumerate(parts) if n != place]
    names_unknown = bool(qid) and not pool.knows(qid)
    citations = []
    for piece, text in _join_rest(_readings(qid, others, pool)):
        before, colon, after = text.partition(":")
        label, value = (before.strip(), after.strip()) if colon else ("", text.strip())
        if piece or before.strip().lower() != "name":
            triple = piece or Triple(qid, label, value)
            citations.append(Citation(triple, piece is not None, names_unknown))
    return citations or [Citation(Triple(qid, "", ""), False, names_unknown)]


def _join_rest(readings: Iterable[tuple[Triple | None, str]]) -> list[tuple[Triple | None, str]]:
    """Join unmatched parts to one text per colon; before the first colon is the item's name."""
    joined: list[tuple[Triple | None, list[str]]] = [(None, ["name:"])]
    for piece, text in readings:
        if piece or (text.strip() and (joined[-1][0] or ":" in text)):
            joined.append((piece, [text]))
        elif text.strip():
            joined[-1][1].append(text)
    return [(piece, ",".join(parts)) for piece, parts in joined]


def _readings(qid: str, parts: Sequence[str], pool: Pool) -> list[tuple[Triple | None, str]]:
    """Return the parts between commas: pieces of knowledge, and parts that match none (None).

    Neighbouring parts can form one piece. The reading with the most parts in pieces is taken, and
    among several such readings the one with the most pieces.
    """
    # The best reading of the first n parts: the number of parts in pieces, the number of pieces,
    # and the number of parts of the last piece with the piece itself.
    best: list[tuple[int, int, int, Triple | None]] = [(0, 0, 0, None)]
    for end in range(1, len(parts) + 1):
        option: tuple[int, int, int, Triple | None] = (*best[end - 1][:2], 1, None)
        for width in range(1, min(pool.max_commas(qid) + 1, end) + 1):
            if piece := pool.find(qid, ",".join(parts[end - width : end])):
                matched, pieces, *_ = best[end - width]
                if (matched + width, pieces + 1) > option[:2]:
                    option = (matched + width, pieces + 1, width, piece)
        best.append(option)
    readings = []
    end = len(parts)
    while end:
        *_, width, piece = best[end]
        readings.append((piece, ",".join(parts[end - width : end])))
        end -= width
    return readings[::-1]
