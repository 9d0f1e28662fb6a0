"""Assign levels to candidate answers: add those of a model, drop trivial ones, order the rest.

Level 1 has the gold (exact) answers; each coarser answer gets the next level. Bits measure how
specific an answer is: see ``measure``.
"""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple, TypeAlias

from kgbuild.english.dates import DateAnswer
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.rows import Evidence

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
    """A candidate at its level, with the bits that it has there.

    Bits never grow with the level. If the candidate has more bits than a finer one, since a store
    holds only a part of the world, it ``was_capped``: it gets the bits of the finer one.
    """

    level: int
    candidate: Candidate
    bits: float
    was_capped: bool


Levels: TypeAlias = tuple[list[Levelled], list[Dropped]]


def put_at_levels(
    gold: Sequence[Candidate],
    coarser: Iterable[Candidate],
    trivial: Set[object],
    min_bits: float,
    subject: str,
) -> Levels:
    """Return the gold answers at level 1, each coarser one at its own level, and dropped answers.

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
    at_level_1 = [Levelled(1, answer, answer.bits, False) for answer in finest.values()]
    coarser_levels = _ordered(kept, min(answer.bits for answer in finest.values()))
    return _with_distinct_aliases(at_level_1 + coarser_levels), dropped


def minimal(gold: Collection[Candidate]) -> list[Candidate]:
    """Return gold answers without those that are coarser than another gold answer."""
    return [answer for answer in gold if not any(_is_above(answer, other) for other in gold)]


def _ordered(coarser: Mapping[str, Candidate], cap: float) -> list[Levelled]:
    """Return coarser answers from fine to coarse, each at its own level, from 2 on.

    An answer comes after all finer answers. Otherwise, more bits come first, then the smaller
    text. No answer gets more bits than ``cap``, those of the gold answer.
    """
    finer = {
        text: {other_text for other_text, other in coarser.items() if _is_above(answer, other)}
        for text, answer in coarser.items()
    }
    waiting, answers = dict(coarser), list[Levelled]()
    while waiting:
        # In a circle (A above B above A) no answer is ready: take the one with the most bits.
        ready = [text for text in waiting if finer[text].isdisjoint(waiting)] or waiting
        next_ = waiting.pop(min(ready, key=lambda text: (-waiting[text].bits, text)))
        answers.append(Levelled(len(answers) + 2, next_, min(next_.bits, cap), next_.bits > cap))
        cap = answers[-1].bits
    return answers


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
