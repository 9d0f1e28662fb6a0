"""Put candidate answers at levels: leave trivial ones out, and order the rest."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.granola.order import ordered
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.rows import Evidence

_normal = functools.lru_cache(1 << 18)(normalise)

Dropped: TypeAlias = tuple[str, str]
"""The text of an answer that is left out, and the reason."""


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
    """A candidate at its level, with the bits that it has there."""

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
    seen = set[frozenset[object]]()
    name = f" {_normal(subject)} "
    for one in sorted(coarser, key=lambda one: (-one.bits, one.text)):
        text = _normal(one.text)
        if one.facets in seen:
            continue  # another gold answer has the same
        seen.add(one.facets)
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
    return _with_levels([*finest.values()], kept), dropped


def minimal(gold: Collection[Candidate]) -> list[Candidate]:
    """Return gold answers without those that are coarser than another one."""
    return [one for one in gold if not any(_is_above(one, other) for other in gold)]


def _with_levels(gold: list[Candidate], coarser: Mapping[str, Candidate]) -> list[Levelled]:
    bits = {text: one.bits for text, one in coarser.items()}
    above = {
        text: {other for other, two in coarser.items() if _is_above(two, one)}
        for text, one in coarser.items()
    }
    places = ordered({"": min(one.bits for one in gold), **bits}, above, "")[1:]
    answers = [
        *(Levelled(1, one, one.bits, False) for one in gold),
        *(Levelled(p.level, coarser[p.key], p.bits, p.was_capped) for p in places),
    ]
    return _with_distinct_aliases(answers)


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
    return [
        _with_aliases(
            answer, [name for normal, name in own.items() if owner[normal] == answer.level]
        )
        for answer, own in zip(answers, names, strict=True)
    ]


def _with_aliases(answer: Levelled, names: Sequence[str]) -> Levelled:
    """Return an answer with those aliases that are among ``names``, last come first."""
    text = answer.candidate.text
    aliases = tuple(name for name in reversed(names) if name != text)
    if aliases == answer.candidate.aliases:
        return answer  # as most are, and there are many
    return answer._replace(candidate=answer.candidate._replace(aliases=aliases))
