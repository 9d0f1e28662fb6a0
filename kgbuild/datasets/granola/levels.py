"""Put candidate answers at levels: add those of a model, leave out trivial ones, order the rest."""

import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.granola.classes import Facet
from kgbuild.english.dates import DateAnswer
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.rows import Evidence

_normal = functools.lru_cache(1 << 18)(normalise)

MODEL = "model"
"""The kind of an answer that only a model gives."""
Link: TypeAlias = Callable[[str], tuple[Facet, ...]]
MeasureFacets: TypeAlias = Callable[[tuple[Facet, ...]], tuple[float, frozenset[object]]]
"""Returns the bits of an answer with some facets, and all that follows from it."""
Dropped: TypeAlias = tuple[str, str]
"""The text of an answer that is left out, and the reason."""


class Gold(NamedTuple):
    """An exact answer: its names, its item if there is one, and the triples that state it.

    ``forms`` are all forms of a date, the finest first.
    """

    names: tuple[str, ...]
    qid: str | None = None
    evidence: tuple[Evidence, ...] = ()
    forms: Sequence[DateAnswer] = ()


class Candidate(NamedTuple):
    """An answer that may get a level.

    ``facets`` are true if it is right, and ``implied`` is all that follows from them. An answer
    is coarser than another one that implies all its facets.
    """

    text: str
    aliases: tuple[str, ...]
    qid: str | None
    kind: str
    bits: float
    facets: frozenset[object]
    implied: frozenset[object]
    evidence: tuple[Evidence, ...]


class Levelled(NamedTuple):
    """A candidate at its level, with the bits that it has there.

    Bits never grow with the level. ``was_capped`` if the candidate would have more than a finer
    one, since a store holds only a part of the world: it gets the bits of that one.
    """

    level: int
    candidate: Candidate
    bits: float
    was_capped: bool


Levels: TypeAlias = tuple[list[Levelled], list[Dropped]]


def levelled(
    gold: Sequence[Candidate],
    coarser: Iterable[Candidate],
    trivial: Set[object],
    min_bits: float,
    subject: str,
) -> Levels:
    """Return the gold answers at level 1, and coarser ones at levels of their own.

    An answer is left out if all its facets are ``trivial``, if it has too few bits, contains the
    name of the ``subject``, or reads like another one. Of gold answers that read alike only the
    first is kept.
    """
    finest: dict[str, Candidate] = {}
    for one in gold:
        finest.setdefault(_normal(one.text), one)
    kept: dict[str, Candidate] = {}
    dropped: list[Dropped] = []
    texts = {*finest}
    facets = set[frozenset[object]]()
    name = f" {_normal(subject)} "
    for one in sorted(coarser, key=lambda one: (-one.bits, one.text)):
        text = _normal(one.text)
        if one.facets in facets:
            continue  # another gold answer has the same
        facets.add(one.facets)
        if one.facets <= trivial:
            dropped.append((one.text, "trivial"))
        elif one.bits < min_bits:
            dropped.append((one.text, "tells little"))
        elif name.strip() and name in f" {text} ":
            dropped.append((one.text, "gives the subject away"))
        elif text in texts:
            dropped.append((one.text, "same answer"))
        else:
            kept[one.text] = one
            texts.add(text)
    at_1 = [Levelled(1, one, one.bits, False) for one in finest.values()]
    coarser_levels = _ordered(kept, min(one.bits for one in finest.values()))
    return _with_distinct_aliases(at_1 + coarser_levels), dropped


def minimal(gold: Collection[Candidate]) -> list[Candidate]:
    """Return gold answers without those that are coarser than another one."""
    return [one for one in gold if not any(_is_above(one, other) for other in gold)]


def _ordered(coarser: Mapping[str, Candidate], cap: float) -> list[Levelled]:
    """Return coarser answers from fine to coarse, each at a level of its own, from 2 on.

    An answer comes after all that are finer than it. Of others, the one with more bits comes
    first, then the smaller text. None has more bits than ``cap``, those of the gold answer.
    """
    finer = {
        text: {other for other, two in coarser.items() if _is_above(one, two)}
        for text, one in coarser.items()
    }
    left, answers = dict(coarser), list[Levelled]()
    while left:
        # In a circle (A above B above A) no answer is ready: take the one with the most bits.
        ready = [text for text in left if finer[text].isdisjoint(left)] or left
        one = left.pop(min(ready, key=lambda text: (-left[text].bits, text)))
        answers.append(Levelled(len(answers) + 2, one, min(one.bits, cap), one.bits > cap))
        cap = answers[-1].bits
    return answers


def _is_above(coarse: Candidate, fine: Candidate) -> bool:
    return coarse.facets <= fine.implied and not fine.facets <= coarse.implied


def _with_distinct_aliases(answers: Sequence[Levelled]) -> list[Levelled]:
    """Return answers without aliases that are the text of another, or an alias of a coarser one."""
    names = [
        {_normal(name): name for name in (*reversed(one.candidate.aliases), one.candidate.text)}
        for one in answers
    ]
    owner: dict[str, int] = {}
    for answer, own in zip(answers, names, strict=True):
        owner.update(dict.fromkeys(own, answer.level))  # the coarsest comes last
    owner.update({_normal(answer.candidate.text): answer.level for answer in answers})
    results = []
    for answer, own in zip(answers, names, strict=True):
        text, aliases, level = answer.candidate.text, answer.candidate.aliases, answer.level
        kept = [name for normal, name in own.items() if owner[normal] == level and name != text]
        if (distinct := tuple(reversed(kept))) == aliases:
            results.append(answer)  # as most are, and there are many
        else:
            candidate = answer.candidate._replace(aliases=distinct)
            results.append(answer._replace(candidate=candidate))
    return results


def merged(
    gold: Sequence[Candidate],
    coarser: Sequence[Candidate],
    texts: Sequence[str],
    link: Link,
    measure: MeasureFacets,
    min_bits: float,
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the gold and the coarser answers, with the ``texts`` of a model in its order.

    An answer that the graph also has stays the same. One that can be linked to facets is measured
    like the others. One that cannot comes after all answers that precede it in the model's order;
    its bits are interpolated between those of its measured neighbours, or ``min_bits``.
    """
    by_key: dict[object, Candidate] = {
        normalise(text): one for one in (*gold, *coarser) for text in (one.text, *one.aliases)
    }
    by_key |= {one.facets: one for one in coarser}
    chain: list[Candidate] = []
    new: list[Candidate] = []
    for text in texts:
        facets = link(text)
        one = by_key.get(normalise(text)) or by_key.get(frozenset(facets))
        if one is None:
            own = frozenset[object](facets or [(MODEL, normalise(text))])
            bits_of_it, implied = measure(facets) if facets else (math.nan, own)
            one = Candidate(text, (), None, MODEL, bits_of_it, own, implied, ())
            by_key[normalise(text)] = one
            new.append(one)
        if one not in chain:  # the first place counts
            chain.append(one)
    bits = _interpolated([min(one.bits for one in gold), *(one.bits for one in chain)], min_bits)
    for place, one in enumerate(chain):
        if _is_unlinked(one):
            measured = one._replace(bits=bits[place + 1])
            new[new.index(one)] = chain[place] = measured
    after = {
        id(one): frozenset(
            facet for later in chain[n + 1 :] if _is_unlinked(later) for facet in later.facets
        )
        for n, one in enumerate(chain)
    }
    return _implying(gold, after), _implying((*coarser, *new), after)


def _interpolated(bits: Sequence[float], min_bits: float) -> list[float]:
    """Return bits with those that are NaN interpolated between their neighbours."""
    values = [*bits, min(min_bits, bits[0])]
    measured = [n for n, one in enumerate(values) if not math.isnan(one)]
    for before, after in itertools.pairwise(measured):
        step = (values[after] - values[before]) / (after - before)
        for n in range(before + 1, after):
            values[n] = values[before] + step * (n - before)
    return values[:-1]


def _is_unlinked(one: Candidate) -> bool:
    return any(isinstance(facet, tuple) and facet[0] == MODEL for facet in one.facets)


def _implying(
    candidates: Iterable[Candidate], after: Mapping[int, frozenset[object]]
) -> list[Candidate]:
    """Return candidates that imply the unlinked answers after them."""
    return [one._replace(implied=one.implied | after.get(id(one), set())) for one in candidates]
