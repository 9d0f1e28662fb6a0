"""Assign levels to candidate answers: add those of a model, drop trivial ones, order the rest.

Level 1 has the gold (exact) answers; each coarser answer gets the next level. Bits measure how
specific an answer is: see ``measure``.
"""

import functools
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import NamedTuple, TypeAlias

from kgbuild.english.dates import DateAnswer
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.rows import Evidence

MODEL = "model"
"""The kind of an answer that only a model gives."""
_MAX_DIFFERENCE = 1.0
"""Maximum difference, in bits, of places that share a level: one covers twice as much."""
_normal = functools.lru_cache(1 << 18)(normalise)

Dropped: TypeAlias = tuple[str, str]
"""The text of an answer that is left out, and the reason."""


class Gold(NamedTuple):
    """An exact answer: its names, its item, if any, and the triples that state it.

    ``forms`` are all forms of a date, the finest first.
    """

    names: tuple[str, ...]
    qid: str | None = None
    evidence: tuple[Evidence, ...] = ()
    forms: Sequence[DateAnswer] = ()


class Candidate(NamedTuple):
    """An answer that may get a level.

    ``facets`` are what the answer states, and ``implied`` are all facets that follow from them. An
    answer is coarser than another answer that implies all its facets.
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
    """A candidate at its level, with its bits.

    ``golds`` are the texts of the answers at level 1 that it covers. If the candidate has more
    bits than an answer that implies it, since a store holds only a part of the world, it
    ``was_capped``: it gets the bits of that answer.
    """

    level: int
    candidate: Candidate
    bits: float
    was_capped: bool
    golds: tuple[str, ...]


Levels: TypeAlias = tuple[list[Levelled], list[Dropped]]


def put_at_levels(
    gold: Sequence[Candidate],
    coarser: Iterable[Candidate],
    trivial: Set[object],
    min_bits: float,
    subject: str,
) -> Levels:
    """Return the gold answers at level 1, coarser ones at later levels, and dropped answers.

    Levels are counted for each gold answer by itself, from 2 on; a coarser answer has its best
    level, and covers the gold answers that imply it.

    An answer is dropped if all its facets are ``trivial``, if it has too few bits, contains the
    name of the ``subject``, or has the text of another answer.
    """
    finest: dict[str, Candidate] = {}
    for answer in gold:
        finest.setdefault(_normal(answer.text), answer)
    kept: dict[str, Candidate] = {}
    dropped: list[Dropped] = []
    texts = {*finest}
    facets = set[frozenset[object]]()
    name = f" {_normal(subject)} "
    for answer in sorted(coarser, key=lambda answer: (-answer.bits, answer.text)):
        text = _normal(answer.text)
        if answer.facets in facets:
            continue  # another gold answer has the same
        facets.add(answer.facets)
        if answer.facets <= trivial:
            dropped.append((answer.text, "trivial"))
        elif answer.bits < min_bits:
            dropped.append((answer.text, "tells little"))
        elif name.strip() and name in f" {text} ":
            dropped.append((answer.text, "gives the subject away"))
        elif text in texts:
            dropped.append((answer.text, "same answer"))
        else:
            kept[answer.text] = answer
            texts.add(text)
    exact = [*finest.values()]
    answers = [Levelled(1, answer, answer.bits, False, (answer.text,)) for answer in exact]
    return _with_distinct_aliases(answers + _with_levels(exact, [*kept.values()])), dropped


def minimal(gold: Collection[Candidate]) -> list[Candidate]:
    """Return gold answers without those that are coarser than another gold answer."""
    return [answer for answer in gold if not any(_is_above(answer, other) for other in gold)]


def _with_levels(gold: Sequence[Candidate], coarser: Sequence[Candidate]) -> list[Levelled]:
    """Return coarser answers from fine to coarse, at their best levels.

    An answer is never at a later level than an answer that it implies.
    """
    everything = range(len(gold))
    covered = [
        [g for g in everything if answer.facets <= gold[g].implied] or everything
        for answer in coarser
    ]
    finer = [
        {n for n, other in enumerate(coarser) if _is_above(answer, other)} for answer in coarser
    ]
    bits = [
        min(answer.bits, *(gold[g].bits for g in golds))
        for answer, golds in zip(coarser, covered, strict=True)
    ]
    while bits != (
        lower := [min([own, *(bits[m] for m in finer[n])]) for n, own in enumerate(bits)]
    ):
        bits = lower
    capped = [answer._replace(bits=own) for answer, own in zip(coarser, bits, strict=True)]
    best: dict[int, int] = {}
    for g in everything:
        answers = [n for n, golds in enumerate(covered) if g in golds]
        for level, tier in enumerate(_tiers(answers, capped, finer), 2):
            best |= {n: min(level, best.get(n, level)) for n in tier}
    for n, implying in enumerate(finer):
        best |= {m: min(best[m], best[n]) for m in implying}
    numbers = {level: number for number, level in enumerate(sorted({*best.values()}), 2)}
    return [
        Levelled(
            numbers[best[n]],
            coarser[n],
            bits[n],
            bits[n] < coarser[n].bits,
            tuple(gold[g].text for g in covered[n]),
        )
        for n in sorted(best, key=lambda n: (best[n], -bits[n], coarser[n].text))
    ]


def _tiers(
    answers: Collection[int], coarser: Sequence[Candidate], finer: Sequence[Set[int]]
) -> Iterator[list[int]]:
    """Yield answers by their numbers from fine to coarse; parallel ones together.

    An answer comes after all finer answers. Otherwise, more bits come first, then the smaller
    text. Answers of one kind are parallel if neither is finer: areas of one place, or "an American
    actor" and "an American singer".
    """
    waiting = {*answers}
    while waiting:
        # In a circle (A above B above A) no answer is ready: take the one with the most bits.
        ready = [n for n in waiting if finer[n].isdisjoint(waiting)]
        first = min(ready or waiting, key=lambda n: (-coarser[n].bits, coarser[n].text))
        tier = [
            first,
            *(n for n in ready if n != first and _is_parallel(coarser[first], coarser[n])),
        ]
        waiting -= {*tier}
        yield tier


def _is_parallel(one: Candidate, other: Candidate) -> bool:
    """Return whether two answers share a level if neither is finer.

    Places must be around one place, and cover about as much: a store may not state that the one
    lies in the other.
    """
    if one.kind != other.kind or one.kind == MODEL:
        return False
    last = one.evidence[-1:] + other.evidence[-1:]
    are_neighbours = len(last) == 2 and last[0][:2] == last[1][:2]
    return not one.kind.endswith("place") or (
        are_neighbours and abs(one.bits - other.bits) <= _MAX_DIFFERENCE
    )


def _is_above(coarse: Candidate, fine: Candidate) -> bool:
    return coarse.facets <= fine.implied and not fine.facets <= coarse.implied


def _with_distinct_aliases(answers: Sequence[Levelled]) -> list[Levelled]:
    """Return answers without aliases that are texts of others, or aliases of coarser answers."""
    names = [
        {_normal(name): name for name in (*reversed(item.candidate.aliases), item.candidate.text)}
        for item in answers
    ]
    owner: dict[str, int] = {}
    for answer, keys in zip(answers, names, strict=True):
        owner.update(dict.fromkeys(keys, answer.level))  # the coarsest comes last
    owner.update({_normal(answer.candidate.text): answer.level for answer in answers})
    results = []
    for answer, keys in zip(answers, names, strict=True):
        text, aliases, level = answer.candidate.text, answer.candidate.aliases, answer.level
        kept = [name for key, name in keys.items() if owner[key] == level and name != text]
        if (distinct := tuple(reversed(kept))) == aliases:
            results.append(answer)  # the usual case, and the fastest
        else:
            candidate = answer.candidate._replace(aliases=distinct)
            results.append(answer._replace(candidate=candidate))
    return results
