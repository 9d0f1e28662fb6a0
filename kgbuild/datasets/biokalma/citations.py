"""Read attributed answers: their sentences, and the knowledge that each of them cites.

A model cites knowledge in brackets behind what it says, ``[Q7259, occupation: mathematician]``,
with the id of an item, and with labels of properties and values as they were given to it. ``[NA]``
stands behind what it has no knowledge for.

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
_BRACKETS = re.compile(r"\[([^\[\]\n]*+)\](?!\()")  # before a ( stands the text of a link
_PROPERTY = re.compile(r"[^\W\d_]\s*+:(?!//)")
_TURN = re.compile(r"[\[\]]|\n[^\S\n]*+\n")

_END = re.compile(r"""\n|[.!?]++["'”’)\]]*+(?=\s|$)""")
_NEXT = re.compile(r"""\s*+["'“‘(*-]*+(?P<word>\w*+)""")
_SHORTENED = re.compile(
    r"""
    ste? | mrs? | ms | dr | prof | [sj]r | gen | col | capt | lt | sgt | maj | rev | hon | gov | sen
    | ft | mt | nos | vol | vs | ca | cf | op | est | approx | inc | ltd | co | corp | bros | dept
    | univ | etc | al | jan | feb | mar | apr | jun | jul | aug | sept? | oct | nov | dec
    | [^\W\d_] (?: \.[^\W\d_] ){0,3}  # initials
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A word that is written short, with a full stop that ends no sentence."""
_STARTERS = re.compile(
    r"""
    s?he | it | they | his | hers? | their | its | the | this | that | these | those | in | on | at
    | by | for | from | with | during | after | before | while | when | although | though | as
    | both | later | then | however | among | and | but
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A word that no name goes on with: after "Washington, D.C." it begins a sentence."""
_LONGEST_SHORTENED = 10
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


class Triple(NamedTuple):
    """A piece of knowledge: an item, the label of a property, and a value as it is cited."""

    qid: str
    property: str
    value: str


class Citation(NamedTuple):
    """A piece of knowledge that an answer cites.

    One that ``is_correct`` has the triple of the pool, any other what the model wrote; a part
    that it left out is empty. ``names_unknown`` tells that of the item nothing was given.
    """

    triple: Triple
    is_correct: bool
    names_unknown: bool = False


class Sentence(NamedTuple):
    """A sentence of an answer, without its brackets; ``is_marked`` tells that it bears [NA]."""

    text: str
    citations: tuple[Citation, ...] = ()
    is_marked: bool = False


class Pool:
    """The knowledge that a model was given to cite.

    A citation is a piece of it if it is spelled alike, but for what ``fold`` makes the same (case,
    accents, spaces), spaces around commas and colons, and the signs of Markdown's emphasis.
    """

    def __init__(self, triples: Iterable[Triple], fold: Callable[[str], str]):
        self._fold = fold
        self._known: dict[str, dict[str, Triple]] = defaultdict(dict)
        self._commas: dict[str, int] = defaultdict(int)
        for triple in triples:
            spelled = _spelled(f"{triple.property}:{triple.value}", fold)
            self._known[triple.qid].setdefault(spelled, triple)
            self._commas[triple.qid] = max(self._commas[triple.qid], spelled.count(","))

    def knows(self, qid: str) -> bool:
        """Tell whether there is knowledge of an item."""
        return qid in self._known

    def find(self, qid: str, said: str) -> Triple | None:
        """Return the knowledge of an item that is said by ``property: value``, or None."""
        return self._known[qid].get(_spelled(said, self._fold)) if self.knows(qid) else None

    def counterpart(self, triple: Triple) -> Triple | None:
        """Return the one of the triples spelled like this that citations of it have, or None."""
        return self.find(triple.qid, f"{triple.property}:{triple.value}")

    def most_commas(self, qid: str) -> int:
        """Return how many commas there are in a piece of knowledge of an item, at most."""
        return self._commas.get(qid, 0)


@functools.lru_cache(maxsize=2**16)  # the same pieces are given, asked for and cited many times
def _spelled(said: str, fold: Callable[[str], str]) -> str:
    """Return a piece of knowledge as it is compared."""
    # The signs of emphasis are what ``final`` takes out of answers.
    spelled = fold(said.replace("*", "").replace("`", ""))
    for mark in ",:":
        spelled = spelled.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return spelled


def parse(text: str, pool: Pool) -> list[Sentence]:
    """Return the sentences of an attributed answer with what they cite, in time linear in it.

    What counts is the final answer: see ``final``. A citation belongs to the sentence that it
    stands in, or behind; without a sentence, to one without a text.

    Brackets cite if they begin with the id of an item (``[Q1, …]``, ``[qid: Q1, …]``), or have a
    property and a colon without an id, and so an incomplete citation; others (``[sic]``) are
    text. Those that are not closed go up to the next that cite, or to the end of the sentence.
    Inside, commas and colons may belong to labels, so they are read in the way that makes as
    much as possible knowledge of the pool; the rest are incorrect citations, one a colon. The name
    of the item is no piece of knowledge, unless the pool has one; nothing but an id, or a name, is
    one incomplete citation.

    Known weakness: ``[Note: …]`` is taken for an incomplete citation, and so is each value but
    the first after one property (``[Q1, occupation: poet, painter]``).
    """
    plain, blocks = _apart(_CONTROL.sub(" ", final(text)))
    spans = _spans(plain)
    starts = [start for start, _ in spans]
    contents: list[list[str]] = [[] for _ in spans or blocks[:1]]
    for place, content in blocks:
        contents[max(bisect_left(starts, place) - 1, 0)].append(content)
    texts = [_tidy(plain[start:end]) for start, end in spans] or [""] * len(contents)
    return [_sentence(*one, pool) for one in zip(texts, contents, strict=True)]


def _sentence(text: str, contents: Sequence[str], pool: Pool) -> Sentence:
    cited = [content for content in contents if not _is_mark(content)]
    citations = tuple(citation for content in cited for citation in _citations(content, pool))
    return Sentence(text, citations, len(cited) < len(contents))


def _is_mark(content: str) -> bool:
    return content.strip().lower() == "na"


def _tidy(text: str) -> str:
    """Return a sentence without the gaps, or empty brackets, that its citations left."""
    return re.sub(" (?=[.,;:!?])", "", " ".join(re.sub(r"\[ ?\]", "", text).split()))


def _apart(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without the brackets that cite, and what is in them, with its place there."""
    plain: list[str] = []
    blocks = []
    length = taken = looked = 0
    while (start := text.find("[", looked)) >= 0:
        looked = start + 1
        if block := _block(text, start):
            looked, content = block
            plain.append(text[taken:start])
            length += start - taken
            blocks.append((length, content))
            taken = looked
    return "".join([*plain, text[taken:]]), blocks


def _block(text: str, start: int) -> tuple[int, str] | None:
    """Return where the brackets that open at ``start`` end, and what they cite; None if nothing."""
    if _OPENS.match(text, start):
        return _opened(text, start)
    closed = _BRACKETS.match(text, start)
    return (closed.end(), closed[1]) if closed and _PROPERTY.search(closed[1]) else None


def _opened(text: str, start: int) -> tuple[int, str]:
    """Return where brackets with an id or NA end, and what is in them."""
    depth = 0
    stop = len(text)
    for turn in _TURN.finditer(text, start):
        opens_next = turn.start() > start and _OPENS.match(text, turn.start())
        if opens_next or turn[0].isspace():
            stop = turn.start()
            break
        depth += 1 if turn[0] == "[" else -1
        if not depth:
            return turn.end(), text[start + 1 : turn.start()]
    content = text[start + 1 : stop]
    end = next((end.start() for end in _ends(content)), len(content))
    return start + 1 + end, content[:end]


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text begin and end; what has no word joins the one before."""
    spans: list[tuple[int, int]] = []
    begin = 0
    for end in (*(end.end() for end in _ends(text)), len(text)):
        said = text[begin:end]
        if re.search(r"\w", said):
            spans.append((end - len(said.lstrip()), end))
        elif spans:
            spans[-1] = (spans[-1][0], end)
        begin = end
    return spans


def _ends(text: str) -> Iterator[re.Match[str]]:
    """Yield the ends of sentences: lines end them, and so do . ! ? but before a small letter."""
    begin = 0
    for end in _END.finditer(text):
        # No more than the last word is looked at, so that many stops in a sentence take no longer.
        before = text[max(begin, end.start() - _LONGEST_SHORTENED) : end.start()]
        if end[0] == "\n" or _ends_there(before, end[0], _following(text, end.end())):
            yield end
            begin = end.end()


def _following(text: str, place: int) -> str:
    """Return the word after a place, or nothing if there is none."""
    found = _NEXT.match(text, place)
    return found["word"] if found else ""


def _ends_there(before: str, stop: str, word: str) -> bool:
    """Tell whether a stop ends a sentence, rather than belong to a short word: "St. Louis"."""
    if stop != "." or not word:
        return not word[:1].islower()
    tail = before.split()
    last = tail[-1].lstrip("(\"'“‘") if tail else ""
    if last.isdigit() and len(last) <= 2:  # a day, or the number of an item in a list
        return word.lower() not in MONTHS and before.strip() != last
    goes_on = _SHORTENED.fullmatch(last) and not _STARTERS.fullmatch(word)
    return not (goes_on or word[0].islower())


def _citations(content: str, pool: Pool) -> list[Citation]:
    """Return what stands in brackets as citations, at least one."""
    parts = content.split(",")
    items = [_IS_ITEM.fullmatch(part.strip()) for part in parts]
    place, qid = next(((n, item["qid"].upper()) for n, item in enumerate(items) if item), (-1, ""))
    said = [part for n, part in enumerate(parts) if n != place]
    names_unknown = bool(qid) and not pool.knows(qid)
    found = [
        Citation(known or _as_written(qid, rest), known is not None, names_unknown)
        for known, rest in _joined(_read(qid, said, pool))
        if known or not _is_name(rest)
    ]
    return found or [Citation(Triple(qid, "", ""), False, names_unknown)]


def _as_written(qid: str, said: str) -> Triple:
    name, colon, value = said.partition(":")
    return Triple(qid, name.strip(), value.strip()) if colon else Triple(qid, "", said.strip())


def _is_name(said: str) -> bool:
    return said.partition(":")[0].strip().lower() == "name"


def _joined(read: Iterable[tuple[Triple | None, str]]) -> list[tuple[Triple | None, str]]:
    """Join what is unknown to one text for each colon; without one at first, it is a name."""
    joined: list[tuple[Triple | None, list[str]]] = [(None, ["name:"])]
    for known, said in read:
        if not known and not said.strip():
            continue
        if known or joined[-1][0] or ":" in said:
            joined.append((known, [said]))
        else:
            joined[-1][1].append(said)
    return [(known, ",".join(parts)) for known, parts in joined]


def _read(qid: str, parts: Sequence[str], pool: Pool) -> list[tuple[Triple | None, str]]:
    """Return parts between commas as pieces of knowledge, and those that belong to none.

    Of all ways to join neighbours it takes the one by which most parts belong to knowledge,
    and of several the one with most pieces.
    """
    best = [(0, 0)]  # for so many of the first parts: the parts that belong, and the pieces
    steps: list[tuple[int, Triple | None]] = [(0, None)]  # and how many parts the last one has
    most = pool.most_commas(qid) + 1
    for end in range(1, len(parts) + 1):
        score = best[end - 1]
        step: tuple[int, Triple | None] = (1, None)
        for width in range(1, min(most, end) + 1):
            if known := pool.find(qid, ",".join(parts[end - width : end])):
                belong, pieces = best[end - width]
                if (belong + width, pieces + 1) > score:
                    score, step = (belong + width, pieces + 1), (width, known)
        best.append(score)
        steps.append(step)
    found = []
    end = len(parts)
    while end:
        width, known = steps[end]
        found.append((known, ",".join(parts[end - width : end])))
        end -= width
    return found[::-1]
